// Reductions by a monoid over any axes.
#pragma once
#include <df/ops/layout.hpp>
#include <df/ops/over_axes.hpp>

namespace df::inline DF_ABI {
namespace op {
/// Attribute `axes`: the operand's axes that disappear. Sums of bool and integers are int64.
extern const ir::op_def sum, prod, max, min;
/// Is any element, are all elements not zero?
extern const ir::op_def any, all;
/// The mean, the variance (divided by n) and its root; of bool and integers in double.
extern const ir::op_def mean, variance, stddev;
}  // namespace op

// Each reduces every axis, f(x), one, f(x, axis), or several, f(x, {0, 2}); df::keepdims at the end keeps them with size 1.
// An axis known to the compiler, f(x, 1_c), keeps the other static sizes. Throws shape_error when an axis is out of range
// or repeated.

/// The sum; of bool and integers in int64; 0 of nothing.
DF_REDUCTION(sum, detail::widened)
/// The product; of bool and integers in int64; 1 of nothing.
DF_REDUCTION(prod, detail::widened)
/// The largest element; NaN if there is one. Throws shape_error over an empty axis. Ties share the derivative.
DF_REDUCTION(max, detail::same)
/// The smallest element; NaN if there is one. Throws shape_error over an empty axis. Ties share the derivative.
DF_REDUCTION(min, detail::same)
/// Is any element not zero? False of nothing.
DF_REDUCTION(any, detail::truth_of)
/// The mean; of bool and integers in double; NaN of nothing.
DF_REDUCTION(mean, detail::averaged)
/// The mean of the squared distances from the mean; of bool and integers in double; NaN of nothing.
DF_REDUCTION(variance, detail::averaged)
/// The variance by its short name.
DF_REDUCTION_CALLS(var, variance, detail::averaged, )
/// The square root of the variance.
DF_REDUCTION(stddev, detail::averaged)

/// In a subscript "the whole axis"; called, whether all elements are not zero: true of nothing.
struct all_t {
    DF_REDUCTION_CALLS(operator(), all, detail::truth_of, const)
};
inline constexpr all_t all{};

namespace ir {
value reduce(const op_def& op, const value& x, const ints& axes, place where = {});
/// Sums the axes that broadcasting from `to` added or stretched: the adjoint of broadcasting.
value sum_to(const value& x, const shape& to);
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ir/monoid.hpp>
#include <df/ops/fold.hpp>
#include <df/ops/math.hpp>

namespace df::inline DF_ABI {
namespace ir {
value products_before(const value& x, int axis, bool after = false);   // ops/scan.hpp

DF_FN value reduce(const op_def& op, const value& x, const ints& axes, place where) {
    return emit_one(op, {x}, {{"axes", axes}}, where);
}
DF_FN value sum_to(const value& x, const shape& to) {
    const auto own = x.type().own();
    if (own == to) return x;
    ints axes;
    for (int i = 0, k = own.n - to.n; i < own.n; ++i)
        if (i < k || (to.d[i - k] == 1 && own.d[i] != 1)) axes.push_back(i);
    return reshape(axes.empty() ? x : reduce(op::sum, x, axes), to);
}
}  // namespace ir

namespace ops {
// Shape of a reduction that drops the axes in `axes`.
inline shape reduced(ir::inference& q) {
    const auto& axes = q.at.list("axes");
    const auto& s = q.dims(0);
    unsigned drop = 0;
    for (auto a : axes) {
        if (a < 0 || a >= s.n) q.give(q.in[0].element, ruled(complaint::axis));
        if (drop >> a & 1) q.give(q.in[0].element, ruled(complaint::repeated));
        drop |= 1u << a;
    }
    shape to;
    for (int i = 0; i < s.n; ++i) if (!(drop >> i & 1)) to.push_back(s.d[i]);
    return to;
}
inline axes axes_reduce(const ir::axes_query& q) {
    axes r;
    labels x, y;
    const auto& axes = q.at.list("axes");
    for (int i = 0; i < q.in[0].own_rank(); ++i) {
        const bool gone = contains(axes, i);
        x.push_back(r.fresh(gone ? role::reduce : role::map));
        if (!gone) y.push_back(x.back());
    }
    r.in = {x};
    r.out.assign(q.out.size(), y);
    return r;
}
/// `y`, a value of the reduction's result shape, repeated over the operand's shape.
inline ir::value spread(const ir::rule_args& r, const ir::value& y) {
    std::vector<int> axes;
    for (auto a : r.at.list("axes")) axes.push_back(static_cast<int>(a));
    return ir::broadcast_to(ir::expand(y, axes), r.in[0].type().own());
}

namespace detail {
template <bool Highest> ir::value extreme_of(const ir::type& t) {
    return with_type(t.element, [&](auto x) {
        constexpr auto e = extreme_of<decltype(x)>(Highest);
        if constexpr (std::is_floating_point_v<decltype(x)>) return ir::literal(t.element, static_cast<double>(e));
        else return ir::literal(t.element, static_cast<std::int64_t>(e));
    });
}
// Monoids whose state is the result: (record, record that combines, identity).
template <const ir::op_def& Combine, ir::value (*Identity)(const ir::type&)> inline constexpr ir::monoid plain{
    .identity = [](std::span<const ir::type>, std::span<const ir::type> out, const ir::attrs&) -> ir::values { return {ir::broadcast_to(Identity(out[0]), out[0].dims)}; },
    .lift = [](const ir::op_def& op, const ir::values& in, const ir::attrs& at, const ir::value&) { return ir::emit(op, in, at); },
    .combine = [](const ir::values& a, const ir::values& b) -> ir::values { return {Combine(a[0], b[0])}; },
    .finish = [](const ir::values& s) { return s; },
};
inline ir::value zero_of(const ir::type& t) { return ir::literal(t.element, 0.0); }
inline ir::value one_of(const ir::type& t) { return ir::literal(t.element, 1.0); }
inline void infer_sum(ir::inference& q) {
    const auto t = q.in[0].element;
    q.give(is_floating(t) ? t : dtype::int64, reduced(q));
}
inline void infer_extreme(ir::inference& q) {
    const auto to = reduced(q);
    for (auto a : q.at.list("axes")) if (q.dims(0).d[a] == 0 && (!to.known() || to.elements())) q.give(q.in[0].element, ruled(complaint::empty));
    q.give(q.in[0].element, to);
}
inline ir::value tie_weights(const ir::rule_args& r) {   // ties share the derivative
    const auto hit = ir::convert(op::equal(r.in[0], spread(r, r.out[0])), r.in[0].element());
    return hit / spread(r, ir::reduce(op::sum, hit, r.at.list("axes")));
}
inline void infer_mean(ir::inference& q) {
    const auto t = q.in[0].element;
    q.give(is_floating(t) ? t : dtype::float64, reduced(q));
}
inline ir::value averaged(const ir::value& x) { return is_floating(x.element()) ? x : ir::convert(x, dtype::float64); }
/// The product of sizes as a scalar, also where some are known only when the program runs.
inline ir::value count_of(dtype t, const shape& s) {
    double known = 1;
    ir::value r;
    for (auto n : s) {
        if (n >= 0) known *= static_cast<double>(n);
        else if (auto k = ir::reduce(op::sum, ir::broadcast_to(ir::literal(t, 1.0), {n}), {0}); r) r = r * k;
        else r = k;
    }
    return r ? known * r : ir::literal(t, known);
}
inline ir::value mean(const ir::value& x, const ir::ints& axes) {
    shape gone;
    for (auto a : axes) gone.push_back(x.type().own().d[a]);
    return ir::reduce(op::sum, x, axes) / count_of(x.element(), gone);
}
inline ir::value variance(const ir::rule_args& r) {
    const auto& axes = r.at.list("axes");
    const auto x = averaged(r.in[0]);
    const auto gap = x - ir::expand(mean(x, axes), std::vector<int>(axes.begin(), axes.end()));
    return mean(gap * gap, axes);
}
}  // namespace detail
}  // namespace ops

namespace op {
DF_RECORD ir::op_def sum{
    .name = "sum",
    .doc = "the sum over axes; of bool and integers in int64; 0 over none",
    .infer = ops::detail::infer_sum,
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::add_step>,
    .transpose = [](args r, int) { return ops::spread(r, r.ct[0]); },
    .linear = 1,
    .combines = &ops::detail::plain<add, ops::detail::zero_of>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; f(2,3) axes=; f(0,2) axes=0; i(3) axes=0; b(3) axes=0",
};
DF_RECORD ir::op_def prod{
    .name = "prod",
    .doc = "the product over axes; 1 over none",
    .infer = ops::detail::infer_sum,
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::multiply_step>,
    .weights = [](args r) {   // the product of the others, axis by axis: no division, so zeros are right at every order
        ir::value w, x = r.in[0];
        ir::ints axes = r.at.list("axes");
        std::sort(axes.rbegin(), axes.rend());
        std::vector<int> gone;   // reduced in x already
        for (auto a : axes) {
            const int axis = static_cast<int>(a);
            const auto others = ir::products_before(x, axis) * ir::products_before(x, axis, true);
            const auto whole = ir::broadcast_to(ir::expand(others, gone), r.in[0].type().own());
            w = w ? w * whole : whole;
            x = ir::reduce(prod, x, {a});
            gone.push_back(axis);
        }
        return w ? w : ir::broadcast_to(ops::detail::number(r, 1), r.in[0].type().own());
    },
    .combines = &ops::detail::plain<multiply, ops::detail::one_of>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; f(0,2) axes=0; i(3) axes=0",
};
DF_RECORD ir::op_def max{
    .name = "max",
    .doc = "the largest over axes; NaN wins; ties share the derivative",
    .infer = ops::detail::infer_extreme,
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::max_step>,
    .weights = ops::detail::tie_weights,
    .combines = &ops::detail::plain<maximum, ops::detail::extreme_of<false>>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; f(2,0) axes=0; i(3) axes=0",
};
DF_RECORD ir::op_def min{
    .name = "min",
    .doc = "the smallest over axes; NaN wins; ties share the derivative",
    .infer = ops::detail::infer_extreme,
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::min_step>,
    .weights = ops::detail::tie_weights,
    .combines = &ops::detail::plain<minimum, ops::detail::extreme_of<true>>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; i(3) axes=0",
};
DF_RECORD ir::op_def any{
    .name = "any",
    .doc = "is any element over axes not zero?",
    .infer = [](ir::inference& q) { q.give(dtype::boolean, ops::reduced(q)); },
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::any_step>,
    .no_derivative = true,
    .combines = &ops::detail::plain<bitwise_or, ops::detail::zero_of>,
    .samples = "b(2,3) axes=1; i(2,3) axes=0,1; f(2) axes=0; b(0,2) axes=0",
};
DF_RECORD ir::op_def all{
    .name = "all",
    .doc = "are all elements over axes not zero?",
    .infer = [](ir::inference& q) { q.give(dtype::boolean, ops::reduced(q)); },
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::all_step>,
    .no_derivative = true,
    .combines = &ops::detail::plain<bitwise_and, ops::detail::one_of>,
    .samples = "b(2,3) axes=1; i(2,3) axes=0,1; f(2) axes=0; b(0,2) axes=0",
};
DF_RECORD ir::op_def mean{
    .name = "mean",
    .doc = "the mean over axes; of bool and integers in double; NaN over none",
    .infer = ops::detail::infer_mean,
    .axes = ops::axes_reduce,
    .compose = [](args r) -> ir::values { return {ops::detail::mean(ops::detail::averaged(r.in[0]), r.at.list("axes"))}; },
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; i(3) axes=0; b(3) axes=0",
};
DF_RECORD ir::op_def variance{
    .name = "variance",
    .doc = "the mean over axes of the squared distances from the mean",
    .infer = ops::detail::infer_mean,
    .axes = ops::axes_reduce,
    .compose = [](args r) -> ir::values { return {ops::detail::variance(r)}; },
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; i(3) axes=0",
};
DF_RECORD ir::op_def stddev{
    .name = "stddev",
    .doc = "the square root of the variance over axes",
    .infer = ops::detail::infer_mean,
    .axes = ops::axes_reduce,
    .compose = [](args r) -> ir::values { return {sqrt(ops::detail::variance(r))}; },
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; i(3) axes=0",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
