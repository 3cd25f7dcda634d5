// Sizes as users meet them: the size of an axis, and lists of sizes.
#pragma once
#include <concepts>
#include <initializer_list>
#include <vector>

#include <df/core/error.hpp>
#include <df/core/shape.hpp>

namespace df::inline DF_ABI {

/// The size of an axis: usable wherever a size is taken, compares to plain bool, converts to int64. A size that is known
/// only when the program runs can be passed on, but converting it throws trace_error.
class extent {
public:
    constexpr explicit extent(std::int64_t n) : n_(n) {}
    operator std::int64_t() const {
        if (is_symbol(n_)) unknown();
        return n_;
    }
    /// The number, or the symbol that stands for it.
    std::int64_t raw() const { return n_; }
    friend bool operator==(const extent& a, const extent& b) { return a.n_ == b.n_; }

private:
    [[noreturn]] static void unknown();
    std::int64_t n_;
};

/// A size known to the compiler: `df::size<5>`, `5_c`.
template <std::int64_t N> struct size_constant {
    static constexpr std::int64_t value = N;
    constexpr operator std::int64_t() const { return N; }
};
template <std::int64_t N> inline constexpr size_constant<N> size{};

namespace literals {
/// `0_c`: a number known to the compiler, for axes and sizes.
template <char... C> constexpr auto operator""_c() {
    constexpr std::int64_t n = [] {
        std::int64_t r = 0;
        ((r = C == '\'' ? r : r * 10 + (C - '0')), ...);
        return r;
    }();
    return size_constant<n>{};
}
}  // namespace literals

/// One size in a list of sizes: a number or an extent.
struct size_arg {
    std::int64_t n;
    template <std::integral I> size_arg(I i) : n(static_cast<std::int64_t>(i)) {}
    size_arg(const extent& e) : n(e.raw()) {}
    template <std::int64_t N> size_arg(size_constant<N>) : n(N) {}
};

/// A list of sizes or axes as functions take it: `{2, 3}`, `{x.dim(0), 3}`, a vector, a shape, one size.
struct sizes {
    shape s;
    template <std::integral I> sizes(I one) { s.push_back(static_cast<std::int64_t>(one)); }
    sizes(const extent& one) { s.push_back(one.raw()); }
    sizes(std::initializer_list<size_arg> list) {
        for (auto& a : list) s.push_back(a.n);
    }
    sizes(const shape& list) : s(list) {}
    sizes(const std::vector<std::int64_t>& list) : s(list) {}
};

}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
DF_FN void extent::unknown() {
    throw trace_error("extent: this size is known only when the program runs; pass the extent itself on as a size instead of converting it to a number", {});
}
}  // namespace df::inline DF_ABI
#endif
