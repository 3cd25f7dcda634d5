// Jacobians and hessians: per-example gradients in a struct, values that do not depend, banded ones, blocks, NaN rows.
#include "modes.hpp"

#include <tuple>

using namespace cases;

namespace p22 {
struct net {
    num w1, b1, w2, b2;
};
}  // namespace p22
BOOST_HANA_ADAPT_STRUCT(p22::net, w1, b1, w2, b2);

namespace {

const auto net_loss = [](const p22::net& p, num x, num y) {
    const num out = df::dot(p.w2, df::tanh(df::matmul(p.w1, x) + p.b1)) + p.b2;
    return df::square(out - y);
};

void check_net(const p22::net& got, const std::vector<numbers>& want) {  // zeros only up to rounding
    const numbers parts[] = {numbers_of(got.w1), numbers_of(got.b1), numbers_of(got.w2), numbers_of(got.b2)};
    for (std::size_t k = 0; k < 4; ++k) CHECK(differs(parts[k], want[k], 1e-12) == "");
}

}  // namespace

TEST_CASE("P22 per-example gradients of a small net come back in the parameters' own type") {
    const p22::net p{make<double>(mat({{0.1, -0.2}, {0.3, 0.4}})), num{0, 0.1}, num{0.5, -0.6}, num(0.2)};
    const num xs = make<double>(mat({{1, 2}, {-1, 0.5}})), ys{1, -1};
    const std::vector<numbers> gradients{
        cube({{{-1.3231499255759926, -2.6462998511519853}, {0.5292154535759835, 1.058430907151967}},
              {{-1.0584084963029228, 0.5292042481514614}, {1.3215748078650575, -0.6607874039325288}}}),
        mat({{-1.3231499255759926, 0.5292154535759835}, {1.0584084963029228, -1.3215748078650575}}),
        mat({{0.8423881398371346, -2.410677477221573}, {-0.4347437515058862, 0}}),
        vec({-2.8916981408661773, 2.202624679775096})};
    const numbers losses = vec({2.0904795344722267, 1.212888869988586});

    const auto mapped = df::map(df::grad(net_loss), df::in_axes(df::none, 0, 0));
    check_net(mapped(p, xs, ys), gradients);
    check_net(df::function(mapped)(p, xs, ys), gradients);
    check_net(df::pfor(2, [&](df::index i) { return df::grad(net_loss)(p, xs[i], ys[i]); }), gradients);
    const auto per_example = df::function([](const p22::net& q, num x, num y) {
        return df::pfor(x.dim(0), [&](df::index i) { return df::value_and_grad(net_loss)(q, x[i], y[i]); });
    });
    const auto both = per_example(p, xs, ys);
    CHECK(differs(numbers_of(std::get<0>(both)), losses, 1e-12) == "");
    check_net(std::get<1>(both), gradients);
    for (std::int64_t i = 0; i < 2; ++i) {
        const p22::net one = df::grad(net_loss)(p, xs[i], ys[i]);
        check_net(one, {row(gradients[0], i), row(gradients[1], i), row(gradients[2], i), row(gradients[3], i)});
    }
    df::host_mode scope;
    check_net(mapped(p, xs, ys), gradients);
}

TEST_CASE("P23 an output independent of the input has a jacobian of zeros; so has an unused argument") {
    const num c{1, 2, 3};
    check_derivative([=](const num&) -> num { return c; },
                     {{vec({5, 6}), vec({1, 2, 3}), filled({3, 2}, 0), filled({3, 2, 2}, 0)}});
    const auto second = [](num x, num) { return df::sum(x); };
    check_values(
        [&](const many& in) -> many {
            return {df::grad<1>(second)(in[0], in[1]), df::jacobian<1>(second)(in[0], in[1])};
        },
        {{{vec({1, 2}), mat({{1, 2, 3}})}, {filled({1, 3}, 0), filled({1, 3}, 0)}}});
    const df::tensor<float> narrow = df::jacobian([](df::tensor<float>) {
        return df::tensor<float>{1, 2};
    })(df::tensor<float>(3.f));
    CHECK(differs(numbers_of(narrow), vec({0, 0}), 0) == "");
}

TEST_CASE("P25 a banded jacobian: the band right, everything else exactly zero") {
    const map_fn<double> f = [](const num& x) -> num {
        const std::int64_t n = static_cast<std::int64_t>(x.dim(0));
        return df::square(x[df::slice(0, n - 1)]) + x[df::slice(1, n)];
    };
    numbers want = filled({5, 6}, 0);
    for (std::size_t i = 0; i < 5; ++i) {
        want.v[i * 6 + i] = 2 * static_cast<double>(i + 1);
        want.v[i * 6 + i + 1] = 1;
    }
    check_derivative(f, {{counted({6}, 1), vec({3, 7, 13, 21, 31}), want}}, 0);
    const std::size_t n = 300;
    const numbers large = numbers_of(df::jacobian(f)(make<double>(counted({300}, 1))));
    REQUIRE(large.v.size() == (n - 1) * n);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i + 1 < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            wrong += large.v[i * n + j] != (j == i ? 2 * static_cast<double>(i + 1) : j == i + 1 ? 1 : 0);
    CHECK(wrong == 0);
}

