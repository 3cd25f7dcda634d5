// Checks that a graph is well formed; names the node and the broken rule.
#pragma once
#include <df/ir/build.hpp>

namespace df::inline DF_ABI::ir {
/// Throws internal_error that begins with `who` when a rule is broken: every operand is made before it is used, results
/// have the types their records infer, sub-graphs are well formed too.
void verify(const graph& g, const char* who);
}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
namespace df::inline DF_ABI::ir {
DF_FN void verify(const graph& g, const char* who) {
    const auto broken = [&](const std::string& rule, const node* n) {
        throw internal_error(std::string(who) + ": " + (n ? std::string("node ") + n->op->name + " %" + std::to_string(n->first) + ": " : "") + rule, n ? n->where : place{});
    };
    const auto count = static_cast<int>(g.values.size());
    std::vector<bool> made(g.values.size());
    for (auto v : g.inputs) {
        if (v < 0 || v >= count || g.values[static_cast<std::size_t>(v)].node != -1) broken("an input is not a value without a node", nullptr);
        made[static_cast<std::size_t>(v)] = true;
    }
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto& n = g.nodes[i];
        std::vector<type> in;
        for (auto v : n.in) {
            if (v < 0 || v >= count) broken("an operand has no number", &n);
            if (!made[static_cast<std::size_t>(v)]) broken("operand %" + std::to_string(v) + " is used before it is made", &n);
            in.push_back(g.type_of(v));
        }
        for (auto c : n.control) if (c < 0 || c >= static_cast<int>(i)) broken("a control edge does not come from an earlier node", &n);
        const auto out = infer(*n.op, in, n.at, n.where);
        if (static_cast<int>(out.size()) != n.count) broken("it has " + std::to_string(n.count) + " results, its record says " + std::to_string(out.size()), &n);
        for (int k = 0; k < n.count; ++k) {
            const int v = n.first + k;
            if (v < 0 || v >= count || g.values[static_cast<std::size_t>(v)].node != static_cast<int>(i)) broken("a result does not know its node", &n);
            const auto &is = g.type_of(v), &should = out[static_cast<std::size_t>(k)];
            if (is.element != should.element || is.dims != should.dims || !(is.lanes == should.lanes))
                broken("result type " + to_text(is) + ", its record says " + to_text(should), &n);
            made[static_cast<std::size_t>(v)] = true;
        }
        for (auto& a : n.at.all()) if (a.what == attr::kind::graphs) for (auto& s : a.graphs) verify(*s, who);
    }
    for (auto v : g.outputs) if (v < 0 || v >= count || !made[static_cast<std::size_t>(v)]) broken("an output is not made", nullptr);
}
}  // namespace df::inline DF_ABI::ir
#endif
