// What a callable takes and returns, and how arguments are brought to it.
#pragma once
#include <functional>

#include <df/ir/emit.hpp>
#include <df/trace/tree.hpp>

namespace df::inline DF_ABI::detail {

template <class R, class... P> struct sig {};
template <class M> struct member_sig { using type = void; };
template <class C, class R, class... P> struct member_sig<R (C::*)(P...) const> { using type = sig<R, P...>; };
template <class C, class R, class... P> struct member_sig<R (C::*)(P...)> { using type = sig<R, P...>; };
template <class C, class R, class... P> struct member_sig<R (C::*)(P...) const noexcept> { using type = sig<R, P...>; };
template <class C, class R, class... P> struct member_sig<R (C::*)(P...) noexcept> { using type = sig<R, P...>; };

/// sig<R, P...> of a callable that has one signature, void of a generic one.
template <class F> struct signature { using type = void; };
template <class F> requires requires { typename F::df_signature; } struct signature<F> { using type = typename F::df_signature; };
template <class F> requires(requires { &F::operator(); } && !requires { typename F::df_signature; }) struct signature<F> : member_sig<decltype(&F::operator())> {};
template <class R, class... P> struct signature<R (*)(P...)> { using type = sig<R, P...>; };

// A transform inside another one: its own line, not one of df's, is the place of what it does.
template <class F> concept placed_callable = requires(const F& f) {
    typename F::df_signature;
    f.made;
};
template <class F, class... A> decltype(auto) invoke_body(F& f, const A&... a) {
    if constexpr (placed_callable<F>) return f(a..., f.made);
    else return std::invoke(f, a...);
}
/// Calls a body with constant arguments; a result of numbers becomes scalar tensors, none becomes an empty tuple.
template <class F, class... A> auto call_body(const F& f, const A&... a) {
    using R = decltype(invoke_body(const_cast<F&>(f), a...));
    if constexpr (std::is_void_v<R>) {
        invoke_body(const_cast<F&>(f), a...);
        return std::tuple<>{};
    } else {
        return lift(invoke_body(const_cast<F&>(f), a...));
    }
}
template <class F, class... A> using result_t = decltype(call_body(std::declval<const F&>(), std::declval<const A&>()...));

/// A host number as data: unlike a literal it is not part of the graph.
ir::value data_scalar(dtype t, double x, place at);

/// An argument as the type of its parameter: sizes are checked, a host number becomes data where a tensor is wanted.
template <class P, class A> P convert_arg(const A& a, place at) {
    if constexpr (std::same_as<P, A>) return a;
    else if constexpr (is_tensor<P> && number_for<A, element_t<P>>) return P(a);
    else if constexpr (is_tensor<P> && tensor_like<A>) {
        static_assert(std::same_as<element_t<P>, element_t<A>>, "df: an argument has another dtype than the parameter; write df::cast<T>(x)");
        static_assert(agree(tensor_t<A>::dims, P::dims), "df: an argument does not fit the parameter's static sizes");
        P p;
        p.rebind(a.value(), at);
        return p;
    }
    else if constexpr (is_tensor<P> && literal_for<A, element_t<P>>) return P(wrap<element_t<P>, shape{}>(data_scalar(dtype_of<element_t<P>>, static_cast<double>(a), at)));
    else return P(a);
}

/// A parameter at df's boundary: also takes what has to be checked.
template <class P> struct param {
    P p;
    template <class A> requires(!std::same_as<A, param>) && (std::convertible_to<const A&, P> || (is_tensor<P> && tensor_like<A>))
    param(const A& a, place at = place::here()) : p(convert_arg<P>(a, at)) {}
};

/// An argument of a generic callable: a floating number is data that takes the dtype of what it meets.
template <class A> decltype(auto) boundary(const A& a) {
    if constexpr (std::floating_point<A>) return number<A>(data_scalar(dtype_of<A>, static_cast<double>(a), {}), raw);
    else return (a);
}

/// Gives an implementation a call operator that takes anything; the place is the transform's.
template <class Impl> struct any_arguments : Impl {
    template <class... X> requires(sizeof...(X) > 1) explicit any_arguments(X&&... x) : Impl{std::forward<X>(x)...} {}
    template <class... A> auto operator()(const A&... a) const { return Impl::call(Impl::made, a...); }
};
/// Gives an implementation the call operator of F's signature, so that a call's own line is known; a generic F's is not.
/// Impl has `template <class... A> auto call(place, const A&...) const` and `place made`.
template <class Impl, class F, class S = typename signature<F>::type> struct callable : Impl {
    template <class... X> requires(sizeof...(X) > 1) explicit callable(X&&... x) : Impl{std::forward<X>(x)...} {}
    template <class... A> auto operator()(const A&... a) const { return Impl::call(Impl::made, boundary(a)...); }
};
template <class Impl, class F, class R, class... P> struct callable<Impl, F, sig<R, P...>> : Impl {
    static_assert(((!std::is_lvalue_reference_v<P> || std::is_const_v<std::remove_reference_t<P>>) && ...),
                  "df: a traced callable takes its arguments by value or by const reference; return what it changes");
    template <class... X> requires(sizeof...(X) > 1) explicit callable(X&&... x) : Impl{std::forward<X>(x)...} {}
    using df_signature = sig<R, P...>;   // what this callable in turn takes
    auto operator()(param<std::remove_cvref_t<P>>... p, place at = place::here()) const { return Impl::call(at, p.p...); }
};

/// The signature of f on arguments A: outputs as values, and a prototype of the result's structure.
template <class F, class... A> struct traced_body {
    ir::traced t;
    result_t<F, A...> proto;
};
/// Traces f on staged copies of the arguments.
template <class F, class... A> traced_body<F, A...> trace_body(const F& f, place at, const A&... a) {
    ir::values in;
    collector c;
    (collect(a, c), ...);
    std::vector<ir::type> types;
    for (auto& v : c.found) types.push_back(v.type());
    traced_body<F, A...> r;
    r.t = ir::trace(types, at, [&](const ir::values& staged) {
        std::tuple<A...> args(a...);
        assigner put(staged, 0, at);
        std::apply([&](auto&... x) { (visit(x, put), ...); }, args);
        r.proto = std::apply([&](auto&... x) { return call_body(f, x...); }, args);
        return leaves(r.proto);
    });
    return r;
}

}  // namespace df::inline DF_ABI::detail

#if DF_IMPL
namespace df::inline DF_ABI::detail {
DF_FN ir::value data_scalar(dtype t, double x, place at) { return ir::concrete(core::scalar(t, x), at); }
}  // namespace df::inline DF_ABI::detail
#endif
