// Reductions led by the extreme element: its place, and the logarithm of a sum of exponentials.
#pragma once
#include <df/ops/reduce.hpp>

namespace df::inline DF_ABI {
namespace op {
/// The number of the extreme element along `axes`, row-major over them.
extern const ir::op_def argmax, argmin;
/// log Σ exp(x) over `axes`.
extern const ir::op_def logsumexp;
}  // namespace op

/// The number of the largest element, int64: of the flattened tensor, f(x), along an axis, f(x, axis), or over several,
/// row-major; df::keepdims keeps the axes. The first NaN wins, then of ties the first. Throws shape_error when an axis is
/// empty or out of range.
DF_REDUCTION(argmax, detail::position)
/// The number of the smallest element, as argmax.
DF_REDUCTION(argmin, detail::position)
/// log Σ exp(x) of float or double over all axes, one, or several, without overflow; -∞ of nothing. Throws shape_error when
/// an axis is out of range or repeated.
DF_REDUCTION(logsumexp, detail::real_only)

}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
namespace ops::detail {
/// Does x beat y? NaN beats every number, nothing beats NaN.
template <bool Largest, class T> bool beats(T x, T y) {
    const bool before = Largest ? x > y : x < y;
    if constexpr (std::is_floating_point_v<T>) return before || (x != x && y == y);
    else return before;
}
/// The place among n elements of the first that beats `best` and all before it, else -1.
using pick_fn = std::int64_t (*)(const void* x, std::int64_t dx, std::int64_t n, const void* best);
template <bool Largest, class T> std::int64_t pick(const void* in, std::int64_t dx, std::int64_t n, const void* best) {
    const T* x = static_cast<const T*>(in);
    T top = *static_cast<const T*>(best);
    std::int64_t at = -1;
    for (std::int64_t i = 0; i < n; ++i)
        if (beats<Largest>(x[i * dx], top)) top = x[i * dx], at = i;
    return at;
}
template <bool Largest> ir::kernel_ptr pick_kernel(const ir::site& s) {
    const reduction_walk w(s);
    shape gone = w.gone;
    std::array<shape, 1> walk{w.gone_in};
    collapse(gone, walk);
    std::int64_t n = 1, step = 0;
    if (gone.n) n = gone.d[--gone.n], step = walk[0].d[gone.n];
    const auto bytes = static_cast<std::int64_t>(size_of(s.in[0].element));
    const auto f = with_type(s.in[0].element, [](auto x) -> pick_fn { return pick<Largest, decltype(x)>; });
    return make_kernel([=](void* const* io) {
        each<2>(w.kept, {w.kept_in, w.kept_out}, [&](std::int64_t p, std::int64_t q) {
            const auto* row = static_cast<const std::byte*>(io[0]) + p * bytes;
            const std::byte* best = row;
            std::int64_t at = 0, first = 0;
            each<1>(gone, walk, [&](std::int64_t o) {
                if (const auto i = f(row + o * bytes, step, n, best); i >= 0) best = row + (o + i * step) * bytes, at = first + i;
                first += n;
            });
            static_cast<std::int64_t*>(io[1])[q] = at;
        });
    });
}
inline void infer_position(ir::inference& q) {
    infer_extreme(q);
    q.out[0].element = dtype::int64;
}
// Numbers over several axes do not add up from blocks.
inline axes axes_position(const ir::axes_query& q) {
    auto r = axes_reduce(q);
    if (q.at.list("axes").size() > 1) for (auto& x : r.roles) if (x == role::reduce) x = role::opaque;
    return r;
}
// Blocks of argmax: the extreme element and its number, -1 of nothing.
template <const ir::op_def& Extreme, const ir::op_def& Beats, bool Largest> inline constexpr ir::monoid placed{
    .identity = [](std::span<const ir::type> in, std::span<const ir::type> out, const ir::attrs&) -> ir::values {
        return {ir::broadcast_to(extreme_of<!Largest>(in[0]), out[0].dims), ir::broadcast_to(ir::literal(dtype::int64, std::int64_t{-1}), out[0].dims)};
    },
    .lift = [](const ir::op_def& op, const ir::values& in, const ir::attrs& at, const ir::value& offset) -> ir::values {
        return {ir::emit_one(Extreme, in, at), ir::emit_one(op, in, at) + offset};
    },
    .combine = [](const ir::values& a, const ir::values& b) -> ir::values {
        const auto number = op::equal(a[0], a[0]), nan = op::not_equal(b[0], b[0]);
        const auto better = op::bitwise_or(Beats(b[0], a[0]), op::bitwise_and(nan, number));
        const auto later = op::bitwise_or(better, op::less(a[1], 0.0));
        return {op::select(later, b[0], a[0]), op::select(later, b[1], a[1])};
    },
    .finish = [](const ir::values& s) -> ir::values { return {s[1]}; },
};

template <class T> ir::kernel_ptr logsumexp_kernel(const reduction_walk& w) {
    return make_kernel([w](void* const* io) {
        const T* x = static_cast<const T*>(io[0]);
        each<2>(w.kept, {w.kept_in, w.kept_out}, [&](std::int64_t p, std::int64_t q) {
            double most = -std::numeric_limits<double>::infinity(), sum = 0;
            each<1>(w.gone, {w.gone_in}, [&](std::int64_t o) { most = fn::maximum{}(most, static_cast<double>(x[p + o])); });
            if (!std::isinf(most)) {
                each<1>(w.gone, {w.gone_in}, [&](std::int64_t o) { sum += std::exp(static_cast<double>(x[p + o]) - most); });
                most += std::log(sum);
            }
            static_cast<T*>(io[1])[q] = static_cast<T>(most);
        });
    });
}
inline constexpr ir::monoid added_exponentials{
    .identity = [](std::span<const ir::type>, std::span<const ir::type> out, const ir::attrs&) -> ir::values { return {ir::broadcast_to(extreme_of<false>(out[0]), out[0].dims)}; },
    .lift = [](const ir::op_def& op, const ir::values& in, const ir::attrs& at, const ir::value&) { return ir::emit(op, in, at); },
    .combine = [](const ir::values& a, const ir::values& b) -> ir::values {   // the larger + log(1 + exp(-distance))
        const auto zero = ir::literal(a[0].element(), 0.0);
        const auto gap = op::select(op::equal(a[0], b[0]), zero, op::abs(a[0] - b[0]));
        return {op::maximum(a[0], b[0]) + op::log1p(op::exp(-gap))};
    },
    .finish = [](const ir::values& s) { return s; },
};
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def argmax{
    .name = "argmax",
    .doc = "the number of the largest along axes; the first NaN wins, then the first of ties",
    .infer = ops::detail::infer_position,
    .axes = ops::detail::axes_position,
    .kernel = ops::detail::pick_kernel<true>,
    .no_derivative = true,
    .combines = &ops::detail::placed<max, greater, true>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0; f(2,3) axes=0,1; i(3) axes=0; b(4) axes=0; f(0,2) axes=1",
};
DF_RECORD ir::op_def argmin{
    .name = "argmin",
    .doc = "the number of the smallest along axes; the first NaN wins, then the first of ties",
    .infer = ops::detail::infer_position,
    .axes = ops::detail::axes_position,
    .kernel = ops::detail::pick_kernel<false>,
    .no_derivative = true,
    .combines = &ops::detail::placed<min, less, false>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0; f(2,3) axes=0,1; i(3) axes=0; b(4) axes=0",
};
DF_RECORD ir::op_def logsumexp{
    .name = "logsumexp",
    .doc = "log Σ exp(x) over axes, without overflow",
    .infer = [](ir::inference& q) {
        if (!is_floating(q.in[0].element)) throw dtype_error(std::string("logsumexp: is not defined for ") + name_of(q.in[0].element) + "; write df::cast<double>(x) first", q.where);
        q.give(q.in[0].element, ops::reduced(q));
    },
    .axes = ops::axes_reduce,
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::reduction_walk w(s);
        return s.in[0].element == dtype::float32 ? ops::detail::logsumexp_kernel<float>(w) : ops::detail::logsumexp_kernel<double>(w);
    },
    .weights = [](args r) {   // of -∞ alone every weight is 0
        const auto none = equal(r.out[0], -std::numeric_limits<double>::infinity());
        return exp(r.in[0] - ops::spread(r, select(none, ops::detail::number(r, 0), r.out[0])));
    },
    .combines = &ops::detail::added_exponentials,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; f(2,3) axes=; f(2,0) axes=1",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
