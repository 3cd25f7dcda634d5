// prune: drops what neither outputs nor effects need.
#pragma once
#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::pass {
/// Lazy semantics: a pure node nobody reads is not run, so it cannot fail either.
ir::graph_ptr prune(const ir::graph_ptr& g);
}  // namespace df::inline DF_ABI::pass

#if DF_IMPL
#include <df/ir/rewrite.hpp>

namespace df::inline DF_ABI::pass {
DF_FN ir::graph_ptr prune(const ir::graph_ptr& g) {
    bool whole = true;
    for (bool l : ir::live_nodes(*g)) whole &= l;
    return whole ? g : ir::rewrite(*g, [](ir::rewriter&, const ir::node&) { return ir::values{}; });
}
}  // namespace df::inline DF_ABI::pass
#endif
