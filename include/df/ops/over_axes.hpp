// How reductions are called: over every axis, one or several, keeping them or not.
#pragma once
#include <df/ops/public.hpp>

namespace df::inline DF_ABI {

/// Keeps reduced axes, with size 1: `df::sum(x, 1, df::keepdims)`.
struct keepdims_t {
    explicit constexpr keepdims_t(none_t) {}   // `{}` is an empty list of axes
};
inline constexpr keepdims_t keepdims{none};

/// Shape of a reduction over one axis.
constexpr ruled reduce_rule(shape s, std::int64_t axis, bool keep) {
    if (s.any_rank()) return s;
    const int a = normal_axis(axis, s.n);
    if (a < 0) return complaint::axis;
    if (!keep) return s.without(a);
    s.d[a] = 1;
    return s;
}
/// As many axes as `s` has, each of size n.
constexpr shape every_size(shape s, std::int64_t n) {
    for (auto& d : s) d = n;
    return s;
}

namespace detail {
/// Axes to reduce: `{}` is no axis.
struct reduced_axes : axis_list {
    reduced_axes(std::int64_t axis) : axis_list(axis) {}
    reduced_axes(std::initializer_list<size_arg> axes) : axis_list(axes) {}
    reduced_axes(std::vector<std::int64_t> axes) : axis_list(std::move(axes)) {}
    reduced_axes(const shape& axes) : axis_list(sizes(axes)) {}
};
/// The place of a call, in overloads beside one that takes a list: `{0, 1}` and `{}` are no place.
struct call_place {
    place at;
    constexpr call_place(place p) : at(p) {}
};
ir::value reduce_over(const ir::op_def& op, const ir::value& x, const axis_list& axes, bool keep, place at);

// Element types of results.
template <class T> using same = T;
template <class T> using widened = std::conditional_t<std::floating_point<T>, T, std::int64_t>;
template <class T> using averaged = std::conditional_t<std::floating_point<T>, T, double>;
template <class> using truth_of = bool;
template <class> using position = std::int64_t;
template <class T> struct real_element {
    static_assert(std::floating_point<T>, "df: this reduction needs float or double; write df::cast<double>(x)");
    using type = T;
};
template <class T> using real_only = typename real_element<T>::type;
}  // namespace detail

// The calls of the reduction with record op::name, whose result on T has elements R<T>. `call` is what it is called by.
#define DF_REDUCTION_CALLS(call, name, R, suffix)                                                                                  \
    template <tensor_like X> auto call(const X& x, detail::call_place at = place::here()) suffix {                                 \
        return wrap<R<element_t<X>>, shape{}>(detail::reduce_over(op::name, x.value(), detail::axis_list(), false, at.at));        \
    }                                                                                                                              \
    template <tensor_like X> auto call(const X& x, keepdims_t, place at = place::here()) suffix {                                  \
        return wrap<R<element_t<X>>, every_size(tensor_t<X>::dims, 1)>(detail::reduce_over(op::name, x.value(), detail::axis_list(), true, at)); \
    }                                                                                                                              \
    template <tensor_like X> auto call(const X& x, const detail::reduced_axes& axes, place at = place::here()) suffix {            \
        return tensor<R<element_t<X>>>(detail::reduce_over(op::name, x.value(), axes, false, at), raw);                            \
    }                                                                                                                              \
    template <tensor_like X> auto call(const X& x, const detail::reduced_axes& axes, keepdims_t, place at = place::here()) suffix { \
        return wrap<R<element_t<X>>, every_size(tensor_t<X>::dims, dyn)>(detail::reduce_over(op::name, x.value(), axes, true, at)); \
    }                                                                                                                              \
    template <tensor_like X, std::int64_t A> auto call(const X& x, size_constant<A>, place at = place::here()) suffix {            \
        constexpr ruled r = reduce_rule(tensor_t<X>::dims, A, false);                                                              \
        DF_ASSERT_RULE(#name, r);                                                                                                  \
        return wrap<R<element_t<X>>, r.s>(detail::reduce_over(op::name, x.value(), A, false, at));                                 \
    }                                                                                                                              \
    template <tensor_like X, std::int64_t A> auto call(const X& x, size_constant<A>, keepdims_t, place at = place::here()) suffix { \
        constexpr ruled r = reduce_rule(tensor_t<X>::dims, A, true);                                                               \
        DF_ASSERT_RULE(#name, r);                                                                                                  \
        return wrap<R<element_t<X>>, r.s>(detail::reduce_over(op::name, x.value(), A, true, at));                                  \
    }
#define DF_REDUCTION(name, R) DF_REDUCTION_CALLS(name, name, R, )

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/layout.hpp>

namespace df::inline DF_ABI::detail {
DF_FN ir::value reduce_over(const ir::op_def& op, const ir::value& x, const axis_list& axes, bool keep, place at) {
    const auto list = axes.normalized(x, op.name, at);
    auto r = ir::emit_one(op, {x}, {{"axes", list}}, at);
    return keep ? ir::expand(r, std::vector<int>(list.begin(), list.end()), at) : r;
}
}  // namespace df::inline DF_ABI::detail
#endif
