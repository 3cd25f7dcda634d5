// Derivatives at the points where they are easily wrong: powers at zero, kinks, norms, branches not taken.
#include "modes.hpp"

using namespace cases;

namespace {
numbers zeros_but(std::vector<std::int64_t> shape, std::size_t k, double x) {
    numbers r = filled(std::move(shape), 0);
    r.v.at(k) = x;
    return r;
}
}  // namespace

TEST_CASE("P01 the square by power, product, square and an integer exponent, twice differentiated, also at zero") {
    check_derivative(
        [](const num& x) -> num {
            return df::stack({df::pow(x, 2.0), x * x, df::square(x), df::pow(x, 2), df::power(x, num(2.0))});
        },
        {{scalar(0), filled({5}, 0), filled({5}, 0), filled({5}, 2)},
         {scalar(-3), filled({5}, 9), filled({5}, -6), filled({5}, 2)}});
    check_derivative_in_both(
        []<class T>(const df::tensor<T>& x) -> df::tensor<T> { return df::pow(x, 2.0); },
        {{scalar(0), scalar(0), scalar(0), scalar(2)}, {scalar(-3), scalar(9), scalar(-6), scalar(2)}});
}

TEST_CASE(
    "P02 SG4 the derivative of a power at base zero is its limit from the right, whatever form the exponent has") {
    const std::vector<double> exponents{2, 1.875, 1, 0.5, 0, -1}, value{0, 0, 0, 0, 1, inf},
        first{0, 0, 1, inf, 0, -inf};
    for (std::size_t k = 0; k < exponents.size(); ++k) {
        const double c = exponents[k];
        INFO("exponent " << c);
        check_derivative([c](const num& x) -> num { return df::pow(x, c); },
                         {{scalar(0), scalar(value[k]), scalar(first[k])}});
        check_values(
            [](const many& in) -> many {
                const auto f = [](num x, num p) { return df::pow(x, p); };
                return {f(in[0], in[1]), df::grad(f)(in[0], in[1]),
                        std::get<1>(df::jvp([&](num x) { return df::pow(x, in[1]); })(in[0], num(1.0)))};
            },
            {{{scalar(0), scalar(c)}, {scalar(value[k]), scalar(first[k]), scalar(first[k])}}});
    }
    check_derivative([](const num& x) -> num { return df::sqrt(x); }, {{scalar(0), scalar(0), scalar(inf)}});
}

TEST_CASE("P02 powers with several exponents at once: the infinite slope stays in its own row") {
    check_derivative(
        [](const num& x) -> num {
            return df::pow(x, num{1.875, 1, 0, 0.5});
        },
        {{scalar(0), vec({0, 0, 1, 0}), vec({0, 1, 0, inf})}});
}

TEST_CASE("P04 x (1 - x^1.1) at zero and inside") {
    check_derivative(
        [](const num& x) -> num { return x * (1 - df::pow(x, 1.1)); },
        {{scalar(0), scalar(0), scalar(1)}, {scalar(0.5), scalar(0.26674175211579815), scalar(0.020315358886352164)}});
}

TEST_CASE("P05 a power of constants has derivative zero in a variable it does not use") {
    check_derivative([](const num&) -> num { return df::pow(num(-5.0), num(5.0)); },
                     {{scalar(2), scalar(-3125), scalar(0)}});
    // The same with constants of an enclosing trace.
    check_values(
        [](const many& in) -> many {
            const map_fn<double> f = [&](const num&) -> num { return df::pow(in[1], in[2]); };
            return {f(in[0]), df::grad(f)(in[0]), df::jacfwd(f)(in[0])};
        },
        {{{scalar(2), scalar(-5), scalar(5)}, {scalar(-3125), scalar(0), scalar(0)}}});
}

TEST_CASE("P07 maximum and minimum of equals share the derivative; relu has slope zero at zero") {
    check_derivative_in_both(
        []<class T>(const df::tensor<T>& x) -> df::tensor<T> {
            return df::stack({df::maximum(x[0], x[1]), df::minimum(x[0], x[1])});
        },
        {{vec({1, 1}), vec({1, 1}), mat({{0.5, 0.5}, {0.5, 0.5}})}, {vec({1, 2}), vec({2, 1}), mat({{0, 1}, {1, 0}})}});
    check_derivative_in_both(
        []<class T>(const df::tensor<T>& x) -> df::tensor<T> {
            return df::stack({df::relu(x), df::maximum(x, 0)});
        },
        {{scalar(0), vec({0, 0}), vec({0, 0.5})},
         {scalar(2), vec({2, 2}), vec({1, 1})},
         {scalar(-2), vec({0, 0}), vec({0, 0})}});
}

