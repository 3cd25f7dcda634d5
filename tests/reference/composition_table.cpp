// The table's entries for named compositions, and small programs made of several ops.
#include "reference.hpp"

#include <cmath>
#include <limits>

namespace reference {

namespace {

using num = df::tensor<double>;
using label = df::tensor<std::int64_t>;

// Enters f of the case's inputs, all double.
template <class F> void one(table& t, const std::string& name, F f) {
    t[name] = [f](const call& c) { return results(f(c.get<double>(0))); };
}
template <class F> void two(table& t, const std::string& name, F f) {
    t[name] = [f](const call& c) { return results(f(c.get<double>(0), c.get<double>(1))); };
}
template <class F> void three(table& t, const std::string& name, F f) {
    t[name] = [f](const call& c) { return results(f(c.get<double>(0), c.get<double>(1), c.get<double>(2))); };
}

void add_named(table& t) {
    on(t, "softmax", reals{}, [](const auto& x, const call& c) {
        return c.at.has("axis") ? results(df::softmax(x, c.at.integer("axis"))) : results(df::softmax(x));
    });
    on(t, "log_softmax", reals{}, [](const auto& x, const call& c) {
        return c.at.has("axis") ? results(df::log_softmax(x, c.at.integer("axis"))) : results(df::log_softmax(x));
    });
    on(t, "softmax_cross_entropy", reals{}, [](const auto& x, const call& c) {
        return df::softmax_cross_entropy(x, c.get<std::int64_t>(1));
    });
    three(t, "layer_norm", [](const num& x, const num& scale, const num& bias) { return df::layer_norm(x, scale, bias); });
    one(t, "layer_norm_plain", [](const num& x) { return df::layer_norm(x); });
}

void add_arithmetic_programs(table& t) {
    one(t, "literals", [](const num& x) { return (2 * x + 1) / x - 3 + 0.5 / x - (1 - x); });
    two(t, "compound_assignment", [](const num& a, const num& b) {
        num r = a;
        r += b;
        r *= b;
        r -= a;
        r /= b * b + 1;
        return r;
    });
    one(t, "*self", [](const num& x) { return x * x; });
    one(t, "product_with_stopped", [](const num& x) { return x * df::stop_gradient(x); });
    three(t, "unused_input", [](const num&, const num& a, const num& b) { return df::pow(a, b); });
    one(t, "x_times_one_minus_power", [](const num& x) { return x * (1 - df::pow(x, 1.1)); });
    two(t, "sum_product", [](const num& a, const num& b) { return df::sum(a * b); });
    one(t, "log_sech_squared", [](const num& x) { return 2 * (std::log(2.0) - x - df::softplus(-2 * x)); });
    t["product_of_nothing"] = [](const call& c) {
        return results(df::prod(df::take(c.get<double>(0), c.get<std::int64_t>(1), 0)));
    };
}

// An arm that is not taken contributes nothing, whatever stands in it.
void add_guards(table& t) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    one(t, "masked_sqrt", [](const num& x) { return df::where(x > 0, df::sqrt(x), 0); });
    one(t, "masked_infinity", [](const num& x) { return df::where(x > 0, 0, x * inf); });
    two(t, "masked_nan_factor", [](const num& beta, const num& x) {
        return df::where(df::tensor<bool>(false), beta * x, 1);
    });
    two(t, "radius_floor_max", [](const num& x, const num& y) { return df::maximum(df::sqrt(x * x + y * y), 1e-10); });
    two(t, "radius_floor_where", [](const num& x, const num& y) {
        const num r = df::sqrt(x * x + y * y);
        return df::where(r > 1e-10, r, 1e-10);
    });
    one(t, "guarded_row_norms", [](const num& rows) {
        const num r = df::sqrt(df::sum(df::square(rows), 1));
        return df::sum(df::where(r > 0.5, r, 1));
    });
    one(t, "value_at_argmax", [](const num& x) { return x[df::argmax(x)]; });
    one(t, "norm_squared", [](const num& x) { return df::square(df::norm(x)); });
    two(t, "residual_norm", [](const num& y, const num& r) { return 0.5 * df::square(df::norm(y - r)); });
}

void add_models(table& t) {
    three(t, "gauss_kernel", [](const num& p, const num& x, const num& y) {
        const num gap = x(df::all, df::none) - y;
        return df::sum(df::exp(-p(df::all, df::none, df::none) * df::square(gap)), -1);
    });
    one(t, "standardize", [](const num& x) {
        return (x - df::mean(x, 0, df::keepdims)) / df::sqrt(df::variance(x, 0, df::keepdims) + 0.1);
    });
    three(t, "attention", [](const num& q, const num& k, const num& v) {
        return df::matmul(df::softmax(df::matmul(q, df::transpose(k)) * 0.5, -1), v);
    });
    t["mlp"] = [](const call& c) {
        const num &w1 = c.get<double>(0), &b1 = c.get<double>(1), &w2 = c.get<double>(2), &b2 = c.get<double>(3);
        const num &x = c.get<double>(4), &y = c.get<double>(5);
        return results(df::square(df::dot(w2, df::tanh(df::matmul(w1, x) + b1)) + b2 - y));
    };
    t["convolution_net"] = [](const call& c) {
        const num &x = c.get<double>(0), &kernel = c.get<double>(1), &w = c.get<double>(2);
        const label& y = c.get<std::int64_t>(3);
        const num pooled = df::max_pool(df::relu(df::conv(x, kernel)), {2, 2}, {2, 2});
        return results(df::softmax_cross_entropy(df::matmul(df::reshape(pooled, {8}), w), y));
    };
}

} // namespace

void add_compositions(table& t) {
    add_named(t);
    add_arithmetic_programs(t);
    add_guards(t);
    add_models(t);
}

} // namespace reference
