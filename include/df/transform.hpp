// The verbs on functions: grad, value_and_grad, vjp, jvp, jacobian, hessian, custom_vjp. Each takes a callable and returns
// a callable; they nest in any order.
#pragma once
#include <df/pfor.hpp>

namespace df::inline DF_ABI {
namespace detail {

// The operands of a derivative node: the arguments' tensors, what the body captures, and which positions are asked for.
struct derivative_site {
    ir::traced t;
    ir::values arguments;
    ir::ints wrt;
    place at;
};
/// Who differentiates: by arguments that the user chose, each of which must hold a floating tensor, or by all there are.
struct verb {
    const char* name;
    bool chosen = false;
};
void check_differentiable(const ir::values& all, const std::vector<std::size_t>& counts, const std::vector<int>& chosen, verb who, place at, ir::ints& wrt);
ir::values vjp_node(const derivative_site& s, const ir::values& cotangents);
ir::values jvp_node(const derivative_site& s, const ir::values& tangents);
void check_scalar_loss(const ir::graph& g, const char* who, place at);
ir::values ones_like_outputs(const ir::graph& g);
void check_like(const ir::values& given, const ir::graph& g, const ir::ints* wrt, const char* who, place at);
/// Jacobian of output k by the operands in `wrt`: [output…, operand…], forward (a pfor over tangents) or reverse.
enum class jacobian_mode : char { pick, forward, reverse };
ir::values jacobian_values(const derivative_site& s, jacobian_mode mode);

// Positions of the chosen arguments' tensors in the flat list of all arguments' tensors.
template <int... I, class... A> derivative_site site_of(const ir::traced& t, verb who, place at, const A&... a) {
    static_assert(((I >= 0 && I < static_cast<int>(sizeof...(A))) && ...), "df: the number of a chosen argument is out of range");
    derivative_site s;
    s.t = t;
    s.at = at;
    std::vector<std::size_t> counts;
    (counts.push_back([&] {
        const auto v = leaves(a);
        s.arguments.insert(s.arguments.end(), v.begin(), v.end());
        return v.size();
    }()), ...);
    check_differentiable(s.arguments, counts, {I...}, who, at, s.wrt);
    return s;
}
// A structure of the chosen arguments: one argument itself, several as a tuple.
template <int... I, class... A> auto chosen_like(const std::tuple<A...>& a, const ir::values& v, place at) {
    std::size_t k = 0;
    const auto take = [&](const auto& x) {
        auto r = lift(x);
        assigner put(v, k, at);
        visit(r, put);
        k = put.next;
        return r;
    };
    if constexpr (sizeof...(I) == 1) return (take(std::get<I>(a)), ...);
    else return std::tuple{take(std::get<I>(a))...};
}

template <class F, bool WithValue, int... I> struct grad_impl {
    F f;
    place made;
    template <class... A> auto call(place at, const A&... a) const {
        const auto b = trace_body(f, at, a...);
        const auto s = site_of<I...>(b.t, {WithValue ? "value_and_grad" : "grad", true}, at, a...);
        check_scalar_loss(*b.t.g, WithValue ? "value_and_grad" : "grad", at);
        const auto out = vjp_node(s, ones_like_outputs(*b.t.g));
        const auto n = static_cast<std::ptrdiff_t>(ir::output_count(b.t.g));
        auto g = chosen_like<I...>(std::tuple<A...>(a...), ir::values(out.begin() + n, out.end()), at);
        if constexpr (WithValue) return std::pair{rebuilt(b.proto, ir::values(out.begin(), out.begin() + n), at), std::move(g)};
        else return g;
    }
};
template <class F> struct jvp_impl {
    F f;
    place made;
    template <class... X> auto call(place at, const X&... x) const {
        static_assert(sizeof...(X) % 2 == 0, "df: jvp: give the arguments, then a tangent for each");
        return split(at, std::make_index_sequence<sizeof...(X) / 2>{}, std::tuple<const X&...>(x...));
    }
    template <std::size_t... I, class T> auto split(place at, std::index_sequence<I...>, const T& all) const {
        const auto b = trace_body(f, at, std::get<I>(all)...);
        const auto s = site_of<static_cast<int>(I)...>(b.t, {"jvp"}, at, std::get<I>(all)...);
        ir::values t;
        (..., [&] {
            const auto v = leaves(lift(std::get<sizeof...(I) + I>(all)));
            t.insert(t.end(), v.begin(), v.end());
        }());
        const auto out = jvp_node(s, t);
        const auto n = static_cast<std::ptrdiff_t>(ir::output_count(b.t.g));
        return std::pair{rebuilt(b.proto, ir::values(out.begin(), out.begin() + n), at), rebuilt(b.proto, ir::values(out.begin() + n, out.end()), at)};
    }
};
/// The pullback that df::vjp returns: cotangents of the result to cotangents of the arguments.
template <class R, class... A> struct pullback {
    derivative_site site;
    R proto;
    std::tuple<A...> arguments;
    template <class C> auto operator()(const C& ct, place at = place::here()) const {
        return pull(std::index_sequence_for<A...>{}, leaves(lift(ct)), at);
    }
    template <std::size_t... I> auto pull(std::index_sequence<I...>, const ir::values& ct, place at) const {
        check_like(ct, *site.t.g, nullptr, "vjp", at);
        const auto out = vjp_node(site, ct);
        return chosen_like<static_cast<int>(I)...>(arguments, ir::values(out.begin() + static_cast<std::ptrdiff_t>(ir::output_count(site.t.g)), out.end()), at);
    }
};
ir::values outputs_of(const ir::traced& t, const ir::values& arguments, place at);
template <class F> struct vjp_impl {
    F f;
    place made;
    template <class... A> auto call(place at, const A&... a) const {
        auto b = trace_body(f, at, a...);
        return make(at, std::make_index_sequence<sizeof...(A)>{}, b, a...);
    }
    template <std::size_t... I, class B, class... A> auto make(place at, std::index_sequence<I...>, const B& b, const A&... a) const {
        auto s = site_of<static_cast<int>(I)...>(b.t, {"vjp"}, at, a...);
        auto y = rebuilt(b.proto, outputs_of(b.t, s.arguments, at), at);
        using R = std::remove_cvref_t<decltype(y)>;
        return std::pair{std::move(y), pullback<R, A...>{std::move(s), b.proto, {a...}}};
    }
};
template <class F, int... I> struct jacobian_impl {
    F f;
    place made;
    jacobian_mode mode;
    template <class... A> auto call(place at, const A&... a) const {
        const auto b = trace_body(f, at, a...);
        using R = std::remove_cvref_t<decltype(b.proto)>;
        static_assert(is_tensor<R>, "df: jacobian: the function must return one tensor; stack or concatenate its results");
        const auto s = site_of<I...>(b.t, {"jacobian", true}, at, a...);
        const auto j = jacobian_values(s, mode);
        std::size_t k = 0;
        const auto take = [&](const auto& x) { return jacobian_like<R>(lift(x), j, k, at); };
        const std::tuple<A...> all(a...);
        if constexpr (sizeof...(I) == 1) return (take(std::get<I>(all)), ...);
        else return std::tuple{take(std::get<I>(all))...};
    }
    // Of one tensor: [output…, argument…] with the sizes the compiler knows; of a structure: the structure.
    template <class R, class X> static auto jacobian_like(const X& x, const ir::values& j, std::size_t& k, place at) {
        if constexpr (is_tensor<X>) {
            if constexpr (R::dims.any_rank() || X::dims.any_rank()) return tensor<element_t<X>>(j[k++], raw);
            else return wrap<element_t<X>, R::dims + X::dims>(j[k++]);
        } else {
            X r = x;
            assigner put(j, k, at);
            visit(r, put);
            k = put.next;
            return r;
        }
    }
};
ir::values custom_call(const ir::traced& body, const ir::traced& backward, const ir::values& arguments, place at);
template <class F, class B> struct custom_vjp_impl {
    F f;
    B back;
    place made;
    template <class... A> auto call(place at, const A&... a) const {
        const auto b = trace_body(f, at, a...);
        const std::tuple args{lift(a)...};
        const auto g = std::apply([&](const auto&... x) { return trace_body(back, at, x..., b.proto); }, args);
        return rebuilt(b.proto, custom_call(b.t, g.t, leaves(args), at), at);
    }
};

}  // namespace detail

/// df::grad(f)(x…): the gradient of a scalar function by its first argument, of that argument's type. `df::grad<0, 2>(f)`
/// chooses arguments and returns a tuple. f may return (loss, aux…): the rest is ignored. An argument that f does not use
/// has zeros; one that holds no floating tensor is a dtype_error; integer tensors beside floating ones in a struct are
/// constants, with zeros of their type.
template <int... I, class F> auto grad(F f, place at = place::here()) {
    if constexpr (sizeof...(I) == 0) return detail::callable<detail::grad_impl<F, false, 0>, F>(std::move(f), at);
    else return detail::callable<detail::grad_impl<F, false, I...>, F>(std::move(f), at);
}
/// df::value_and_grad(f)(x…): (value, gradient); what f returns besides the loss is in the value.
template <int... I, class F> auto value_and_grad(F f, place at = place::here()) {
    if constexpr (sizeof...(I) == 0) return detail::callable<detail::grad_impl<F, true, 0>, F>(std::move(f), at);
    else return detail::callable<detail::grad_impl<F, true, I...>, F>(std::move(f), at);
}
/// df::jvp(f)(x…, tangent…): (value, tangent of the value).
template <class F> auto jvp(F f, place at = place::here()) {
    return detail::any_arguments<detail::jvp_impl<F>>(std::move(f), at);
}
/// df::vjp(f)(x…): (value, pullback); pullback(cotangent) gives the cotangents of the arguments (a tuple when several).
template <class F> auto vjp(F f, place at = place::here()) { return detail::callable<detail::vjp_impl<F>, F>(std::move(f), at); }
/// df::jacobian(f)(x…): all derivatives of a tensor by the first argument, [result…, argument…]; the mode is chosen by
/// sizes. `jacfwd` and `jacrev` force one.
template <int... I, class F> auto jacobian(F f, place at = place::here()) {
    if constexpr (sizeof...(I) == 0) return detail::callable<detail::jacobian_impl<F, 0>, F>(std::move(f), at, detail::jacobian_mode::pick);
    else return detail::callable<detail::jacobian_impl<F, I...>, F>(std::move(f), at, detail::jacobian_mode::pick);
}
template <int... I, class F> auto jacfwd(F f, place at = place::here()) {
    auto r = jacobian<I...>(std::move(f), at);
    r.mode = detail::jacobian_mode::forward;
    return r;
}
template <int... I, class F> auto jacrev(F f, place at = place::here()) {
    auto r = jacobian<I...>(std::move(f), at);
    r.mode = detail::jacobian_mode::reverse;
    return r;
}
/// df::hessian(f)(x): the second derivatives of f by one argument, [result…, argument…, argument…].
template <class F> auto hessian(F f, place at = place::here()) { return jacfwd(jacrev(std::move(f), at), at); }
/// f with a derivative of your own: backward(inputs…, cotangent) returns the cotangents of the inputs (a tuple when
/// several). Works in both modes and to any order that `backward` can be differentiated to. A derivative by what f captures
/// is a trace_error.
template <class F, class B> auto custom_vjp(F f, B backward, place at = place::here()) {
    return detail::callable<detail::custom_vjp_impl<F, B>, F>(std::move(f), std::move(backward), at);
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/control.hpp>

namespace df::inline DF_ABI::detail {
DF_FN void check_differentiable(const ir::values& all, const std::vector<std::size_t>& counts, const std::vector<int>& chosen, verb who, place at, ir::ints& wrt) {
    for (int c : chosen) {
        bool floating = false;
        std::size_t first = 0;
        for (int i = 0; i < c; ++i) first += counts[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < counts[static_cast<std::size_t>(c)]; ++k) {
            floating |= is_floating(all[first + k].element());
            wrt.push_back(static_cast<std::int64_t>(first + k));
        }
        if (who.chosen && !floating)
            throw dtype_error(std::string(who.name) + ": argument " + std::to_string(c) + (counts[static_cast<std::size_t>(c)] ? " is " + ir::to_text(all[first].type()) : " holds no tensor") +
                              "; only float and double have derivatives: choose another argument, or cast it", at);
    }
}
// Operands of the body: arguments, then captures.
inline ir::values operands_of(const derivative_site& s) {
    auto r = s.arguments;
    r.insert(r.end(), s.t.captured.begin(), s.t.captured.end());
    return r;
}
DF_FN ir::values vjp_node(const derivative_site& s, const ir::values& cotangents) {
    auto in = operands_of(s);
    for (auto k : ir::floating_outputs(*s.t.g)) in.push_back(cotangents[k]);
    return perform(op::vjp, in, {{"wrt", s.wrt}, {"body", std::vector<ir::graph_ptr>{s.t.g}}}, s.at);
}
DF_FN ir::values jvp_node(const derivative_site& s, const ir::values& tangents) {
    auto in = operands_of(s);
    check_like(tangents, *s.t.g, &s.wrt, "jvp", s.at);
    ir::ints wrt;
    for (std::size_t k = 0; k < s.wrt.size(); ++k)
        if (is_floating(tangents[k].element())) in.push_back(tangents[k]), wrt.push_back(s.wrt[k]);
    auto out = perform(op::jvp, in, {{"wrt", wrt}, {"body", std::vector<ir::graph_ptr>{s.t.g}}}, s.at);
    // one tangent per output: of integers, zeros
    const auto n = s.t.g->outputs.size();
    ir::values r(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n));
    std::size_t next = n;
    for (std::size_t k = 0; k < n; ++k) r.push_back(is_floating(out[k].element()) ? out[next++] : ir::zeros_like(out[k]));
    return r;
}
DF_FN void check_scalar_loss(const ir::graph& g, const char* who, place at) {
    if (g.outputs.empty()) throw shape_error(std::string(who) + ": the function returns nothing; return the loss", at);
    const auto& t = g.type_of(g.outputs[0]);
    if (!is_floating(t.element)) throw dtype_error(std::string(who) + ": the loss is " + ir::to_text(t) + "; return a float or double scalar", at);
    if (t.dims.n != 0) throw shape_error(std::string(who) + ": the loss is " + ir::to_text(t) + ", not a scalar; reduce it with df::sum or df::mean, or use df::jacobian", at);
}
DF_FN ir::values ones_like_outputs(const ir::graph& g) {   // 1 for the loss, 0 for what is returned beside it
    ir::values r;
    for (std::size_t k = 0; k < g.outputs.size(); ++k) {
        const auto& t = g.type_of(g.outputs[k]);
        r.push_back(k == 0 ? ir::literal(t.element, 1.0) : ir::zeros(t.element, t.dims));
    }
    return r;
}
DF_FN void check_like(const ir::values& given, const ir::graph& g, const ir::ints* wrt, const char* who, place at) {
    const auto count = wrt ? wrt->size() : g.outputs.size();
    const std::string what = wrt ? "tangent" : "cotangent";
    if (given.size() != count) throw shape_error(std::string(who) + ": " + std::to_string(given.size()) + " " + what + "s for " + std::to_string(count) + " tensors; give one of the same structure", at);
    for (std::size_t k = 0; k < count; ++k) {
        const auto& t = g.type_of(wrt ? g.inputs[static_cast<std::size_t>((*wrt)[k])] : g.outputs[k]);
        if (!given[k]) throw trace_error(std::string(who) + ": a " + what + " is empty; give it a value", at);
        if (given[k].element() != t.element || !agree(given[k].type().own(), t.dims))
            throw shape_error(std::string(who) + ": a " + what + " is " + ir::to_text(given[k].type()) + " for a tensor of type " + ir::to_text(t) + "; give one of the same type", at);
    }
}
DF_FN ir::values outputs_of(const ir::traced& t, const ir::values& arguments, place at) {
    auto in = arguments;
    in.insert(in.end(), t.captured.begin(), t.captured.end());
    return perform(op::call, in, {{"body", std::vector<ir::graph_ptr>{t.g}}}, at);
}
DF_FN ir::values custom_call(const ir::traced& body, const ir::traced& backward, const ir::values& arguments, place at) {
    std::size_t floating = 0;
    for (auto& v : arguments) floating += is_floating(v.element());
    if (backward.g->outputs.size() != floating)
        throw shape_error("custom_vjp: backward returns " + std::to_string(backward.g->outputs.size()) + " tensors for " + std::to_string(floating) + " floating inputs; return a cotangent for each, in order", at);
    std::size_t k = 0;
    for (auto& v : arguments)
        if (is_floating(v.element())) {
            const auto& t = backward.g->type_of(backward.g->outputs[k]);
            if (t.element != v.element() || !(t.dims == v.type().own()))
                throw shape_error("custom_vjp: cotangent " + std::to_string(k) + " is " + ir::to_text(t) + " for an input of type " + ir::to_text(v.type()) + "; return one of the input's type", at);
            ++k;
        }
    auto in = arguments;
    in.insert(in.end(), body.captured.begin(), body.captured.end());
    in.insert(in.end(), backward.captured.begin(), backward.captured.end());
    return perform(op::call, in, {{"explicit", static_cast<std::int64_t>(arguments.size())}, {"body", std::vector<ir::graph_ptr>{body.g}}, {"backward", std::vector<ir::graph_ptr>{backward.g}}}, at);
}
DF_FN ir::values jacobian_values(const derivative_site& s, jacobian_mode mode) {
    const auto& g = *s.t.g;
    const auto y = g.type_of(g.outputs[0]);
    ir::ints floating;   // the others' derivatives are zeros
    for (auto k : s.wrt) if (is_floating(s.arguments[static_cast<std::size_t>(k)].element())) floating.push_back(k);
    if (!is_floating(y.element)) throw dtype_error("jacobian: the result is " + ir::to_text(y) + "; return float or double", s.at);
    std::int64_t inputs = 0;
    for (auto k : floating) inputs += s.arguments[static_cast<std::size_t>(k)].type().own().elements();
    const auto outputs = y.dims.elements();
    if (mode == jacobian_mode::pick) mode = inputs < outputs ? jacobian_mode::forward : jacobian_mode::reverse;
    const auto all = operands_of(s);
    const ir::type number(dtype::int64, {});
    // Row i of the identity, in the shape of a tensor.
    const auto unit = [](const ir::value& i, dtype t, const shape& dims, std::int64_t first) {
        const auto n = dims.elements();
        const auto hit = op::equal(ir::iota(dtype::int64, {n}, 0), op::subtract(i, ir::literal(dtype::int64, first)));
        return ir::reshape(ir::convert(hit, t), dims);
    };
    const bool forward = mode == jacobian_mode::forward;
    const auto body = ir::trace({&number, 1}, s.at, [&](const ir::values& i) {
        auto in = all;
        if (forward) {
            std::int64_t first = 0;
            for (auto k : floating) {
                const auto& t = s.arguments[static_cast<std::size_t>(k)].type();
                in.push_back(unit(i[0], t.element, t.own(), first));
                first += t.own().elements();
            }
        } else {
            in.push_back(unit(i[0], y.element, y.dims, 0));
            for (auto k : ir::floating_outputs(g)) if (k) in.push_back(ir::zeros(g.type_of(g.outputs[k]).element, g.type_of(g.outputs[k]).dims));
        }
        const auto r = ir::emit(forward ? op::jvp : op::vjp, in, {{"wrt", floating}, {"body", std::vector<ir::graph_ptr>{s.t.g}}}, s.at);
        const auto n = static_cast<std::ptrdiff_t>(g.outputs.size());
        return forward ? ir::values{r[static_cast<std::size_t>(n)]} : ir::values(r.begin() + n, r.end());
    });
    const auto rows = parallel_loop(body, lane_count(forward ? inputs : outputs), s.at);
    ir::values r;
    std::int64_t first = 0;
    std::size_t next = 0;
    for (auto k : s.wrt) {
        const auto& argument = s.arguments[static_cast<std::size_t>(k)].type();
        const auto x = argument.own();
        if (!is_floating(argument.element)) {
            r.push_back(ir::zeros(argument.element, y.dims + x));
            continue;
        }
        if (!forward) {   // [outputs, x…]
            r.push_back(ir::reshape(rows[next++], y.dims + x, s.at));
            continue;
        }
        const auto n = x.elements();   // the part of [inputs, y…] that belongs to this operand, inputs last
        auto size = rows[0].type().own();
        size.d[0] = n;
        ir::ints start(size.size()), perm;
        start[0] = first;
        first += n;
        for (int i = 1; i < size.n; ++i) perm.push_back(i);
        perm.push_back(0);
        auto part = ir::slice(rows[0], start, size, ir::ints(size.size(), 1), s.at);
        r.push_back(ir::reshape(ir::permute(part, perm, s.at), y.dims + x, s.at));
    }
    return r;
}
}  // namespace df::inline DF_ABI::detail
#endif
