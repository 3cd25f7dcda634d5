// Reductions and scans: the forms of their calls, what the compiler knows of their results, empty axes, NaN, errors, and
// kernels on every kind of stride.
#include <support/catch.hpp>
#include <support/near.hpp>

#include <limits>

#include <df/df.hpp>

using namespace df::literals;
using num = df::tensor<double>;
using ints = df::tensor<std::int64_t>;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity(), qnan = std::numeric_limits<double>::quiet_NaN();
const num x{{1, 2, 3}, {4, 0, 6}};
template <class T> std::vector<std::int64_t> sizes(const T& t) { return t.shape(); }
using list = std::vector<std::int64_t>;
}  // namespace

TEST_CASE("the forms of a reduction") {
    DF_NEAR(df::sum(x), {16});
    DF_NEAR(df::sum(x, 0), {5, 2, 9});
    DF_NEAR(df::sum(x, -1), {6, 10});
    DF_NEAR(df::sum(x, {0, 1}), {16});
    DF_NEAR(df::sum(x, {0}), {5, 2, 9});
    DF_NEAR(df::sum(x, list{1}), {6, 10});
    CHECK(sizes(df::sum(x, df::keepdims)) == list{1, 1});
    CHECK(sizes(df::sum(x, 1, df::keepdims)) == list{2, 1});
    CHECK(sizes(df::sum(x, {0}, df::keepdims)) == list{1, 3});
    CHECK(sizes(df::sum(x, 0_c)) == list{3});
    CHECK(sizes(df::all(x, 0, df::keepdims)) == list{1, 3});
}

TEST_CASE("an empty list of axes reduces none") {
    DF_NEAR(df::sum(x, {}), x);
    DF_NEAR(df::max(x, list{}), x);
    DF_NEAR(df::var(x, {}), num(df::zeros<double>({2, 3})));
    CHECK(sizes(df::sum(ints{1, 2}, {})) == list{2});
}

TEST_CASE("static sizes of reductions") {
    const df::tensor<double, 2, 3> s(x);
    STATIC_REQUIRE(std::is_same_v<decltype(df::sum(s)), df::scalar<double>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::mean(x)), df::scalar<double>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::max(s, 1_c)), df::tensor<double, 2>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::max(s, 1_c, df::keepdims)), df::tensor<double, 2, 1>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::argmax(s, 0_c)), df::tensor<std::int64_t, 3>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::any(s, df::keepdims)), df::tensor<bool, 1, 1>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::sum(s, 1, df::keepdims)), df::tensor<double, df::dyn, df::dyn>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::cumsum(s, 0)), df::tensor<double, 2, 3>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::sum(df::tensor<bool, 2>{})), df::scalar<std::int64_t>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::prod(df::tensor<std::uint8_t, 2>{})), df::scalar<std::int64_t>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::variance(df::tensor<bool, 2>{})), df::scalar<double>>);
    STATIC_REQUIRE(std::is_same_v<decltype(df::mean(df::tensor<float, 2>{})), df::scalar<float>>);
}

TEST_CASE("reductions of nothing") {
    const num none = df::zeros<double>({0, 2});
    DF_NEAR(df::sum(none, 0), {0, 0});
    DF_NEAR(df::prod(none, 0), {1, 1});
    DF_NEAR(df::mean(none, 0), {qnan, qnan});
    DF_NEAR(df::logsumexp(none, 0), {-inf, -inf});
    CHECK_FALSE(df::any(none).item());
    CHECK(df::all(none).item());
    CHECK(sizes(df::max(none, 1)) == list{0});
    CHECK(sizes(df::argmin(none, 1)) == list{0});
}

TEST_CASE("errors of reductions name the op, the operand, the line and the way out") {
    const num none = df::zeros<double>({0, 2});
    DF_THROWS_WITH(df::max(none, 0), df::shape_error, "max: a reduction without identity over an empty axis: double[0, 2]", "give a non-empty axis", "reduce_test.cpp");
    DF_THROWS_WITH(df::argmax(none), df::shape_error, "argmax: a reduction without identity", "double[0, 2]");
    DF_THROWS_WITH(df::sum(x, 2), df::shape_error, "sum: the axis is out of range: axis 2 of double[2, 3]", "reduce_test.cpp");
    DF_THROWS_WITH(df::all(x, -3), df::shape_error, "all: the axis is out of range");
    DF_THROWS_WITH(df::mean(x, {1, -1}), df::shape_error, "mean: an axis is repeated: axis -1 of double[2, 3]", "name each axis once");
    DF_THROWS_WITH(df::cumsum(x, 2), df::shape_error, "cumsum: the axis is out of range");
    DF_THROWS_WITH(df::cumsum(num(1.0), 0), df::shape_error, "cumsum: the axis is out of range");
    DF_THROWS_WITH(df::sum(num()), df::trace_error, "sum: an operand is empty");
}

