// Checks a function's derivatives against central differences.
#pragma once
#include <df/transform.hpp>

namespace df::inline DF_ABI {
namespace detail {
double check_derivatives(derivative_site s, const std::vector<std::size_t>& counts);
}  // namespace detail

/// Compares the derivatives of f at x…, reverse (vjp) and forward (jvp), with central differences for every element of
/// every floating argument, and returns the largest relative error. f may return any structure. Throws check_error, naming
/// argument, element and both numbers, when one is wrong: by more than 1e-5 in double, 1e-2 in float, whose differences
/// are that coarse. Costs two calls and a jvp for each element.
template <class F, class... A> double check_grad(const F& f, const A&... x) {
    static_assert(sizeof...(A) > 0, "df: check_grad: give the arguments at which to check");
    const auto lists = std::array{detail::leaves(detail::lift(x))...};
    place at;
    std::vector<std::size_t> counts;
    for (auto& l : lists) {
        counts.push_back(l.size());
        for (auto& v : l) if (v && !at.line) at = v->at;
    }
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto b = detail::trace_body(f, at, detail::lift(x)...);
        return detail::check_derivatives(detail::site_of<static_cast<int>(I)...>(b.t, {"check_grad", sizeof...(A) == 1}, at, detail::lift(x)...), counts);
    }(std::index_sequence_for<A...>{});
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <cmath>
#include <cstdio>

namespace df::inline DF_ABI::detail {
inline std::vector<double> host_numbers(const ir::value& v) {
    core::array r(dtype::float64, v.dims());
    core::copy_elements(v->data.form, v->data.raw(), r.form, r.raw());
    return std::vector<double>(r.data<double>(), r.data<double>() + r.elements());
}
inline ir::value with_numbers(const std::vector<double>& x, const ir::value& like) {
    core::array r(like.element(), like.dims());
    core::copy_elements(core::layout(dtype::float64, like.dims()), reinterpret_cast<const std::byte*>(x.data()), r.form, r.raw());
    return ir::concrete(std::move(r), like->at);
}
// All results as one number: their sum with weights that do not cancel.
inline double weighted(const ir::values& y, const ir::values& weights, double* size = nullptr) {
    double r = 0;
    for (std::size_t k = 0; k < y.size(); ++k) {
        if (!is_floating(y[k].element())) continue;
        const auto a = host_numbers(y[k]), w = host_numbers(weights[k]);
        for (std::size_t i = 0; i < a.size(); ++i) {
            r += a[i] * w[i];
            if (size) *size += std::abs(a[i] * w[i]);
        }
    }
    return r;
}
inline std::string element_text(std::int64_t i, const shape& s) {
    shape at = s;
    for (int a = s.n - 1; a >= 0; --a) at.d[a] = i % s.d[a], i /= s.d[a];
    return to_text(at);
}
DF_FN double check_derivatives(derivative_site s, const std::vector<std::size_t>& counts) {
    const auto x = s.arguments;
    const auto value_at = [&](const ir::values& in) { return outputs_of(s.t, in, s.at); };
    const auto y = value_at(x);
    ir::values weights;
    for (auto& v : y) {
        std::vector<double> w(static_cast<std::size_t>(v.dims().elements()));
        for (std::size_t i = 0; i < w.size(); ++i) w[i] = (i % 2 ? -1 : 1) * (1 + std::sin(static_cast<double>(i)) / 2);
        weights.push_back(with_numbers(w, v));
    }
    double size = 0;
    weighted(y, weights, &size);
    const auto pulled = vjp_node(s, weights);

    struct finding {
        double got, wanted, noise;
        const char* how;
        std::size_t tensor;
        std::int64_t element;
        bool narrow;
    };
    std::vector<finding> all;
    double largest = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (!is_floating(x[k].element())) continue;
        const bool narrow = x[k].element() != dtype::float64;
        const auto here = host_numbers(x[k]), reverse = host_numbers(pulled[y.size() + k]);
        ir::values tangents;
        for (auto& v : x) tangents.push_back(ir::zeros(v.element(), v.dims()));
        for (std::size_t i = 0; i < here.size(); ++i) {
            const double h = (narrow ? 5e-3 : 6e-6) * std::max(1.0, std::abs(here[i]));
            double at[2], side[2];
            for (int d = 0; d < 2; ++d) {
                auto moved = here;
                moved[i] += d ? h : -h;
                auto in = x;
                in[k] = with_numbers(moved, x[k]);
                at[d] = host_numbers(in[k])[i];
                side[d] = weighted(value_at(in), weights);
            }
            std::vector<double> unit(here.size());
            unit[i] = 1;
            tangents[k] = with_numbers(unit, x[k]);
            const auto pushed = jvp_node(s, tangents);
            const double wanted = (side[1] - side[0]) / (at[1] - at[0]);
            const double noise = (narrow ? 1e-7 : 2e-16) * 8 * size / h;
            const double forward = weighted(ir::values(pushed.begin() + static_cast<std::ptrdiff_t>(y.size()), pushed.end()), weights);
            all.push_back({reverse[i], wanted, noise, "vjp", k, static_cast<std::int64_t>(i), narrow});
            all.push_back({forward, wanted, noise, "jvp", k, static_cast<std::int64_t>(i), narrow});
            largest = std::max({largest, std::abs(reverse[i]), std::abs(wanted)});
        }
    }
    double worst = 0;
    for (auto& f : all) {
        const double off = std::max(0.0, std::abs(f.got - f.wanted) - f.noise);
        const double error = off == 0 ? 0 : off / std::max({std::abs(f.got), std::abs(f.wanted), largest / 1000});
        worst = std::max(worst, error);
        if (error <= (f.narrow ? 1e-2 : 1e-5)) continue;
        std::size_t argument = 0, first = 0;
        while (f.tensor >= first + counts[argument]) first += counts[argument++];
        char numbers[160];
        std::snprintf(numbers, sizeof numbers, "%s gives %.9g, central differences %.9g", f.how, f.got, f.wanted);
        throw check_error("check_grad: argument " + std::to_string(argument) + (counts[argument] > 1 ? ", tensor " + std::to_string(f.tensor - first) : "") + " (" +
                          ir::to_text(x[f.tensor].type()) + "), element " + element_text(f.element, x[f.tensor].dims()) + ": " + numbers +
                          "; correct the derivative, or check where the function is smooth", s.at);
    }
    return worst;
}
}  // namespace df::inline DF_ABI::detail
#endif
