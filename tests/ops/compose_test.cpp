// Named compositions: activations, softmax, norms, losses; stable values, derivatives of their own, one example and many.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/near.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace {

using num = df::tensor<double>;
using whole = df::tensor<std::int64_t>;

template <class F> double slope(F f, double x) { return df::grad([f](num v) { return f(v); })(num(x)).item(); }
template <class F> double bend(F f, double x) {
    return df::grad([f](num u) { return df::grad([f](num v) { return f(v); })(u); })(num(x)).item();
}

TEST_CASE("activations far from zero") {
    DF_NEAR(df::softplus(num{-1000, 0, 1000}), {0, std::log(2.0), 1000}, 1e-15, 0);
    DF_NEAR(df::sigmoid(num{-1000, 0, 1000}), {0, 0.5, 1}, 1e-15, 0);
    DF_NEAR(df::elu(num{-1000, 1000}), {-1, 1000});
    DF_NEAR(df::elu(num(-1000.0), 0.5), {-0.5});
    DF_NEAR(df::leaky_relu(num{-2, 2}, 0.1), {-0.2, 2});
    DF_NEAR(df::gelu(num{-40, 0, 40}), {0, 0, 40});
    DF_NEAR(df::silu(num{-800, 0, 800}), {0, 0, 800});
    const auto softplus = [](num x) { return df::softplus(x); };
    CHECK(slope(softplus, 1000) == 1);
    CHECK(slope(softplus, -1000) == 0);
    const auto sigmoid = [](num x) { return df::sigmoid(x); };
    CHECK(slope(sigmoid, 40) == Approx(std::exp(-40.0)));   // 1 - y would be 0
    CHECK(bend(sigmoid, 0) == Approx(0).margin(1e-15));
}

TEST_CASE("derivatives at the kinks") {
    CHECK(slope([](num x) { return df::relu(x); }, 0) == 0);
    CHECK(slope([](num x) { return df::relu(x); }, 1) == 1);
    CHECK(slope([](num x) { return df::leaky_relu(x); }, 0) == 1);
    CHECK(slope([](num x) { return df::elu(x); }, 0) == 1);
    DF_NEAR(df::relu(whole{-3, 3}), {0, 3});
    DF_NEAR(df::square(whole{-3, 3}), {9, 9});
}

TEST_CASE("softmax is stable along any axis") {
    DF_NEAR(df::softmax(num{-1000, 1000}), {0, 1});
    DF_NEAR(df::log_softmax(num{-1000, 1000}), {-2000, 0});
    const num x{{1, 2, 3}, {3, 2, 1}};
    DF_NEAR(df::softmax(x, 0), {0.11920292202211755, 0.5, 0.8807970779778823, 0.8807970779778823, 0.5, 0.11920292202211755}, 1e-14, 0);
    DF_NEAR(df::exp(df::log_softmax(x, -1)), df::softmax(x));
    CHECK(df::softmax(num(std::vector<double>{}, {2, 0})).to_vector().empty());
    DF_NEAR(df::grad([](num v) { return df::softmax(v)[0]; })(num{-1000, 1000}), {0, 0});
    DF_THROWS_WITH(df::softmax(x, 2), df::shape_error, "softmax", "out of range", "compose_test.cpp");
    DF_THROWS_WITH(df::softmax(num(1.0)), df::shape_error, "softmax", "out of range");
}