TEST_CASE("NaN and infinities in extremes") {
    const num y{{3, qnan, 1, qnan}, {-inf, -inf, -inf, -inf}, {2, inf, inf, 0}};
    DF_NEAR(df::max(y, 1), {qnan, -inf, inf});
    DF_NEAR(df::argmax(y, 1), {1, 0, 1});
    DF_NEAR(df::argmin(y, 1), {1, 0, 3});
    CHECK(df::argmax(y).item() == 1);
    CHECK(df::argmax(num{{1, 5}, {7, 7}}, {0, 1}).item() == 2);
}

TEST_CASE("any and all ask for not zero") {
    const num y{{0, qnan}, {0, 0}};
    CHECK(df::any(y, 1).to_vector() == std::vector<bool>{true, false});
    CHECK(df::all(y, 1).to_vector() == std::vector<bool>{false, false});
    CHECK(df::all(df::tensor<std::uint8_t>{1, 2}).item());
}

TEST_CASE("extreme integers") {
    const std::int64_t most = INT64_MAX, least = INT64_MIN;
    CHECK(df::min(ints{most, most}).item() == most);
    CHECK(df::max(ints{least, least}).item() == least);
    CHECK(df::max(df::tensor<bool>{false, false}).item() == false);
    CHECK(df::sum(df::tensor<std::uint8_t>{255, 255}).item() == 510);
}

TEST_CASE("a reduction over any strides is that of the packed tensor") {
    std::vector<double> v(5 * 7 * 300);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<double>(k * 7919 % 1013) - 500;
    const num whole(v, {5, 7, 300});
    const auto check = [](const num& view) {
        const num packed(view.to_vector(), view.shape());
        for (const list& axes : {list{0}, list{1}, list{2}, list{0, 1}, list{1, 2}, list{0, 2}, list{0, 1, 2}, list{}}) {
            INFO(axes.size());
            DF_NEAR(df::sum(view, axes), df::sum(packed, axes), 1e-14, 0);
            DF_NEAR(df::max(view, axes), df::max(packed, axes), 0, 0);
            DF_NEAR(df::argmax(view, axes), df::argmax(packed, axes), 0, 0);
        }
        DF_NEAR(df::cumsum(view, 1), df::cumsum(packed, 1), 1e-14, 0);
    };
    check(whole(df::slice(df::none, df::none, -2), df::slice(1, 6), df::slice(df::none, df::none, 3)));
    check(df::broadcast_to(whole(df::slice(0, 1)), {3, 7, 300}));
    check(df::permute(whole, {2, 0, 1}));
}

TEST_CASE("running products and their derivative at zeros") {
    DF_NEAR(df::cumprod(x, 1), {1, 2, 6, 4, 0, 0});
    CHECK(df::cumprod(df::tensor<std::int32_t>{100000, 100000}, 0).to_vector() == list{100000, 10000000000});
    DF_NEAR(df::grad([](num v) { return df::sum(df::cumprod(v, 0)); })(num{2, 0, 3, 0}), {1, 8, 0, 0});
    const auto product = [](num v) { return df::prod(v); };
    DF_NEAR(df::hessian(product)(num{0, 5, 0}), {0, 0, 5, 0, 0, 0, 5, 0, 0});
    const auto third = [&](num v) { return df::jacobian(df::hessian(product))(v); };
    DF_NEAR(third(num{0, 0, 0})(0, 1, 2), {1});
    DF_NEAR(df::grad([](num m) { return df::sum(df::prod(m, {0, 2})); })(num{{{0, 2}}, {{3, 4}}}), {24, 0, 0, 0});
}

TEST_CASE("the derivative of logsumexp and of ties") {
    DF_NEAR(df::grad([](num v) { return df::logsumexp(v); })(num{-inf, -inf}), {0, 0});
    DF_NEAR(df::hessian([](num v) { return df::logsumexp(v); })(num{1000, 1000}), {0.25, -0.25, -0.25, 0.25});
    DF_NEAR(df::grad([](num v) { return df::sum(df::max(v, 1)); })(num{{2, 2, 1}, {3, 3, 3}}), {0.5, 0.5, 0, 1 / 3., 1 / 3., 1 / 3.});
    DF_NEAR(df::grad([](num v) { return df::variance(v); })(num{1, 2, 3, 6}), {-1, -0.5, 0, 1.5});
}
