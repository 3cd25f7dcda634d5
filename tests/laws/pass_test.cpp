// Laws of the passes: each one keeps the values of the graphs that arise, and the backend gives what the reference gives.
#include <laws/law.hpp>
#include <support/catch.hpp>

#include <df/ir/verify.hpp>
#include <df/ops/control.hpp>
#include <df/ops/index.hpp>
#include <df/passes/pipeline.hpp>

using namespace df;
using namespace df_test;

namespace {

ir::values vjp_of(const sample& s, const ir::values& x) {
    std::vector<ir::type> types;
    for (auto& v : x) types.push_back(v.type());
    const auto g = graph_of(types, [&](const ir::values& y) { return s(y); });
    auto operands = x;
    for (auto k : ir::floating_outputs(*g)) {   // cotangents: the results' own values would do; the operands of a law are few
        const auto& t = g->type_of(g->outputs[k]);
        operands.push_back(ir::broadcast_to(ir::literal(t.element, 0.75), t.dims));
    }
    return derivative(op::vjp, g, operands, s.floating());
}
using program = ir::values (*)(const sample&, const ir::values&);
struct shape_of_program {
    const char* name;
    bool differentiates;
    program run;
};
ir::values rows(const ir::values& x, const ir::value& i) {
    auto r = x;
    for (auto& v : r) v = ir::gather(v, i, 0);
    return r;
}
// Every operand has an axis of three in front.
const shape_of_program programs[] = {
    {"one lane", false, [](const sample& s, const ir::values& x) { return s(rows(x, ir::literal(dtype::int64, std::int64_t{1}))); }},
    {"pfor", false, [](const sample& s, const ir::values& x) { return parallel(3, [&](const ir::values& i) { return s(rows(x, i[0])); }); }},
    {"pfor of vjp", true, [](const sample& s, const ir::values& x) { return parallel(3, [&](const ir::values& i) { return vjp_of(s, rows(x, i[0])); }); }},
    {"vjp of pfor", true, [](const sample& s, const ir::values& x) {
        std::vector<ir::type> types;
        for (auto& v : x) types.push_back(v.type());
        const auto g = graph_of(types, [&](const ir::values& y) { return parallel(3, [&](const ir::values& i) { return s(rows(y, i[0])); }); });
        auto operands = x;
        for (auto k : ir::floating_outputs(*g)) {
            const auto& t = g->type_of(g->outputs[k]);
            operands.push_back(ir::broadcast_to(ir::literal(t.element, 0.75), t.dims));
        }
        return derivative(op::vjp, g, operands, s.floating());
    }},
    {"jvp of pfor", true, [](const sample& s, const ir::values& x) {
        std::vector<ir::type> types;
        for (auto& v : x) types.push_back(v.type());
        const auto g = graph_of(types, [&](const ir::values& y) { return parallel(3, [&](const ir::values& i) { return s(rows(y, i[0])); }); });
        auto operands = x;
        for (auto k : s.floating()) operands.push_back(x[static_cast<std::size_t>(k)]);
        return derivative(op::jvp, g, operands, s.floating());
    }},
};

}  // namespace

TEST_CASE("every pass keeps the values of the graphs that arise, and the backend computes them") {
    law l;
    for (auto& given : all_samples())
        for (const auto to : {dtype::float64, dtype::float32}) {
            if (to == dtype::float32 && given.floating().empty()) continue;
            const auto s = given.in(to);
            for (auto& p : programs) {
                if (p.differentiates && s.floating().empty()) continue;
                const std::string what = std::string(p.name) + (to == dtype::float32 ? " in float" : "");
                l.run(s, what, [&] {
                    const std::vector<shape> front(s.types.size(), shape{3});
                    auto types = s.types;
                    for (auto& t : types) t.dims = shape{3} + t.dims;
                    ir::graph_ptr g = graph_of(types, [&](const ir::values& x) { return p.run(s, x); });
                    if (p.differentiates && ir::floating_outputs(*g).empty()) return;
                    const auto in = draw_all(s, 40, front);
                    ir::verify(*g, "trace");
                    const auto wanted = interpreted(executable(g), in);
                    for (auto& pass : pass::pipeline()) {
                        g = pass.run(g);
                        ir::verify(*g, pass.name);
                        l.check(s, what + ", after " + pass.name, differ(interpreted(executable(g), in), wanted, 1e-10));
                    }
                    for (auto& n : g->nodes) if (n.op->compose) l.check(s, what, std::string(n.op->name) + " is still there after the passes");
                    l.check(s, what + ", planned", differ(planned(g, in), wanted, 1e-10));
                });
            }
        }
    DF_LAW_HOLDS(l);
}
