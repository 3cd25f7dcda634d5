// What a shape rule can say: one list of complaints feeds the compile-time assertions and the run-time texts.
#pragma once
#include <df/core/shape.hpp>

// name, sentence
#define DF_COMPLAINTS(X)                                        \
    X(inner, "the inner sizes differ")                          \
    X(broadcast, "the sizes do not broadcast")                  \
    X(count, "the element counts differ")                       \
    X(axis, "the axis is out of range")                         \
    X(repeated, "an axis is repeated")                          \
    X(rank, "the rank is too small")                            \
    X(ranks, "the ranks differ")                                \
    X(sizes, "the sizes differ")                                \
    X(range, "the range does not fit the axis")                 \
    X(negative, "a size is negative")                           \
    X(single, "the axis is not of size 1")                      \
    X(window, "the window does not fit the input")              \
    X(channels, "the channels do not fit the kernel and groups") \
    X(empty, "a reduction without identity over an empty axis") \
    X(subscripts, "the subscripts do not fit the operands")

namespace df::inline DF_ABI {

enum class complaint : char {
    none,
#define X(name, text) name,
    DF_COMPLAINTS(X)
#undef X
};

constexpr const char* to_text(complaint c) {
    constexpr const char* texts[] = {"",
#define X(name, text) text,
                                     DF_COMPLAINTS(X)
#undef X
    };
    return texts[static_cast<int>(c)];
}

/// The result of a constexpr shape rule: a shape, or a complaint.
struct ruled {
    shape s;
    complaint wrong = complaint::none;
    constexpr ruled(shape r) : s(r) {}
    constexpr ruled(complaint c) : s(shape::any()), wrong(c) {}
};

/// Are these two sizes certainly different?
constexpr bool clash(std::int64_t a, std::int64_t b) {
    if (a == dyn || b == dyn) return false;
    return a != b && !(is_symbol(a) && is_symbol(b));   // two symbols: checked when the program runs
}
/// The better known of two equal sizes.
constexpr std::int64_t either(std::int64_t a, std::int64_t b) { return a >= 0 ? a : b >= 0 ? b : a == dyn ? b : a; }

/// NumPy broadcasting of two shapes.
constexpr ruled broadcast_rule(const shape& a, const shape& b) {
    if (a.any_rank() || b.any_rank()) return shape::any();
    shape r = a.n >= b.n ? a : b;
    const shape& small = a.n >= b.n ? b : a;
    for (int i = 0, k = r.n - small.n; i < small.n; ++i) {
        const auto x = r.d[i + k], y = small.d[i];
        if (x != 1 && y != 1 && clash(x, y)) return complaint::broadcast;
        r.d[i + k] = x == 1 ? y : y == 1 ? x : either(x, y);
    }
    return r;
}

/// Could a value of shape `have` be one of shape `want`?
constexpr bool agree(const shape& have, const shape& want) {
    if (have.any_rank() || want.any_rank()) return true;
    if (have.n != want.n) return false;
    for (int i = 0; i < have.n; ++i) if (clash(have.d[i], want.d[i])) return false;
    return true;
}
/// Is every value of shape `have` certainly one of shape `want`?
constexpr bool surely(const shape& have, const shape& want) {
    if (want.any_rank()) return true;
    if (have.n != want.n) return false;
    for (int i = 0; i < have.n; ++i) if (want.d[i] != dyn && have.d[i] != want.d[i]) return false;
    return true;
}

}  // namespace df::inline DF_ABI

// Fails at the user's line with one sentence when the rule `r` complains. `op` is a string literal.
#define DF_ASSERT_RULE(op, r)                                                                            \
    static_assert((r).wrong != ::df::complaint::inner, "df: " op ": the inner sizes differ");            \
    static_assert((r).wrong != ::df::complaint::broadcast, "df: " op ": the sizes do not broadcast");    \
    static_assert((r).wrong != ::df::complaint::count, "df: " op ": the element counts differ");         \
    static_assert((r).wrong != ::df::complaint::axis, "df: " op ": the axis is out of range");           \
    static_assert((r).wrong != ::df::complaint::repeated, "df: " op ": an axis is repeated");            \
    static_assert((r).wrong != ::df::complaint::rank, "df: " op ": the rank is too small");              \
    static_assert((r).wrong != ::df::complaint::ranks, "df: " op ": the ranks differ");                  \
    static_assert((r).wrong != ::df::complaint::sizes, "df: " op ": the sizes differ");                  \
    static_assert((r).wrong != ::df::complaint::range, "df: " op ": the range does not fit the axis");   \
    static_assert((r).wrong != ::df::complaint::negative, "df: " op ": a size is negative");             \
    static_assert((r).wrong != ::df::complaint::single, "df: " op ": the axis is not of size 1");         \
    static_assert((r).wrong != ::df::complaint::window, "df: " op ": the window does not fit the input"); \
    static_assert((r).wrong != ::df::complaint::channels, "df: " op ": the channels do not fit the kernel and groups")
