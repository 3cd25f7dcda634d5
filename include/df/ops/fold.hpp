// Running reductions: one small loop per step and type, and one driver for all of them that walks strides.
#pragma once
#include <df/ops/loops.hpp>

#if DF_IMPL
#include <algorithm>
#include <limits>

#include <df/core/parallel.hpp>
#include <df/ops/functors.hpp>

namespace df::inline DF_ABI::ops {

/// Where a reduction's kernel finds its elements: the kept axes (with the result's strides) and the reduced ones, both in
/// the operand's order.
struct reduction_walk {
    shape kept, kept_in, kept_out, gone, gone_in;
    explicit reduction_walk(const ir::site& s) {
        const auto& axes = s.at.list("axes");
        for (int i = 0, k = 0; i < s.in[0].rank(); ++i)
            if (i >= s.lanes && contains(axes, i - s.lanes)) {
                gone.push_back(s.in[0].dims.d[i]);
                gone_in.push_back(s.in[0].strides.d[i]);
            } else {
                kept.push_back(s.in[0].dims.d[i]);
                kept_in.push_back(s.in[0].strides.d[i]);
                kept_out.push_back(s.out[0].strides.d[k++]);
            }
    }
};

/// How elements of one type are folded into accumulators of type `state`.
struct folding {
    void (*start)(void* acc, std::int64_t n) = nullptr;   // n accumulators of nothing
    // acc[i · da] = step(acc[i · da], x[i · dx]) for n elements; da is 0 or 1
    void (*fold)(const void* x, std::int64_t dx, void* acc, std::int64_t da, std::int64_t n) = nullptr;
    dtype state{};
};

namespace detail {
// A step has a functor, an accumulator for each element type, and the accumulator of nothing.
struct widened_state {   // sums of float in double: the reference should be the more exact one
    template <class X> using state = std::conditional_t<std::is_floating_point_v<X>, double, std::int64_t>;
};
struct same_state {
    template <class X> using state = X;
};
struct truth_state {
    template <class> using state = bool;
};
struct add_step : fn::add, widened_state { template <class A> static constexpr A nothing = A(0); };
struct multiply_step : fn::multiply, widened_state { template <class A> static constexpr A nothing = A(1); };
struct any_step : fn::bitwise_or, truth_state { template <class A> static constexpr A nothing = false; };
struct all_step : fn::bitwise_and, truth_state { template <class A> static constexpr A nothing = true; };
template <class A> constexpr A extreme_of(bool highest) {
    using limits = std::numeric_limits<A>;
    if constexpr (limits::has_infinity) return highest ? limits::infinity() : -limits::infinity();
    else return highest ? limits::max() : limits::lowest();
}
struct max_step : fn::maximum, same_state { template <class A> static constexpr A nothing = extreme_of<A>(false); };
struct min_step : fn::minimum, same_state { template <class A> static constexpr A nothing = extreme_of<A>(true); };

template <class Step, class X> struct folds {
    using A = typename Step::template state<X>;
    static A step(A a, X x) { return static_cast<A>(Step{}(a, static_cast<A>(x))); }
    static void start(void* acc, std::int64_t n) { std::fill_n(static_cast<A*>(acc), n, Step::template nothing<A>); }
    static void fold(const void* in, std::int64_t dx, void* acc, std::int64_t da, std::int64_t n) {
        const X* x = static_cast<const X*>(in);
        A* a = static_cast<A*>(acc);
        if (da) {
            for (std::int64_t i = 0; i < n; ++i) a[i] = step(a[i], x[i * dx]);
        } else {
            A one = *a;
            for (std::int64_t i = 0; i < n; ++i) one = step(one, x[i * dx]);
            *a = one;
        }
    }
};

struct fold_kernel final : ir::kernel {
    static constexpr std::int64_t tile = 256;
    folding f;
    dtype from{}, to{};
    shape outer, inner;                        // kept axes but the innermost; reduced axes but the one that is a row
    std::array<shape, 2> outer_walk;           // operand, result
    std::array<shape, 1> inner_walk;
    std::int64_t run_n = 1, run_in = 0, run_out = 0;   // the innermost kept axis
    bool rows = false;                                 // the innermost loop goes along a reduced axis, not along a run
    std::int64_t row_n = 1, row_in = 0;                // that axis
    std::int64_t work = 1;                             // elements of the operand for a tile of results

    explicit fold_kernel(const ir::site& s) : from(s.in[0].element), to(s.out[0].element) {
        const reduction_walk w(s);
        outer = w.kept;
        outer_walk = {w.kept_in, w.kept_out};
        inner = w.gone;
        inner_walk = {w.gone_in};
        collapse(outer, outer_walk);
        collapse(inner, inner_walk);
        if (outer.n) {
            const int k = --outer.n;
            run_n = outer.d[k], run_in = outer_walk[0].d[k], run_out = outer_walk[1].d[k];
        }
        const auto small = [](std::int64_t a) { return a < 0 ? -a : a; };
        rows = inner.n && (run_n == 1 || small(inner_walk[0].d[inner.n - 1]) < small(run_in));
        if (rows) {
            const int k = --inner.n;
            row_n = inner.d[k], row_in = inner_walk[0].d[k];
        }
        work = std::max<std::int64_t>(1, std::min(tile, run_n) * inner.elements() * row_n);
    }
    void run(void* const* io, std::byte*) const override {
        const auto tiles = (run_n + tile - 1) / tile;
        core::parallel_for(outer.elements() * tiles, std::max<std::int64_t>(1, (1 << 15) / work), [&](std::int64_t b, std::int64_t e) {
            for (; b < e; ++b) block(io, b / tiles, b % tiles * tile);
        });
    }

private:
    void block(void* const* io, std::int64_t index, std::int64_t first) const {
        std::int64_t p = first * run_in, q = first * run_out;
        for (int k = outer.n - 1; k >= 0; --k) {
            p += index % outer.d[k] * outer_walk[0].d[k];
            q += index % outer.d[k] * outer_walk[1].d[k];
            index /= outer.d[k];
        }
        const auto count = std::min(tile, run_n - first);
        const auto in_bytes = static_cast<std::int64_t>(size_of(from)), acc_bytes = static_cast<std::int64_t>(size_of(f.state));
        alignas(64) std::byte acc[tile * 8];
        f.start(acc, count);
        each<1>(inner, inner_walk, [&](std::int64_t o) {
            const auto* x = static_cast<const std::byte*>(io[0]) + (p + o) * in_bytes;
            if (!rows) return f.fold(x, run_in, acc, 1, count);
            for (std::int64_t j = 0; j < count; ++j) f.fold(x + j * run_in * in_bytes, row_in, acc + j * acc_bytes, 0, row_n);
        });
        core::convert_span(f.state, acc, 1, to, static_cast<std::byte*>(io[1]) + q * static_cast<std::int64_t>(size_of(to)), run_out, count);
    }
};
/// The kernel column of a reduction with this step.
template <class Step> ir::kernel_ptr reduce_kernel(const ir::site& s) {
    auto k = std::make_unique<fold_kernel>(s);
    k->f = with_type(s.in[0].element, [](auto x) {
        using F = folds<Step, decltype(x)>;
        return folding{F::start, F::fold, dtype_of<typename F::A>};
    });
    return k;
}
}  // namespace detail
}  // namespace df::inline DF_ABI::ops
#endif
