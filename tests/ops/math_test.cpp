// Functions of one number: values at the edges, derivatives at special points, dtypes and sizes.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/near.hpp>

#include <cmath>
#include <limits>

namespace {

using num = df::tensor<double>;
constexpr double inf = std::numeric_limits<double>::infinity();

template <class F> double slope(F f, double x) { return df::grad([f](num v) { return f(v); })(num(x)).item(); }

TEST_CASE("small arguments keep their digits") {
    DF_NEAR(df::expm1(num(1e-12)), {1.0000000000005e-12}, 1e-15, 0);
    DF_NEAR(df::log1p(num(1e-12)), {9.999999999995e-13}, 1e-15, 0);
    DF_NEAR(df::hypot(num(3e200), 4e200), {5e200}, 1e-15, 0);
    DF_NEAR(df::atan2(num{0, -1}, num{-1, 0}), {std::acos(-1.0), -std::acos(0.0)}, 1e-15, 0);
    DF_NEAR(df::asinh(num{-2, 0}), {-1.4436354751788103, 0}, 1e-15, 0);
    DF_NEAR(df::round(num{0.5, 1.5, -2.5}), {0, 2, -2});
}

TEST_CASE("values outside a domain are NaN or infinite, as in IEEE") {
    CHECK(std::isnan(df::sqrt(num(-1.0)).item()));
    CHECK(df::log(num(0.0)).item() == -inf);
    DF_NEAR(df::isnan(num{1, inf, std::nan("")}), {0, 0, 1});
    DF_NEAR(df::isinf(num{1, -inf, std::nan("")}), {0, 1, 0});
    DF_NEAR(df::isfinite(num{1, -inf, std::nan("")}), {1, 0, 0});
}

TEST_CASE("derivatives at special points") {
    CHECK(slope([](num x) { return df::abs(x); }, 0) == 0);
    CHECK(slope([](num x) { return df::floor(x); }, 1.5) == 0);
    CHECK(slope([](num x) { return df::sqrt(x); }, 0) == inf);
    CHECK(slope([](num x) { return df::asinh(x); }, 1e300) == Approx(1e-300));
    const auto [dx, dy] = df::grad<0, 1>([](num x, num y) { return df::hypot(x, y); })(num(0.0), num(0.0));
    CHECK((dx.item() == 0 && dy.item() == 0));
    const auto radius = [](num x, num y) { return df::maximum(df::sqrt(x * x + y * y), 1e-10); };
    const auto [rx, ry] = df::grad<0, 1>(radius)(num(0.0), num(0.0));
    CHECK((rx.item() == 0 && ry.item() == 0));
}

TEST_CASE("sizes and dtypes stay") {
    df::tensor<float, 2, 3> x;
    static_assert(std::is_same_v<decltype(df::exp(x)), df::tensor<float, 2, 3>>);
    static_assert(std::is_same_v<decltype(df::hypot(x, 1)), df::tensor<float, 2, 3>>);
    static_assert(std::is_same_v<decltype(df::gelu(x)), df::tensor<float, 2, 3>>);
    static_assert(std::is_same_v<decltype(df::softmax(x)), df::tensor<float, 2, 3>>);
    DF_THROWS_WITH(df::tanh(num()), df::trace_error, "tanh", "empty", "math_test.cpp");
}

}  // namespace
