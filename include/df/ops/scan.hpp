// Running along an axis: sums, products, and the linear recurrence that is the derivative of both.
#pragma once
#include <df/ops/reduce.hpp>

namespace df::inline DF_ABI {
namespace op {
/// y[i] = x[0] + … + x[i] along `axis`; from the end with `reverse`. Of bool and integers in int64.
extern const ir::op_def cumsum;
/// y[0] = `first`, y[i+1] = a[i] · y[i] + b[i] along `axis`; from the end with `reverse`.
extern const ir::op_def recurrence;
}  // namespace op

namespace ir {
/// The product of the elements before each, or after it, along `axis`.
value products_before(const value& x, int axis, bool after);
}  // namespace ir
namespace detail {
ir::value cumsum(const ir::value& x, std::int64_t axis, place at);
ir::value cumprod(const ir::value& x, std::int64_t axis, place at);
}  // namespace detail

/// The sums of the elements up to each, along an axis; the shape stays. Of bool and integers in int64. Throws shape_error
/// when the axis is out of range.
template <tensor_like X> auto cumsum(const X& x, std::int64_t axis, place at = place::here()) {
    return wrap<detail::widened<element_t<X>>, tensor_t<X>::dims>(detail::cumsum(x.value(), axis, at));
}
/// The products of the elements up to each, along an axis; the shape stays. Of bool and integers in int64. Throws
/// shape_error when the axis is out of range.
template <tensor_like X> auto cumprod(const X& x, std::int64_t axis, place at = place::here()) {
    return wrap<detail::widened<element_t<X>>, tensor_t<X>::dims>(detail::cumprod(x.value(), axis, at));
}

}  // namespace df::inline DF_ABI

#if DF_IMPL

