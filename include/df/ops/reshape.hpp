// The same elements under other sizes: reshape, expand_dims, squeeze.
#pragma once
#include <df/ops/arith.hpp>
#include <df/ops/public.hpp>

namespace df::inline DF_ABI {

/// Shape of a reshape: one size of -1 is worked out from the others.
constexpr ruled reshape_rule(const shape& from, const shape& to) {
    if (to.any_rank()) return to;
    shape left = from;   // what is not yet matched by a symbol of `to`
    bool unknown = from.any_rank();
    for (auto d : from) unknown |= d == dyn;
    int hole = -1;
    std::int64_t have = 1, want = 1;
    for (int i = 0; i < to.n; ++i) {
        const auto d = to.d[i];
        if (d == dyn ? hole >= 0 : d < 0 && !is_symbol(d)) return complaint::negative;
        if (d == dyn) hole = i;
        if (d >= 0 && __builtin_mul_overflow(want, d, &want)) return complaint::count;
        if (!is_symbol(d)) continue;
        bool matched = false;
        for (auto& x : left) if (!matched && x == d) x = 1, matched = true;
        unknown |= !matched;
    }
    if (unknown) return to;
    int symbols = 0;
    std::int64_t symbol = 1;
    for (auto d : left) {
        if (is_symbol(d)) ++symbols, symbol = d;
        else have *= d;
    }
    if (hole < 0) return symbols == 0 && have != want ? ruled(complaint::count) : ruled(to);
    if (want == 0 || have % want != 0) return symbols ? ruled(to) : ruled(complaint::count);
    if (symbols > 1 || (symbols == 1 && have != want)) return to;
    shape r = to;
    r.d[hole] = symbols ? symbol : have / want;
    return r;
}
constexpr ruled expand_rule(const shape& s, std::int64_t axis) {
    if (s.any_rank()) return s;
    const int a = normal_axis(axis, s.n + 1);
    if (a < 0) return complaint::axis;
    return s.first(a) + shape{1} + s.from(a);
}
constexpr ruled squeeze_rule(const shape& s, std::int64_t axis) {
    if (s.any_rank()) return s;
    const int a = normal_axis(axis, s.n);
    if (a < 0) return complaint::axis;
    return clash(s.d[a], 1) ? ruled(complaint::single) : ruled(s.without(a));
}
constexpr ruled squeeze_rule(const shape& s) {
    shape r;
    for (auto d : s) {
        if (d == dyn) return shape::any();
        if (d != 1) r.push_back(d);
    }
    return s.any_rank() ? s : r;
}

namespace op {
/// The same elements in row-major order under other sizes; attribute `sizes`.
extern const ir::op_def reshape;
}  // namespace op

namespace detail {
ir::value reshape(const ir::value& x, const shape& to, place at);
ir::value expand_dims(const ir::value& x, const axis_list& axes, place at);
ir::value squeeze(const ir::value& x, const axis_list& axes, place at);
}  // namespace detail

/// The same elements in row-major order under other sizes, of which one may be -1 and is worked out: NumPy's reshape.
/// A view where the strides allow. Throws shape_error when the element counts differ.
template <tensor_like X> auto reshape(const X& x, const sizes& to, place at = place::here()) {
    return tensor<element_t<X>>(detail::reshape(x.value(), to.s, at), raw);
}
/// `reshape<2, 3>(x)`: sizes known to the compiler.
template <std::int64_t... D, tensor_like X> requires(sizeof...(D) > 0) auto reshape(const X& x, place at = place::here()) {
    constexpr ruled r = reshape_rule(tensor_t<X>::dims, shape{D...});
    DF_ASSERT_RULE("reshape", r);
    return wrap<element_t<X>, r.s>(detail::reshape(x.value(), shape{D...}, at));
}
/// Inserts axes of size 1; `axis` counts in the result: NumPy's expand_dims. A view. Throws shape_error when it is out of
/// range.
template <tensor_like X> auto expand_dims(const X& x, const detail::axis_list& axis, place at = place::here()) {
    return tensor<element_t<X>>(detail::expand_dims(x.value(), axis, at), raw);
}
template <tensor_like X, std::int64_t A> auto expand_dims(const X& x, size_constant<A> axis, place at = place::here()) {
    constexpr ruled r = expand_rule(tensor_t<X>::dims, A);
    DF_ASSERT_RULE("expand_dims", r);
    return wrap<element_t<X>, r.s>(detail::expand_dims(x.value(), axis, at));
}
/// Drops the axes of size 1, or the given ones: NumPy's squeeze. A view. Throws shape_error when a given axis has another
/// size.
template <tensor_like X> auto squeeze(const X& x, place at = place::here()) {
    return wrap<element_t<X>, squeeze_rule(tensor_t<X>::dims).s>(detail::squeeze(x.value(), {}, at));
}
template <tensor_like X> auto squeeze(const X& x, const detail::axis_list& axis, place at = place::here()) {
    return tensor<element_t<X>>(detail::squeeze(x.value(), axis, at), raw);
}
template <tensor_like X, std::int64_t A> auto squeeze(const X& x, size_constant<A> axis, place at = place::here()) {
    constexpr ruled r = squeeze_rule(tensor_t<X>::dims, A);
    DF_ASSERT_RULE("squeeze", r);
    return wrap<element_t<X>, r.s>(detail::squeeze(x.value(), axis, at));
}

namespace ir {
value reshape(const value& x, const shape& to, place where = {});
/// `x` with axes of size 1 inserted so that axis positions `axes` of the result are new.
value expand(const value& x, const std::vector<int>& axes, place where = {});
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/loops.hpp>

namespace df::inline DF_ABI {
namespace ir {
DF_FN value reshape(const value& x, const shape& to, place where) {
    return x.type().own() == to ? x : emit_one(op::reshape, {x}, {{"sizes", to}}, where);
}
DF_FN value expand(const value& x, const std::vector<int>& axes, place where) {
    const auto own = x.type().own();
    shape to;
    for (int i = 0, k = 0; i < own.n + static_cast<int>(axes.size()); ++i) {
        bool fresh = false;
        for (auto a : axes) fresh |= a == i;
        to.push_back(fresh ? 1 : own.d[k++]);
    }
    return reshape(x, to, where);
}
}  // namespace ir

namespace detail {
DF_FN ir::value reshape(const ir::value& x, const shape& to, place at) {
    const auto s = checked_rule(reshape_rule(present(x, "reshape", at).type().own(), to), x, "reshape", at);
    for (auto d : s)
        if (d == dyn) throw shape_error("reshape: the -1 in " + to_text(to) + " cannot be worked out for " + ir::to_text(x.type()) +
                                        ", whose sizes are known only when the program runs; name the size by x.dim(axis)", at);
    return ir::reshape(x, s, at);
}
DF_FN ir::value expand_dims(const ir::value& x, const axis_list& axes, place at) {
    std::vector<int> list;
    const int rank = present(x, "expand_dims", at).rank() + static_cast<int>(axes.list.size());
    for (auto a : axes.list) {
        const int k = normal_axis(a, rank);
        if (k < 0) throw shape_error("expand_dims: the axis is out of range: axis " + std::to_string(a) + " of a result of rank " + std::to_string(rank) + " from " + ir::to_text(x.type()) + "; " + ir::advice(complaint::axis), at);
        for (auto b : list) if (b == k) checked_rule(complaint::repeated, x, "expand_dims", at);
        list.push_back(k);
    }
    return ir::expand(x, list, at);
}
DF_FN ir::value squeeze(const ir::value& x, const axis_list& axes, place at) {
    const auto own = present(x, "squeeze", at).type().own();
    if (axes.all) return ir::reshape(x, squeeze_rule(own).s, at);
    const auto drop = axes.normalized(x, "squeeze", at);
    for (auto a : drop) checked_rule(squeeze_rule(own, a), x, "squeeze", at);
    shape to;
    for (int i = 0; i < own.n; ++i) if (!ops::contains(drop, i)) to.push_back(own.d[i]);
    return ir::reshape(x, to, at);
}
}  // namespace detail

namespace ops::detail {
// Strides of the own axes `to` over memory that lies as `from`; false when there are none.
inline bool reshaped(const core::layout& from, int lanes, const shape& to, shape& strides) {
    shape dims, steps;   // axes of the operand of size other than 1, neighbours merged where memory allows
    for (int i = lanes; i < from.rank(); ++i) {
        if (from.dims.d[i] == 1) continue;
        if (dims.n && steps.d[steps.n - 1] == from.strides.d[i] * from.dims.d[i]) {
            dims.d[dims.n - 1] *= from.dims.d[i];
            steps.d[steps.n - 1] = from.strides.d[i];
        } else {
            dims.push_back(from.dims.d[i]);
            steps.push_back(from.strides.d[i]);
        }
    }
    strides = to;
    int k = dims.n - 1;
    std::int64_t left = k >= 0 ? dims.d[k] : 1, step = k >= 0 ? steps.d[k] : 1;
    for (int i = to.n - 1; i >= lanes; --i) {
        strides.d[i] = step;
        if (to.d[i] == 1) continue;
        if (left == 1 && k > 0) {
            --k;
            left = dims.d[k];
            strides.d[i] = step = steps.d[k];
        }
        if (to.d[i] == 0 || left % to.d[i] != 0) return to.elements() == 0;
        left /= to.d[i];
        step *= to.d[i];
    }
    return true;
}
struct reshape_kernel final : ir::kernel {
    core::layout from, to;
    void run(void* const* io, std::byte* ws) const override {
        const core::layout row(from.element, from.dims), flat(to.element, to.dims);
        if (to.contiguous()) return core::copy_elements(from, static_cast<const std::byte*>(io[0]), row, static_cast<std::byte*>(io[1]));
        core::copy_elements(from, static_cast<const std::byte*>(io[0]), row, ws);
        core::copy_elements(flat, ws, to, static_cast<std::byte*>(io[1]));
    }
};
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def reshape{
    .name = "reshape",
    .doc = "the same elements in row-major order under other sizes",
    .infer = [](ir::inference& q) {
        const auto r = reshape_rule(q.dims(0), q.at.sizes("sizes"));
        for (auto d : r.s) if (d == dyn) q.give(q.in[0].element, ruled(complaint::negative));
        q.give(q.in[0].element, r);
    },
    .axes = [](const ir::axes_query& q) {   // equal leading and trailing axes map; the merged or split middle is opaque
        const auto a = q.in[0].own(), b = q.out[0].own();
        int front = 0, back = 0;
        const int least = a.n < b.n ? a.n : b.n;
        while (front < least && a.d[front] == b.d[front]) ++front;
        while (back < least - front && a.d[a.n - 1 - back] == b.d[b.n - 1 - back]) ++back;
        axes r;
        labels x, y;
        for (int i = 0; i < a.n; ++i) x.push_back(r.fresh(i < front || i >= a.n - back ? role::map : role::opaque));
        for (int i = 0; i < b.n; ++i) y.push_back(i < front ? x[static_cast<std::size_t>(i)] : i >= b.n - back ? x[static_cast<std::size_t>(i + a.n - b.n)] : r.fresh(role::opaque));
        r.in = {x};
        r.out = {y};
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        if (s.in[0].elements() != s.out[0].elements())   // sizes known only now
            throw shape_error("reshape: the element counts differ: " + to_text(s.in[0].dims.from(s.lanes)) + " and " + to_text(s.out[0].dims.from(s.lanes)) + "; " + ir::advice(complaint::count), s.where);
        auto k = std::make_unique<ops::detail::reshape_kernel>();
        k->from = s.in[0];
        k->to = s.out[0];
        if (!s.out[0].contiguous()) k->workspace = s.out[0].bytes();
        return k;
    },
    .view = [](const ir::site& s, core::layout& out, std::int64_t&) {
        shape strides;
        if (s.in[0].elements() != out.elements() || !ops::detail::reshaped(s.in[0], s.lanes, out.dims, strides)) return false;
        for (int i = 0; i < s.lanes; ++i) strides.d[i] = s.in[0].strides.d[i];
        out.strides = strides;
        return true;
    },
    .transpose = [](args r, int) { return ir::reshape(r.ct[0], r.in[0].type().own()); },
    .linear = 1,
    .samples = "f(2,3) sizes=3,2; f(2,6,1) sizes=2,3,2,1; f(2,3) sizes=6; f(6) sizes=2,1,3; f(2,0) sizes=0,5; f() sizes=1,1",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
