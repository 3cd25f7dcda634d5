// Copies between strided places of one element size: loops joined where both sides run on, the destination written in
// order, tiles where source and destination run across each other.
#pragma once
#include <cstddef>

#include <df/core/shape.hpp>

namespace df::inline DF_ABI::core {
/// Elements of `bytes` bytes; strides in elements.
void move_elements(std::size_t bytes, const shape& dims, const shape& from, const void* src, const shape& to, void* dst);
}  // namespace df::inline DF_ABI::core

#if DF_IMPL
#include <algorithm>
#include <cstdlib>

#include <df/core/convert.hpp>
#include <df/core/parallel.hpp>

namespace df::inline DF_ABI::core {
namespace detail {
struct move_loop {
    std::int64_t n, from, to;
};
template <class Word> void move_tiled(const move_loop& row, const move_loop& col, const Word* s, Word* d) {
    constexpr std::int64_t tile = 16;
    for (std::int64_t i0 = 0; i0 < row.n; i0 += tile)
        for (std::int64_t j0 = 0; j0 < col.n; j0 += tile)
            for (std::int64_t i = i0; i < std::min(row.n, i0 + tile); ++i)
                for (std::int64_t j = j0; j < std::min(col.n, j0 + tile); ++j) d[i * row.to + j * col.to] = s[i * row.from + j * col.from];
}
}  // namespace detail

DF_FN void move_elements(std::size_t bytes, const shape& dims, const shape& from, const void* src, const shape& to, void* dst) {
    detail::move_loop loops[max_rank];
    int n = 0;
    for (int i = 0; i < dims.n; ++i) {
        if (dims.d[i] == 0) return;
        if (dims.d[i] != 1) loops[n++] = {dims.d[i], from.d[i], to.d[i]};
    }
    std::stable_sort(loops, loops + n, [](auto& a, auto& b) { return std::abs(a.to) > std::abs(b.to); });
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        const auto l = loops[i];
        if (kept && loops[kept - 1].from == l.from * l.n && loops[kept - 1].to == l.to * l.n) loops[kept - 1] = {loops[kept - 1].n * l.n, l.from, l.to};
        else loops[kept++] = l;
    }
    if (!kept) loops[kept++] = {1, 1, 1};
    const auto inner = loops[--kept];
    // The loop along which the source lies side by side, when that is not the innermost.
    detail::move_loop across{1, 0, 0};
    if (inner.from != 1 && inner.n >= 4)
        for (int i = 0; i < kept; ++i)
            if (loops[i].from == 1 && loops[i].n >= 4) {
                across = loops[i];
                std::copy(loops + i + 1, loops + kept, loops + i);
                --kept;
                break;
            }
    std::int64_t outer = 1;
    for (int i = 0; i < kept; ++i) outer *= loops[i].n;
    const auto each = std::max<std::int64_t>(inner.n * across.n, 1);
    parallel_for(outer, std::max<std::int64_t>(1, (1 << 16) / each), [&](std::int64_t begin, std::int64_t end) {
        for (auto k = begin; k < end; ++k) {
            std::int64_t p = 0, q = 0, rest = k;
            for (int i = kept; i-- > 0; rest /= loops[i].n) p += rest % loops[i].n * loops[i].from, q += rest % loops[i].n * loops[i].to;
            const auto* s = static_cast<const std::byte*>(src) + p * static_cast<std::int64_t>(bytes);
            auto* d = static_cast<std::byte*>(dst) + q * static_cast<std::int64_t>(bytes);
            if (across.n == 1) move_span(bytes, s, inner.from, d, inner.to, inner.n);
            else if (bytes == 1) detail::move_tiled(across, inner, reinterpret_cast<const std::uint8_t*>(s), reinterpret_cast<std::uint8_t*>(d));
            else if (bytes == 4) detail::move_tiled(across, inner, reinterpret_cast<const std::uint32_t*>(s), reinterpret_cast<std::uint32_t*>(d));
            else detail::move_tiled(across, inner, reinterpret_cast<const std::uint64_t*>(s), reinterpret_cast<std::uint64_t*>(d));
        }
    });
}
}  // namespace df::inline DF_ABI::core
#endif
