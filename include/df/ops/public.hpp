// What public op functions are made of: from typed operands to values and back.
#pragma once
#include <df/ir/tensor.hpp>

namespace df::inline DF_ABI::detail {

// The element type of a pair of operands, of which one is a tensor.
template <class A, class B> struct pair_element { using type = element_t<A>; };
template <class A, class B> requires(!tensor_like<A> && tensor_like<B>) struct pair_element<A, B> { using type = element_t<B>; };
template <class A, class B> concept pair_of = (tensor_like<A> || tensor_like<B>) && (tensor_like<A> || std::is_arithmetic_v<A>) && (tensor_like<B> || std::is_arithmetic_v<B>);

/// An elementwise record on two operands that broadcast; a number takes the other's dtype.
template <class R, class A, class B> auto broadcast_apply(const ir::op_def& op, const A& a, const B& b, place at) {
    using T = typename pair_element<A, B>::type;
    static_assert(operand_for<A, T> && operand_for<B, T>, "df: mixed dtypes: write df::cast<T>(x)");
    constexpr ruled r = broadcast_rule(shape_of_operand<A>(), shape_of_operand<B>());
    DF_ASSERT_RULE("broadcasting", r);
    using result = std::conditional_t<std::is_void_v<R>, T, R>;
    if constexpr (operand_for<A, T> && operand_for<B, T>) return wrap<result, r.s>(apply(op, value_of<T>(a), value_of<T>(b), at));
    else return tensor<result>();
}

/// One axis, several, or all of them; negative ones count from the end. Normalized and checked against a value.
struct axis_list {
    bool all = true;
    std::vector<std::int64_t> list;
    axis_list() = default;
    axis_list(std::int64_t one) : all(false), list{one} {}
    axis_list(const sizes& s) : all(false), list(s.s.begin(), s.s.end()) {}
    /// The axes from the front, each once; throws shape_error with `who`.
    std::vector<std::int64_t> normalized(const ir::value& x, const char* who, place at) const;
};
int checked_axis(std::int64_t axis, const ir::value& x, const char* who, place at);

}  // namespace df::inline DF_ABI::detail

#if DF_IMPL
namespace df::inline DF_ABI::detail {
DF_FN int checked_axis(std::int64_t axis, const ir::value& x, const char* who, place at) {
    if (!x) throw trace_error(std::string(who) + ": an operand is empty: it was default-constructed or moved from; give it a value first", at);
    const int a = normal_axis(axis, x.rank());
    if (a < 0) throw shape_error(std::string(who) + ": the axis is out of range: axis " + std::to_string(axis) + " of " + ir::to_text(x.type()) + "; " + ir::advice(complaint::axis), at);
    return a;
}
DF_FN std::vector<std::int64_t> axis_list::normalized(const ir::value& x, const char* who, place at) const {
    std::vector<std::int64_t> r;
    if (!x) checked_axis(0, x, who, at);
    if (all) for (int i = 0; i < x.rank(); ++i) r.push_back(i);
    for (auto a : list) {
        const auto k = checked_axis(a, x, who, at);
        for (auto b : r) if (b == k) throw shape_error(std::string(who) + ": an axis is repeated: axis " + std::to_string(a) + " of " + ir::to_text(x.type()) + "; " + ir::advice(complaint::repeated), at);
        r.push_back(k);
    }
    return r;
}
}  // namespace df::inline DF_ABI::detail
#endif
