// Running elementwise records: one small loop per functor and type over contiguous spans, and one driver for all of them
// that walks strides, broadcasts and storage types.
#pragma once
#include <cstdint>

#include <df/ir/op_def.hpp>

namespace df::inline DF_ABI::ops {

/// out[i] = f(in[0][i], …) for n contiguous elements; `out` may be one of the operands.
using span_fn = void (*)(const void* const* in, void* out, std::int64_t n);

/// The loops of a functor, by compute type; null where the type is outside its domain.
struct span_table {
    span_fn f[6] = {};
    bool predicate = false;   // the result is bool
    bool choice = false;      // the first operand is bool
    span_fn operator[](dtype t) const { return f[static_cast<int>(t)]; }
};

/// A kernel for any strides that calls `f` on spans; operands and result are converted to and from `compute`.
ir::kernel_ptr elementwise_kernel(const ir::site& s, span_fn f, dtype compute);
/// The type an elementwise record computes in, at a site.
dtype compute_at(const ir::site& s);

inline const span_table& table_of(const ir::op_def& op) { return *static_cast<const span_table*>(op.functor); }

}  // namespace df::inline DF_ABI::ops

#if DF_IMPL
#include <algorithm>
#include <array>

#include <df/core/convert.hpp>
#include <df/core/parallel.hpp>

namespace df::inline DF_ABI::ops {
namespace detail {

// The elements of one operand (or of the result) in the collapsed loops of a kernel.
struct lane_walk {
    std::array<std::int64_t, max_rank> strides{};
    dtype element{};       // as stored
    dtype wanted{};        // as computed
    bool flat = false;     // contiguous over all loops
    bool single = false;   // one element, repeated
};

struct elementwise final : ir::kernel {
    static constexpr std::int64_t tile = 512;
    span_fn f = nullptr;
    place where;
    const char* name = "";
    int operands = 0;
    int rank = 0;
    std::array<std::int64_t, max_rank> dims{};
    std::int64_t total = 1;
    lane_walk walk[4];   // operands, then the result
    bool rows = false;   // a span ends where a row of the innermost loop does

    lane_walk& result() { return walk[operands]; }
    const lane_walk& result() const { return walk[operands]; }

