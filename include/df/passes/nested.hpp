// Rewriting a graph and the graphs inside it by one rule.
#pragma once
#include <functional>

#include <df/ir/rewrite.hpp>

namespace df::inline DF_ABI::pass {
/// Rewrites g by `rule`; nodes it leaves alone are copied with every sub-graph replaced by inner(sub-graph).
ir::graph_ptr rewrite_nested(const ir::graph& g, ir::graph_ptr (*inner)(const ir::graph_ptr&),
                             const std::function<ir::values(ir::rewriter&, const ir::node&)>& rule);
/// The attributes with every sub-graph replaced by f(sub-graph).
ir::attrs map_graphs(const ir::attrs& at, ir::graph_ptr (*f)(const ir::graph_ptr&));
}  // namespace df::inline DF_ABI::pass

#if DF_IMPL
namespace df::inline DF_ABI::pass {
DF_FN ir::attrs map_graphs(const ir::attrs& at, ir::graph_ptr (*f)(const ir::graph_ptr&)) {
    bool any = false;
    for (auto& a : at.all()) any |= a.what == ir::attr::kind::graphs;
    if (!any) return at;
    auto list = at.all();
    for (auto& a : list) for (auto& g : a.graphs) g = f(g);
    return ir::attrs(std::move(list));
}
DF_FN ir::graph_ptr rewrite_nested(const ir::graph& g, ir::graph_ptr (*inner)(const ir::graph_ptr&),
                                   const std::function<ir::values(ir::rewriter&, const ir::node&)>& rule) {
    return ir::rewrite(g, [&](ir::rewriter& r, const ir::node& n) {
        auto out = rule(r, n);
        if (out.empty()) out = ir::emit(*n.op, r.operands(n), map_graphs(n.at, inner), n.where);
        return out;
    });
}
}  // namespace df::inline DF_ABI::pass
#endif