TEST_CASE("P08 the largest entries share the derivative of max; indexing by argmax has one") {
    check_derivative_in_both(
        []<class T>(const df::tensor<T>& x) -> df::tensor<T> { return df::max(x); },
        {{vec({2, 2, 1}), scalar(2), vec({0.5, 0.5, 0})}, {vec({1, 2, 3}), scalar(3), vec({0, 0, 1})}});
    check_derivative([](const num& x) -> num { return df::min(x); }, {{vec({2, 1, 1}), scalar(1), vec({0, 0.5, 0.5})}});
    check_derivative([](const num& x) -> num { return x[df::argmax(x)]; },
                     {{vec({2, 2, 1}), scalar(2), vec({1, 0, 0})}, {vec({1, 2, 3}), scalar(3), vec({0, 0, 1})}});
}

TEST_CASE("P10 SG1 the norm at zero has derivative zero, its square too") {
    check_derivative_in_both([]<class T>(const df::tensor<T>& x) -> df::tensor<T> { return df::norm(x); },
                             {{vec({0, 0}), scalar(0), vec({0, 0})}, {vec({3, 4}), scalar(5), vec({0.6, 0.8})}});
    check_derivative([](const num& x) -> num { return df::square(df::norm(x)); },
                     {{vec({0, 0}), scalar(0), vec({0, 0})}, {vec({3, 4}), scalar(25), vec({6, 8})}});
    check_derivative([](const num& x) -> num { return df::pow(df::norm(x), 2); },
                     {{vec({0, 0}), scalar(0), vec({0, 0})}, {vec({3, 4}), scalar(25), vec({6, 8})}});
    check_derivative(
        [](const num& y) -> num {
            return 0.5 * df::square(df::norm(y - num{1, -2}));
        },
        {{vec({1, -2}), scalar(0), vec({0, 0})}, {vec({4, 2}), scalar(12.5), vec({3, 4})}});
}

TEST_CASE("P10 the norm neither underflows nor overflows") {
    check_values([](const many& in) -> many { return {df::norm(in[0])}; },
                 {{{vec({1e-200, 0})}, {scalar(1e-200)}}, {{vec({3e200, 4e200})}, {scalar(5e200)}}});
}

TEST_CASE("P11 the arm of where that is not taken adds exactly nothing, at first and second order") {
    check_derivative(
        [](const num& x) -> num { return df::where(x > 0, df::sqrt(x), 0); },
        {{vec({-1, 0, 4}), vec({0, 0, 2}), zeros_but({3, 3}, 8, 0.25), zeros_but({3, 3, 3}, 26, -0.03125)}});
    check_derivative([](const num& x) -> num { return df::where(x > 0, df::sqrt(x), 0); },
                     {{scalar(-1), scalar(0), scalar(0), scalar(0)},
                      {scalar(0), scalar(0), scalar(0), scalar(0)},
                      {scalar(4), scalar(2), scalar(0.25), scalar(-0.03125)}});
}

TEST_CASE("P13 SG3 a radius kept away from zero by maximum or where has derivative zero at zero") {
    const map_fn<double> by_maximum = [](const num& p) -> num {
        return df::maximum(df::sqrt(p[0] * p[0] + p[1] * p[1]), 1e-10);
    };
    const map_fn<double> by_where = [](const num& p) -> num {
        const num r = df::sqrt(p[0] * p[0] + p[1] * p[1]);
        return df::where(r > 1e-10, r, 1e-10);
    };
    for (const auto& f : {by_maximum, by_where})
        check_derivative(f, {{vec({0, 0}), scalar(1e-10), vec({0, 0})}, {vec({3, 4}), scalar(5), vec({0.6, 0.8})}});
    const numbers rows = mat({{1, 2}, {3, 4}, {0, 0}});
    const double r = std::sqrt(5.0);
    check_derivative(
        [](const num& x) -> num {
            const num length = df::sqrt(df::sum(x * x, 1));
            return df::sum(df::where(length > 0.5, length, 1));
        },
        {{rows, scalar(r + 6), mat({{1 / r, 2 / r}, {0.6, 0.8}, {0, 0}})}});
    check_derivative(  // the safe form: select before the root
        [](const num& x) -> num {
            const num s = df::sum(x * x, 1);
            return df::sum(df::where(s > 0.25, df::sqrt(df::where(s > 0.25, s, 1)), 1));
        },
        {{rows, scalar(r + 6), mat({{1 / r, 2 / r}, {0.6, 0.8}, {0, 0}})}});
}

