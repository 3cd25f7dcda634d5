// Convolution and pooling: batched over images and over filters, and their gradients in the operands' own order.
#include "modes.hpp"

using namespace cases;

namespace {
const numbers nine = of({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}  // namespace

TEST_CASE("C20 convolution of a lane's image, or with a lane's filter, or both") {
    const numbers images = stacked({nine, filled({1, 1, 3, 3}, 1)});
    const numbers filters = stacked({filled({1, 1, 2, 2}, 1), filled({1, 1, 2, 2}, 2)});
    check_lanes_in_both(
        []<class T>(const list<T>& in, const df::index& i) -> list<T> {
            return {df::reshape(df::conv(in[0][i], in[1]), {2, 2}), df::reshape(df::conv(in[2], in[3][i]), {2, 2}),
                    df::reshape(df::conv(in[0][i], in[3][i]), {2, 2})};
        },
        {images, row(filters, 0), nine, filters}, 2,
        {cube({{{12, 16}, {24, 28}}, {{4, 4}, {4, 4}}}), cube({{{12, 16}, {24, 28}}, {{24, 32}, {48, 56}}}),
         cube({{{12, 16}, {24, 28}}, {{8, 8}, {8, 8}}})});
}

TEST_CASE("C20 a convolution of every lane's image with one filter is one convolution") {
    const std::string text = graph_text(
        [](const many& in) -> many { return {df::pfor(2, [&](df::index i) { return df::conv(in[0][i], in[1]); })}; },
        {stacked({nine, nine}), filled({1, 1, 2, 2}, 1)});
    INFO(text);
    CHECK(count(text, "conv") == 1);
    CHECK(count(text, "loop") == 0);
}

TEST_CASE("CV1 the kernel gradient of a convolution of many channels is in the kernel's order") {
    // Image and kernel come channel last; the layout of conv is made by moving axes.
    const numbers image = counted({3, 3, 2}), kernel = counted({2, 2, 2, 1});
    const auto convolve = [](const num& x, const num& k) -> num {
        return df::conv(df::reshape(df::moveaxis(x, -1, 0), {1, 2, 3, 3}), df::moveaxis(df::moveaxis(k, 3, 0), -1, 1));
    };
    check_values(
        [&](const many& in) -> many {
            return {df::reshape(convolve(in[0], in[1]), {2, 2})};
        },
        {{{image, kernel}, {mat({{184, 240}, {352, 408}})}}});
    const num x = make<double>(image), k = make<double>(kernel);
    check_derivative([&](const num& w) -> num { return df::sum(convolve(x, w)); },
                     {{kernel, scalar(1184), of({2, 2, 2, 1}, {16, 20, 24, 28, 40, 44, 48, 52})}});
    check_derivative(
        [&](const num& y) -> num { return df::sum(convolve(y, k)); },
        {{image, scalar(1184), of({3, 3, 2}, {0, 1, 2, 4, 2, 3, 4, 6, 12, 16, 8, 10, 4, 5, 10, 12, 6, 7})}});
}

TEST_CASE("CV2 padding never wins in max pooling") {
    check_values(
        [](const many& in) -> many {
            const auto pool = [](const num& x) {
                return df::reshape(df::max_pool(df::pad(x, {{0, 0}, {0, 0}, {0, 1}, {0, 1}}, -inf), {2, 2}, {2, 2}),
                                   {2, 2});
            };
            return {pool(in[0]), pool(-in[0])};
        },
        {{{of({1, 1, 3, 3}, {1, -1, 0, -1, 2, 1, 0, 2, -2})}, {mat({{2, 1}, {2, -2}}), mat({{1, 0}, {0, 2}})}}});
}

TEST_CASE("CV3 average pooling divides by the cells of the window; cells no window covers have gradient zero") {
    check_values(
        [](const many& in) -> many {
            return {df::reshape(df::avg_pool(in[0], {2, 2}, {3, 3}), {2, 2}),
                    df::reshape(df::avg_pool(in[1], {2}, {3}), {2})};
        },
        {{{counted({1, 1, 7, 7}), counted({1, 1, 7})}, {mat({{4, 7}, {25, 28}}), vec({0.5, 3.5})}}});
    const double third = 1.0 / 3;
    check_derivative(
        [](const num& x) -> num {
            return df::sum(df::avg_pool(df::reshape(x, {1, 1, 6}), {3}, {2}));
        },
        {{counted({6}), scalar(4), vec({third, third, 2 * third, third, third, 0})}});
}

TEST_CASE("CV4 a convolution vectorized over its kernels, and over both operands") {
    const auto conv = [](const num& x, const num& k, std::int64_t n) -> num {
        return df::reshape(df::conv(df::reshape(x, {1, 1, n}), df::reshape(k, {1, 1, 2})), {n - 1});
    };
    check_lanes([&](const many& in, const df::index& i) -> many { return {conv(in[0], in[1][i], 4)}; },
                {vec({1, 2, 3, 4}), mat({{1, 0}, {1, 1}, {-1, 1}})}, 3, {mat({{1, 2, 3}, {3, 5, 7}, {1, 1, 1}})});
    check_lanes([&](const many& in, const df::index& i) -> many { return {conv(in[0][i], in[1][i], 3)}; },
                {mat({{1, 2, 3}, {0, 1, 0}}), mat({{1, 1}, {2, -1}})}, 2, {mat({{3, 5}, {-1, 2}})});
}

TEST_CASE("G56 per-example gradients of a convolution layer equal the separate runs, without a loop") {
    const auto loss = [](num kernel, num image) { return df::sum(df::square(df::tanh(df::conv(image, kernel)))); };
    const body<double> gradient = [loss](const many& in) -> many { return {df::grad(loss)(in[0], in[1])}; };
    const numbers kernel = wave({2, 2, 3, 3}, 0.3), images = wave({3, 1, 2, 5, 5}, 0.9);
    check_agree(gradient, {{kernel, row(images, 0)}, {kernel, row(images, 1)}, {kernel, row(images, 2)}}, 1e-11);
    const std::string text = graph_text(
        [&](const many& in) -> many { return df::pfor(3, [&](df::index i) {
                                          return gradient({in[0], in[1][i]});
                                      }); },
        {kernel, images});
    INFO(text);
    CHECK(count(text, "loop") == 0);
}

TEST_CASE("The jacobian of a convolution layer with respect to image and kernel equals central differences") {
    const num kernel = make<double>(wave({2, 1, 2, 2}, 0.3)), image = make<double>(wave({1, 1, 3, 4}, 0.9));
    CHECK(differs(numbers_of(df::jacfwd([&](num k) { return df::tanh(df::conv(image, k)); })(kernel)),
                  numbers_of(df::jacrev([&](num k) { return df::tanh(df::conv(image, k)); })(kernel)), 1e-12) == "");
    CHECK_NOTHROW(df::check_grad([&](num k) { return df::sum(df::tanh(df::conv(image, k))); }, kernel));
    CHECK_NOTHROW(df::check_grad([&](num x) { return df::sum(df::tanh(df::conv(x, kernel))); }, image));
}
