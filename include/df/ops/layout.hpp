// Moving elements without computing: reshape, permute, broadcast, flip. Each one's adjoint is here or is a sum.
#pragma once
#include <df/ops/arith.hpp>

namespace df::inline DF_ABI {
namespace op {
/// The same elements in row-major order under other sizes; attribute `sizes`.
extern const ir::op_def reshape;
/// Axes in another order; attribute `perm`: result axis i is operand axis perm[i].
extern const ir::op_def permute;
/// Repeats along new leading axes and axes of size 1; attribute `sizes`.
extern const ir::op_def broadcast_to;
/// Reverses the axes in `axes`.
extern const ir::op_def flip;
}  // namespace op

namespace ir {
value reshape(const value& x, const shape& to, place where = {});
value permute(const value& x, const ints& perm, place where = {});
value broadcast_to(const value& x, const shape& to, place where = {});
/// `x` with axes of size 1 inserted so that axis positions `axes` of the result are new.
value expand(const value& x, const std::vector<int>& axes, place where = {});
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

DF_FN value reshape(const value& x, const shape& to, place where) {
    return x.type().own() == to ? x : emit_one(op::reshape, {x}, {{"sizes", to}}, where);
}
DF_FN value permute(const value& x, const ints& perm, place where) {
    bool moved = false;
    for (std::size_t i = 0; i < perm.size(); ++i) moved |= perm[i] != static_cast<std::int64_t>(i);
    return moved ? emit_one(op::permute, {x}, {{"perm", perm}}, where) : x;
}
DF_FN value broadcast_to(const value& x, const shape& to, place where) {
    return x.type().own() == to ? x : emit_one(op::broadcast_to, {x}, {{"sizes", to}}, where);
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
DF_FN value zeros(dtype t, const shape& s) { return broadcast_to(literal(t, 0.0), s); }
DF_FN value zeros_like(const value& x) { return zeros(x.element(), x.type().own()); }
}  // namespace ir

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
DF_RECORD ir::op_def reshape{
    .name = "reshape",
    .doc = "the same elements in row-major order under other sizes",
    .infer = [](ir::inference& q) {
        const auto to = q.at.sizes("sizes");
        for (auto d : to) if (d < 0 && !is_symbol(d)) q.fail(to_text(complaint::negative), ir::advice(complaint::negative));
        if (q.dims(0).known() && to.known() && q.dims(0).elements() != to.elements()) q.give(q.in[0].element, ruled(complaint::count));
        q.give(q.in[0].element, to);
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
        auto k = std::make_unique<ops::detail::reshape_kernel>();
        k->from = s.in[0];
        k->to = s.out[0];
        if (!s.out[0].contiguous()) k->workspace = s.out[0].bytes();
        return k;
    },
    .view = [](const ir::site& s, core::layout& out, std::int64_t&) {
        shape strides;
        if (!ops::detail::reshaped(s.in[0], s.lanes, out.dims, strides)) return false;
        for (int i = 0; i < s.lanes; ++i) strides.d[i] = s.in[0].strides.d[i];
        out.strides = strides;
        return true;
    },
    .transpose = [](args r, int) { return ir::reshape(r.ct[0], r.in[0].type().own()); },
    .linear = 1,
    .samples = "f(2,3) sizes=3,2; f(2,3) sizes=6; f(6) sizes=2,1,3; f(2,0) sizes=0,5; f() sizes=1,1",
};
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
        const auto r = broadcast_rule(q.dims(0), to);
        if (r.wrong == complaint::none && !(r.s == to)) q.give(q.in[0].element, ruled(complaint::broadcast));
        q.give(q.in[0].element, r);
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
        offset *= static_cast<std::int64_t>(size_of(from.element));
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
