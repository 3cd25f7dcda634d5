// Laws of the derivative columns: forward and reverse mode agree with each other and with central differences, to second
// order.
#include <laws/law.hpp>
#include <support/catch.hpp>

#include <cmath>
#include <sstream>

#include <df/ops/control.hpp>

using namespace df;
using namespace df_test;

namespace {

/// A function of floating operands: a graph whose inputs `wrt` are varied, and whose outputs `seen` are compared.
struct function {
    ir::graph_ptr g;
    ir::ints wrt;
    std::vector<std::size_t> seen;

    arrays operator()(const arrays& x) const {
        const auto all = interpreted(g, x);
        arrays r;
        for (auto k : seen) r.push_back(all[k]);
        return r;
    }
};
arrays moved(const function& f, arrays x, const arrays& direction, double h) {
    for (std::size_t k = 0; k < f.wrt.size(); ++k) {
        auto& a = x[static_cast<std::size_t>(f.wrt[k])];
        auto b = core::array(a.form.element, a.form.dims);
        for (std::int64_t i = 0; i < a.elements(); ++i) b.data<double>()[i] = a.data<double>()[i] + h * direction[k].data<double>()[i];
        a = b;
    }
    return x;
}
/// The derivative of f along `direction` by differences whose leading error cancels.
arrays differences(const function& f, const arrays& x, const arrays& direction) {
    const double h = 1e-3;
    const auto a = f(moved(f, x, direction, -2 * h)), b = f(moved(f, x, direction, -h)), c = f(moved(f, x, direction, h)), d = f(moved(f, x, direction, 2 * h));
    arrays r;
    for (std::size_t k = 0; k < a.size(); ++k) {
        r.emplace_back(dtype::float64, a[k].form.dims);
        const auto p = doubles(a[k]), q = doubles(b[k]), s = doubles(c[k]), t = doubles(d[k]);
        for (std::size_t i = 0; i < p.size(); ++i) {
            const bool constant = p[i] == q[i] && q[i] == s[i] && s[i] == t[i];   // maybe infinite
            r[k].data<double>()[i] = constant ? 0 : (p[i] - 8 * q[i] + 8 * s[i] - t[i]) / (12 * h);
        }
    }
    return r;
}
std::string apart(double a, double b) {
    if (std::abs(a - b) <= 1e-9 * (1 + std::abs(a) + std::abs(b)) || (std::isnan(a) && std::isnan(b))) return "";
    std::ostringstream text;
    text.precision(12);
    text << a << " and " << b;
    return text.str();
}
double dot(const arrays& a, const arrays& b) {
    double r = 0;
    for (std::size_t k = 0; k < a.size(); ++k) r += df_test::dot(a[k], b[k]);
    return r;
}

arrays drawn(const std::vector<ir::type>& types, unsigned seed) {
    std::mt19937 random(seed);
    arrays r;
    for (auto& t : types) r.push_back(draw("f", t, random));
    return r;
}
arrays joined(arrays a, const arrays& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
arrays last(const arrays& all, std::size_t n) { return {all.end() - static_cast<std::ptrdiff_t>(n), all.end()}; }

/// The derivative of a graph as a graph: (inputs, tangents or cotangents) -> (outputs, derivatives).
ir::graph_ptr derived(const ir::op_def& mode, const ir::graph_ptr& g, const ir::ints& wrt) {
    std::vector<ir::type> types;
    for (auto v : g->inputs) types.push_back(g->type_of(v));
    if (&mode == &op::jvp) for (auto k : wrt) types.push_back(types[static_cast<std::size_t>(k)]);
    else for (auto k : ir::floating_outputs(*g)) types.push_back(g->type_of(g->outputs[k]));
    return graph_of(types, [&](const ir::values& x) { return derivative(mode, g, x, wrt); });
}
std::vector<ir::type> types_at(const ir::graph& g, const ir::ints& inputs) {
    std::vector<ir::type> r;
    for (auto k : inputs) r.push_back(g.type_of(g.inputs[static_cast<std::size_t>(k)]));
    return r;
}

/// Checks the derivatives of `g` at x against each other and against differences; returns the reverse-mode graph.
ir::graph_ptr agree(law& l, const sample& s, const std::string& what, const ir::graph_ptr& g, const ir::ints& wrt, const arrays& x, unsigned seed) {
    const auto outs = ir::floating_outputs(*g);
    std::vector<ir::type> out_types;
    for (auto k : outs) out_types.push_back(g->type_of(g->outputs[k]));
    const auto tangents = drawn(types_at(*g, wrt), seed), cotangents = drawn(out_types, seed + 1);
    const auto forward = derived(op::jvp, g, wrt), reverse = derived(op::vjp, g, wrt);
    const auto jt = last(planned(lowered(forward), joined(x, tangents)), outs.size());
    const auto ctj = last(planned(lowered(reverse), joined(x, cotangents)), wrt.size());
    l.check(s, what + "forward and reverse mode differ", apart(dot(cotangents, jt), dot(ctj, tangents)));
    const function f{executable(g), wrt, outs};
    l.check(s, what + "forward mode against differences", differ(jt, differences(f, x, tangents), 1e-6));
    return reverse;
}
/// A constant by definition, whatever its numbers do; and a result too coarse for differences.
bool differences_apply(const sample& s) {
    if (std::string(s.op->name) == "stop_gradient") return false;
    bool floating = false;
    for (auto& t : ir::infer(*s.op, s.types, s.at, place::here())) {
        if (t.element == dtype::float32) return false;
        floating |= is_floating(t.element);
    }
    return floating && !s.floating().empty();
}

}  // namespace

TEST_CASE("derivatives agree with each other and with differences, to second order") {
    law l;
    for (auto& s : all_samples()) {
        if (!differences_apply(s)) continue;
        l.run(s, "", [&] {
            const auto g = graph_of(s.types, [&](const ir::values& x) { return s(x); });
            const auto x = draw_all(s, 30);
            const auto wrt = s.floating();
            const auto reverse = agree(l, s, "", g, wrt, x, 31);
            // second order: the derivative of (x, cotangent) -> cotangents of x
            std::vector<ir::type> out_types;
            for (auto k : ir::floating_outputs(*g)) out_types.push_back(g->type_of(g->outputs[k]));
            auto both = wrt;
            for (std::size_t k = s.types.size(); k < reverse->inputs.size(); ++k) both.push_back(static_cast<std::int64_t>(k));
            agree(l, s, "second order: ", reverse, both, joined(x, drawn(out_types, 33)), 34);
        });
    }
    DF_LAW_HOLDS(l);
}

TEST_CASE("an op without derivative gives zeros") {
    law l;
    for (auto& s : all_samples()) {
        if (!s.op->no_derivative || s.floating().empty()) continue;
        l.run(s, "", [&] {
            const auto g = graph_of(s.types, [&](const ir::values& x) { return s(x); });
            if (ir::floating_outputs(*g).empty()) return;
            std::vector<ir::type> out_types;
            for (auto k : ir::floating_outputs(*g)) out_types.push_back(g->type_of(g->outputs[k]));
            const auto y = interpreted(lowered(derived(op::vjp, g, s.floating())), joined(draw_all(s, 36), drawn(out_types, 37)));
            for (auto& a : last(y, s.floating().size())) for (auto v : doubles(a)) if (v != 0) l.check(s, "", "a derivative is " + std::to_string(v));
        });
    }
    DF_LAW_HOLDS(l);
}
