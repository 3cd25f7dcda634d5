// Arithmetic, comparison and logic: by operator and by name, with numbers on either side, at the edges of the types.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/near.hpp>

#include <cstdint>
#include <limits>

namespace {

using num = df::tensor<double>;
using real = df::tensor<float>;
using whole = df::tensor<std::int64_t>;
using small = df::tensor<std::int32_t>;
using truth = df::tensor<bool>;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

template <class X, class Y> constexpr bool is = std::is_same_v<X, Y>;

TEST_CASE("every operator has a name, and numbers stand on either side") {
    const num x{1, 2, 4}, y{4, 2, 1};
    DF_NEAR(df::add(x, y), x + y);
    DF_NEAR(df::subtract(1, y), {-3, -1, 0});
    DF_NEAR(df::multiply(x, 2.f), {2, 4, 8});
    DF_NEAR(df::divide(4, x), {4, 2, 1});
    DF_NEAR(df::modulo(num{-5, 5}, 3), {-2, 2});
    DF_NEAR(num({-5, 5}) % 3, {-2, 2});
    DF_NEAR(df::remainder(num{-5, 5}, 3), {1, 2});
    DF_NEAR(df::floor_divide(num{-5, 5}, 3), {-2, 1});
    DF_NEAR(df::pow(x, 2), {1, 4, 16});
    DF_NEAR(df::power(2, x), {2, 4, 16});
    DF_NEAR(df::maximum(x, y), {4, 2, 4});
    DF_NEAR(df::minimum(x, 2), {1, 2, 2});
    DF_NEAR(df::equal(x, y), {0, 1, 0});
    DF_NEAR(df::not_equal(x, y), {1, 0, 1});
    DF_NEAR(df::less(x, 2), {1, 0, 0});
    DF_NEAR(df::greater_equal(2, x), {1, 1, 0});
    DF_NEAR(1 == x, {1, 0, 0});
    DF_NEAR(x != 1.f, {0, 1, 1});
    DF_NEAR(3 >= x, {1, 1, 0});
    DF_NEAR(df::clip(num{-3, 0.5, 3}, -1, 1), {-1, 0.5, 1});
    DF_NEAR(df::clip(num{-3, 0.5, 3}, num{0, 0, 4}, 5), {0, 0.5, 4});
}

TEST_CASE("static sizes and dtypes of results") {
    df::tensor<float, 2, 3> a;
    df::tensor<float, 3> b;
    df::tensor<float, df::dyn, 1> c;
    static_assert(is<decltype(a + b), df::tensor<float, 2, 3>>);
    static_assert(is<decltype(df::add(a, b)), df::tensor<float, 2, 3>>);
    static_assert(is<decltype(df::maximum(c, b)), df::tensor<float, df::dyn, 3>>);
    static_assert(is<decltype(1 - a), df::tensor<float, 2, 3>>);
    static_assert(is<decltype(a < b), df::tensor<bool, 2, 3>>);
    static_assert(is<decltype(df::isnan(b)), df::tensor<bool, 3>>);
    static_assert(is<decltype(df::cast<std::int64_t>(a)), df::tensor<std::int64_t, 2, 3>>);
    static_assert(is<decltype(df::where(b > 0, a, 0)), df::tensor<float, 2, 3>>);
    static_assert(is<decltype(df::where(b > 0, 1.0, 0.0)), df::tensor<double, 3>>);
    static_assert(is<decltype(real() + a), real>);
    static_assert(is<decltype(df::scalar<float>() * a), df::tensor<float, 2, 3>>);
}

template <class A, class B> concept adds = requires(A a, B b) { a + b; };
template <class A, class B> concept subtracts_from = requires(A a, B b) { a -= b; };
TEST_CASE("mixed dtypes do not compile") {
    static_assert(adds<num, double> && adds<num, int> && adds<int, num> && adds<whole, int> && adds<float, num>);
    static_assert(!adds<num, real> && !adds<num, whole> && !adds<whole, small> && !adds<num, truth>);
    static_assert(!adds<whole, double> && !adds<double, whole> && !adds<num, bool> && !adds<bool, num> && !adds<truth, int>);
    static_assert(!adds<df::index, double> && !adds<df::index, num> && adds<df::index, whole> && adds<df::index, df::index>);
    static_assert(subtracts_from<num&, double> && !subtracts_from<num&, real> && !subtracts_from<whole&, double>);
}

TEST_CASE("bool operators take the tensor, not its truth") {
    const truth a{true, false, true}, b{true, true, false};
    DF_NEAR(!a, {0, 1, 0});
    DF_NEAR(~a, {0, 1, 0});
    DF_NEAR(a && b, {1, 0, 0});
    DF_NEAR(a || false, {1, 0, 1});
    DF_NEAR(true && b, {1, 1, 0});
    DF_NEAR(false || b, {1, 1, 0});
    DF_NEAR(a & b, {1, 0, 0});
    DF_NEAR(a ^ b, {0, 1, 1});
    DF_NEAR(a == b, {1, 0, 0});
    DF_NEAR(df::logical_not(num{0, -0.0, 2}), {1, 1, 0});
    DF_NEAR(df::logical_and(num{0, 1, nan_value}, 2), {0, 1, 1});
    DF_NEAR(df::logical_or(whole{0, 4}, whole{0, 0}), {0, 1});
    DF_NEAR(df::logical_xor(whole{0, 4}, 1), {1, 0});
}

TEST_CASE("an index computes like an int64 scalar") {
    const whole x{10, 20, 30};
    const auto y = df::pfor(3, [&](df::index i) {
        const auto j = (i + 1) * 2 - (1 - i);
        return df::where(i % 2 == 0 && !(i == 4), j + x[i], -i);
    });
    DF_NEAR(y, {11, -1, 37});
}

TEST_CASE("compound assignment rebinds the handle alone") {
    num a{1, 2};
    const num b = a;
    a -= 1;
    a *= num{4, 4};
    a /= 2;
    a += b;
    DF_NEAR(a, {1, 4});
    DF_NEAR(b, {1, 2});
    whole n{7, 8};
    n %= 4;
    DF_NEAR(n, {3, 0});
}

TEST_CASE("integers wrap around, and division by zero is an error with the user's line") {
    const auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
    CHECK((whole(most) + 1).item() == least);
    CHECK((-whole(least)).item() == least);
    CHECK((whole(least) / -1).item() == least);
    CHECK((whole(least) % -1).item() == 0);
    CHECK((whole(-7) / 2).item() == -3);
    CHECK((whole(-7) % 2).item() == -1);
    CHECK(df::floor_divide(whole(-7), 2).item() == -4);
    CHECK(df::remainder(whole(-7), 2).item() == 1);
    CHECK((df::tensor<std::uint8_t>(250) + 10).item() == 4);
    DF_THROWS_WITH(whole(1) / 0, df::check_error, "divide", "division by zero", "arith_test.cpp");
    DF_THROWS_WITH(small(1) % small(0), df::check_error, "modulo", "division by zero");
    DF_THROWS_WITH(df::floor_divide(whole(1), 0), df::check_error, "floor_divide");
}

TEST_CASE("shifts and bits") {
    DF_NEAR(df::left_shift(whole{1, 3}, 4), {16, 48});
    DF_NEAR(df::right_shift(whole{-16, 48}, whole{2, 4}), {-4, 3});
    DF_NEAR(df::bitwise_and(whole{12, 10}, 6), {4, 2});
    DF_NEAR(df::bitwise_or(small{12, 10}, 3), {15, 11});
    DF_NEAR(df::bitwise_xor(small{12, 10}, 6), {10, 12});
    DF_NEAR(df::bitwise_not(small{0, 5}), {-1, -6});
}

TEST_CASE("powers: integers, literals, and derivatives at zero") {
    DF_NEAR(df::pow(whole{2, -3}, 3), {8, -27});
    CHECK(df::pow(whole(3), 0).item() == 1);
    DF_THROWS_WITH(df::pow(whole(3), -1), df::check_error, "power", "negative power");
    const auto derivatives = [](auto f, double at) {
        const auto first = df::grad([f](num x) { return f(x); });
        return std::vector<double>{f(num(at)).item(), first(num(at)).item(), df::grad(first)(num(at)).item()};
    };
    const auto powers = [&](double at, std::vector<double> wanted) {
        CHECK(df_test::far(derivatives([](num x) { return df::pow(x, 2.0); }, at), wanted) == "");
        CHECK(df_test::far(derivatives([](num x) { return df::pow(x, 2); }, at), wanted) == "");
        CHECK(df_test::far(derivatives([](num x) { return x * x; }, at), wanted) == "");
        CHECK(df_test::far(derivatives([](num x) { return df::square(x); }, at), wanted) == "");
    };
    powers(0, {0, 0, 2});
    powers(-3, {9, -6, 2});
    const auto slope = [](double c) { return df::grad([c](num x) { return df::pow(x, c); })(num(0.0)).item(); };
    CHECK(slope(1.875) == 0);
    CHECK(slope(1) == 1);
    CHECK(slope(0) == 0);
    CHECK(slope(0.5) == inf);
    const auto constant = df::grad([](num x) { return df::pow(num(-5.0), num(5.0)) + 0 * x; });
    CHECK(constant(num(1.0)).item() == 0);
}

TEST_CASE("NaN wins a maximum, and ties share the derivative") {
    CHECK(std::isnan(df::maximum(num(nan_value), 1).item()));
    CHECK(std::isnan(df::minimum(1, num(nan_value)).item()));
    const auto [a, b] = df::grad<0, 1>([](num x, num y) { return df::maximum(x, y); })(num(1.0), num(1.0));
    CHECK((a.item() == 0.5 && b.item() == 0.5));
    const auto [value, slope] = df::jvp([](num x, num y) { return df::minimum(x, y); })(num(1.0), num(1.0), num(1.0), num(0.0));
    CHECK(slope.item() == 0.5);
    CHECK(df::grad([](num x) { return df::maximum(x, 0); })(num(0.0)).item() == 0.5);
}

TEST_CASE("what is not chosen adds nothing to a derivative") {
    const auto f = [](num x) { return df::where(x > 0, df::sqrt(x), 0); };
    const num at{-1, 0, 4};
    DF_NEAR(f(at), {0, 0, 2});
    const auto slopes = [&](auto g) { return df::vjp(g)(at).second(num{1, 1, 1}); };
    DF_NEAR(slopes(f), {0, 0, 0.25});
    DF_NEAR(slopes([&](num x) { return df::jvp(f)(x, num{1, 1, 1}).second; }), {0, 0, -0.03125});
    CHECK(df::grad([](num x) { return df::where(x > 0, 0, x * inf); })(num(1.0)).item() == 0);
}

TEST_CASE("cast: towards zero, kept to the range, NaN is 0") {
    const num x{-2.7, 2.7, 1e30, -1e30, nan_value, inf};
    DF_NEAR(df::cast<std::int32_t>(x), {-2, 2, 2147483647, -2147483648.0, 0, 2147483647});
    CHECK(df::cast<std::int64_t>(x).to_vector()[2] == std::numeric_limits<std::int64_t>::max());
    CHECK(df::cast<std::int64_t>(num(9.3e18)).item() == std::numeric_limits<std::int64_t>::max());
    CHECK(df::cast<std::int64_t>(real(-9.3e18f)).item() == std::numeric_limits<std::int64_t>::min());
    DF_NEAR(df::cast<std::uint8_t>(x), {0, 2, 255, 0, 0, 255});
    DF_NEAR(df::cast<bool>(x), {1, 1, 1, 1, 1, 1});
    DF_NEAR(df::cast<std::int32_t>(whole(4294967297)), {1});
    // Through an integer there is no derivative, in either mode.
    const auto f = [](num v) { return v * df::cast<double>(df::cast<std::int64_t>(v)); };
    CHECK(df::grad(f)(num(2.5)).item() == 2);
    CHECK(df::jvp(f)(num(2.5), num(1.0)).second.item() == 2);
    CHECK(df::grad([](num v) { return df::cast<double>(df::cast<float>(v)) * 3; })(num(2.5)).item() == 3);
}

TEST_CASE("a literal that its dtype cannot hold is an error") {
    const df::tensor<std::uint8_t> bytes{1, 2};
    DF_THROWS_WITH(bytes + 300, df::dtype_error, "does not fit uint8", "arith_test.cpp");
    DF_THROWS_WITH(-1 * bytes, df::dtype_error, "does not fit uint8");
    DF_THROWS_WITH(small(1) + 4294967296, df::dtype_error, "does not fit int32");
    CHECK((whole(1) + 4294967296).item() == 4294967297);
}

TEST_CASE("messages name the operation, the types and the place") {
    DF_THROWS_WITH(num({1, 2}) + num({1, 2, 3}), df::shape_error, "add: the sizes do not broadcast", "double[2], double[3]", "arith_test.cpp");
    DF_THROWS_WITH(df::maximum(num{1, 2}, num{1, 2, 3}), df::shape_error, "maximum", "arith_test.cpp");
    DF_THROWS_WITH(df::where(truth{true, false}, num{1, 2, 3}, 0), df::shape_error, "select", "bool[2]");
    DF_THROWS_WITH(df::add(truth(true), truth(true)), df::dtype_error, "add", "not defined for bool");
    DF_THROWS_WITH(num() + 1, df::trace_error, "add", "empty");
}

TEST_CASE("a host number of a generic function is data that takes the dtype of what it meets") {
    auto step = df::function([](auto rate, auto x) { return x - 0.5 * rate * 2 * df::exp(0 * rate) * x; });
    DF_NEAR(step(0.25, real{4, 8}), {3, 6});
    static_assert(is<decltype(step(0.25, real())), real>);
    DF_NEAR(step(0.5, real{4, 8}), {2, 4});
    CHECK(step.traces() == 1);
    DF_NEAR(step(0.5, num{4, 8}), {2, 4});
    DF_NEAR(step(0.5f, num{4, 8}), {2, 4});
    auto choose = df::function([](auto low, auto x) { return df::maximum(low, df::where(x > low, x, low)) + df::clip(x, -low, low); });
    DF_NEAR(choose(1.5, real{1, 2}), {2.5, 3.5});
    auto passed_on = df::function([](auto rate, real x) { return df::grad([](real w, real r) { return df::matmul(w, w) * r; })(x, rate); });
    DF_NEAR(passed_on(0.5, real{1, 2}), {1, 2});
    auto alone = df::function([](auto a, auto b) { return a * b > 1 && a < 10; });
    CHECK(alone(3.0, 2.f).item());
    CHECK(df::grad([](auto r) { return r * r * 2; })(3.0).item() == 12);
}

}  // namespace
