// Cutting and joining: slice, pad, concatenate. Their adjoints are each other. Stack, roll and diagonal are made of them.
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

namespace detail {
// A list of tensors of T, static or dynamic, and of indices: what joins take.
template <element T> struct joined {
    struct one {
        ir::value v;
        template <tensor_of<T> X> one(const X& x) : v(x.value()) {}
    };
    ir::values list;
    joined(std::initializer_list<one> parts) {
        for (auto& p : parts) list.push_back(p.v);
    }
    template <class R> requires requires(const R& r) { { *r.begin() } -> tensor_of<T>; }
    joined(const R& parts) {
        for (auto& p : parts) list.push_back(p.value());
    }
};
// (before, after) per axis
struct widths {
    std::vector<std::pair<std::int64_t, std::int64_t>> list;
    widths(std::initializer_list<std::pair<std::int64_t, std::int64_t>> w) : list(w) {}
    widths(std::vector<std::pair<std::int64_t, std::int64_t>> w) : list(std::move(w)) {}
};
ir::value concatenate(const ir::values& parts, std::int64_t axis, place at);
ir::value stack(const ir::values& parts, std::int64_t axis, place at);
ir::value pad(const ir::value& x, const widths& w, const ir::value& fill, place at);
ir::value roll(const ir::value& x, const axis_list& shift, const axis_list& axes, place at);
ir::value diagonal(const ir::value& x, std::int64_t k, std::int64_t axis1, std::int64_t axis2, place at);
}  // namespace detail

/// `concatenate({a, b}, axis)`: the tensors one after the other along an axis; a list in braces or a vector of tensors of
/// one dtype, of equal sizes but for that axis: NumPy's concatenate. Throws shape_error when sizes or ranks differ.
/// `stack({a, b}, axis)`: the same along a new axis: NumPy's stack; all sizes must be equal.
#define DF_JOINS(T)                                                                                                        \
    inline tensor<T> concatenate(const detail::joined<T>& parts, std::int64_t axis = 0, place at = place::here()) {        \
        return tensor<T>(detail::concatenate(parts.list, axis, at), raw);                                                  \
    }                                                                                                                      \
    inline tensor<T> stack(const detail::joined<T>& parts, std::int64_t axis = 0, place at = place::here()) {              \
        return tensor<T>(detail::stack(parts.list, axis, at), raw);                                                        \
    }
DF_JOINS(bool)
DF_JOINS(std::uint8_t)
DF_JOINS(std::int32_t)
DF_JOINS(std::int64_t)
DF_JOINS(float)
DF_JOINS(double)
#undef DF_JOINS
/// `pad(x, {{before, after}, …}, value)`: x surrounded by a number or a scalar of its dtype, `before` and `after` per axis
/// (one pair: for every axis): NumPy's pad with a constant. Throws shape_error for a negative width or another number of
/// pairs.
template <tensor_like X, class V = element_t<X>> auto pad(const X& x, const detail::widths& w, const V& value = V{}, place at = place::here()) {
    using T = element_t<X>;
    static_assert(operand_for<V, T>, "df: pad: the dtypes differ; write df::cast<T>(x)");
    return tensor<T>(detail::pad(x.value(), w, detail::value_of<T>(value), at), raw);
}
/// Moves the elements `shift` places along the axes (one shift for all, or one each), those pushed out come in at the
/// other end; without axes along the flattened x: NumPy's roll. Throws shape_error for an axis out of range.
template <tensor_like X> tensor_t<X> roll(const X& x, const detail::axis_list& shift, const detail::axis_list& axes = {}, place at = place::here()) {
    return tensor_t<X>(detail::roll(x.value(), shift, axes, at), raw);
}
/// The elements [i, i + k] of two axes, as a last axis: NumPy's diagonal. Throws shape_error unless x has two axes.
template <tensor_like X> auto diagonal(const X& x, std::int64_t k = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1, place at = place::here()) {
    return tensor<element_t<X>>(detail::diagonal(x.value(), k, axis1, axis2, at), raw);
}

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

