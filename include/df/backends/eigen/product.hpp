// Contractions as matrix products: the labels of a contraction merge into rows, columns and depth of one product, and what
// does not merge is a loop around it.
#pragma once
#include <df/ops/contract.hpp>

namespace df::inline DF_ABI::backends {
/// Null for the types that have no packets: the record's own kernel serves them.
ir::kernel_ptr product_kernel(const ir::site& s);
}  // namespace df::inline DF_ABI::backends

#if DF_IMPL
#include <algorithm>
#include <array>
#include <cstdlib>

#include <df/backends/eigen/gemm.hpp>
#include <df/core/parallel.hpp>

namespace df::inline DF_ABI::backends {
namespace detail {
using product_loop = ops::contraction::loop;
using product_loops = std::vector<product_loop>;

// Joins loops that run on where another ends, in all three operands.
inline product_loops merged(product_loops list) {
    std::erase_if(list, [](auto& l) { return l.n == 1; });
    const auto reach = [](const product_loop& l) { return std::array{std::abs(l.out), std::abs(l.a), std::abs(l.b)}; };
    std::stable_sort(list.begin(), list.end(), [&](auto& x, auto& y) { return reach(x) > reach(y); });
    product_loops r;
    for (auto& l : list) {
        if (!r.empty() && r.back().a == l.a * l.n && r.back().b == l.b * l.n && r.back().out == l.out * l.n) {
            r.back().a = l.a, r.back().b = l.b, r.back().out = l.out;
            r.back().n *= l.n;
        } else {
            r.push_back(l);
        }
    }
    return r;
}
// Takes the loop that serves a matrix product best: the one whose result elements lie side by side, else the longest.
inline product_loop take(product_loops& list, bool side_by_side) {
    auto best = list.end();
    for (auto i = list.begin(); i != list.end(); ++i)
        if (best == list.end() || (side_by_side && i->out == 1 && i->n >= 4) || (i->n > best->n && !(side_by_side && best->out == 1 && best->n >= 4))) best = i;
    product_loop r;
    if (best == list.end()) return r;
    r = *best;
    list.erase(best);
    return r;
}

template <class T> struct product final : ir::kernel {
    product_loop row, col, depth;
    product_loops outer, inner;     // around one product: over the result, and over what is summed
    std::int64_t products = 1, sums = 1;
    std::int64_t row_step = 1, col_step = 1, row_parts = 1, col_parts = 1;   // one product in pieces
    std::int64_t grain = 1;
    bool past_caches = false;

    explicit product(const ir::site& s) {
        product_loops rows, cols;
        for (auto l : ops::contraction(s).loops) {
            const bool a = l.in_a && (l.a || !l.in_out), b = l.in_b && (l.b || !l.in_out);   // a repeated operand is as good as one without the label
            if (!l.in_out) inner.push_back(l);
            else if (a == b) outer.push_back(l);
            else (a ? rows : cols).push_back(l);
        }
        rows = merged(std::move(rows)), cols = merged(std::move(cols)), outer = merged(std::move(outer)), inner = merged(std::move(inner));
        row = take(rows, true), col = take(cols, true), depth = take(inner, false);
        outer.insert(outer.end(), rows.begin(), rows.end());
        outer.insert(outer.end(), cols.begin(), cols.end());
        for (auto& l : outer) products *= l.n;
        for (auto& l : inner) sums *= l.n;
        // Pieces depend on the sizes alone, so results do not depend on the number of threads.
        constexpr std::int64_t piece = 1 << 19;
        const auto work = row.n * col.n * (depth.n * sums + 4);
        const auto parts = std::clamp<std::int64_t>(work / piece, 1, 64);
        const auto split = [&](std::int64_t n, std::int64_t tile, std::int64_t& step, std::int64_t& count) {
            const auto tiles = (n + tile - 1) / tile;
            step = (tiles + parts - 1) / parts * tile;
            count = std::max<std::int64_t>(1, (n + step - 1) / step);
        };
        row_step = std::max<std::int64_t>(row.n, 1), col_step = std::max<std::int64_t>(col.n, 1);
        if (parts > 1 && row.n / tile<T>::rows > col.n / tile<T>::cols) split(row.n, tile<T>::rows, row_step, row_parts);
        else if (parts > 1) split(col.n, tile<T>::cols, col_step, col_parts);
        grain = std::max<std::int64_t>(1, piece * row_parts * col_parts / std::max<std::int64_t>(work, 1));
        past_caches = sums == 1 && depth.n <= 64 && s.out[0].bytes() > (std::size_t{4} << 20);
    }
    void run(void* const* io, std::byte*) const override {
        if (row.n == 0 || col.n == 0 || products == 0) return;
        core::parallel_for(products * row_parts * col_parts, grain, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = begin; i < end; ++i) one(io, i / (row_parts * col_parts), i / col_parts % row_parts, i % col_parts);
            if (past_caches) end_of_stream();
        });
    }
    void one(void* const* io, std::int64_t which, std::int64_t i, std::int64_t j) const {
        const T *a = static_cast<const T*>(io[0]), *b = static_cast<const T*>(io[1]);
        T* c = static_cast<T*>(io[2]);
        for (auto l = outer.rbegin(); l != outer.rend(); ++l) {
            const auto k = which % l->n;
            which /= l->n;
            a += k * l->a, b += k * l->b, c += k * l->out;
        }
        const auto i0 = i * row_step, j0 = j * col_step;
        const product_sizes n{std::min(row_step, row.n - i0), std::min(col_step, col.n - j0), depth.n};
        const auto to = matrix_view<T>{c, row.out, col.out}.from(i0, j0);
        if (sums == 0) return multiply<T>({n.rows, n.cols, 0}, {}, {}, to, store::set);
        for (std::int64_t k = 0; k < sums; ++k) {
            const T *x = a, *y = b;
            auto rest = k;
            for (auto l = inner.rbegin(); l != inner.rend(); ++l) {
                x += rest % l->n * l->a, y += rest % l->n * l->b;
                rest /= l->n;
            }
            multiply<T>(n, {x + i0 * row.a, row.a, depth.a}, {y + j0 * col.b, depth.b, col.b}, to, k ? store::add : past_caches ? store::stream : store::set);
        }
    }
};

