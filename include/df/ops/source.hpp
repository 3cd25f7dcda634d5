// Tensors made from nothing: filled ones, which are views of one number, counts, and the bands of a matrix.
#pragma once
#include <df/ops/layout.hpp>

namespace df::inline DF_ABI {

namespace op {
/// 0, 1, 2 … along `axis` of a tensor of `sizes`; attribute `dtype`. An optional operand is the first number.
extern const ir::op_def iota;
}  // namespace op

namespace detail {
ir::value full(const ir::value& x, const shape& s, place at);
ir::value full_like(const ir::value& like, const ir::value& x, const char* who, place at);
ir::value count(dtype t, std::int64_t n, const char* who, place at);
ir::value arange(dtype t, double begin, double end, double step, place at);
ir::value arange(dtype t, std::int64_t begin, std::int64_t end, std::int64_t step, place at);
ir::value linspace(dtype t, double begin, double end, std::int64_t n, bool endpoint, place at);
ir::value eye(dtype t, std::int64_t rows, std::int64_t columns, std::int64_t k, place at);
ir::value triangle(const ir::value& x, std::int64_t k, bool lower, place at);
}  // namespace detail

/// `full<float>({2, 3}, v)`: every element is v, a number or a tensor that broadcasts: NumPy's full. A view of v: no
/// memory is filled. `full<float, 2, 3>(v)` has sizes known to the compiler. Throws shape_error for a negative size.
template <element T, class V> tensor<T> full(const sizes& s, const V& v, place at = place::here()) {
    static_assert(operand_for<V, T>, "df: full: the dtypes differ; write df::cast<T>(x)");
    return tensor<T>(detail::full(detail::value_of<T>(v), s.s, at), raw);
}
template <element T, std::int64_t... D, class V> requires(sizeof...(D) > 0) tensor<T, D...> full(const V& v, place at = place::here()) {
    static_assert(operand_for<V, T>, "df: full: the dtypes differ; write df::cast<T>(x)");
    return tensor<T, D...>(detail::full(detail::value_of<T>(v), shape_of<D...>, at), raw);
}
/// `zeros<double>({2, 3})`, `zeros<double, 2, 3>()`; ones alike.
template <element T> tensor<T> zeros(const sizes& s, place at = place::here()) { return full<T>(s, T(0), at); }
template <element T> tensor<T> ones(const sizes& s, place at = place::here()) { return full<T>(s, T(1), at); }
template <element T, std::int64_t... D> requires(sizeof...(D) > 0) tensor<T, D...> zeros(place at = place::here()) { return full<T, D...>(T(0), at); }
template <element T, std::int64_t... D> requires(sizeof...(D) > 0) tensor<T, D...> ones(place at = place::here()) { return full<T, D...>(T(1), at); }
/// A tensor of the sizes and dtype of x.
template <tensor_like X, class V> tensor_t<X> full_like(const X& x, const V& v, place at = place::here()) {
    static_assert(operand_for<V, element_t<X>>, "df: full_like: the dtypes differ; write df::cast<T>(x)");
    return tensor_t<X>(detail::full_like(x.value(), detail::value_of<element_t<X>>(v), "full_like", at), raw);
}
template <tensor_like X> tensor_t<X> zeros_like(const X& x, place at = place::here()) {
    return tensor_t<X>(detail::full_like(x.value(), detail::literal_value<element_t<X>>(element_t<X>(0)), "zeros_like", at), raw);
}
template <tensor_like X> tensor_t<X> ones_like(const X& x, place at = place::here()) {
    return tensor_t<X>(detail::full_like(x.value(), detail::literal_value<element_t<X>>(element_t<X>(1)), "ones_like", at), raw);
}
/// 0, 1 … n-1. Throws shape_error for a negative n.
template <element T> tensor<T, dyn> iota(const size_arg& n, place at = place::here()) { return tensor<T, dyn>(detail::count(dtype_of<T>, n.n, "iota", at), raw); }
/// `arange<double>(n)`, `arange<double>(begin, end, step)`: begin, begin + step … short of end: NumPy's arange. Throws
/// shape_error for a step of 0.
template <element T, class A, class B, class S = int> requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && std::is_arithmetic_v<S>
tensor<T, dyn> arange(A begin, B end, S step = 1, place at = place::here()) {
    using W = std::conditional_t<std::floating_point<T>, double, std::int64_t>;
    static_assert(literal_for<A, T> && literal_for<B, T> && literal_for<S, T>, "df: arange: whole numbers for a whole dtype");
    return tensor<T, dyn>(detail::arange(dtype_of<T>, static_cast<W>(begin), static_cast<W>(end), static_cast<W>(step), at), raw);
}
template <element T, class N> tensor<T, dyn> arange(const N& n, place at = place::here()) {
    if constexpr (std::floating_point<N>) return arange<T>(N(0), n, 1, at);
    else return tensor<T, dyn>(detail::count(dtype_of<T>, size_arg(n).n, "arange", at), raw);
}
/// n numbers from begin to end at equal distances, `end` among them when `endpoint`: NumPy's linspace.
template <std::floating_point T> requires element<T>
tensor<T, dyn> linspace(double begin, double end, const size_arg& n, bool endpoint = true, place at = place::here()) {
    return tensor<T, dyn>(detail::linspace(dtype_of<T>, begin, end, n.n, endpoint, at), raw);
}
/// `eye<T>(n)`: the identity matrix; `eye<T>(n, m, k)`: ones on diagonal k of an n x m matrix: NumPy's eye.
template <element T> tensor<T, dyn, dyn> eye(const size_arg& n, place at = place::here()) { return tensor<T, dyn, dyn>(detail::eye(dtype_of<T>, n.n, n.n, 0, at), raw); }
template <element T> tensor<T, dyn, dyn> eye(const size_arg& n, const size_arg& m, std::int64_t k = 0, place at = place::here()) {
    return tensor<T, dyn, dyn>(detail::eye(dtype_of<T>, n.n, m.n, k, at), raw);
}
/// The lower (upper) triangle of the last two axes, up to (from) diagonal k, the rest 0: NumPy's tril and triu. Throws
/// shape_error unless x has two axes.
template <tensor_like X> tensor_t<X> tril(const X& x, std::int64_t k = 0, place at = place::here()) { return tensor_t<X>(detail::triangle(x.value(), k, true, at), raw); }
template <tensor_like X> tensor_t<X> triu(const X& x, std::int64_t k = 0, place at = place::here()) { return tensor_t<X>(detail::triangle(x.value(), k, false, at), raw); }

namespace ir {
value iota(dtype t, const shape& s, int axis, place where = {});
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <cmath>

namespace df::inline DF_ABI {
namespace ir {
DF_FN value iota(dtype t, const shape& s, int axis, place where) { return emit_one(op::iota, {}, {{"sizes", s}, {"axis", axis}, {"dtype", t}}, where); }
}  // namespace ir

namespace detail {
DF_FN ir::value full(const ir::value& x, const shape& s, place at) {
    for (auto d : s) if (d < 0 && !is_symbol(d)) throw shape_error("full: a size is negative: " + to_text(s) + "; " + ir::advice(complaint::negative), at);
    return ir::broadcast_to(present(x, "full", at), s, at);
}
DF_FN ir::value full_like(const ir::value& like, const ir::value& x, const char* who, place at) {
    return ir::broadcast_to(present(x, who, at), present(like, who, at).type().own(), at);
}
DF_FN ir::value count(dtype t, std::int64_t n, const char* who, place at) {
    if (n < 0 && !is_symbol(n)) throw shape_error(std::string(who) + ": a size is negative: " + std::to_string(n) + "; " + ir::advice(complaint::negative), at);
    return ir::iota(t, {n}, 0, at);
}
// begin + i * step, in the widest type of its kind
inline ir::value progression(dtype t, const ir::value& begin, const ir::value& step, std::int64_t n, place at) {
    const auto steps = ir::emit_one(op::multiply, {ir::iota(begin.element(), {n}, 0, at), step}, {}, at);
    return ir::convert(ir::emit_one(op::add, {steps, begin}, {}, at), t, at);
}
[[noreturn]] inline void no_progression(const std::string& step, place at) {
    throw shape_error("arange: a step of " + step + " does not lead from begin to end; give finite bounds and a step other than 0", at);
}
DF_FN ir::value arange(dtype t, double begin, double end, double step, place at) {
    const double n = std::ceil((end - begin) / step);
    if (!(std::abs(n) < 9e18)) no_progression(std::to_string(step), at);
    return progression(t, ir::literal(dtype::float64, begin), ir::literal(dtype::float64, step), n > 0 ? static_cast<std::int64_t>(n) : 0, at);
}
DF_FN ir::value arange(dtype t, std::int64_t begin, std::int64_t end, std::int64_t step, place at) {
    if (step == 0) no_progression("0", at);
    std::int64_t span;
    if (__builtin_sub_overflow(end, begin, &span)) no_progression(std::to_string(step), at);
    const bool some = step > 0 ? span > 0 : span < 0;
    return progression(t, ir::literal(dtype::int64, begin), ir::literal(dtype::int64, step), some ? 1 + (span - (step > 0 ? 1 : -1)) / step : 0, at);
}
DF_FN ir::value linspace(dtype t, double begin, double end, std::int64_t n, bool endpoint, place at) {
    if (n < 0) throw shape_error("linspace: the count " + std::to_string(n) + (is_symbol(n) ? " is known only when the program runs" : " is negative") + "; give a number that is 0 or more", at);
    const auto gaps = endpoint ? n - 1 : n;
    const auto first = ir::literal(dtype::float64, begin), last = ir::literal(dtype::float64, end);
    const auto x = progression(dtype::float64, first, ir::literal(dtype::float64, gaps > 0 ? (end - begin) / static_cast<double>(gaps) : 0), n, at);
    if (!endpoint || gaps < 1) return ir::convert(x, t, at);
    const auto at_end = ir::emit_one(op::equal, {ir::iota(dtype::int64, {n}, 0, at), ir::literal(dtype::int64, gaps)}, {}, at);
    return ir::convert(ir::emit_one(op::select, {at_end, last, x}, {}, at), t, at);   // exactly the end
}
// compare(row + k, column) over the last two sizes
inline ir::value band(const ir::op_def& compare, std::int64_t rows, std::int64_t columns, std::int64_t k, place at) {
    const auto row = ir::emit_one(op::add, {ir::iota(dtype::int64, {rows, 1}, 0, at), ir::literal(dtype::int64, k)}, {}, at);
    return ir::emit_one(compare, {row, ir::iota(dtype::int64, {columns}, 0, at)}, {}, at);
}
DF_FN ir::value eye(dtype t, std::int64_t rows, std::int64_t columns, std::int64_t k, place at) { return ir::convert(band(op::equal, rows, columns, k, at), t, at); }
DF_FN ir::value triangle(const ir::value& x, std::int64_t k, bool lower, place at) {
    const char* who = lower ? "tril" : "triu";
    const auto s = present(x, who, at).type().own();
    if (s.n < 2) checked_rule(complaint::rank, x, who, at);
    const auto inside = band(lower ? op::greater_equal : op::less_equal, s.d[s.n - 2], s.d[s.n - 1], k, at);
    return ir::emit_one(op::select, {inside, x, ir::literal(x.element(), 0.0)}, {}, at);
}
}  // namespace detail

namespace op {
DF_RECORD ir::op_def iota{
    .name = "iota",
    .doc = "0, 1, 2 … along an axis",
    .infer = [](ir::inference& q) {
        for (auto d : q.at.sizes("sizes")) if (d < 0 && !is_symbol(d)) q.give(q.at.element("dtype"), ruled(complaint::negative));
        q.give(q.at.element("dtype"), q.at.sizes("sizes"));
    },
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
    .numbered = [](const ir::rule_args& r, const ir::value& first) -> ir::values {
        return {ir::emit_one(iota, {r.in.empty() ? first : add(r.in[0], first)}, r.at)};
    },
    .samples = "sizes=3 axis=0 dtype=3; sizes=2,3 axis=1 dtype=5; k() sizes=3 axis=0 dtype=3",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
