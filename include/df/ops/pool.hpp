// Pooling: the largest element, or the mean, of the windows that move over the spatial axes.
#pragma once
#include <df/ops/conv.hpp>

namespace df::inline DF_ABI {
namespace op {
/// The largest element of each window over the last axes; attributes `window`, `stride`, `low`, `high`: a number per
/// spatial axis. NaN wins, padding never does.
extern const ir::op_def max_pool;
/// The derivative of max_pool at operand 0, which ties in a window share: `pick` averages operand 1 over the largest
/// elements of each window, `spread` divides operand 1 among them. Each is the other's adjoint.
extern const ir::op_def max_pool_pick, max_pool_spread;
}  // namespace op

/// Shape of pooling, which leaves images and channels as they are.
constexpr ruled pool_rule(const shape& x) {
    if (x.any_rank()) return x;
    if (x.n < 3) return complaint::rank;
    shape r = x;
    for (int i = 2; i < x.n; ++i) r.d[i] = dyn;
    return r;
}
namespace detail {
ir::value max_pool(const ir::value& x, const per_axis& window, const per_axis& stride, const spatial_padding& padding, place at);
ir::value avg_pool(const ir::value& x, const per_axis& window, const per_axis& stride, const spatial_padding& padding, place at);
}  // namespace detail

/// The largest element of every window of x [N, C, spatial…]: [N, C, spatial…], each spatial size
/// (size + padding - window) / stride + 1. The stride is the window unless given. Padding never wins; ties in a window
/// share the derivative; NaN wins. Throws shape_error when the numbers do not fit the axes, the window is larger than the
/// padded input, or a padding is not smaller than the window. As jax.lax.reduce_window with max.
template <tensor_like X>
auto max_pool(const X& x, const per_axis& window, const per_axis& stride = {}, const spatial_padding& padding = 0, place at = place::here()) {
    static_assert(!std::same_as<element_t<X>, bool>, "df: max_pool: needs numbers; write df::cast<T>(x)");
    constexpr ruled r = pool_rule(tensor_t<X>::dims);
    DF_ASSERT_RULE("max_pool", r);
    return wrap<element_t<X>, r.s>(detail::max_pool(x.value(), window, stride, padding, at));
}
/// The mean of every window of x [N, C, spatial…], as max_pool; the mean is over the elements that are there, without
/// padding.
template <tensor_like X>
auto avg_pool(const X& x, const per_axis& window, const per_axis& stride = {}, const spatial_padding& padding = 0, place at = place::here()) {
    static_assert(std::floating_point<element_t<X>>, "df: avg_pool: needs float or double; write df::cast<double>(x)");
    constexpr ruled r = pool_rule(tensor_t<X>::dims);
    DF_ASSERT_RULE("avg_pool", r);
    return wrap<element_t<X>, r.s>(detail::avg_pool(x.value(), window, stride, padding, at));
}
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/core/parallel.hpp>
#include <df/ops/loops.hpp>

namespace df::inline DF_ABI {
namespace ops::detail {
inline std::size_t pooled_axes(const ir::attrs& at) { return at.list("window").size(); }
/// The sizes of x after pooling.
inline shape pooled(ir::inference& q) {
    const auto &window = q.at.list("window"), &stride = q.at.list("stride"), &low = q.at.list("low"), &high = q.at.list("high");
    shape to = q.dims(0);
    if (to.size() < window.size()) q.give(q.in[0].element, ruled(complaint::rank));
    for (std::size_t i = 0; i < window.size(); ++i) {
        auto& n = to.d[to.size() - window.size() + i];
        if (is_symbol(n)) q.fail("a spatial size is known only when the program runs", "give fixed sizes");
        n = window_count(n + low[i] + high[i], window[i], stride[i]);
        if (n == -1) q.give(q.in[0].element, ruled(complaint::window));
    }
    return to;
}
inline axes axes_pool(const ir::axes_query& q) {
    axes r;
    const auto rank = static_cast<std::size_t>(q.in[0].own_rank());
    labels lead;
    for (std::size_t i = 0; i + pooled_axes(q.at) < rank; ++i) lead.push_back(r.fresh(role::map));
    const auto whole = [&] {
        labels l = lead;
        while (l.size() < rank) l.push_back(r.fresh(role::window));
        return l;
    };
    for (std::size_t k = 0; k < q.in.size(); ++k) r.in.push_back(whole());
    r.out = {whole()};
    return r;
}

/// Windows of at most three spatial axes over planes: everything before them.
struct pooling {
    struct axis {
        std::int64_t in = 1, out = 1, window = 1, stride = 1, low = 0;
        std::int64_t first(std::int64_t p) const { return p * stride > low ? p * stride - low : 0; }
        std::int64_t end(std::int64_t p) const { const auto e = p * stride - low + window; return e < in ? e : in; }
    };
    struct stream {                       // strides of an operand or the result
        std::int64_t at[3] = {};          // along the spatial axes
        shape lead;
    };
    axis a[3];
    shape lead;
    std::vector<stream> io;

