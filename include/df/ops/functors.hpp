// The functors of df's elementwise records. Each is a generic callable without `?:`, so that it can be called with a
// scalar, with an array expression or with a type that prints.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <df/core/error.hpp>
#include <df/ops/family.hpp>

#define DF_FUNCTOR1(name, dom, ...)                                             \
    struct name {                                                               \
        static constexpr domain on = domain::dom;                               \
        static constexpr int arity = 1;                                         \
        template <class X> auto operator()(const X& x) const { __VA_ARGS__; }   \
    };
#define DF_FUNCTOR2(name, dom, ...)                                                          \
    struct name {                                                                            \
        static constexpr domain on = domain::dom;                                            \
        static constexpr int arity = 2;                                                      \
        template <class X, class Y> auto operator()(const X& x, const Y& y) const { __VA_ARGS__; } \
    };
#define DF_PREDICATE2(name, dom, ...)                                                        \
    struct name {                                                                            \
        static constexpr domain on = domain::dom;                                            \
        static constexpr int arity = 2;                                                      \
        static constexpr bool predicate = true;                                              \
        template <class X, class Y> auto operator()(const X& x, const Y& y) const { return __VA_ARGS__; } \
    };
#define DF_PREDICATE1(name, dom, ...)                                                        \
    struct name {                                                                            \
        static constexpr domain on = domain::dom;                                            \
        static constexpr int arity = 1;                                                      \
        static constexpr bool predicate = true;                                              \
        template <class X> auto operator()(const X& x) const { return __VA_ARGS__; }         \
    };

