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
DF_FN ir::graph_ptr expand(const ir::graph_ptr& g) {
    return rewrite_nested(*g, expand, [](ir::rewriter& r, const ir::node& n) -> ir::values {
        if (!n.op->compose) return {};
        const ir::values none, in = r.operands(n);
        return n.op->compose({*n.op, n.at, in, none, none});
    });
}
}  // namespace df::inline DF_ABI::pass
#endif
