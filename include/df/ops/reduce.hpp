// Reductions by a monoid over any axes.
#pragma once
#include <df/ops/layout.hpp>

namespace df::inline DF_ABI {
namespace op {
/// Attribute `axes`: the operand's axes that disappear. Sums of bool and integers are int64.
extern const ir::op_def sum, prod, max, min;
}  // namespace op

namespace ir {
value reduce(const op_def& op, const value& x, const ints& axes, place where = {});
/// Sums the axes that broadcasting from `to` added or stretched: the adjoint of broadcasting.
value sum_to(const value& x, const shape& to);
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ir/monoid.hpp>
#include <df/ops/math.hpp>

namespace df::inline DF_ABI {
namespace ir {
DF_FN value reduce(const op_def& op, const value& x, const ints& axes, place where) {
    return emit_one(op, {x}, {{"axes", axes}}, where);
}
DF_FN value sum_to(const value& x, const shape& to) {
    const auto own = x.type().own();
    if (own == to) return x;
    ints axes;
    for (int i = 0, k = own.n - to.n; i < own.n; ++i)
        if (i < k || (to.d[i - k] == 1 && own.d[i] != 1)) axes.push_back(i);
    return reshape(axes.empty() ? x : reduce(op::sum, x, axes), to);
}
}  // namespace ir

namespace ops {
// Shape of a reduction that drops the axes in `axes`.
inline shape reduced(ir::inference& q) {
    const auto& axes = q.at.list("axes");
    const auto& s = q.dims(0);
    unsigned drop = 0;
    for (auto a : axes) {
        if (a < 0 || a >= s.n) q.give(q.in[0].element, ruled(complaint::axis));
        if (drop >> a & 1) q.give(q.in[0].element, ruled(complaint::repeated));
        drop |= 1u << a;
    }
    shape to;
    for (int i = 0; i < s.n; ++i) if (!(drop >> i & 1)) to.push_back(s.d[i]);
    return to;
}
inline axes axes_reduce(const ir::axes_query& q) {
    axes r;
    labels x, y;
    const auto& axes = q.at.list("axes");
    for (int i = 0; i < q.in[0].own_rank(); ++i) {
        const bool gone = contains(axes, i);
        x.push_back(r.fresh(gone ? role::reduce : role::map));
        if (!gone) y.push_back(x.back());
    }
    r.in = {x};
    r.out.assign(q.out.size(), y);
    return r;
}
/// `y`, a value of the reduction's result shape, repeated over the operand's shape.
inline ir::value spread(const ir::rule_args& r, const ir::value& y) {
    std::vector<int> axes;
    for (auto a : r.at.list("axes")) axes.push_back(static_cast<int>(a));
    return ir::broadcast_to(ir::expand(y, axes), r.in[0].type().own());
}

/// Where a reduction's kernel finds its elements: the kept axes (with the result's strides) and the reduced ones.
struct reduction_walk {
    shape kept, kept_in, kept_out, gone, gone_in;
    explicit reduction_walk(const ir::site& s) {
        const auto& axes = s.at.list("axes");
        for (int i = 0, k = 0; i < s.in[0].rank(); ++i)
            if (i >= s.lanes && contains(axes, i - s.lanes)) {
                gone.push_back(s.in[0].dims.d[i]);
                gone_in.push_back(s.in[0].strides.d[i]);
            } else {
                kept.push_back(s.in[0].dims.d[i]);
                kept_in.push_back(s.in[0].strides.d[i]);
                kept_out.push_back(s.out[0].strides.d[k++]);
            }
    }
};

namespace detail {
struct add_step { template <class A, class X> static A run(A a, X x) { return static_cast<A>(a + static_cast<A>(x)); } static constexpr double first = 0; };
struct multiply_step { template <class A, class X> static A run(A a, X x) { return static_cast<A>(a * static_cast<A>(x)); } static constexpr double first = 1; };
struct max_step { template <class A, class X> static A run(A a, X x) { return fn::maximum{}(a, static_cast<A>(x)); } };
struct min_step { template <class A, class X> static A run(A a, X x) { return fn::minimum{}(a, static_cast<A>(x)); } };

// float sums accumulate in double: the reference should be the more exact one
template <class Step, class X> using accumulator = std::conditional_t<!requires { Step::first; }, X,
    std::conditional_t<std::is_floating_point_v<X>, double, std::int64_t>>;

template <class Step> ir::kernel_ptr reduce_kernel(const ir::site& s) {
    const reduction_walk w(s);
    return with_type(s.in[0].element, [&](auto x) -> ir::kernel_ptr {
        using X = decltype(x);
        using A = accumulator<Step, X>;
        using Y = std::conditional_t<std::is_same_v<A, double> && std::is_floating_point_v<X>, X, A>;
        return make_kernel([w](void* const* io) {
            const X* in = static_cast<const X*>(io[0]);
            Y* out = static_cast<Y*>(io[1]);
            each<2>(w.kept, {w.kept_in, w.kept_out}, [&](std::int64_t p, std::int64_t q) {
                A a{};
                bool first = true;
                if constexpr (requires { Step::first; }) a = static_cast<A>(Step::first), first = false;
                each<1>(w.gone, {w.gone_in}, [&](std::int64_t o) {
                    a = first ? static_cast<A>(in[p + o]) : Step::run(a, in[p + o]);
                    first = false;
                });
                out[q] = static_cast<Y>(a);
            });
        });
    });
}
template <bool Largest> ir::value lowest(const ir::type& t) {
    return with_type(t.element, [&](auto x) {
        using X = decltype(x);
        using L = std::numeric_limits<X>;
        if constexpr (std::is_floating_point_v<X>) return ir::literal(t.element, Largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
        else return ir::literal(t.element, static_cast<std::int64_t>(Largest ? L::lowest() : L::max()));
    });
}
// Monoids whose state is the result: (record, record that combines, identity).
template <const ir::op_def& Combine, ir::value (*Identity)(const ir::type&)> inline constexpr ir::monoid plain{
    .identity = [](std::span<const ir::type> out, const ir::attrs&) -> ir::values { return {ir::broadcast_to(Identity(out[0]), out[0].dims)}; },
    .lift = [](const ir::op_def& op, const ir::values& in, const ir::attrs& at, const ir::value&) { return ir::emit(op, in, at); },
    .combine = [](const ir::values& a, const ir::values& b) -> ir::values { return {Combine(a[0], b[0])}; },
    .finish = [](const ir::values& s) { return s; },
};
inline ir::value zero_of(const ir::type& t) { return ir::literal(t.element, 0.0); }
inline ir::value one_of(const ir::type& t) { return ir::literal(t.element, 1.0); }
inline void infer_sum(ir::inference& q) {
    const auto t = q.in[0].element;
    q.give(is_floating(t) ? t : dtype::int64, reduced(q));
}
inline void infer_extreme(ir::inference& q) {
    const auto to = reduced(q);
    for (auto a : q.at.list("axes")) if (q.dims(0).d[a] == 0 && (!to.known() || to.elements())) q.give(q.in[0].element, ruled(complaint::empty));
    q.give(q.in[0].element, to);
}
inline ir::value tie_weights(const ir::rule_args& r) {   // ties share the derivative
    const auto hit = ir::convert(op::equal(r.in[0], spread(r, r.out[0])), r.in[0].element());
    return hit / spread(r, ir::reduce(op::sum, hit, r.at.list("axes")));
}
}  // namespace detail
}  // namespace ops

namespace op {
DF_RECORD ir::op_def sum{
    .name = "sum",
    .doc = "the sum over axes; of bool and integers in int64; 0 over none",
    .infer = ops::detail::infer_sum,
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::add_step>,
    .transpose = [](args r, int) { return ops::spread(r, r.ct[0]); },
    .linear = 1,
    .combines = &ops::detail::plain<add, ops::detail::zero_of>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; f(2,3) axes=; f(0,2) axes=0; i(3) axes=0; b(3) axes=0",
};
DF_RECORD ir::op_def prod{
    .name = "prod",
    .doc = "the product over axes; 1 over none",
    .infer = ops::detail::infer_sum,
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::multiply_step>,
    .weights = [](args r) {   // the product of the others, also where elements are 0
        const auto& x = r.in[0];
        const auto zero = equal(x, 0.0);
        const auto count = ir::reduce(sum, ir::convert(zero, x.element()), r.at.list("axes"));
        const auto one = ops::detail::number(r, 1), none = ops::detail::number(r, 0);
        const auto others = ir::reduce(prod, select(zero, one, x), r.at.list("axes"));
        const auto n = ops::spread(r, count), rest = ops::spread(r, others);
        const auto alone = select(bitwise_and(zero, equal(n, 1.0)), rest, none);
        return select(equal(n, 0.0), rest / select(zero, one, x), alone);
    },
    .combines = &ops::detail::plain<multiply, ops::detail::one_of>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; f(0,2) axes=0; i(3) axes=0",
};
DF_RECORD ir::op_def max{
    .name = "max",
    .doc = "the largest over axes; NaN wins; ties share the derivative",
    .infer = ops::detail::infer_extreme,
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::max_step>,
    .weights = ops::detail::tie_weights,
    .combines = &ops::detail::plain<maximum, ops::detail::lowest<true>>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; f(2,0) axes=0; i(3) axes=0",
};
DF_RECORD ir::op_def min{
    .name = "min",
    .doc = "the smallest over axes; NaN wins; ties share the derivative",
    .infer = ops::detail::infer_extreme,
    .axes = ops::axes_reduce,
    .kernel = ops::detail::reduce_kernel<ops::detail::min_step>,
    .weights = ops::detail::tie_weights,
    .combines = &ops::detail::plain<minimum, ops::detail::lowest<false>>,
    .samples = "f(2,3) axes=1; f(2,3) axes=0,1; i(3) axes=0",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
