// The parallel loop and the map made of it.
#pragma once
#include <df/compile.hpp>
#include <df/trace/signature.hpp>

namespace df::inline DF_ABI {

/// Options of a pfor.
struct pfor_options {};

namespace detail {
/// How many lanes: a number, or a staged int64 scalar.
struct lane_count {
    std::int64_t n = 0;
    ir::value staged;
    lane_count(std::int64_t k) : n(k) {}
    lane_count(const ir::value& v, place at);
};
template <class N> lane_count count_lanes(const N& n, place at) {
    if constexpr (tensor_like<N>) return lane_count(n.value(), at);
    else if constexpr (std::same_as<N, extent>) return lane_count(n.raw());
    else return lane_count(static_cast<std::int64_t>(n));
}
template <class N> constexpr std::int64_t static_count() {
    if constexpr (requires { N::value; }) return N::value;
    else return dyn;
}
/// Runs or records a traced body as a parallel loop.
ir::values parallel_loop(const ir::traced& body, const lane_count& n, place at);
/// Host mode: the body's results for each lane, stacked.
ir::values stack_lanes(const std::vector<ir::values>& lanes, place at);
ir::value lane_number(std::int64_t i);
bool runs_on_host();
}  // namespace detail

/// The body for 0 … n-1 in lock step, its results stacked along a new first axis. n is a number, a size, `df::size<5>` or
/// an int64 scalar of the function being traced; the body takes one df::index and returns any structure of tensors.
/// Throws shape_error when n is negative.
template <class N, class B> auto pfor(const N& n, const B& body, const pfor_options& = {}, place at = place::here()) {
    static_assert(std::invocable<const B&, index> || std::invocable<B&, index>, "df: pfor: the body takes one df::index");
    if constexpr (std::invocable<const B&, index> || std::invocable<B&, index>) {
        using R = detail::result_t<B, index>;
        const auto count = detail::count_lanes(n, at);
        detail::traced_body<B, index> b;
        ir::values out;
        if (detail::runs_on_host() && !count.staged && count.n > 0) {
            std::vector<ir::values> lanes;
            for (std::int64_t i = 0; i < count.n; ++i) {
                b.proto = detail::call_body(body, index(detail::lane_number(i)));
                lanes.push_back(detail::leaves(b.proto));
            }
            out = detail::stack_lanes(lanes, at);
        } else {
            const ir::type scalar_type(dtype::int64, {});
            b.t = ir::trace({&scalar_type, 1}, at, [&](const ir::values& i) {
                b.proto = detail::call_body(body, index(i[0]));
                return detail::leaves(b.proto);
            });
            out = detail::parallel_loop(b.t, count, at);
        }
        std::size_t k = 0;
        return detail::restack<detail::static_count<N>()>(static_cast<const R&>(b.proto), out, k, at);
    }
}

/// Which axis of each argument a map runs over: a number (negative: from the end) or `df::none` for the whole argument.
struct in_axes {
    static constexpr std::int64_t whole = INT64_MIN;
    std::vector<std::int64_t> axis;
    template <class... A> explicit in_axes(A... a) : axis{number(a)...} {}

private:
    static std::int64_t number(none_t) { return whole; }
    static std::int64_t number(std::int64_t a) { return a; }
};

/// Where the new axis of a map's results stands: a number (negative: from the end).
struct out_axes {
    std::int64_t axis;
    out_axes(std::int64_t a = 0) : axis(a) {}
};

namespace detail {
/// The common size of the mapped axes; throws when an axis is out of range, the sizes differ or nothing is mapped.
std::int64_t mapped_size(const std::vector<ir::values>& arguments, const std::vector<std::int64_t>& axis, place at);
ir::value mapped_row(const ir::value& x, const ir::value& i, std::int64_t axis, place at);
ir::value placed_axis(const ir::value& x, std::int64_t axis, place at);

// One example's part of an argument: its type, and its tensors by `row`.
template <bool First, class X, class Row> auto one_example(const X& x, const Row& row) {
    if constexpr (is_tensor<X>) {
        if constexpr (First && X::dims.rank() > 0) return wrap<typename X::element, X::dims.from(1)>(row(x.value()));
        else return tensor<typename X::element>(row(x.value()), raw);
    }
    else if constexpr (tensor_like<X> || fixed_leaf<X>) return x;
    else if constexpr (requires { X::df_columns; }) {
        auto values = leaves(x);
        for (auto& v : values) v = row(v);
        return rebuilt(x.prototype(), values, {});
    }
    else if constexpr (is_vector<X>) {
        std::vector<decltype(one_example<First>(x[0], row))> r;
        for (auto& e : x) r.push_back(one_example<First>(e, row));
        return r;
    }
    else if constexpr (is_pair<X>) return std::pair{one_example<First>(x.first, row), one_example<First>(x.second, row)};
    else if constexpr (is_array<X>) return std::apply([&](auto&... e) { return std::array{one_example<First>(e, row)...}; }, x);
    else if constexpr (tuple_like<X>) return std::apply([&](auto&... e) { return std::tuple{one_example<First>(e, row)...}; }, x);
    else {
        static_assert(any_rank<X>(), "df: map: a struct with static sizes is mapped as df::stacked<S>, the form that pfor returns");
        auto values = leaves(x);
        for (auto& v : values) v = row(v);
        return rebuilt(x, values, {});
    }
}

template <class F> struct map_impl {
    F f;
    place made;
    std::vector<std::int64_t> axis{};   // empty: 0 for every argument
    std::int64_t out_axis = 0;
    template <class... A> auto call(place at, const A&... a) const {
        return axis.empty() ? run<true>(at, std::vector<std::int64_t>(sizeof...(A), 0), a...) : run<false>(at, axis, a...);
    }
    template <bool First, class... A> auto run(place at, const std::vector<std::int64_t>& axes, const A&... a) const {
        const auto n = mapped_size({leaves(lift(a))...}, axes, at);
        auto y = pfor(extent(n), [&](const index& i) {
            std::size_t k = 0;
            const auto part = [&](const auto& x) {
                const auto ax = axes[k++];
                return one_example<First>(x, [&](const ir::value& v) { return ax == in_axes::whole ? v : mapped_row(v, i.value(), ax, at); });
            };
            const std::tuple args{part(lift(a))...};   // braces: in order
            return std::apply([&](const auto&... x) { return call_body(f, x...); }, args);
        }, {}, at);
        if (out_axis == 0) return y;
        auto values = leaves(y);
        for (auto& v : values) v = placed_axis(v, out_axis, at);
        return rebuilt(y, values, at);
    }
};
}  // namespace detail

/// df::map(f)(rows…): f for each row of its arguments, results stacked. `df::map(f, df::in_axes(0, df::none, -1), out)`
/// says which axis of each argument is mapped and where the new axis of the results stands. The mapped sizes must be equal,
/// else shape_error: also 1 does not repeat here, df::none says what is the same for all.
template <class F> auto map(F f, place at = place::here()) {
    return detail::any_arguments<detail::map_impl<F>>(std::move(f), at);
}
template <class F> auto map(F f, const in_axes& axes, out_axes out = {}, place at = place::here()) {
    auto m = map(std::move(f), at);
    m.axis = axes.axis;
    m.out_axis = out.axis;
    return m;
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/control.hpp>
#include <df/ops/cut.hpp>

namespace df::inline DF_ABI::detail {
DF_FN lane_count::lane_count(const ir::value& v, place at) {
    if (v.rank() != 0) throw shape_error("pfor: the number of lanes is " + ir::to_text(v.type()) + "; give a scalar", at);
    if (v.element() != dtype::int64) throw dtype_error(std::string("pfor: the number of lanes is ") + name_of(v.element()) + "; write df::cast<std::int64_t>(n)", at);
    if (v.staged()) staged = v;
    else n = *core::packed(v->data).data<std::int64_t>();
}
DF_FN bool runs_on_host() { return host_mode::active() && !ir::current_builder(); }
DF_FN ir::value lane_number(std::int64_t i) { return ir::literal(dtype::int64, i); }
DF_FN ir::values parallel_loop(const ir::traced& body, const lane_count& n, place at) {
    if (n.n < 0 && !is_symbol(n.n)) throw shape_error("pfor: the number of lanes is " + std::to_string(n.n) + "; give 0 or more", at);
    ir::loop_form f;
    f.body = body.g;
    f.parallel = true;
    f.count = n.staged ? ir::current_builder()->symbol_of(n.staged, at) : n.n;
    f.place_axes.assign(body.g->outputs.size(), 0);
    if (n.staged) return ir::emit(op::loop, body.captured, f.to_attrs(), at);
    return perform(op::loop, body.captured, f.to_attrs(), at);
}
DF_FN ir::values stack_lanes(const std::vector<ir::values>& lanes, place at) {
    ir::values r;
    for (std::size_t k = 0; k < lanes[0].size(); ++k) {
        ir::values parts;
        for (auto& l : lanes) {
            if (!(l[k].type().own() == lanes[0][k].type().own()))
                throw shape_error("pfor: a result has type " + ir::to_text(l[k].type()) + " in one lane and " + ir::to_text(lanes[0][k].type()) + " in another; make them equal", at);
            parts.push_back(ir::expand(l[k], {0}, at));
        }
        r.push_back(ir::concatenate(parts, 0, at));
    }
    return r;
}
DF_FN std::int64_t mapped_size(const std::vector<ir::values>& arguments, const std::vector<std::int64_t>& axis, place at) {
    if (axis.size() != arguments.size())
        throw shape_error("map: " + std::to_string(axis.size()) + " axes for " + std::to_string(arguments.size()) + " arguments; name one for each, df::none where it is not mapped", at);
    std::int64_t n = dyn;
    std::string first;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (axis[k] == in_axes::whole) continue;
        for (auto& v : arguments[k]) {
            const auto own = v.type().own();
            const auto who = "argument " + std::to_string(k) + " of type " + ir::to_text(v.type());
            const int a = normal_axis(axis[k], own.n);
            if (a < 0) throw shape_error("map: axis " + std::to_string(axis[k]) + " is out of range for " + who + "; an axis runs from -rank to rank-1", at);
            const auto size = own.d[a];
            if (n == dyn) n = size, first = who;
            else if (size != n)
                throw shape_error("map: the mapped sizes differ: " + to_text(shape{n, size}) + " (" + first + ", " + who + "); make them equal, or name df::none for what is not mapped", at);
        }
    }
    if (n == dyn) throw shape_error("map: no argument is mapped: all axes are df::none, or no argument holds a tensor; map at least one", at);
    return n;
}
DF_FN ir::value mapped_row(const ir::value& x, const ir::value& i, std::int64_t axis, place at) {
    return ir::gather(x, i, normal_axis(axis, x.rank()), at);
}
DF_FN ir::value placed_axis(const ir::value& x, std::int64_t axis, place at) {
    const int to = normal_axis(axis, x.rank());
    if (to < 0) throw shape_error("map: the result axis " + std::to_string(axis) + " is out of range for a result of type " + ir::to_text(x.type()) + "; an axis runs from -rank to rank-1", at);
    ir::ints perm;
    for (int i = 1; i < x.rank(); ++i) perm.push_back(i);
    perm.insert(perm.begin() + to, 0);
    return ir::permute(x, perm, at);
}
}  // namespace df::inline DF_ABI::detail
#endif
