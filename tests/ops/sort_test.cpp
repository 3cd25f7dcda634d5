// Sorting: the order of NaN, zeros and equal elements, either direction, derivatives, lanes and errors.
#include <support/catch.hpp>
#include <support/near.hpp>

#include <limits>

#include <df/df.hpp>

using namespace df::literals;
using num = df::tensor<double>;
using list = std::vector<std::int64_t>;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity(), qnan = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("NaN is the greatest and equal elements keep their order, in both directions") {
    const num x{3, qnan, -inf, 3, qnan, inf, 3};
    DF_NEAR(df::sort(x), {-inf, 3, 3, 3, inf, qnan, qnan});
    CHECK(df::argsort(x).to_vector() == list{2, 0, 3, 6, 5, 1, 4});
    DF_NEAR(df::sort(x, 0, df::descending), {qnan, qnan, inf, 3, 3, 3, -inf});
    CHECK(df::argsort(x, 0, df::descending).to_vector() == list{1, 4, 5, 0, 3, 6, 2});
    CHECK(df::argsort(num{0.0, -0.0, 0.0}).to_vector() == list{0, 1, 2});
    CHECK(df::argsort(num{-qnan, 1}).to_vector() == list{1, 0});
}

TEST_CASE("every dtype sorts, 64 bits and all") {
    CHECK(df::sort(df::tensor<std::int64_t>{9007199254740993, INT64_MIN, 9007199254740992, INT64_MAX}).to_vector() == list{INT64_MIN, 9007199254740992, 9007199254740993, INT64_MAX});
    CHECK(df::sort(df::tensor<bool>{true, false, true}).to_vector() == std::vector<bool>{false, true, true});
    CHECK(df::sort(df::tensor<std::uint8_t>{200, 3}).to_vector() == std::vector<std::uint8_t>{3, 200});
    CHECK(df::sort(df::tensor<float>{2.5f, -1.f}).to_vector() == std::vector<float>{-1.f, 2.5f});
}

TEST_CASE("axes and strides of sort") {
    const num x{{3, 1, 2}, {0, 5, 4}};
    DF_NEAR(df::sort(x), {1, 2, 3, 0, 4, 5});
    DF_NEAR(df::sort(x, 0), {0, 1, 2, 3, 5, 4});
    DF_NEAR(df::sort(df::transpose(x), -2), {1, 0, 2, 4, 3, 5});
    DF_NEAR(df::sort(df::zeros<double>({2, 0})), num(df::zeros<double>({2, 0})));
    STATIC_REQUIRE(std::is_same_v<decltype(df::argsort(df::tensor<float, 2, 3>{})), df::tensor<std::int64_t, 2, 3>>);
}

TEST_CASE("topk") {
    const num x{{3, 1, qnan}, {0, 5, 5}};
    const auto [values, places] = df::topk(x, 2);
    DF_NEAR(values, {qnan, 3, 5, 5});
    CHECK(places.to_vector() == list{2, 0, 1, 2});
    const auto columns = df::topk(x, 1, 0);
    DF_NEAR(columns.first, {3, 5, qnan});
    CHECK(columns.second.to_vector() == list{0, 1, 0});
    CHECK(df::topk(x, 0).first.to_vector().empty());
    STATIC_REQUIRE(std::is_same_v<decltype(df::topk(df::tensor<float, 2, 3>{}, 2_c).first), df::tensor<float, 2, 2>>);
}

TEST_CASE("the derivative of sorting goes back to where an element came from") {
    const num w{1, 2, 3}, x{30, 10, 20};
    DF_NEAR(df::grad([&](num v) { return df::sum(df::sort(v) * w); })(x), {3, 1, 2});
    DF_NEAR(df::grad([](num v) { return df::sum(df::topk(v, 2).first); })(x), {1, 0, 1});
    DF_NEAR(df::jacfwd([](num v) { return df::sort(v, -1, df::descending); })(x), {1, 0, 0, 0, 0, 1, 0, 1, 0});
    DF_NEAR(df::hessian([&](num v) { return df::sum(df::sort(v) * df::sort(v) * w); })(x), {6, 0, 0, 0, 2, 0, 0, 0, 4});
}

TEST_CASE("sorting in lanes") {
    const num x{{3, 1, 2}, {0, 5, 4}};
    DF_NEAR(df::pfor(2, [&](df::index i) { return df::sort(x[i]); }), {1, 2, 3, 0, 4, 5});
    const auto per_lane = df::grad([](num v) { return df::sum(df::topk(v, 1).first); });
    DF_NEAR(df::pfor(2, [&](df::index i) { return per_lane(x[i]); }), {1, 0, 0, 0, 1, 0});
}

TEST_CASE("errors of sorting") {
    const num x{{3, 1, 2}, {0, 5, 4}};
    DF_THROWS_WITH(df::sort(x, 2), df::shape_error, "sort: the axis is out of range: axis 2 of double[2, 3]", "sort_test.cpp");
    DF_THROWS_WITH(df::argsort(num(1.0)), df::shape_error, "argsort: the axis is out of range");
    DF_THROWS_WITH(df::topk(x, 4), df::shape_error, "topk: k is not a count of elements of the axis: double[2, 3]", "take from 0 to all of them", "sort_test.cpp");
    DF_THROWS_WITH(df::topk(x, -1), df::shape_error, "topk: k is not a count");
}
