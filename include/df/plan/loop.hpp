// A loop as a step: a sub-plan that runs once per block, with slices as views and results written into place.
#pragma once
#include <vector>

#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::plan {
using kernel_source = ir::kernel_ptr (*)(const ir::site&);

/// A kernel that copies between layouts.
struct copy_step final : ir::kernel {
    core::layout from, to;
    void run(void* const* io, std::byte*) const override { core::copy_elements(from, static_cast<const std::byte*>(io[0]), to, static_cast<std::byte*>(io[1])); }
};

/// The kernel of a loop node on fixed layouts.
ir::kernel_ptr loop_kernel(const ir::node& n, const std::vector<core::layout>& in, const std::vector<core::layout>& out, kernel_source kernels);
}  // namespace df::inline DF_ABI::plan

#if DF_IMPL
#include <algorithm>
#include <cstring>

#include <df/ir/bind.hpp>
#include <df/ir/loop.hpp>
#include <df/plan/plan.hpp>

namespace df::inline DF_ABI::plan {
namespace detail {
inline core::layout without_axis(core::layout l, int axis) {
    l.dims = l.dims.without(axis);
    l.strides = l.strides.without(axis);
    return l;
}
inline void accumulate(const core::layout& l, void* to, const void* from) {
    with_type(l.element, [&](auto z) {
        using T = decltype(z);
        for (std::int64_t i = 0, n = l.elements(); i < n; ++i) static_cast<T*>(to)[i] = static_cast<T>(static_cast<T*>(to)[i] + static_cast<const T*>(from)[i]);
    });
}
struct loop_step final : ir::kernel {
    ir::loop_form form;
    std::vector<core::layout> in, out;
    std::unique_ptr<plan> body, rest;   // whole blocks; the short last one
    std::vector<std::int64_t> state;    // workspace offsets: two buffers per carry, one per sum
    std::int64_t arena = 0;             // where the body's arena begins in the workspace

    core::layout block_of(const core::layout& l, std::int64_t axis, std::int64_t n) const {
        auto r = l;
        if (!form.blocked) return without_axis(l, static_cast<int>(axis));
        r.dims.d[axis] = n;
        return r;
    }
    std::unique_ptr<plan> make(std::int64_t n, kernel_source kernels) const {
        interface_layouts f;
        const auto s = form.slices(), kept = static_cast<std::size_t>(form.carries + form.sums);
        f.in.emplace_back(dtype::int64, shape{});
        for (std::size_t k = 0; k < in.size(); ++k) f.in.push_back(k < s ? block_of(in[k], form.slice_axes[k], n) : k < s + static_cast<std::size_t>(form.carries) ? core::layout(in[k].element, in[k].dims) : in[k]);
        for (std::size_t k = 0; k < out.size(); ++k) f.out.push_back(k < kept ? core::layout(out[k].element, out[k].dims) : block_of(out[k], form.place_axes[k - kept], n));
        return std::make_unique<plan>(*ir::bind(*form.body, {{form.block_size, n}}), kernels, f);
    }
    void run(void* const* io, std::byte* ws) const override {
        const auto s = form.slices(), c = static_cast<std::size_t>(form.carries), m = static_cast<std::size_t>(form.sums);
        void* const* result = io + in.size();
        std::int64_t first = 0;
        core::list<void*> from(in.size() + 1), to(out.size());
        from[0] = &first;
        core::list<std::byte*> now(c), next(c);
        for (std::size_t k = 0; k < c; ++k) {
            now[k] = ws + state[2 * k];
            next[k] = ws + state[2 * k + 1];
            core::copy_elements(in[s + k], static_cast<const std::byte*>(io[s + k]), core::layout(in[s + k].element, in[s + k].dims), now[k]);
        }
        for (std::size_t k = 0; k < m; ++k) std::memset(result[c + k], 0, out[c + k].bytes());
        for (; first < form.count; first += form.block) {
            const bool whole = first + form.block <= form.count;
            for (std::size_t k = 0; k < in.size(); ++k) {
                from[k + 1] = io[k];
                if (k < s) from[k + 1] = static_cast<std::byte*>(io[k]) + first * in[k].strides.d[form.slice_axes[k]] * static_cast<std::int64_t>(size_of(in[k].element));
                else if (k < s + c) from[k + 1] = now[k - s];
            }
            for (std::size_t k = 0; k < out.size(); ++k) {
                if (k < c) to[k] = next[k];
                else if (k < c + m) to[k] = ws + state[2 * c + (k - c)];
                else to[k] = static_cast<std::byte*>(result[k]) + first * out[k].strides.d[form.place_axes[k - c - m]] * static_cast<std::int64_t>(size_of(out[k].element));
            }
            (whole ? body : rest)->run(from.data(), to.data(), ws + arena);
            std::swap(now, next);
            for (std::size_t k = 0; k < m; ++k) accumulate(out[c + k], result[c + k], ws + state[2 * c + k]);
        }
        for (std::size_t k = 0; k < c; ++k) core::copy_elements(core::layout(out[k].element, out[k].dims), now[k], out[k], static_cast<std::byte*>(result[k]));
    }
};
}  // namespace detail

DF_FN ir::kernel_ptr loop_kernel(const ir::node& n, const std::vector<core::layout>& in, const std::vector<core::layout>& out, kernel_source kernels) {
    auto k = std::make_unique<detail::loop_step>();
    k->form = ir::loop_form(n.at);
    k->in = in;
    k->out = out;
    auto& f = k->form;
    if (f.block > f.count) f.block = std::max<std::int64_t>(f.count, 1);
    std::int64_t peak = 0;
    if (f.count >= f.block) k->body = k->make(f.block, kernels), peak = k->body->peak();
    if (f.count % f.block) k->rest = k->make(f.count % f.block, kernels), peak = std::max(peak, k->rest->peak());
    std::int64_t at = 0;
    const auto reserve = [&](const core::layout& l) {
        k->state.push_back(at);
        at += (static_cast<std::int64_t>(l.bytes()) + 63) / 64 * 64;
    };
    for (std::int64_t c = 0; c < f.carries; ++c) reserve(out[static_cast<std::size_t>(c)]), reserve(out[static_cast<std::size_t>(c)]);
    for (std::int64_t m = 0; m < f.sums; ++m) reserve(out[static_cast<std::size_t>(f.carries + m)]);
    k->arena = at;
    k->workspace = static_cast<std::size_t>(at + peak);
    return k;
}
}  // namespace df::inline DF_ABI::plan
#endif
