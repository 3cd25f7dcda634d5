// pfor and map as a whole: axes, sizes that do not match, staging, a run-time n, no lanes and one.
#include "modes.hpp"

using namespace cases;

TEST_CASE("F38 map with an argument that is not mapped") {
    const auto add = [](num a, num b) { return a + b; };
    const num b{-2, 6, 9};
    const auto mapped = df::map(add, df::in_axes(df::none, 0));
    const numbers want = vec({-2 + 3.1, 6 + 3.1, 9 + 3.1});
    CHECK(differs(numbers_of(mapped(num(3.1), b)), want, 1e-15) == "");
    CHECK(differs(numbers_of(df::function(mapped)(num(3.1), b)), want, 1e-15) == "");
    CHECK(differs(numbers_of(df::map([](num a) { return a + 1; })(num{3.1})), vec({4.1}), 1e-15) == "");
    DF_THROWS_WITH(df::map(add)(num{1, 2}, num{1, 2, 3}), df::shape_error, "map", "2", "3", "pfor_loop_test.cpp");
}

TEST_CASE("F46 ten calls of one shape are one trace, and a new n at run time is none") {
    const auto f = df::function([](num x, ints n) { return df::pfor(n, [&](df::index i) { return df::tanh(x[i]); }); });
    const num x{0.1, 0.2, 0.3, 0.4};
    for (int k = 0; k < 10; ++k)
        CHECK(differs(numbers_of(f(x, ints(4))), vec({std::tanh(0.1), std::tanh(0.2), std::tanh(0.3), std::tanh(0.4)}),
                      1e-15) == "");
    CHECK(f.traces() == 1);
    for (std::int64_t n : {2, 3, 1, 0, 4}) CHECK(numbers_of(f(x, ints(n))).shape == std::vector<std::int64_t>{n});
    CHECK(f.traces() == 1);
}

TEST_CASE("F46 a number of the loop around is data, not part of the key") {
    const auto f = df::function([](num x, num k) { return df::pfor(x.dim(0), [&](df::index i) { return x[i] + k; }); });
    for (int k = 0; k < 3; ++k)
        CHECK(f(num{1, 2}, static_cast<double>(k)).to_vector() == std::vector<double>{1.0 + k, 2.0 + k});
    CHECK(f.traces() == 1);
    for (int k = 0; k < 3; ++k)  // and a host number captured by an eager pfor
        CHECK(num(df::pfor(2, [&](df::index i) { return df::cast<double>(i) + k; })).to_vector() ==
              std::vector<double>{0.0 + k, 1.0 + k});
}

TEST_CASE("The body of pfor is traced once, however many lanes") {
    int runs = 0;
    const auto f = df::function([&](num x) {
        return df::pfor(8, [&](df::index i) {
            ++runs;
            return x[i] * 2;
        });
    });
    f(make<double>(counted({8})));
    f(make<double>(counted({8})));
    CHECK(runs == 1);
}

TEST_CASE("P28 map along each axis of its argument") {
    const num x = make<double>(mat({{1, 2, 3}, {4, 5, 6}}));
    const auto total = [](num rest) { return df::sum(rest); };
    const auto check = [&](auto axes, const numbers& want) {
        const auto mapped = df::map(total, axes);
        CHECK(differs(numbers_of(mapped(x)), want, 0) == "");
        CHECK(differs(numbers_of(df::function(mapped)(x)), want, 0) == "");
        df::host_mode scope;
        CHECK(differs(numbers_of(mapped(x)), want, 0) == "");
    };
    check(df::in_axes(1), vec({5, 7, 9}));
    check(df::in_axes(-1), vec({5, 7, 9}));
    check(df::in_axes(0), vec({6, 15}));
    check(df::in_axes(-2), vec({6, 15}));
    DF_THROWS_WITH(df::map(total, df::in_axes(2))(x), df::error, "map", "2", "3");
    DF_THROWS_WITH(df::map(total, df::in_axes(-3))(x), df::error, "map", "-3");
    DF_THROWS_WITH(df::map(total, df::in_axes(df::none))(x), df::error, "map", "none");
}

