// Derivatives through pfor, and pfor over derivatives.
#include "modes.hpp"

using namespace cases;

TEST_CASE("G49 the jacobian of each row") {
    const auto square = [](num r) { return r * r; };
    const auto each = df::map(df::jacobian(square));
    const numbers want = cube({{{2, 0}, {0, 4}}, {{6, 0}, {0, 8}}});
    const num x = make<double>(mat({{1, 2}, {3, 4}}));
    CHECK(differs(numbers_of(each(x)), want, 0) == "");
    CHECK(differs(numbers_of(df::function(each)(x)), want, 0) == "");
    check_values([&](const many& in) -> many { return {df::jacobian(square)(in[0])}; },
                 {{{vec({1, 2})}, {row(want, 0)}}, {{vec({3, 4})}, {row(want, 1)}}});
    const auto pair = df::map(df::jacobian([](num a, num b) { return a * b; }));
    DF_THROWS_WITH(pair(df::ones<double>({3, 2}), df::ones<double>({2, 2})), df::shape_error, "map", "3", "2");
}

TEST_CASE("G50 a function of all rows at once has a full jacobian of its gradient") {
    check_derivative([](const num& x) -> num { return x[0] * x[0] + x[1] * x[1] + x[0] * x[1]; },
                     {{vec({1, 1}), scalar(3), vec({3, 3}), mat({{2, 1}, {1, 2}})}});
    const map_fn<double> f = [](const num& x) -> num { return x[0] * x[0] + x[1] * x[1] + x[0] * x[1]; };
    const map_fn<double> gradient = [f](const num& x) -> num { return df::reshape(df::grad(f)(x), {2, 1}); };
    check_values(
        [=](const many& in) -> many {
            return {df::jacobian(gradient)(in[0]), df::hessian(f)(in[0])};
        },
        {{{vec({1, 1})}, {of({2, 1, 2}, {2, 1, 1, 2}), mat({{2, 1}, {1, 2}})}}});
}

TEST_CASE("G52 jacobians of empty values have their shapes") {
    const num c = df::zeros<double>({0, 7});
    check_values(
        [&](const many& in) -> many {
            return {df::jacfwd([&](num v) { return v * c * c; })(in[0]),
                    df::jacrev([&](num v) { return v * c * c; })(in[0])};
        },
        {{{scalar(2)}, {filled({0, 7}, 0), filled({0, 7}, 0)}}});
    const num none = df::zeros<double>({0, 3});
    const auto each = df::map(df::jacobian([](num r) { return r * r; }));
    CHECK(numbers_of(each(none)).shape == std::vector<std::int64_t>{0, 3, 3});
    CHECK(numbers_of(df::function(each)(none)).shape == std::vector<std::int64_t>{0, 3, 3});
}

TEST_CASE("G55 the gradient of a captured weight adds up over the lanes") {
    const double two = 2;
    check_derivative(
        [](const num& w) -> num { return df::sum(df::pfor(10, [&](df::index) { return df::cos(num(1.0) + w); })); },
        {{scalar(1), scalar(10 * std::cos(two)), scalar(-10 * std::sin(two)), scalar(-10 * std::cos(two))}});
    const num x = df::ones<double>({10});
    check_derivative(
        [&](const num& w) -> num { return df::sum(df::pfor(10, [&](df::index i) { return df::cos(x[i] + w); })); },
        {{scalar(1), scalar(10 * std::cos(two)), scalar(-10 * std::sin(two)), scalar(-10 * std::cos(two))}});
}

TEST_CASE("G55 the gradient of a captured weight goes through a user's own rule") {
    const auto cosine =
        df::custom_vjp([](num z) { return df::cos(z); }, [](num z, num ct) { return -df::sin(z) * ct; });
    const num x = df::ones<double>({10});
    const auto total = [=](num w) { return df::sum(df::pfor(10, [&](df::index i) { return cosine(x[i] + w); })); };
    check_values(
        [&](const many& in) -> many {
            return {total(in[0]), df::grad(total)(in[0]), df::jacrev(total)(in[0])};
        },
        {{{scalar(1)}, {scalar(10 * std::cos(2.0)), scalar(-10 * std::sin(2.0)), scalar(-10 * std::sin(2.0))}}});
}

