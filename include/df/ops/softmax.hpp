// softmax, its logarithm, and the loss made of it. Derivatives are of their own: those of the parts would overflow or
// cancel.
#pragma once
#include <df/ops/index.hpp>

namespace df::inline DF_ABI {
namespace op {
/// Attribute `axis`.
extern const ir::op_def softmax, log_softmax;
/// -log_softmax(logits)[label] over the last axis; the label has the axes of the logits but the last.
extern const ir::op_def softmax_cross_entropy;
}  // namespace op

/// Shape of softmax_cross_entropy.
constexpr ruled cross_entropy_rule(const shape& logits, const shape& label) {
    if (logits.any_rank()) return label;
    if (logits.n == 0) return complaint::rank;
    const shape one = logits.first(logits.n - 1);
    if (label.any_rank()) return one;
    if (label.n != one.n) return complaint::ranks;
    if (!agree(one, label)) return complaint::sizes;
    shape r = one;
    for (int i = 0; i < r.n; ++i) r.d[i] = either(one.d[i], label.d[i]);
    return r;
}

namespace detail {
ir::value along(const ir::op_def& op, const ir::value& x, std::int64_t axis, place at);
}  // namespace detail

// Each takes a tensor of float or double and returns one of the same shape. Throws shape_error when the axis is out of
// range.
#define DF_ALONG(name)                                                                                              \
    template <tensor_like X> tensor_t<X> name(const X& x, std::int64_t axis = -1, place at = place::here()) {       \
        static_assert(std::floating_point<element_t<X>>, "df: " #name ": needs float or double; write df::cast<double>(x)"); \
        return tensor_t<X>(detail::along(op::name, x.value(), axis, at), raw);                                      \
    }
/// exp(x) / Σ exp(x) along an axis, without overflow.
DF_ALONG(softmax)
/// The logarithm of softmax, without overflow or loss of digits.
DF_ALONG(log_softmax)
#undef DF_ALONG

/// -log_softmax(logits)[label]: logits [classes] and a scalar label give a scalar; logits [n, classes] and labels [n] give
/// [n], and so on. The derivative is softmax(logits) less one at the label. Throws shape_error when the shapes do not fit
/// or a label is outside the classes, dtype_error when the label is not int64.
template <tensor_like X, tensor_like L> auto softmax_cross_entropy(const X& logits, const L& label, place at = place::here()) {
    static_assert(std::floating_point<element_t<X>>, "df: softmax_cross_entropy: the logits are not float or double; write df::cast<double>(x)");
    static_assert(std::same_as<element_t<L>, std::int64_t>, "df: softmax_cross_entropy: the label is not int64; write df::cast<std::int64_t>(label)");
    constexpr ruled r = cross_entropy_rule(tensor_t<X>::dims, tensor_t<L>::dims);
    DF_ASSERT_RULE("softmax_cross_entropy", r);
    return wrap<element_t<X>, r.s>(detail::apply(op::softmax_cross_entropy, logits.value(), label.value(), at));
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
namespace detail {
DF_FN ir::value along(const ir::op_def& op, const ir::value& x, std::int64_t axis, place at) {
    return ir::emit_one(op, {x}, {{"axis", checked_axis(axis, x, op.name, at)}}, at);
}
}  // namespace detail

namespace ops::detail {
inline void infer_along(ir::inference& q) {
    if (!is_floating(q.in[0].element)) throw dtype_error(std::string(q.op.name) + ": is not defined for " + name_of(q.in[0].element) + "; write df::cast<double>(x) first", q.where);
    const auto axis = q.at.integer("axis");
    if (axis < 0 || axis >= q.dims(0).n) q.give(q.in[0].element, ruled(complaint::axis));
    q.give(q.in[0].element, q.dims(0));
}
/// A reduction along the record's axis, which stays as an axis of size 1.
inline ir::value over_axis(args r, const ir::op_def& op, const ir::value& x) {
    const auto axis = r.at.integer("axis");
    return ir::expand(ir::reduce(op, x, {axis}), {static_cast<int>(axis)});
}
inline ir::value shifted(args r) { return r.in[0] - over_axis(r, op::max, r.in[0]); }
inline bool empty_axis(args r) { return r.in[0].type().own().d[r.at.integer("axis")] == 0; }

// softmax(logits) less one at the label: the weight of each logit.
inline ir::value cross_entropy_weights(args r) {
    const auto &x = r.in[0], &label = r.in[1];
    const auto own = x.type().own();
    const int last = own.n - 1;
    const auto numbers = ir::iota(dtype::int64, {own.d[last]}, 0);
    const auto place = ir::gather(numbers, label, 0);   // negative labels count from the end
    const auto hit = ir::convert(op::equal(numbers, ir::expand(place, {last})), x.element());
    return ir::emit_one(op::softmax, {x}, {{"axis", last}}) - hit;
}
struct cross_entropy_kernel final : ir::kernel {
    shape rows;                              // lanes and batch axes
    std::array<shape, 3> strides;            // of the logits, the labels, the result
    std::int64_t classes = 0, step = 0;
    place where;
    dtype element{};
    template <class T> void run_as(void* const* io) const {
        const T* x = static_cast<const T*>(io[0]);
        const auto* label = static_cast<const std::int64_t*>(io[1]);
        T* y = static_cast<T*>(io[2]);
        each<3>(rows, strides, [&](std::int64_t p, std::int64_t l, std::int64_t q) {
            const auto k = checked_index(label[l], classes, "softmax_cross_entropy", where);
            double most = static_cast<double>(x[p]), sum = 0;
            for (std::int64_t i = 1; i < classes; ++i) most = fn::maximum{}(static_cast<double>(x[p + i * step]), most);
            for (std::int64_t i = 0; i < classes; ++i) sum += std::exp(static_cast<double>(x[p + i * step]) - most);
            y[q] = static_cast<T>(std::log(sum) - (static_cast<double>(x[p + k * step]) - most));
        });
    }
    void run(void* const* io, std::byte*) const override { element == dtype::float32 ? run_as<float>(io) : run_as<double>(io); }
};
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def softmax{
    .name = "softmax",
    .doc = "exp(x) / Σ exp(x) along an axis",
    .infer = ops::detail::infer_along,
    .axes = [](const ir::axes_query& q) { return ops::axes_along(q, role::opaque); },
    .compose = [](args r) -> ir::values {
        if (ops::detail::empty_axis(r)) return {r.in[0]};
        const auto e = exp(ops::detail::shifted(r));
        return {e / ops::detail::over_axis(r, sum, e)};
    },
    .vjp = [](args r) -> ir::values { return {mulz(r.out[0], r.ct[0] - ops::detail::over_axis(r, sum, mulz(r.ct[0], r.out[0])))}; },
    .jvp = [](args r) -> ir::values { return {mulz(r.out[0], r.ct[0] - ops::detail::over_axis(r, sum, mulz(r.ct[0], r.out[0])))}; },
    .samples = "f(2,3) axis=1; f(2,3) axis=0; f(2,0) axis=1; f(4) axis=0",
};
DF_RECORD ir::op_def log_softmax{
    .name = "log_softmax",
    .doc = "the logarithm of softmax along an axis",
    .infer = ops::detail::infer_along,
    .axes = [](const ir::axes_query& q) { return ops::axes_along(q, role::opaque); },
    .compose = [](args r) -> ir::values {
        if (ops::detail::empty_axis(r)) return {r.in[0]};
        const auto x = ops::detail::shifted(r);
        return {x - log(ops::detail::over_axis(r, sum, exp(x)))};
    },
    .vjp = [](args r) -> ir::values { return {r.ct[0] - mulz(exp(r.out[0]), ops::detail::over_axis(r, sum, r.ct[0]))}; },
    .jvp = [](args r) -> ir::values { return {r.ct[0] - ops::detail::over_axis(r, sum, mulz(exp(r.out[0]), r.ct[0]))}; },
    .samples = "f(2,3) axis=1; f(2,3) axis=0; f(2,0) axis=1; f(4) axis=0",
};
DF_RECORD ir::op_def softmax_cross_entropy{
    .name = "softmax_cross_entropy",
    .doc = "-log_softmax(logits)[label] over the last axis",
    .infer = [](ir::inference& q) {
        if (!is_floating(q.in[0].element)) throw dtype_error(std::string("softmax_cross_entropy: the logits are ") + name_of(q.in[0].element) + "; write df::cast<double>(x)", q.where);
        if (q.in[1].element != dtype::int64) throw dtype_error(std::string("softmax_cross_entropy: the label is ") + name_of(q.in[1].element) + ", not int64; write df::cast<std::int64_t>(label)", q.where);
        q.give(q.in[0].element, cross_entropy_rule(q.dims(0), q.dims(1)));
    },
    .axes = [](const ir::axes_query& q) {
        axes r;
        labels l;
        for (int i = 0; i < q.in[1].own_rank(); ++i) l.push_back(r.fresh(role::map));
        r.in = {l, l};
        r.out = {l};
        r.in[0].push_back(r.fresh(role::opaque));
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        auto k = std::make_unique<ops::detail::cross_entropy_kernel>();
        const auto& x = s.in[0];
        const int last = x.rank() - 1;
        k->rows = s.out[0].dims;
        k->strides = {x.strides.first(last), s.in[1].strides, s.out[0].strides};
        k->classes = x.dims.d[last];
        k->step = x.strides.d[last];
        k->where = s.where;
        k->element = x.element;
        return k;
    },
    .vjp = [](args r) -> ir::values {
        return {mulz(ir::expand(r.ct[0], {r.in[1].rank()}), ops::detail::cross_entropy_weights(r)), {}};
    },
    .jvp = [](args r) -> ir::values {
        return {r.ct[0] ? ir::reduce(sum, mulz(r.ct[0], ops::detail::cross_entropy_weights(r)), {r.in[1].rank()}) : ir::value{}};
    },
    .samples = "f(3) n3(); f(2,3) n3(2); f(2,2,3) n3(2,2); f(0,3) n3(0)",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