TEST_CASE("P14 NI4 an infinite or NaN factor in the arm not taken leaves value and derivative alone") {
    check_derivative([](const num& x) -> num { return df::where(x > 0, 0, x * inf); },
                     {{scalar(1), scalar(0), scalar(0)}});
    for (double bad : {qnan, inf})
        check_derivative([bad](const num& beta) -> num { return df::where(df::tensor<bool>(false), beta * bad, 1); },
                         {{scalar(2.3), scalar(1), scalar(0)}});
}

TEST_CASE("P17 logsumexp, softmax and softplus at large arguments") {
    check_derivative(
        [](const num& x) -> num { return df::logsumexp(x); },
        {{vec({1000, 1000}), scalar(1000.6931471805599), vec({0.5, 0.5}), mat({{0.25, -0.25}, {-0.25, 0.25}})}});
    check_derivative([](const num& x) -> num { return df::softmax(x); },
                     {{vec({-1000, 1000}), vec({0, 1}), filled({2, 2}, 0)}});
    check_derivative([](const num& x) -> num { return df::softplus(x); },
                     {{scalar(1000), scalar(1000), scalar(1)}, {scalar(0), scalar(std::log(2.0)), scalar(0.5)}});
}

TEST_CASE("SG2 the gradient of running products does not divide by a zero") {
    const auto running = [](const num& x, int n) {
        std::vector<num> r;
        for (int k = 1; k <= n; ++k) r.push_back(df::prod(x[df::slice(0, k)]));
        return r;
    };
    check_derivative(
        [=](const num& x) -> num {
            const auto p = running(x, 4);
            return p[0] + p[1] + p[2] + p[3];
        },
        {{vec({2, 0, 3, 4}), scalar(2), vec({1, 32, 0, 0})}, {vec({2, 0, 0, 4}), scalar(2), vec({1, 2, 0, 0})}});
    check_derivative(
        [=](const num& x) -> num {
            const auto p = running(x, 2);
            return p[0] * p[0] + p[1] * p[1];
        },
        {{vec({1, 0}), scalar(1), vec({2, 0})}, {vec({1, 2}), scalar(5), vec({10, 4})}});
}

TEST_CASE("SG5 the gradient of a product at zeros is the product of the others") {
    const map_fn<double> product = [](const num& x) -> num { return df::prod(x); };
    check_derivative(product, {{vec({2, 0, 3, 4}), scalar(0), vec({0, 24, 0, 0})},
                               {vec({1, 2, 3, 4}), scalar(24), vec({24, 12, 8, 6})}});
    check_derivative(product, {{vec({0, 5, 0}), scalar(0), vec({0, 0, 0}), mat({{0, 0, 5}, {0, 0, 0}, {5, 0, 0}})}});
    check_derivative(product, {{vec({0}), scalar(0), vec({1})}});
    check_derivative([](const num& x) -> num { return df::sum(df::prod(x, -1)); },
                     {{mat({{2, 0}, {3, 4}}), scalar(12), mat({{0, 2}, {4, 3}})}});
}

TEST_CASE("SG6 a Matern kernel at coinciding points: its derivative by the length scale") {
    const num points{0, 0.5};
    const double s = std::sqrt(3.0), k = (1 + s * 0.5) * std::exp(-s * 0.5), slope_l = 6 * 0.25 * std::exp(-s * 0.5);
    check_derivative(
        [=](const num& l) -> num {
            const num d = df::expand_dims(points, 1) - df::expand_dims(points, 0), r = df::sqrt(d * d);
            return (1 + s * r / l) * df::exp(-s * r / l);
        },
        {{scalar(1), mat({{1, k}, {k, 1}}), mat({{0, slope_l / 2}, {slope_l / 2, 0}})}});
    CHECK(std::abs(slope_l - 0.6309300390) < 1e-9);
}

TEST_CASE("NU4 log(1 - tanh(x)^2) far out, and its gradient") {
    const double ln2 = std::log(2.0);
    const auto right = [ln2](double x) { return 2 * (ln2 - x - std::log1p(std::exp(-2 * x))); };
    check_derivative([ln2](const num& x) -> num { return 2 * (ln2 - x - df::softplus(-2 * x)); },
                     {{scalar(0.5), scalar(right(0.5)), scalar(-2 * std::tanh(0.5))},
                      {scalar(10), scalar(right(10)), scalar(-2 * std::tanh(10.0))},
                      {scalar(20), scalar(right(20)), scalar(-2)}});
    CHECK(std::abs(right(0.5) + 0.240229014) < 1e-9);
    CHECK(std::abs(right(20) + 38.613705639) < 1e-9);
}
