// Moving spans of elements: between strides by their size in bytes, between types when both are contiguous.
#pragma once
#include <cstddef>
#include <cstdint>

#include <df/core/dtype.hpp>

namespace df::inline DF_ABI::core {
/// n elements of `bytes` bytes each from one stride to another (in elements).
void move_span(std::size_t bytes, const void* src, std::int64_t step, void* dst, std::int64_t dst_step, std::int64_t n);
/// n elements from one type and stride to another; floating to bool asks for not zero.
void convert_span(dtype from, const void* src, std::int64_t step, dtype to, void* dst, std::int64_t dst_step, std::int64_t n);
}  // namespace df::inline DF_ABI::core

#if DF_IMPL
#include <algorithm>
#include <cstring>
#include <limits>

namespace df::inline DF_ABI::core {
namespace detail {
template <class T> void move_words(const void* src, std::int64_t step, void* dst, std::int64_t dst_step, std::int64_t n) {
    const T* s = static_cast<const T*>(src);
    T* d = static_cast<T*>(dst);
    if (step == 1 && dst_step == 1) std::memcpy(d, s, static_cast<std::size_t>(n) * sizeof(T));
    else if (dst_step == 1) for (std::int64_t i = 0; i < n; ++i) d[i] = s[i * step];
    else for (std::int64_t i = 0; i < n; ++i) d[i * dst_step] = s[i * step];
}
// Floating to integer: the fraction goes, what is outside becomes the nearest there is, NaN becomes 0.
template <class B, class A> B convert_one(A x) {
    if constexpr (std::is_floating_point_v<A> && std::is_integral_v<B> && !std::is_same_v<B, bool>) {
        using L = std::numeric_limits<B>;
        constexpr A low = static_cast<A>(L::min()), high = A{2} * static_cast<A>(L::max() / 2 + 1);   // high is the first too large
        if (!(x > low)) return x != x ? B{} : L::min();
        if (x >= high) return L::max();
    }
    return static_cast<B>(x);
}
template <class A, class B> void convert_words(const void* src, void* dst, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) static_cast<B*>(dst)[i] = convert_one<B>(static_cast<const A*>(src)[i]);
}
using convert_fn = void (*)(const void*, void*, std::int64_t);
inline convert_fn converter(dtype from, dtype to) {
    return with_type(from, [&](auto a) { return with_type(to, [](auto b) -> convert_fn { return convert_words<decltype(a), decltype(b)>; }); });
}
}  // namespace detail
DF_FN void move_span(std::size_t bytes, const void* src, std::int64_t step, void* dst, std::int64_t dst_step, std::int64_t n) {
    if (bytes == 1) detail::move_words<std::uint8_t>(src, step, dst, dst_step, n);
    else if (bytes == 4) detail::move_words<std::uint32_t>(src, step, dst, dst_step, n);
    else detail::move_words<std::uint64_t>(src, step, dst, dst_step, n);
}
DF_FN void convert_span(dtype from, const void* src, std::int64_t step, dtype to, void* dst, std::int64_t dst_step, std::int64_t n) {
    if (from == to) return move_span(size_of(from), src, step, dst, dst_step, n);
    constexpr std::int64_t tile = 256;
    alignas(64) std::byte a[tile * 8], b[tile * 8];
    const auto convert = detail::converter(from, to);
    for (std::int64_t i = 0; i < n; i += tile) {
        const auto m = std::min(tile, n - i);
        const auto* s = static_cast<const std::byte*>(src) + i * step * static_cast<std::int64_t>(size_of(from));
        auto* d = static_cast<std::byte*>(dst) + i * dst_step * static_cast<std::int64_t>(size_of(to));
        if (step != 1) move_span(size_of(from), s, step, a, 1, m), s = a;
        convert(s, dst_step == 1 ? d : b, m);
        if (dst_step != 1) move_span(size_of(to), b, 1, d, dst_step, m);
    }
}
}  // namespace df::inline DF_ABI::core
#endif
