// The table's entries for arithmetic, mathematics, comparison and reductions.
#include "reference.hpp"

namespace reference {

namespace {

#define ENTER_UNARY(kinds, name) unary(t, #name, kinds{}, [](const auto& x) { return df::name(x); })
#define ENTER_BINARY(kinds, name) binary(t, #name, kinds{}, [](const auto& x, const auto& y) { return df::name(x, y); })
#define ENTER_OPERATOR(kinds, symbol) binary(t, #symbol, kinds{}, [](const auto& x, const auto& y) { return x symbol y; })

using comparable = types<double, float, std::int64_t, std::int32_t, bool>;
using with_bytes = types<double, float, std::int64_t, std::int32_t, std::uint8_t>;
using bits = types<std::int64_t, std::int32_t, std::uint8_t, bool>;
using truth = types<bool>;

void add_mathematics(table& t) {
    ENTER_UNARY(numeric, negative);
    ENTER_UNARY(numeric, abs);
    ENTER_UNARY(numeric, sign);
    ENTER_UNARY(numeric, square);
    ENTER_UNARY(reals, sqrt);
    ENTER_UNARY(reals, exp);
    ENTER_UNARY(reals, expm1);
    ENTER_UNARY(reals, log);
    ENTER_UNARY(reals, log1p);
    ENTER_UNARY(reals, sin);
    ENTER_UNARY(reals, cos);
    ENTER_UNARY(reals, tan);
    ENTER_UNARY(reals, asin);
    ENTER_UNARY(reals, acos);
    ENTER_UNARY(reals, atan);
    ENTER_UNARY(reals, sinh);
    ENTER_UNARY(reals, cosh);
    ENTER_UNARY(reals, tanh);
    ENTER_UNARY(reals, asinh);
    ENTER_UNARY(reals, erf);
    ENTER_UNARY(reals, floor);
    ENTER_UNARY(reals, ceil);
    ENTER_UNARY(reals, round);
    ENTER_UNARY(reals, reciprocal);
    ENTER_UNARY(reals, rsqrt);
    ENTER_UNARY(reals, sigmoid);
    ENTER_UNARY(reals, softplus);
    ENTER_UNARY(reals, relu);
    ENTER_UNARY(reals, elu);
    ENTER_UNARY(reals, leaky_relu);
    ENTER_UNARY(reals, gelu);
    ENTER_UNARY(reals, silu);
    ENTER_UNARY(types<double>, stop_gradient);
}

void add_arithmetic(table& t) {
    ENTER_BINARY(numeric, add);
    ENTER_BINARY(numeric, subtract);
    ENTER_BINARY(numeric, multiply);
    ENTER_BINARY(numeric, divide);
    ENTER_OPERATOR(with_bytes, +);
    ENTER_OPERATOR(numeric, -);
    ENTER_OPERATOR(numeric, *);
    ENTER_OPERATOR(numeric, /);
    ENTER_OPERATOR(numeric, %);
    ENTER_BINARY(numeric, floor_divide);
    ENTER_BINARY(numeric, remainder);
    using powers = types<double, float, std::int64_t>;
    ENTER_BINARY(powers, power);
    ENTER_BINARY(types<double>, pow);
    ENTER_BINARY(powers, maximum);
    ENTER_BINARY(powers, minimum);
    ENTER_BINARY(reals, atan2);
    ENTER_BINARY(types<double>, hypot);
    on(t, "pow_literal", types<double>{}, [](const auto& x, const call& c) { return df::pow(x, c.at.real("value")); });
    using clipped = types<double, std::int64_t>;
    on(t, "clip", clipped{}, [](const auto& x, const call& c) {
        using T = element_type<decltype(x)>;
        return df::clip(x, static_cast<T>(c.at.real("lo")), static_cast<T>(c.at.real("hi")));
    });
    on(t, "where", truth{}, [](const auto& p, const call& c) {
        if (std::holds_alternative<df::tensor<double>>(c.in.at(1)))
            return results(df::where(p, c.get<double>(1), c.get<double>(2)));
        return results(df::where(p, c.get<std::int64_t>(1), c.get<std::int64_t>(2)));
    });
}

void add_casts(table& t) {
    using to_f64 = types<float, std::int64_t, std::int32_t, std::uint8_t, bool>;
    using to_i64 = types<double, float, std::int32_t, bool>;
    using to_small = types<double, std::int64_t>;
    unary(t, "cast_f64", to_f64{}, [](const auto& x) { return df::cast<double>(x); });
    unary(t, "cast_f32", to_small{}, [](const auto& x) { return df::cast<float>(x); });
    unary(t, "cast_i64", to_i64{}, [](const auto& x) { return df::cast<std::int64_t>(x); });
    unary(t, "cast_i32", to_small{}, [](const auto& x) { return df::cast<std::int32_t>(x); });
    unary(t, "cast_u8", to_small{}, [](const auto& x) { return df::cast<std::uint8_t>(x); });
    unary(t, "cast_bool", to_small{}, [](const auto& x) { return df::cast<bool>(x); });
    unary(t, "cast_round_trip", types<double>{}, [](const auto& x) { return df::cast<double>(df::cast<float>(x)); });
}

void add_comparisons(table& t) {
    ENTER_BINARY(comparable, less);
    ENTER_BINARY(comparable, less_equal);
    ENTER_BINARY(comparable, greater);
    ENTER_BINARY(comparable, greater_equal);
    ENTER_BINARY(comparable, equal);
    ENTER_BINARY(comparable, not_equal);
    using few = types<double, std::int64_t>;
    ENTER_OPERATOR(few, <);
    ENTER_OPERATOR(few, <=);
    ENTER_OPERATOR(few, >);
    ENTER_OPERATOR(few, >=);
    ENTER_OPERATOR(few, ==);
    ENTER_OPERATOR(few, !=);
    ENTER_UNARY(reals, isnan);
    ENTER_UNARY(reals, isinf);
    ENTER_UNARY(reals, isfinite);

    ENTER_BINARY(truth, logical_and);
    ENTER_BINARY(truth, logical_or);
    ENTER_BINARY(truth, logical_xor);
    ENTER_UNARY(truth, logical_not);
    ENTER_OPERATOR(truth, &&);
    ENTER_OPERATOR(truth, ||);
    unary(t, "!", truth{}, [](const auto& x) { return !x; });
    using words = types<std::int64_t>;
    ENTER_BINARY(words, bitwise_and);
    ENTER_BINARY(words, bitwise_or);
    ENTER_BINARY(words, bitwise_xor);
    ENTER_UNARY(words, bitwise_not);
    ENTER_BINARY(words, left_shift);
    ENTER_BINARY(words, right_shift);
    ENTER_OPERATOR(bits, &);
    ENTER_OPERATOR(bits, |);
    ENTER_OPERATOR(bits, ^);
    unary(t, "~", bits{}, [](const auto& x) { return ~x; });
}

// f(x), f(x, axis), f(x, axes), each with and without keepdims, as the case says.
template <class Kinds, class F> void reduction(table& t, const std::string& name, Kinds kinds, F f) {
    on(t, name, kinds, [f](const auto& x, const call& c) {
        const bool keep = c.at.has("keepdims");
        if (c.at.has("axis")) {
            const std::int64_t axis = c.at.integer("axis");
            return keep ? results(f(x, axis, df::keepdims)) : results(f(x, axis));
        }
        if (c.at.has("axes")) {
            const list axes = c.at.integers("axes");
            return keep ? results(f(x, axes, df::keepdims)) : results(f(x, axes));
        }
        return keep ? results(f(x, df::keepdims)) : results(f(x));
    });
}
// The same for ops that take one axis or none.
template <class Kinds, class F> void choice(table& t, const std::string& name, Kinds kinds, F f) {
    on(t, name, kinds, [f](const auto& x, const call& c) {
        const bool keep = c.at.has("keepdims");
        if (!c.at.has("axis")) return keep ? results(f(x, df::keepdims)) : results(f(x));
        const std::int64_t axis = c.at.integer("axis");
        return keep ? results(f(x, axis, df::keepdims)) : results(f(x, axis));
    });
}
#define ENTER_REDUCTION(kinds, name)                                                                                       \
    reduction(t, #name, kinds{}, [](const auto& x, const auto&... how) { return df::name(x, how...); })
#define ENTER_CHOICE(kinds, name)                                                                                          \
    choice(t, #name, kinds{}, [](const auto& x, const auto&... how) { return df::name(x, how...); })

void add_reductions(table& t) {
    using summed = types<double, float, std::int64_t, std::int32_t, std::uint8_t, bool>;
    using averaged = types<double, float, std::int64_t, std::int32_t, bool>;
    using spread = types<double, float, std::int64_t>;
    ENTER_REDUCTION(summed, sum);
    ENTER_REDUCTION(averaged, mean);
    ENTER_REDUCTION(numeric, prod);
    ENTER_REDUCTION(numeric, max);
    ENTER_REDUCTION(numeric, min);
    ENTER_REDUCTION(spread, variance);
    ENTER_REDUCTION(reals, logsumexp);
    ENTER_REDUCTION(reals, norm);
    ENTER_REDUCTION(truth, any);
    ENTER_REDUCTION(truth, all);
    ENTER_CHOICE(spread, argmax);
    ENTER_CHOICE(spread, argmin);
    using running = types<double, float, std::int32_t, bool>;
    on(t, "cumsum", running{}, [](const auto& x, const call& c) { return df::cumsum(x, c.at.integer("axis")); });
}

} // namespace

void add_pointwise(table& t) {
    add_mathematics(t);
    add_arithmetic(t);
    add_casts(t);
    add_comparisons(t);
    add_reductions(t);
}

} // namespace reference
