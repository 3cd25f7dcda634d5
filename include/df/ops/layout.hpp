// Moving elements without computing: permute, broadcast, flip. Each one's adjoint is here or is a sum.
#pragma once
#include <df/ops/reshape.hpp>

namespace df::inline DF_ABI {

/// Shape of broadcasting to exactly `to`.
constexpr ruled broadcast_to_rule(const shape& from, const shape& to) {
    const ruled r = broadcast_rule(from, to);
    if (r.wrong != complaint::none || r.s.any_rank()) return r;
    return r.s.n == to.n && agree(r.s, to) ? ruled(r.s) : ruled(complaint::broadcast);
}
constexpr shape reversed(const shape& s) {
    shape r = s;
    for (int i = 0; i < s.n; ++i) r.d[i] = s.d[s.n - 1 - i];
    return r;
}

namespace op {
/// Axes in another order; attribute `perm`: result axis i is operand axis perm[i].
extern const ir::op_def permute;
/// Repeats along new leading axes and axes of size 1; attribute `sizes`.
extern const ir::op_def broadcast_to;
/// Reverses the axes in `axes`.
extern const ir::op_def flip;
}  // namespace op

namespace detail {
ir::value transpose(const ir::value& x, const axis_list& perm, const char* who, place at);   // all: reversed
ir::value moveaxis(const ir::value& x, const axis_list& from, const axis_list& to, place at);
ir::value swapaxes(const ir::value& x, std::int64_t a, std::int64_t b, place at);
ir::value broadcast_to(const ir::value& x, const shape& to, place at);
ir::value flip(const ir::value& x, const axis_list& axes, place at);
}  // namespace detail

/// The axes in reverse order: NumPy's transpose. A view.
template <tensor_like X> auto transpose(const X& x, place at = place::here()) {
    return wrap<element_t<X>, reversed(tensor_t<X>::dims)>(detail::transpose(x.value(), {}, "transpose", at));
}
/// Result axis i is axis perm[i] of x; negative axes count from the end. A view. Throws shape_error unless every axis is
/// named once. `permute` is another name of it.
template <tensor_like X> auto transpose(const X& x, const detail::axis_list& perm, place at = place::here()) {
    return tensor<element_t<X>>(detail::transpose(x.value(), perm, "transpose", at), raw);
}
template <tensor_like X> auto permute(const X& x, const detail::axis_list& perm, place at = place::here()) {
    return tensor<element_t<X>>(detail::transpose(x.value(), perm, "permute", at), raw);
}
/// Moves axes to other places, the rest keeps its order: NumPy's moveaxis. A view.
template <tensor_like X> auto moveaxis(const X& x, const detail::axis_list& source, const detail::axis_list& destination, place at = place::here()) {
    return tensor<element_t<X>>(detail::moveaxis(x.value(), source, destination, at), raw);
}
/// Exchanges two axes. A view.
template <tensor_like X> auto swapaxes(const X& x, std::int64_t a, std::int64_t b, place at = place::here()) {
    return tensor<element_t<X>>(detail::swapaxes(x.value(), a, b, at), raw);
}
/// Repeats x along new leading axes and along axes of size 1: NumPy's broadcast_to. A view: nothing is copied. Throws
/// shape_error when the sizes do not broadcast.
template <tensor_like X> auto broadcast_to(const X& x, const sizes& to, place at = place::here()) {
    return tensor<element_t<X>>(detail::broadcast_to(x.value(), to.s, at), raw);
}
template <std::int64_t... D, tensor_like X> requires(sizeof...(D) > 0) auto broadcast_to(const X& x, place at = place::here()) {
    constexpr ruled r = broadcast_to_rule(tensor_t<X>::dims, shape{D...});
    DF_ASSERT_RULE("broadcast_to", r);
    return wrap<element_t<X>, shape{D...}>(detail::broadcast_to(x.value(), shape{D...}, at));
}
/// Reverses the elements along all axes, or the given ones: NumPy's flip. A view.
template <tensor_like X> tensor_t<X> flip(const X& x, const detail::axis_list& axes = {}, place at = place::here()) {
    return tensor_t<X>(detail::flip(x.value(), axes, at), raw);
}

namespace ir {
value permute(const value& x, const ints& perm, place where = {});
value broadcast_to(const value& x, const shape& to, place where = {});
/// A tensor of zeros (a stride-0 view of one zero).
value zeros(dtype t, const shape& s);
value zeros_like(const value& x);
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/loops.hpp>

namespace df::inline DF_ABI {
namespace ir {
value sum_to(const value& x, const shape& to);   // ops/reduce.hpp

DF_FN value permute(const value& x, const ints& perm, place where) {
    bool moved = false;
    for (std::size_t i = 0; i < perm.size(); ++i) moved |= perm[i] != static_cast<std::int64_t>(i);
    return moved ? emit_one(op::permute, {x}, {{"perm", perm}}, where) : x;
}
DF_FN value broadcast_to(const value& x, const shape& to, place where) {
    return x.type().own() == to ? x : emit_one(op::broadcast_to, {x}, {{"sizes", to}}, where);
}
DF_FN value zeros(dtype t, const shape& s) { return broadcast_to(literal(t, 0.0), s); }
DF_FN value zeros_like(const value& x) { return zeros(x.element(), x.type().own()); }
}  // namespace ir

namespace detail {
DF_FN ir::value transpose(const ir::value& x, const axis_list& perm, const char* who, place at) {
    auto list = perm.normalized(x, who, at);
    if (static_cast<int>(list.size()) != x.rank()) checked_rule(complaint::ranks, x, who, at);
    return ir::permute(x, perm.all ? ir::ints(list.rbegin(), list.rend()) : list, at);
}
DF_FN ir::value moveaxis(const ir::value& x, const axis_list& from, const axis_list& to, place at) {
    const auto source = from.normalized(x, "moveaxis", at), target = to.normalized(x, "moveaxis", at);
    if (source.size() != target.size())
        throw shape_error("moveaxis: " + std::to_string(source.size()) + " axes and " + std::to_string(target.size()) + " places; give each axis its place", at);
    ir::ints perm(static_cast<std::size_t>(x.rank()), -1);
    for (std::size_t i = 0; i < source.size(); ++i) perm[static_cast<std::size_t>(target[i])] = source[i];
    std::int64_t next = 0;
    for (auto& p : perm) {
        if (p >= 0) continue;
        while (ops::contains(source, next)) ++next;
        p = next++;
    }
    return ir::permute(x, perm, at);
}
DF_FN ir::value swapaxes(const ir::value& x, std::int64_t a, std::int64_t b, place at) {
    const auto i = checked_axis(a, x, "swapaxes", at), j = checked_axis(b, x, "swapaxes", at);
    auto perm = axis_list{}.normalized(x, "swapaxes", at);
    std::swap(perm[static_cast<std::size_t>(i)], perm[static_cast<std::size_t>(j)]);
    return ir::permute(x, perm, at);
}
DF_FN ir::value broadcast_to(const ir::value& x, const shape& to, place at) { return ir::broadcast_to(present(x, "broadcast_to", at), to, at); }
DF_FN ir::value flip(const ir::value& x, const axis_list& axes, place at) {
    return ir::emit_one(op::flip, {x}, {{"axes", axes.normalized(x, "flip", at)}}, at);
}
}  // namespace detail

namespace ops::detail {
// The label of every axis is fresh and maps, but for those in `odd`, which get role r on both sides.
template <class P> axes axes_same(const ir::axes_query& q, P odd, role r) {
    axes a;
    labels l;
    for (int i = 0; i < q.in[0].own_rank(); ++i) l.push_back(a.fresh(odd(i) ? r : role::map));
    a.in.assign(q.in.size(), l);
    a.out = {l};
    for (std::size_t k = 1; k < q.in.size(); ++k) if (q.in[k].own_rank() == 0) a.in[k].clear();
    return a;
}
inline void fill_elements(const core::layout& to, void* dst, const void* one) {
    core::layout from = to;
    from.strides = shape{};
    from.strides.n = to.rank();
    core::copy_elements(from, static_cast<const std::byte*>(one), to, static_cast<std::byte*>(dst));
}
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def permute{
    .name = "permute",
    .doc = "axes in another order",
    .infer = [](ir::inference& q) {
        const auto& perm = q.at.list("perm");
        const auto& s = q.dims(0);
        if (static_cast<int>(perm.size()) != s.n) q.give(q.in[0].element, ruled(complaint::ranks));
        shape to;
        unsigned seen = 0;
        for (auto p : perm) {
            if (p < 0 || p >= s.n) q.give(q.in[0].element, ruled(complaint::axis));
            if (seen >> p & 1) q.give(q.in[0].element, ruled(complaint::repeated));
            seen |= 1u << p;
            to.push_back(s.d[p]);
        }
        q.give(q.in[0].element, to);
    },
    .axes = [](const ir::axes_query& q) {
        axes r;
        labels x, y;
        for (int i = 0; i < q.in[0].own_rank(); ++i) x.push_back(r.fresh(role::map));
        for (auto p : q.at.list("perm")) y.push_back(x[static_cast<std::size_t>(p)]);
        r.in = {x};
        r.out = {y};
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        auto k = std::make_unique<ops::detail::convert_kernel>();
        k->from = s.in[0];
        const auto& perm = s.at.list("perm");
        for (std::size_t i = 0; i < perm.size(); ++i) {
            k->from.dims.d[static_cast<std::size_t>(s.lanes) + i] = s.in[0].dims.d[s.lanes + perm[i]];
            k->from.strides.d[static_cast<std::size_t>(s.lanes) + i] = s.in[0].strides.d[s.lanes + perm[i]];
        }
        k->to = s.out[0];
        return k;
    },
    .view = [](const ir::site& s, core::layout& out, std::int64_t&) {
        const auto& perm = s.at.list("perm");
        out.strides = s.in[0].strides;
        for (std::size_t i = 0; i < perm.size(); ++i) out.strides.d[static_cast<std::size_t>(s.lanes) + i] = s.in[0].strides.d[s.lanes + perm[i]];
        return true;
    },
    .transpose = [](args r, int) {
        const auto& perm = r.at.list("perm");
        ir::ints back(perm.size());
        for (std::size_t i = 0; i < perm.size(); ++i) back[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
        return ir::permute(r.ct[0], back);
    },
    .linear = 1,
    .samples = "f(2,3) perm=1,0; f(2,1,3) perm=2,0,1; f(2) perm=0; f(2,0) perm=1,0",
};
DF_RECORD ir::op_def broadcast_to{
    .name = "broadcast_to",
    .doc = "repeats along new leading axes and axes of size 1",
    .infer = [](ir::inference& q) {
        const auto to = q.at.sizes("sizes");
        for (auto d : to) if (d < 0 && !is_symbol(d)) q.give(q.in[0].element, ruled(complaint::negative));
        q.give(q.in[0].element, broadcast_to_rule(q.dims(0), to));
    },
    .axes = ops::axes_elementwise,
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        auto k = std::make_unique<ops::detail::convert_kernel>();
        const auto st = ops::detail::broadcast_strides(s.in[0], s.out[0].dims, s.lanes);
        k->from = s.out[0];
        k->from.element = s.in[0].element;
        for (std::size_t i = 0; i < s.out[0].dims.size(); ++i) k->from.strides.d[i] = st[i];
        k->to = s.out[0];
        return k;
    },
    .view = [](const ir::site& s, core::layout& out, std::int64_t&) {
        const auto st = ops::detail::broadcast_strides(s.in[0], out.dims, s.lanes);
        out.strides.n = out.dims.n;
        for (std::size_t i = 0; i < out.dims.size(); ++i) out.strides.d[i] = st[i];
        return true;
    },
    .transpose = [](args r, int) { return ir::sum_to(r.ct[0], r.in[0].type().own()); },
    .linear = 1,
    .samples = "f(3) sizes=2,3; f(2,1) sizes=2,3; f() sizes=2; f(1) sizes=0",
};
DF_RECORD ir::op_def flip{
    .name = "flip",
    .doc = "reverses axes",
    .infer = [](ir::inference& q) { q.give(q.in[0].element, q.dims(0)); },
    .axes = [](const ir::axes_query& q) {
        return ops::detail::axes_same(q, [&](int i) { return ops::contains(q.at.list("axes"), i); }, role::opaque);
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        core::layout from = s.in[0], to = s.out[0];
        std::int64_t offset = 0;
        for (auto a : s.at.list("axes")) {
            const auto k = static_cast<std::size_t>(a + s.lanes);
            offset += (from.dims.d[k] - 1) * from.strides.d[k];
            from.strides.d[k] = -from.strides.d[k];
        }
        offset *= to.elements() ? static_cast<std::int64_t>(size_of(from.element)) : 0;
        return ops::make_kernel([=](void* const* io) { core::copy_elements(from, static_cast<const std::byte*>(io[0]) + offset, to, static_cast<std::byte*>(io[1])); });
    },
    .view = [](const ir::site& s, core::layout& out, std::int64_t& offset) {
        if (out.dims.elements() == 0) return false;
        out.strides = s.in[0].strides;
        for (auto a : s.at.list("axes")) {
            const auto k = static_cast<std::size_t>(a + s.lanes);
            offset += (out.dims.d[k] - 1) * out.strides.d[k];
            out.strides.d[k] = -out.strides.d[k];
        }
        return true;
    },
    .transpose = [](args r, int) { return ir::emit_one(flip, {r.ct[0]}, r.at); },
    .linear = 1,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; f(0,2) axes=0",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