namespace detail {
/// Every `step`-th of `count` elements from `start` along one axis.
inline ir::value slice_axis(const ir::value& x, int axis, std::int64_t start, std::int64_t count, std::int64_t step, place at) {
    auto size = x.type().own();
    ir::ints first(size.size()), steps(size.size(), 1);
    const auto a = static_cast<std::size_t>(axis);
    first[a] = count ? start : 0;
    steps[a] = step;
    size.d[axis] = count;
    return ir::slice(x, first, size, steps, at);
}
/// The size of an axis as a number; throws when it is known only at run time.
inline std::int64_t fixed_size(const ir::value& x, int axis, const char* who, place at) {
    const auto n = x.type().own().d[axis];
    if (is_symbol(n))
        throw shape_error(std::string(who) + ": axis " + std::to_string(axis) + " of " + ir::to_text(x.type()) + " has a size known only when the program runs; use an axis of fixed size", at);
    return n;
}
inline void some_parts(const ir::values& parts, const char* who, place at) {
    if (parts.empty()) throw shape_error(std::string(who) + ": there is nothing to join; give at least one tensor", at);
    for (auto& p : parts) present(p, who, at);
}
DF_FN ir::value concatenate(const ir::values& parts, std::int64_t axis, place at) {
    some_parts(parts, "concatenate", at);
    return ir::concatenate(parts, checked_axis(axis, parts[0], "concatenate", at), at);
}
DF_FN ir::value stack(const ir::values& parts, std::int64_t axis, place at) {
    some_parts(parts, "stack", at);
    const auto& first = parts[0].type();
    const int a = normal_axis(axis, parts[0].rank() + 1);
    if (a < 0) throw shape_error("stack: the axis is out of range: axis " + std::to_string(axis) + " of a stack of " + ir::to_text(first) + "; " + ir::advice(complaint::axis), at);
    ir::values rows;
    for (auto& p : parts) {
        if (!agree(p.type().own(), first.own()))
            throw shape_error("stack: the sizes differ: " + ir::to_text(first) + ", " + ir::to_text(p.type()) + "; " + ir::advice(complaint::sizes), at);
        rows.push_back(ir::expand(p, {a}, at));
    }
    return ir::concatenate(rows, a, at);
}
DF_FN ir::value pad(const ir::value& x, const widths& w, const ir::value& fill, place at) {
    const auto rank = static_cast<std::size_t>(present(x, "pad", at).rank());
    if (w.list.size() != rank && w.list.size() != 1)
        throw shape_error("pad: " + std::to_string(w.list.size()) + " pairs of widths for " + ir::to_text(x.type()) + "; give a pair (before, after) for each axis", at);
    ir::ints low, high;
    for (std::size_t i = 0; i < rank; ++i) {
        const auto& [before, after] = w.list[w.list.size() == 1 ? 0 : i];
        low.push_back(before);
        high.push_back(after);
    }
    return ir::pad(x, fill, low, high, ir::ints(rank), at);
}
DF_FN ir::value roll(const ir::value& given, const axis_list& shift, const axis_list& axes, place at) {
    const auto own = present(given, "roll", at).type().own();
    auto x = axes.all ? detail::reshape(given, {-1}, at) : given;
    const auto along = axes.all ? ir::ints{0} : axes.normalized(x, "roll", at);
    if (shift.list.size() != 1 && shift.list.size() != along.size())
        throw shape_error("roll: " + std::to_string(shift.list.size()) + " shifts for " + std::to_string(along.size()) + " axes; give one shift, or one for each axis", at);
    for (std::size_t i = 0; i < along.size(); ++i) {
        const int a = static_cast<int>(along[i]);
        const auto n = fixed_size(x, a, "roll", at);
        const auto s = n ? (shift.list[shift.list.size() == 1 ? 0 : i] % n + n) % n : 0;
        if (s) x = ir::concatenate({slice_axis(x, a, n - s, s, 1, at), slice_axis(x, a, 0, n - s, 1, at)}, a, at);
    }
    return ir::reshape(x, own, at);
}
DF_FN ir::value diagonal(const ir::value& given, std::int64_t k, std::int64_t axis1, std::int64_t axis2, place at) {
    if (present(given, "diagonal", at).rank() < 2) checked_rule(complaint::rank, given, "diagonal", at);
    const auto x = moveaxis(given, axis_list{axis1, axis2}, {-2, -1}, at);
    const auto own = x.type().own();
    const auto n = fixed_size(x, own.n - 2, "diagonal", at), m = fixed_size(x, own.n - 1, "diagonal", at);
    const auto right = k < 0 ? 0 : k < m ? k : m, down = k > 0 ? 0 : -k < n ? -k : n;
    const auto count = n - down < m - right ? n - down : m - right;
    const auto flat = ir::reshape(x, own.first(own.n - 2) + shape{n * m}, at);
    return slice_axis(flat, own.n - 2, down * m + right, count, m + 1, at);
}
}  // namespace detail

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
        offset *= to.elements() ? static_cast<std::int64_t>(size_of(from.element)) : 0;
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
        if (q.dims(1).n != 0) q.fail("the fill is not a scalar", "fill with a number, or with a tensor of rank 0");
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
        offset *= to.elements() ? static_cast<std::int64_t>(size_of(from.element)) : 0;
        return ops::make_kernel([=](void* const* io) {
            core::copy_elements(fill, static_cast<const std::byte*>(io[1]), to, static_cast<std::byte*>(io[2]));
            core::copy_elements(from, static_cast<const std::byte*>(io[0]), inside, static_cast<std::byte*>(io[2]) + offset);
        });
    },
    .transpose = [](args r, int k) {
        const auto& low = r.at.list("low");
        ir::ints step;
        for (auto g : r.at.list("interior")) step.push_back(g + 1);
        if (k == 0) return ir::slice(r.ct[0], low, r.in[0].type().own(), step);
        const auto fill = ir::pad(ir::zeros(dtype::boolean, r.in[0].type().own()), ir::literal(dtype::boolean, std::int64_t{1}), low, r.at.list("high"), r.at.list("interior"));
        return ir::sum_to(select(fill, r.ct[0], ir::literal(r.ct[0].element(), 0.0)), {});
    },
    .linear = 3,
    .jointly_linear = true,
    .samples = "f(2,3) f() low=1,0 high=0,2 interior=0,0; f(2,3) f() low=0,1 high=0,1 interior=0,0; f(3) f() low=0 high=0 interior=1; f(0) f() low=2 high=1 interior=0",
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
