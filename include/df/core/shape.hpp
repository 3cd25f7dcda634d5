// Shapes: a list of sizes, each a number, a symbol, or (in C++ types only) unknown; and the arithmetic on them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <df/core/config.hpp>

namespace df::inline DF_ABI {

/// A size the compiler does not know. Only the types of handles contain it, never a graph.
inline constexpr std::int64_t dyn = -1;
/// `tensor<T, rank0>` is a scalar, since `tensor<T>` is a tensor of any rank.
inline constexpr std::int64_t rank0 = -2;
/// Symbols lie below it, far from any size that a program may write by mistake.
inline constexpr std::int64_t symbols_end = -(std::int64_t{1} << 60);

inline constexpr int max_rank = 16;

/// The sizes of a tensor, outermost first. A size below `symbols_end` is a symbol: known when the program runs, equal only to
/// itself, never broadcast. Structural, so that one constexpr rule per op serves the compiler and the tracer.
struct shape {
    int n = 0;                         // number of axes; -1: any
    std::int64_t d[max_rank] = {};

    constexpr shape() = default;
    constexpr shape(std::initializer_list<std::int64_t> sizes) {
        if (sizes.size() > max_rank) throw "df: shape: a tensor has at most 16 axes";
        for (auto s : sizes) d[n++] = s;
    }
    shape(const std::vector<std::int64_t>& sizes) {
        if (sizes.size() > max_rank) throw_rank(sizes.size());
        for (auto s : sizes) d[n++] = s;
    }
    static constexpr shape any() { shape s; s.n = -1; return s; }

    constexpr bool any_rank() const { return n < 0; }
    constexpr int rank() const { return n; }
    constexpr std::size_t size() const { return static_cast<std::size_t>(n < 0 ? 0 : n); }
    constexpr bool empty() const { return n <= 0; }
    constexpr std::int64_t operator[](std::size_t i) const { return d[i]; }
    constexpr std::int64_t& operator[](std::size_t i) { return d[i]; }
    constexpr const std::int64_t* begin() const { return d; }
    constexpr const std::int64_t* end() const { return d + size(); }
    constexpr std::int64_t* begin() { return d; }
    constexpr std::int64_t* end() { return d + size(); }
    constexpr std::int64_t back() const { return d[n - 1]; }
    constexpr void push_back(std::int64_t s) {
        if (n >= max_rank) throw_rank(static_cast<std::size_t>(n) + 1);
        d[n++] = s;
    }
    /// The number of elements; every size must be a number.
    constexpr std::int64_t elements() const {
        std::int64_t r = 1;
        for (auto s : *this) r *= s;
        return r;
    }
    /// Is every size a number?
    constexpr bool known() const {
        if (n < 0) return false;
        for (auto s : *this) if (s < 0) return false;
        return true;
    }
    constexpr shape sub(int from, int to) const {
        shape r;
        for (int i = from; i < to; ++i) r.d[r.n++] = d[i];
        return r;
    }
    constexpr shape from(int k) const { return sub(k, n); }
    constexpr shape first(int k) const { return sub(0, k); }
    constexpr shape without(int axis) const {
        shape r;
        for (int i = 0; i < n; ++i) if (i != axis) r.d[r.n++] = d[i];
        return r;
    }
    friend constexpr bool operator==(const shape& a, const shape& b) {
        if (a.n != b.n) return false;
        for (int i = 0; i < a.n; ++i) if (a.d[i] != b.d[i]) return false;
        return true;
    }
    operator std::vector<std::int64_t>() const { return {begin(), end()}; }

private:
    [[noreturn]] static void throw_rank(std::size_t n);
};

constexpr shape operator+(shape a, const shape& b) {
    for (auto s : b) a.push_back(s);
    return a;
}

/// "[3, 4]"; symbols print as n1, n2 …, unknown sizes as "?".
std::string to_text(const shape& s);

/// A fresh symbol, different from every other in the process.
std::int64_t fresh_symbol();
constexpr bool is_symbol(std::int64_t d) { return d < symbols_end; }

/// Strides of a contiguous row-major array, in elements.
constexpr shape contiguous(const shape& s) {
    shape r = s;
    std::int64_t k = 1;
    for (int i = s.n - 1; i >= 0; --i) {
        r.d[i] = k;
        k *= s.d[i];
    }
    return r;
}

/// `axis` counted from the front; -1 when it is out of range.
constexpr int normal_axis(std::int64_t axis, int rank) {
    if (axis < 0) axis += rank;
    return axis < 0 || axis >= rank ? -1 : static_cast<int>(axis);
}

template <std::int64_t... D> inline constexpr shape shape_of = [] {
    if constexpr (sizeof...(D) == 0) return shape::any();
    else if constexpr (((D == rank0) || ...)) return shape{};
    else return shape{D...};
}();

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <atomic>

#include <df/core/error.hpp>

namespace df::inline DF_ABI {
DF_FN void shape::throw_rank(std::size_t n) {
    throw shape_error("shape: " + std::to_string(n) + " axes; a tensor has at most " + std::to_string(max_rank), {});
}
DF_FN std::string to_text(const shape& s) {
    if (s.any_rank()) return "[...]";
    std::string r = "[";
    for (int i = 0; i < s.n; ++i) {
        if (i) r += ", ";
        r += s.d[i] >= 0 ? std::to_string(s.d[i]) : is_symbol(s.d[i]) ? "n" + std::to_string(symbols_end - s.d[i]) : s.d[i] == dyn ? "?" : std::to_string(s.d[i]);
    }
    return r + "]";
}
DF_FN std::int64_t fresh_symbol() {
    static std::atomic<std::int64_t> next{symbols_end};
    return --next;
}
}  // namespace df::inline DF_ABI
#endif
