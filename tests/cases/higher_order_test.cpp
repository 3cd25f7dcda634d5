// Second and higher derivatives: mixed ones, nested ones that capture the outer variable, saturated ones.
#include "modes.hpp"

using namespace cases;

TEST_CASE("HO1 the mixed second derivatives of x^y agree at y = 0") {
    const double l = std::log(23.0);
    check_derivative([](const num& p) -> num { return df::pow(p[0], p[1]); },
                     {{vec({23, 0}), scalar(1), vec({0, l}), mat({{0, 1.0 / 23}, {1.0 / 23, l * l}})}});
    // One variable at a time, both orders of nesting.
    check_values(
        [](const many& in) -> many {
            const auto f = [](num x, num y) { return df::pow(x, y); };
            const auto dx = [&](num y) { return df::grad<0>(f)(in[0], y); };
            const auto dy = [&](num x) { return df::grad<1>(f)(x, in[1]); };
            return {df::grad(dx)(in[1]), df::grad(dy)(in[0]), df::jacfwd(dx)(in[1]), df::jacfwd(dy)(in[0])};
        },
        {{{scalar(23), scalar(0)}, {scalar(1.0 / 23), scalar(1.0 / 23), scalar(1.0 / 23), scalar(1.0 / 23)}}});
}

TEST_CASE("HO2 the second derivative of a Gaussian kernel at coinciding points") {
    for (double l : {1.0, 2.0}) {
        INFO("l " << l);
        const double c = 2 / (l * l);
        check_derivative([l](const num& z) -> num { return df::exp(-df::sum(df::square((z[0] - z[1]) / l))); },
                         {{mat({{0.3, -1.2}, {0.3, -1.2}}), scalar(1), filled({2, 2}, 0),
                           of({2, 2, 2, 2}, {-c, 0, c, 0, 0, -c, 0, c, c, 0, -c, 0, 0, c, 0, -c})}});
    }
}

TEST_CASE("HO3 three derivatives of a product of three") {
    const map_fn<double> f = [](const num& x) -> num {
        num y(1.0);
        for (int k = 0; k < 3; ++k) y = y * x;
        return y;
    };
    const map_fn<double> third = grad_of(grad_of(grad_of(f)));
    check_derivative(f, {{scalar(2), scalar(8), scalar(12), scalar(12)},
                         {scalar(-1), scalar(-1), scalar(3), scalar(-6)},
                         {scalar(0), scalar(0), scalar(0), scalar(0)}});
    check_values([=](const many& in) -> many { return {third(in[0])}; },
                 {{{scalar(2)}, {scalar(6)}}, {{scalar(-1)}, {scalar(6)}}, {{scalar(0)}, {scalar(6)}}});
}

TEST_CASE("HO4 an inner derivative of a function that captures the outer variable") {
    check_values(
        [](const many& in) -> many {
            const auto sum = [](num x) { return x * df::grad([=](num y) { return x + y; })(num(1.0)); };
            const auto product = [](num x) { return x * df::grad([=](num y) { return x * y; })(num(1.0)); };
            const auto forward = [](num x) { return x * df::jacfwd([=](num y) { return x * y; })(num(1.0)); };
            return {df::grad(sum)(in[0]),       df::grad(product)(in[0]),   df::jacfwd(sum)(in[0]),
                    df::jacfwd(product)(in[0]), df::jacfwd(forward)(in[0]), df::jacrev(forward)(in[0]),
                    df::grad(forward)(in[0])};
        },
        {{{scalar(1)}, {scalar(1), scalar(2), scalar(1), scalar(2), scalar(2), scalar(2), scalar(2)}},
         {{scalar(4)}, {scalar(1), scalar(8), scalar(1), scalar(8), scalar(8), scalar(8), scalar(8)}}});
}

TEST_CASE("HO5 the second derivative where tanh is saturated") {
    const double c = 1e8;
    check_derivative([c](const num& v) -> num { return df::tanh(-c * v) * df::square(c * v); },
                     {{scalar(1), scalar(-1e16), scalar(-2e16), scalar(-2e16)}});
}

TEST_CASE("HO6 the hessian of a quadratic in a matrix, for lanes of data") {
    const auto want = [](double g00, double g01, double g11) {
        numbers h = filled({2, 2, 2, 2}, 0);
        const double g[2][2] = {{g00, g01}, {g01, g11}};
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 2; ++j)
                for (std::size_t l = 0; l < 2; ++l) h.v[i * 8 + j * 4 + i * 2 + l] = 2 * g[j][l];
        return h;
    };
    const numbers a = mat({{0.5, -1}, {2, 3}});
    check_values(
        [](const many& in) -> many {
            const num x = in[0];
            const map_fn<double> f = [x](const num& m) -> num {
                return df::sum(df::square(x - df::matmul(x, df::transpose(m))));
            };
            return {df::hessian(f)(in[1])};
        },
        {{{mat({{1, 2}, {3, 4}, {0, 1}}), a}, {want(10, 14, 21)}},
         {{mat({{1, 0}, {0, 2}, {0, 0}}), a}, {want(1, 0, 4)}}});
}
