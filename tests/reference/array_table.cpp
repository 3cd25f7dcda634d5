// The table's entries for layout, sources, indexing, products, convolution and sorting.
#include "reference.hpp"

namespace reference {

namespace {

using f64 = types<double>;
using f64_i64 = types<double, std::int64_t>;
using f64_bool = types<double, bool>;
using sortable = types<double, float, std::int64_t, std::int32_t>;

// lo hi lo hi ... as pairs
std::vector<std::pair<std::int64_t, std::int64_t>> pairs(const list& flat) {
    std::vector<std::pair<std::int64_t, std::int64_t>> result;
    for (std::size_t k = 0; k + 1 < flat.size(); k += 2) result.emplace_back(flat[k], flat[k + 1]);
    return result;
}

// f(x) or f(x, axis) or f(x, axes), as the case says.
template <class F> void with_axes(table& t, const std::string& name, const std::string& many, F f) {
    on(t, name, f64{}, [f, many](const auto& x, const call& c) {
        if (c.at.has("axis")) return results(f(x, c.at.integer("axis")));
        if (c.at.has(many)) return results(f(x, c.at.integers(many)));
        return results(f(x));
    });
}

// f({inputs}, axis)
template <class Kinds, class F> void joining(table& t, const std::string& name, Kinds kinds, F f) {
    on(t, name, kinds, [f](const auto& x, const call& c) {
        using T = element_type<decltype(x)>;
        const std::int64_t axis = c.at.integer("axis");
        if (c.in.size() == 2) return results(f(axis, x, c.get<T>(1)));
        return results(f(axis, x, c.get<T>(1), c.get<T>(2)));
    });
}

void add_layout(table& t) {
    on(t, "reshape", f64_i64{}, [](const auto& x, const call& c) { return df::reshape(x, c.at.integers("shape")); });
    on(t, "permute", f64_bool{}, [](const auto& x, const call& c) { return df::permute(x, c.at.integers("perm")); });
    with_axes(t, "transpose", "perm", [](const auto& x, const auto&... how) { return df::transpose(x, how...); });
    with_axes(t, "squeeze", "axes", [](const auto& x, const auto&... how) { return df::squeeze(x, how...); });
    with_axes(t, "flip", "axes", [](const auto& x, const auto&... how) { return df::flip(x, how...); });
    on(t, "moveaxis", f64{}, [](const auto& x, const call& c) {
        return df::moveaxis(x, c.at.integer("source"), c.at.integer("destination"));
    });
    on(t, "expand_dims", f64{}, [](const auto& x, const call& c) { return df::expand_dims(x, c.at.integer("axis")); });
    on(t, "broadcast_to", f64{}, [](const auto& x, const call& c) { return df::broadcast_to(x, c.at.integers("shape")); });
    on(t, "pad", f64_i64{}, [](const auto& x, const call& c) {
        return df::pad(x, pairs(c.at.integers("pads")), static_cast<element_type<decltype(x)>>(c.at.real("value")));
    });
    joining(t, "concatenate", f64_i64{},
            [](std::int64_t axis, const auto&... x) { return df::concatenate({x...}, axis); });
    joining(t, "stack", f64_bool{}, [](std::int64_t axis, const auto&... x) { return df::stack({x...}, axis); });
    on(t, "roll", f64{}, [](const auto& x, const call& c) { return df::roll(x, c.at.integer("shift"), c.at.integer("axis")); });
    on(t, "tril", f64{}, [](const auto& x, const call& c) { return df::tril(x, c.at.integer("k")); });
    on(t, "triu", f64{}, [](const auto& x, const call& c) { return df::triu(x, c.at.integer("k")); });
    unary(t, "diagonal", f64{}, [](const auto& x) { return df::diagonal(x); });
}

void add_sources(table& t) {
    t["arange_f64"] = [](const call& c) { return results(df::arange<double>(c.at.integer("n"))); };
    t["arange_i64"] = [](const call& c) { return results(df::arange<std::int64_t>(c.at.integer("n"))); };
    t["iota_i64"] = [](const call& c) { return results(df::iota<std::int64_t>(c.at.integer("n"))); };
    t["eye_f64"] = [](const call& c) { return results(df::eye<double>(c.at.integer("n"))); };
    t["linspace_f64"] = [](const call& c) {
        return results(df::linspace<double>(c.at.real("start"), c.at.real("stop"), c.at.integer("n")));
    };
    t["zeros_f64"] = [](const call& c) { return results(df::zeros<double>(c.at.integers("shape"))); };
    t["ones_f32"] = [](const call& c) { return results(df::ones<float>(c.at.integers("shape"))); };
    t["full_f64"] = [](const call& c) { return results(df::full<double>(c.at.integers("shape"), c.at.real("value"))); };
    t["full_i64"] = [](const call& c) {
        return results(df::full<std::int64_t>(c.at.integers("shape"), c.at.integer("value")));
    };
    unary(t, "zeros_like", f64_i64{}, [](const auto& x) { return df::zeros_like(x); });
    unary(t, "ones_like", f64_i64{}, [](const auto& x) { return df::ones_like(x); });
    on(t, "full_like", f64{}, [](const auto& x, const call& c) { return df::full_like(x, c.at.real("value")); });
}

df::slice range(const attributes& at) {
    const bool from = at.word("start") != "none", to = at.word("stop") != "none";
    const std::int64_t step = at.integer("step");
    if (from && to) return df::slice(at.integer("start"), at.integer("stop"), step);
    if (from) return df::slice(at.integer("start"), df::none, step);
    if (to) return df::slice(df::none, at.integer("stop"), step);
    return df::slice(df::none, df::none, step);
}

void add_indexing(table& t) {
    using taken = types<double, float, bool>;
    on(t, "index_scalar", f64_i64{}, [](const auto& x, const call& c) { return x[c.at.integer("i")]; });
    on(t, "index_slice", f64{}, [](const auto& x, const call& c) { return x[range(c.at)]; });
    on(t, "index_array", f64{}, [](const auto& x, const call& c) { return x[c.get<std::int64_t>(1)]; });
    on(t, "index_multi", f64{}, [](const auto& x, const call& c) {
        return x(df::all, df::none, c.at.integer("i"), range(c.at));
    });
    on(t, "take", taken{}, [](const auto& x, const call& c) {
        return df::take(x, c.get<std::int64_t>(1), c.at.integer("axis"));
    });
    on(t, "gather", f64{}, [](const auto& x, const call& c) {
        return df::gather(x, c.get<std::int64_t>(1), c.at.integer("axis"));
    });
    on(t, "scatter_add", f64_i64{}, [](const auto& x, const call& c) {
        const auto& updates = c.get<element_type<decltype(x)>>(2);
        const std::int64_t axis = c.at.integer("axis");
        if (axis == 0) return results(df::scatter_add(x, c.get<std::int64_t>(1), updates));
        return results(df::scatter_add(x, c.get<std::int64_t>(1), updates, axis));
    });
    on(t, "dynamic_slice", f64{}, [](const auto& x, const call& c) {
        const list size = c.at.integers("size");
        if (c.in.size() == 2) return results(df::dynamic_slice(x, {c.get<std::int64_t>(1)}, size));
        return results(df::dynamic_slice(x, {c.get<std::int64_t>(1), c.get<std::int64_t>(2)}, size));
    });
    on(t, "dynamic_update_slice", f64_i64{}, [](const auto& x, const call& c) {
        const auto& update = c.get<element_type<decltype(x)>>(1);
        if (c.in.size() == 3) return results(df::dynamic_update_slice(x, update, {c.get<std::int64_t>(2)}));
        return results(df::dynamic_update_slice(x, update, {c.get<std::int64_t>(2), c.get<std::int64_t>(3)}));
    });
    on(t, "one_hot", types<std::int64_t>{},
       [](const auto& label, const call& c) { return df::one_hot<double>(label, c.at.integer("n")); });
}

void add_products(table& t) {
    binary(t, "matmul", numeric{}, [](const auto& x, const auto& y) { return df::matmul(x, y); });
    binary(t, "dot", f64{}, [](const auto& x, const auto& y) { return df::dot(x, y); });
    binary(t, "outer", reals{}, [](const auto& x, const auto& y) { return df::outer(x, y); });
    on(t, "tensordot", f64{}, [](const auto& x, const call& c) {
        const auto& y = c.get<double>(1);
        if (c.at.has("n")) return results(df::tensordot(x, y, c.at.integer("n")));
        return results(df::tensordot(x, y, c.at.integers("a"), c.at.integers("b")));
    });
    on(t, "einsum", f64{}, [](const auto& x, const call& c) {
        const std::string& subscripts = c.at.word("subscripts");
        if (c.in.size() == 1) return results(df::einsum(subscripts, x));
        if (c.in.size() == 2) return results(df::einsum(subscripts, x, c.get<double>(1)));
        return results(df::einsum(subscripts, x, c.get<double>(1), c.get<double>(2)));
    });
}

void add_windows(table& t) {
    on(t, "conv", reals{}, [](const auto& x, const call& c) {
        const auto& kernel = c.get<element_type<decltype(x)>>(1);
        if (c.at.words.empty()) return results(df::conv(x, kernel));
        const auto axes = static_cast<std::size_t>(x.rank() - 2);
        const auto numbers = [&](const char* name, std::int64_t usual) {
            return c.at.has(name) ? c.at.integers(name) : list(axes, usual);
        };
        const list stride = numbers("stride", 1), dilation = numbers("dilation", 1);
        const std::int64_t groups = c.at.has("groups") ? c.at.integer("groups") : 1;
        if (c.at.has("pads"))
            return results(df::conv(x, kernel, {.stride = stride, .padding = pairs(c.at.integers("pads")),
                                                .dilation = dilation, .groups = groups}));
        return results(df::conv(x, kernel, {.stride = stride, .padding = numbers("padding", 0),
                                            .dilation = dilation, .groups = groups}));
    });
    on(t, "max_pool", reals{}, [](const auto& x, const call& c) {
        return df::max_pool(x, c.at.integers("window"), c.at.integers("stride"));
    });
    on(t, "avg_pool", reals{}, [](const auto& x, const call& c) {
        return df::avg_pool(x, c.at.integers("window"), c.at.integers("stride"));
    });
}

void add_sorting(table& t) {
    on(t, "sort", sortable{}, [](const auto& x, const call& c) { return df::sort(x, c.at.integer("axis")); });
    on(t, "argsort", types<double, float, std::int64_t>{},
       [](const auto& x, const call& c) { return df::argsort(x, c.at.integer("axis")); });
    on(t, "topk", types<double, float, std::int64_t>{}, [](const auto& x, const call& c) {
        const auto [values, indices] = df::topk(x, c.at.integer("k"));
        return std::vector<value>{results(values)[0], results(indices)[0]};
    });
}

} // namespace

void add_arrays(table& t) {
    add_layout(t);
    add_sources(t);
    add_indexing(t);
    add_products(t);
    add_windows(t);
    add_sorting(t);
}

} // namespace reference
