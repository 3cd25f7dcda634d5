// What a subscript means: t[i], t[slice], t[indices], t(df::all, df::none, 2, …).
#pragma once
#include <df/ops/public.hpp>

#if DF_IMPL
#include <df/ops/cut.hpp>
#include <df/ops/index.hpp>

namespace df::inline DF_ABI::detail {
/// NumPy's slice on an axis: the elements it names.
inline ir::value cut(const ir::value& x, int axis, const slice& s, place at) {
    if (s.step == 0) throw shape_error("slice: the step is 0; give a positive or negative one", at);
    const auto n = x.type().own().d[axis];
    const bool from_open = s.begin == slice::open, to_open = s.end == slice::open;
    if (from_open && to_open && s.step == 1) return x;
    if (from_open && to_open && s.step == -1) return ir::emit_one(op::flip, {x}, {{"axes", ir::ints{axis}}}, at);
    fixed_size(x, axis, "slice", at);
    const auto clamp = [](std::int64_t v, std::int64_t lo, std::int64_t hi) { return v < lo ? lo : v > hi ? hi : v; };
    const auto place_of = [&](std::int64_t v) { return v < 0 ? v + n : v; };
    const auto step = clamp(s.step, -n - 1, n + 1);   // a longer step names the same elements
    if (step > 0) {
        const auto b = from_open ? 0 : clamp(place_of(s.begin), 0, n), e = to_open ? n : clamp(place_of(s.end), 0, n);
        return slice_axis(x, axis, b, e > b ? (e - b + step - 1) / step : 0, step, at);
    }
    const auto b = from_open ? n - 1 : clamp(place_of(s.begin), -1, n - 1), e = to_open ? -1 : clamp(place_of(s.end), -1, n - 1);
    return slice_axis(x, axis, b, b > e ? (b - e - step - 1) / -step : 0, step, at);
}
DF_FN ir::value row(const ir::value& x, const row_index& i) {
    if (present(x, "operator []", i.at).rank() == 0)
        throw shape_error("operator []: the rank is too small: " + ir::to_text(x.type()) + " has no axis to index; " + ir::advice(complaint::rank), i.at);
    return i.v ? ir::gather(x, i.v, 0, i.at) : pick(x, 0, i.n, "operator []", i.at);
}
// As in NumPy: numbers and index tensors are advanced subscripts. The index tensors broadcast together, and their axes
// stand where the advanced subscripts do, or in front when these are not neighbours.
DF_FN ir::value select_parts(const ir::value& given, const selection* s, int n, place at) {
    using kind = selection::kind;
    auto x = present(given, "operator []", at);
    int used = 0;
    for (int k = 0; k < n; ++k) used += s[k].what != kind::absent && s[k].what != kind::new_axis;
    if (used > x.rank())
        throw shape_error("operator []: " + std::to_string(used) + " subscripts for " + ir::to_text(x.type()) + "; give at most one for each axis", at);
    ir::values indices;
    ir::ints chosen;       // the axes that they index
    int axis = 0;          // of what x is by now
    int groups = 0;        // of neighbouring advanced subscripts
    bool before = false;
    for (int k = 0; k < n && s[k].what != kind::absent; ++k) {
        const bool advanced = s[k].what == kind::number || s[k].what == kind::indices;
        groups += advanced && !before;
        before = advanced;
        switch (s[k].what) {
            case kind::new_axis: x = ir::expand(x, {axis++}, at); break;
            case kind::range: x = cut(x, axis++, s[k].range, at); break;
            case kind::number: x = pick(x, axis, s[k].n, "operator []", at); break;
            case kind::indices:
                if (present(s[k].v, "operator []", at).element() == dtype::boolean)
                    throw shape_error("operator []: a mask selects a number of elements that is known only when the program runs; use df::where to keep the shape, or multiply by the mask", at);
                if (const auto i = ir::convert(s[k].v, dtype::int64, at); i.rank() == 0) {
                    x = ir::gather(x, i, axis, at);
                } else {
                    indices.push_back(i);
                    chosen.push_back(axis++);
                }
                break;
            default: ++axis;
        }
    }
    if (indices.empty()) return x;
    const int first = static_cast<int>(chosen[0]), rank = x.rank();
    int width = 0;   // of the axes that the index tensors bring
    for (auto& i : indices) width = i.rank() > width ? i.rank() : width;
    if (indices.size() == 1) {
        x = ir::gather(x, indices[0], first, at);
    } else {
        ir::ints perm;   // the chosen axes as neighbours
        for (int a = 0; a < rank; ++a) {
            if (a == first) perm.insert(perm.end(), chosen.begin(), chosen.end());
            if (!ops::contains(chosen, a)) perm.push_back(a);
        }
        x = gather_together(ir::permute(x, perm, at), first, indices, "operator []", at);
    }
    if (groups == 1) return x;
    ir::ints perm;
    for (int a = 0; a < width; ++a) perm.push_back(first + a);
    for (int a = 0; a < x.rank(); ++a) if (a < first || a >= first + width) perm.push_back(a);
    return ir::permute(x, perm, at);
}
}  // namespace df::inline DF_ABI::detail
#endif