TEST_CASE("G55 a captured tensor gathered in every lane has the number of lanes as its gradient") {
    const ints all{0, 1, 2};
    check_derivative(
        [&](const num& w) -> num { return df::sum(df::pfor(2, [&](df::index) { return df::take(w, all, 0); })); },
        {{vec({5, 6, 7}), scalar(36), vec({2, 2, 2}), filled({3, 3}, 0)}});
}

TEST_CASE("G56 per-example gradients of a linear model; their sum is the batch gradient") {
    const auto loss = [](num w, num x, num t) { return 0.5 * df::square(df::dot(w, x) - t); };
    const numbers w = vec({1, 1});
    check_values([&](const many& in) -> many { return {df::grad(loss)(in[0], in[1], in[2])}; },
                 {{{w, vec({1, 2}), scalar(0)}, {vec({3, 6})}}, {{w, vec({3, 4}), scalar(5)}, {vec({6, 8})}}});
    check_values(
        [&](const many& in) -> many {
            const auto batch = [&](num v) {
                return df::sum(df::pfor(2, [&](df::index i) { return loss(v, in[1][i], in[2][i]); }));
            };
            return {df::grad(batch)(in[0]),
                    df::sum(df::pfor(2, [&](df::index i) { return df::grad(loss)(in[0], in[1][i], in[2][i]); }), 0)};
        },
        {{{w, mat({{1, 2}, {3, 4}}), vec({0, 5})}, {vec({9, 14}), vec({9, 14})}}});
}

TEST_CASE("G56 per-example gradients of two steps of an LSTM equal the separate runs") {
    const std::int64_t h = 2, d = 3;
    const auto loss = [=](num w, num b, num x) {
        num hidden = df::zeros<double>({h}), cell = df::zeros<double>({h});
        for (int step = 0; step < 2; ++step) {
            const num gates = df::matmul(w, df::concatenate({x[step], hidden})) + b;
            const num in = df::sigmoid(gates[df::slice(0, h)]), keep = df::sigmoid(gates[df::slice(h, 2 * h)]);
            const num out = df::sigmoid(gates[df::slice(2 * h, 3 * h)]),
                      fresh = df::tanh(gates[df::slice(3 * h, 4 * h)]);
            cell = keep * cell + in * fresh;
            hidden = out * df::tanh(cell);
        }
        return df::sum(df::square(hidden));
    };
    const numbers w = wave({4 * h, d + h}, 0.3), b = wave({4 * h}, 0.8);
    check_agree(
        [&](const many& in) -> many {
            const auto both = df::grad<0, 1>(loss)(in[0], in[1], in[2]);
            return {std::get<0>(both), std::get<1>(both)};
        },
        {{w, b, wave({2, d}, 0.9)}, {w, b, wave({2, d}, 1.9)}, {w, b, wave({2, d}, 2.9)}}, 1e-11);
    CHECK_NOTHROW(df::check_grad(loss, make<double>(w), make<double>(b), make<double>(wave({2, d}, 0.9))));
}

TEST_CASE("Any nesting of pfor, grad and jacobian gives the same second derivatives") {
    const num x = make<double>(mat({{1, 2}, {3, 4}}));
    const map_fn<double> f = [](const num& r) -> num { return df::sum(r * r * r); };
    const numbers want = cube({{{6, 0}, {0, 12}}, {{18, 0}, {0, 24}}});
    const auto same = [&](const num& got) { CHECK(differs(numbers_of(got), want, 1e-14) == ""); };
    same(df::pfor(2, [&](df::index i) { return df::hessian(f)(x[i]); }));
    same(df::map(df::hessian(f))(x));
    same(df::function(df::map(df::jacobian(df::grad(f))))(x));
    // The jacobian of a pfor of gradients: rows do not mix.
    const num all = df::jacobian([&](num a) { return df::pfor(2, [&](df::index i) { return df::grad(f)(a[i]); }); })(x);
    for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t j = 0; j < 2; ++j)
            CHECK(differs(numbers_of(num(all(i, df::all, j, df::all))), i == j ? row(want, i) : filled({2, 2}, 0),
                          1e-14) == "");
    // pfor of pfor of grad.
    same(df::pfor(2, [&](df::index i) {
        return df::pfor(2, [&](df::index j) { return df::grad([&](num r) { return df::grad(f)(r)[j]; })(x[i]); });
    }));
}
