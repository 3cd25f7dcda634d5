// Structures through the transforms: dynamic ones, static ones, and ones open to lanes.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/near.hpp>

namespace {
using num = df::tensor<double>;
struct dynamic {
    num w, b;
};
struct fixed {
    df::tensor<double, 2> w;
    df::scalar<double> b;
};
template <class L = df::lanes<>> struct open {
    df::in<L, double, 2> w;
    df::in<L, double> b;
    static constexpr auto df_members() { return std::tuple{&open::w, &open::b}; }
};
struct counted {
    num w;
    df::tensor<std::int64_t> steps;
};
struct pair_of {
    fixed a;
    df::scalar<double> c;
};
}  // namespace
BOOST_HANA_ADAPT_STRUCT(dynamic, w, b);
BOOST_HANA_ADAPT_STRUCT(fixed, w, b);
BOOST_HANA_ADAPT_STRUCT(counted, w, steps);
BOOST_HANA_ADAPT_STRUCT(pair_of, a, c);

namespace {
const auto loss = [](const auto& p, num x) { return df::sum(p.w * x) * p.b; };
const num xs{{1, 2}, {3, 4}, {5, 6}};
}  // namespace

TEST_CASE("a struct of dynamic members: gradients, lanes and maps have its type") {
    const dynamic p{num{1, 2}, num(3.0)};
    const dynamic g = df::grad(loss)(p, xs[0]);
    DF_NEAR(g.w, {3, 6});
    CHECK(g.b.item() == 5);
    const dynamic all = df::pfor(3, [&](df::index i) { return df::grad(loss)(p, xs[i]); });
    CHECK(all.w.shape() == df::shape{3, 2});
    DF_NEAR(all.b, {5, 11, 17});
    const dynamic traced = df::function([](const dynamic& q, num rows) { return df::pfor(rows.dim(0), [&](df::index i) { return df::grad(loss)(q, rows[i]); }); })(p, xs);
    DF_NEAR(traced.b, {5, 11, 17});
    DF_NEAR(df::map([](const dynamic& q, num x) { return loss(q, x); })(all, xs), {75, 825, 3111});
    const dynamic j = df::jacobian([](const dynamic& q) { return q.w * q.b; })(p);
    DF_NEAR(j.w, {3, 0, 0, 3});
    DF_NEAR(j.b, {1, 2});
    const dynamic forward = df::jacfwd([](const dynamic& q) { return q.w * q.b; })(p);
    DF_NEAR(forward.w, {3, 0, 0, 3});
    DF_NEAR(forward.b, {1, 2});
    const dynamic t = df::tree_map([](auto a, auto b) { return a - 0.5 * b; }, p, g);
    DF_NEAR(t.w, {-0.5, -1});
    const auto [value, pull] = df::vjp(loss)(p, xs[0]);
    DF_NEAR(std::get<0>(pull(num(2.0))).w, {6, 12});
    const dynamic tangent{num{1, 0}, num(0.0)};
    CHECK(df::jvp(loss)(p, xs[0], tangent, num{0, 0}).second.item() == 3);
}
TEST_CASE("a struct of static members comes back stacked: rows and columns") {
    const fixed p{{1, 2}, 3.0};
    const fixed g = df::grad(loss)(p, xs[0]);
    static_assert(decltype(g.w)::dims == df::shape{2});
    const auto all = df::pfor(3, [&](df::index i) { return df::grad(loss)(p, xs[i]); });
    static_assert(std::same_as<std::remove_cvref_t<decltype(all)>, df::stacked<fixed>>);
    CHECK(all.size() == 3);
    const auto w = all[&fixed::w];
    static_assert(std::same_as<std::remove_cvref_t<decltype(w)>, df::tensor<double, df::dyn, 2>>);
    DF_NEAR(w, {3, 6, 9, 12, 15, 18});
    const fixed row = all[1];
    DF_NEAR(row.w, {9, 12});
    CHECK(row.b.item() == 11);
    DF_NEAR(df::map([](const fixed& q) { return df::sum(q.w) + q.b; })(all), {14, 32, 50});
    DF_NEAR(df::function([](const df::stacked<fixed>& s) { return df::sum(s[&fixed::b]); })(all), {33});
    DF_NEAR(df::pfor(3, [&](df::index i) { return all[i].b * 2; }), {10, 22, 34});
    const auto nested = df::pfor(2, [&](df::index i) { return pair_of{{df::tensor<double, 2>(xs[i]), 1.0}, 2.0}; });
    DF_NEAR(nested[&pair_of::a][&fixed::w], {1, 2, 3, 4});
    DF_NEAR(nested[&pair_of::c], {2, 2});
}
TEST_CASE("a struct open to lanes comes back with one lane more") {
    const open<> p{{1, 2}, 3.0};
    const auto all = df::pfor(df::size<3>, [&](df::index i) { return df::grad(loss)(p, xs[i]); });
    static_assert(std::same_as<std::remove_cvref_t<decltype(all)>, open<df::lanes<3>>>);
    DF_NEAR(all.w, {3, 6, 9, 12, 15, 18});
    DF_NEAR(all.b, {5, 11, 17});
    const auto any = df::pfor(3, [&](df::index i) { return df::grad(loss)(p, xs[i]); });
    static_assert(decltype(any.w)::dims == df::shape{df::dyn, 2});
}
TEST_CASE("an integer tensor inside a differentiated struct is a constant: its gradient is zeros of its type") {
    const counted p{num{1, 2}, df::tensor<std::int64_t>(4)};
    const auto f = [](const counted& q) { return df::sum(q.w * q.w) * df::cast<double>(q.steps); };
    for (const counted& g : {df::grad(f)(p), df::function(df::grad(f))(p)}) {
        DF_NEAR(g.w, {8, 16});
        CHECK(g.steps.item() == 0);
    }
    const counted j = df::jacobian([](const counted& q) { return q.w * q.w; })(p);
    DF_NEAR(j.w, {2, 0, 0, 4});
    CHECK(j.steps.to_vector() == std::vector<std::int64_t>{0, 0});
    const counted k = df::jacfwd([](const counted& q) { return q.w * q.w; })(p);
    DF_NEAR(k.w, {2, 0, 0, 4});
    CHECK(k.steps.to_vector() == std::vector<std::int64_t>{0, 0});
}
TEST_CASE("derivatives are checked against differences") {
    const dynamic p{num{1, 2}, num(3.0)};
    CHECK(df::check_grad(loss, p, xs[0]) < 1e-7);
    CHECK(df::check_grad([](num x, df::tensor<std::int64_t> k) { return std::pair{df::exp(x) * df::cast<double>(k), df::sum(x)}; }, num{0.5, 1.5}, df::tensor<std::int64_t>(2)) < 1e-7);
    CHECK(df::check_grad([](df::tensor<float> x) { return df::tanh(x); }, df::tensor<float>{0.5f, 1.5f}) < 1e-2);
    const auto wrong = df::custom_vjp([](const dynamic& q) { return df::sum(q.w) * q.b; }, [](const dynamic& q, num ct) { return dynamic{df::stack({q.b, q.b * 2}) * ct, df::sum(q.w) * ct}; });
    DF_THROWS_WITH(df::check_grad(wrong, p), df::check_error, "check_grad: argument 0, tensor 0 (double[2]), element [1]", "vjp gives 6", "central differences 3", "structs_test.cpp");
    DF_THROWS_WITH(df::check_grad([](df::tensor<std::int64_t> k) { return k; }, df::tensor<std::int64_t>(1)), df::dtype_error, "check_grad: argument 0 is int64[]");
}
