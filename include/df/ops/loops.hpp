// Walking several strided arrays together: what every naive kernel is made of.
#pragma once
#include <array>

#include <df/core/array.hpp>
#include <df/ir/op_def.hpp>

namespace df::inline DF_ABI::ops {

/// Calls f(offset of stream 0, …) for every index of `dims`, row-major; offsets in elements.
template <std::size_t N, class F> void each(const shape& dims, const std::array<shape, N>& strides, F f) {
    if (dims.elements() == 0) return;
    std::array<std::int64_t, N> at{};
    shape i;
    i.n = dims.n;
    for (;;) {
        std::apply(f, at);
        int k = dims.n - 1;
        for (; k >= 0; --k) {
            for (std::size_t s = 0; s < N; ++s) at[s] += strides[s].d[k];
            if (++i.d[k] < dims.d[k]) break;
            for (std::size_t s = 0; s < N; ++s) at[s] -= strides[s].d[k] * dims.d[k];
            i.d[k] = 0;
        }
        if (k < 0) return;
    }
}

/// Drops axes of size 1 and joins neighbours that every stream crosses evenly; the order of the elements stays.
template <std::size_t N> void collapse(shape& dims, std::array<shape, N>& strides) {
    int n = 0;
    for (int i = 0; i < dims.n; ++i) {
        if (dims.d[i] == 1) continue;
        bool joins = n > 0;
        for (auto& s : strides) joins = joins && s.d[n - 1] == s.d[i] * dims.d[i];
        if (joins) dims.d[n - 1] *= dims.d[i];
        else dims.d[n++] = dims.d[i];
        for (auto& s : strides) s.d[n - 1] = s.d[i];
    }
    dims.n = n;
    for (auto& s : strides) s.n = n;
}

/// A kernel that is a callable (io) -> void.
template <class F> struct lambda_kernel final : ir::kernel {
    F f;
    explicit lambda_kernel(F g) : f(std::move(g)) {}
    void run(void* const* io, std::byte*) const override { f(io); }
};
template <class F> ir::kernel_ptr make_kernel(F f) { return std::make_unique<lambda_kernel<F>>(std::move(f)); }

/// The parts of a layout along the axes for which keep(axis) holds.
template <class P> core::layout part(const core::layout& l, P keep) {
    core::layout r;
    r.element = l.element;
    for (int i = 0; i < l.rank(); ++i)
        if (keep(i)) {
            r.dims.push_back(l.dims.d[i]);
            r.strides.push_back(l.strides.d[i]);
        }
    return r;
}

inline bool contains(const std::vector<std::int64_t>& list, std::int64_t x) {
    for (auto y : list) if (y == x) return true;
    return false;
}

}  // namespace df::inline DF_ABI::ops
