// Choosing elements by number: gather and scatter_add, adjoints of each other.
#pragma once
#include <df/ops/cut.hpp>
#include <df/ops/reduce.hpp>
#include <df/ops/source.hpp>

namespace df::inline DF_ABI {

/// Shape of rows of x chosen along an axis by indices of shape i.
constexpr ruled take_rule(const shape& x, const shape& i, std::int64_t axis) {
    if (x.any_rank()) return x;
    const int a = normal_axis(axis, x.n);
    if (a < 0) return complaint::axis;
    return i.any_rank() ? i : x.first(a) + i + x.from(a + 1);
}

namespace op {
/// Rows of operand 0 along `axis`, chosen by an int64 tensor. Negative numbers count from the end; a number outside is an
/// error when it runs.
extern const ir::op_def gather;
/// Zeros of size `size` along `axis`, with the rows of operand 1 added at the numbers in operand 0.
extern const ir::op_def scatter_add;
/// Numbers on an axis of `size` counted from its front; a number outside is an error when it runs.
extern const ir::op_def position;
}  // namespace op

namespace detail {
template <class I> concept row_numbers = std::integral<I> || (tensor_like<I> && requires { requires std::integral<element_t<I>> && !std::same_as<element_t<I>, bool>; });
// int64 indices from whatever integers they are
template <row_numbers I> ir::value index_value(const I& i) {
    if constexpr (std::integral<I>) return literal_value<std::int64_t>(i);
    else return i.value();
}
ir::value take(const ir::value& x, const ir::value& i, const axis_list& axis, const char* who, place at);   // all axes: flattened
ir::value take_along_axis(const ir::value& x, const ir::value& i, std::int64_t axis, place at);
ir::value scatter_add(const ir::value& base, const ir::value& i, const ir::value& updates, std::int64_t axis, place at);
ir::value one_hot(dtype t, const ir::value& label, std::int64_t n, place at);
}  // namespace detail

/// `take(x, i, axis)`: the rows of x along `axis` whose numbers are in i, an integer, an index or an integer tensor whose
/// axes take the place of `axis`; without an axis, elements of the flattened x: NumPy's take. Negative numbers count from
/// the end. Throws shape_error, when it runs, for a number outside. `gather` is another name of it.
template <tensor_like X, detail::row_numbers I> auto take(const X& x, const I& i, std::int64_t axis, place at = place::here()) {
    return tensor<element_t<X>>(detail::take(x.value(), detail::index_value(i), axis, "take", at), raw);
}
template <tensor_like X, detail::row_numbers I, std::int64_t A> auto take(const X& x, const I& i, size_constant<A> axis, place at = place::here()) {
    constexpr ruled r = take_rule(tensor_t<X>::dims, detail::shape_of_operand<I>(), A);
    DF_ASSERT_RULE("take", r);
    return wrap<element_t<X>, r.s>(detail::take(x.value(), detail::index_value(i), axis, "take", at));
}
template <tensor_like X, detail::row_numbers I> auto take(const X& x, const I& i, place at = place::here()) {
    return wrap<element_t<X>, detail::shape_of_operand<I>()>(detail::take(x.value(), detail::index_value(i), {}, "take", at));
}
template <tensor_like X, detail::row_numbers I> auto gather(const X& x, const I& i, std::int64_t axis, place at = place::here()) {
    return tensor<element_t<X>>(detail::take(x.value(), detail::index_value(i), axis, "gather", at), raw);
}
/// Along `axis`, for every element of i the element of x with that number; the other axes are those of x and i together:
/// NumPy's take_along_axis. Throws shape_error when they do not broadcast, and, when it runs, for a number outside.
template <tensor_like X, detail::row_numbers I> auto take_along_axis(const X& x, const I& i, std::int64_t axis, place at = place::here()) {
    return tensor<element_t<X>>(detail::take_along_axis(x.value(), detail::index_value(i), axis, at), raw);
}
/// `base` with rows added along `axis` at the numbers in i, which may repeat; `updates` has the shape of take(base, i,
/// axis), or broadcasts to it: NumPy's add.at. Throws shape_error, when it runs, for a number outside.
template <tensor_like B, detail::row_numbers I, class U> tensor_t<B> scatter_add(const B& base, const I& i, const U& updates, std::int64_t axis = 0, place at = place::here()) {
    static_assert(operand_for<U, element_t<B>>, "df: scatter_add: the dtypes differ; write df::cast<T>(x)");
    return tensor_t<B>(detail::scatter_add(base.value(), detail::index_value(i), detail::value_of<element_t<B>>(updates), axis, at), raw);
}
/// 1 at the number of each label along a new last axis of size n, else 0; a label outside gives zeros only: JAX's one_hot.
template <element T, detail::row_numbers L> auto one_hot(const L& label, const size_arg& n, place at = place::here()) {
    constexpr shape s = detail::shape_of_operand<L>();
    return wrap<T, s.any_rank() ? s : s + shape{dyn}>(detail::one_hot(dtype_of<T>, detail::index_value(label), n.n, at));
}

namespace ir {
value gather(const value& x, const value& i, int axis, place where = {});
value scatter_add(const value& i, const value& u, int axis, std::int64_t size, place where = {});
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <cstring>

namespace df::inline DF_ABI {
namespace ir {
DF_FN value gather(const value& x, const value& i, int axis, place where) { return emit_one(op::gather, {x, i}, {{"axis", axis}}, where); }
DF_FN value scatter_add(const value& i, const value& u, int axis, std::int64_t size, place where) {
    return emit_one(op::scatter_add, {i, u}, {{"axis", axis}, {"size", shape{size}}}, where);
}
}  // namespace ir

namespace detail {
/// Row `n` along an axis, without that axis: a view where the size is known.
inline ir::value pick(const ir::value& x, int axis, std::int64_t n, const char* who, place at) {
    const auto own = x.type().own();
    const auto size = own.d[axis];
    if (is_symbol(size)) return ir::gather(x, ir::literal(dtype::int64, n), axis, at);
    const auto i = n < 0 ? n + size : n;
    if (i < 0 || i >= size)
        throw shape_error(std::string(who) + ": index " + std::to_string(n) + " is out of range for axis " + std::to_string(axis) + " of " + ir::to_text(x.type()) +
                          "; indices run from -size to size-1", at);
    return ir::reshape(slice_axis(x, axis, i, 1, 1, at), own.without(axis), at);
}
/// The elements whose numbers on the axes from `axis` on are `indices`, which broadcast; their axes stand at `axis`.
inline ir::value gather_together(const ir::value& x, int axis, const ir::values& indices, const char* who, place at) {
    shape together;
    for (auto& i : indices) together = checked_rule(broadcast_rule(together, i.type().own()), i, who, at);
    const auto own = x.type().own();
    const int n = static_cast<int>(indices.size());
    ir::value flat;   // row-major over the axes
    std::int64_t count = 1;
    for (int k = 0; k < n; ++k) {
        const auto size = fixed_size(x, axis + k, who, at);
        const auto p = ir::emit_one(op::position, {indices[static_cast<std::size_t>(k)]}, {{"size", size}}, at);
        flat = k ? ir::emit_one(op::add, {ir::emit_one(op::multiply, {flat, ir::literal(dtype::int64, size)}, {}, at), p}, {}, at) : p;
        count *= size;
    }
    return ir::gather(ir::reshape(x, own.first(axis) + shape{count} + own.from(axis + n), at), flat, axis, at);
}
DF_FN ir::value take(const ir::value& given, const ir::value& i, const axis_list& axis, const char* who, place at) {
    const auto x = axis.all ? detail::reshape(present(given, who, at), {-1}, at) : given;
    const int a = axis.all ? 0 : checked_axis(axis.list[0], x, who, at);
    if (present(i, who, at)->literal) return pick(x, a, *i->data.data<std::int64_t>(), who, at);
    return ir::gather(x, ir::convert(i, dtype::int64, at), a, at);
}
DF_FN ir::value take_along_axis(const ir::value& given, const ir::value& i, std::int64_t axis, place at) {
    const char* who = "take_along_axis";
    const int a = checked_axis(axis, given, who, at);
    auto own = given.type().own(), to = present(i, who, at).type().own();
    if (to.n != own.n) checked_rule(complaint::ranks, i, who, at);
    auto others = own;   // what both broadcast to, but for `axis`
    others.d[a] = to.d[a] = 1;
    others = checked_rule(broadcast_rule(others, to), i, who, at);
    others.d[a] = own.d[a];
    const auto x = ir::broadcast_to(given, others, at);
    ir::values indices;
    for (int k = 0; k < own.n; ++k) {
        shape line = others;
        for (int j = 0; j < own.n; ++j) if (j != k) line.d[j] = 1;
        indices.push_back(k == a ? ir::convert(i, dtype::int64, at) : ir::iota(dtype::int64, line, k, at));
    }
    return gather_together(x, 0, indices, who, at);
}
DF_FN ir::value scatter_add(const ir::value& base, const ir::value& i, const ir::value& updates, std::int64_t axis, place at) {
    const char* who = "scatter_add";
    const int a = checked_axis(axis, base, who, at);
    const auto own = base.type().own();
    const auto rows = own.first(a) + present(i, who, at).type().own() + own.from(a + 1);
    checked_rule(broadcast_to_rule(present(updates, who, at).type().own(), rows), updates, who, at);
    const auto added = ir::scatter_add(ir::convert(i, dtype::int64, at), ir::broadcast_to(updates, rows, at), a, own.d[a], at);
    return ir::emit_one(op::add, {base, added}, {}, at);
}
DF_FN ir::value one_hot(dtype t, const ir::value& label, std::int64_t n, place at) {
    const auto l = ir::convert(present(label, "one_hot", at), dtype::int64, at);
    return ir::convert(ir::emit_one(op::equal, {ir::expand(l, {l.rank()}, at), count(dtype::int64, n, "one_hot", at)}, {}, at), t, at);
}
}  // namespace detail

namespace ops::detail {
/// The place of a (possibly negative) number on an axis of `n`; throws, naming the op and the user's line.
inline std::int64_t checked_index(std::int64_t i, std::int64_t n, const char* who, place where) {
    const auto k = i < 0 ? i + n : i;
    if (k < 0 || k >= n)
        throw shape_error(std::string(who) + ": index " + std::to_string(i) + " is out of range for an axis of size " + std::to_string(n) +
                          "; indices run from -size to size-1", where);
    return k;
}
// The walk that gather and scatter_add share: for every lane and index, a block of the many-rows side and one of the other.
struct gather_walk {
    shape outer;                          // lanes, then the axes of the index tensor
    std::array<shape, 3> strides;         // of the rows side (lanes only), of the index, of the picked side
    core::layout rows, picked;            // the block: axes before and after `axis`
    std::int64_t row_stride = 0, n = 0;
    gather_walk(const core::layout& side, const core::layout& index, const core::layout& pick, int lanes, int axis) {
        const int ranks = index.rank() - lanes;
        for (int i = 0; i < index.rank(); ++i) {
            const bool lane = i < lanes;
            const int p = lane ? i : axis + i;            // the index's axes stand at `axis` of the picked side
            outer.push_back(lane ? pick.dims.d[i] : index.dims.d[i]);
            strides[0].push_back(lane ? side.strides.d[i] : 0);
            strides[1].push_back(index.strides.d[i]);
            strides[2].push_back(pick.strides.d[p]);
        }
        rows = part(side, [&](int i) { return i >= lanes && i != lanes + axis; });
        picked = part(pick, [&](int i) { return i >= lanes && !(i >= lanes + axis && i < lanes + axis + ranks); });
        row_stride = side.strides.d[lanes + axis];
        n = side.dims.d[lanes + axis];
    }
};
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def gather{
    .name = "gather",
    .doc = "rows chosen by number along an axis",
    .infer = [](ir::inference& q) {
        const auto axis = q.at.integer("axis");
        const auto& s = q.dims(0);
        if (axis < 0 || axis >= s.n) q.give(q.in[0].element, ruled(complaint::axis));
        if (q.in[1].element != dtype::int64) throw dtype_error(std::string("gather: the indices are ") + name_of(q.in[1].element) + ", not int64; write df::cast<std::int64_t>(i)", q.where);
        const int a = static_cast<int>(axis);
        q.give(q.in[0].element, s.first(a) + q.dims(1) + s.from(a + 1));
    },
    .axes = [](const ir::axes_query& q) {
        axes r;
        const auto axis = static_cast<std::size_t>(q.at.integer("axis"));
        labels x, i;
        for (int k = 0; k < q.in[0].own_rank(); ++k) x.push_back(r.fresh(static_cast<std::size_t>(k) == axis ? role::opaque : role::map));
        for (int k = 0; k < q.in[1].own_rank(); ++k) i.push_back(r.fresh(role::map));
        labels y(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
        y.insert(y.end(), i.begin(), i.end());
        y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
        r.in = {x, i};
        r.out = {y};
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::detail::gather_walk w(s.in[0], s.in[1], s.out[0], s.lanes, static_cast<int>(s.at.integer("axis")));
        const auto bytes = static_cast<std::int64_t>(size_of(s.in[0].element));
        const bool single = w.rows.elements() == 1;
        const auto where = s.where;
        return ops::make_kernel([=](void* const* io) {
            const auto* x = static_cast<const std::byte*>(io[0]);
            const auto* i = static_cast<const std::int64_t*>(io[1]);
            auto* y = static_cast<std::byte*>(io[2]);
            ops::each<3>(w.outer, w.strides, [&](std::int64_t p, std::int64_t k, std::int64_t q) {
                const auto row = ops::detail::checked_index(i[k], w.n, "gather", where);
                if (single) std::memcpy(y + q * bytes, x + (p + row * w.row_stride) * bytes, static_cast<std::size_t>(bytes));
                else core::copy_elements(w.rows, x + (p + row * w.row_stride) * bytes, w.picked, y + q * bytes);
            });
        });
    },
    .transpose = [](args r, int) {
        const auto axis = static_cast<int>(r.at.integer("axis"));
        return ir::scatter_add(r.in[1], r.ct[0], axis, r.in[0].type().own().d[axis]);
    },
    .linear = 1,
    .samples = "f(3,2) n3(4) axis=0; f(2,3) n3() axis=1; f(3,2) n3(2,2) axis=0; f(3) n3(0) axis=0",
};
DF_RECORD ir::op_def scatter_add{
    .name = "scatter_add",
    .doc = "rows added into zeros at chosen numbers",
    .infer = [](ir::inference& q) {
        const int axis = static_cast<int>(q.at.integer("axis"));
        const auto &i = q.dims(0), &u = q.dims(1);
        if (q.in[0].element != dtype::int64) throw dtype_error(std::string("scatter_add: the indices are ") + name_of(q.in[0].element) + ", not int64; write df::cast<std::int64_t>(i)", q.where);
        if (axis < 0 || axis + i.n > u.n) q.give(q.in[1].element, ruled(complaint::axis));
        for (int k = 0; k < i.n; ++k) if (clash(i.d[k], u.d[axis + k])) q.give(q.in[1].element, ruled(complaint::sizes));
        q.give(q.in[1].element, u.first(axis) + q.at.sizes("size") + u.from(axis + i.n));
    },
    .axes = [](const ir::axes_query& q) {
        axes r;
        const auto axis = static_cast<std::size_t>(q.at.integer("axis"));
        labels i, u;
        for (int k = 0; k < q.in[0].own_rank(); ++k) i.push_back(r.fresh(role::reduce));
        for (std::size_t k = 0; k < static_cast<std::size_t>(q.in[1].own_rank()); ++k)
            u.push_back(k >= axis && k < axis + i.size() ? i[k - axis] : r.fresh(role::map));
        labels y(u.begin(), u.begin() + static_cast<std::ptrdiff_t>(axis));
        y.push_back(r.fresh(role::opaque));
        y.insert(y.end(), u.begin() + static_cast<std::ptrdiff_t>(axis + i.size()), u.end());
        r.in = {i, u};
        r.out = {y};
        return r;
    },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::detail::gather_walk w(s.out[0], s.in[0], s.in[1], s.lanes, static_cast<int>(s.at.integer("axis")));
        const core::layout to = s.out[0];
        const auto where = s.where;
        // A lane axis that only the operands' other side has repeats the picked block: its sizes are the result's.
        auto outer = w.outer;
        for (int i = 0; i < s.lanes; ++i) outer.d[i] = to.dims.d[i];
        return with_type(to.element, [&](auto t) -> ir::kernel_ptr {
            using T = decltype(t);
            return ops::make_kernel([=](void* const* io) {
                const auto* i = static_cast<const std::int64_t*>(io[0]);
                const T* u = static_cast<const T*>(io[1]);
                T* y = static_cast<T*>(io[2]);
                const T zero{};
                ops::detail::fill_elements(to, y, &zero);
                ops::each<3>(outer, w.strides, [&](std::int64_t p, std::int64_t k, std::int64_t q) {
                    const auto row = ops::detail::checked_index(i[k], w.n, "scatter_add", where);
                    ops::each<2>(w.picked.dims, {w.rows.strides, w.picked.strides}, [&](std::int64_t a, std::int64_t b) {
                        T& cell = y[p + row * w.row_stride + a];
                        cell = static_cast<T>(ops::fn::add{}(cell, u[q + b]));
                    });
                });
            });
        });
    },
    .transpose = [](args r, int) { return ir::gather(r.ct[0], r.in[0], static_cast<int>(r.at.integer("axis"))); },
    .linear = 2,
    .combines = &ops::detail::plain<add, ops::detail::zero_of>,
    .samples = "n3(4) f(4,2) axis=0 size=3; n3() f(2) axis=1 size=3; n3(2,2) f(2,2,2) axis=0 size=3",
};
DF_RECORD ir::op_def position{
    .name = "position",
    .doc = "numbers on an axis counted from its front",
    .infer = [](ir::inference& q) { q.give(dtype::int64, q.dims(0)); },
    .axes = ops::axes_elementwise,
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const core::layout from = s.in[0], to = s.out[0];
        const auto n = s.at.integer("size");
        const auto where = s.where;
        return ops::make_kernel([=](void* const* io) {
            const auto* i = static_cast<const std::int64_t*>(io[0]);
            auto* p = static_cast<std::int64_t*>(io[1]);
            ops::each<2>(to.dims, {from.strides, to.strides}, [&](std::int64_t a, std::int64_t b) { p[b] = ops::detail::checked_index(i[a], n, "gather", where); });
        });
    },
    .no_derivative = true,
    .in_place = true,
    .samples = "n3(4) size=3; n3(2,2) size=3",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
