// Numbers the bytes of an arena: buffers that live at the same time do not overlap.
#pragma once
#include <cstdint>
#include <vector>

#include <df/core/config.hpp>

namespace df::inline DF_ABI::plan {
/// A buffer of the arena, alive from step `first` to step `last`.
struct buffer {
    std::int64_t bytes = 0;
    int first = 0, last = 0;
    std::int64_t offset = 0;
};
/// Sets every offset (multiples of 64); returns the bytes of the arena.
std::int64_t place_buffers(std::vector<buffer*> buffers);
}  // namespace df::inline DF_ABI::plan

#if DF_IMPL
#include <algorithm>

#include <df/core/memory.hpp>

namespace df::inline DF_ABI::plan {
DF_FN std::int64_t place_buffers(std::vector<buffer*> buffers) {
    const auto align = static_cast<std::int64_t>(core::alignment);
    std::stable_sort(buffers.begin(), buffers.end(), [](auto* a, auto* b) { return a->bytes > b->bytes; });
    std::int64_t peak = 0;
    std::vector<buffer*> placed;   // by offset
    for (auto* b : buffers) {
        const auto size = (b->bytes + align - 1) / align * align;
        std::int64_t at = 0, best = -1, best_gap = INT64_MAX;   // the tightest gap between buffers alive with this one
        for (auto* p : placed) {
            if (p->last < b->first || p->first > b->last) continue;
            if (const auto gap = p->offset - at; gap >= size && gap < best_gap) best = at, best_gap = gap;
            at = std::max(at, p->offset + (p->bytes + align - 1) / align * align);
        }
        b->offset = best >= 0 ? best : at;
        peak = std::max(peak, b->offset + size);
        placed.insert(std::upper_bound(placed.begin(), placed.end(), b, [](auto* x, auto* y) { return x->offset < y->offset; }), b);
    }
    return peak;
}
}  // namespace df::inline DF_ABI::plan
#endif
