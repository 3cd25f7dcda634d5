// What public op functions are made of: from typed operands to values and back.
#pragma once
#include <df/ir/number.hpp>

namespace df::inline DF_ABI::detail {

// A tensor that decides the dtype of an operation: anything but a number.
template <class X> concept strict_tensor = tensor_like<X> && !is_number<X>;
// The element type of a pair of operands: a tensor decides it, else a number does.
template <class A, class B> struct pair_element { using type = element_t<A>; };
template <class A, class B> requires(!strict_tensor<A> && strict_tensor<B>) struct pair_element<A, B> { using type = element_t<B>; };
template <class A, class B> requires(!strict_tensor<A> && !strict_tensor<B>) struct pair_element<A, B> {
    using type = typename number_type<element_t<std::conditional_t<is_number<A>, A, B>>, B>::type;
};
template <class A, class B> using pair_element_t = typename pair_element<A, B>::type;
template <class A, class B> concept pair_of = (tensor_like<A> || tensor_like<B>) && (tensor_like<A> || std::is_arithmetic_v<A>) && (tensor_like<B> || std::is_arithmetic_v<B>);
template <class A, class B> inline constexpr ruled pair_rule = broadcast_rule(shape_of_operand<A>(), shape_of_operand<B>());

/// An elementwise record on two operands that broadcast; a number takes the other's dtype. The result's dtype is R, or
/// with void that of the operands.
template <class R, class A, class B> auto broadcast_apply(const ir::op_def& op, const A& a, const B& b, place at) {
    using T = pair_element_t<A, B>;
    static_assert(operand_for<A, T> && operand_for<B, T>, "df: mixed dtypes: write df::cast<T>(x)");
    using result = std::conditional_t<std::is_void_v<R>, T, R>;
    if constexpr (!operand_for<A, T> || !operand_for<B, T>) return tensor<result>();
    else if constexpr (!std::is_void_v<R> || strict_tensor<A> || strict_tensor<B>) return wrap<result, pair_rule<A, B>.s>(apply(op, value_of<T>(a, at), value_of<T>(b, at), at));
    else return number<T>(apply(op, value_of<T>(a, at), value_of<T>(b, at), at), raw);
}

/// One axis, several, or all of them; negative ones count from the end. Normalized and checked against a value.
struct axis_list {
    bool all = true;
    std::vector<std::int64_t> list;
    axis_list() = default;
    axis_list(std::int64_t one) : all(false), list{one} {}
    template <std::int64_t N> axis_list(size_constant<N>) : all(false), list{N} {}
    axis_list(std::initializer_list<size_arg> axes) : all(false) {
        for (auto& a : axes) list.push_back(a.n);
    }
    axis_list(std::vector<std::int64_t> axes) : all(false), list(std::move(axes)) {}
    axis_list(const sizes& s) : all(false), list(s.s.begin(), s.s.end()) {}
    /// The axes from the front, each once; throws shape_error with `who`.
    std::vector<std::int64_t> normalized(const ir::value& x, const char* who, place at) const;
};
int checked_axis(std::int64_t axis, const ir::value& x, const char* who, place at);
/// `x` itself; throws trace_error when it is empty.
const ir::value& present(const ir::value& x, const char* who, place at);
/// The shape of a constexpr rule on run-time shapes, or its complaint as a shape_error.
shape checked_rule(const ruled& r, const ir::value& x, const char* who, place at);

}  // namespace df::inline DF_ABI::detail

#if DF_IMPL
namespace df::inline DF_ABI::detail {
DF_FN const ir::value& present(const ir::value& x, const char* who, place at) {
    if (!x) throw trace_error(std::string(who) + ": an operand is empty: it was default-constructed or moved from; give it a value first", at);
    return x;
}
DF_FN shape checked_rule(const ruled& r, const ir::value& x, const char* who, place at) {
    if (r.wrong != complaint::none)
        throw shape_error(std::string(who) + ": " + to_text(r.wrong) + ": " + ir::to_text(x.type()) + "; " + ir::advice(r.wrong), at);
    return r.s;
}
DF_FN int checked_axis(std::int64_t axis, const ir::value& x, const char* who, place at) {
    const int a = normal_axis(axis, present(x, who, at).rank());
    if (a < 0) throw shape_error(std::string(who) + ": the axis is out of range: axis " + std::to_string(axis) + " of " + ir::to_text(x.type()) + "; " + ir::advice(complaint::axis), at);
    return a;
}
DF_FN std::vector<std::int64_t> axis_list::normalized(const ir::value& x, const char* who, place at) const {
    std::vector<std::int64_t> r;
    if (all) for (int i = 0; i < present(x, who, at).rank(); ++i) r.push_back(i);
    for (auto a : list) {
        const auto k = checked_axis(a, x, who, at);
        for (auto b : r) if (b == k) throw shape_error(std::string(who) + ": an axis is repeated: axis " + std::to_string(a) + " of " + ir::to_text(x.type()) + "; " + ir::advice(complaint::repeated), at);
        r.push_back(k);
    }
    return r;
}
}  // namespace df::inline DF_ABI::detail
#endif
