// Convolution: one record, which is the labelled product of `contract` on its leading axes and a sliding window on the
// others. Its derivatives are convolutions of the same form, and so are its batches and groups.
#pragma once
#include <utility>

#include <df/ops/contract.hpp>
#include <df/ops/public.hpp>

namespace df::inline DF_ABI {
namespace op {
/// out[o…, p…] = Σ x[l…, (p·stride + q·dilation - low) / base …] · kernel[m…, q…] over q and the labels that `out` lacks,
/// where the position is whole and inside x. Attributes `a`, `b`, `out`: a label per leading axis, as in contract;
/// `stride`, `dilation`, `base`, `low`, `high`: a number per spatial axis, which come last.
extern const ir::op_def conv;
}  // namespace op

/// A whole number for every spatial axis, or one per axis.
struct per_axis {
    shape s;
    bool one = false;   // the same for all
    per_axis() = default;
    template <std::integral I> per_axis(I n) : s{static_cast<std::int64_t>(n)}, one(true) {}
    per_axis(std::initializer_list<size_arg> list) : s(sizes(list).s) {}
    per_axis(const std::vector<std::int64_t>& list) : s(list) {}
    per_axis(const shape& list) : s(list) {}
};

/// How many zeros (in max_pool: nothing) stand before and after each spatial axis: one number for all, one per axis, or
/// a pair {before, after} per axis.
struct spatial_padding {
    struct amounts {
        std::int64_t low, high;
        amounts(std::int64_t before, std::int64_t after) : low(before), high(after) {}
    };
    per_axis low, high;
    template <std::integral I> spatial_padding(I n) : low(n), high(n) {}
    spatial_padding(std::initializer_list<size_arg> list) : low(list), high(list) {}
    spatial_padding(const std::vector<std::int64_t>& list) : low(list), high(list) {}
    spatial_padding(std::initializer_list<amounts> list) {
        for (auto& p : list) low.s.push_back(p.low), high.s.push_back(p.high);
    }
    spatial_padding(const std::vector<std::pair<std::int64_t, std::int64_t>>& list) {
        for (auto& p : list) low.s.push_back(p.first), high.s.push_back(p.second);
    }
};

/// How a convolution moves: `df::conv(x, kernel, {.stride = {2, 2}, .padding = 1})`.
struct conv_options {
    per_axis stride = 1;            // between neighbouring outputs
    spatial_padding padding = 0;
    per_axis dilation = 1;          // between neighbouring elements of the kernel
    std::int64_t groups = 1;        // channels in independent groups; as many as channels: depthwise
};

/// How many places a window of `size` takes on an axis; -1: it does not fit.
constexpr std::int64_t window_count(std::int64_t padded, std::int64_t size, std::int64_t stride) {
    return padded < size || size < 1 ? -1 : (padded - size) / stride + 1;
}
/// Shape of a convolution in one group. Plain: stride 1, no padding, no dilation; else the spatial sizes are not known.
constexpr ruled conv_rule(const shape& x, const shape& k, bool plain) {
    if (x.any_rank() || k.any_rank()) return shape::any();
    if (x.n < 3 || k.n < 3) return complaint::rank;
    if (x.n != k.n) return complaint::ranks;
    if (plain && clash(x.d[1], k.d[1])) return complaint::channels;
    shape r{x.d[0], k.d[0]};
    for (int i = 2; i < x.n; ++i) {
        const bool known = plain && x.d[i] >= 0 && k.d[i] >= 0;
        const auto n = known ? window_count(x.d[i], k.d[i], 1) : dyn;
        if (known && n < 0) return complaint::window;
        r.push_back(n);
    }
    return r;
}
namespace detail {
ir::value conv(const ir::value& x, const ir::value& kernel, const conv_options& options, place at);
}  // namespace detail

/// The convolution of networks (correlation: the kernel is not flipped) of x [N, C, spatial…] with a kernel
/// [O, C / groups, spatial…]: [N, O, spatial…], each spatial size (size + padding - dilation·(kernel - 1) - 1) / stride + 1.
/// Throws shape_error when ranks or channels do not fit, the window is larger than the padded input, or a stride or
/// dilation is not positive. As jax.lax.conv_general_dilated, torch.nn.functional.conv2d.
template <tensor_like X, tensor_like K> auto conv(const X& x, const K& kernel, place at = place::here()) {
    static_assert(std::same_as<element_t<X>, element_t<K>>, "df: conv: the dtypes differ; write df::cast<T>(x)");
    constexpr ruled r = conv_rule(tensor_t<X>::dims, tensor_t<K>::dims, true);
    DF_ASSERT_RULE("conv", r);
    return wrap<element_t<X>, r.s>(detail::conv(x.value(), kernel.value(), {}, at));
}
template <tensor_like X, tensor_like K> auto conv(const X& x, const K& kernel, const conv_options& options, place at = place::here()) {
    static_assert(std::same_as<element_t<X>, element_t<K>>, "df: conv: the dtypes differ; write df::cast<T>(x)");
    constexpr ruled r = conv_rule(tensor_t<X>::dims, tensor_t<K>::dims, false);
    DF_ASSERT_RULE("conv", r);
    return wrap<element_t<X>, r.s>(detail::conv(x.value(), kernel.value(), options, at));
}

namespace ops {
/// How windows move along the spatial axes.
struct windows {
    ir::ints stride, dilation, base, low, high;
    ir::attrs to_attrs(const ir::ints& a, const ir::ints& b, const ir::ints& out) const;
};
/// The loops of a convolution at a site: those of the leading labels, and the spatial axes.
struct convolution {
    struct axis {
        std::int64_t in, kernel, out;                  // sizes
        std::int64_t x, k, y;                          // strides in elements
        std::int64_t stride, dilation, base, low;
        /// The element of x under output p and kernel element q, or -1.
        std::int64_t under(std::int64_t p, std::int64_t q) const {
            const auto at = p * stride + q * dilation - low;
            return at < 0 || at % base != 0 || at / base >= in ? -1 : at / base;
        }
    };
    contraction lead;
    std::vector<axis> space;
    explicit convolution(const ir::site& s);
};
}  // namespace ops
namespace ir {
/// A convolution; a contraction when every window is one element wide and moves by one.
value conv(const value& x, const value& kernel, const ints& a, const ints& b, const ints& out, const ops::windows& w, place where = {});
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/loops.hpp>

namespace df::inline DF_ABI {
namespace ops {
DF_FN ir::attrs windows::to_attrs(const ir::ints& a, const ir::ints& b, const ir::ints& out) const {
    return {{"a", a}, {"b", b}, {"out", out}, {"stride", stride}, {"dilation", dilation}, {"base", base}, {"low", low}, {"high", high}};
}
DF_FN convolution::convolution(const ir::site& s) : lead(s) {
    const auto &stride = s.at.list("stride"), &dilation = s.at.list("dilation"), &base = s.at.list("base"), &low = s.at.list("low");
    const auto rank = static_cast<int>(stride.size());
    const auto &x = s.in[0], &k = s.in[1], &y = s.out[0];
    for (std::size_t i = 0; i < stride.size(); ++i) {
        const int back = rank - static_cast<int>(i), a = x.rank() - back, b = k.rank() - back, c = y.rank() - back;
        space.push_back({x.dims.d[a], k.dims.d[b], y.dims.d[c], x.strides.d[a], k.strides.d[b], y.strides.d[c], stride[i], dilation[i], base[i], low[i]});
    }
}
namespace detail {
inline windows windows_of(const ir::attrs& at) { return {at.list("stride"), at.list("dilation"), at.list("base"), at.list("low"), at.list("high")}; }

// The naive kernel: for every output element the sum over its window.
template <class T> struct conv_kernel final : ir::kernel {
    using A = std::conditional_t<std::is_same_v<T, float>, double, T>;
    std::vector<convolution::axis> space;
    shape outer, summed;                  // the labels of the result and the others
    std::array<shape, 3> outer_steps;     // along them, of x, kernel and result
    std::array<shape, 2> summed_steps;
    explicit conv_kernel(const ir::site& s) {
        const convolution c(s);
        space = c.space;
        for (auto& l : c.lead.loops) {
            (l.in_out ? outer : summed).push_back(l.n);
            auto* steps = l.in_out ? outer_steps.data() : summed_steps.data();
            steps[0].push_back(l.a), steps[1].push_back(l.b);
            if (l.in_out) steps[2].push_back(l.out);
        }
    }
    void run(void* const* io, std::byte*) const override {
        each<3>(outer, outer_steps, [&](std::int64_t a, std::int64_t b, std::int64_t o) {
            shape p;
            positions(static_cast<const T*>(io[0]) + a, static_cast<const T*>(io[1]) + b, static_cast<T*>(io[2]) + o, p);
        });
    }
    void positions(const T* x, const T* k, T* y, shape& p) const {
        const auto i = p.size();
        if (i == space.size()) {
            *y = static_cast<T>(window(x, k, p, 0));
            return;
        }
        p.push_back(0);
        for (; p.d[i] < space[i].out; ++p.d[i]) positions(x, k, y + p.d[i] * space[i].y, p);
        --p.n;
    }
    A window(const T* x, const T* k, const shape& p, std::size_t i) const {
        A sum{};
        const auto add = [&](A term) { sum = static_cast<A>(fn::add{}(sum, term)); };
        if (i == space.size()) {
            each<2>(summed, summed_steps, [&](std::int64_t a, std::int64_t b) { add(static_cast<A>(fn::multiply{}(static_cast<A>(x[a]), static_cast<A>(k[b])))); });
            return sum;
        }
        const auto& s = space[i];
        for (std::int64_t q = 0; q < s.kernel; ++q)
            if (const auto at = s.under(p.d[i], q); at >= 0) add(window(x + at * s.x, k + q * s.k, p, i + 1));
        return sum;
    }
};
}  // namespace detail
}  // namespace ops

namespace op {
DF_RECORD ir::op_def conv{
    .name = "conv",
    .doc = "the sum over shared labels and windows of two operands",
    .infer = [](ir::inference& q) {
        const auto w = ops::detail::windows_of(q.at);
        const int rank = static_cast<int>(w.stride.size());
        shape to = ops::labelled_sizes(q, rank);
        for (int i = 0; i < rank; ++i) {
            const auto a = static_cast<std::size_t>(i);
            const auto x = q.dims(0).d[q.dims(0).n - rank + i], k = q.dims(1).d[q.dims(1).n - rank + i];
            const bool same = w.stride[a] == 1 && w.base[a] == 1 && w.low[a] + w.high[a] == w.dilation[a] * (k - 1);
            if (is_symbol(k) || (is_symbol(x) && !same))
                q.fail("a spatial size is known only when the program runs", "give fixed sizes, or stride 1 and a padding that keeps the size");
            const auto n = is_symbol(x) ? x : x < 1 ? -1 : window_count((x - 1) * w.base[a] + 1 + w.low[a] + w.high[a], k < 1 ? 0 : (k - 1) * w.dilation[a] + 1, w.stride[a]);
            if (n == -1) q.give(q.in[0].element, ruled(complaint::window));
            to.push_back(n);
        }
        q.give(q.in[0].element, to);
    },
    .axes = ops::labelled_axes,
    .kernel = [](const ir::site& s) {
        return with_type(s.out[0].element, [&](auto t) -> ir::kernel_ptr { return std::make_unique<ops::detail::conv_kernel<decltype(t)>>(s); });
    },
    .transpose = [](args r, int k) {
        const auto w = ops::detail::windows_of(r.at);
        const auto &a = r.at.list("a"), &b = r.at.list("b"), &out = r.at.list("out");
        const auto x = r.in[0].type().own(), kernel = r.in[1].type().own(), y = r.out[0].type().own();
        const int rank = static_cast<int>(w.stride.size());
        ops::windows d = w;
        ir::ints turned;
        for (int i = 0; i < rank; ++i) {
            const auto j = static_cast<std::size_t>(i);
            const auto reach = (kernel.d[kernel.n - rank + i] - 1) * w.dilation[j];
            // How far the last output lies before the last input: 0 where a symbolic size is kept.
            const auto nx = x.d[x.n - rank + i], ny = y.d[y.n - rank + i];
            const auto short_of = is_symbol(nx) ? 0 : (nx - 1) * w.base[j] - (ny - 1) * w.stride[j];
            if (k == 0) {   // the cotangent, spread by the stride, under the reversed kernel
                d.stride[j] = w.base[j], d.base[j] = w.stride[j];
                d.low[j] = reach - w.low[j], d.high[j] = short_of + w.low[j];
                turned.push_back(kernel.n - rank + i);
            } else {        // the input under the cotangent, spread by the stride
                d.stride[j] = w.dilation[j], d.dilation[j] = w.stride[j];
                d.high[j] = reach - short_of - w.low[j];
            }
        }
        if (k == 0) return ir::conv(r.ct[0], ir::emit_one(flip, {r.in[1]}, {{"axes", turned}}), out, b, a, d);
        return ir::conv(r.in[0], r.ct[0], a, out, b, d);
    },
    .linear = 3,
    .combines = &ops::detail::plain<add, ops::detail::zero_of>,
    .samples = "f(2,2,5) f(3,2,3) a=0,1 b=2,1 out=0,2 stride=1 dilation=1 base=1 low=0 high=0; "
               "f(1,2,4,5) f(2,2,3,2) a=0,1 b=2,1 out=0,2 stride=2,1 dilation=1,2 base=1,1 low=1,0 high=2,1; "
               "f(2,2,1,4) f(2,3,1,2) a=0,3,1 b=3,2,1 out=0,3,2 stride=1 dilation=2 base=1 low=1 high=0; "
               "f(1,1,3) f(1,1,2) a=0,1 b=2,1 out=0,2 stride=2 dilation=1 base=3 low=-1 high=2; "
               "f(2,1,4) f(3) a=0,1 b= out=1,0 stride=1 dilation=1 base=1 low=0 high=0; "
               "f(0,1,4) f(1,1,3) a=0,1 b=2,1 out=0,2 stride=1 dilation=1 base=1 low=0 high=0",
};
}  // namespace op

namespace ir {
DF_FN value conv(const value& x, const value& kernel, const ints& a, const ints& b, const ints& out, const ops::windows& w, place where) {
    const auto k = kernel.type().own();
    const int rank = static_cast<int>(w.stride.size()), lead = k.n - rank;
    bool single = true;
    for (int i = 0; i < rank; ++i) {
        const auto j = static_cast<std::size_t>(i);
        single &= k.d[lead + i] == 1 && w.stride[j] == 1 && w.base[j] == 1 && w.low[j] == 0 && w.high[j] == 0;
    }
    if (!single) return emit_one(op::conv, {x, kernel}, w.to_attrs(a, b, out), where);
    ints la = a, lo = out;
    std::int64_t next = 0;
    for (auto* list : {&a, &b, &out}) for (auto l : *list) next = l >= next ? l + 1 : next;
    for (int i = 0; i < rank; ++i) la.push_back(next + i), lo.push_back(next + i);
    return contract(x, reshape(kernel, k.first(lead), where), la, b, lo, where);
}
}  // namespace ir

namespace detail {
/// The numbers of an option, one per spatial axis; each at least `least`.
inline ir::ints spatial_numbers(const char* who, const char* what, const per_axis& p, int rank, std::int64_t least, place at) {
    if (!p.one && p.s.n != rank)
        throw shape_error(std::string(who) + ": " + std::to_string(p.s.n) + " numbers for " + what + " and " + std::to_string(rank) +
                          " spatial axes; give one number for all, or one per spatial axis", at);
    ir::ints r;
    for (int i = 0; i < rank; ++i) {
        r.push_back(p.s.d[p.one ? 0 : i]);
        if (r.back() < least)
            throw shape_error(std::string(who) + ": the " + what + " is " + std::to_string(r.back()) + "; give " + std::to_string(least) + " or more", at);
    }
    return r;
}
DF_FN ir::value conv(const ir::value& x, const ir::value& kernel, const conv_options& o, place at) {
    for (auto* v : {&x, &kernel}) checked_axis(*v ? -v->rank() : 0, *v, "conv", at);
    const auto xs = x.type().own(), ks = kernel.type().own();
    const auto fail = [&](const std::string& what, const std::string& remedy) {
        throw shape_error("conv: " + what + ": x " + ir::to_text(x.type()) + ", kernel " + ir::to_text(kernel.type()) + "; " + remedy, at);
    };
    const auto r = conv_rule(xs, ks, false);
    if (r.wrong == complaint::rank) fail(to_text(r.wrong), "give x as [N, C, spatial...] and the kernel as [O, C / groups, spatial...]; df::expand_dims adds an axis");
    if (r.wrong == complaint::ranks) fail(to_text(r.wrong), "x [N, C, spatial...] and the kernel [O, C / groups, spatial...] need the same number of axes; df::expand_dims adds one");
    const int rank = xs.n - 2;
    if (o.groups < 1) fail("groups is " + std::to_string(o.groups), "give 1 or more");
    const auto numbers = [&](const char* what, const per_axis& p, std::int64_t least) { return spatial_numbers("conv", what, p, rank, least, at); };
    ops::windows w{numbers("stride", o.stride, 1), numbers("dilation", o.dilation, 1), ir::ints(static_cast<std::size_t>(rank), 1),
                   numbers("padding", o.padding.low, 0), numbers("padding", o.padding.high, 0)};
    if (is_symbol(xs.d[1]) || is_symbol(ks.d[0]) || is_symbol(ks.d[1]) || ks.d[1] * o.groups != xs.d[1] || ks.d[0] % o.groups != 0)
        fail(std::string(to_text(complaint::channels)) + " (" + std::to_string(o.groups) + ")", ir::advice(complaint::channels));
    for (int i = 0; i < rank; ++i) {
        const auto j = static_cast<std::size_t>(i);
        const auto n = xs.d[2 + i], k = ks.d[2 + i];
        if (is_symbol(n) || is_symbol(k)) continue;
        if (n < 1 || k < 1 || n + w.low[j] + w.high[j] < (k - 1) * w.dilation[j] + 1) fail(to_text(complaint::window), ir::advice(complaint::window));
    }
    // Labels: 0 images, 1 channels of x, 2 channels of the result, 3 groups.
    if (o.groups == 1) return ir::conv(x, kernel, {0, 1}, {2, 1}, {0, 2}, w, at);
    const shape g{o.groups};
    const auto grouped = ir::conv(ir::reshape(x, xs.first(1) + g + shape{ks.d[1]} + xs.from(2), at),
                                  ir::reshape(kernel, g + shape{ks.d[0] / o.groups} + ks.from(1), at), {0, 3, 1}, {3, 2, 1}, {0, 3, 2}, w, at);
    return ir::reshape(grouped, shape{xs.d[0], ks.d[0]} + grouped.type().own().from(3), at);
}
}  // namespace detail
}  // namespace df::inline DF_ABI
#endif