    std::int64_t offset(const lane_walk& w, std::int64_t i) const {
        std::int64_t o = 0;
        for (int k = rank - 1; k >= 0; --k) {
            o += i % dims[static_cast<std::size_t>(k)] * w.strides[static_cast<std::size_t>(k)];
            i /= dims[static_cast<std::size_t>(k)];
        }
        return o;
    }
    // Calls g(element offset, stride, position, count) for the pieces of elements [b, e) that lie in one row.
    template <class G> void pieces(const lane_walk& w, std::int64_t b, std::int64_t e, G g) const {
        const auto last = static_cast<std::size_t>(rank - 1);
        for (std::int64_t i = b; i < e;) {
            const std::int64_t n = std::min(e - i, dims[last] - i % dims[last]);
            g(offset(w, i), w.strides[last], i - b, n);
            i += n;
        }
    }
    // Elements [begin, end): operands that do not lie as f wants them are brought to a buffer, tile by tile.
    void range(void* const* io, std::int64_t begin, std::int64_t end) const {
        const void* in[3];
        alignas(64) std::byte buffer[4][tile * 8];
        const auto at = [&](int k, std::int64_t o) {
            return static_cast<std::byte*>(io[k]) + o * static_cast<std::int64_t>(size_of(walk[k].element));
        };
        for (int k = 0; k < operands; ++k)
            if (walk[k].single) {
                core::convert_span(walk[k].element, io[k], 0, walk[k].wanted, buffer[k], 1, std::min(tile, end - begin));
                in[k] = buffer[k];
            }
        const auto last = static_cast<std::size_t>(rank - 1);
        const auto& r = result();
        for (std::int64_t i = begin; i < end;) {
            std::int64_t n = std::min(tile, end - i);
            if (rows) n = std::min(n, dims[last] - i % dims[last]);
            for (int k = 0; k < operands; ++k) {
                const auto& w = walk[k];
                if (w.single) continue;
                if (w.element == w.wanted && (w.flat || (rows && w.strides[last] == 1))) {
                    in[k] = at(k, w.flat ? i : offset(w, i));
                    continue;
                }
                pieces(w, i, i + n, [&](std::int64_t o, std::int64_t step, std::int64_t p, std::int64_t count) {
                    core::convert_span(w.element, at(k, o), step, w.wanted, buffer[k] + p * static_cast<std::int64_t>(size_of(w.wanted)), 1, count);
                });
                in[k] = buffer[k];
            }
            if (r.element == r.wanted && (r.flat || (rows && r.strides[last] == 1))) {
                f(in, at(operands, r.flat ? i : offset(r, i)), n);
            } else {
                f(in, buffer[3], n);
                pieces(r, i, i + n, [&](std::int64_t o, std::int64_t step, std::int64_t p, std::int64_t count) {
                    core::convert_span(r.wanted, buffer[3] + p * static_cast<std::int64_t>(size_of(r.wanted)), 1, r.element, at(operands, o), step, count);
                });
            }
            i += n;
        }
    }
    void run(void* const* io, std::byte*) const override {
        try {
            core::parallel_for(total, 1 << 15, [&](std::int64_t b, std::int64_t e) { range(io, b, e); });
        } catch (const error& e) {
            throw check_error(std::string(name) + ": " + e.what(), where);
        }
    }
};

// Operand layouts as they broadcast against the result: missing and size-1 axes get stride 0.
inline std::array<std::int64_t, max_rank> broadcast_strides(const core::layout& l, const shape& to, int lanes) {
    std::array<std::int64_t, max_rank> r{};
    const int shift = to.n - l.rank();
    for (int i = 0; i < to.n; ++i) {
        const int k = i < lanes ? i : i - shift;   // lanes are aligned from the front, own axes from the back
        if (k < 0 || (i >= lanes && k < lanes) || (l.dims.d[k] == 1 && to.d[i] != 1)) continue;
        r[static_cast<std::size_t>(i)] = l.strides.d[k];
    }
    return r;
}
}  // namespace detail

DF_FN dtype compute_at(const ir::site& s) { return compute_type(s.in.empty() ? s.out[0].element : s.in.back().element); }

DF_FN ir::kernel_ptr elementwise_kernel(const ir::site& s, span_fn f, dtype compute) {
    auto made = std::make_unique<detail::elementwise>();
    auto& k = *made;
    const auto& table = table_of(s.op);
    k.f = f;
    k.where = s.where;
    k.name = s.op.name;
    k.operands = static_cast<int>(s.in.size());
    const auto& to = s.out[0].dims;
    k.total = to.elements();
    std::array<std::int64_t, max_rank> full[4];
    for (int i = 0; i <= k.operands; ++i) {
        const auto& l = i < k.operands ? s.in[static_cast<std::size_t>(i)] : s.out[0];
        full[i] = detail::broadcast_strides(l, to, s.lanes);
        k.walk[i].element = l.element;
        const bool boolean = i == k.operands ? table.predicate : table.choice && i == 0;
        k.walk[i].wanted = boolean ? dtype::boolean : compute;
    }
    // Collapse neighbouring axes that every walk crosses evenly, and drop axes of size 1.
    for (int a = 0; a < to.n; ++a) {
        if (to.d[a] == 1) continue;
        const auto x = static_cast<std::size_t>(a);
        const auto r = static_cast<std::size_t>(k.rank);
        bool joins = k.rank > 0;
        for (int i = 0; joins && i <= k.operands; ++i) joins = k.walk[i].strides[r - 1] == full[i][x] * to.d[a];
        for (int i = 0; i <= k.operands; ++i) k.walk[i].strides[joins ? r - 1 : r] = full[i][x];
        if (joins) k.dims[r - 1] *= to.d[a];
        else {
            k.dims[r] = to.d[a];
            ++k.rank;
        }
    }
    if (k.rank == 0) {
        k.rank = 1;
        k.dims[0] = 1;
        for (int i = 0; i <= k.operands; ++i) k.walk[i].strides[0] = 1;
    }
    k.rows = k.rank == 1 || k.dims[static_cast<std::size_t>(k.rank - 1)] >= 32;
    for (int i = 0; i <= k.operands; ++i) {
        auto& w = k.walk[i];
        bool zero = true, flat = true;
        std::int64_t n = 1;
        for (int a = k.rank - 1; a >= 0; --a) {
            const auto x = static_cast<std::size_t>(a);
            zero &= w.strides[x] == 0;
            flat &= w.strides[x] == n;
            n *= k.dims[x];
        }
        w.flat = flat;
        w.single = i < k.operands && (zero || k.total == 1);
    }
    return made;
}
}  // namespace df::inline DF_ABI::ops
#endif
