// Indexing in the body of pfor: rows, prefixes, windows, writes at a place of the lane's own, segment sums.
#include "modes.hpp"

using namespace cases;

TEST_CASE("A1 the row of every index is the matrix itself") {
    const numbers x = mat({{1, 2}, {3, 4}, {5, 6}});
    check_lanes_in_both([]<class T>(const list<T>& in, const df::index& i) -> list<T> { return {in[0][i]}; }, {x}, 3,
                        {x});
}

TEST_CASE("A1 the row of every index leaves no gather and no copy in the graph") {
    const std::string text =
        graph_text([](const many& in) -> many { return {df::pfor(3, [&](df::index i) { return in[0][i]; })}; },
                   {mat({{1, 2}, {3, 4}, {5, 6}})});
    INFO(text);
    for (const char* op : {"gather", "dynamic_slice", "slice", "broadcast_to", "concatenate", "iota", "loop"}) {
        INFO(op);
        CHECK(count(text, op) == 0);
    }
}

TEST_CASE("A2 fewer lanes than rows take the first rows") {
    check_lanes_in_both([]<class T>(const list<T>& in, const df::index& i) -> list<T> { return {in[0][i]}; },
                        {mat({{1, 2}, {3, 4}, {5, 6}})}, 2, {mat({{1, 2}, {3, 4}})});
    check_lanes_in_both(
        []<class T>(const list<T>& in, const df::index& i) -> list<T> { return {df::tanh(3 * in[0][i] + in[1][i])}; },
        {vec({0, 1}), vec({1, 1, 5, 7})}, 2, {vec({std::tanh(1.0), std::tanh(4.0)})});
}

TEST_CASE("A4 a stacked value indexed by the lane again") {
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            const num own = in[0][i];
            const ints both = df::stack({ints(i), ints(0)});
            return {own[i], own[both]};
        },
        {cube({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})}, 2,
        {mat({{1, 2}, {7, 8}}), cube({{{1, 2}, {1, 2}}, {{7, 8}, {5, 6}}})});
}

TEST_CASE("A5 a window of fixed size that starts at the lane's index") {
    const numbers v = vec({10, 11, 12, 13}), windows = mat({{10, 11}, {11, 12}, {12, 13}});
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            return {df::dynamic_slice(in[0], {i}, {2}), df::dynamic_slice(in[1][i], {i}, {2})};
        },
        {v, stacked({v, v, v})}, 3, {windows, windows});
    const numbers m = counted({3, 4});
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            return {df::dynamic_slice(in[0], {0, i}, {3, 2})};
        },
        {m}, 3, {cube({{{0, 1}, {4, 5}, {8, 9}}, {{1, 2}, {5, 6}, {9, 10}}, {{2, 3}, {6, 7}, {10, 11}}})});
}

TEST_CASE("A7 a write at the lane's index leaves the invariant base alone") {
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            const num put = df::reshape(df::cast<double>(i + 1), {1});
            return {df::dynamic_update_slice(in[0], put, {i}), in[0] + 0};
        },
        {filled({4}, 0)}, 3, {mat({{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}}), filled({3, 4}, 0)});
}

TEST_CASE("A7 of two writes at one place in one lane the last wins") {
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            num t = in[0];
            for (double x : {1.0, 2.0}) t = df::dynamic_update_slice(t, df::reshape(df::cast<double>(i) + x, {1}), {i});
            return {t};
        },
        {filled({3}, 0)}, 3, {diagonal({2, 3, 4})});
}

TEST_CASE("A8 segment sums by the lane's own ids; a negative id is dropped, never another lane's segment") {
    const numbers data = mat({{1, 2, 4}, {1, 2, 4}}), ids = mat({{0, 0, 1}, {1, -1, 0}}), sums = mat({{3, 4}, {4, 1}});
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            const ints id = df::cast<std::int64_t>(in[1][i]);
            const auto kept = id >= 0;
            const num by_scatter =
                df::scatter_add(df::zeros<double>({2}), df::where(kept, id, 0), df::where(kept, in[0][i], 0));
            return {by_scatter, df::matmul(in[0][i], df::one_hot<double>(id, 2))};
        },
        {data, ids}, 2, {sums, sums});
}

