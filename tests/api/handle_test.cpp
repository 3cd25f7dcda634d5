// The handle: what it is made of, what it gives back, what the compiler knows of it.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/near.hpp>

#include <Eigen/Core>
#include <atomic>
#include <thread>

namespace {
using num = df::tensor<double>;
using by_column = Eigen::MatrixXd;
using by_row = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T> using list = std::vector<T>;
std::string text(const auto& x) { return df::to_string(x); }
}  // namespace

TEST_CASE("a tensor is made of numbers, lists and nested lists of every element type") {
    CHECK(num(3.0).rank() == 0);
    CHECK(num(3).item() == 3);
    CHECK(num{1, 2, 3}.shape() == df::shape{3});
    CHECK(text(num{{1, 2}, {3, 4}}) == "[[1. 2.]\n [3. 4.]]");
    CHECK(num{{{1}, {2}}}.shape() == df::shape{1, 2, 1});
    CHECK(num{{1}, {2}}.shape() == df::shape{2, 1});
    CHECK(num{{1, 2.5}, {3, 4}}.shape() == df::shape{2, 2});
    const int n = 3;
    CHECK(num{n, n + 1}.to_vector() == list<double>{3, 4});
    DF_THROWS_WITH((df::tensor<std::uint8_t>{1, 256}), df::dtype_error, "does not fit uint8", "handle_test.cpp");
    CHECK(num{{{{1, 2}}, {{3, 4}}}}.shape() == df::shape{1, 2, 1, 2});
    CHECK(df::tensor<bool>{true, false}.to_vector() == list<bool>{true, false});
    CHECK(df::tensor<std::uint8_t>{1, 255}.to_vector() == list<std::uint8_t>{1, 255});
    CHECK(df::tensor<std::int32_t>{{1, -2}}.to_vector() == list<std::int32_t>{1, -2});
    CHECK(df::tensor<std::int64_t>(INT64_MAX).item() == INT64_MAX);
    CHECK(df::tensor<float>{0.5f}.item() == 0.5f);
    DF_THROWS_WITH((num{{1, 2}, {3}}), df::shape_error, "rows of a nested list", "handle_test.cpp");
}
TEST_CASE("a tensor is made of vectors, arrays, spans and nested vectors") {
    const list<double> v{1, 2, 3, 4, 5, 6};
    CHECK(num(v).shape() == df::shape{6});
    CHECK(text(num(v, {2, 3})) == "[[1. 2. 3.]\n [4. 5. 6.]]");
    CHECK(num(std::span(v).subspan(2)).to_vector() == list<double>{3, 4, 5, 6});
    CHECK(num(std::array<double, 2>{7, 8}).to_vector() == list<double>{7, 8});
    CHECK(num(list<list<double>>{{1, 2}, {3, 4}}).shape() == df::shape{2, 2});
    CHECK(num(list<std::array<double, 3>>{{1, 2, 3}}).shape() == df::shape{1, 3});
    CHECK(num(list<list<list<double>>>{{{1}, {2}}}).shape() == df::shape{1, 2, 1});
    CHECK(df::tensor<bool>(list<bool>{true, false, true}).to_vector() == list<bool>{true, false, true});
    CHECK(df::tensor<bool>(list<list<bool>>{{true}, {false}}).shape() == df::shape{2, 1});
    CHECK(df::tensor<std::uint8_t>(list<std::uint8_t>{9}).item() == 9);
    CHECK(df::tensor<double, 2, 3>(v).shape() == df::shape{2, 3});
    CHECK(num(list<double>{}).shape() == df::shape{0});
    DF_THROWS_WITH(num(v, {4, 2}), df::shape_error, "6 elements do not fill [4, 2]", "handle_test.cpp");
    DF_THROWS_WITH((df::tensor<double, 4>(v)), df::shape_error, "6 elements do not fill [4]");
    DF_THROWS_WITH(num(list<list<double>>{{1}, {2, 3}}), df::shape_error, "different lengths");
    DF_THROWS_WITH(num(v, {-1, -6}), df::shape_error, "a size is negative", "handle_test.cpp");
    DF_THROWS_WITH(num(v, {1LL << 40, 1LL << 40}), df::memory_error, "does not fit into memory", "handle_test.cpp");
}
TEST_CASE("the compiler finds the type of a tensor from what it is made of") {
    df::tensor a(3.0);
    df::tensor b{1.0f, 2.0f};
    df::tensor c{{1, 2}, {3, 4}};
    df::tensor d(list<list<double>>{{1}});
    df::tensor e(Eigen::MatrixXf::Zero(2, 3));
    df::tensor f = a;
    df::tensor g(list<bool>{true});
    df::tensor h(list<double>{1, 2}, {2, 1});
    static_assert(std::same_as<decltype(a), num> && std::same_as<decltype(b), df::tensor<float>> && std::same_as<decltype(c), df::tensor<std::int32_t>>);
    static_assert(std::same_as<decltype(d), num> && std::same_as<decltype(e), df::tensor<float>> && std::same_as<decltype(f), num>);
    static_assert(std::same_as<decltype(g), df::tensor<bool>> && std::same_as<decltype(h), num>);
    CHECK(e.shape() == df::shape{2, 3});
}
TEST_CASE("Eigen objects are read in their own order: matrices, vectors, arrays, maps, blocks, expressions") {
    by_row r(2, 3);
    r << 1, 2, 3, 4, 5, 6;
    const by_column c = r;
    const std::string whole = "[[1. 2. 3.]\n [4. 5. 6.]]";
    CHECK(text(num(r)) == whole);
    CHECK(text(num(c)) == whole);
    CHECK(text(num(c.transpose())) == "[[1. 4.]\n [2. 5.]\n [3. 6.]]");
    CHECK(text(num(c.block(0, 1, 2, 2))) == "[[2. 3.]\n [5. 6.]]");
    CHECK(text(num(c.row(1))) == "[4. 5. 6.]");
    CHECK(text(num(r.col(1))) == "[2. 5.]");
    CHECK(text(num(c * 2 + r)) == "[[ 3.  6.  9.]\n [12. 15. 18.]]");
    CHECK(text(num(c.array() - 1)) == "[[0. 1. 2.]\n [3. 4. 5.]]");
    CHECK(text(num(c * c.transpose())) == "[[14. 32.]\n [32. 77.]]");
    CHECK(text(num(c.diagonal())) == "[1. 5.]");
    CHECK(text(num(Eigen::Vector3d(1, 2, 3))) == "[1. 2. 3.]");
    CHECK(text(num(Eigen::RowVector2d(1, 2))) == "[1. 2.]");
    CHECK(text(num(Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<2>>(r.data(), 3))) == "[1. 3. 5.]");
    CHECK(text(df::tensor<double, 2, 2>(Eigen::Matrix2d(Eigen::Matrix2d::Identity()))) == "[[1. 0.]\n [0. 1.]]");
    CHECK(num(by_column(0, 3)).shape() == df::shape{0, 3});
    CHECK(text(df::tensor<bool>(r.array() > 2)) == "[[False False  True]\n [ True  True  True]]");
    DF_THROWS_WITH((df::tensor<double, 3, 3>(r)), df::shape_error, "double[2, 3]", "[3, 3]", "handle_test.cpp");
}
TEST_CASE("memory of somebody else is seen without a copy, and given back once") {
    by_row m(2, 3);
    m << 1, 2, 3, 4, 5, 6;
    CHECK(df::view(m).data() == m.data());
    CHECK(text(df::view(m)) == "[[1. 2. 3.]\n [4. 5. 6.]]");
    CHECK(text(df::view(m.block(0, 1, 2, 2)) + 0) == "[[2. 3.]\n [5. 6.]]");
    CHECK(text(df::view(by_column(m))) != "");
    const double raw[] = {1, 2, 3, 4, 5, 6};
    CHECK(df::from_memory(raw, {6}).data() == raw);
    CHECK(text(df::from_memory(raw, {3, 2}, {1, 3})) == "[[1. 4.]\n [2. 5.]\n [3. 6.]]");
    CHECK(text(df::from_memory(raw + 5, {3}, {-2})) == "[6. 4. 2.]");
    CHECK(text(df::from_memory(raw, {2, 2}, {0, 1}) * 2) == "[[2. 4.]\n [2. 4.]]");
    int freed = 0;
    {
        auto* p = new double[4]{1, 2, 3, 4};
        num t = df::from_memory(p, {2, 2}, {2, 1}, [&](double* q) { ++freed, delete[] q; });
        const num row = t[1], copy = t;
        t = num();
        CHECK(text(row) == "[3. 4.]");
        CHECK(freed == 0);
    }
    CHECK(freed == 1);
    auto* q = new double[1]{1};
    DF_THROWS_WITH(df::from_memory(q, {1, 1}, {1}, [&](double* p) { ++freed, delete[] p; }), df::shape_error, "1 strides for the sizes [1, 1]", "handle_test.cpp");
    CHECK(freed == 2);
    DF_THROWS_WITH(df::from_memory(raw, {-1}), df::shape_error, "a size is negative");
    DF_THROWS_WITH(df::from_memory(static_cast<const double*>(nullptr), {2}), df::shape_error, "the pointer is null");
    CHECK(df::from_memory(static_cast<const double*>(nullptr), {0}).to_vector().empty());
}
TEST_CASE("a tensor becomes an Eigen map without a copy, a span, a vector, a number") {
    const num x{{1, 2, 3}, {4, 5, 6}};
    const auto m = x.map<Eigen::Map<const by_row>>();
    CHECK(m.data() == x.data());
    CHECK(m(1, 0) == 4);
    CHECK(x.map<Eigen::Map<const Eigen::VectorXd>>().sum() == 21);
    CHECK(x[1].map<Eigen::Map<const Eigen::Vector3d>>()(2) == 6);
    CHECK(x.span().size() == 6);
    CHECK(x.span().data() == x.data());
    CHECK(x(1, 2).item() == 6);
    CHECK(static_cast<bool>(x(1, 2) == 6));
    using three = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    DF_THROWS_WITH(x.map<Eigen::Map<const three>>(), df::shape_error, "double[2, 3]", "3 by 3", "handle_test.cpp");
    DF_THROWS_WITH(x[0].map<Eigen::Map<const by_row>>(), df::shape_error, "double[3]");
    DF_THROWS_WITH(x[0].map<Eigen::Map<const Eigen::Vector2d>>(), df::shape_error, "double[3]");
    DF_THROWS_WITH(x.item(), df::shape_error, "double[2, 3]", "is not one number", "handle_test.cpp");
    DF_THROWS_WITH(static_cast<bool>(x == x), df::shape_error, "bool[2, 3]", "handle_test.cpp");
    DF_THROWS_WITH(num().data(), df::trace_error, "empty", "handle_test.cpp");
}
TEST_CASE("sizes are known to the compiler in part or whole") {
    const num x{{1, 2, 3}, {4, 5, 6}};
    const auto s = x.as<2, 3>();
    static_assert(decltype(s)::dims == df::shape{2, 3});
    const df::tensor<double, df::dyn, 3> part = s;
    const num any = part;
    CHECK(any.shape() == x.shape());
    CHECK(x.dim(-1) == 3);
    CHECK(x.size() == 6);
    using namespace df::literals;
    static_assert(decltype(s.dim(1_c))::value == 3);
    static_assert(std::same_as<decltype(s[0]), df::tensor<double, 3>>);
    static_assert(std::same_as<decltype(s + part), df::tensor<double, 2, 3>>);
    const df::scalar<double> one = 2.0;
    CHECK(one.item() == 2);
    DF_THROWS_WITH((x.as<3, 3>()), df::shape_error, "double[2, 3]", "[3, 3]", "df::dyn", "handle_test.cpp");
    DF_THROWS_WITH((x.as<6>()), df::shape_error, "double[2, 3]");
    DF_THROWS_WITH(x.dim(2), df::shape_error, "axis 2 is out of range", "handle_test.cpp");
    DF_THROWS_WITH(x.dim(-3), df::shape_error, "axis -3 is out of range");
}
TEST_CASE("a handle is immutable; compound assignment rebinds one handle only") {
    num a{1, 2};
    const num b = a;
    a += 1;
    a *= num{2, 3};
    a -= 1.0;
    a /= 3;
    DF_NEAR(a, {1, 8.0 / 3});
    CHECK(b.to_vector() == list<double>{1, 2});
    const auto f = [](num x) { x += 1; return x; };
    f(b);
    CHECK(b.to_vector() == list<double>{1, 2});
    df::tensor<double, 2> fixed{1, 2};
    DF_THROWS_WITH(fixed += num(std::vector<double>{1, 2, 3, 4, 5, 6}, {3, 2}), df::shape_error, "[3, 2]", "handle_test.cpp");
    CHECK(fixed.to_vector() == list<double>{1, 2});
}
TEST_CASE("all operators work on every element type they make sense for") {
    const auto check = []<class T>(T) {
        const df::tensor<T> a{6, 7}, b{4, 2};
        CHECK((a + b).to_vector() == list<T>{10, 9});
        CHECK((a - b).to_vector() == list<T>{2, 5});
        CHECK((a * b).to_vector() == list<T>{24, 14});
        CHECK((a % b).to_vector() == list<T>{2, 1});
        CHECK((a < b).to_vector() == list<bool>{false, false});
        CHECK((a >= 7).to_vector() == list<bool>{false, true});
        CHECK((7 == a).to_vector() == list<bool>{false, true});
        CHECK((1 + a).to_vector() == list<T>{7, 8});
        CHECK((+a).to_vector() == a.to_vector());
        if constexpr (!std::floating_point<T>) {
            CHECK((a / b).to_vector() == list<T>{1, 3});
            CHECK((a & b).to_vector() == list<T>{4, 2});
            CHECK((a | b).to_vector() == list<T>{6, 7});
            CHECK((a ^ b).to_vector() == list<T>{2, 5});
            CHECK((~a).to_vector() == list<T>{static_cast<T>(~T{6}), static_cast<T>(~T{7})});
        }
        CHECK((-a).to_vector() == list<T>{static_cast<T>(-T{6}), static_cast<T>(-T{7})});
        CHECK(df::function([](df::tensor<T> x, df::tensor<T> y) { return x * y + 1; })(a, b).to_vector() == list<T>{25, 15});
        CHECK(text(df::cast<double>(a)) == "[6. 7.]");
        CHECK(df::cast<T>(num{6.9, 7.2}).to_vector() == list<T>{static_cast<T>(6.9), static_cast<T>(7.2)});
        CHECK(df::where(a > 6, a, b).to_vector() == list<T>{4, 7});
        CHECK(df::pfor(2, [&](df::index i) { return a[i] + 1; }).to_vector() == list<T>{7, 8});
    };
    check(std::uint8_t{});
    check(std::int32_t{});
    check(std::int64_t{});
    check(float{});
    check(double{});
    const df::tensor<bool> p{true, false}, q{true, true};
    CHECK((p && q).to_vector() == list<bool>{true, false});
    CHECK((p || q).to_vector() == list<bool>{true, true});
    CHECK((p & true).to_vector() == list<bool>{true, false});
    CHECK((p ^ q).to_vector() == list<bool>{false, true});
    CHECK((!p).to_vector() == list<bool>{false, true});
    CHECK((~p).to_vector() == list<bool>{false, true});
    CHECK((p == q).to_vector() == list<bool>{true, false});
}
TEST_CASE("uint8 wraps around as in NumPy, whichever way it is computed") {
    const df::tensor<std::uint8_t> a{200, 255};
    const auto f = [](df::tensor<std::uint8_t> x) { return (x + 100) / 2; };
    CHECK(f(a).to_vector() == list<std::uint8_t>{22, 49});
    CHECK(df::function(f)(a).to_vector() == list<std::uint8_t>{22, 49});
    df::reference_mode scope;
    CHECK(df::function(f)(a).to_vector() == list<std::uint8_t>{22, 49});
}
TEST_CASE("handles are shared between threads") {
    const num x{1, 2, 3};
    std::atomic<int> right{0};
    std::vector<std::thread> all;
    for (int t = 0; t < 8; ++t)
        all.emplace_back([&, x, t] {
            for (int k = 0; k < 200; ++k) {
                const num y = x;
                right += (y + t)[1].item() == 2 + t;
            }
        });
    for (auto& t : all) t.join();
    CHECK(right == 1600);
}
TEST_CASE("a strided value gives its pointer to many threads at once") {
    const double raw[] = {1, 2, 3, 4, 5, 6};
    for (int k = 0; k < 50; ++k) {
        const num x = df::from_memory(raw, {3, 2}, {1, 3});
        std::vector<std::thread> all;
        std::atomic<int> right{0};
        for (int t = 0; t < 4; ++t) all.emplace_back([&] { right += x.data()[1] == 4; });
        for (auto& t : all) t.join();
        CHECK(right == 4);
    }
}