    // `wide`, `narrow`: layouts of the size before and after pooling.
    pooling(const ir::site& s, const core::layout& wide, const core::layout& narrow) {
        const auto &window = s.at.list("window"), &stride = s.at.list("stride"), &low = s.at.list("low");
        const auto n = window.size();
        if (n > 3) throw shape_error(std::string(s.op.name) + ": windows have at most 3 axes; pool the others in a second step", s.where);
        const auto before = wide.dims.size() - n;
        for (std::size_t i = 0; i < n; ++i) a[3 - n + i] = {wide.dims.d[before + i], narrow.dims.d[before + i], window[i], stride[i], low[i]};
        lead = s.out[0].dims.first(static_cast<int>(before));
        for (auto& l : s.in) add(l, n);
        add(s.out[0], n);
    }
    void add(const core::layout& l, std::size_t n) {
        stream t;
        const auto before = l.dims.size() - n;
        t.lead = l.strides.first(static_cast<int>(before));
        for (std::size_t i = 0; i < n; ++i) t.at[3 - n + i] = l.strides.d[before + i];
        io.push_back(t);
    }
    // Calls f(offset in stream 0, …) for every plane, in parallel.
    template <std::size_t N, class F> void planes(F f) const {
        const auto work = a[0].out * a[1].out * a[2].out * a[0].window * a[1].window * a[2].window + 1;
        core::parallel_for(lead.elements(), 1 + (1 << 14) / work, [&](std::int64_t begin, std::int64_t end) {
            for (auto plane = begin; plane < end; ++plane) {
                std::array<std::int64_t, N> at{};
                auto rest = plane;
                for (int i = lead.n - 1; i >= 0; --i) {
                    for (std::size_t k = 0; k < N; ++k) at[k] += rest % lead.d[i] * io[k].lead.d[i];
                    rest /= lead.d[i];
                }
                std::apply(f, at);
            }
        });
    }
    // Calls f(offset in stream `narrow`, window) for every window of a plane; window(g) calls g(offset in stream 0, offset
    // in stream `other`) for its elements.
    template <class F> void windows(std::size_t narrow, std::size_t other, F f) const {
        const auto &x = io[0].at, &z = io[other].at, &y = io[narrow].at;
        for (std::int64_t p0 = 0; p0 < a[0].out; ++p0)
            for (std::int64_t p1 = 0; p1 < a[1].out; ++p1) {
                const auto b0 = a[0].first(p0), e0 = a[0].end(p0), b1 = a[1].first(p1), e1 = a[1].end(p1);
                for (std::int64_t p2 = 0; p2 < a[2].out; ++p2) {
                    const auto b2 = a[2].first(p2), e2 = a[2].end(p2);
                    f(p0 * y[0] + p1 * y[1] + p2 * y[2], [&](auto g) {
                        for (auto q0 = b0; q0 < e0; ++q0)
                            for (auto q1 = b1; q1 < e1; ++q1)
                                for (auto q2 = b2; q2 < e2; ++q2) g(q0 * x[0] + q1 * x[1] + q2 * x[2], q0 * z[0] + q1 * z[1] + q2 * z[2]);
                    });
                }
            }
    }
};
template <class T> T largest(const T* x, auto window) {
    T m{};
    bool first = true;
    window([&](std::int64_t i, std::int64_t) {
        m = first ? x[i] : static_cast<T>(fn::maximum{}(m, x[i]));
        first = false;
    });
    return m;
}
// Calls g(offset) in stream `other` where x is m, the largest of the window (NaN, if it has one); returns how often.
template <class T> T each_tie(const T* x, T m, auto window, auto g) {
    T count = 0;
    window([&](std::int64_t i, std::int64_t j) {
        if (x[i] == m || (m != m && x[i] != x[i])) g(j), count += T(1);
    });
    return count;
}
inline void infer_pool_derivative(ir::inference& q, bool spread) {
    const auto narrow = pooled(q);
    if (q.in[1].element != q.in[0].element || !agree(q.dims(1), spread ? narrow : q.dims(0))) q.give(q.in[0].element, ruled(complaint::sizes));
    q.give(q.in[0].element, spread ? q.dims(0) : narrow);
}
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def max_pool{
    .name = "max_pool",
    .doc = "the largest element of each window; NaN wins; ties share the derivative",
    .infer = [](ir::inference& q) { q.give(q.in[0].element, ops::detail::pooled(q)); },
    .axes = ops::detail::axes_pool,
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::detail::pooling w(s, s.in[0], s.out[0]);
        return with_type(s.in[0].element, [&](auto t) -> ir::kernel_ptr {
            using T = decltype(t);
            return ops::make_kernel([w](void* const* io) {
                w.planes<2>([&](std::int64_t a, std::int64_t b) {
                    const T* x = static_cast<const T*>(io[0]) + a;
                    T* y = static_cast<T*>(io[1]) + b;
                    w.windows(1, 0, [&](std::int64_t p, auto window) { y[p] = ops::detail::largest(x, window); });
                });
            });
        });
    },
    .vjp = [](args r) -> ir::values { return {ir::emit_one(max_pool_spread, {r.in[0], r.ct[0]}, r.at)}; },
    .jvp = [](args r) -> ir::values { return {ir::emit_one(max_pool_pick, {r.in[0], r.ct[0]}, r.at)}; },
    .samples = "f(2,1,6) window=2 stride=2 low=0 high=0; f(1,2,5,4) window=3,2 stride=1,2 low=1,0 high=2,1; f(2,1,7) window=2 stride=3 low=0 high=0; "
               "f(0,2,4) window=2 stride=2 low=0 high=0; i(1,1,5) window=3 stride=2 low=0 high=0",
};
DF_RECORD ir::op_def max_pool_pick{
    .name = "max_pool_pick",
    .doc = "operand 1 averaged over the largest elements of each window of operand 0",
    .infer = [](ir::inference& q) { ops::detail::infer_pool_derivative(q, false); },
    .axes = ops::detail::axes_pool,
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::detail::pooling w(s, s.in[0], s.out[0]);
        return with_type(s.in[0].element, [&](auto t) -> ir::kernel_ptr {
            using T = decltype(t);
            return ops::make_kernel([w](void* const* io) {
                w.planes<3>([&](std::int64_t a, std::int64_t b, std::int64_t c) {
                    const T* x = static_cast<const T*>(io[0]) + a;
                    const T* d = static_cast<const T*>(io[1]) + b;
                    T* y = static_cast<T*>(io[2]) + c;
                    w.windows(2, 1, [&](std::int64_t p, auto window) {
                        T total = 0;
                        const T ties = ops::detail::each_tie(x, ops::detail::largest(x, window), window, [&](std::int64_t j) { total += d[j]; });
                        y[p] = total / ties;
                    });
                });
            });
        });
    },
    .transpose = [](args r, int) { return ir::emit_one(max_pool_spread, {r.in[0], r.ct[0]}, r.at); },
    .linear = 2,
    .samples = "f(2,1,6) f(2,1,6) window=2 stride=2 low=0 high=0; f(1,2,5,4) f(1,2,5,4) window=3,2 stride=1,2 low=1,0 high=2,1",
};
DF_RECORD ir::op_def max_pool_spread{
    .name = "max_pool_spread",
    .doc = "operand 1 divided among the largest elements of each window of operand 0",
    .infer = [](ir::inference& q) { ops::detail::infer_pool_derivative(q, true); },
    .axes = ops::detail::axes_pool,
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::detail::pooling w(s, s.in[0], s.in[1]);
        const core::layout to = s.out[0];
        return with_type(s.in[0].element, [&](auto t) -> ir::kernel_ptr {
            using T = decltype(t);
            return ops::make_kernel([w, to](void* const* io) {
                const T zero{};
                ops::detail::fill_elements(to, io[2], &zero);
                w.planes<3>([&](std::int64_t a, std::int64_t b, std::int64_t c) {
                    const T* x = static_cast<const T*>(io[0]) + a;
                    const T* ct = static_cast<const T*>(io[1]) + b;
                    T* r = static_cast<T*>(io[2]) + c;
                    w.windows(1, 2, [&](std::int64_t p, auto window) {
                        const T m = ops::detail::largest(x, window), share = ct[p] / ops::detail::each_tie(x, m, window, [](std::int64_t) {});
                        ops::detail::each_tie(x, m, window, [&](std::int64_t j) { r[j] += share; });
                    });
                });
            });
        });
    },
    .transpose = [](args r, int) { return ir::emit_one(max_pool_pick, {r.in[0], r.ct[0]}, r.at); },
    .linear = 2,
    .samples = "f(2,1,6) f(2,1,3) window=2 stride=2 low=0 high=0; f(1,2,5,4) f(1,2,6,2) window=3,2 stride=1,2 low=1,0 high=2,1",
};
}  // namespace op

