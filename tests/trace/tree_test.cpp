// Structures as flat lists of values, and back; the key that tells structures apart.
#include <df/df.hpp>
#include <support/catch.hpp>

namespace {
using num = df::tensor<double>;
struct leaf {
    num w;
    int n = 0;
};
struct branch {
    leaf a;
    std::vector<leaf> rest;
    std::array<num, 2> two;
    std::pair<num, std::string> named;
};
struct closed {
    static constexpr auto df_members() { return std::tuple{&closed::x_, &closed::n_}; }
    explicit closed(double x = 0) : x_(x) {}
    double x() const { return x_.item(); }

private:
    num x_;
    float n_ = 0.5f;
};
auto key_of(const auto& x) {
    df::detail::collector c;
    df::detail::collect(x, c);
    return c.key;
}
branch sample(std::size_t rest) {
    return {{num(1.0), 7}, std::vector<leaf>(rest, leaf{num(2.0), 8}), {num(3.0), num{4, 5}}, {num(6.0), "name"}};
}
}  // namespace
BOOST_HANA_ADAPT_STRUCT(leaf, w, n);
BOOST_HANA_ADAPT_STRUCT(branch, a, rest, two, named);

TEST_CASE("the tensors of a structure in order, and back") {
    const auto b = sample(2);
    const auto v = df::detail::leaves(b);
    REQUIRE(v.size() == 6);
    CHECK(v[4].type().own() == df::shape{2});
    auto turned = v;
    std::swap(turned[0], turned[5]);
    const auto c = df::detail::rebuilt(b, turned, {});
    CHECK(c.a.w.item() == 6);
    CHECK(c.named.first.item() == 1);
    CHECK(c.a.n == 7);
    CHECK(c.named.second == "name");
    CHECK(b.a.w.item() == 1);
}
TEST_CASE("the key holds what is no tensor, and of tensors what is no number") {
    CHECK(key_of(sample(2)) == key_of(sample(2)));
    CHECK(key_of(sample(2)) != key_of(sample(3)));
    auto b = sample(2);
    b.a.w = num(9.0);
    CHECK(key_of(b) == key_of(sample(2)));
    b.a.n = 8;
    CHECK(key_of(b) != key_of(sample(2)));
    b = sample(2);
    b.named.second = "other";
    CHECK(key_of(b) != key_of(sample(2)));
    b = sample(2);
    b.two[0] = num{3};
    CHECK(key_of(b) != key_of(sample(2)));
    CHECK(key_of(num(1.0)) != key_of(df::tensor<float>(1.f)));
    CHECK(key_of(std::vector<num>{}) != key_of(std::tuple<>{}));
}
TEST_CASE("private members, and tree_map over several structures") {
    const auto s = df::tree_map([](auto a, auto b, auto c) { return a + b * c; }, closed(1), closed(2), closed(3));
    CHECK(s.x() == 7);
    const auto t = df::tree_map([](auto) { return 0.5; }, closed(1));
    CHECK(t.x() == 0.5);
    const auto n = df::tree_map([](auto a) { return a + 1; }, std::tuple{num(1.0), df::tensor<std::int64_t>(2)});
    CHECK(std::get<1>(n).item() == 3);
    DF_THROWS_WITH(df::tree_map([](auto a, auto b) { return a + b; }, std::vector{num(1.0), num(2.0)}, std::vector{num(1.0)}), df::shape_error, "tree_map", "2", "1");
    using fixed = df::tensor<double, 2>;
    DF_THROWS_WITH(df::tree_map([](auto) { return num{1, 2, 3}; }, fixed{1, 2}), df::shape_error, "double[3]", "[2]", "tree_test.cpp");
}
TEST_CASE("signatures of callables") {
    using df::detail::sig;
    using df::detail::signature;
    const auto lambda = [](num, int) { return 1.0; };
    static_assert(std::same_as<signature<decltype(lambda)>::type, sig<double, num, int>> || std::same_as<signature<std::remove_const_t<decltype(lambda)>>::type, sig<double, num, int>>);
    const auto generic = [](auto x) { return x; };
    static_assert(std::is_void_v<signature<std::remove_const_t<decltype(generic)>>::type>);
    static_assert(std::same_as<signature<num (*)(num)>::type, sig<num, num>>);
    const auto g = df::grad([](num x, num y) { return x * y; });
    static_assert(std::same_as<signature<std::remove_const_t<decltype(g)>>::type, sig<num, num, num>>);
    CHECK(g(num(1.0), num(2.0)).item() == 2);
}
