// Functions of one number, element by element.
#pragma once
#include <df/ops/arith.hpp>

namespace df::inline DF_ABI::op {
extern const ir::op_def sqrt, exp, expm1, log, log1p, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, erf;
extern const ir::op_def floor, ceil, round, atan2, hypot;
}  // namespace df::inline DF_ABI::op

namespace df::inline DF_ABI {
// Each takes a tensor of float or double of any shape and returns one of the same shape.
#define DF_UNARY(name)                                                                                              \
    template <tensor_like X> operand_t<X> name(const X& x, place at = place::here()) {                              \
        static_assert(std::floating_point<element_t<X>>, "df: " #name ": needs float or double; write df::cast<double>(x)"); \
        return operand_t<X>(detail::apply(op::name, x.value(), at), raw);                                           \
    }
/// The square root.
DF_UNARY(sqrt)
/// e to the power of x.
DF_UNARY(exp)
/// exp(x) - 1, exact near 0.
DF_UNARY(expm1)
/// The natural logarithm.
DF_UNARY(log)
/// log(1 + x), exact near 0.
DF_UNARY(log1p)
/// Sine; x in radians.
DF_UNARY(sin)
/// Cosine; x in radians.
DF_UNARY(cos)
/// Tangent; x in radians.
DF_UNARY(tan)
/// Inverse sine, in [-π/2, π/2].
DF_UNARY(asin)
/// Inverse cosine, in [0, π].
DF_UNARY(acos)
/// Inverse tangent, in [-π/2, π/2].
DF_UNARY(atan)
/// Hyperbolic sine.
DF_UNARY(sinh)
/// Hyperbolic cosine.
DF_UNARY(cosh)
/// Hyperbolic tangent.
DF_UNARY(tanh)
/// Inverse hyperbolic sine.
DF_UNARY(asinh)
/// The error function.
DF_UNARY(erf)
/// The largest integer not above x; its derivative is 0.
DF_UNARY(floor)
/// The smallest integer not below x; its derivative is 0.
DF_UNARY(ceil)
/// The nearest integer, halves to even; its derivative is 0.
DF_UNARY(round)
#undef DF_UNARY
/// The angle of the point (x, y), in [-π, π]; float or double, shapes broadcast.
DF_PAIR(atan2, void)
/// sqrt(x² + y²) without overflow; float or double, shapes broadcast; its derivative at (0, 0) is 0.
DF_PAIR(hypot, void)
}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI::op {
DF_RECORD ir::op_def sqrt = elementwise<fn::sqrt>("sqrt", "the square root", "p(2,3)",
    [](args r) -> ir::values { return {0.5 / r.out[0]}; });
DF_RECORD ir::op_def exp = elementwise<fn::exp>("exp", "e to the power of x", "f(2,3)",
    [](args r) -> ir::values { return {r.out[0]}; });
DF_RECORD ir::op_def expm1 = elementwise<fn::expm1>("expm1", "exp(x) - 1, exact near 0", "f(2,3)",
    [](args r) -> ir::values { return {r.out[0] + 1.0}; });
DF_RECORD ir::op_def log = elementwise<fn::log>("log", "the natural logarithm", "p(2,3)",
    [](args r) -> ir::values { return {1.0 / r.in[0]}; });
DF_RECORD ir::op_def log1p = elementwise<fn::log1p>("log1p", "log(1 + x), exact near 0", "p(2,3)",
    [](args r) -> ir::values { return {1.0 / (r.in[0] + 1.0)}; });
DF_RECORD ir::op_def sin = elementwise<fn::sin>("sin", "sine", "f(2,3)",
    [](args r) -> ir::values { return {cos(r.in[0])}; });
DF_RECORD ir::op_def cos = elementwise<fn::cos>("cos", "cosine", "f(2,3)",
    [](args r) -> ir::values { return {-sin(r.in[0])}; });
DF_RECORD ir::op_def tan = elementwise<fn::tan>("tan", "tangent", "u(2,3)",
    [](args r) -> ir::values { return {r.out[0] * r.out[0] + 1.0}; });
DF_RECORD ir::op_def asin = elementwise<fn::asin>("asin", "inverse sine", "u(2,3)",
    [](args r) -> ir::values { return {1.0 / sqrt(1.0 - r.in[0] * r.in[0])}; });
DF_RECORD ir::op_def acos = elementwise<fn::acos>("acos", "inverse cosine", "u(2,3)",
    [](args r) -> ir::values { return {-(1.0 / sqrt(1.0 - r.in[0] * r.in[0]))}; });
DF_RECORD ir::op_def atan = elementwise<fn::atan>("atan", "inverse tangent", "f(2,3)",
    [](args r) -> ir::values { return {1.0 / (r.in[0] * r.in[0] + 1.0)}; });
DF_RECORD ir::op_def sinh = elementwise<fn::sinh>("sinh", "hyperbolic sine", "f(2,3)",
    [](args r) -> ir::values { return {cosh(r.in[0])}; });
DF_RECORD ir::op_def cosh = elementwise<fn::cosh>("cosh", "hyperbolic cosine", "f(2,3)",
    [](args r) -> ir::values { return {sinh(r.in[0])}; });
DF_RECORD ir::op_def tanh = elementwise<fn::tanh>("tanh", "hyperbolic tangent", "f(2,3)",
    [](args r) -> ir::values { return {1.0 - r.out[0] * r.out[0]}; });
DF_RECORD ir::op_def asinh = elementwise<fn::asinh>("asinh", "inverse hyperbolic sine", "f(2,3)",
    [](args r) -> ir::values { return {1.0 / hypot(r.in[0], ir::literal(r.in[0].element(), 1.0))}; });
DF_RECORD ir::op_def erf = elementwise<fn::erf>("erf", "the error function", "f(2,3)",
    [](args r) -> ir::values { return {1.1283791670955126 * exp(-(r.in[0] * r.in[0]))}; });
DF_RECORD ir::op_def floor = elementwise<fn::floor>("floor", "the largest integer not above x", "f(2,3)");
DF_RECORD ir::op_def ceil = elementwise<fn::ceil>("ceil", "the smallest integer not below x", "f(2,3)");
DF_RECORD ir::op_def round = elementwise<fn::round>("round", "the nearest integer, halves to even", "f(2,3)");
DF_RECORD ir::op_def atan2 = elementwise<fn::atan2>("atan2", "the angle of (y, x)", "f(2,3) p(3)",
    [](args r) -> ir::values {
        const auto &y = r.in[0], &x = r.in[1], d = x * x + y * y;
        return {x / d, -(y / d)};
    });
DF_RECORD ir::op_def hypot = elementwise<fn::hypot>("hypot", "sqrt(x² + y²) without overflow; its derivative at (0, 0) is 0", "p(2,3) p(3)",
    [](args r) -> ir::values {
        const auto zero = equal(r.out[0], 0.0);
        const auto safe = select(zero, ops::detail::number(r, 1), r.out[0]);
        return {r.in[0] / safe, r.in[1] / safe};
    });
}  // namespace df::inline DF_ABI::op
#endif