namespace detail {
struct pool_numbers { ir::ints window, stride, low, high; };
/// The numbers of a pooling, checked against the operand.
inline pool_numbers checked_pool(const char* who, const ir::value& x, const per_axis& window, const per_axis& stride, const spatial_padding& padding, place at) {
    checked_axis(x ? -x.rank() : 0, x, who, at);
    const auto own = x.type().own();
    const auto fail = [&](const std::string& what, const char* remedy) { throw shape_error(std::string(who) + ": " + what + ": " + ir::to_text(x.type()) + "; " + remedy, at); };
    if (own.n < 3) fail(to_text(complaint::rank), "give x as [N, C, spatial...]; df::expand_dims adds an axis");
    if (own.n > 5) fail("more than 3 spatial axes", "pool some of them after reshaping the others into the channels");
    const int rank = own.n - 2;
    const auto numbers = [&](const char* what, const per_axis& p, std::int64_t least) { return spatial_numbers(who, what, p, rank, least, at); };
    pool_numbers n{numbers("window", window, 1), {}, numbers("padding", padding.low, 0), numbers("padding", padding.high, 0)};
    n.stride = stride.s.n ? numbers("stride", stride, 1) : n.window;
    for (int i = 0; i < rank; ++i) {
        const auto j = static_cast<std::size_t>(i);
        if (n.low[j] >= n.window[j] || n.high[j] >= n.window[j]) fail("a padding is not smaller than the window", "a window must reach an element: make the padding smaller");
        const auto size = own.d[2 + i];
        if (!is_symbol(size) && (size < 1 || size + n.low[j] + n.high[j] < n.window[j])) fail(to_text(complaint::window), ir::advice(complaint::window));
    }
    return n;
}
DF_FN ir::value max_pool(const ir::value& x, const per_axis& window, const per_axis& stride, const spatial_padding& padding, place at) {
    const auto n = checked_pool("max_pool", x, window, stride, padding, at);
    return ir::emit_one(op::max_pool, {x}, {{"window", n.window}, {"stride", n.stride}, {"low", n.low}, {"high", n.high}}, at);
}
DF_FN ir::value avg_pool(const ir::value& x, const per_axis& window, const per_axis& stride, const spatial_padding& padding, place at) {
    const auto n = checked_pool("avg_pool", x, window, stride, padding, at);
    const ops::windows w{n.stride, ir::ints(n.window.size(), 1), ir::ints(n.window.size(), 1), n.low, n.high};
    const auto one = ir::literal(x.element(), 1.0, at);
    const auto ones = ir::broadcast_to(one, shape(n.window), at);
    const auto sums = ir::conv(x, ones, {0, 1}, {}, {0, 1}, w, at);
    bool padded = false;
    for (std::size_t i = 0; i < n.window.size(); ++i) padded |= n.low[i] > 0 || n.high[i] > 0;
    const auto counts = padded ? ir::conv(ir::broadcast_to(one, x.type().own().from(2), at), ones, {}, {}, {}, w, at)
                               : ir::literal(x.element(), static_cast<double>(shape(n.window).elements()), at);
    return ir::emit_one(op::divide, {sums, counts}, {}, at);
}
}  // namespace detail
}  // namespace df::inline DF_ABI
#endif
