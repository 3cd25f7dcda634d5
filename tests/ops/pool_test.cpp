// Pooling: forms, ties, NaN, padding, derivatives to second order, lanes, errors.
#include <support/catch.hpp>
#include <support/near.hpp>

#include <cmath>
#include <limits>

#include <df/df.hpp>

namespace {
using num = df::tensor<double>;

num wave(const df::shape& s) {
    std::vector<double> v;
    for (std::int64_t i = 0; i < s.elements(); ++i) v.push_back(std::sin(0.3 + 1.7 * static_cast<double>(i)));
    return num(v, s);
}
num row(const std::vector<double>& v) { return num(v, {1, 1, static_cast<std::int64_t>(v.size())}); }
}  // namespace

TEST_CASE("pooling: the stride is the window unless given; one number serves all axes") {
    const num x = wave({2, 3, 4, 6});
    CHECK(df::max_pool(x, 2).shape() == std::vector<std::int64_t>{2, 3, 2, 3});
    CHECK(df::avg_pool(x, {3, 2}, {1, 2}).shape() == std::vector<std::int64_t>{2, 3, 2, 3});
    DF_NEAR(df::max_pool(x, 2), df::max_pool(x, {2, 2}, {2, 2}), 0.0, 0.0);
    const df::tensor<std::int64_t> i(std::vector<std::int64_t>{3, -1, 4, 1}, {1, 1, 4});
    CHECK(df::max_pool(i, 2).to_vector() == std::vector<std::int64_t>{3, 4});
    const auto known = df::zeros<float>({2, 3, 8}).as<2, 3, 8>();
    static_assert(std::is_same_v<decltype(df::max_pool(known, 2)), df::tensor<float, 2, 3, df::dyn>>);
}

TEST_CASE("pooling: padding never wins and never counts") {
    DF_NEAR(df::max_pool(row({-1, -2, -3}), 2, 2, {{1, 0}}), {-1, -2}, 0.0, 0.0);
    DF_NEAR(df::avg_pool(row({2, 4, 6}), 2, 2, {{1, 0}}), {2, 5}, 0.0, 0.0);
    DF_NEAR(df::grad([](num x) { return df::sum(df::avg_pool(x, 2, 2, {{1, 0}})); })(row({2, 4, 6})), {1, 0.5, 0.5}, 0.0, 0.0);
}

TEST_CASE("max_pool: ties in a window share the derivative in both modes; NaN wins") {
    const auto pool = [](num x) { return df::max_pool(x, 3); };
    DF_NEAR(df::grad([&](num x) { return df::sum(pool(x)); })(row({2, 2, 1, 0, 5, 5})), {0.5, 0.5, 0, 0, 0.5, 0.5}, 0.0, 0.0);
    DF_NEAR(std::get<1>(df::jvp(pool)(row({2, 2, 1, 0, 5, 5}), row({1, 0, 7, 7, 1, 3}))), {0.5, 2}, 0.0, 0.0);
    CHECK(std::isnan(pool(row({1, std::numeric_limits<double>::quiet_NaN(), 2})).item()));
}

TEST_CASE("pooling: derivatives to second order, windows apart and overlapping") {
    const num x = wave({2, 2, 5, 4});
    for (std::int64_t stride : {1, 2, 3}) {
        const auto most = [=](num a) { return df::sum(df::sin(df::max_pool(a, {3, 2}, stride, {{1, 0}, {0, 1}}))); };
        const auto mean = [=](num a) { return df::sum(df::sin(df::avg_pool(a, {3, 2}, stride, {{1, 0}, {0, 1}}))); };
        CHECK_NOTHROW(df::check_grad(most, x));
        CHECK_NOTHROW(df::check_grad(mean, x));
        CHECK_NOTHROW(df::check_grad([&](num a) { return df::sum(df::square(df::grad(most)(a))); }, x));
        CHECK_NOTHROW(df::check_grad([&](num a) { return df::sum(df::square(df::grad(mean)(a))); }, x));
    }
}

TEST_CASE("pooling: lanes fold into the images") {
    const num x = wave({3, 1, 2, 6});
    const auto every = [](num a) { return df::pfor(3, [&](df::index i) { return df::grad([](num b) { return df::sum(df::square(df::max_pool(b, 2))); })(a[i]); }); };
    CHECK(df::print(df::function(every).graph(x)).find("loop") == std::string::npos);
    DF_NEAR(every(x)[1], df::grad([](num b) { return df::sum(df::square(df::max_pool(b, 2))); })(x[1]), 1e-14, 1e-14);
}

TEST_CASE("pooling: what does not fit") {
    const num x = wave({1, 2, 5});
    DF_THROWS_WITH(df::max_pool(x[0], 2), df::shape_error, "max_pool", "rank is too small", "double[2, 5]", "expand_dims", "pool_test.cpp");
    DF_THROWS_WITH(df::max_pool(x, {2, 2}), df::shape_error, "max_pool: 2 numbers for window and 1 spatial axes", "one per spatial axis");
    DF_THROWS_WITH(df::avg_pool(x, 6), df::shape_error, "avg_pool: the window does not fit", "pad the input");
    DF_THROWS_WITH(df::avg_pool(x, 0), df::shape_error, "avg_pool: the window is 0", "give 1 or more");
    DF_THROWS_WITH(df::max_pool(x, 2, 0), df::shape_error, "max_pool: the stride is 0", "give 1 or more");
    DF_THROWS_WITH(df::max_pool(x, 2, 1, 2), df::shape_error, "a padding is not smaller than the window", "make the padding smaller");
}
