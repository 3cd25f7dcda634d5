// Named elementwise compositions: square, reciprocal, and the activation functions of neural networks. They keep their
// names until the last passes.
#pragma once
#include <df/ops/math.hpp>

namespace df::inline DF_ABI {
namespace op {
extern const ir::op_def square, reciprocal, rsqrt, sigmoid, softplus, relu, gelu, silu;
/// Attribute `alpha`: the slope, or the lowest value negated, on the negative side.
extern const ir::op_def elu, leaky_relu;
}  // namespace op

namespace detail {
ir::value with_alpha(const ir::op_def& op, const ir::value& x, double alpha, place at);
}  // namespace detail

/// x · x, of any numeric dtype.
template <tensor_like X> operand_t<X> square(const X& x, place at = place::here()) { return operand_t<X>(detail::apply(op::square, x.value(), at), raw); }
/// The larger of x and 0, of any numeric dtype; its derivative at 0 is 0.
template <tensor_like X> operand_t<X> relu(const X& x, place at = place::here()) { return operand_t<X>(detail::apply(op::relu, x.value(), at), raw); }

// Each takes a tensor of float or double of any shape and returns one of the same shape.
#define DF_UNARY(name)                                                                                              \
    template <tensor_like X> operand_t<X> name(const X& x, place at = place::here()) {                              \
        static_assert(std::floating_point<element_t<X>>, "df: " #name ": needs float or double; write df::cast<double>(x)"); \
        return operand_t<X>(detail::apply(op::name, x.value(), at), raw);                                           \
    }
#define DF_UNARY_ALPHA(name, usual)                                                                                 \
    template <tensor_like X> operand_t<X> name(const X& x, double alpha = usual, place at = place::here()) {        \
        static_assert(std::floating_point<element_t<X>>, "df: " #name ": needs float or double; write df::cast<double>(x)"); \
        return operand_t<X>(detail::with_alpha(op::name, x.value(), alpha, at), raw);                               \
    }
/// 1 / x.
DF_UNARY(reciprocal)
/// 1 / sqrt(x).
DF_UNARY(rsqrt)
/// 1 / (1 + exp(-x)).
DF_UNARY(sigmoid)
/// log(1 + exp(x)) without overflow.
DF_UNARY(softplus)
/// x · Φ(x), Φ the normal distribution function (by erf, not by tanh).
DF_UNARY(gelu)
/// x · sigmoid(x).
DF_UNARY(silu)
/// x where it is positive, else alpha · (exp(x) - 1).
DF_UNARY_ALPHA(elu, 1)
/// x where it is not negative, else alpha · x.
DF_UNARY_ALPHA(leaky_relu, 0.01)
#undef DF_UNARY
#undef DF_UNARY_ALPHA

}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
namespace detail {
DF_FN ir::value with_alpha(const ir::op_def& op, const ir::value& x, double alpha, place at) { return ir::emit_one(op, {x}, {{"alpha", alpha}}, at); }
}  // namespace detail

namespace ops::detail {
inline void infer_numeric_composition(ir::inference& q) {
    if (q.in[0].element == dtype::boolean) throw dtype_error(std::string(q.op.name) + ": is not defined for bool; write df::cast<double>(x) first", q.where);
    q.give(q.in[0].element, q.dims(0));
}
inline void infer_floating_composition(ir::inference& q) {
    if (!is_floating(q.in[0].element)) throw dtype_error(std::string(q.op.name) + ": is not defined for " + name_of(q.in[0].element) + "; write df::cast<double>(x) first", q.where);
    q.give(q.in[0].element, q.dims(0));
}
/// An elementwise record made of others.
constexpr ir::op_def composed(const char* name, const char* doc, const char* samples, rule compose, rule partials = nullptr) {
    ir::op_def d;
    d.name = name;
    d.doc = doc;
    d.infer = infer_floating_composition;
    d.axes = axes_elementwise;
    d.compose = compose;
    d.partials = partials;
    d.elementwise = true;
    d.samples = samples;
    return d;
}
constexpr ir::op_def composed_numeric(const char* name, const char* doc, const char* samples, rule compose, rule partials = nullptr) {
    auto d = composed(name, doc, samples, compose, partials);
    d.infer = infer_numeric_composition;
    return d;
}
inline ir::value number_like(const ir::value& x, double n) { return ir::literal(x.element(), n); }
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def square = ops::detail::composed_numeric("square", "x · x", "f(2,3); i(2)",
    [](args r) -> ir::values { return {r.in[0] * r.in[0]}; });
DF_RECORD ir::op_def reciprocal = ops::detail::composed("reciprocal", "1 / x", "p(2,3)",
    [](args r) -> ir::values { return {1.0 / r.in[0]}; });
DF_RECORD ir::op_def rsqrt = ops::detail::composed("rsqrt", "1 / sqrt(x)", "p(2,3)",
    [](args r) -> ir::values { return {1.0 / sqrt(r.in[0])}; });
DF_RECORD ir::op_def sigmoid = ops::detail::composed("sigmoid", "1 / (1 + exp(-x))", "f(2,3)",
    [](args r) -> ir::values { return {1.0 / (exp(-r.in[0]) + 1.0)}; },
    [](args r) -> ir::values { return {r.out[0] * sigmoid(-r.in[0])}; });   // 1 - y would cancel at large x
DF_RECORD ir::op_def softplus = ops::detail::composed("softplus", "log(1 + exp(x)) without overflow", "f(2,3)",
    [](args r) -> ir::values { return {maximum(r.in[0], 0.0) + log1p(exp(-abs(r.in[0])))}; },
    [](args r) -> ir::values { return {sigmoid(r.in[0])}; });
DF_RECORD ir::op_def relu = ops::detail::composed_numeric("relu", "the larger of x and 0; its derivative at 0 is 0", "f(2,3); i(2)",
    [](args r) -> ir::values { return {maximum(r.in[0], 0.0)}; },
    [](args r) -> ir::values { return {select(greater(r.in[0], 0.0), ops::detail::number(r, 1), ops::detail::number(r, 0))}; });
DF_RECORD ir::op_def gelu = ops::detail::composed("gelu", "x · Φ(x), Φ the normal distribution function", "f(2,3)",
    [](args r) -> ir::values { return {0.5 * r.in[0] * (erf(0.7071067811865476 * r.in[0]) + 1.0)}; });
DF_RECORD ir::op_def silu = ops::detail::composed("silu", "x · sigmoid(x)", "f(2,3)",
    [](args r) -> ir::values { return {r.in[0] * sigmoid(r.in[0])}; });
DF_RECORD ir::op_def elu = ops::detail::composed("elu", "x where it is positive, else alpha · (exp(x) - 1)", "f(2,3) alpha=1.0; f(3) alpha=0.3",
    [](args r) -> ir::values {
        const auto& x = r.in[0];
        const auto positive = greater(x, 0.0);
        const auto low = expm1(select(positive, ops::detail::number_like(x, 0), x));   // no overflow where it is not taken
        return {select(positive, x, r.at.real("alpha", 1) * low)};
    });
DF_RECORD ir::op_def leaky_relu = ops::detail::composed("leaky_relu", "x where it is not negative, else alpha · x", "f(2,3) alpha=0.01; f(3) alpha=0.3",
    [](args r) -> ir::values {
        const auto& x = r.in[0];
        return {select(greater_equal(x, 0.0), x, r.at.real("alpha", 0.01) * x)};
    });
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
