// Products with names: matmul, dot, outer, tensordot. All lower to `contract`.
#pragma once
#include <df/ops/arith.hpp>
#include <df/ops/over_axes.hpp>

namespace df::inline DF_ABI {

/// Shape of NumPy's matmul.
constexpr ruled matmul_rule(const shape& a, const shape& b) {
    if (a.any_rank() || b.any_rank()) return shape::any();
    if (a.n == 0 || b.n == 0) return complaint::rank;
    if (clash(a.d[a.n - 1], b.d[b.n > 1 ? b.n - 2 : 0])) return complaint::inner;
    const ruled batch = broadcast_rule(a.n > 2 ? a.first(a.n - 2) : shape{}, b.n > 2 ? b.first(b.n - 2) : shape{});
    if (batch.wrong != complaint::none) return batch;
    shape r = batch.s;
    if (a.n > 1) r.push_back(a.d[a.n - 2]);
    if (b.n > 1) r.push_back(b.d[b.n - 1]);
    return r;
}
/// Shape of NumPy's dot.
constexpr ruled dot_rule(const shape& a, const shape& b) {
    if (a.any_rank() || b.any_rank()) return shape::any();
    if (a.n == 0) return b;
    if (b.n == 0) return a;
    const int k = b.n > 1 ? b.n - 2 : 0;
    if (clash(a.back(), b.d[k])) return complaint::inner;
    return a.first(a.n - 1) + b.without(k);
}
/// Shape of NumPy's outer.
constexpr shape outer_rule(const shape& a, const shape& b) {
    shape r{dyn, dyn};
    if (a.known()) r.d[0] = a.elements();
    if (b.known()) r.d[1] = b.elements();
    return r;
}
namespace detail {
ir::value matmul(const ir::value& a, const ir::value& b, place at);
ir::value dot(const ir::value& a, const ir::value& b, place at);
ir::value outer(const ir::value& a, const ir::value& b, place at);
ir::value tensordot(const ir::value& a, const ir::value& b, std::int64_t n, place at);
ir::value tensordot(const ir::value& a, const ir::value& b, const axis_list& axes_a, const axis_list& axes_b, place at);
}  // namespace detail

/// The matrix product in all of NumPy's forms: vectors, matrices, stacks of them whose leading axes broadcast.
/// Throws shape_error when the inner sizes differ or an operand is a scalar.
template <tensor_like A, tensor_like B> auto matmul(const A& a, const B& b, place at = place::here()) {
    static_assert(std::same_as<element_t<A>, element_t<B>>, "df: matmul: the dtypes differ; write df::cast<T>(x)");
    constexpr ruled r = matmul_rule(tensor_t<A>::dims, tensor_t<B>::dims);
    DF_ASSERT_RULE("matmul", r);
    return wrap<element_t<A>, r.s>(detail::matmul(a.value(), b.value(), at));
}
/// NumPy's dot: the sum over the last axis of a and the first-but-last (of a vector: the only) axis of b; with a scalar,
/// the product. Throws shape_error when the inner sizes differ.
template <tensor_like A, tensor_like B> auto dot(const A& a, const B& b, place at = place::here()) {
    static_assert(std::same_as<element_t<A>, element_t<B>>, "df: dot: the dtypes differ; write df::cast<T>(x)");
    constexpr ruled r = dot_rule(tensor_t<A>::dims, tensor_t<B>::dims);
    DF_ASSERT_RULE("dot", r);
    return wrap<element_t<A>, r.s>(detail::dot(a.value(), b.value(), at));
}
/// Every element of a times every element of b: a matrix, the operands taken as vectors.
template <tensor_like A, tensor_like B> auto outer(const A& a, const B& b, place at = place::here()) {
    static_assert(std::same_as<element_t<A>, element_t<B>>, "df: outer: the dtypes differ; write df::cast<T>(x)");
    return wrap<element_t<A>, outer_rule(tensor_t<A>::dims, tensor_t<B>::dims)>(detail::outer(a.value(), b.value(), at));
}
/// The sum over the last n axes of a and the first n of b, in order. Throws shape_error when their sizes differ.
template <tensor_like A, tensor_like B> auto tensordot(const A& a, const B& b, std::int64_t n = 2, detail::call_place at = place::here()) {
    static_assert(std::same_as<element_t<A>, element_t<B>>, "df: tensordot: the dtypes differ; write df::cast<T>(x)");
    return tensor<element_t<A>>(detail::tensordot(a.value(), b.value(), n, at.at), raw);
}
/// The sum over the axes `axes_a` of a and `axes_b` of b, in pairs; the result has the other axes of a, then those of b.
template <tensor_like A, tensor_like B> auto tensordot(const A& a, const B& b, const detail::reduced_axes& axes_a, const detail::reduced_axes& axes_b, place at = place::here()) {
    static_assert(std::same_as<element_t<A>, element_t<B>>, "df: tensordot: the dtypes differ; write df::cast<T>(x)");
    return tensor<element_t<A>>(detail::tensordot(a.value(), b.value(), axes_a, axes_b, at), raw);
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/contract.hpp>

namespace df::inline DF_ABI::detail {
/// Runs a rule on run-time shapes and throws its complaint with the operands' types.
inline shape ruled_shape(const char* who, const ruled& r, std::initializer_list<ir::value> in, place at) {
    if (r.wrong == complaint::none) return r.s;
    std::string m = std::string(who) + ": " + to_text(r.wrong) + ": ";
    bool first = true;
    for (auto& v : in) {
        m += (first ? "" : ", ") + ir::to_text(v.type());
        first = false;
    }
    throw shape_error(m + "; " + ir::advice(r.wrong), at);
}
DF_FN ir::value matmul(const ir::value& a, const ir::value& b, place at) {
    const auto to = ruled_shape("matmul", matmul_rule(present(a, "matmul", at).type().own(), present(b, "matmul", at).type().own()), {a, b}, at);
    // Labels: 0 rows, 1 columns, 2 depth, 3… batch axes from the back; a batch axis of size 1 that stretches is dropped.
    const auto batches = [](const shape& s) { return s.n > 2 ? s.n - 2 : 0; };
    const int na = batches(a.type().own()), nb = batches(b.type().own()), n = na > nb ? na : nb;
    ir::ints la, lb, lo;
    const auto operand = [&](const ir::value& x, int count, int other_count, const shape& other, ir::ints& l) {
        const auto s = x.type().own();
        shape kept;
        for (int i = 0; i < count; ++i) {
            const int from_back = count - i, j = other_count - from_back;
            const bool stretches = s.d[i] == 1 && j >= 0 && other.d[j] != 1;
            if (stretches) continue;
            l.push_back(3 + n - from_back);
            kept.push_back(s.d[i]);
        }
        return ir::reshape(x, kept + s.from(count), at);
    };
    const auto x = operand(a, na, nb, b.type().own(), la), y = operand(b, nb, na, a.type().own(), lb);
    for (int i = 0; i < n; ++i) lo.push_back(3 + i);
    if (a.rank() > 1) la.push_back(0), lo.push_back(0);
    la.push_back(2);
    lb.push_back(2);
    if (b.rank() > 1) lb.push_back(1), lo.push_back(1);
    return ir::reshape(ir::contract(x, y, la, lb, lo, at), to, at);
}
DF_FN ir::value dot(const ir::value& a, const ir::value& b, place at) {
    ruled_shape("dot", dot_rule(present(a, "dot", at).type().own(), present(b, "dot", at).type().own()), {a, b}, at);
    if (a.rank() == 0 || b.rank() == 0) return ir::emit_one(op::multiply, {a, b}, {}, at);
    const std::int64_t k = b.rank() > 1 ? b.rank() - 2 : 0;
    return tensordot(a, b, axis_list(-1), axis_list(k), at);
}
DF_FN ir::value outer(const ir::value& a, const ir::value& b, place at) {
    const auto flat = [&](const ir::value& x) {
        const auto s = present(x, "outer", at).type().own();
        if (s.n == 1) return x;
        if (!s.known()) throw shape_error("outer: an operand of type " + ir::to_text(x.type()) + " has several axes and a size that is known only when the program runs; reshape it to one axis", at);
        return ir::reshape(x, {s.elements()}, at);
    };
    return ir::contract(flat(a), flat(b), {0}, {1}, {0, 1}, at);
}
DF_FN ir::value tensordot(const ir::value& a, const ir::value& b, std::int64_t n, place at) {
    const int ra = present(a, "tensordot", at).rank(), rb = present(b, "tensordot", at).rank();
    if (n < 0 || n > ra || n > rb) ruled_shape("tensordot", n < 0 ? complaint::negative : complaint::rank, {a, b}, at);
    std::vector<std::int64_t> last, first;
    for (std::int64_t i = 0; i < n; ++i) last.push_back(ra - n + i), first.push_back(i);
    return tensordot(a, b, axis_list(last), axis_list(first), at);
}
DF_FN ir::value tensordot(const ir::value& a, const ir::value& b, const axis_list& axes_a, const axis_list& axes_b, place at) {
    const auto la = axes_a.normalized(a, "tensordot", at), lb = axes_b.normalized(b, "tensordot", at);
    if (la.size() != lb.size()) throw shape_error("tensordot: " + std::to_string(la.size()) + " axes of the left operand and " + std::to_string(lb.size()) + " of the right one; name as many of each", at);
    // Labels: the axes of a, then those of b; the axes of b that are summed share a's.
    ir::ints a_labels, b_labels, out;
    for (int i = 0; i < a.rank(); ++i) {
        a_labels.push_back(i);
        if (!ops::contains(la, i)) out.push_back(i);
    }
    for (int i = 0; i < b.rank(); ++i) b_labels.push_back(a.rank() + i);
    for (std::size_t k = 0; k < lb.size(); ++k) b_labels[static_cast<std::size_t>(lb[k])] = la[k];
    for (int i = 0; i < b.rank(); ++i) if (!ops::contains(lb, i)) out.push_back(a.rank() + i);
    for (std::size_t k = 0; k < la.size(); ++k)
        if (clash(a.type().own().d[la[k]], b.type().own().d[lb[k]])) ruled_shape("tensordot", complaint::sizes, {a, b}, at);
    return ir::contract(a, b, a_labels, b_labels, out, at);
}
}  // namespace df::inline DF_ABI::detail
#endif
