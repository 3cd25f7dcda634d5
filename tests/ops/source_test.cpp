// Tensors made from nothing.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/near.hpp>

namespace {

using num = df::tensor<double>;

TEST_CASE("filled tensors: values, sizes, dtypes") {
    const num x{{1, 2, 3}, {4, 5, 6}};
    const int n = 2;
    CHECK(df::zeros<double>({2, 3}).shape() == df::shape{2, 3});
    CHECK(df::ones<float>({n, x.dim(1)}).to_vector() == std::vector<float>(6, 1));
    CHECK(df::full<std::int64_t>({n}, 9007199254740993).to_vector() == std::vector<std::int64_t>(2, 9007199254740993));
    CHECK(df::full<double>({2, 3}, x[0]).to_vector() == std::vector<double>{1, 2, 3, 1, 2, 3});
    CHECK(df::ones<bool>(n).to_vector() == std::vector<bool>(2, true));
    CHECK(df::zeros<double>({}).item() == 0);
    CHECK(df::zeros<double>({0, 2}).shape() == df::shape{0, 2});
    static_assert(std::is_same_v<decltype(df::zeros<double, 2, 3>()), df::tensor<double, 2, 3>>);
    static_assert(std::is_same_v<decltype(df::full<float, 4>(2)), df::tensor<float, 4>>);
    static_assert(std::is_same_v<decltype(df::ones_like(df::zeros<float, 4>())), df::tensor<float, 4>>);
    CHECK(df::full<float, 2>(2).to_vector() == std::vector<float>(2, 2));
    CHECK(df::full_like(x, 2).to_vector() == std::vector<double>(6, 2));
    CHECK(df::zeros_like(x).shape() == df::shape{2, 3});
    DF_THROWS_WITH(df::zeros<double>({2, -3}), df::shape_error, "full: a size is negative", "[2, -3]", "source_test.cpp");
    DF_THROWS_WITH(df::full<double>({2}, x[0]), df::shape_error, "broadcast_to: the sizes do not broadcast");
    DF_THROWS_WITH(df::zeros_like(num()), df::trace_error, "zeros_like: an operand is empty");
}

TEST_CASE("filled tensors are views of one number") {
    const num large = df::zeros<double>({1 << 20, 1 << 20});
    CHECK(large(5, df::slice(-2, df::none)).to_vector() == std::vector<double>{0, 0});
    const auto f = df::function([](num x) { return x + df::ones<double>({1 << 20, 1 << 20})[7][df::slice(0, 3)]; });
    DF_NEAR(f(num{1, 2, 3}), {2, 3, 4});
    CHECK(df::ones_like(large)[-1][-1].item() == 1);
}

TEST_CASE("counts") {
    DF_NEAR(df::arange<double>(3), {0, 1, 2});
    DF_NEAR(df::arange<float>(2.5), {0, 1, 2});
    DF_NEAR(df::arange<double>(1, 2, 0.3), {1, 1.3, 1.6, 1.9});
    DF_NEAR(df::arange<double>(3, 0), std::vector<double>{});
    CHECK(df::arange<std::int64_t>(5, 0, -2).to_vector() == std::vector<std::int64_t>{5, 3, 1});
    CHECK(df::arange<std::int32_t>(2, 5).to_vector() == std::vector<std::int32_t>{2, 3, 4});
    CHECK(df::iota<std::int64_t>(df::size<3>).to_vector() == std::vector<std::int64_t>{0, 1, 2});
    CHECK(df::arange<std::uint8_t>(2).to_vector() == std::vector<std::uint8_t>{0, 1});
    const auto line = df::linspace<float>(0, 0.7, 8).to_vector();
    CHECK(line.back() == 0.7f);
    DF_NEAR(df::linspace<double>(0, 1, 4, false), {0, 0.25, 0.5, 0.75});
    DF_NEAR(df::linspace<double>(2, 1, 1), {2});
    DF_NEAR(df::linspace<double>(2, 1, 0), std::vector<double>{});
    DF_THROWS_WITH(df::arange<double>(-1), df::shape_error, "arange: a size is negative", "source_test.cpp");
    DF_THROWS_WITH(df::arange<double>(0, 1, 0), df::shape_error, "arange: a step of 0", "source_test.cpp");
    DF_THROWS_WITH(df::arange<std::int64_t>(0, 1, 0), df::shape_error, "arange: a step of 0");
    DF_THROWS_WITH(df::arange<double>(0, std::numeric_limits<double>::infinity()), df::shape_error, "arange: a step");
    DF_THROWS_WITH(df::linspace<double>(0, 1, -2), df::shape_error, "linspace: the count -2 is negative");
}

TEST_CASE("bands of matrices") {
    DF_NEAR(df::eye<double>(2), {1, 0, 0, 1});
    DF_NEAR(df::eye<double>(2, 3, 1), {0, 1, 0, 0, 0, 1});
    DF_NEAR(df::eye<float>(2, 2, -1), {0, 0, 1, 0});
    CHECK(df::eye<bool>(0).shape() == df::shape{0, 0});
    const num x{{1, 2, 3}, {4, 5, 6}};
    DF_NEAR(df::tril(x), {1, 0, 0, 4, 5, 0});
    DF_NEAR(df::triu(x, 1), {0, 2, 3, 0, 0, 6});
    DF_NEAR(df::tril(num{{1, std::numeric_limits<double>::quiet_NaN()}, {2, 3}}), {1, 0, 2, 3});
    DF_NEAR(df::grad([](num t) { return df::full<double>({}, 1) * df::tril(t)[1][0] * df::triu(t)[0][1]; })(num{{1, 2}, {3, 4}}), {0, 3, 2, 0});
    DF_THROWS_WITH(df::triu(num{1, 2}), df::shape_error, "triu: the rank is too small", "double[2]", "source_test.cpp");
    DF_THROWS_WITH(df::eye<double>(-1), df::shape_error, "iota: a size is negative", "source_test.cpp");
}

TEST_CASE("a size known only when the program runs makes sources of that size") {
    const auto f = df::function([](df::tensor<std::int64_t> n) {
        const num rows = df::pfor(n, [](df::index i) { return df::cast<double>(i) * 2; });
        return std::tuple(rows + df::arange<double>(rows.dim(0)), df::ones<double>({rows.dim(0), 2}), df::ones_like(rows));
    });
    for (std::int64_t n : {3, 1, 0}) {
        const auto [sum, pairs, ones] = f(df::tensor<std::int64_t>(n));
        CHECK(sum.shape() == df::shape{n});
        CHECK(pairs.shape() == df::shape{n, 2});
        CHECK(ones.to_vector() == std::vector<double>(static_cast<std::size_t>(n), 1));
        if (n == 3) DF_NEAR(sum, {0, 3, 6});
    }
}

}  // namespace
