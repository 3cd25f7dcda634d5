// Blocks of fixed size at a place known when the program runs: dynamic_slice reads one, dynamic_update_slice writes one.
// Each is the other's adjoint.
#pragma once
#include <df/ops/cut.hpp>

namespace df::inline DF_ABI {

namespace op {
/// The block of operand 0 of attribute `size` that starts at the int64 scalars behind it, one for each axis.
extern const ir::op_def dynamic_slice;
/// Operand 0 with operand 1 written over the block that starts at the int64 scalars behind them.
extern const ir::op_def dynamic_update_slice;
}  // namespace op

namespace detail {
// Where a block starts: a number or an integer scalar for each axis, or one vector of them.
struct starts {
    struct one {
        ir::value v;
        template <std::integral I> one(I i) : v(literal_value<std::int64_t>(i)) {}
        template <tensor_like X> requires std::same_as<element_t<X>, std::int64_t> || std::same_as<element_t<X>, std::int32_t>
        one(const X& x) : v(x.value()) {}
    };
    ir::values list;
    starts(std::initializer_list<one> s) {
        for (auto& x : s) list.push_back(x.v);
    }
    starts(const std::vector<std::int64_t>& s) {
        for (auto x : s) list.push_back(one(x).v);
    }
    template <tensor_like X> requires std::same_as<element_t<X>, std::int64_t> || std::same_as<element_t<X>, std::int32_t>
    starts(const X& x) : list{x.value()} {}
};
ir::value dynamic_slice(const ir::value& x, const starts& s, const shape& size, place at);
ir::value dynamic_update_slice(const ir::value& x, const ir::value& update, const starts& s, place at);
}  // namespace detail

/// `dynamic_slice(x, {i, j}, {2, 3})`: the block of size [2, 3] at (i, j); the starts are numbers, indices or integer
/// scalars, one for each axis, or one vector. A negative start counts from the end; a start outside is moved so that the
/// block lies inside: JAX's lax.dynamic_slice. Throws shape_error when the block is larger than x.
template <tensor_like X> auto dynamic_slice(const X& x, const detail::starts& start, const sizes& size, place at = place::here()) {
    return tensor<element_t<X>>(detail::dynamic_slice(x.value(), start, size.s, at), raw);
}
/// x with `update` written over the block at `start`, which is taken as in dynamic_slice: JAX's lax.dynamic_update_slice.
/// Throws shape_error when the update is larger than x.
template <tensor_like X, tensor_like U> tensor_t<X> dynamic_update_slice(const X& x, const U& update, const detail::starts& start, place at = place::here()) {
    static_assert(std::same_as<element_t<X>, element_t<U>>, "df: dynamic_update_slice: the dtypes differ; write df::cast<T>(x)");
    return tensor_t<X>(detail::dynamic_update_slice(x.value(), update.value(), start, at), raw);
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
namespace ops::detail {
// A start on an axis of n, for a block of size m.
inline std::int64_t clamped_start(std::int64_t start, std::int64_t n, std::int64_t m) {
    if (start < 0) start += n;
    return start < 0 ? 0 : start > n - m ? n - m : start;
}
// Checks a block and its starts, which are the operands from `first` on.
inline void check_block(ir::inference& q, const shape& block, std::size_t first) {
    const auto& s = q.dims(0);
    if (block.n != s.n) q.give(q.in[0].element, ruled(complaint::ranks));
    if (q.in.size() - first != s.size()) q.fail(std::to_string(q.in.size() - first) + " starts for " + std::to_string(s.n) + " axes", "give a start for each axis");
    for (std::size_t k = first; k < q.in.size(); ++k)
        if (q.in[k].element != dtype::int64 || q.dims(k).n != 0) q.fail("a start is not an int64 scalar", "give a number or an index for each axis");
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (block.d[i] < 0 && !is_symbol(block.d[i])) q.give(q.in[0].element, ruled(complaint::negative));
        if (s.d[i] >= 0 && block.d[i] > s.d[i]) q.give(q.in[0].element, ruled(complaint::range));
    }
}
// Where the block lies in the whole, lane by lane.
struct block_walk {
    shape lanes;
    core::layout whole, block;            // own axes
    shape whole_lanes, block_lanes;       // strides of the lane axes
    std::vector<shape> start_lanes;
    block_walk(const ir::site& s, const core::layout& all, const core::layout& part, std::size_t first)
        : lanes(s.out[0].dims.first(s.lanes)), whole(ops::part(all, [&](int i) { return i >= s.lanes; })),
          block(ops::part(part, [&](int i) { return i >= s.lanes; })), whole_lanes(all.strides.first(s.lanes)), block_lanes(part.strides.first(s.lanes)) {
        for (std::size_t k = first; k < s.in.size(); ++k) start_lanes.push_back(s.in[k].strides);
        for (int i = 0; i < whole.rank(); ++i)
            if (block.dims.d[i] > whole.dims.d[i])   // sizes known only now
                throw shape_error(std::string(s.op.name) + ": the range does not fit the axis: a block of " + to_text(block.dims) + " in " + to_text(whole.dims) + "; " + ir::advice(complaint::range), s.where);
    }
    std::int64_t at(const shape& strides, std::int64_t lane) const {
        std::int64_t o = 0;
        for (int i = lanes.n - 1; i >= 0; --i) {
            o += lane % lanes.d[i] * strides.d[i];
            lane /= lanes.d[i];
        }
        return o;
    }
    /// Calls f(offset in the whole, offset of the block) for every lane; `starts` points to the starts' pointers.
    template <class F> void each(void* const* starts, F f) const {
        for (std::int64_t lane = 0, n = lanes.elements(); lane < n; ++lane) {
            auto p = at(whole_lanes, lane);
            for (std::size_t k = 0; k < start_lanes.size(); ++k) {
                const auto start = static_cast<const std::int64_t*>(starts[k])[at(start_lanes[k], lane)];
                p += clamped_start(start, whole.dims.d[k], block.dims.d[k]) * whole.strides.d[k];
            }
            f(p, at(block_lanes, lane));
        }
    }
};
// The operands and results of both records: axes that the block covers map, the others are needed whole.
inline axes axes_block(const ir::axes_query& q, const shape& whole, const shape& block, std::size_t first) {
    axes r;
    labels x, y;
    for (int i = 0; i < whole.n; ++i) {
        const bool covered = whole.d[i] == block.d[i];
        x.push_back(r.fresh(covered ? role::map : role::opaque));
        y.push_back(covered ? x.back() : r.fresh(role::opaque));
    }
    r.in.assign(q.in.size(), {});
    r.in[0] = x;
    if (first == 2) r.in[1] = y;
    r.out = {first == 2 ? x : y};
    return r;
}
inline ir::value with_starts(const ir::op_def& op, ir::values x, const ir::values& in, std::size_t first, const ir::attrs& at = {}) {
    x.insert(x.end(), in.begin() + static_cast<std::ptrdiff_t>(first), in.end());
    return ir::emit_one(op, x, at);
}
}  // namespace ops::detail

namespace detail {
inline ir::values start_values(const starts& s, const char* who, place at) {
    ir::values r;
    for (auto& v : s.list) r.push_back(ir::convert(present(v, who, at), dtype::int64, at));
    if (r.size() != 1 || r[0].rank() != 1) return r;
    const auto all = r[0];   // a vector of starts
    r.clear();
    for (std::int64_t i = 0, n = fixed_size(all, 0, who, at); i < n; ++i) r.push_back(ir::reshape(slice_axis(all, 0, i, 1, 1, at), {}, at));
    return r;
}
DF_FN ir::value dynamic_slice(const ir::value& x, const starts& s, const shape& size, place at) {
    ir::values in{present(x, "dynamic_slice", at)};
    for (auto& v : start_values(s, "dynamic_slice", at)) in.push_back(v);
    const auto own = x.type().own();
    bool fixed = own.known() && size.known() && own.n == size.n && static_cast<int>(in.size()) == own.n + 1;
    for (int i = 0; fixed && i < own.n; ++i) fixed = in[static_cast<std::size_t>(i) + 1]->literal && size.d[i] <= own.d[i];
    if (!fixed) return ir::emit_one(op::dynamic_slice, in, {{"size", size}}, at);
    ir::ints start;   // numbers in the program: a plain slice
    for (int i = 0; i < own.n; ++i) start.push_back(size.elements() ? ops::detail::clamped_start(*in[static_cast<std::size_t>(i) + 1]->data.data<std::int64_t>(), own.d[i], size.d[i]) : 0);
    return ir::slice(x, start, size, ir::ints(own.size(), 1), at);
}
DF_FN ir::value dynamic_update_slice(const ir::value& x, const ir::value& update, const starts& s, place at) {
    ir::values in{x, update};
    for (auto& v : start_values(s, "dynamic_update_slice", at)) in.push_back(v);
    return ir::emit_one(op::dynamic_update_slice, in, {}, at);
}
}  // namespace detail

namespace op {
DF_RECORD ir::op_def dynamic_slice{
    .name = "dynamic_slice",
    .doc = "a block of fixed size at a place known when the program runs",
    .infer = [](ir::inference& q) {
        ops::detail::check_block(q, q.at.sizes("size"), 1);
        q.give(q.in[0].element, q.at.sizes("size"));
    },
    .axes = [](const ir::axes_query& q) { return ops::detail::axes_block(q, q.in[0].own(), q.out[0].own(), 1); },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::detail::block_walk w(s, s.in[0], s.out[0], 1);
        const auto bytes = static_cast<std::int64_t>(size_of(s.in[0].element));
        const auto last = s.in.size();
        auto from = w.whole;
        from.dims = w.block.dims;
        return ops::make_kernel([=](void* const* io) {
            w.each(io + 1, [&](std::int64_t p, std::int64_t q) {
                core::copy_elements(from, static_cast<const std::byte*>(io[0]) + p * bytes, w.block, static_cast<std::byte*>(io[last]) + q * bytes);
            });
        });
    },
    .transpose = [](args r, int) { return ops::detail::with_starts(dynamic_update_slice, {ir::zeros_like(r.in[0]), r.ct[0]}, r.in, 1); },
    .linear = 1,
    .samples = "f(3,4) i() i() size=2,2; f(3,4) i() n3() size=3,1; f(4) k() size=0; f() size=",
};
DF_RECORD ir::op_def dynamic_update_slice{
    .name = "dynamic_update_slice",
    .doc = "a tensor with a block written over at a place known when the program runs",
    .infer = [](ir::inference& q) {
        if (q.in[1].element != q.in[0].element) throw dtype_error(std::string("dynamic_update_slice: mixed dtypes ") + name_of(q.in[0].element) + " and " + name_of(q.in[1].element) + "; write df::cast<T>(x)", q.where);
        ops::detail::check_block(q, q.dims(1), 2);
        q.give(q.in[0].element, q.dims(0));
    },
    .axes = [](const ir::axes_query& q) { return ops::detail::axes_block(q, q.in[0].own(), q.in[1].own(), 2); },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::detail::block_walk w(s, s.out[0], s.in[1], 2);
        const auto bytes = static_cast<std::int64_t>(size_of(s.in[0].element));
        const auto last = s.in.size();
        const auto to = s.out[0];
        core::layout base = to, place_of = w.whole;   // the lanes that operand 0 lacks repeat it
        base.strides = s.in[0].strides;
        place_of.dims = w.block.dims;
        return ops::make_kernel([=](void* const* io) {
            auto* out = static_cast<std::byte*>(io[last]);
            if (out == io[1]) return;   // in place of an update as large as the whole
            if (out != io[0]) core::copy_elements(base, static_cast<const std::byte*>(io[0]), to, out);
            w.each(io + 2, [&](std::int64_t p, std::int64_t q) {
                core::copy_elements(w.block, static_cast<const std::byte*>(io[1]) + q * bytes, place_of, out + p * bytes);
            });
        });
    },
    .transpose = [](args r, int k) {
        if (k == 1) return ops::detail::with_starts(dynamic_slice, {r.ct[0]}, r.in, 2, {{"size", r.in[1].type().own()}});
        return ops::detail::with_starts(dynamic_update_slice, {r.ct[0], ir::zeros_like(r.in[1])}, r.in, 2);
    },
    .linear = 3,
    .jointly_linear = true,
    .in_place = true,
    .samples = "f(3,4) f(2,2) i() i(); f(4) f(4) i(); f(3,2) f(1,2) i() k(); f(3) f(0) i()",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
