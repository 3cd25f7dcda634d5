// The verbs: every spelling, every nesting, each on concrete values, inside df::function, in host mode and by the reference.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/near.hpp>

namespace {
using num = df::tensor<double>;
using ints = df::tensor<std::int64_t>;

// What f(x) gives in every mode; all must be near `want`.
template <class F> void everywhere(const char* name, const F& f, const num& x, const std::vector<double>& want) {
    INFO(name);
    const auto traced = df::function([&](num y) -> num { return f(y); });
    DF_NEAR(f(x), want, 1e-10, 1e-10);
    DF_NEAR(traced(x), want, 1e-10, 1e-10);
    {
        df::host_mode scope;
        DF_NEAR(f(x), want, 1e-10, 1e-10);
        DF_NEAR(traced(x), want, 1e-10, 1e-10);
    }
    df::reference_mode scope;
    DF_NEAR(f(x), want, 1e-10, 1e-10);
    DF_NEAR(traced(x), want, 1e-10, 1e-10);
}
const auto cube = [](num x) { return x * x * x; };                       // of each element
const auto energy = [](num x) { return df::sum(x * x * x); };            // scalar
const auto mix = [](num x) { return df::sum(x) * x * x; };               // vector, full jacobian
}  // namespace

TEST_CASE("grad, value_and_grad, jvp, vjp of scalar functions") {
    const num x{1, 2};
    everywhere("grad", [](num y) -> num { return df::grad(energy)(y); }, x, {3, 12});
    everywhere("value", [](num y) -> num { return df::value_and_grad(energy)(y).first; }, x, {9});
    everywhere("gradient", [](num y) -> num { return df::value_and_grad(energy)(y).second; }, x, {3, 12});
    everywhere("jvp value", [](num y) -> num { return df::jvp(cube)(y, num{1, 10}).first; }, x, {1, 8});
    everywhere("jvp", [](num y) -> num { return df::jvp(cube)(y, num{1, 10}).second; }, x, {3, 120});
    everywhere("vjp value", [](num y) -> num { return df::vjp(mix)(y).first; }, x, {3, 12});
    everywhere("vjp", [](num y) -> num { return df::vjp(mix)(y).second(num{1, 0}); }, x, {7, 1});
    everywhere("grad of grad", [](num y) -> num { return df::grad([](num z) { return df::sum(df::grad(energy)(z)); })(y); }, x, {6, 12});
}
TEST_CASE("jacobians and hessians, forward and reverse") {
    const num x{1, 2};
    const std::vector<double> j{7, 1, 4, 16};
    everywhere("jacobian", [](num y) -> num { return df::jacobian(mix)(y); }, x, j);
    everywhere("jacfwd", [](num y) -> num { return df::jacfwd(mix)(y); }, x, j);
    everywhere("jacrev", [](num y) -> num { return df::jacrev(mix)(y); }, x, j);
    everywhere("hessian", [](num y) -> num { return df::hessian(energy)(y); }, x, {6, 0, 0, 12});
    everywhere("hessian of a vector", [](num y) -> num { return df::hessian(mix)(y); }, x, {10, 2, 2, 0, 0, 4, 4, 14});
    everywhere("jacobian of jacobian", [](num y) -> num { return df::jacobian(df::jacobian(mix))(y); }, x, {10, 2, 2, 0, 0, 4, 4, 14});
    CHECK(df::hessian(mix)(x).shape() == df::shape{2, 2, 2});
    const auto tall = [](num y) { return df::stack({y, y * y, y * y * y}); };   // more results than inputs: forward
    CHECK(df::jacobian(tall)(x).shape() == df::shape{3, 2, 2});
    everywhere("tall", [&](num y) -> num { return df::jacobian(tall)(y); }, x, {1, 0, 0, 1, 2, 0, 0, 4, 3, 0, 0, 12});
}
TEST_CASE("grad of pfor, pfor of grad, jacobian of pfor, pfor of jacobian, deeper") {
    const num x{1, 2, 3};
    const auto each = [](num y) { return df::pfor(y.dim(0), [&](df::index i) { return y[i] * y[i] * df::sum(y); }); };
    everywhere("pfor", [&](num y) -> num { return each(y); }, x, {6, 24, 54});
    everywhere("grad of pfor", [&](num y) -> num { return df::grad([&](num z) { return df::sum(each(z)); })(y); }, x, {26, 38, 50});
    everywhere("jacobian of pfor", [&](num y) -> num { return df::jacobian(each)(y); }, x, {13, 1, 1, 4, 28, 4, 9, 9, 45});
    everywhere("pfor of grad", [](num y) -> num { return df::pfor(3, [&](df::index i) { return df::grad(cube)(y[i]); }); }, x, {3, 12, 27});
    everywhere("pfor of jacobian", [](num y) -> num { return df::pfor(3, [&](df::index i) { return df::jacobian(mix)(y[i] * num{1, 2}); }); }, x,
               {7, 1, 4, 16, 28, 4, 16, 64, 63, 9, 36, 144});
    everywhere("pfor of pfor", [](num y) -> num { return df::pfor(3, [&](df::index i) { return df::pfor(3, [&](df::index j) { return y[i] * y[j]; }); }); }, x, {1, 2, 3, 2, 4, 6, 3, 6, 9});
    everywhere("pfor of pfor of grad", [](num y) -> num {
        return df::pfor(3, [&](df::index i) { return df::pfor(2, [&](df::index j) { return df::grad([&](num z) { return z * z * y[j]; })(y[i]); }); });
    }, x, {2, 4, 4, 8, 6, 12});
    everywhere("grad of pfor of grad", [](num y) -> num {
        return df::grad([](num z) { return df::sum(df::pfor(3, [&](df::index i) { return df::grad(cube)(z[i]); })); })(y);
    }, x, {6, 12, 18});
    everywhere("pfor of hessian", [](num y) -> num { return df::pfor(3, [&](df::index i) { return df::hessian(cube)(y[i]); }); }, x, {6, 12, 18});
    everywhere("jacobian of pfor of grad", [](num y) -> num {
        return df::jacobian([](num z) { return df::pfor(3, [&](df::index i) { return df::grad(cube)(z[i]); }); })(y);
    }, x, {6, 0, 0, 0, 12, 0, 0, 0, 18});
    everywhere("vjp in pfor", [](num y) -> num { return df::pfor(3, [&](df::index i) { return df::vjp(cube)(y[i]).second(num(2.0)); }); }, x, {6, 24, 54});
    everywhere("jvp in pfor", [](num y) -> num { return df::pfor(3, [&](df::index i) { return df::jvp(cube)(y[i], num(2.0)).second; }); }, x, {6, 24, 54});
    everywhere("hessian of pfor", [](num y) -> num {
        return df::hessian([](num z) { return df::sum(df::pfor(3, [&](df::index i) { return z[i] * z[i] * z[i]; })); })(y);
    }, x, {6, 0, 0, 0, 12, 0, 0, 0, 18});
}
TEST_CASE("map: axes in and out, map in map, any numbers of arguments") {
    const num x{{1, 2, 3}, {4, 5, 6}};
    everywhere("map", [](num y) -> num { return df::map([](num r) { return df::sum(r * r); })(y); }, x, {14, 77});
    everywhere("columns", [](num y) -> num { return df::map([](num r) { return df::sum(r); }, df::in_axes(1))(y); }, x, {5, 7, 9});
    everywhere("last axis", [](num y) -> num { return df::map([](num r) { return r * 2; }, df::in_axes(-1))(y); }, x, {2, 8, 4, 10, 6, 12});
    everywhere("out axis", [](num y) -> num { return df::map([](num r) { return r * 2; }, df::in_axes(-1), -1)(y); }, x, {2, 4, 6, 8, 10, 12});
    everywhere("out_axes", [](num y) -> num { return df::map([](num r) { return r * 2; }, df::in_axes(0), df::out_axes(1))(y); }, x, {2, 8, 4, 10, 6, 12});
    everywhere("map in map", [](num y) -> num { return df::map(df::map([](num e) { return e * e; }))(y); }, x, {1, 4, 9, 16, 25, 36});
    everywhere("two", [](num y) -> num { return df::map([](num a, num b) { return a * b; }, df::in_axes(0, df::none))(y, num{1, 10, 100}); }, x, {1, 20, 300, 4, 50, 600});
    everywhere("map of grad", [](num y) -> num { return df::map(df::grad(energy))(y); }, x, {3, 12, 27, 48, 75, 108});
    everywhere("outer product", [](num y) -> num { return df::map([](num a, num b) { return df::map([](num c, num d) { return c * d; }, df::in_axes(df::none, 0))(a, b); }, df::in_axes(0, df::none))(y[0], y[1]); },
               x, {4, 5, 6, 8, 10, 12, 12, 15, 18});
    CHECK(df::map([](num r) { return r; }, df::in_axes(1), df::out_axes(-1))(x).shape() == df::shape{2, 3});
    const auto [a, b] = df::map([](num r) { return std::pair{df::sum(r), r * 2}; })(x);
    CHECK(a.shape() == df::shape{2});
    CHECK(b.shape() == df::shape{2, 3});
    DF_THROWS_WITH(df::map([](num u, num v) { return u + v; })(x, num{1, 2, 3}), df::shape_error, "map: the mapped sizes differ: [2, 3]", "argument 1 of type double[3]", "df::none");
    DF_THROWS_WITH(df::map([](num u) { return u; }, df::in_axes(2))(x), df::shape_error, "map: axis 2 is out of range", "double[2, 3]", "transforms_test.cpp");
    DF_THROWS_WITH(df::map([](num u) { return u; }, df::in_axes(df::none))(x), df::shape_error, "no argument is mapped");
    DF_THROWS_WITH(df::map([](num u) { return u; }, df::in_axes(0, 0))(x), df::shape_error, "2 axes for 1 arguments");
    DF_THROWS_WITH(df::map([](num u) { return u; }, df::in_axes(0), 5)(x), df::shape_error, "the result axis 5 is out of range");
}
TEST_CASE("chosen arguments, auxiliary results, unused arguments, integer arguments") {
    const auto f = [](num x, ints k, num y) { return df::sum(x * y) * df::cast<double>(k); };
    const num x{1, 2}, y{3, 4};
    const ints k(2);
    const auto [gx, gy] = df::grad<0, 2>(f)(x, k, y);
    DF_NEAR(gx, {6, 8});
    DF_NEAR(gy, {2, 4});
    DF_NEAR(df::grad<2>(f)(x, k, y), {2, 4});
    const auto [v, g] = df::value_and_grad<0, 2>(f)(x, k, y);
    CHECK(v.item() == 22);
    DF_NEAR(std::get<1>(g), {2, 4});
    DF_NEAR(df::jacobian<2>([](num a, ints, num b) { return a * b; })(x, k, y), {1, 0, 0, 2});
    DF_THROWS_WITH(df::grad<1>(f)(x, k, y), df::dtype_error, "grad: argument 1 is int64[]", "transforms_test.cpp");
    DF_THROWS_WITH((df::grad<0, 1>(f)(x, k, y)), df::dtype_error, "grad: argument 1 is int64[]");
    DF_THROWS_WITH(df::jacobian<1>(f)(x, k, y), df::dtype_error, "jacobian: argument 1 is int64[]");

    const auto aux = [](num a) { return std::tuple{df::sum(a * a), a * 2, ints(7)}; };
    DF_NEAR(df::grad(aux)(x), {2, 4});
    const auto [all, slope] = df::value_and_grad(aux)(x);
    CHECK(std::get<0>(all).item() == 5);
    DF_NEAR(std::get<1>(all), {2, 4});
    CHECK(std::get<2>(all).item() == 7);
    DF_NEAR(slope, {2, 4});

    DF_NEAR(df::grad([](num, num b) { return df::sum(b); })(x, y), {0, 0});
    DF_NEAR(df::grad([](num a) { return df::sum(a.value() ? num{1, 2} : a); })(x), {0, 0});
    const auto [value, pull] = df::vjp(f)(x, k, y);
    const auto [cx, ck, cy] = pull(num(1.0));
    DF_NEAR(cx, {6, 8});
    CHECK(ck.item() == 0);
    DF_NEAR(cy, {2, 4});
    CHECK(df::jvp(f)(x, k, y, num{1, 0}, ints(0), num{0, 0}).second.item() == 6);

    DF_THROWS_WITH(df::grad(cube)(x), df::shape_error, "grad: the loss is double[2], not a scalar", "df::jacobian", "transforms_test.cpp");
    DF_THROWS_WITH(df::grad([](num a) { return a > 0; })(num(1.0)), df::dtype_error, "the loss is bool[]");
    DF_THROWS_WITH(df::jvp(cube)(x, num{1, 2, 3}), df::shape_error, "a tangent is double[3] for a tensor of type double[2]");
    DF_THROWS_WITH(df::vjp(cube)(x).second(num{1}), df::shape_error, "a cotangent is double[1] for a tensor of type double[2]", "transforms_test.cpp");
}
TEST_CASE("a derivative of the user's own, in every mode and order") {
    const auto clipped = df::custom_vjp([](num x) { return x * x; }, [](num x, num ct) { return df::minimum(2 * x, 3.0) * ct; });
    const num x{1, 2, 3};
    everywhere("value", [&](num y) -> num { return clipped(y); }, x, {1, 4, 9});
    everywhere("grad", [&](num y) -> num { return df::grad([&](num z) { return df::sum(clipped(z)); })(y); }, x, {2, 3, 3});
    everywhere("jacrev", [&](num y) -> num { return df::jacrev(clipped)(y); }, x, {2, 0, 0, 0, 3, 0, 0, 0, 3});
    everywhere("jacfwd", [&](num y) -> num { return df::jacfwd(clipped)(y); }, x, {2, 0, 0, 0, 3, 0, 0, 0, 3});
    everywhere("map", [&](num y) -> num { return df::map(df::grad([&](num z) { return clipped(z); }))(y); }, x, {2, 3, 3});
    everywhere("twice", [&](num y) -> num { return df::map(df::grad(df::grad([&](num z) { return clipped(z); })))(y); }, x, {2, 0, 0});
    const auto two = df::custom_vjp([](num a, num b) { return a * b; }, [](num a, num b, num ct) { return std::tuple{10 * b * ct, 100 * a * ct}; });
    const auto [ga, gb] = df::grad<0, 1>(two)(num(2.0), num(3.0));
    CHECK(ga.item() == 30);
    CHECK(gb.item() == 200);
    const num scale(5.0);   // captured by both
    everywhere("captures", [&](num y) -> num {
        const num s = y[0];
        const auto f = df::custom_vjp([&](num z) { return z * s; }, [&](num, num ct) { return ct * s * scale; });
        return df::grad([&](num z) { return df::sum(f(z)); })(y);
    }, x, {5, 5, 5});
    const auto by_capture = [](num w) {
        return df::custom_vjp([=](num z) { return z * w; }, [=](num, num ct) { return w * ct; })(num(7.0));
    };
    DF_THROWS_WITH(df::grad(by_capture)(num(2.0)), df::trace_error, "custom_vjp: a derivative is asked for by a value that the function captures", "transforms_test.cpp");
    DF_THROWS_WITH(df::jvp(by_capture)(num(2.0), num(1.0)), df::trace_error, "custom_vjp", "pass it as an argument");
    DF_THROWS_WITH(df::custom_vjp([](num a) { return a; }, [](num, num) { return std::tuple{num(1.0), num(2.0)}; })(x), df::shape_error, "custom_vjp: backward returns 2 tensors for 1 floating inputs");
    DF_THROWS_WITH(df::custom_vjp([](num a) { return a; }, [](num, num) { return num(1.0); })(x), df::shape_error, "custom_vjp: cotangent 0 is double[] for an input of type double[3]", "transforms_test.cpp");
}
TEST_CASE("pfor takes numbers, sizes and staged counts") {
    const num x{1, 2, 3};
    const auto square = [&](df::index i) { return x[i] * x[i]; };
    CHECK(df::pfor(3, square).shape() == df::shape{3});
    CHECK(df::pfor(x.dim(0), square).shape() == df::shape{3});
    CHECK(df::pfor(df::size<2>, [&](df::index i) { return df::tensor<double, 3>(x) * df::cast<double>(i); }).shape() == df::shape{2, 3});
    static_assert(std::same_as<decltype(df::pfor(df::size<2>, [](df::index) { return df::tensor<double, 3>(); })), df::tensor<double, 2, 3>>);
    static_assert(std::same_as<decltype(df::pfor(2, [](df::index) { return df::tensor<double, 3>(); })), df::tensor<double, df::dyn, 3>>);
    CHECK(df::pfor(0, square).shape() == df::shape{0});
    CHECK(df::pfor(1, square).to_vector() == std::vector<double>{1});
    const auto f = df::function([](num y, ints n) { return df::pfor(n, [&](df::index i) { return y[i] * 2; }); });
    CHECK(f(x, ints(2)).to_vector() == std::vector<double>{2, 4});
    CHECK(f(x, ints(0)).to_vector().empty());
    CHECK(f.traces() == 1);
    CHECK(df::pfor(3, [](df::index i) { return 2 * i + 1; }).to_vector() == std::vector<std::int64_t>{1, 3, 5});
    CHECK(df::pfor(3, [](df::index) { return 1.5; }).to_vector() == std::vector<double>{1.5, 1.5, 1.5});
    DF_THROWS_WITH(df::pfor(-1, square), df::shape_error, "pfor: the number of lanes is -1", "transforms_test.cpp");
    DF_THROWS_WITH(df::pfor(3, [&](df::index i) { return x[i] + num{1, 2} + num{1, 2, 3}; }), df::shape_error, "add", "double[2]", "double[3]", "transforms_test.cpp");
}