namespace df::inline DF_ABI::ops::fn {

// Integers wrap around: the arithmetic is done unsigned.
template <class X> constexpr auto wide(X x) {
    if constexpr (std::is_integral_v<X> && !std::is_same_v<X, bool>) return static_cast<std::make_unsigned_t<X>>(x);
    else return x;
}
template <class X> constexpr void need_divisor(const X& y) {
    if (y == 0) throw check_error("integer division by zero; guard the divisor with df::where", {});
}

DF_FUNCTOR2(add, numeric, return wide(x) + wide(y))
DF_FUNCTOR2(subtract, numeric, return wide(x) - wide(y))
DF_FUNCTOR2(multiply, numeric, return wide(x) * wide(y))
DF_FUNCTOR2(divide, numeric, if constexpr (std::is_integral_v<X>) {
    need_divisor(y);
    return y == -1 ? static_cast<X>(0 - wide(x)) : static_cast<X>(x / y);
} else return x / y)
DF_FUNCTOR2(modulo, numeric, if constexpr (std::is_integral_v<X>) {
    need_divisor(y);
    return y == -1 ? X(0) : static_cast<X>(x % y);
} else { using std::fmod; return fmod(x, y); })
DF_FUNCTOR2(floor_divide, numeric, if constexpr (std::is_integral_v<X>) {
    need_divisor(y);
    if (y == -1) return static_cast<X>(0 - wide(x));
    return static_cast<X>(x / y - (x % y != 0 && (x < 0) != (y < 0)));
} else { using std::floor; return floor(x / y); })
DF_FUNCTOR2(remainder, numeric, if constexpr (std::is_integral_v<X>) {
    need_divisor(y);
    if (y == -1) return X(0);
    const X r = static_cast<X>(x % y);
    return static_cast<X>(r + (r != 0 && (r < 0) != (y < 0)) * y);
} else { using std::floor; using std::fmod; const X r = fmod(x, y); return static_cast<X>(r + (r != 0 && (r < 0) != (y < 0)) * y); })
DF_FUNCTOR2(power, numeric, if constexpr (std::is_integral_v<X>) {
    if (y < 0) throw check_error("an integer to a negative power; cast the base to double", {});
    auto r = wide(X(1)), b = wide(x);
    for (auto e = y; e > 0; e = static_cast<X>(e >> 1), b *= b) if (e & 1) r *= b;
    return static_cast<X>(r);
} else { using std::pow; return pow(x, y); })
DF_FUNCTOR2(maximum, any, if constexpr (std::is_floating_point_v<X>) return (x > y || x != x) ? x : y; else return x > y ? x : y)
DF_FUNCTOR2(minimum, any, if constexpr (std::is_floating_point_v<X>) return (x < y || x != x) ? x : y; else return x < y ? x : y)
DF_FUNCTOR2(mulz, floating, return (x == 0 || y == 0) ? X(0) : x * y)
DF_FUNCTOR2(atan2, floating, using std::atan2; return atan2(x, y))
DF_FUNCTOR2(hypot, floating, using std::hypot; return hypot(x, y))
DF_FUNCTOR2(bitwise_and, logical, return x & y)
DF_FUNCTOR2(bitwise_or, logical, return x | y)
DF_FUNCTOR2(bitwise_xor, logical, return x ^ y)
DF_FUNCTOR2(left_shift, integral, return wide(x) << (wide(y) & (8 * sizeof(X) - 1)))
DF_FUNCTOR2(right_shift, integral, return x >> (wide(y) & (8 * sizeof(X) - 1)))

DF_FUNCTOR1(negative, numeric, if constexpr (std::is_integral_v<X>) return static_cast<X>(0 - wide(x)); else return -x)
DF_FUNCTOR1(abs, numeric, if constexpr (std::is_integral_v<X>) return x < 0 ? static_cast<X>(0 - wide(x)) : x; else { using std::abs; return abs(x); })
DF_FUNCTOR1(sign, numeric, if constexpr (std::is_floating_point_v<X>) return x != x ? x : X((x > 0) - (x < 0)); else return X((x > 0) - (x < 0)))
DF_FUNCTOR1(sqrt, floating, using std::sqrt; return sqrt(x))
DF_FUNCTOR1(exp, floating, using std::exp; return exp(x))
DF_FUNCTOR1(expm1, floating, using std::expm1; return expm1(x))
DF_FUNCTOR1(log, floating, using std::log; return log(x))
DF_FUNCTOR1(log1p, floating, using std::log1p; return log1p(x))
DF_FUNCTOR1(sin, floating, using std::sin; return sin(x))
DF_FUNCTOR1(cos, floating, using std::cos; return cos(x))
DF_FUNCTOR1(tan, floating, using std::tan; return tan(x))
DF_FUNCTOR1(asin, floating, using std::asin; return asin(x))
DF_FUNCTOR1(acos, floating, using std::acos; return acos(x))
DF_FUNCTOR1(atan, floating, using std::atan; return atan(x))
DF_FUNCTOR1(sinh, floating, using std::sinh; return sinh(x))
DF_FUNCTOR1(cosh, floating, using std::cosh; return cosh(x))
DF_FUNCTOR1(tanh, floating, using std::tanh; return tanh(x))
DF_FUNCTOR1(asinh, floating, using std::asinh; return asinh(x))
DF_FUNCTOR1(erf, floating, using std::erf; return erf(x))
DF_FUNCTOR1(floor, floating, using std::floor; return floor(x))
DF_FUNCTOR1(ceil, floating, using std::ceil; return ceil(x))
DF_FUNCTOR1(round, floating, using std::nearbyint; return nearbyint(x))
DF_FUNCTOR1(bitwise_not, logical, if constexpr (std::is_same_v<X, bool>) return !x; else return static_cast<X>(~x))

DF_PREDICATE2(equal, any, x == y)
DF_PREDICATE2(not_equal, any, x != y)
DF_PREDICATE2(less, any, x < y)
DF_PREDICATE2(less_equal, any, x <= y)
DF_PREDICATE2(greater, any, x > y)
DF_PREDICATE2(greater_equal, any, x >= y)
DF_PREDICATE1(isnan, floating, x != x)
DF_PREDICATE1(isinf, floating, x == std::numeric_limits<X>::infinity() || x == -std::numeric_limits<X>::infinity())
DF_PREDICATE1(isfinite, floating, x - x == 0)

struct select {
    static constexpr domain on = domain::any;
    static constexpr int arity = 3;
    static constexpr bool choice = true;
    template <class C, class X> auto operator()(const C& c, const X& x, const X& y) const { return c ? x : y; }
};

}  // namespace df::inline DF_ABI::ops::fn

#undef DF_FUNCTOR1
#undef DF_FUNCTOR2
#undef DF_PREDICATE1
#undef DF_PREDICATE2
