// Ops that move or add axes in the body of pfor, each along axis -1, and with one lane.
#include "modes.hpp"

using namespace cases;

TEST_CASE("D26 concatenate and stack with an invariant member") {
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            return {df::concatenate({in[0][i], in[1]}), df::stack({in[0][i], in[0][0]}),
                    df::stack({in[1], in[2][i]}, -1)};
        },
        {mat({{1}, {2}}), vec({9, 9}), mat({{3, 4}, {5, 6}})}, 2,
        {mat({{1, 9, 9}, {2, 9, 9}}), cube({{{1}, {1}}, {{2}, {1}}}), cube({{{9, 3}, {9, 4}}, {{9, 5}, {9, 6}}})});
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            return {df::concatenate({in[0][i], in[1]}, -1), df::concatenate({in[1], in[0][i]}, 0)};
        },
        {cube({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}), mat({{0, 0}, {9, 9}})}, 2,
        {cube({{{1, 2, 0, 0}, {3, 4, 9, 9}}, {{5, 6, 0, 0}, {7, 8, 9, 9}}}),
         cube({{{0, 0}, {9, 9}, {1, 2}, {3, 4}}, {{0, 0}, {9, 9}, {5, 6}, {7, 8}}})});
}

TEST_CASE("D28 squeeze never takes the axis of the lanes") {
    for (std::int64_t n : {1, 3}) {
        INFO("n " << n);
        check_lanes(
            [](const many& in, const df::index& i) -> many {
                return {df::squeeze(in[0][i]), df::squeeze(in[0][i], 0), df::squeeze(in[0][i], -1)};
            },
            {counted({n, 1, 2, 1})}, n, {counted({n, 2}), counted({n, 2, 1}), counted({n, 1, 2})});
        check_lanes([](const many& in, const df::index& i) -> many { return {df::squeeze(in[0][i])}; },
                    {counted({n, 1, 1})}, n, {counted({n})});
    }
}

TEST_CASE("D28 every op that takes an axis, along each axis of a lane") {
    const ints backwards{1, 0};
    for (int axis : {0, 1, -1, -2}) {
        INFO("axis " << axis);
        check_agree(
            [=](const many& in) -> many {
                const num x = in[0];
                return {df::flip(x, axis),
                        df::roll(x, 1, axis),
                        df::take(x, backwards, axis),
                        df::concatenate({x, x * 2}, axis),
                        df::stack({x, x * 2}, axis),
                        df::expand_dims(x, axis),
                        df::moveaxis(x, axis, 0),
                        df::moveaxis(x, 0, axis),
                        df::softmax(x, axis),
                        df::log_softmax(x, axis),
                        df::norm(x, axis),
                        df::sum(x, axis, df::keepdims),
                        df::squeeze(df::expand_dims(x, axis), axis)};
            },
            {{wave({2, 3})}, {wave({2, 3}, 1.3)}, {wave({2, 3}, 2.9)}});
    }
}

TEST_CASE("D28 roll along axis -1 stays inside a lane") {
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            const num x = in[0][i];
            return {df::roll(x, 1, -1), df::roll(x, -1, 0), df::flip(x, -1)};
        },
        {mat({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})}, 3,
        {mat({{3, 1, 2}, {6, 4, 5}, {9, 7, 8}}), mat({{2, 3, 1}, {5, 6, 4}, {8, 9, 7}}),
         mat({{3, 2, 1}, {6, 5, 4}, {9, 8, 7}})});
}

TEST_CASE("D28 ops on the matrix of a lane") {
    check_agree(
        [](const many& in) -> many {
            const num x = in[0];
            return {df::transpose(x),
                    df::tril(x),
                    df::triu(x),
                    df::diagonal(x),
                    df::reshape(x, {9}),
                    df::reshape(x, {1, 3, 3}),
                    df::broadcast_to(x, {2, 3, 3}),
                    df::pad(x, {{1, 0}, {0, 2}}, 7),
                    x[df::slice(0, 2)],
                    x[df::slice(0, 3, 2)],
                    x(df::all, 1),
                    x(df::none, df::all, df::slice(1, 3)),
                    x[-1],
                    x[ints{2, 0}],
                    df::layer_norm(x)};
        },
        {{wave({3, 3})}, {wave({3, 3}, 1.3)}, {wave({3, 3}, 2.9)}});
    check_values(
        [](const many& in) -> many {
            const num x = in[0];
            return {df::transpose(x),
                    df::diagonal(x),
                    x(df::all, 1),
                    x(df::none, 1, df::slice(0, 2)),
                    x[-1],
                    df::pad(x, {{1, 0}, {0, 1}}, 7)};
        },
        {{{mat({{1, 2}, {3, 4}})},
          {mat({{1, 3}, {2, 4}}), vec({1, 4}), vec({2, 4}), mat({{3, 4}}), vec({3, 4}),
           mat({{7, 7, 7}, {1, 2, 7}, {3, 4, 7}})}}});
}

TEST_CASE("ER3 writing into zeros made in the body") {
    check_lanes(
        [](const many& in, const df::index& i) -> many {
            const num m = df::zeros<double>({5, 6});
            const num put = df::reshape(m(0, 1) + in[0][i](0, 0), {1, 1});
            return {df::dynamic_update_slice(m, put, {0, 0})};
        },
        {filled({10, 5, 6}, 1)}, 10, {[] {
            numbers want = filled({10, 5, 6}, 0);
            for (std::size_t lane = 0; lane < 10; ++lane) want.v[lane * 30] = 1;
            return want;
        }()});
}
