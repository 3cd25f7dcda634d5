// The Euclidean norm, and scaling by it.
#pragma once
#include <df/ops/over_axes.hpp>
#include <df/ops/reduce.hpp>

namespace df::inline DF_ABI {
namespace op {
/// sqrt(Σ x²) over `axes`, without overflow or underflow; its derivative at 0 is 0.
extern const ir::op_def norm;
}  // namespace op

/// The 2-norm over all axes, one or several, of float or double: norm(x), norm(x, axis), norm(x, {0, 2}), each also with
/// df::keepdims. Safe from overflow and underflow; its derivative at 0 is 0. Throws shape_error when an axis is out of
/// range or repeated.
DF_REDUCTION(norm, detail::same)

namespace detail {
ir::value layer_norm(const ir::value& x, double eps, place at);
}  // namespace detail

/// (x - mean) / sqrt(variance + eps) over the last axis, of float or double.
template <tensor_like X> tensor_t<X> layer_norm(const X& x, double eps = 1e-5, place at = place::here()) {
    static_assert(std::floating_point<element_t<X>>, "df: layer_norm: needs float or double; write df::cast<double>(x)");
    return tensor_t<X>(detail::layer_norm(x.value(), eps, at), raw);
}
/// The same times `scale` plus `bias`, which broadcast.
template <tensor_like X, tensor_like S, tensor_like B> auto layer_norm(const X& x, const S& scale, const B& bias, double eps = 1e-5, place at = place::here()) {
    return add(multiply(layer_norm(x, eps, at), scale, at), bias, at);
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/activations.hpp>

namespace df::inline DF_ABI {
namespace ops::detail {
/// The size n as a scalar of dtype t.
inline ir::value count_of(dtype t, std::int64_t n) {
    if (n >= 0) return ir::literal(t, n);
    return ir::reduce(op::sum, ir::broadcast_to(ir::literal(t, 1.0), {n}), {0});
}
}  // namespace ops::detail

namespace detail {
DF_FN ir::value layer_norm(const ir::value& x, double eps, place at) {
    ir::place_scope here(at);
    const int last = checked_axis(-1, x, "layer_norm", at);
    const auto n = ops::detail::count_of(x.element(), x.type().own().d[last]);
    const auto mean = [&](const ir::value& v) { return ir::expand(ir::reduce(op::sum, v, {last}), {last}) / n; };
    const auto centered = x - mean(x);
    return centered * op::rsqrt(mean(op::square(centered)) + eps);
}
}  // namespace detail

namespace op {
DF_RECORD ir::op_def norm{
    .name = "norm",
    .doc = "sqrt(Σ x²) over axes, without overflow or underflow; its derivative at 0 is 0",
    .infer = [](ir::inference& q) {
        if (!is_floating(q.in[0].element)) throw dtype_error(std::string("norm: is not defined for ") + name_of(q.in[0].element) + "; write df::cast<double>(x) first", q.where);
        q.give(q.in[0].element, ops::reduced(q));
    },
    .axes = ops::axes_reduce,
    .compose = [](args r) -> ir::values {   // by the largest, where it is a number to divide by
        const auto& x = r.in[0];
        const auto& axes = r.at.list("axes");
        for (auto a : axes) if (x.type().own().d[a] == 0) return {ir::reduce(sum, x, axes)};
        const auto most = ir::reduce(max, abs(x), axes);
        const auto scale = select(bitwise_and(isfinite(most), greater(most, 0.0)), most, ops::detail::number_like(x, 1));
        const auto scaled = x / ops::spread(r, scale);
        return {scale * sqrt(ir::reduce(sum, scaled * scaled, axes))};
    },
    .weights = [](args r) -> ir::value {
        const auto zero = equal(r.out[0], 0.0);
        const auto safe = select(zero, ops::detail::number(r, 1), r.out[0]);
        return select(ops::spread(r, zero), ops::detail::number(r, 0), r.in[0] / ops::spread(r, safe));
    },
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; f(0,2) axes=0; f(3) axes=0",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
