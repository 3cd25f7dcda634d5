// Convolutions as products: the kernel as a matrix times the patches of the input, which are laid out tile by tile.
#pragma once
#include <df/ops/conv.hpp>

namespace df::inline DF_ABI::backends {
/// Null when the site is not of float or double.
ir::kernel_ptr conv_kernel(const ir::site& s);
}  // namespace df::inline DF_ABI::backends

#if DF_IMPL
#include <algorithm>
#include <numeric>
#include <optional>
#include <thread>

#include <df/backends/eigen/gemm.hpp>
#include <df/core/parallel.hpp>

namespace df::inline DF_ABI::backends {
namespace detail {
// A label with its stride in the input, the kernel and the result (0: it is not there).
using conv_loop = ops::contraction::loop;

/// The columns or the rows of the matrix of patches: labels, then positions along three spatial axes.
struct patch_side {
    std::vector<conv_loop> loops;
    std::int64_t n[3] = {1, 1, 1};      // positions
    std::int64_t step[3] = {};          // between them, in places of the padded and spread input
    std::int64_t from[3] = {};          // of the first one
    std::int64_t y[3] = {};             // stride in the result
    std::int64_t count = 1;
};
/// Neighbours along the last spatial axis.
struct patch_run {
    std::int64_t x = 0, y = 0;          // offsets by the labels in the input; by everything in the result
    std::int64_t at[3] = {};            // place in the padded and spread input
    std::int64_t count = 0;
};
/// The runs that hold elements begin … end-1 of a side; returns how many.
inline std::int64_t list_runs(const patch_side& s, std::int64_t begin, std::int64_t end, patch_run* to) {
    std::int64_t runs = 0;
    for (auto i = begin; i < end; ++runs) {
        patch_run r;
        auto rest = i;
        for (int a = 2; a >= 0; --a) {
            const auto p = rest % s.n[a];
            rest /= s.n[a];
            r.at[a] = s.from[a] + p * s.step[a];
            r.y += p * s.y[a];
            if (a == 2) r.count = std::min(s.n[a] - p, end - i);
        }
        for (auto l = s.loops.rbegin(); l != s.loops.rend(); ++l) {
            r.x += rest % l->n * l->a;
            r.y += rest % l->n * l->out;
            rest /= l->n;
        }
        to[runs] = r;
        i += r.count;
    }
    return runs;
}

/// to[i] is the input at place `at + i·step` of the padded and spread axis: 0 in padding and between elements.
template <class T> void copy_places(const T* x, const ops::convolution::axis& a, std::int64_t at, std::int64_t step, T* to, std::int64_t n) {
    if (a.base == 1) {
        const auto first = std::min(n, at >= 0 ? 0 : (-at + step - 1) / step);
        const auto last = std::max(first, std::min(n, at >= a.in ? 0 : (a.in - 1 - at) / step + 1));
        std::fill(to, to + first, T(0));
        core::move_span(sizeof(T), x + (at + first * step) * a.x, step * a.x, to + first, 1, last - first);
        std::fill(to + last, to + n, T(0));
        return;
    }
    std::fill(to, to + n, T(0));
    const auto period = a.base / std::gcd(a.base, step);
    std::int64_t i = 0;
    while (i < period && (at + i * step) % a.base != 0) ++i;
    if (i == period) return;
    for (auto p = (at + i * step) / a.base; i < n; i += period, p += period * step / a.base)
        if (p >= 0 && p < a.in) to[i] = x[p * a.x];
}

/// The stride of loops (size, stride) that are one loop, if they are.
inline std::optional<std::int64_t> one_stride(const std::vector<std::pair<std::int64_t, std::int64_t>>& loops) {
    std::int64_t n = 1, stride = 0;
    for (auto l = loops.rbegin(); l != loops.rend(); ++l) {
        if (l->first == 1) continue;
        if (n == 1) stride = l->second;
        else if (l->second != stride * n) return {};
        n *= l->first;
    }
    return stride;
}

template <class T> struct conv_product final : ir::kernel {
    ops::convolution::axis space[3];
    std::vector<conv_loop> batch, rows;     // labels of all three; labels of kernel and result
    patch_side columns, depth;
    std::int64_t batches = 1, row_count = 1, column_tile = 0, depth_tile = 0, tiles = 0, slots = 1;
    std::int64_t kernel_row = 0, kernel_col = 0;
    bool pack = false;                      // the kernel is no matrix as it lies: it is copied first
    core::layout kernel_from, kernel_to;
    std::size_t packed_bytes = 0, slot_bytes = 0;

    explicit conv_product(const ir::site& s) {
        const ops::convolution c(s);
        for (std::size_t i = 0; i < 3; ++i) space[i] = i + c.space.size() < 3 ? ops::convolution::axis{1, 1, 1, 0, 0, 0, 1, 1, 1, 0} : c.space[i + c.space.size() - 3];
        for (auto& l : c.lead.loops) {
            const bool x = l.in_a && l.a, k = l.in_b && l.b;   // a repeated operand is as good as one without the label
            if (!l.in_out) depth.loops.push_back(l), depth.count *= l.n;
            else if (x == k) batch.push_back(l), batches *= l.n;
            else if (x) columns.loops.push_back(l), columns.count *= l.n;
            else rows.push_back(l), row_count *= l.n;
        }
        for (int i = 0; i < 3; ++i) {
            const auto& a = space[i];
            columns.n[i] = a.out, columns.step[i] = a.stride, columns.from[i] = -a.low, columns.y[i] = a.y;
            depth.n[i] = a.kernel, depth.step[i] = a.dilation;
            columns.count *= a.out, depth.count *= a.kernel;
        }
        place_kernel(s.in[1].element);
        choose_tiles();
    }
    void place_kernel(dtype element) {
        std::vector<std::pair<std::int64_t, std::int64_t>> r, d;
        for (auto& l : rows) r.emplace_back(l.n, l.b);
        for (auto& l : depth.loops) d.emplace_back(l.n, l.b);
        for (auto& a : space) d.emplace_back(a.kernel, a.k);
        const auto row = one_stride(r), col = one_stride(d);
        pack = !row || !col;
        kernel_row = pack ? depth.count : *row;
        kernel_col = pack ? 1 : *col;
        if (!pack) return;
        for (auto& l : batch) kernel_from.dims.push_back(l.n), kernel_from.strides.push_back(l.b);
        for (auto* part : {&r, &d}) for (auto& [n, stride] : *part) kernel_from.dims.push_back(n), kernel_from.strides.push_back(stride);
        kernel_from.element = element;
        kernel_to = core::layout(element, kernel_from.dims);
        std::int64_t n = row_count * depth.count;
        for (auto l = batch.rbegin(); l != batch.rend(); ++l) l->b = n, n *= l->n;
        packed_bytes = aligned(kernel_to.bytes());
    }
    // Tiles of patches that stay in the cache. They do not depend on the number of threads, so that results do not.
    void choose_tiles() {
        constexpr std::int64_t elements = 1 << 17, deepest = 1024, narrowest = 32, enough = 8;
        const auto evenly = [](std::int64_t n, std::int64_t most) { return n == 0 ? 1 : (n + (n + most - 1) / most - 1) / ((n + most - 1) / most); };
        depth_tile = evenly(depth.count, deepest);
        auto width = std::max(narrowest, elements / std::max(depth_tile, row_count));
        if (batches < enough) width = std::min(width, std::max(narrowest, (columns.count + enough - 1) / enough));
        column_tile = evenly(columns.count, width);
        tiles = (columns.count + column_tile - 1) / column_tile;
        const auto work = static_cast<double>(batches * row_count) * static_cast<double>(columns.count) * static_cast<double>(depth.count);
        const auto cores = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
        slots = std::max<std::int64_t>(1, std::min({cores, batches * tiles, work > 1e15 ? cores : static_cast<std::int64_t>(work) >> 17}));
        slot_bytes = bytes_of_patches() + bytes_of_result() + aligned(static_cast<std::size_t>(column_tile + depth_tile) * sizeof(patch_run));
        workspace = packed_bytes + static_cast<std::size_t>(slots) * slot_bytes;
    }
    static std::size_t aligned(std::size_t bytes) { return (bytes + core::alignment - 1) / core::alignment * core::alignment; }
    std::size_t bytes_of_patches() const { return aligned(static_cast<std::size_t>(column_tile * depth_tile) * sizeof(T)); }
    std::size_t bytes_of_result() const { return aligned(static_cast<std::size_t>(column_tile * row_count) * sizeof(T)); }

    void run(void* const* io, std::byte* ws) const override {
        const T* k = static_cast<const T*>(io[1]);
        if (pack) {
            core::copy_elements(kernel_from, static_cast<const std::byte*>(io[1]), kernel_to, ws);
            k = reinterpret_cast<const T*>(ws);
        }
        core::parallel_for(slots, 1, [&](std::int64_t begin, std::int64_t end) {
            for (auto slot = begin; slot < end; ++slot)
                for (auto task = slot; task < batches * tiles; task += slots)
                    tile(task / tiles, task % tiles * column_tile, static_cast<const T*>(io[0]), k, static_cast<T*>(io[2]),
                         ws + packed_bytes + static_cast<std::size_t>(slot) * slot_bytes);
        });
    }
    void tile(std::int64_t lane, std::int64_t first, const T* x, const T* k, T* y, std::byte* ws) const {
        for (auto l = batch.rbegin(); l != batch.rend(); ++l) {
            const auto i = lane % l->n;
            lane /= l->n;
            x += i * l->a, k += i * l->b, y += i * l->out;
        }
        T* patches = reinterpret_cast<T*>(ws);
        T* result = reinterpret_cast<T*>(ws + bytes_of_patches());
        auto* across = reinterpret_cast<patch_run*>(ws + bytes_of_patches() + bytes_of_result());
        auto* down = across + column_tile;
        const auto width = std::min(column_tile, columns.count - first);
        const auto runs = list_runs(columns, first, first + width, across);
        // Rows or columns of the matrix lie side by side, whichever gives the longer runs.
        const bool by_row = columns.n[2] >= depth.n[2];
        for (std::int64_t d = 0; d == 0 || d < depth.count; d += depth_tile) {
            const auto deep = std::min(depth_tile, depth.count - d);
            const auto below = list_runs(depth, d, d + deep, down);
            if (by_row) lay_out(x, down, below, depth.step[2], across, runs, columns.step[2], patches, width);
            else lay_out(x, across, runs, columns.step[2], down, below, depth.step[2], patches, deep);
            multiply<T>({row_count, width, deep}, {k + d * kernel_col, kernel_row, kernel_col},
                        {patches, by_row ? width : 1, by_row ? 1 : deep}, {result, width, 1}, d ? store::add : store::set);
        }
        for (std::int64_t r = 0; r < row_count; ++r) {
            T* to = y;
            auto rest = r;
            for (auto l = rows.rbegin(); l != rows.rend(); ++l) to += rest % l->n * l->out, rest /= l->n;
            const T* from = result + r * width;
            for (std::int64_t i = 0; i < runs; from += across[i++].count) core::move_span(sizeof(T), from, 1, to + across[i].y, columns.y[2], across[i].count);
        }
    }
    // One line of `to` per element of the slow side's runs.
    void lay_out(const T* x, const patch_run* slow, std::int64_t slow_runs, std::int64_t slow_step, const patch_run* fast, std::int64_t fast_runs, std::int64_t fast_step,
                 T* to, std::int64_t line) const {
        const auto inside = [&](int i, std::int64_t at) -> std::int64_t {
            const auto& a = space[i];
            if (a.base == 1) return at < a.in ? at : -1;
            return at < 0 || at % a.base != 0 || at / a.base >= a.in ? -1 : at / a.base;
        };
        for (std::int64_t s = 0; s < slow_runs; ++s)
            for (std::int64_t e = 0; e < slow[s].count; ++e, to += line) {
                T* piece = to;
                for (std::int64_t f = 0; f < fast_runs; piece += fast[f++].count) {
                    const auto i = inside(0, slow[s].at[0] + fast[f].at[0]), j = inside(1, slow[s].at[1] + fast[f].at[1]);
                    if (i < 0 || j < 0) std::fill(piece, piece + fast[f].count, T(0));
                    else
                        copy_places(x + slow[s].x + fast[f].x + i * space[0].x + j * space[1].x, space[2], slow[s].at[2] + e * slow_step + fast[f].at[2], fast_step, piece,
                                    fast[f].count);
                }
            }
    }
};
}  // namespace detail

DF_FN ir::kernel_ptr conv_kernel(const ir::site& s) {
    if (s.in[0].element == dtype::float32) return std::make_unique<detail::conv_product<float>>(s);
    if (s.in[0].element == dtype::float64) return std::make_unique<detail::conv_product<double>>(s);
    return nullptr;
}
}  // namespace df::inline DF_ABI::backends
#endif