namespace df::inline DF_ABI {
namespace ir {
DF_FN value products_before(const value& x, int axis, bool after) {
    return emit_one(op::recurrence, {x, zeros_like(x)}, {{"axis", axis}, {"first", 1}, {"reverse", after}});
}
}  // namespace ir
namespace detail {
DF_FN ir::value cumsum(const ir::value& x, std::int64_t axis, place at) {
    return ir::emit_one(op::cumsum, {x}, {{"axis", checked_axis(axis, x, "cumsum", at)}, {"reverse", false}}, at);
}
DF_FN ir::value cumprod(const ir::value& x, std::int64_t axis, place at) {
    const int a = checked_axis(axis, x, "cumprod", at);
    const ir::place_scope p(at);
    const auto wide = is_floating(x.element()) ? x : ir::convert(x, dtype::int64, at);
    return ir::products_before(wide, a, false) * wide;
}
}  // namespace detail

namespace ops::detail {
/// The lines of a layout along one axis: where they begin, and the way along one (from its end, if asked).
struct lines {
    shape outer;
    shape begin;                 // strides of the outer axes
    std::int64_t n = 0, step = 0, from = 0;
    lines(const core::layout& l, const shape& dims, int axis, bool reverse) : outer(dims.without(axis)), begin(l.strides.without(axis)), n(dims.d[axis]), step(l.strides.d[axis]) {
        if (reverse) from = (n - 1) * step, step = -step;
    }
};
inline void checked_scan_axis(ir::inference& q) {
    const auto axis = q.at.integer("axis");
    if (axis < 0 || axis >= q.dims(0).n) q.give(q.in[0].element, ruled(complaint::axis));
}
template <class X> ir::kernel_ptr cumsum_kernel(const lines& in, const lines& out) {
    using A = std::conditional_t<std::is_floating_point_v<X>, double, std::int64_t>;
    using Y = std::conditional_t<std::is_floating_point_v<X>, X, std::int64_t>;
    return make_kernel([=](void* const* io) {
        const X* x = static_cast<const X*>(io[0]) + in.from;
        Y* y = static_cast<Y*>(io[1]) + out.from;
        each<2>(out.outer, {in.begin, out.begin}, [&](std::int64_t p, std::int64_t q) {
            A sum{};
            for (std::int64_t i = 0; i < out.n; ++i) {
                sum = static_cast<A>(fn::add{}(sum, static_cast<A>(x[p + i * in.step])));
                y[q + i * out.step] = static_cast<Y>(sum);
            }
        });
    });
}
template <class T> ir::kernel_ptr recurrence_kernel(const lines& a, const lines& b, const lines& out, double first) {
    return make_kernel([=](void* const* io) {
        const T* x = static_cast<const T*>(io[0]) + a.from;
        const T* z = static_cast<const T*>(io[1]) + b.from;
        T* y = static_cast<T*>(io[2]) + out.from;
        each<3>(out.outer, {a.begin, b.begin, out.begin}, [&](std::int64_t p, std::int64_t q, std::int64_t r) {
            T state = static_cast<T>(first);
            for (std::int64_t i = 0; i < out.n; ++i) {
                y[r + i * out.step] = state;
                state = static_cast<T>(fn::add{}(static_cast<T>(fn::multiply{}(x[p + i * a.step], state)), z[q + i * b.step]));
            }
        });
    });
}
// Blocks of a running sum: the total so far.
inline constexpr ir::monoid running_sum{
    .identity = [](std::span<const ir::type>, std::span<const ir::type> out, const ir::attrs&) -> ir::values { return {ir::zeros(out[0].element, out[0].dims)}; },
    .lift = [](const ir::op_def&, const ir::values& in, const ir::attrs& at, const ir::value&) -> ir::values {
        const auto axis = at.integer("axis");
        return {ir::expand(ir::reduce(op::sum, in[0], {axis}), {static_cast<int>(axis)})};
    },
    .combine = [](const ir::values& a, const ir::values& b) -> ir::values { return {a[0] + b[0]}; },
    .finish = [](const ir::values& s) { return s; },
};
inline ir::value recur(const ir::rule_args& r, const ir::value& b, bool turned) {
    const bool reverse = r.at.flag("reverse") != turned;
    return ir::emit_one(op::recurrence, {r.in[0], b}, {{"axis", r.at.integer("axis")}, {"first", 0}, {"reverse", reverse}});
}
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def cumsum{
    .name = "cumsum",
    .doc = "the sums of the elements up to each; of bool and integers in int64",
    .infer = [](ir::inference& q) {
        ops::detail::checked_scan_axis(q);
        const auto t = q.in[0].element;
        q.give(is_floating(t) ? t : dtype::int64, q.dims(0));
    },
    .axes = [](const ir::axes_query& q) { return ops::axes_along(q, role::scan); },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const int axis = static_cast<int>(s.at.integer("axis")) + s.lanes;
        const bool reverse = s.at.flag("reverse");
        const auto& dims = s.out[0].dims;
        const ops::detail::lines in(s.in[0], dims, axis, reverse), out(s.out[0], dims, axis, reverse);
        return with_type(s.in[0].element, [&](auto x) { return ops::detail::cumsum_kernel<decltype(x)>(in, out); });
    },
    .transpose = [](args r, int) {
        return ir::emit_one(cumsum, {r.ct[0]}, {{"axis", r.at.integer("axis")}, {"reverse", !r.at.flag("reverse")}});
    },
    .linear = 1,
    .combines = &ops::detail::running_sum,
    .samples = "f(2,3) axis=1 reverse=0; f(2,3) axis=0 reverse=1; f(0,2) axis=0 reverse=0; i(3) axis=0 reverse=0; b(3) axis=0 reverse=1",
};
DF_RECORD ir::op_def recurrence{
    .name = "recurrence",
    .doc = "y[0] = first, y[i+1] = a[i] · y[i] + b[i]",
    .infer = [](ir::inference& q) {
        ops::detail::checked_scan_axis(q);
        const auto t = q.in[0].element;
        if (t != q.in[1].element) throw dtype_error(std::string("recurrence: mixed dtypes ") + name_of(t) + " and " + name_of(q.in[1].element) + "; write df::cast<T>(x)", q.where);
        if (t == dtype::boolean) throw dtype_error("recurrence: is not defined for bool; write df::cast<double>(x) first", q.where);
        if (!agree(q.dims(0), q.dims(1))) q.give(t, ruled(complaint::sizes));
        q.give(t, q.dims(0));
    },
    .axes = [](const ir::axes_query& q) { return ops::axes_along(q, role::scan); },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const int axis = static_cast<int>(s.at.integer("axis")) + s.lanes;
        const bool reverse = s.at.flag("reverse");
        const auto& dims = s.out[0].dims;
        const ops::detail::lines a(s.in[0], dims, axis, reverse), b(s.in[1], dims, axis, reverse), out(s.out[0], dims, axis, reverse);
        const auto first = static_cast<double>(s.at.integer("first"));
        return with_type(s.out[0].element, [&](auto t) -> ir::kernel_ptr {
            using T = decltype(t);
            if constexpr (std::is_same_v<T, bool>) return nullptr;
            else return ops::detail::recurrence_kernel<T>(a, b, out, first);
        });
    },
    // The adjoint state obeys the same recurrence from the other end.
    .vjp = [](args r) -> ir::values {
        const auto back = ops::detail::recur(r, r.ct[0], true);
        return {mulz(back, r.out[0]), back};
    },
    .jvp = [](args r) -> ir::values {
        const auto moved = r.ct[0] ? mulz(r.ct[0], r.out[0]) : ir::value{};
        return {ops::detail::recur(r, ir::sum_of(moved, r.ct[1]), false)};
    },
    .samples = "f(2,3) f(2,3) axis=1 first=1 reverse=0; f(2,3) f(2,3) axis=0 first=0 reverse=1; f(0) f(0) axis=0 first=1 reverse=0; k(3) i(3) axis=0 first=1 reverse=0",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
