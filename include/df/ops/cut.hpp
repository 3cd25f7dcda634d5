// Cutting and joining: slice, pad, concatenate. Their adjoints are each other.
#pragma once
#include <df/ops/layout.hpp>

namespace df::inline DF_ABI {
namespace op {
/// Every `step`-th element from `start`, `size` of them, per axis.
extern const ir::op_def slice;
/// Surrounds with a scalar (operand 1): `low` before, `high` after, `interior` between, per axis.
extern const ir::op_def pad;
/// Joins along `axis`.
extern const ir::op_def concatenate;
}  // namespace op

namespace ir {
value slice(const value& x, const ints& start, const shape& size, const ints& step, place where = {});
value pad(const value& x, const value& fill, const ints& low, const ints& high, const ints& interior, place where = {});
value concatenate(const values& parts, int axis, place where = {});
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
namespace ir {
DF_FN value slice(const value& x, const ints& start, const shape& size, const ints& step, place where) {
    return emit_one(op::slice, {x}, {{"start", start}, {"size", size}, {"step", step}}, where);
}
DF_FN value pad(const value& x, const value& fill, const ints& low, const ints& high, const ints& interior, place where) {
    return emit_one(op::pad, {x, fill}, {{"low", low}, {"high", high}, {"interior", interior}}, where);
}
DF_FN value concatenate(const values& parts, int axis, place where) { return emit_one(op::concatenate, parts, {{"axis", axis}}, where); }
}  // namespace ir

namespace ops::detail {
// Copies the own-axes block of a part into a block of the result.
inline void copy_block(const core::layout& from, const void* src, core::layout to, void* dst, std::int64_t offset) {
    to.dims = from.dims;
    core::copy_elements(from, static_cast<const std::byte*>(src), to, static_cast<std::byte*>(dst) + offset * static_cast<std::int64_t>(size_of(to.element)));
}
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def slice{
    .name = "slice",
    .doc = "every step-th element from start, size of them",
    .infer = [](ir::inference& q) {
        const auto &start = q.at.list("start"), &step = q.at.list("step");
        const auto size = q.at.sizes("size");
        const auto& s = q.dims(0);
        if (static_cast<int>(start.size()) != s.n || size.n != s.n || static_cast<int>(step.size()) != s.n) q.give(q.in[0].element, ruled(complaint::ranks));
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (is_symbol(s.d[i])) {
                if (start[i] != 0 || step[i] != 1 || size.d[i] != s.d[i]) q.give(q.in[0].element, ruled(complaint::range));
                continue;
            }
            if (size.d[i] < 0) q.give(q.in[0].element, ruled(complaint::negative));
            const auto last = start[i] + (size.d[i] - 1) * step[i];
            if (size.d[i] > 0 && (start[i] < 0 || start[i] >= s.d[i] || last < 0 || last >= s.d[i])) q.give(q.in[0].element, ruled(complaint::range));
        }
        q.give(q.in[0].element, size);
    },
    .axes = [](const ir::axes_query& q) {   // an axis taken whole maps
        axes r;
        labels x, y;
        const auto own = q.in[0].own(), to = q.out[0].own();
        const auto &start = q.at.list("start"), &step = q.at.list("step");
        for (int i = 0; i < own.n; ++i) {
            const bool whole = own.d[i] == to.d[i] && start[static_cast<std::size_t>(i)] == 0 && step[static_cast<std::size_t>(i)] == 1;
            x.push_back(r.fresh(whole ? role::map : role::window));
            y.push_back(whole ? x.back() : r.fresh(role::window));
        }
        r.in = {x};
        r.out = {y};
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        core::layout from = s.out[0], to = s.out[0];
        from.strides = s.in[0].strides;
        const auto &start = s.at.list("start"), &step = s.at.list("step");
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < start.size(); ++i) {
            const auto k = i + static_cast<std::size_t>(s.lanes);
            offset += start[i] * from.strides.d[k];
            from.strides.d[k] *= step[i];
        }
        offset *= static_cast<std::int64_t>(size_of(from.element));
        return ops::make_kernel([=](void* const* io) { core::copy_elements(from, static_cast<const std::byte*>(io[0]) + offset, to, static_cast<std::byte*>(io[1])); });
    },
    .view = [](const ir::site& s, core::layout& out, std::int64_t& offset) {
        if (out.dims.elements() == 0) return false;
        out.strides = s.in[0].strides;
        const auto &start = s.at.list("start"), &step = s.at.list("step");
        for (std::size_t i = 0; i < start.size(); ++i) {
            const auto k = i + static_cast<std::size_t>(s.lanes);
            offset += start[i] * out.strides.d[k];
            out.strides.d[k] *= step[i];
        }
        return true;
    },
    .transpose = [](args r, int) {   // zeros with the cotangent put back: low, interior and high padding
        const auto own = r.in[0].type().own(), to = r.out[0].type().own();
        ir::ints start = r.at.list("start"), step = r.at.list("step"), low, high, gap, turned;
        ir::value ct = r.ct[0];
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (step[i] < 0) {
                turned.push_back(static_cast<std::int64_t>(i));
                start[i] += (to.d[i] - 1) * step[i];
                step[i] = -step[i];
            }
            if (to.d[i] == 0) start[i] = 0;
            const bool whole = is_symbol(own.d[i]);
            low.push_back(start[i]);
            gap.push_back(step[i] - 1);
            const auto used = to.d[i] == 0 ? 0 : start[i] + (to.d[i] - 1) * step[i] + 1;
            high.push_back(whole ? 0 : own.d[i] - used);
        }
        if (!turned.empty()) ct = ir::emit_one(flip, {ct}, {{"axes", turned}});
        return ir::pad(ct, ir::literal(ct.element(), 0.0), low, high, gap);
    },
    .linear = 1,
    .samples = "f(4,3) start=1,0 size=2,3 step=1,1; f(5) start=4 size=3 step=-2; f(5) start=0 size=3 step=2; f(3) start=0 size=0 step=1",
};
DF_RECORD ir::op_def pad{
    .name = "pad",
    .doc = "surrounds with a scalar; negative amounts cut",
    .infer = [](ir::inference& q) {
        const auto &low = q.at.list("low"), &high = q.at.list("high"), &gap = q.at.list("interior");
        const auto& s = q.dims(0);
        if (static_cast<int>(low.size()) != s.n || low.size() != high.size() || low.size() != gap.size()) q.give(q.in[0].element, ruled(complaint::ranks));
        if (q.in[1].element != q.in[0].element) throw dtype_error(std::string("pad: mixed dtypes ") + name_of(q.in[0].element) + " and " + name_of(q.in[1].element) + "; write df::cast<T>(x)", q.where);
        shape to = s;
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (low[i] == 0 && high[i] == 0 && gap[i] == 0) continue;
            if (low[i] < 0 || high[i] < 0 || gap[i] < 0) q.give(q.in[0].element, ruled(complaint::negative));
            if (is_symbol(s.d[i])) q.give(q.in[0].element, ruled(complaint::range));
            to.d[i] = s.d[i] + low[i] + high[i] + (s.d[i] > 1 ? (s.d[i] - 1) * gap[i] : 0);
        }
        q.give(q.in[0].element, to);
    },
    .axes = [](const ir::axes_query& q) {
        axes r;
        labels x, y;
        const auto own = q.in[0].own(), to = q.out[0].own();
        for (int i = 0; i < own.n; ++i) {
            const bool same = own.d[i] == to.d[i];
            x.push_back(r.fresh(same ? role::map : role::window));
            y.push_back(same ? x.back() : r.fresh(role::window));
        }
        r.in = {x, {}};
        r.out = {y};
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        core::layout from = s.in[0], fill = s.out[0], to = s.out[0], inside = s.out[0];
        for (int i = 0; i < fill.rank(); ++i) fill.strides.d[i] = i < s.lanes ? s.in[1].strides.d[i] : 0;
        std::int64_t offset = 0;
        const auto &low = s.at.list("low"), &gap = s.at.list("interior");
        for (std::size_t i = 0; i < low.size(); ++i) {
            const auto k = i + static_cast<std::size_t>(s.lanes);
            inside.dims.d[k] = from.dims.d[k];
            offset += low[i] * inside.strides.d[k];
            inside.strides.d[k] *= gap[i] + 1;
        }
        offset *= static_cast<std::int64_t>(size_of(from.element));
        return ops::make_kernel([=](void* const* io) {
            core::copy_elements(fill, static_cast<const std::byte*>(io[1]), to, static_cast<std::byte*>(io[2]));
            core::copy_elements(from, static_cast<const std::byte*>(io[0]), inside, static_cast<std::byte*>(io[2]) + offset);
        });
    },
    .transpose = [](args r, int k) {
        const auto& low = r.at.list("low");
        ir::ints step;
        for (auto g : r.at.list("interior")) step.push_back(g + 1);
        const auto inside = ir::slice(r.ct[0], low, r.in[0].type().own(), step);
        if (k == 0) return inside;
        return ir::sum_to(r.ct[0], {}) - ir::sum_to(inside, {});
    },
    .linear = 3,
    .jointly_linear = true,
    .samples = "f(2,3) f() low=1,0 high=0,2 interior=0,0; f(3) f() low=0 high=0 interior=1; f(0) f() low=2 high=1 interior=0",
};
DF_RECORD ir::op_def concatenate{
    .name = "concatenate",
    .doc = "joins along an axis",
    .infer = [](ir::inference& q) {
        const auto axis = q.at.integer("axis");
        shape to = q.dims(0);
        if (axis < 0 || axis >= to.n) q.give(q.in[0].element, ruled(complaint::axis));
        for (std::size_t k = 1; k < q.in.size(); ++k) {
            if (q.in[k].element != q.in[0].element) throw dtype_error(std::string("concatenate: mixed dtypes ") + name_of(q.in[0].element) + " and " + name_of(q.in[k].element) + "; write df::cast<T>(x)", q.where);
            if (q.dims(k).n != to.n) q.give(q.in[0].element, ruled(complaint::ranks));
            for (int i = 0; i < to.n; ++i) if (i != axis && clash(q.dims(k).d[i], to.d[i])) q.give(q.in[0].element, ruled(complaint::sizes));
            if (is_symbol(to.d[axis]) || is_symbol(q.dims(k).d[axis])) q.fail("a size known only at run time along the joined axis", "join fixed sizes");
            to.d[axis] += q.dims(k).d[axis];
        }
        q.give(q.in[0].element, to);
    },
    .axes = [](const ir::axes_query& q) {
        axes r;
        labels l;
        const auto axis = q.at.integer("axis");
        for (int i = 0; i < q.in[0].own_rank(); ++i) l.push_back(r.fresh(i == axis ? role::opaque : role::map));
        r.in.assign(q.in.size(), l);
        for (auto& x : r.in) x[static_cast<std::size_t>(axis)] = r.fresh(role::opaque);
        r.out = {l};
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const auto axis = static_cast<std::size_t>(s.at.integer("axis") + s.lanes);
        std::vector<core::layout> parts(s.in.begin(), s.in.end());
        for (auto& p : parts)   // lanes an operand lacks repeat
            for (int i = 0; i < s.lanes; ++i) p.dims.d[i] = s.out[0].dims.d[i];
        const core::layout to = s.out[0];
        return ops::make_kernel([=](void* const* io) {
            std::int64_t offset = 0;
            for (std::size_t k = 0; k < parts.size(); ++k) {
                ops::detail::copy_block(parts[k], io[k], to, io[parts.size()], offset);
                offset += parts[k].dims.d[axis] * to.strides.d[axis];
            }
        });
    },
    .transpose = [](args r, int k) {
        const auto axis = r.at.integer("axis");
        const auto rank = static_cast<std::size_t>(r.out[0].rank());
        ir::ints start(rank), step(rank, 1);
        for (int i = 0; i < k; ++i) start[static_cast<std::size_t>(axis)] += r.in[static_cast<std::size_t>(i)].type().own().d[axis];
        return ir::slice(r.ct[0], start, r.in[static_cast<std::size_t>(k)].type().own(), step);
    },
    .linear = ir::all_operands,
    .jointly_linear = true,
    .samples = "f(2,3) f(1,3) axis=0; f(2,1) f(2,2) f(2,0) axis=1",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
