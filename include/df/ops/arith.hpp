// Arithmetic, comparison, logic and bits, element by element.
#pragma once
#include <df/ops/public.hpp>

namespace df::inline DF_ABI {
namespace op {
extern const ir::op_def add, subtract, multiply, divide, modulo, floor_divide, remainder, power, maximum, minimum;
extern const ir::op_def negative, abs, sign, log;
/// x · y where 0 · anything is 0: the product of derivative rules, so that an untaken branch contributes exactly 0.
extern const ir::op_def mulz;
extern const ir::op_def equal, not_equal, less, less_equal, greater, greater_equal, isnan, isinf, isfinite;
extern const ir::op_def bitwise_and, bitwise_or, bitwise_xor, bitwise_not, left_shift, right_shift;
/// c ? x : y element by element.
extern const ir::op_def select;
/// Another element type; attribute `to`.
extern const ir::op_def convert;
/// The value itself, whose derivative is 0.
extern const ir::op_def stop_gradient;
}  // namespace op

namespace ir {
value operator+(const value& a, const value& b);
value operator-(const value& a, const value& b);
value operator*(const value& a, const value& b);
value operator/(const value& a, const value& b);
value operator-(const value& a);
value operator+(const value& a, double b);
value operator-(double a, const value& b);
value operator*(double a, const value& b);
value operator/(double a, const value& b);
/// a + b where an empty value is zero.
value sum_of(const value& a, const value& b);
value convert(const value& x, dtype to, place where = {});
}  // namespace ir

namespace detail {
/// Is x not 0? A bool is its own answer.
ir::value as_bool(const ir::value& x, place at);
}  // namespace detail

// Each takes two tensors of one dtype whose shapes broadcast, or a tensor and a number, which takes the tensor's dtype.
// Mixed dtypes do not compile. Throws shape_error when the shapes do not broadcast, dtype_error on a dtype it has no
// meaning for.
#define DF_PAIR(name, R)                                                                                                    \
    template <class A, class B> requires detail::pair_of<A, B> auto name(A a, B b, place at = place::here()) { \
        static_assert(detail::pair_rule<A, B>.wrong == complaint::none, "df: " #name ": the sizes do not broadcast");       \
        return detail::broadcast_apply<R>(op::name, a, b, at);                                                              \
    }
/// a + b. Integers wrap around.
DF_PAIR(add, void)
/// a - b. Integers wrap around.
DF_PAIR(subtract, void)
/// a · b, element by element. Integers wrap around.
DF_PAIR(multiply, void)
/// a / b; of integers as in C++, towards 0. Throws check_error when an integer is divided by 0.
DF_PAIR(divide, void)
/// The remainder of division towards 0, as `%` and fmod in C++: it has the sign of a.
DF_PAIR(modulo, void)
/// The largest integer not above a / b.
DF_PAIR(floor_divide, void)
/// The remainder of floor_divide, as Python's `%`: it has the sign of b.
DF_PAIR(remainder, void)
/// a to the power of b. Throws check_error on an integer to a negative power.
DF_PAIR(power, void)
/// The larger of a and b; NaN wins; where they are equal each has half the derivative.
DF_PAIR(maximum, void)
/// The smaller of a and b; NaN wins; where they are equal each has half the derivative.
DF_PAIR(minimum, void)
/// a == b, a bool tensor. So are the other comparisons; one with NaN is false, but for not_equal.
DF_PAIR(equal, bool)
/// a != b.
DF_PAIR(not_equal, bool)
/// a < b.
DF_PAIR(less, bool)
/// a <= b.
DF_PAIR(less_equal, bool)
/// a > b.
DF_PAIR(greater, bool)
/// a >= b.
DF_PAIR(greater_equal, bool)
/// The bits that a and b have; integers and bool.
DF_PAIR(bitwise_and, void)
/// The bits that a or b has; integers and bool.
DF_PAIR(bitwise_or, void)
/// The bits in which a and b differ; integers and bool.
DF_PAIR(bitwise_xor, void)
/// The bits of a moved up by b; of b only the low bits count, as in a processor.
DF_PAIR(left_shift, void)
/// The bits of a moved down by b, its sign kept; of b only the low bits count.
DF_PAIR(right_shift, void)
/// `power` by its short name.
template <class A, class B> requires detail::pair_of<A, B> auto pow(A a, B b, place at = place::here()) { return power(a, b, at); }

#define DF_LOGICAL(name, record)                                                                                            \
    template <class A, class B> requires detail::pair_of<A, B> auto name(A a, B b, place at = place::here()) { \
        using T = detail::pair_element_t<A, B>;                                                                             \
        static_assert(operand_for<A, T> && operand_for<B, T>, "df: mixed dtypes: write df::cast<T>(x)");                    \
        static_assert(detail::pair_rule<A, B>.wrong == complaint::none, "df: " #name ": the sizes do not broadcast");       \
        return wrap<bool, detail::pair_rule<A, B>.s>(detail::apply(op::record, detail::as_bool(detail::value_of<T>(a, at), at), detail::as_bool(detail::value_of<T>(b, at), at), at)); \
    }
/// Are both not 0? Any dtype; a bool tensor, as of the next two.
DF_LOGICAL(logical_and, bitwise_and)
/// Is one of them not 0?
DF_LOGICAL(logical_or, bitwise_or)
/// Is exactly one of them not 0?
DF_LOGICAL(logical_xor, bitwise_xor)
#undef DF_LOGICAL
/// Is x 0? Any dtype.
template <tensor_like X> auto logical_not(const X& x, place at = place::here()) {
    return wrap<bool, tensor_t<X>::dims>(detail::apply(op::bitwise_not, detail::as_bool(x.value(), at), at));
}

#define DF_SAME(name) \
    template <tensor_like X> operand_t<X> name(const X& x, place at = place::here()) { return operand_t<X>(detail::apply(op::name, x.value(), at), raw); }
/// -x. Throws dtype_error on bool, as do the next two.
DF_SAME(negative)
/// |x|; its derivative at 0 is 0.
DF_SAME(abs)
/// -1, 0 or 1; its derivative is 0.
DF_SAME(sign)
/// The bits that x lacks; integers, and of bool the negation.
DF_SAME(bitwise_not)
/// x itself, as a constant to derivatives.
DF_SAME(stop_gradient)
#undef DF_SAME

#define DF_TEST(name)                                                                                                       \
    template <tensor_like X> auto name(const X& x, place at = place::here()) {                                              \
        static_assert(std::floating_point<element_t<X>>, "df: " #name ": needs float or double; write df::cast<double>(x)"); \
        return wrap<bool, tensor_t<X>::dims>(detail::apply(op::name, x.value(), at));                                       \
    }
/// Is x not a number?
DF_TEST(isnan)
/// Is x infinite?
DF_TEST(isinf)
/// Is x a finite number?
DF_TEST(isfinite)
#undef DF_TEST

/// c ? a : b element by element, of a bool tensor c; shapes broadcast. Of two numbers the result has their C++ type.
/// What is not chosen adds nothing to a derivative, whatever it is.
template <tensor_like C, class A, class B> requires(detail::pair_of<A, B> || (element<A> && std::same_as<A, B>))
auto where(const C& c, A a, B b, place at = place::here()) {
    static_assert(std::same_as<element_t<C>, bool>, "df: where: the condition is not bool; compare it with something");
    using T = typename std::conditional_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, std::type_identity<A>, detail::pair_element<A, B>>::type;
    static_assert(operand_for<A, T> && operand_for<B, T>, "df: mixed dtypes: write df::cast<T>(x)");
    constexpr ruled two = detail::pair_rule<A, B>;
    constexpr ruled r = two.wrong == complaint::none ? broadcast_rule(tensor_t<C>::dims, two.s) : two;
    static_assert(r.wrong == complaint::none, "df: where: the sizes do not broadcast");
    return wrap<T, r.s>(detail::apply(op::select, c.value(), detail::value_of<T>(a, at), detail::value_of<T>(b, at), at));
}
/// `where` by its other name.
template <tensor_like C, class A, class B> auto select(const C& c, A a, B b, place at = place::here()) requires requires { where(c, a, b, at); } { return where(c, a, b, at); }
/// x held between lo and hi, which broadcast: minimum(maximum(x, lo), hi).
template <tensor_like X, class L, class H> requires(detail::pair_of<X, L> && detail::pair_of<X, H>)
auto clip(const X& x, L lo, H hi, place at = place::here()) { return minimum(maximum(x, lo, at), hi, at); }

/// x in another dtype. Floating to integer cuts the fraction, keeps to the integer's range and makes NaN 0; anything to
/// bool asks for not 0; integer to a narrower one keeps the low bits.
template <element T, tensor_like X> auto cast(const X& x, place at = place::here()) {
    return wrap<T, tensor_t<X>::dims>(detail::converted(x.value(), dtype_of<T>, at));
}
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/functors.hpp>

namespace df::inline DF_ABI {
namespace ir {
DF_FN value operator+(const value& a, const value& b) { return op::add(a, b); }
DF_FN value operator-(const value& a, const value& b) { return op::subtract(a, b); }
DF_FN value operator*(const value& a, const value& b) { return op::multiply(a, b); }
DF_FN value operator/(const value& a, const value& b) { return op::divide(a, b); }
DF_FN value operator-(const value& a) { return op::negative(a); }
DF_FN value operator+(const value& a, double b) { return op::add(a, b); }
DF_FN value operator-(double a, const value& b) { return op::subtract(a, b); }
DF_FN value operator*(double a, const value& b) { return op::multiply(a, b); }
DF_FN value operator/(double a, const value& b) { return op::divide(a, b); }
DF_FN value sum_of(const value& a, const value& b) { return !a ? b : !b ? a : op::add(a, b); }
DF_FN value convert(const value& x, dtype to, place where) {
    return x.element() == to ? x : emit_one(op::convert, {x}, {{"to", to}}, where);
}
}  // namespace ir

namespace detail {
DF_FN ir::value as_bool(const ir::value& x, place at) {
    return x && x.element() != dtype::boolean ? ir::emit_one(op::not_equal, {x, ir::literal(x.element(), 0.0)}, {}, at) : x;
}
}  // namespace detail

namespace ops::detail {
using args = const ir::rule_args&;
inline ir::value number(args r, double x) { return ir::literal(r.out[0].element(), x); }
// 1 where a beats b, one half where they are equal.
inline ir::values ties(args r, const ir::op_def& beats) {
    const auto side = [&](const ir::value& a, const ir::value& b) {
        const auto tie = op::select(op::equal(a, b), number(r, 0.5), number(r, 0));
        return op::select(beats(a, b), number(r, 1), tie);
    };
    return {side(r.in[0], r.in[1]), side(r.in[1], r.in[0])};
}
struct convert_kernel final : ir::kernel {
    core::layout from, to;
    void run(void* const* io, std::byte*) const override { core::copy_elements(from, static_cast<const std::byte*>(io[0]), to, static_cast<std::byte*>(io[1])); }
};
/// Copies operand 0 to the result, converting; the kernel of every view that is not one this time.
inline ir::kernel_ptr copy_kernel(const ir::site& s) {
    auto k = std::make_unique<convert_kernel>();
    k->from = s.in[0];
    k->to = s.out[0];
    return k;
}
}  // namespace ops::detail

namespace op {
using ops::elementwise;
using args = const ir::rule_args&;
namespace fn = ops::fn;

DF_RECORD ir::op_def add = [] {
    auto d = elementwise<fn::add>("add", "x + y", "f(2,3) f(3); f(2,1) f(3); f() f(0); i(2) i(2)",
        [](args r) -> ir::values { return {ops::detail::number(r, 1), ops::detail::number(r, 1)}; });
    d.commutative = true;
    return d;
}();
DF_RECORD ir::op_def subtract = elementwise<fn::subtract>("subtract", "x - y", "f(2,3) f(3); f(2,1) f(3); i(2) i()",
    [](args r) -> ir::values { return {ops::detail::number(r, 1), ops::detail::number(r, -1)}; });
DF_RECORD ir::op_def multiply = [] {
    auto d = elementwise<fn::multiply>("multiply", "x · y", "f(2,3) f(3); f(2,1) f(1,3); f() f(0); i(2) i(2)",
        [](args r) -> ir::values { return {r.in[1], r.in[0]}; });
    d.commutative = true;
    return d;
}();
DF_RECORD ir::op_def mulz = [] {
    auto d = elementwise<fn::mulz>("mulz", "x · y, where 0 · anything is 0", "f(2,3) f(3)",
        [](args r) -> ir::values { return {r.in[1], r.in[0]}; });
    d.commutative = true;
    return d;
}();
DF_RECORD ir::op_def divide = elementwise<fn::divide>("divide", "x / y; of integers as in C++", "f(2,3) p(3); f() p(2); i(2) k()",
    [](args r) -> ir::values { return {1.0 / r.in[1], -(r.out[0] / r.in[1])}; });
DF_RECORD ir::op_def modulo = elementwise<fn::modulo>("modulo", "x % y as in C++: the sign of x", "f(2,3) p(3); i(2) k()",
    [](args r) -> ir::values { return {ops::detail::number(r, 1), -((r.in[0] - r.out[0]) / r.in[1])}; });
DF_RECORD ir::op_def floor_divide = [] {
    auto d = elementwise<fn::floor_divide>("floor_divide", "the largest integer not above x / y", "f(2,3) p(3); i(2) k()");
    d.no_derivative = true;
    return d;
}();
DF_RECORD ir::op_def remainder = elementwise<fn::remainder>("remainder", "x - y · floor(x / y): the sign of y", "f(2,3) p(3); i(2) k()",
    [](args r) -> ir::values { return {ops::detail::number(r, 1), -floor_divide(r.in[0], r.in[1])}; });
DF_RECORD ir::op_def power = elementwise<fn::power>("power", "x to the power of y", "p(2,3) f(3); k(2) k()",
    [](args r) -> ir::values {
        const auto &x = r.in[0], &y = r.in[1];
        return {mulz(y, power(x, y + (-1.0))), mulz(r.out[0], log(x))};
    });
DF_RECORD ir::op_def maximum = [] {
    auto d = elementwise<fn::maximum>("maximum", "the larger; NaN wins", "f(2,3) f(3); i(2) i(2)",
        [](args r) -> ir::values { return ops::detail::ties(r, greater); });
    d.commutative = true;
    return d;
}();
DF_RECORD ir::op_def minimum = [] {
    auto d = elementwise<fn::minimum>("minimum", "the smaller; NaN wins", "f(2,3) f(3); i(2) i(2)",
        [](args r) -> ir::values { return ops::detail::ties(r, less); });
    d.commutative = true;
    return d;
}();
DF_RECORD ir::op_def negative = elementwise<fn::negative>("negative", "-x", "f(2,3); i(2)",
    [](args r) -> ir::values { return {ops::detail::number(r, -1)}; });
DF_RECORD ir::op_def abs = elementwise<fn::abs>("abs", "|x|", "f(2,3); i(2)",
    [](args r) -> ir::values { return {sign(r.in[0])}; });
DF_RECORD ir::op_def sign = [] {
    auto d = elementwise<fn::sign>("sign", "-1, 0 or 1", "f(2,3); i(2)");
    d.no_derivative = true;
    return d;
}();

DF_RECORD ir::op_def equal = elementwise<fn::equal>("equal", "x == y", "f(2,3) f(3); i(2) i(2); b(2) b(2)");
DF_RECORD ir::op_def not_equal = elementwise<fn::not_equal>("not_equal", "x != y", "f(2,3) f(3); i(2) i(2)");
DF_RECORD ir::op_def less = elementwise<fn::less>("less", "x < y", "f(2,3) f(3); i(2) i(2)");
DF_RECORD ir::op_def less_equal = elementwise<fn::less_equal>("less_equal", "x <= y", "f(2,3) f(3); i(2) i(2)");
DF_RECORD ir::op_def greater = elementwise<fn::greater>("greater", "x > y", "f(2,3) f(3); i(2) i(2)");
DF_RECORD ir::op_def greater_equal = elementwise<fn::greater_equal>("greater_equal", "x >= y", "f(2,3) f(3); i(2) i(2)");
DF_RECORD ir::op_def isnan = elementwise<fn::isnan>("isnan", "is x not a number?", "f(2,3)");
DF_RECORD ir::op_def isinf = elementwise<fn::isinf>("isinf", "is x infinite?", "f(2,3)");
DF_RECORD ir::op_def isfinite = elementwise<fn::isfinite>("isfinite", "is x a finite number?", "f(2,3)");

DF_RECORD ir::op_def bitwise_and = elementwise<fn::bitwise_and>("bitwise_and", "x & y", "i(2,3) i(3); b(2) b(2)");
DF_RECORD ir::op_def bitwise_or = elementwise<fn::bitwise_or>("bitwise_or", "x | y", "i(2,3) i(3); b(2) b(2)");
DF_RECORD ir::op_def bitwise_xor = elementwise<fn::bitwise_xor>("bitwise_xor", "x ^ y", "i(2,3) i(3); b(2) b(2)");
DF_RECORD ir::op_def bitwise_not = elementwise<fn::bitwise_not>("bitwise_not", "~x; of bool: !x", "i(2,3); b(2)");
DF_RECORD ir::op_def left_shift = elementwise<fn::left_shift>("left_shift", "x << y", "i(2,3) k(3)");
DF_RECORD ir::op_def right_shift = elementwise<fn::right_shift>("right_shift", "x >> y", "i(2,3) k(3)");

DF_RECORD ir::op_def select = elementwise<fn::select>("select", "c ? x : y", "b(2,3) f(3) f(2,1); b() i(2) i()",
    [](args r) -> ir::values {
        const auto one = ops::detail::number(r, 1), zero = ops::detail::number(r, 0);
        return {{}, select(r.in[0], one, zero), select(r.in[0], zero, one)};
    });
DF_RECORD ir::op_def convert{
    .name = "convert",
    .doc = "another element type; floating to integer cuts the fraction",
    .infer = [](ir::inference& q) { q.give(q.at.element("to"), q.dims(0)); },
    .axes = ops::axes_elementwise,
    .kernel = ops::detail::copy_kernel,
    .transpose = [](args r, int) { return ir::convert(r.ct[0], r.in[0].element()); },
    .linear = 1,
    .elementwise = true,
    .samples = "f(2,3) to=4; f(2) to=3; i(2) to=5; b(2) to=5",
};
DF_RECORD ir::op_def stop_gradient{
    .name = "stop_gradient",
    .doc = "x itself, as a constant to derivatives",
    .infer = [](ir::inference& q) { q.give(q.in[0].element, q.dims(0)); },
    .axes = ops::axes_elementwise,
    .kernel = ops::detail::copy_kernel,
    .view = [](const ir::site& s, core::layout& out, std::int64_t&) { out = s.in[0]; return true; },
    .no_derivative = true,
    .elementwise = true,
    .samples = "f(2,3)",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
