// Sums and extremes of float and double at the speed of memory. Where partial results begin and end depends on the sizes
// alone, so results do not depend on the number of threads; sums of floats continue in double from block to block.
#pragma once
#include <df/ops/reduce.hpp>

namespace df::inline DF_ABI::backends {
/// Null where nothing lies side by side or the type has no packets: the record's own kernel serves.
ir::kernel_ptr reduce_kernel(const ir::site& s);
}  // namespace df::inline DF_ABI::backends

#if DF_IMPL
#include <algorithm>
#include <limits>

#include <Eigen/Core>

#include <df/core/parallel.hpp>

namespace df::inline DF_ABI::backends {
namespace detail {
struct sum_step {
    template <class T> using total = double;
    template <class T> static constexpr T first = 0;
    template <class X> static X run(X a, X b) { return a + b; }
    template <class P> static P packets(const P& a, const P& b) { return Eigen::internal::padd(a, b); }
};
struct max_step {
    template <class T> using total = T;
    template <class T> static constexpr T first = -std::numeric_limits<T>::infinity();
    template <class X> static X run(X a, X b) { return ops::fn::maximum{}(a, b); }
    template <class P> static P packets(const P& a, const P& b) { return Eigen::internal::pmax<Eigen::PropagateNaN>(a, b); }
};
struct min_step {
    template <class T> using total = T;
    template <class T> static constexpr T first = std::numeric_limits<T>::infinity();
    template <class X> static X run(X a, X b) { return ops::fn::minimum{}(a, b); }
    template <class P> static P packets(const P& a, const P& b) { return Eigen::internal::pmin<Eigen::PropagateNaN>(a, b); }
};

struct reduce_loop {
    std::int64_t n = 1, in = 0, out = 0;
};
using reduce_loops = std::vector<reduce_loop>;
inline reduce_loops merged(const shape& n, const shape& in, const shape& out) {
    reduce_loops r;
    for (int i = 0; i < n.n; ++i) {
        const reduce_loop l{n.d[i], in.d[i], out.n ? out.d[i] : 0};
        if (l.n == 1) continue;
        if (!r.empty() && r.back().in == l.in * l.n && r.back().out == l.out * l.n) r.back() = {r.back().n * l.n, l.in, l.out};
        else r.push_back(l);
    }
    return r;
}
inline std::int64_t count(const reduce_loops& list) {
    std::int64_t n = 1;
    for (auto& l : list) n *= l.n;
    return n;
}
// The offsets of element i of nested loops.
inline reduce_loop offsets(const reduce_loops& list, std::int64_t i) {
    reduce_loop at;
    for (auto l = list.rbegin(); l != list.rend(); ++l) {
        at.in += i % l->n * l->in, at.out += i % l->n * l->out;
        i /= l->n;
    }
    return at;
}

template <class T, class Step> struct reduction final : ir::kernel {
    using total = typename Step::template total<T>;
    using packet = typename Eigen::internal::packet_traits<T>::type;
    static constexpr std::int64_t width = Eigen::internal::unpacket_traits<packet>::size, block = 512, tall = 64;

    reduce_loops kept, gone;
    bool columns = false;        // side by side lie results, in `row`; else what is reduced
    reduce_loop row;             // the loop over what lies side by side, taken from kept or gone
    std::int64_t results = 1, steps = 1, parts = 1;   // without `row`

    static total span(total a, const T* x, std::int64_t n) {
        using namespace Eigen::internal;
        std::int64_t i = 0;
        while (n - i >= 4 * width) {
            packet p[4];
            for (int k = 0; k < 4; ++k) p[k] = ploadu<packet>(x + i + k * width);
            const auto end = i + std::min(block, (n - i) / (4 * width) * (4 * width));
            for (i += 4 * width; i < end; i += 4 * width)
                for (int k = 0; k < 4; ++k) p[k] = Step::packets(p[k], ploadu<packet>(x + i + k * width));
            alignas(64) T lanes[width];
            pstore(lanes, Step::packets(Step::packets(p[0], p[1]), Step::packets(p[2], p[3])));
            for (auto v : lanes) a = Step::run(a, static_cast<total>(v));
        }
        for (; i < n; ++i) a = Step::run(a, static_cast<total>(x[i]));
        return a;
    }
    // One result from steps [begin, end).
    total reduced(const T* x, std::int64_t begin, std::int64_t end) const {
        auto a = Step::template first<total>;
        for (auto g = begin; g < end; ++g) a = span(a, x + offsets(gone, g).in, row.n);
        return a;
    }
    // n neighbouring results, joined to what `to` holds.
    void reduced(const T* x, std::int64_t begin, std::int64_t end, std::int64_t n, total* to) const {
        T some[block];
        for (auto g = begin; g < end; g += tall) {
            const auto stop = std::min(end, g + tall);
            std::copy_n(x + offsets(gone, g).in, n, some);
            for (auto h = g + 1; h < stop; ++h) {
                const T* y = x + offsets(gone, h).in;
                for (std::int64_t i = 0; i < n; ++i) some[i] = Step::run(some[i], y[i]);
            }
            for (std::int64_t i = 0; i < n; ++i) to[i] = Step::run(to[i], static_cast<total>(some[i]));
        }
    }
    void whole(void* const* io, std::int64_t b, std::int64_t e) const {
        const T* in = static_cast<const T*>(io[0]);
        T* out = static_cast<T*>(io[1]);
        if (!columns) {
            for (auto r = b; r < e; ++r) {
                const auto at = offsets(kept, r);
                out[at.out] = static_cast<T>(reduced(in + at.in, 0, steps));
            }
            return;
        }
        const auto blocks = (row.n + block - 1) / block;
        for (auto r = b; r < e; ++r) {
            const auto at = offsets(kept, r / blocks);
            const auto c = r % blocks * block, n = std::min(block, row.n - c);
            total sums[block];
            std::fill_n(sums, n, Step::template first<total>);
            reduced(in + at.in + c, 0, steps, n, sums);
            for (std::int64_t i = 0; i < n; ++i) out[at.out + (c + i) * row.out] = static_cast<T>(sums[i]);
        }
    }
    // Few results of much: fixed parts of the steps side by side, then joined in order.
    void in_parts(void* const* io, total* partial) const {
        const T* in = static_cast<const T*>(io[0]);
        T* out = static_cast<T*>(io[1]);
        const auto n = columns ? row.n : 1;
        core::parallel_for(parts, 1, [&](std::int64_t b, std::int64_t e) {
            for (auto p = b; p < e; ++p) {
                const auto begin = steps * p / parts, end = steps * (p + 1) / parts;
                if (!columns) {
                    partial[p] = reduced(in, begin, end);
                    continue;
                }
                std::fill_n(partial + p * n, n, Step::template first<total>);
                for (std::int64_t c = 0; c < n; c += block) reduced(in + c, begin, end, std::min(block, n - c), partial + p * n + c);
            }
        });
        for (std::int64_t i = 0; i < n; ++i) {
            auto a = partial[i];
            for (std::int64_t p = 1; p < parts; ++p) a = Step::run(a, partial[p * n + i]);
            out[i * row.out] = static_cast<T>(a);
        }
    }
    void run(void* const* io, std::byte* bytes) const override {
        if (parts > 1) return in_parts(io, reinterpret_cast<total*>(bytes));
        const auto units = columns ? results * ((row.n + block - 1) / block) : results;
        const auto cost = steps * (columns ? std::min(block, row.n) : row.n) + 8;
        core::parallel_for(units, std::max<std::int64_t>(1, (1 << 16) / cost), [&](std::int64_t b, std::int64_t e) { whole(io, b, e); });
    }
};

// Takes the loop whose elements lie side by side.
inline bool take_row(reduce_loops& list, reduce_loop& row) {
    for (auto i = list.begin(); i != list.end(); ++i)
        if (i->in == 1) {
            row = *i;
            list.erase(i);
            return true;
        }
    return false;
}
template <class T, class Step> ir::kernel_ptr make_reduction(const ir::site& s) {
    const ops::reduction_walk w(s);
    auto k = std::make_unique<reduction<T, Step>>();
    k->kept = merged(w.kept, w.kept_in, w.kept_out);
    k->gone = merged(w.gone, w.gone_in, {});
    if (!take_row(k->gone, k->row) && !(k->columns = take_row(k->kept, k->row))) return nullptr;
    k->results = count(k->kept), k->steps = count(k->gone);
    constexpr std::int64_t large = 1 << 16;
    if (k->results == 1 && !k->columns && k->row.n >= 2 * large) {   // one long row: cut it, the rest of its end apart
        auto pieces = k->row.n / 4096;
        while (k->row.n % pieces) --pieces;
        k->gone.push_back({pieces, k->row.n / pieces, 0});
        k->row.n /= pieces, k->steps *= pieces;
    }
    if (k->results == 1 && (!k->columns || k->row.n <= 4096)) k->parts = std::clamp<std::int64_t>(k->steps * k->row.n / large, 1, std::min<std::int64_t>(32, std::max<std::int64_t>(k->steps, 1)));
    if (k->parts > 1) k->workspace = static_cast<std::size_t>(k->parts * (k->columns ? k->row.n : 1)) * sizeof(double);
    return k;
}
template <class T> ir::kernel_ptr reduction_of(const ir::site& s) {
    if (&s.op == &op::sum) return make_reduction<T, sum_step>(s);
    if (&s.op == &op::max) return make_reduction<T, max_step>(s);
    if (&s.op == &op::min) return make_reduction<T, min_step>(s);
    return nullptr;
}
}  // namespace detail

DF_FN ir::kernel_ptr reduce_kernel(const ir::site& s) {
    if (&s.op != &op::sum && &s.op != &op::max && &s.op != &op::min) return nullptr;
    if (s.in[0].element == dtype::float32) return detail::reduction_of<float>(s);
    if (s.in[0].element == dtype::float64) return detail::reduction_of<double>(s);
    return nullptr;
}
}  // namespace df::inline DF_ABI::backends
#endif
