// inline_calls: replaces calls by their bodies; expand: replaces named compositions by what they are made of.
#pragma once
#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::pass {
/// A call is a macro: its body takes its place, so that only what is needed of it is computed.
ir::graph_ptr inline_calls(const ir::graph_ptr& g);
/// A call with a derivative of its own stays one until derivatives have been taken; then it is its body too.
ir::graph_ptr inline_custom(const ir::graph_ptr& g);
/// Compositions keep their names until rules that know them have run; then they are their parts.
ir::graph_ptr expand(const ir::graph_ptr& g);
}  // namespace df::inline DF_ABI::pass

#if DF_IMPL
#include <df/ops/control.hpp>
#include <df/passes/nested.hpp>

namespace df::inline DF_ABI::pass {
DF_FN ir::graph_ptr inline_calls(const ir::graph_ptr& g) {
    return rewrite_nested(*g, inline_calls, [](ir::rewriter& r, const ir::node& n) -> ir::values {
        if (n.op != &op::call || n.at.has("backward")) return {};
        return ir::inline_graph(*inline_calls(n.at.graph("body")), r.operands(n));
    });
}
DF_FN ir::graph_ptr inline_custom(const ir::graph_ptr& g) {
    return rewrite_nested(*g, inline_custom, [](ir::rewriter& r, const ir::node& n) -> ir::values {
        if (n.op != &op::call) return {};
        return ir::inline_graph(*inline_custom(n.at.graph("body")), r.operands(n));
    });
}
namespace detail {
inline bool composed(const ir::graph& g) {
    for (auto& n : g.nodes) {
        if (n.op->compose) return true;
        for (auto& a : n.at.all()) for (auto& s : a.graphs) if (composed(*s)) return true;
    }
    return false;
}
}  // namespace detail
DF_FN ir::graph_ptr expand(const ir::graph_ptr& g) {
    auto r = g;
    while (detail::composed(*r))   // compositions may be made of compositions
        r = rewrite_nested(*r, expand, [](ir::rewriter& w, const ir::node& n) -> ir::values {
            if (!n.op->compose) return {};
            const ir::values none, in = w.operands(n);
            return n.op->compose({*n.op, n.at, in, none, none});
        });
    return r;
}
}  // namespace df::inline DF_ABI::pass
#endif