TEST_CASE("P28 the result of map along another axis; a result that does not depend on the argument is repeated") {
    const num x = make<double>(mat({{1, 2, 3}, {4, 5, 6}}));
    const auto twice = df::map([](num r) { return 2 * r; }, df::in_axes(0), df::out_axes(-1));
    CHECK(differs(numbers_of(twice(x)), mat({{2, 8}, {4, 10}, {6, 12}}), 0) == "");
    CHECK(differs(numbers_of(df::function(twice)(x)), mat({{2, 8}, {4, 10}, {6, 12}}), 0) == "");
    CHECK(differs(numbers_of(df::map([](num) { return num(7.0); })(num{1, 2, 3})), vec({7, 7, 7}), 0) == "");
}

TEST_CASE("P28 one mapped object called with one argument, then with two") {
    const auto mapped = df::map([](auto... x) { return (x + ...); });
    const num a{1, 2, 3}, b{10, 20, 30};
    CHECK(differs(numbers_of(mapped(a)), vec({1, 2, 3}), 0) == "");
    CHECK(differs(numbers_of(mapped(a, b)), vec({11, 22, 33}), 0) == "");
    CHECK(differs(numbers_of(mapped(b)), vec({10, 20, 30}), 0) == "");
}

TEST_CASE("P32 no lanes: a result of no rows, of the right type, and a gradient of zeros") {
    const num x = make<double>(mat({{1, 2}, {3, 4}}));
    const auto rows = [](num a, std::int64_t n) { return df::pfor(n, [&](df::index i) { return df::exp(a[i]); }); };
    const num none = rows(x, 0);
    CHECK(numbers_of(none).shape == std::vector<std::int64_t>{0, 2});
    CHECK(numbers_of(rows(x, 1)).shape == std::vector<std::int64_t>{1, 2});
    const auto total = [&](num a) { return df::sum(rows(a, 0)); };
    CHECK(differs(numbers_of(df::grad(total)(x)), filled({2, 2}, 0), 0) == "");
    CHECK(differs(numbers_of(df::function(df::grad(total))(x)), filled({2, 2}, 0), 0) == "");
    const ints counts = df::pfor(0, [](df::index i) { return i + 1; });
    CHECK(numbers_of(counts).shape == std::vector<std::int64_t>{0});
}

TEST_CASE("EM2 map over an empty vector, and its gradient") {
    const num empty(std::vector<double>{});
    const auto squares = df::map([](num x) { return x * x; });
    const num result = squares(empty);
    CHECK(numbers_of(result).shape == std::vector<std::int64_t>{0});
    CHECK(numbers_of(df::function(squares)(empty)).shape == std::vector<std::int64_t>{0});
    CHECK(numbers_of(df::grad([&](num x) { return df::sum(squares(x)); })(empty)).shape ==
          std::vector<std::int64_t>{0});
}

TEST_CASE("ER1 unequal mapped lengths are named with their argument and shape before anything runs") {
    int runs = 0;
    const auto f = df::map(
        [&](num a, num b) {
            ++runs;
            return df::sum(a) + df::sum(b);
        },
        df::in_axes(0, 0));
    DF_THROWS_WITH(f(df::ones<double>({10, 4}), df::ones<double>({2, 10})), df::shape_error, "map", "10", "2",
                   "argument");
    CHECK(runs == 0);
    const auto crossed = df::map([](num a, num b) { return df::sum(a) + df::sum(b); }, df::in_axes(0, 1));
    CHECK(numbers_of(crossed(df::ones<double>({10, 4}), df::ones<double>({2, 10}))).shape ==
          std::vector<std::int64_t>{10});
    DF_THROWS_WITH(crossed(df::ones<double>({10, 4}), df::ones<double>({10, 2})), df::shape_error, "map", "10", "2");
}
