// Integers and bool, conversions between types, and constants that have to survive being traced.
#include "modes.hpp"

#include <cmath>

using namespace cases;
using small = df::tensor<std::int32_t>;
using flags = df::tensor<bool>;

TEST_CASE("IB1 conversion to bool is not-zero; any, all, a running or, and counts") {
    check_values(
        [](const many& in) -> many {
            const flags a = df::cast<bool>(df::cast<std::int64_t>(in[0])), b = df::cast<bool>(in[1]);
            const ints sum = df::sum(b);
            return {df::cast<double>(a),          df::cast<double>(b),
                    df::cast<double>(df::any(a)), df::cast<double>(df::all(a)),
                    df::cast<double>(df::all(b)), df::cast<double>(df::cumsum(df::cast<std::int64_t>(a), 0) > 0),
                    df::cast<double>(sum),        df::cast<double>(df::cumsum(df::cast<std::int64_t>(b), 0))};
        },
        {{{vec({-1, 0, 1}), vec({0.5, -0.5, 3})},
          {vec({1, 0, 1}), vec({1, 1, 1}), scalar(1), scalar(0), scalar(1), vec({1, 1, 1}), scalar(3),
           vec({1, 2, 3})}}});
}

TEST_CASE("IB2 the mean of integers and of bool is a double and does not overflow") {
    check_values(
        [](const many& in) -> many {
            const num whole = df::mean(df::cast<std::int64_t>(in[0])), share = df::mean(in[0] > 1.5);
            const num large = df::mean(df::cast<std::int32_t>(in[1]));
            return {whole, share, large};
        },
        {{{vec({1, 2, 3, 4}), vec({2000000000, 2000000000})}, {scalar(2.5), scalar(0.75), scalar(2e9)}}});
    const num quarter = df::mean(flags{true, false, false, false});
    CHECK(quarter.item() == 0.25);
}

TEST_CASE("IB3 quotient and remainder: as C++ by / and %, as NumPy by floor_divide and remainder") {
    check_values(
        [](const many& in) -> many {
            const small a = df::cast<std::int32_t>(in[0]), b = df::cast<std::int32_t>(in[1]);
            const small q = a / b, r = a % b, fq = df::floor_divide(a, b), fr = df::remainder(a, b);
            return {df::cast<double>(q),
                    df::cast<double>(r),
                    df::cast<double>(fq),
                    df::cast<double>(fr),
                    df::cast<double>(q * b + r - a),
                    df::cast<double>(fq * b + fr - a)};
        },
        {{{vec({-7, 7, -7, 7, -1, 1, -5, 5, 120}), vec({2, 2, -2, -2, 3, -3, 3, -3, -27})},
          {vec({-3, 3, 3, -3, 0, 0, -1, -1, -4}), vec({-1, 1, -1, 1, -1, 1, -2, 2, 12}),
           vec({-4, 3, 3, -4, -1, -1, -2, -2, -5}), vec({1, 1, -1, -1, 2, -2, 1, -1, -15}), filled({9}, 0),
           filled({9}, 0)}}});
}

TEST_CASE("IB4 a predicate that is neither 0 nor 1 selects the first, in value and derivative") {
    for (double p : {4294967295.0, -1.0, 2.0}) {
        const ints pred(static_cast<std::int64_t>(p));
        check_derivative([=](const num& ab) -> num { return df::where(df::cast<bool>(pred), ab[0], ab[1]); },
                         {{vec({3, 5}), scalar(3), vec({1, 0})}});
    }
}

TEST_CASE("CO2 64-bit integers keep all their bits") {
    const std::int64_t a = 4294967296, b = -4294967297;
    const ints x{a, b};
    CHECK(x.to_vector() == std::vector<std::int64_t>{a, b});
    CHECK((x + a).to_vector() == std::vector<std::int64_t>{a + a, a + b});
    const auto f = df::function([=](ints v) {
        return std::tuple{v + b, v * 2, df::max(v), df::cast<std::int64_t>(df::cast<double>(v))};
    });
    const auto r = f(x);
    CHECK(std::get<0>(r).to_vector() == std::vector<std::int64_t>{a + b, b + b});
    CHECK(std::get<1>(r).to_vector() == std::vector<std::int64_t>{2 * a, 2 * b});
    CHECK(std::get<2>(r).item() == a);
    CHECK(std::get<3>(r).to_vector() == std::vector<std::int64_t>{a, b});
    const ints lanes = df::pfor(2, [&](df::index i) { return i * a + x[i]; });
    CHECK(lanes.to_vector() == std::vector<std::int64_t>{a, a + b});
    DF_THROWS_WITH(df::take(num{1, 2, 3}, ints(a), 0), df::error, "take", "4294967296");
}

TEST_CASE("CO3 special constants survive tracing; 0.0 and -0.0 are different constants") {
    const std::vector<double> special{qnan, -inf, inf, 1, -0.0, 5e-324};
    const num constant(special);
    const auto same = [&](const num& got) {
        const std::vector<double> v = got.to_vector();
        REQUIRE(v.size() == special.size());
        for (std::size_t k = 0; k < v.size(); ++k) {
            INFO("entry " << k);
            if (std::isnan(special[k])) CHECK(std::isnan(v[k]));
            else CHECK((v[k] == special[k] && std::signbit(v[k]) == std::signbit(special[k])));
        }
    };
    same(constant);
    same(df::function([=](num) { return constant; })(num(1.0)));
    same(df::function([=](num x) { return constant * x; })(num(1.0)));
    same(df::function([](num x) {
        return df::stack({num(qnan), num(-inf), num(inf), num(1.0), num(-0.0), x * 5e-324});
    })(num(1.0)));
    check_values(
        [](const many& in) -> many {
            return {in[0] / num(0.0), in[0] / num(-0.0), in[0] / 0.0, in[0] / -0.0};
        },
        {{{scalar(1)}, {scalar(inf), scalar(-inf), scalar(inf), scalar(-inf)}}});
    const auto positive = df::function([](num x) { return x / 0.0; });
    const auto negative = df::function([](num x) { return x / -0.0; });
    CHECK(positive(num(1.0)).item() == inf);
    CHECK(negative(num(1.0)).item() == -inf);
    const auto payload = df::function([](num x) { return std::tuple{x + std::nan("1"), x + std::nan("2")}; });
    CHECK(std::isnan(std::get<0>(payload(num(1.0))).item()));
    CHECK(std::isnan(std::get<1>(payload(num(1.0))).item()));
}

TEST_CASE("CO4 a floating number becomes an integer by truncation; what does not fit is the same in every mode") {
    check_values<float>(
        [](const list<float>& in) -> list<float> {
            return {df::cast<float>(df::cast<std::int32_t>(in[0])), df::cast<float>(df::cast<std::int64_t>(in[1]))};
        },
        {{{vec({-20, -0.5, 10, 0.9}), vec({3e9, -3e9})}, {vec({-20, 0, 10, 0}), vec({3e9, -3e9})}}});
    check_agree([](const many& in) -> many { return {df::cast<double>(df::cast<std::int32_t>(in[0]))}; },
                {{vec({3e9, qnan, inf, -inf, -3e9})}});
}

TEST_CASE("B14 integer results of a loop of lanes are exact") {
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            const ints k = df::cast<std::int64_t>(in[0][i]);
            return {df::cast<double>(k * k + i), df::cast<double>((k >= 2) & (k < 4)), df::cast<double>(k % 2 == 0)};
        },
        {vec({1, 2, 3, 4})}, 4, {vec({1, 5, 11, 19}), vec({0, 1, 1, 0}), vec({0, 1, 0, 1})});
}
