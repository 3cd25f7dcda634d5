// Infinities and NaN in logsumexp, overflow inside functions, accuracy of sums, means and variances in float.
#include "modes.hpp"

using namespace cases;
using narrow = df::tensor<float>;

namespace {
num logaddexp(const num& a, const num& b) { return df::logsumexp(df::stack({a, b})); }
double at(const narrow& t, std::size_t k = 0) { return static_cast<double>(t.to_vector().at(k)); }
}  // namespace

TEST_CASE("NI1 log-add-exp is associative in value and gradient at minus infinity") {
    check_derivative([](const num& x) -> num { return logaddexp(logaddexp(x[0], x[1]), x[2]); },
                     {{vec({-inf, -inf, 2}), scalar(2), vec({0, 0, 1})}});
    check_derivative([](const num& x) -> num { return df::logsumexp(x); },
                     {{vec({-inf, -inf, 2}), scalar(2), vec({0, 0, 1})}});
    check_values(
        [](const many& in) -> many {
            return {df::logsumexp(in[0]), logaddexp(logaddexp(in[0][0], in[0][1]), in[0][2])};
        },
        {{{filled({3}, -inf)}, {scalar(-inf), scalar(-inf)}}});
}

TEST_CASE("NI2 logsumexp of infinities") {
    check_values([](const many& in) -> many { return {df::logsumexp(in[0])}; },
                 {{{vec({-inf, -inf})}, {scalar(-inf)}},
                  {{vec({inf, -inf})}, {scalar(inf)}},
                  {{vec({inf, inf})}, {scalar(inf)}}});
}

TEST_CASE("NU1 softplus and sigmoid in float neither overflow nor lose their small values") {
    const double xs[] = {-30, 0, 20, 50, 100}, value[] = {9.3576230e-14, 0.69314718, 20, 50, 100},
                 slope_at[] = {9.3576230e-14, 0.5, 1, 1, 1};
    for (std::size_t k = 0; k < 5; ++k) {
        INFO("x " << xs[k]);
        check_derivative<float>([](const narrow& x) -> narrow { return df::softplus(x); },
                                {{scalar(xs[k]), scalar(value[k]), scalar(slope_at[k])}});
    }
    CHECK(at(df::sigmoid(narrow(100.f))) == 1);
    const double tiny = at(df::sigmoid(narrow(-100.f)));
    CHECK((tiny == 0 || std::abs(tiny - 3.7835e-44) < 1e-47));
    CHECK(at(df::function([](narrow x) { return df::sigmoid(x); })(narrow(-100.f))) == tiny);
}

TEST_CASE("NU2 the derivative of asinh in float where x^2 overflows") {
    check_derivative<float>([](const narrow& x) -> narrow { return df::asinh(x); },
                            {{scalar(1e22), scalar(std::asinh(1e22)), scalar(1e-22)},
                             {scalar(-1e22), scalar(-std::asinh(1e22)), scalar(1e-22)}});
    check_derivative<float>([](const narrow& x) -> narrow { return df::asinh(x); },
                            {{scalar(0.5), scalar(std::asinh(0.5)), scalar(0.894427191)}});
}

TEST_CASE("NU3 the distance of two close points far out is not rewritten into a cancelling form") {
    check_values<float>(
        [](const list<float>& in) -> list<float> {
            const narrow d = df::expand_dims(in[0], 1) - df::expand_dims(in[1], 0), s = df::square(d);
            return {s, df::sqrt(s), df::sum(df::square(df::expand_dims(in[0], -1) - df::expand_dims(in[1], -1)), 1)};
        },
        {{{vec({4097}), vec({4097.25})}, {mat({{0.0625}}), mat({{0.25}}), vec({0.0625})}}}, 1e-7);
    // Over several coordinates, as a sum of squares of differences: the form a rewrite would look for.
    check_values<float>(
        [](const list<float>& in) -> list<float> {
            return {df::sum(df::square(df::expand_dims(in[0], 1) - df::expand_dims(in[1], 0)), -1)};
        },
        {{{mat({{4097, 4097}}), mat({{4097.25, 4097}})}, {mat({{0.0625}})}}}, 1e-7);
}

TEST_CASE("PR1 running sums: exact in int32, to the last place in float") {
    std::vector<std::int32_t> whole(5794);
    std::vector<float> real(5794);
    for (std::size_t k = 0; k < whole.size(); ++k) {
        whole[k] = static_cast<std::int32_t>(k);
        real[k] = static_cast<float>(k);
    }
    const auto sums = df::cumsum(df::tensor<std::int32_t>(whole), 0).to_vector();
    CHECK(static_cast<std::int64_t>(sums.back()) == 16782321);
    CHECK(static_cast<std::int64_t>(sums[5792]) == 16782321 - 5793);
    const std::vector<float> prefix = df::cumsum(narrow(real), 0).to_vector();
    CHECK(prefix[5792] == static_cast<float>(16782321 - 5793));
    CHECK((prefix.back() == 16782320.f || prefix.back() == 16782322.f));
}

TEST_CASE("PR1 a million times 0.1 in float") {
    const narrow tenths(std::vector<float>(1'000'000, 0.1f));
    const double right = 1e6 * static_cast<double>(0.1f);
    CHECK(std::abs(at(df::sum(tenths)) - right) < 0.01);
    CHECK(std::abs(at(df::function([](narrow x) { return df::sum(x); })(tenths)) - right) < 0.01);
    const std::vector<float> running = df::cumsum(tenths, 0).to_vector();
    CHECK(std::abs(static_cast<double>(running.back()) - right) < 1);
}

TEST_CASE("PR2 the variance of data with a large mean, in float") {
    const numbers x = vec({2000.25, 1999.5, 2000.75, 1999.5});
    check_values<float>(
        [](const list<float>& in) -> list<float> {
            const narrow m = df::mean(in[0]), v = df::variance(in[0]);
            return {m, v, (in[0] - m) / df::sqrt(v + 1e-5f)};
        },
        {{{x}, {scalar(2000), scalar(0.28125), vec({0.47139614, -0.94279228, 1.41418842, -0.94279228})}}});
    check_derivative<float>([](const narrow& v) -> narrow { return df::variance(v); },
                            {{x, scalar(0.28125), vec({0.125, -0.25, 0.375, -0.25})}});
}

TEST_CASE("PR3 the mean of numbers whose sum overflows is finite or infinite, their variance never NaN") {
    const narrow x{3e38f, 3e38f, 3e38f};
    const double mean = at(df::mean(x)), variance = at(df::variance(x));
    CHECK((std::isinf(mean) || std::abs(mean / 3e38 - 1) < 1e-6));
    CHECK_FALSE(std::isnan(variance));
    CHECK(at(df::function([](narrow v) { return df::mean(v); })(x)) == mean);
}

TEST_CASE("PR4 a sum of ones goes on when one no longer changes the total") {
    // Exact is 16777216 + 1000; left to right it would stay at 16777216.
    std::vector<float> v(1001, 1.f);
    v[0] = 16777216.f;
    const narrow x(v), columns = df::broadcast_to(df::expand_dims(x, 1), {1001, 4});
    const double least = 16777216 + 500, most = 16777216 + 1000;
    const auto right = [&](const narrow& t) {
        for (float s : t.to_vector()) {
            CHECK(static_cast<double>(s) >= least);
            CHECK(static_cast<double>(s) <= most);
        }
    };
    right(df::sum(x));
    right(df::sum(columns, 0));
    right(df::function([](narrow t) { return df::sum(t, 0); })(columns));
}
