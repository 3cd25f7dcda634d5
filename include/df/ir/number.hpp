// A floating number that is data, yet takes the dtype of what it meets, as a number written in the program does.
#pragma once
#include <df/ir/tensor.hpp>

namespace df::inline DF_ABI {

namespace detail {
/// The type that a number of L and a literal or number U compute in.
template <class L, class U> struct number_type { using type = L; };
template <class L, class M> struct number_type<L, number<M>> { using type = std::common_type_t<L, M>; };
}  // namespace detail

/// What an `auto` parameter of a df::function is when its argument is a C++ float or double: a scalar of L. Beside a
/// tensor of float or double it computes in the tensor's dtype; with literals and numbers it stays a number.
template <std::floating_point L> class number : public tensor<L, rank0> {
public:
    number() = default;
    number(ir::value v, raw_t) : tensor<L, rank0>(std::move(v), raw) {}
    template <std::floating_point T, std::int64_t... D> requires(!std::same_as<T, L> && shape_of<D...>.rank() <= 0)
    operator tensor<T, D...>() const { return tensor<T, D...>(detail::converted(this->value(), dtype_of<T>, {}), raw); }

#define DF_NUMBER(symbol, record, R)                                                                                    \
    template <class U> requires(bool(literal_for<U, L> || is_number<U>)) friend auto operator symbol(located<number> a, U b) { \
        using C = typename detail::number_type<L, U>::type;                                                             \
        return R(detail::apply(op::record, detail::converted(a.v, dtype_of<C>, a.at), detail::value_of<C>(b, a.at), a.at), raw); \
    }                                                                                                                   \
    template <class U> requires(bool(literal_for<U, L>)) friend auto operator symbol(U a, located<number> b) {          \
        using C = L;                                                                                                    \
        return R(detail::apply(op::record, detail::value_of<C>(a, b.at), b.v, b.at), raw);                              \
    }
    DF_NUMBER(+, add, number<C>)
    DF_NUMBER(-, subtract, number<C>)
    DF_NUMBER(*, multiply, number<C>)
    DF_NUMBER(/, divide, number<C>)
    DF_NUMBER(%, modulo, number<C>)
    DF_NUMBER(<, less, scalar<bool>)
    DF_NUMBER(<=, less_equal, scalar<bool>)
    DF_NUMBER(>, greater, scalar<bool>)
    DF_NUMBER(>=, greater_equal, scalar<bool>)
    DF_NUMBER(==, equal, scalar<bool>)
    DF_NUMBER(!=, not_equal, scalar<bool>)
#undef DF_NUMBER
    friend number operator-(located<number> a) { return {detail::apply(op::negative, a.v, a.at), raw}; }
    friend number operator+(located<number> a) { return {a.v, raw}; }
};

}  // namespace df::inline DF_ABI
