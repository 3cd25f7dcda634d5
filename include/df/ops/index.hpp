// Choosing elements by number: gather and scatter_add (adjoints of each other), and counting.
#pragma once
#include <df/ops/reduce.hpp>

namespace df::inline DF_ABI {
namespace op {
/// 0, 1, 2 … along `axis` of a tensor of `sizes`; attribute `dtype`. An optional operand is the first number.
extern const ir::op_def iota;
/// Rows of operand 0 along `axis`, chosen by an int64 tensor. Negative numbers count from the end; a number outside is an
/// error when it runs.
extern const ir::op_def gather;
/// Zeros of size `size` along `axis`, with the rows of operand 1 added at the numbers in operand 0.
extern const ir::op_def scatter_add;
}  // namespace op

namespace ir {
value iota(dtype t, const shape& s, int axis, place where = {});
value gather(const value& x, const value& i, int axis, place where = {});
value scatter_add(const value& i, const value& u, int axis, std::int64_t size, place where = {});
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
namespace ir {
DF_FN value iota(dtype t, const shape& s, int axis, place where) { return emit_one(op::iota, {}, {{"sizes", s}, {"axis", axis}, {"dtype", t}}, where); }
DF_FN value gather(const value& x, const value& i, int axis, place where) { return emit_one(op::gather, {x, i}, {{"axis", axis}}, where); }
DF_FN value scatter_add(const value& i, const value& u, int axis, std::int64_t size, place where) {
    return emit_one(op::scatter_add, {i, u}, {{"axis", axis}, {"size", shape{size}}}, where);
}
}  // namespace ir

namespace ops::detail {
/// The place of a (possibly negative) number on an axis of `n`; throws, naming the op and the user's line.
inline std::int64_t checked_index(std::int64_t i, std::int64_t n, const char* who, place where) {
    const auto k = i < 0 ? i + n : i;
    if (k < 0 || k >= n)
        throw shape_error(std::string(who) + ": index " + std::to_string(i) + " is out of range for an axis of size " + std::to_string(n) +
                          "; indices run from -size to size-1", where);
    return k;
}
// The walk that gather and scatter_add share: for every lane and index, a block of the many-rows side and one of the other.
struct gather_walk {
    shape outer;                          // lanes, then the axes of the index tensor
    std::array<shape, 3> strides;         // of the rows side (lanes only), of the index, of the picked side
    core::layout rows, picked;            // the block: axes before and after `axis`
    std::int64_t row_stride = 0, n = 0;
    gather_walk(const core::layout& side, const core::layout& index, const core::layout& pick, int lanes, int axis) {
        const int ranks = index.rank() - lanes;
        for (int i = 0; i < index.rank(); ++i) {
            const bool lane = i < lanes;
            const int p = lane ? i : axis + i;            // the index's axes stand at `axis` of the picked side
            outer.push_back(lane ? pick.dims.d[i] : index.dims.d[i]);
            strides[0].push_back(lane ? side.strides.d[i] : 0);
            strides[1].push_back(index.strides.d[i]);
            strides[2].push_back(pick.strides.d[p]);
        }
        rows = part(side, [&](int i) { return i >= lanes && i != lanes + axis; });
        picked = part(pick, [&](int i) { return i >= lanes && !(i >= lanes + axis && i < lanes + axis + ranks); });
        row_stride = side.strides.d[lanes + axis];
        n = side.dims.d[lanes + axis];
    }
};
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def iota{
    .name = "iota",
    .doc = "0, 1, 2 … along an axis",
    .infer = [](ir::inference& q) { q.give(q.at.element("dtype"), q.at.sizes("sizes")); },
    .axes = [](const ir::axes_query& q) {
        axes r;
        r.in.assign(q.in.size(), {});
        r.out.emplace_back();
        for (int i = 0; i < q.out[0].own_rank(); ++i) r.out[0].push_back(r.fresh(role::map));
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const core::layout to = s.out[0];
        const auto axis = s.at.integer("axis") + s.lanes;
        return with_type(to.element, [&](auto t) -> ir::kernel_ptr {
            using T = decltype(t);
            core::layout first;
            const bool given = !s.in.empty();
            if (given) first = s.in[0];
            while (given && first.rank() < to.rank()) {
                first.dims.push_back(1);
                first.strides.push_back(0);
            }
            if (!given) first = core::layout(dtype::int64, to.dims, shape(ir::ints(to.dims.size(), 0)));
            core::layout count = to;   // a stream whose offset is the number itself
            for (std::size_t i = 0; i < count.strides.size(); ++i) count.strides.d[i] = static_cast<std::int64_t>(i) == axis;
            return ops::make_kernel([=](void* const* io) {
                const std::int64_t* start = given ? static_cast<const std::int64_t*>(io[0]) : nullptr;
                T* out = static_cast<T*>(io[given ? 1 : 0]);
                ops::each<3>(to.dims, {to.strides, count.strides, first.strides}, [&](std::int64_t p, std::int64_t i, std::int64_t f) {
                    out[p] = static_cast<T>(i + (start ? start[f] : 0));
                });
            });
        });
    },
    .no_derivative = true,
    .samples = "sizes=3 axis=0 dtype=3; sizes=2,3 axis=1 dtype=5; k() sizes=3 axis=0 dtype=3",
};
DF_RECORD ir::op_def gather{
    .name = "gather",
    .doc = "rows chosen by number along an axis",
    .infer = [](ir::inference& q) {
        const auto axis = q.at.integer("axis");
        const auto& s = q.dims(0);
        if (axis < 0 || axis >= s.n) q.give(q.in[0].element, ruled(complaint::axis));
        if (q.in[1].element != dtype::int64) throw dtype_error(std::string("gather: the indices are ") + name_of(q.in[1].element) + ", not int64; write df::cast<std::int64_t>(i)", q.where);
        const int a = static_cast<int>(axis);
        q.give(q.in[0].element, s.first(a) + q.dims(1) + s.from(a + 1));
    },
    .axes = [](const ir::axes_query& q) {
        axes r;
        const auto axis = static_cast<std::size_t>(q.at.integer("axis"));
        labels x, i;
        for (int k = 0; k < q.in[0].own_rank(); ++k) x.push_back(r.fresh(static_cast<std::size_t>(k) == axis ? role::opaque : role::map));
        for (int k = 0; k < q.in[1].own_rank(); ++k) i.push_back(r.fresh(role::map));
        labels y(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
        y.insert(y.end(), i.begin(), i.end());
        y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
        r.in = {x, i};
        r.out = {y};
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::detail::gather_walk w(s.in[0], s.in[1], s.out[0], s.lanes, static_cast<int>(s.at.integer("axis")));
        const auto bytes = static_cast<std::int64_t>(size_of(s.in[0].element));
        const auto where = s.where;
        return ops::make_kernel([=](void* const* io) {
            const auto* x = static_cast<const std::byte*>(io[0]);
            const auto* i = static_cast<const std::int64_t*>(io[1]);
            auto* y = static_cast<std::byte*>(io[2]);
            ops::each<3>(w.outer, w.strides, [&](std::int64_t p, std::int64_t k, std::int64_t q) {
                const auto row = ops::detail::checked_index(i[k], w.n, "gather", where);
                core::copy_elements(w.rows, x + (p + row * w.row_stride) * bytes, w.picked, y + q * bytes);
            });
        });
    },
    .transpose = [](args r, int) {
        const auto axis = static_cast<int>(r.at.integer("axis"));
        return ir::scatter_add(r.in[1], r.ct[0], axis, r.in[0].type().own().d[axis]);
    },
    .linear = 1,
    .samples = "f(3,2) n3(4) axis=0; f(2,3) n3() axis=1; f(3,2) n3(2,2) axis=0; f(3) n3(0) axis=0",
};
DF_RECORD ir::op_def scatter_add{
    .name = "scatter_add",
    .doc = "rows added into zeros at chosen numbers",
    .infer = [](ir::inference& q) {
        const int axis = static_cast<int>(q.at.integer("axis"));
        const auto &i = q.dims(0), &u = q.dims(1);
        if (q.in[0].element != dtype::int64) throw dtype_error(std::string("scatter_add: the indices are ") + name_of(q.in[0].element) + ", not int64; write df::cast<std::int64_t>(i)", q.where);
        if (axis < 0 || axis + i.n > u.n) q.give(q.in[1].element, ruled(complaint::axis));
        for (int k = 0; k < i.n; ++k) if (clash(i.d[k], u.d[axis + k])) q.give(q.in[1].element, ruled(complaint::sizes));
        q.give(q.in[1].element, u.first(axis) + q.at.sizes("size") + u.from(axis + i.n));
    },
    .axes = [](const ir::axes_query& q) {
        axes r;
        const auto axis = static_cast<std::size_t>(q.at.integer("axis"));
        labels i, u;
        for (int k = 0; k < q.in[0].own_rank(); ++k) i.push_back(r.fresh(role::reduce));
        for (std::size_t k = 0; k < static_cast<std::size_t>(q.in[1].own_rank()); ++k)
            u.push_back(k >= axis && k < axis + i.size() ? i[k - axis] : r.fresh(role::map));
        labels y(u.begin(), u.begin() + static_cast<std::ptrdiff_t>(axis));
        y.push_back(r.fresh(role::opaque));
        y.insert(y.end(), u.begin() + static_cast<std::ptrdiff_t>(axis + i.size()), u.end());
        r.in = {i, u};
        r.out = {y};
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::detail::gather_walk w(s.out[0], s.in[0], s.in[1], s.lanes, static_cast<int>(s.at.integer("axis")));
        const core::layout to = s.out[0];
        const auto where = s.where;
        // A lane axis that only the operands' other side has repeats the picked block: its sizes are the result's.
        auto outer = w.outer;
        for (int i = 0; i < s.lanes; ++i) outer.d[i] = to.dims.d[i];
        return with_type(to.element, [&](auto t) -> ir::kernel_ptr {
            using T = decltype(t);
            return ops::make_kernel([=](void* const* io) {
                const auto* i = static_cast<const std::int64_t*>(io[0]);
                const T* u = static_cast<const T*>(io[1]);
                T* y = static_cast<T*>(io[2]);
                const T zero{};
                ops::detail::fill_elements(to, y, &zero);
                ops::each<3>(outer, w.strides, [&](std::int64_t p, std::int64_t k, std::int64_t q) {
                    const auto row = ops::detail::checked_index(i[k], w.n, "scatter_add", where);
                    ops::each<2>(w.picked.dims, {w.rows.strides, w.picked.strides}, [&](std::int64_t a, std::int64_t b) {
                        T& cell = y[p + row * w.row_stride + a];
                        cell = static_cast<T>(ops::fn::add{}(cell, u[q + b]));
                    });
                });
            });
        });
    },
    .transpose = [](args r, int) { return ir::gather(r.ct[0], r.in[0], static_cast<int>(r.at.integer("axis"))); },
    .linear = 2,
    .combines = &ops::detail::plain<add, ops::detail::zero_of>,
    .samples = "n3(4) f(4,2) axis=0 size=3; n3() f(2) axis=1 size=3; n3(2,2) f(2,2,2) axis=0 size=3",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