// out = a · b element for element, in rows of the innermost loop.
template <class T> struct pointwise_product final : ir::kernel {
    product_loop row;
    product_loops outer;
    std::int64_t rows = 1;
    void run(void* const* io, std::byte*) const override {
        core::parallel_for(rows, std::max<std::int64_t>(1, (1 << 15) / std::max<std::int64_t>(row.n, 1)), [&](std::int64_t begin, std::int64_t end) {
            for (auto i = begin; i < end; ++i) {
                const T *a = static_cast<const T*>(io[0]), *b = static_cast<const T*>(io[1]);
                T* c = static_cast<T*>(io[2]);
                auto rest = i;
                for (auto l = outer.rbegin(); l != outer.rend(); ++l) {
                    a += rest % l->n * l->a, b += rest % l->n * l->b, c += rest % l->n * l->out;
                    rest /= l->n;
                }
                if (row.a == 1 && row.b == 1 && row.out == 1) for (std::int64_t k = 0; k < row.n; ++k) c[k] = a[k] * b[k];
                else for (std::int64_t k = 0; k < row.n; ++k) c[k * row.out] = a[k * row.a] * b[k * row.b];
            }
        });
    }
};

template <class T> ir::kernel_ptr make_product(const ir::site& s) {
    auto p = std::make_unique<product<T>>(s);
    if (p->row.n != 1 || p->col.n != 1 || p->depth.n != 1 || p->outer.empty()) return p;
    auto q = std::make_unique<pointwise_product<T>>();
    q->outer = std::move(p->outer);
    q->row = q->outer.back();
    q->outer.pop_back();
    for (auto& l : q->outer) q->rows *= l.n;
    return q;
}
}  // namespace detail

DF_FN ir::kernel_ptr product_kernel(const ir::site& s) {
    if (s.out[0].element == dtype::float32) return detail::make_product<float>(s);
    if (s.out[0].element == dtype::float64) return detail::make_product<double>(s);
    return nullptr;
}
}  // namespace df::inline DF_ABI::backends
#endif