TEST_CASE("P26 the hessian of sum x_i^2 x_(i+1) is tridiagonal") {
    numbers first = filled({6}, 0), second = filled({6, 6}, 0);
    double value = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        const double a = static_cast<double>(i + 1), b = a + 1;
        value += a * a * b;
        first.v[i] += 2 * a * b;
        first.v[i + 1] += a * a;
        second.v[i * 6 + i] = 2 * b;
        second.v[i * 6 + i + 1] = second.v[(i + 1) * 6 + i] = 2 * a;
    }
    check_derivative([](const num& x) -> num { return df::sum(df::square(x[df::slice(0, 5)]) * x[df::slice(1, 6)]); },
                     {{counted({6}, 1), scalar(value), first, second}});
}

TEST_CASE("JS1 an output that is NaN leaves the rows of the others finite, in either mode") {
    const double t = 1.0 / 3;
    check_derivative(
        [](const num& x) -> num {
            return df::stack({df::mean(x), df::mean(x * x), df::mean(df::sqrt(x))});
        },
        {{vec({-1, -2, -3}), vec({-2, 14.0 / 3, qnan}), mat({{t, t, t}, {-2 * t, -4 * t, -2}, {qnan, qnan, qnan}})}});
}

TEST_CASE("JS2 all four second-order blocks of a function of two arguments, by each nesting of modes") {
    const auto f = [](num x, num u) { return df::square(df::sum(x)) + df::square(df::sum(u)); };
    const auto blocks = [&](auto outer, auto inner) {
        return [=](const many& in) -> many {
            const num x = in[0], u = in[1];
            const map_fn<double> by_x = [=](const num&v) -> num { return f(v, u); },
                                 by_u = [=](const num&v) -> num { return f(x, v); };
            const map_fn<double> x_then_u = [=](const num& v) -> num {
                return inner([=](const num& y) -> num { return f(y, v); })(x);
            };
            const map_fn<double> u_then_x = [=](const num& v) -> num {
                return inner([=](const num& y) -> num { return f(v, y); })(u);
            };
            return {outer(inner(by_x))(x), outer(inner(by_u))(u), outer(x_then_u)(u), outer(u_then_x)(x)};
        };
    };
    const auto forward = [](map_fn<double> g) -> map_fn<double> {
        return [g](const num& x) -> num { return df::jacfwd(g)(x); };
    };
    const auto reverse = [](map_fn<double> g) -> map_fn<double> {
        return [g](const num& x) -> num { return df::jacrev(g)(x); };
    };
    const std::vector<point> right{{{filled({5}, 1), filled({2}, 1)},
                                    {filled({5, 5}, 2), filled({2, 2}, 2), filled({5, 2}, 0), filled({2, 5}, 0)}}};
    using nesting = std::function<map_fn<double>(map_fn<double>)>;
    for (const auto& outer : {nesting(forward), nesting(reverse)})
        for (const auto& inner : {nesting(forward), nesting(reverse)}) check_values(blocks(outer, inner), right);
    const auto mixed = df::grad<0, 1>(f)(df::ones<double>({5}), df::ones<double>({2}));
    CHECK(differs(numbers_of(std::get<0>(mixed)), filled({5}, 10), 0) == "");
    CHECK(differs(numbers_of(std::get<1>(mixed)), filled({2}, 4), 0) == "");
}

TEST_CASE("JS3 the derivative by an argument that a captured tensor replaces, and by that tensor") {
    const num t = df::ones<double>({2, 3});
    check_derivative([=](const num&) -> num { return df::sum(t); },
                     {{filled({2, 3}, 1), scalar(6), filled({2, 3}, 0)}});
    check_derivative(
        [](const num& s) -> num {
            return [&](num) { return df::sum(s); }(df::zeros<double>({2, 3}));
        },
        {{filled({2, 3}, 1), scalar(6), filled({2, 3}, 1)}});
}

TEST_CASE("JS4 the jacobian of the jacobian of a linear map is zero") {
    const num w = make<double>(mat({{1, 2, 3}, {4, 5, 6}}));
    check_derivative([=](const num& x) -> num { return df::matmul(w, x); },
                     {{filled({3}, 1), vec({6, 15}), mat({{1, 2, 3}, {4, 5, 6}}), filled({2, 3, 3}, 0)}});
}

TEST_CASE("A graph of a jacobian holds one forward pass and one batched backward pass") {
    const std::string text = graph_text(
        [](const many& in) -> many {
            return {
                df::jacrev([&](num x) { return df::tanh(df::matmul(in[1], df::tanh(df::matmul(in[0], x)))); })(in[2])};
        },
        {wave({4, 3}), wave({5, 4}), wave({3})});
    INFO(text);
    CHECK(count(text, "tanh") == 2);
    CHECK(count(text, "loop") == 0);
}
