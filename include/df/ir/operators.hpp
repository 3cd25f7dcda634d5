// The operators of tensors, each of which knows the user's line.
//
// An operator cannot have a defaulted argument, and a converting operand cannot be deduced. So the operators are hidden
// friends of a base class that knows one operand's type; that operand converts to `located`, whose constructor takes the
// place, while only the other operand is deduced. It comes by value, so that a lambda may use a constant of the function
// around it without a capture.
#pragma once
#include <concepts>
#include <type_traits>

#include <df/core/rule.hpp>
#include <df/ir/op_def.hpp>

namespace df::inline DF_ABI {

template <element T, std::int64_t... D> class tensor;
/// A tensor of rank 0, known to the compiler.
template <element T> using scalar = tensor<T, rank0>;
class index;
template <std::floating_point L> class number;   // ir/number.hpp

namespace op {
extern const ir::op_def convert;
extern const ir::op_def add, subtract, multiply, divide, modulo, negative;
extern const ir::op_def equal, not_equal, less, less_equal, greater, greater_equal;
extern const ir::op_def bitwise_and, bitwise_or, bitwise_xor, bitwise_not;
}  // namespace op

// What tensor a type stands for: a tensor for itself, an index for an int64 scalar.
template <class X> struct stands_for { using type = void; };
template <class T, std::int64_t... D> struct stands_for<tensor<T, D...>> { using type = tensor<T, D...>; };
template <> struct stands_for<index> { using type = tensor<std::int64_t, rank0>; };
template <class L> struct stands_for<number<L>> { using type = tensor<L, rank0>; };
template <class X> using tensor_t = typename stands_for<std::remove_cvref_t<X>>::type;
template <class X> concept tensor_like = !std::is_void_v<tensor_t<X>>;
template <class X> inline constexpr bool is_tensor = std::is_same_v<tensor_t<X>, X>;
template <class X> using element_t = typename tensor_t<X>::element;
template <class X> inline constexpr bool is_number = false;
template <class L> inline constexpr bool is_number<number<L>> = true;
/// What an elementwise function makes of an operand: a number stays one, anything else becomes the tensor it stands for.
template <class X> using operand_t = std::conditional_t<is_number<std::remove_cvref_t<X>>, std::remove_cvref_t<X>, tensor_t<X>>;

/// A number that takes the dtype T beside a tensor of T: no fraction for integers, bool only for bool.
template <class L, class T>
concept literal_for = std::is_arithmetic_v<L> && (std::floating_point<T> || !std::floating_point<L>) && std::same_as<L, bool> == std::same_as<T, bool>;
template <class U, class T> concept tensor_of = tensor_like<U> && std::same_as<element_t<U>, T>;
template <class U, class T> concept number_for = is_number<U> && std::floating_point<T>;
template <class U, class T> concept operand_for = tensor_of<U, T> || literal_for<U, T> || number_for<U, T>;
template <class U, class T> concept wrong_for = (tensor_like<U> || std::is_arithmetic_v<U>) && !operand_for<U, T>;

namespace detail {
[[noreturn]] void literal_range(dtype t, place at);
/// A number written in the program, in T; throws dtype_error when an integer does not fit.
template <element T, class L> T checked_number(L x, place at) {
    const T r = static_cast<T>(x);
    if constexpr (std::is_integral_v<L> && std::is_integral_v<T> && !std::same_as<L, T>)
        if (static_cast<L>(r) != x || (x < L{}) != (r < T{})) literal_range(dtype_of<T>, at);
    return r;
}
template <element T, class L> ir::value literal_value(L x, place at = {}) {
    checked_number<T>(x, at);
    if constexpr (std::is_integral_v<L>) return ir::literal(dtype_of<T>, static_cast<std::int64_t>(x), at);
    else return ir::literal(dtype_of<T>, static_cast<double>(x), at);
}
ir::value converted(const ir::value& v, dtype to, place at);
// The value and the static shape of an operand.
template <element T, class U> decltype(auto) value_of(const U& u, place at = {}) {
    if constexpr (is_number<U>) return converted(u.value(), dtype_of<T>, at);
    else if constexpr (tensor_like<U>) return (u.value());
    else return literal_value<T>(u, at);
}
template <class U> constexpr shape shape_of_operand() {
    if constexpr (tensor_like<U>) return tensor_t<U>::dims;
    else return shape{};
}
inline place place_of(const ir::value& v) { return v ? v->at : place{}; }
ir::value apply(const ir::op_def& op, const ir::value& a, place at);
ir::value apply(const ir::op_def& op, const ir::value& a, const ir::value& b, place at);
ir::value apply(const ir::op_def& op, const ir::value& a, const ir::value& b, const ir::value& c, place at);
}  // namespace detail

inline constexpr struct raw_t {} raw{};   // marks the constructor that wraps a value as it is

/// A tensor of T whose static sizes are the constexpr shape S. (A function: g++ 12 crashes on an alias template with a
/// dependent argument of class type.)
template <element T, shape S> auto wrap(ir::value v) {
    if constexpr (S.any_rank()) return tensor<T>(std::move(v), raw);
    else if constexpr (S.rank() == 0) return tensor<T, rank0>(std::move(v), raw);
    else return [&]<std::size_t... I>(std::index_sequence<I...>) { return tensor<T, S.d[I]...>(std::move(v), raw); }(std::make_index_sequence<static_cast<std::size_t>(S.rank())>{});
}

/// An operand of type X and the place of the expression it stands in.
template <class X> struct located {
    ir::value v;
    place at;
    template <class Y> requires std::same_as<operand_t<Y>, X>
    located(const Y& y, const char* file = __builtin_FILE(), int line = __builtin_LINE()) : v(y.value()), at{file, line} {}
};
/// The right side of `a -= b`, where the left is a plain reference.
template <class X> struct right_side;
template <class T, std::int64_t... D> struct right_side<tensor<T, D...>> {
    ir::value v;
    place at;
    template <operand_for<T> U>
    right_side(const U& u, const char* file = __builtin_FILE(), int line = __builtin_LINE()) : v(detail::value_of<T>(u, {file, line})), at{file, line} {
        constexpr ruled r = broadcast_rule(shape_of<D...>, detail::shape_of_operand<U>());
        DF_ASSERT_RULE("compound assignment", r);
        if constexpr (r.wrong == complaint::none) static_assert(agree(r.s, shape_of<D...>), "df: compound assignment: the result does not fit the left side");
    }
};

template <class X> struct arithmetic {};
template <class T, std::int64_t... D> struct arithmetic<tensor<T, D...>> {
    using self = tensor<T, D...>;
#define DF_BINARY(symbol, record, R)                                                                                   \
    template <operand_for<T> U> friend auto operator symbol(located<self> a, U b) {                                    \
        constexpr ruled r = broadcast_rule(self::dims, detail::shape_of_operand<U>());                                 \
        DF_ASSERT_RULE("operator " #symbol, r);                                                                        \
        return wrap<R, r.s>(detail::apply(op::record, a.v, detail::value_of<T>(b, a.at), a.at));                             \
    }                                                                                                                  \
    template <class U> requires(bool(literal_for<U, T> || number_for<U, T>)) friend auto operator symbol(U a, located<self> b) { \
        return wrap<R, self::dims>(detail::apply(op::record, detail::value_of<T>(a, b.at), b.v, b.at));                \
    }                                                                                                                  \
    template <wrong_for<T> U> friend void operator symbol(located<self>, U) = delete; /* df: mixed dtypes: write df::cast<T>(x) */ \
    template <wrong_for<T> U> requires std::is_arithmetic_v<U> || is_number<U> friend void operator symbol(U, located<self>) = delete; /* df: mixed dtypes: write df::cast<T>(x) */
    DF_BINARY(+, add, T)
    DF_BINARY(-, subtract, T)
    DF_BINARY(*, multiply, T)
    DF_BINARY(/, divide, T)
    DF_BINARY(%, modulo, T)
    DF_BINARY(<, less, bool)
    DF_BINARY(<=, less_equal, bool)
    DF_BINARY(>, greater, bool)
    DF_BINARY(>=, greater_equal, bool)
    DF_BINARY(==, equal, bool)
    DF_BINARY(!=, not_equal, bool)
    DF_BINARY(&, bitwise_and, T)
    DF_BINARY(|, bitwise_or, T)
    DF_BINARY(^, bitwise_xor, T)
#undef DF_BINARY
// Where bool is wanted, a converting operand is no better than `operator bool`: these take the tensor itself, and their
// place is where it was made.
#define DF_LOGICAL(symbol, record)                                                                                     \
    template <operand_for<T> U> requires std::same_as<T, bool> friend auto operator symbol(const self& a, U b) {       \
        constexpr ruled r = broadcast_rule(self::dims, detail::shape_of_operand<U>());                                 \
        DF_ASSERT_RULE("operator " #symbol, r);                                                                        \
        const place at = detail::place_of(a.value());                                                                  \
        return wrap<bool, r.s>(detail::apply(op::record, a.value(), detail::value_of<T>(b, at), at));                  \
    }                                                                                                                  \
    template <std::same_as<T> U> requires std::same_as<T, bool> friend self operator symbol(U a, const self& b) {      \
        return self(detail::apply(op::record, detail::literal_value<bool>(a), b.value(), detail::place_of(b.value())), raw); \
    }
    DF_LOGICAL(&&, bitwise_and)
    DF_LOGICAL(||, bitwise_or)
#undef DF_LOGICAL
    friend self operator-(located<self> a) { return self(detail::apply(op::negative, a.v, a.at), raw); }
    friend self operator+(located<self> a) { return self(a.v, raw); }
    friend self operator~(located<self> a) requires(!std::floating_point<T>) { return self(detail::apply(op::bitwise_not, a.v, a.at), raw); }
    friend self operator!(const self& a) requires std::same_as<T, bool> { return self(detail::apply(op::bitwise_not, a.value(), detail::place_of(a.value())), raw); }
#define DF_COMPOUND(symbol, record) \
    friend self& operator symbol(self& a, right_side<self> b) { return a.rebind(detail::apply(op::record, a.value(), b.v, b.at), b.at); }
    DF_COMPOUND(+=, add)
    DF_COMPOUND(-=, subtract)
    DF_COMPOUND(*=, multiply)
    DF_COMPOUND(/=, divide)
    DF_COMPOUND(%=, modulo)
#undef DF_COMPOUND
};

/// The number of a lane in a pfor: an int64 scalar.
class index : public arithmetic<tensor<std::int64_t, rank0>> {
public:
    explicit index(ir::value v) : v_(std::move(v)) {}
    const ir::value& value() const { return v_; }

private:
    ir::value v_;
};

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ir/emit.hpp>

namespace df::inline DF_ABI::detail {
DF_FN void literal_range(dtype t, place at) {
    throw dtype_error(std::string("a number does not fit ") + name_of(t) + ", the dtype of the tensor beside it; write df::cast<std::int64_t>(x) to compute in int64", at);
}
DF_FN ir::value converted(const ir::value& v, dtype to, place at) {
    return v && v.element() == to ? v : ir::emit_one(op::convert, {v}, {{"to", to}}, at);
}
DF_FN ir::value apply(const ir::op_def& op, const ir::value& a, place at) { return ir::emit_one(op, {a}, {}, at); }
DF_FN ir::value apply(const ir::op_def& op, const ir::value& a, const ir::value& b, place at) { return ir::emit_one(op, {a, b}, {}, at); }
DF_FN ir::value apply(const ir::op_def& op, const ir::value& a, const ir::value& b, const ir::value& c, place at) { return ir::emit_one(op, {a, b, c}, {}, at); }
}  // namespace df::inline DF_ABI::detail
#endif