TEST_CASE("IX1 an index of a narrow type counts past 127 lanes") {
    const std::int64_t n = 300;
    const df::tensor<std::uint8_t> zero(std::uint8_t{0});
    check_lanes(
        [zero](const many& in, const df::index& i) -> many {
            const ints at = df::cast<std::int64_t>(zero);
            return {df::take(in[0][i], at, 0), df::dynamic_slice(in[0][i], {at}, {1})};
        },
        {counted({n, 1})}, n, {counted({n}), counted({n, 1})});
}

TEST_CASE("IX2 a window of a window is the same op by op, traced and in lanes") {
    const num buffer = make<double>(counted({10}));
    const auto window = [](const num& b, const ints& i, const ints& j) -> num {
        return df::dynamic_slice(df::dynamic_slice(b, {i}, {4}), {j}, {1});
    };
    const auto traced = df::function(window);
    const auto looped = [&](const num& b, const ints& i, const ints& j) -> num {
        return df::pfor(1, [&](df::index k) { return window(b, i + k, j)[0]; });
    };
    struct {
        std::int64_t i, j;
        double clamped;
        bool inside;
    } const tries[] = {{9, 0, 6, false}, {3, 5, 6, false}, {6, 0, 6, true}, {0, 9, 3, false}, {2, 3, 5, true}};
    for (const auto& t : tries) {
        INFO("starts " << t.i << " and " << t.j);
        const ints i(t.i), j(t.j);
        const std::string plain = outcome([&] { return window(buffer, i, j); });
        CHECK(plain == outcome([&] { return traced(buffer, i, j); }));
        CHECK(plain == outcome([&] { return looped(buffer, i, j); }));
        const std::string right = outcome([&] { return num(t.clamped); });
        CHECK((plain == right || (!t.inside && plain == "error")));
    }
}

TEST_CASE("IX3 scatter-add with the lane's own indices and invariant updates; a repeated index adds up") {
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            return {df::scatter_add(in[0], df::cast<std::int64_t>(in[1][i]), in[2])};
        },
        {filled({4}, 0), mat({{0, 1}, {3, 3}, {2, 0}}), vec({10, 20})}, 3,
        {mat({{10, 20, 0, 0}, {0, 0, 0, 30}, {20, 0, 10, 0}})});
}

TEST_CASE("IX4 the sum over the columns that the lane's own mask selects") {
    check_lanes(
        [](const many& in, const df::index& i) -> many { return {df::sum(df::where(in[1][i] > 0, in[0], 0), 1)}; },
        {mat({{1, 2, 3}, {4, 5, 6}}), mat({{1, 0, 1}, {0, 1, 1}, {0, 0, 0}})}, 3, {mat({{4, 10}, {5, 11}, {0, 0}})});
}

TEST_CASE("PC1 an update at a start that differs per lane stays one write") {
    const std::int64_t n = 100;
    numbers want = filled({n, 32}, 1);
    for (std::size_t lane = 0; lane < 100; ++lane)
        for (std::size_t k = 0; k < 2; ++k) want.v[lane * 32 + 1 + lane % 3 + k] = 5;
    const lane_body<double> write = [](const many& in, const df::index& i) -> many {
        return {df::dynamic_update_slice(in[0], in[1], {i % 3 + 1})};
    };
    check_lanes(write, {filled({32}, 1), vec({5, 5})}, n, {want});
    const std::string text =
        graph_text([&](const many& in) -> many { return df::pfor(n, [&](df::index i) { return write(in, i); }); },
                   {filled({32}, 1), vec({5, 5})});
    INFO(text);
    CHECK(count(text, "loop") == 0);
}
