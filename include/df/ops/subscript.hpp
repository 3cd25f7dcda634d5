// What a subscript means: t[i], t[slice], t[indices], t(df::all, df::none, 2, …).
#pragma once
#include <df/ops/public.hpp>

#if DF_IMPL
#include <df/ops/cut.hpp>
#include <df/ops/index.hpp>

namespace df::inline DF_ABI::detail {
/// NumPy's slice on an axis of n: start, count.
inline std::pair<std::int64_t, std::int64_t> slice_range(const slice& s, std::int64_t n, place at) {
    if (s.step == 0) throw shape_error("slice: the step is 0; give a positive or negative one", at);
    const auto clamp = [](std::int64_t x, std::int64_t lo, std::int64_t hi) { return x < lo ? lo : x > hi ? hi : x; };
    const auto place_of = [&](std::int64_t x) { return x < 0 ? x + n : x; };
    if (s.step > 0) {
        const auto b = s.begin == slice::open ? 0 : clamp(place_of(s.begin), 0, n), e = s.end == slice::open ? n : clamp(place_of(s.end), 0, n);
        return {b, e > b ? (e - b + s.step - 1) / s.step : 0};
    }
    const auto b = s.begin == slice::open ? n - 1 : clamp(place_of(s.begin), -1, n - 1), e = s.end == slice::open ? -1 : clamp(place_of(s.end), -1, n - 1);
    return {b, b > e ? (b - e - s.step - 1) / -s.step : 0};
}
DF_FN ir::value row(const ir::value& x, const row_index& i) {
    if (!x) ir::emit(op::gather, {x, x}, {{"axis", 0}}, i.at);   // throws: the tensor is empty
    if (x.rank() == 0) throw shape_error("operator []: the rank is too small: " + ir::to_text(x.type()) + " has no axis to index; " + ir::advice(complaint::rank), i.at);
    if (i.v) return ir::gather(x, i.v, 0, i.at);
    const selection s(i.n, i.at.file, i.at.line);
    return select_parts(x, &s, 1, i.at);
}
DF_FN ir::value select_parts(const ir::value& given, const selection* s, int n, place at) {
    auto x = given;
    if (!x) throw trace_error("operator []: the tensor is empty: it was default-constructed or moved from; give it a value first", at);
    int used = 0;
    for (int k = 0; k < n; ++k) used += s[k].what != selection::kind::absent && s[k].what != selection::kind::new_axis;
    if (used > x.rank())
        throw shape_error("operator []: " + std::to_string(used) + " subscripts for " + ir::to_text(x.type()) + "; give at most one for each axis", at);
    int axis = 0;   // of what x is by now
    for (int k = 0; k < n; ++k) {
        const auto own = x.type().own();
        switch (s[k].what) {
            case selection::kind::absent: break;
            case selection::kind::whole: ++axis; break;
            case selection::kind::new_axis: x = ir::expand(x, {axis++}, at); break;
            case selection::kind::number: {
                const auto size = own.d[axis];
                const auto i = s[k].n < 0 ? s[k].n + size : s[k].n;
                if (is_symbol(size)) {
                    x = ir::gather(x, ir::literal(dtype::int64, s[k].n), axis, at);
                    break;
                }
                if (i < 0 || i >= size)
                    throw shape_error("operator []: index " + std::to_string(s[k].n) + " is out of range for axis " + std::to_string(axis) + " of " + ir::to_text(x.type()) +
                                      "; indices run from -size to size-1", at);
                const auto rank = own.size();
                ir::ints start(rank), step(rank, 1);
                auto to = own;
                start[static_cast<std::size_t>(axis)] = i;
                to.d[axis] = 1;
                x = ir::reshape(ir::slice(x, start, to, step, at), own.without(axis), at);
                break;
            }
            case selection::kind::range: {
                const auto [b, count] = slice_range(s[k].range, own.d[axis], at);
                const auto rank = own.size();
                ir::ints start(rank), step(rank, 1);
                auto to = own;
                start[static_cast<std::size_t>(axis)] = count ? b : 0;
                step[static_cast<std::size_t>(axis)] = s[k].range.step;
                to.d[axis] = count;
                x = ir::slice(x, start, to, step, at);
                ++axis;
                break;
            }
            case selection::kind::indices: {
                if (s[k].v.element() == dtype::boolean)
                    throw shape_error("operator []: a mask selects a number of elements that is known only when the program runs; use df::where to keep the shape, or multiply by the mask", at);
                x = ir::gather(x, ir::convert(s[k].v, dtype::int64, at), axis, at);
                axis += s[k].v.rank();
                break;
            }
        }
    }
    return x;
}
}  // namespace df::inline DF_ABI::detail
#endif
