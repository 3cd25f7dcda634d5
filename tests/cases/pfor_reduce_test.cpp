// Reductions, arg-max, top-k and sort in the body of pfor: nothing may ever reduce the axis of the lanes.
#include "modes.hpp"

using namespace cases;

TEST_CASE("C22 sums along the first axis, the last and all, with and without keepdims") {
    const std::vector<std::int64_t> no_axis;
    const numbers x = cube({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
    check_lanes_in_both(
        []<class T>(const list<T>& in, const df::index& i) -> list<T> {
            const auto own = in[0][i];
            return {df::sum(own, 0),
                    df::sum(own, -1),
                    df::sum(own),
                    df::sum(own, {0, 1}),
                    df::sum(own, 0, df::keepdims),
                    df::sum(own, -1, df::keepdims)};
        },
        {x}, 2,
        {mat({{4, 6}, {12, 14}}), mat({{3, 7}, {11, 15}}), vec({10, 26}), vec({10, 26}), cube({{{4, 6}}, {{12, 14}}}),
         cube({{{3}, {7}}, {{11}, {15}}})});
    check_lanes([no_axis](const many& in, const df::index& i) -> many { return {df::sum(in[0][i], no_axis)}; }, {x}, 2,
                {x});
}

TEST_CASE("C22 every reduction along each axis of a lane") {
    for (int axis : {0, 1, -1, -2}) {
        INFO("axis " << axis);
        check_agree(
            [axis](const many& in) -> many {
                const num x = in[0];
                const auto positive = x > 0;
                return {df::sum(x, axis),
                        df::prod(x, axis),
                        df::max(x, axis),
                        df::min(x, axis),
                        df::mean(x, axis),
                        df::variance(x, axis),
                        df::logsumexp(x, axis),
                        df::cumsum(x, axis),
                        df::cast<double>(df::argmax(x, axis)),
                        df::cast<double>(df::argmin(x, axis)),
                        df::cast<double>(df::any(positive, axis)),
                        df::cast<double>(df::all(positive, axis))};
            },
            {{wave({2, 3})}, {wave({2, 3}, 1.3)}, {wave({2, 3}, 2.9)}});
    }
}

TEST_CASE("C23 arg-max and top-k of each lane") {
    check_lanes([](const many& in, const df::index& i) -> many { return {df::cast<double>(df::argmax(in[0][i]))}; },
                {mat({{1, 9, 3}, {7, 2, 5}})}, 2, {vec({1, 0})});
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            const auto top = df::topk(in[0][i], 2);
            const ints at = std::get<1>(top);
            return {std::get<0>(top), df::cast<double>(at)};
        },
        {mat({{3, 1, 2}, {9, 7, 8}})}, 2, {mat({{3, 2}, {9, 8}}), mat({{0, 2}, {0, 2}})});
}

TEST_CASE("C23 sort and argsort of each lane, either axis") {
    for (int axis : {0, -1}) {
        INFO("axis " << axis);
        check_agree(
            [axis](const many& in) -> many {
                return {df::sort(in[0], axis), df::cast<double>(df::argsort(in[0], axis))};
            },
            {{mat({{3, 1, 2}, {9, 7, 8}})}, {mat({{1, 2, 0}, {-1, 7, 6}})}, {mat({{4, 4, 4}, {4, 4, 3}})}});
    }
    check_values(
        [](const many& in) -> many {
            return {df::sort(in[0]), df::cast<double>(df::argsort(in[0]))};
        },
        {{{vec({3, 1, 2})}, {vec({1, 2, 3}), vec({1, 2, 0})}}});
}

TEST_CASE("P38 product, sort and convolution in a loop of 1, 5, 6 and 40 lanes equal the loop") {
    for (std::int64_t n : {1, 5, 6, 40}) {
        INFO("n " << n);
        check_lanes_agree(
            [](const many& in, const df::index& i) -> many {
                const num a = in[0][i];
                return {df::matmul(a, a), df::matmul(a, in[1]), df::sort(a, -1),
                        df::conv(df::reshape(a, {1, 1, 5, 5}), in[2])};
            },
            {wave({n, 5, 5}), wave({5, 5}, 0.3), wave({2, 1, 3, 3}, 0.2)}, n);
    }
}

TEST_CASE("P37 the sum of the positive entries of each row, by a mask") {
    check_lanes(
        [](const many& in, const df::index& i) -> many { return {df::sum(df::where(in[0][i] > 0, in[0][i], 0))}; },
        {mat({{1, -2, 3}, {-4, 5, -6}})}, 2, {vec({4, 5})});
}
