// Choosing along one axis, for each line on its own: take_along and put_along, adjoints of each other.
#pragma once
#include <df/ops/reduce.hpp>

namespace df::inline DF_ABI::op {
/// y[…, j, …] = x[…, i[…, j, …], …] along `axis`; i is an int64 tensor with the sizes of x but for `axis`.
extern const ir::op_def take_along;
/// Zeros of size `size` along `axis`, with the elements of operand 1 added at the numbers in operand 0.
extern const ir::op_def put_along;
}  // namespace df::inline DF_ABI::op

#if DF_IMPL
namespace df::inline DF_ABI {
namespace ops::detail {
// The lines side has `size` elements along the axis, the other side one for each number.
inline void infer_along_numbers(ir::inference& q, const shape& numbers, const shape& other, int odd) {
    const auto axis = q.at.integer("axis");
    const dtype t = q.in[static_cast<std::size_t>(1 - odd)].element;
    if (q.in[static_cast<std::size_t>(odd)].element != dtype::int64) q.fail("the numbers are not int64", "write df::cast<std::int64_t>(i)");
    if (axis < 0 || axis >= numbers.n) q.give(t, ruled(complaint::axis));
    if (numbers.n != other.n) q.give(t, ruled(complaint::ranks));
    for (int i = 0; i < numbers.n; ++i) if ((i != axis || odd == 0) && clash(numbers.d[i], other.d[i])) q.give(t, ruled(complaint::sizes));
}
inline axes axes_along_numbers(const ir::axes_query& q, role numbers) {
    axes r;
    labels side, picked;
    for (int i = 0; i < q.out[0].own_rank(); ++i) {
        const bool odd = i == q.at.integer("axis");
        side.push_back(r.fresh(odd ? role::opaque : role::map));
        picked.push_back(odd ? r.fresh(numbers) : side.back());
    }
    if (numbers == role::map) r.in = {side, picked}, r.out = {picked};
    else r.in = {picked, picked}, r.out = {side};
    return r;
}
// Calls f(offset in the lines side, in the other side) for every number.
template <class F> void each_along(const shape& dims, const std::array<shape, 3>& strides, std::int64_t n, std::int64_t step, const void* numbers, const char* who, place where, F f) {
    each<3>(dims, strides, [&](std::int64_t p, std::int64_t i, std::int64_t q) {
        auto k = static_cast<const std::int64_t*>(numbers)[i];
        if (k < 0) k += n;
        if (k < 0 || k >= n)
            throw shape_error(std::string(who) + ": a number is out of range for an axis of size " + std::to_string(n) + "; numbers run from -size to size-1", where);
        f(p + k * step, q);
    });
}
inline shape without_step(shape strides, int axis) {
    strides.d[axis] = 0;
    return strides;
}
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def take_along{
    .name = "take_along",
    .doc = "the element of each line at each number",
    .infer = [](ir::inference& q) {
        ops::detail::infer_along_numbers(q, q.dims(1), q.dims(0), 1);
        auto to = q.dims(0);
        const int axis = static_cast<int>(q.at.integer("axis"));
        to.d[axis] = q.dims(1).d[axis];
        q.give(q.in[0].element, to);
    },
    .axes = [](const ir::axes_query& q) { return ops::detail::axes_along_numbers(q, role::map); },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const int axis = static_cast<int>(s.at.integer("axis")) + s.lanes;
        const auto dims = s.out[0].dims;
        const std::array<shape, 3> strides{ops::detail::without_step(s.in[0].strides, axis), s.in[1].strides, s.out[0].strides};
        const auto n = s.in[0].dims.d[axis], step = s.in[0].strides.d[axis];
        const auto where = s.where;
        return with_type(s.out[0].element, [&](auto t) {
            using T = decltype(t);
            return ops::make_kernel([=](void* const* io) {
                ops::detail::each_along(dims, strides, n, step, io[1], "take_along", where, [&](std::int64_t p, std::int64_t q) { static_cast<T*>(io[2])[q] = static_cast<const T*>(io[0])[p]; });
            });
        });
    },
    .transpose = [](args r, int) {
        const auto axis = r.at.integer("axis");
        return ir::emit_one(put_along, {r.in[1], r.ct[0]}, {{"axis", axis}, {"size", shape{r.in[0].type().own().d[axis]}}});
    },
    .linear = 1,
    .samples = "f(2,3) n3(2,2) axis=1; f(3,2) n3(4,2) axis=0; f(3) n3(0) axis=0",
};
DF_RECORD ir::op_def put_along{
    .name = "put_along",
    .doc = "elements added into lines of zeros, each at its number",
    .infer = [](ir::inference& q) {
        ops::detail::infer_along_numbers(q, q.dims(0), q.dims(1), 0);
        auto to = q.dims(1);
        to.d[q.at.integer("axis")] = q.at.sizes("size").d[0];
        q.give(q.in[1].element, to);
    },
    .axes = [](const ir::axes_query& q) { return ops::detail::axes_along_numbers(q, role::reduce); },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const int axis = static_cast<int>(s.at.integer("axis")) + s.lanes;
        auto dims = s.out[0].dims;
        dims.d[axis] = s.in[0].dims.d[axis];
        const std::array<shape, 3> strides{ops::detail::without_step(s.out[0].strides, axis), s.in[0].strides, s.in[1].strides};
        const auto n = s.out[0].dims.d[axis], step = s.out[0].strides.d[axis];
        const auto where = s.where;
        const auto to = s.out[0];
        return with_type(to.element, [&](auto t) {
            using T = decltype(t);
            return ops::make_kernel([=](void* const* io) {
                T* y = static_cast<T*>(io[2]);
                const T zero{};
                ops::detail::fill_elements(to, y, &zero);
                ops::detail::each_along(dims, strides, n, step, io[0], "put_along", where, [&](std::int64_t p, std::int64_t q) {
                    y[p] = static_cast<T>(ops::fn::add{}(y[p], static_cast<const T*>(io[1])[q]));
                });
            });
        });
    },
    .transpose = [](args r, int) { return ir::emit_one(take_along, {r.ct[0], r.in[0]}, {{"axis", r.at.integer("axis")}}); },
    .linear = 2,
    .combines = &ops::detail::plain<add, ops::detail::zero_of>,
    .samples = "n3(2,2) f(2,2) axis=1 size=3; n3(4,2) f(4,2) axis=0 size=3; n3(0) f(0) axis=0 size=3",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
