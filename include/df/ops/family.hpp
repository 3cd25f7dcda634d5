// Families: functions that fill the common columns of a record, so that most records say only what is their own.
#pragma once
#include <type_traits>

#include <df/ir/build.hpp>
#include <df/ops/elementwise.hpp>

namespace df::inline DF_ABI::ops {

/// The types a functor is defined on.
enum class domain { floating, numeric, integral, logical, any };   // logical: integers and bool

template <class T> constexpr bool in_domain(domain d) {
    constexpr bool boolean = std::is_same_v<T, bool>, floating = std::is_floating_point_v<T>;
    switch (d) {
        case domain::floating: return floating;
        case domain::numeric: return !boolean;
        case domain::integral: return !boolean && !floating;
        case domain::logical: return !floating;
        default: return true;
    }
}

// shape columns
void infer_unary(ir::inference& q);        // elementwise, results as the last operand
void infer_elementwise(ir::inference& q);
void infer_predicate(ir::inference& q);    // the result is bool
// axes column of elementwise records and of records that map every axis but those in `axis`/`axes`
axes axes_elementwise(const ir::axes_query& q);
axes axes_along(const ir::axes_query& q, role r);   // attribute `axis`: role r, the rest maps; results as the operand
// kernel column of elementwise records
ir::kernel_ptr kernel_elementwise(const ir::site& s);

/// A functor class has `on` (its domain), `arity` and a call operator; `predicate` and `choice` say more.
template <class F> struct spans {
    template <class T> static void run(const void* const* in, void* out, std::int64_t n);
    static constexpr bool predicate = requires { F::predicate; };
    static constexpr bool choice = requires { F::choice; };
    template <class T> static constexpr span_fn of() {
        if constexpr (in_domain<T>(F::on)) return &run<T>;
        else return nullptr;
    }
};

template <class F> template <class T> void spans<F>::run(const void* const* in, void* out, std::int64_t n) {
    using R = std::conditional_t<predicate, bool, T>;
    R* r = static_cast<R*>(out);   // may be an operand's own memory, element for element
    constexpr F f{};
    const T* x = static_cast<const T*>(in[choice ? 1 : 0]);
    if constexpr (F::arity == 1) {
        for (std::int64_t i = 0; i < n; ++i) r[i] = static_cast<R>(f(x[i]));
    } else if constexpr (choice) {
        const bool* c = static_cast<const bool*>(in[0]);
        const T* y = static_cast<const T*>(in[2]);
        for (std::int64_t i = 0; i < n; ++i) r[i] = static_cast<R>(f(c[i], x[i], y[i]));
    } else {
        const T* y = static_cast<const T*>(in[1]);
        for (std::int64_t i = 0; i < n; ++i) r[i] = static_cast<R>(f(x[i], y[i]));
    }
}

template <class F> inline constexpr span_table table{
    {spans<F>::template of<bool>(), nullptr, spans<F>::template of<std::int32_t>(), spans<F>::template of<std::int64_t>(),
     spans<F>::template of<float>(), spans<F>::template of<double>()},
    spans<F>::predicate, spans<F>::choice};

/// The columns of an elementwise record with functor F; the rest is added by assignment in the record.
template <class F> constexpr ir::op_def elementwise(const char* name, const char* doc, const char* samples) {
    ir::op_def d;
    d.name = name;
    d.doc = doc;
    d.infer = spans<F>::predicate ? infer_predicate : infer_elementwise;
    d.axes = axes_elementwise;
    d.kernel = kernel_elementwise;
    d.elementwise = true;
    d.in_place = true;
    d.no_derivative = true;
    d.functor = &table<F>;
    d.samples = samples;
    return d;
}
using rule = ir::values (*)(const ir::rule_args&);
template <class F> constexpr ir::op_def elementwise(const char* name, const char* doc, const char* samples, rule partials) {
    auto d = elementwise<F>(name, doc, samples);
    d.partials = partials;
    d.no_derivative = false;
    return d;
}

}  // namespace df::inline DF_ABI::ops

#if DF_IMPL
namespace df::inline DF_ABI::ops {
DF_FN void infer_elementwise(ir::inference& q) {
    const auto& table = table_of(q.op);
    const dtype t = q.in.back().element;
    for (std::size_t k = table.choice ? 1 : 0; k < q.in.size(); ++k)
        if (q.in[k].element != t) throw dtype_error(std::string(q.op.name) + ": mixed dtypes " + name_of(q.in[k].element) + " and " + name_of(t) + "; write df::cast<T>(x)", q.where);
    if (table.choice && q.in[0].element != dtype::boolean) throw dtype_error(std::string(q.op.name) + ": the condition is " + name_of(q.in[0].element) + ", not bool; compare it with something", q.where);
    if (!table[compute_type(t)]) throw dtype_error(std::string(q.op.name) + ": is not defined for " + name_of(t) + "; write df::cast<double>(x) first", q.where);
    ruled r = q.dims(0);
    for (std::size_t k = 1; k < q.in.size() && r.wrong == complaint::none; ++k) r = broadcast_rule(r.s, q.dims(k));
    q.give(t, r);
}
DF_FN void infer_predicate(ir::inference& q) {
    infer_elementwise(q);
    q.out[0].element = dtype::boolean;
}
DF_FN axes axes_elementwise(const ir::axes_query& q) {
    axes r;
    const auto to = q.out[0].own();
    labels all;
    for (int i = 0; i < to.n; ++i) all.push_back(r.fresh(role::map));
    r.out = {all};
    for (auto& t : q.in) {
        labels l;
        const auto own = t.own();
        for (int i = 0; i < own.n; ++i) {
            const int k = i + to.n - own.n;
            l.push_back(own.d[i] == 1 && to.d[k] != 1 ? no_label : all[static_cast<std::size_t>(k)]);
        }
        r.in.push_back(l);
    }
    return r;
}
DF_FN axes axes_along(const ir::axes_query& q, role along) {
    axes r;
    const auto own = q.in[0].own();
    labels all;
    const auto axis = q.at.integer("axis");
    for (int i = 0; i < own.n; ++i) all.push_back(r.fresh(i == axis ? along : role::map));
    r.in.assign(q.in.size(), all);
    r.out.assign(q.out.size(), all);
    return r;
}
DF_FN ir::kernel_ptr kernel_elementwise(const ir::site& s) {
    const auto t = compute_at(s);
    return elementwise_kernel(s, table_of(s.op)[t], t);
}
}  // namespace df::inline DF_ABI::ops
#endif
