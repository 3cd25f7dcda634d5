// Elementwise work in the body of pfor: ranks that differ, invariant parts, results of another type, clip, constants.
#include "modes.hpp"

using namespace cases;

TEST_CASE("B10 a lane's vector plus an invariant matrix") {
    check_lanes_in_both([]<class T>(const list<T>& in, const df::index& i) -> list<T> { return {in[0][i] + in[1]}; },
                        {mat({{1, 2}, {3, 4}}), mat({{10, 20}, {30, 40}})}, 2,
                        {cube({{{11, 22}, {31, 42}}, {{13, 24}, {33, 44}}})});
}

TEST_CASE("B11 both vary, of different ranks") {
    check_lanes_in_both([]<class T>(const list<T>& in, const df::index& i) -> list<T> { return {in[0][i] * in[1][i]}; },
                        {vec({1, 2}), cube({{{1, 1}}, {{2, 2}}})}, 2, {cube({{{1, 1}}, {{4, 4}}})});
}

TEST_CASE("B13 what no lane changes is computed once and never stacked before it is needed") {
    const std::int64_t n = 1013;  // a number that nothing else in the text has
    const auto text = graph_text(
        [n](const many& in) -> many { return {df::pfor(n, [&](df::index i) { return df::exp(in[0]) + in[1][i]; })}; },
        {wave({2, 3}), wave({n})});
    INFO(text);
    CHECK(count(text, "exp") == 1);
    CHECK(lines_with(text, "exp").find("1013") == std::string::npos);
    check_lanes([](const many& in, const df::index& i) -> many { return {df::exp(in[0]) + in[1][i]}; },
                {vec({0}), vec({1, 2})}, 2, {mat({{2}, {3}})});
}

TEST_CASE("B13 a constant result is stacked") {
    check_lanes(
        [](const many&, const df::index&) -> many {
            return {num{7, 8}};
        },
        {scalar(0)}, 3, {mat({{7, 8}, {7, 8}, {7, 8}})});
    check_lanes(
        [](const many&, const df::index&) -> many {
            return {df::full<double>({1, 1}, 3)};
        },
        {scalar(0)}, 1, {cube({{{3}}})});
    check_lanes([](const many& in, const df::index&) -> many { return {in[0]}; }, {vec({4, 5})}, 2,
                {mat({{4, 5}, {4, 5}})});
}

TEST_CASE("B14 a body may return other types than it was given") {
    const num x{0.5, 2.5};
    const auto both = [](const num& rows, std::int64_t n) {
        return df::pfor(n, [&](df::index i) { return std::tuple{df::cast<std::int64_t>(rows[i]), rows[i] > 1}; });
    };
    const auto right = [](const auto& result) {
        const ints whole = std::get<0>(result);
        const df::tensor<bool> large = std::get<1>(result);
        CHECK(whole.to_vector() == std::vector<std::int64_t>{0, 2});
        CHECK(differs(numbers_of(large), vec({0, 1}), 0) == "");
    };
    right(both(x, 2));
    right(df::function([&](num rows) { return both(rows, 2); })(x));
    df::host_mode scope;
    right(both(x, 2));
}

TEST_CASE("BC1 a parameter per lane reaches every lane") {
    check_lanes(
        [](const many& in, const df::index& b) -> many {
            const num d = df::expand_dims(in[1], 1) - df::expand_dims(in[2], 0);
            return {df::sum(df::exp(-in[0][b] * d * d), 1)};
        },
        {vec({1, 2, 0}), vec({0, 1}), vec({0, 2, 1})}, 3,
        {mat({{1 + std::exp(-4.0) + std::exp(-1.0), 1 + 2 * std::exp(-1.0)},
              {1 + std::exp(-8.0) + std::exp(-2.0), 1 + 2 * std::exp(-2.0)},
              {3, 3}})});
}

TEST_CASE("BC2 broadcasting happens inside a lane, also when the lanes are as many as the rows") {
    check_lanes([](const many& in, const df::index& i) -> many { return {in[0][i] + in[1]}; },
                {mat({{1, 2, 3}, {10, 20, 30}}), mat({{0, 0, 0}, {100, 100, 100}})}, 2,
                {cube({{{1, 2, 3}, {101, 102, 103}}, {{10, 20, 30}, {110, 120, 130}}})});
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            return {in[0][i] + 1, df::cast<double>(i) + 1};
        },
        {vec({0, 1, 2})}, 3, {vec({1, 2, 3}), vec({1, 2, 3})});
    const auto add = df::map([](num a, num b) { return a + b; });
    DF_THROWS_WITH(add(make<double>(counted({10})), make<double>(counted({1}))), df::shape_error, "map", "10", "1");
}

TEST_CASE("BC3 the derivative of clip is one inside and zero outside, applied once") {
    const num x{0.1, -0.2, 0.3, 5}, w{1, -2, 3, 4};
    check_derivative(
        [w](const num& v) -> num {
            const num c = df::clip(v, -1, 1);
            return df::stack({df::mean(c), -df::sum(c), df::sum(w * c)});
        },
        {{vec({0.1, -0.2, 0.3, 5}), vec({0.3, -1.2, 1 * 0.1 + 2 * 0.2 + 3 * 0.3 + 4}),
          mat({{0.25, 0.25, 0.25, 0}, {-1, -1, -1, 0}, {1, -2, 3, 0}})}});
    CHECK(differs(numbers_of(df::grad([&](num v) { return df::sum(w * df::clip(v, -1, 1)); })(x)), vec({1, -2, 3, 0}),
                  0) == "");
}

TEST_CASE("BC4 the gradient of a broadcast operand has the operand's own shape") {
    check_derivative([](const num& v) -> num { return df::sum(num{1, 1} * v); }, {{scalar(3), scalar(6), scalar(2)}});
    check_derivative(
        [](const num& m) -> num {
            return df::sum(df::reshape(num{1, 2, 3, 4}, {2, 2}) * m);
        },
        {{mat({{5}, {6}}), scalar(57), mat({{3}, {7}})}});
    check_derivative(
        [](const num& r) -> num {
            return df::sum(df::reshape(num{1, 2, 3, 4}, {2, 2}) + r);
        },
        {{mat({{1, 1}}), scalar(14), mat({{2, 2}})}});
}
