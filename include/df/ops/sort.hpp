// Sorting along an axis. NaN is the greatest, equal elements keep their order, and every result comes with the places its
// elements came from, which is all that the derivative needs.
#pragma once
#include <df/ops/along.hpp>

namespace df::inline DF_ABI {
namespace op {
/// The elements along `axis` in ascending order, or with `descending`; and the numbers they had.
extern const ir::op_def sort;
/// The `k` greatest along `axis`, the greatest first; and their numbers.
extern const ir::op_def topk;
}  // namespace op

enum class order : char { ascending, descending };
inline constexpr order ascending = order::ascending, descending = order::descending;

/// Shape of topk: `k` elements along an axis.
constexpr ruled topk_rule(shape s, std::int64_t k, std::int64_t axis) {
    if (s.any_rank()) return s;
    const int a = normal_axis(axis, s.n);
    if (a < 0) return complaint::axis;
    if (k != dyn && (k < 0 || (s.d[a] >= 0 && k > s.d[a]))) return complaint::range;
    s.d[a] = k;
    return s;
}

namespace detail {
ir::values sorted(const ir::value& x, std::int64_t axis, order o, const char* who, place at);
ir::values topk(const ir::value& x, std::int64_t k, std::int64_t axis, place at);
template <class K> constexpr std::int64_t fixed_count() {
    if constexpr (std::is_integral_v<K>) return dyn;
    else return K::value;
}
}  // namespace detail

/// The elements along an axis (the last) in ascending order, or with df::descending. NaN is the greatest; equal elements
/// keep their order. Throws shape_error when the axis is out of range.
template <tensor_like X> tensor_t<X> sort(const X& x, std::int64_t axis = -1, order o = ascending, place at = place::here()) {
    return tensor_t<X>(detail::sorted(x.value(), axis, o, "sort", at)[0], raw);
}
/// The numbers, int64, that sort the elements along an axis (the last), as in df::sort.
template <tensor_like X> auto argsort(const X& x, std::int64_t axis = -1, order o = ascending, place at = place::here()) {
    return wrap<std::int64_t, tensor_t<X>::dims>(detail::sorted(x.value(), axis, o, "argsort", at)[1]);
}
/// The k greatest elements along an axis (the last), the greatest first, and their numbers: a pair of tensors. NaN is the
/// greatest; of equal elements the first come first. Throws shape_error when the axis has fewer than k.
template <tensor_like X, class K> requires std::convertible_to<K, std::int64_t> auto topk(const X& x, K k, place at = place::here()) {
    constexpr ruled r = topk_rule(tensor_t<X>::dims, detail::fixed_count<K>(), -1);
    DF_ASSERT_RULE("topk", r);
    auto v = detail::topk(x.value(), k, -1, at);
    return std::pair(wrap<element_t<X>, r.s>(v[0]), wrap<std::int64_t, r.s>(v[1]));
}
template <tensor_like X> auto topk(const X& x, std::int64_t k, std::int64_t axis, place at = place::here()) {
    constexpr shape s = every_size(tensor_t<X>::dims, dyn);
    auto v = detail::topk(x.value(), k, axis, at);
    return std::pair(wrap<element_t<X>, s>(v[0]), wrap<std::int64_t, s>(v[1]));
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <algorithm>
#include <cstring>

namespace df::inline DF_ABI {
namespace detail {
DF_FN ir::values sorted(const ir::value& x, std::int64_t axis, order o, const char* who, place at) {
    return ir::emit(op::sort, {x}, {{"axis", checked_axis(axis, x, who, at)}, {"descending", o == descending}}, at);
}
DF_FN ir::values topk(const ir::value& x, std::int64_t k, std::int64_t axis, place at) {
    return ir::emit(op::topk, {x}, {{"axis", checked_axis(axis, x, "topk", at)}, {"k", k}}, at);
}
}  // namespace detail

namespace ops::detail {
// An element as an unsigned number in the same order, with its place: one sort serves every type.
struct keyed {
    std::uint64_t key;
    std::int64_t at;
    friend bool operator<(const keyed& a, const keyed& b) { return a.key != b.key ? a.key < b.key : a.at < b.at; }
};
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
inline std::uint64_t key_of(std::int64_t x) { return static_cast<std::uint64_t>(x) ^ sign_bit; }
inline std::uint64_t key_of(double x) {
    if (x != x) return ~std::uint64_t{0};
    x += 0.0;   // no negative zero
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits & sign_bit ? ~bits : bits ^ sign_bit;
}
struct sort_kernel final : ir::kernel {
    shape rows;
    std::array<shape, 3> begin;   // of the rows of the operand, the values, the places
    std::int64_t step[3] = {};
    dtype element{};
    std::int64_t n = 0, k = 0;
    bool descending = false;

    template <class T> void keys(const void* x, std::int64_t dx, keyed* to) const {
        using W = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
        for (std::int64_t i = 0; i < n; ++i) {
            const auto key = key_of(static_cast<W>(static_cast<const T*>(x)[i * dx]));
            to[i] = {descending ? ~key : key, i};
        }
    }
    void run(void* const* io, std::byte* ws) const override {
        auto* line = reinterpret_cast<keyed*>(ws);
        const auto bytes = static_cast<std::int64_t>(size_of(element));
        each<3>(rows, begin, [&](std::int64_t p, std::int64_t q, std::int64_t r) {
            const auto* x = static_cast<const std::byte*>(io[0]) + p * bytes;
            auto* y = static_cast<std::byte*>(io[1]) + q * bytes;
            auto* at = static_cast<std::int64_t*>(io[2]) + r;
            with_type(element, [&](auto t) { keys<decltype(t)>(x, step[0], line); });
            if (k < n) std::partial_sort(line, line + k, line + n);
            else std::sort(line, line + n);
            for (std::int64_t i = 0; i < k; ++i) {
                at[i * step[2]] = line[i].at;
                std::memcpy(y + i * step[1] * bytes, x + line[i].at * step[0] * bytes, static_cast<std::size_t>(bytes));
            }
        });
    }
};
inline ir::kernel_ptr make_sort(const ir::site& s, bool descending) {
    auto k = std::make_unique<sort_kernel>();
    const int axis = static_cast<int>(s.at.integer("axis")) + s.lanes;
    k->rows = s.out[0].dims.without(axis);
    k->begin = {s.in[0].strides.without(axis), s.out[0].strides.without(axis), s.out[1].strides.without(axis)};
    const core::layout* all[] = {&s.in[0], &s.out[0], &s.out[1]};
    for (int i = 0; i < 3; ++i) k->step[i] = all[i]->strides.d[axis];
    k->element = s.in[0].element;
    k->n = s.in[0].dims.d[axis];
    k->k = s.out[0].dims.d[axis];
    if (k->k > k->n)
        throw shape_error(std::string(s.op.name) + ": " + std::to_string(k->k) + " of the " + std::to_string(k->n) + " elements of an axis; take at most as many as there are", s.where);
    k->descending = descending;
    k->workspace = static_cast<std::size_t>(k->n) * sizeof(keyed);
    return k;
}
inline axes axes_sorted(const ir::axes_query& q) {
    axes r = ops::axes_along(q, role::opaque);
    const auto axis = static_cast<std::size_t>(q.at.integer("axis"));
    const int picked = r.fresh(role::opaque);   // its size may be another
    for (auto& l : r.out) l[axis] = picked;
    return r;
}
// Sorting is linear once the places are known.
inline ir::values pull_sorted(const ir::rule_args& r) {
    const auto axis = r.at.integer("axis");
    return {ir::emit_one(op::put_along, {r.out[1], r.ct[0]}, {{"axis", axis}, {"size", shape{r.in[0].type().own().d[axis]}}})};
}
inline ir::values push_sorted(const ir::rule_args& r) {
    return {ir::emit_one(op::take_along, {r.ct[0], r.out[1]}, {{"axis", r.at.integer("axis")}}), {}};
}
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def sort{
    .name = "sort",
    .doc = "the elements along an axis in order, and the numbers they had",
    .infer = [](ir::inference& q) {
        q.give(q.in[0].element, topk_rule(q.dims(0), dyn, q.at.integer("axis")).wrong == complaint::none ? ruled(q.dims(0)) : ruled(complaint::axis));
        q.give(dtype::int64, q.dims(0));
    },
    .axes = ops::detail::axes_sorted,
    .kernel = [](const ir::site& s) { return ops::detail::make_sort(s, s.at.flag("descending")); },
    .vjp = ops::detail::pull_sorted,
    .jvp = ops::detail::push_sorted,
    .samples = "f(2,3) axis=1 descending=0; f(2,3) axis=0 descending=1; f(2,0) axis=1 descending=0; i(4) axis=0 descending=0; b(3) axis=0 descending=1",
};
DF_RECORD ir::op_def topk{
    .name = "topk",
    .doc = "the k greatest along an axis, the greatest first, and their numbers",
    .infer = [](ir::inference& q) {
        const auto k = q.at.integer("k");
        const ruled r = topk_rule(q.dims(0), k, q.at.integer("axis"));
        if (k < 0 || r.wrong == complaint::range) q.fail("k is not a count of elements of the axis", "take from 0 to all of them");
        q.give(q.in[0].element, r);
        q.give(dtype::int64, r);
    },
    .axes = ops::detail::axes_sorted,
    .kernel = [](const ir::site& s) { return ops::detail::make_sort(s, true); },
    .vjp = ops::detail::pull_sorted,
    .jvp = ops::detail::push_sorted,
    .samples = "f(2,3) axis=1 k=2; f(3,2) axis=0 k=1; f(4) axis=0 k=4; f(3) axis=0 k=0; i(4) axis=0 k=2",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