TEST_CASE("cross entropy: one example, a batch, and each example of a batch") {
    const num logits{{1, 2, 3}, {1000, 0, -1000}};
    const whole labels{2, 1};
    const std::vector<double> losses{0.40760596444437998, 1000};
    DF_NEAR(df::softmax_cross_entropy(logits, labels), losses, 1e-14, 0);
    const auto loss = [](num x, whole y) { return df::softmax_cross_entropy(x, y); };
    DF_NEAR(df::pfor(2, [&](df::index i) { return loss(logits[i], labels[i]); }), losses, 1e-14, 0);
    const std::vector<double> slopes{0.09003057317038046, 0.24472847105479767, -0.33475904422517813, 1, -1, 0};
    DF_NEAR(df::pfor(2, [&](df::index i) { return df::grad(loss)(logits[i], labels[i]); }), slopes, 1e-13, 0);
    DF_NEAR(df::vjp([&](num x) { return loss(x, labels); })(logits).second(num{1, 1}), slopes, 1e-13, 0);
    CHECK(df::softmax_cross_entropy(num{1, 2, 3}, whole(-1)).item() == Approx(losses[0]));
    const df::tensor<float, 5, 3> x;
    static_assert(std::is_same_v<decltype(df::softmax_cross_entropy(x, df::tensor<std::int64_t, 5>())), df::tensor<float, 5>>);
    DF_THROWS_WITH(loss(num{1, 2, 3}, whole(3)), df::shape_error, "softmax_cross_entropy", "index 3 is out of range", "compose_test.cpp");
    DF_THROWS_WITH(loss(logits, whole{0, 1, 2}), df::shape_error, "softmax_cross_entropy", "sizes differ");
    DF_THROWS_WITH(loss(logits, whole(0)), df::shape_error, "softmax_cross_entropy", "ranks differ");
}

TEST_CASE("the gradient of per-example losses runs no loop") {
    auto f = df::function([](num xs, whole ys) {
        return df::pfor(xs.dim(0), [&](df::index i) { return df::grad([](num x, whole y) { return df::softmax_cross_entropy(x, y); })(xs[i], ys[i]); });
    });
    const std::string text = df::print(*f.graph(num{{1, 2, 3}, {3, 2, 1}}, whole{2, 1}));
    CHECK(text.find("loop") == std::string::npos);
    CHECK(text.find("softmax_cross_entropy") == std::string::npos);   // the loss itself is not needed
}

TEST_CASE("norms neither overflow nor underflow, and their derivative at zero is zero") {
    CHECK(df::norm(num{3, 4}).item() == 5);
    DF_NEAR(df::norm(num{1e-200, 0}), {1e-200}, 1e-15, 0);
    DF_NEAR(df::norm(num{3e200, 4e200}), {5e200}, 1e-15, 0);
    CHECK(df::norm(num{std::numeric_limits<double>::infinity(), 1}).item() == std::numeric_limits<double>::infinity());
    CHECK(df::norm(num(std::vector<double>{}, {0})).item() == 0);
    const num x{{3, 0}, {4, 0}};
    DF_NEAR(df::norm(x, 0), {5, 0});
    DF_NEAR(df::norm(x, {0, 1}), {5});
    CHECK(df::norm(x, 0, df::keepdims).rank() == 2);
    const auto norm = [](num v) { return df::norm(v); };
    DF_NEAR(df::grad(norm)(num{3, 4}), {0.6, 0.8});
    DF_NEAR(df::grad(norm)(num{0, 0}), {0, 0});
    DF_NEAR(df::grad([](num v) { return df::square(df::norm(v)); })(num{0, 0}), {0, 0});
    DF_NEAR(df::hessian(norm)(num{3, 4}), {0.128, -0.096, -0.096, 0.072});
    DF_NEAR(df::pfor(2, [&](df::index i) { return df::grad(norm)(x(df::all, i)); }), {0.6, 0.8, 0, 0});
}

TEST_CASE("layer_norm") {
    const num x{{1, 2, 3}, {5, 5, 5}};
    DF_NEAR(df::layer_norm(x), {-1.2247356859083902, 0, 1.2247356859083902, 0, 0, 0}, 1e-13, 1e-15);
    DF_NEAR(df::layer_norm(x, num{1, 2, 3}, num{1, 1, 1}, 0.5), {0.07417990022744858, 1, 3.777460299317654, 1, 1, 1}, 1e-13, 0);
    DF_NEAR(df::map([](num row) { return df::layer_norm(row); })(x), df::layer_norm(x), 1e-14, 1e-15);
}

TEST_CASE("a composition keeps its name until the last passes") {
    auto f = df::function([](num xs) { return df::pfor(xs.dim(0), [&](df::index i) { return df::silu(xs[i]); }); });
    bool named = false;
    for (auto& s : f.stages(num{1, 2})) if (s.name == "vectorize") named = df::print(*s.result).find("silu") != std::string::npos;
    CHECK(named);
}

}  // namespace
