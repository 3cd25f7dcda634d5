// Empty and odd shapes, reductions of nothing, NaN in comparisons, very large views.
#include "modes.hpp"

using namespace cases;

TEST_CASE("P50 broadcasting of empty and single sizes") {
    check_values([](const many& in) -> many { return {in[0] + in[1]}; },
                 {{{filled({1, 1}, 1), filled({0, 1}, 1)}, {filled({0, 1}, 0)}}});
    check_values([](const many& in) -> many { return {in[0] + in[1]}; },
                 {{{filled({3}, 1), filled({2, 3}, 1)}, {filled({2, 3}, 2)}}});
    DF_THROWS_WITH(df::ones<double>({2, 1}) + df::zeros<double>({0, 1}), df::shape_error, "add", "shapes_test.cpp");
    DF_THROWS_WITH(df::ones<double>({2}) + df::ones<double>({2, 3}), df::shape_error, "add", "[2]", "[2, 3]");
}

TEST_CASE("P50 reductions of nothing") {
    const numbers none = filled({0}, 0);
    check_values(
        [](const many& in) -> many {
            return {df::sum(in[0]), df::prod(in[0]), df::mean(in[0])};
        },
        {{{none}, {scalar(0), scalar(1), scalar(qnan)}}});
    DF_THROWS_WITH(df::max(make<double>(none)), df::shape_error, "max", "shapes_test.cpp");
    DF_THROWS_WITH(df::min(make<double>(none)), df::shape_error, "min");
    DF_THROWS_WITH(df::function([](num x) { return df::max(x); })(make<double>(none)), df::shape_error, "max");
}

TEST_CASE("P50 products of empty matrices") {
    check_values(
        [](const many& in) -> many {
            return {df::matmul(in[0], in[1]), df::matmul(in[1], in[2]), in[3] + df::matmul(in[0], in[1])};
        },
        {{{filled({2, 0}, 0), filled({0, 3}, 0), filled({3, 2}, 1), filled({2, 3}, 5)},
          {filled({2, 3}, 0), filled({0, 2}, 0), filled({2, 3}, 5)}}});
    CHECK(differs(numbers_of(df::grad([](num a) {
                      return df::sum(df::matmul(a, df::zeros<double>({0, 3})));
                  })(df::zeros<double>({2, 0}))),
                  filled({2, 0}, 0), 0) == "");
    DF_THROWS_WITH(df::expand_dims(num(1.0), -3), df::shape_error, "expand_dims", "-3");
    CHECK(numbers_of(df::expand_dims(num(1.0), -1)).shape == std::vector<std::int64_t>{1});
}

TEST_CASE("EM1 the product over an empty selection is one and constant") {
    const ints none(std::vector<std::int64_t>{});
    check_derivative([=](const num& x) -> num { return df::prod(df::take(x, none, 0)); },
                     {{filled({6}, 1), scalar(1), filled({6}, 0)}});
}

TEST_CASE("EM3 logsumexp and softmax of nothing") {
    check_values(
        [](const many& in) -> many {
            return {df::logsumexp(in[0]), df::softmax(in[0], -1), df::logsumexp(in[1], -1), df::softmax(in[1], -1)};
        },
        {{{filled({0}, 0), filled({2, 0}, 0)}, {scalar(-inf), filled({0}, 0), vec({-inf, -inf}), filled({2, 0}, 0)}}});
}

TEST_CASE("EM4 max refuses only an empty axis, sum none") {
    check_values(
        [](const many& in) -> many {
            return {df::max(in[0], -1), df::max(in[1], 0), df::cast<double>(df::argmax(in[0], -1)),
                    df::sum(in[0], -1), df::sum(in[1], 0), df::sum(in[0], 0)};
        },
        {{{filled({0, 2}, 0), filled({2, 0}, 0)},
          {filled({0}, 0), filled({0}, 0), filled({0}, 0), filled({0}, 0), filled({0}, 0), vec({0, 0})}}});
    const num none = df::zeros<double>({0, 2});
    DF_THROWS_WITH(df::max(none, 0), df::shape_error, "max", "[0, 2]");
    DF_THROWS_WITH(df::argmax(none, 0), df::shape_error, "argmax", "[0, 2]");
}

TEST_CASE("P52 the mean of integers is a double, division of integers by zero an error") {
    const df::tensor<std::int32_t> large{2147483647, 2147483647};
    const num mean = df::mean(large);
    CHECK(mean.item() == 2147483647.0);
    const ints a{1, 2}, zero{1, 0};
    DF_THROWS_WITH(a / zero, df::error, "divide", "shapes_test.cpp");
    DF_THROWS_WITH(a % zero, df::error, "shapes_test.cpp");
    const auto traced = df::function([](ints x, ints y) { return x / y; });
    DF_THROWS_WITH(traced(a, zero), df::error, "divide", "shapes_test.cpp");
    CHECK(traced(a, ints{1, 2}).to_vector() == std::vector<std::int64_t>{1, 1});
}

TEST_CASE("P53 NI3 NaN in max, arg-max, maximum, sort and topk") {
    check_values(
        [](const many& in) -> many {
            const num x = in[0];
            const auto top = df::topk(x, 2);
            return {df::max(x),
                    df::cast<double>(df::argmax(x)),
                    df::min(x),
                    df::cast<double>(df::argmin(x)),
                    df::maximum(num(qnan), num(1.0)),
                    df::maximum(num(1.0), num(qnan)),
                    df::sort(x),
                    df::cast<double>(df::argsort(x)),
                    std::get<0>(top),
                    df::cast<double>(std::get<1>(top))};
        },
        {{{vec({3, qnan, 1, 5})},
          {scalar(qnan), scalar(1), scalar(qnan), scalar(1), scalar(qnan), scalar(qnan), vec({1, 3, 5, qnan}),
           vec({2, 0, 3, 1}), vec({qnan, 5}), vec({1, 3})}}});
}

TEST_CASE("NI3 the index of the largest entry points at it, also among NaN") {
    const body<double> f = [](const many& in) -> many {
        const num x = in[0];
        return {df::max(x), df::cast<double>(df::argmax(x)), df::cast<double>(df::argmin(x)), x[df::argmax(x)]};
    };
    check_values(f, {{{vec({0, 1, qnan})}, {scalar(qnan), scalar(2), scalar(2), scalar(qnan)}},
                     {{vec({qnan, 5, qnan})}, {scalar(qnan), scalar(0), scalar(0), scalar(qnan)}},
                     {{vec({1, qnan, 2})}, {scalar(qnan), scalar(1), scalar(1), scalar(qnan)}}});
    check_values(f, {{{filled({4}, qnan)}, {scalar(qnan), scalar(0), scalar(0), scalar(qnan)}}});
}

TEST_CASE("P55 a broadcast of more than 2^32 entries is a view whose last entry can be read") {
    const df::tensor<bool> wide = df::broadcast_to(df::tensor<bool>(true), {65536, 65537});
    CHECK(static_cast<std::int64_t>(wide.size()) == 4295032832);
    CHECK(wide(65535, 65536).item());
    CHECK(wide[-1][df::slice(65530, 65537)].to_vector() == std::vector<bool>(7, true));
    if (df_test::long_runs()) {
        const ints total = df::sum(wide);
        CHECK(total.item() == 4295032832);
    }
}
