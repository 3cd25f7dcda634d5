// Copying a graph node by node into a new one, with replacements: what every pass and the scheduler are made of.
#pragma once
#include <functional>

#include <df/ir/build.hpp>

namespace df::inline DF_ABI::ir {

/// The copy under construction. Values of the old graph are looked up by number; a rule may emit whatever it likes.
class rewriter {
public:
    explicit rewriter(const graph& from);
    const graph& from() const { return from_; }
    /// The new value that stands for value `id` of the old graph.
    const value& operator()(int id) const { return env_[static_cast<std::size_t>(id)]; }
    values operands(const node& n) const;
    void set(int id, value v) { env_[static_cast<std::size_t>(id)] = std::move(v); }
    /// The node as it is, on the new operands.
    values copy(const node& n);
    builder& to() { return to_; }
    graph_ptr finish();

private:
    friend graph_ptr rewrite(const graph&, const std::function<values(rewriter&, const node&)>&);
    const graph& from_;
    builder to_;
    values env_;
    std::vector<int> node_of_;   // old node -> last new node made for it, for control edges
};

/// Copies the live nodes of g in order; `rule` returns the values that replace a node's results, or none to copy it.
graph_ptr rewrite(const graph& g, const std::function<values(rewriter&, const node&)>& rule);

}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
namespace df::inline DF_ABI::ir {
DF_FN rewriter::rewriter(const graph& from) : from_(from), to_(builder::kind::rewrite), env_(from.values.size()), node_of_(from.nodes.size(), -1) {
    for (auto v : from.inputs) set(v, to_.input(from.type_of(v), from.values[static_cast<std::size_t>(v)].at));
}
DF_FN values rewriter::operands(const node& n) const {
    values in;
    in.reserve(n.in.size());
    for (auto v : n.in) in.push_back((*this)(v));
    return in;
}
DF_FN values rewriter::copy(const node& n) { return emit(*n.op, operands(n), n.at, n.where); }
DF_FN graph_ptr rewriter::finish() {
    for (auto& s : from_.symbols) {
        auto t = s;
        if (s.count >= 0) t.count = to_.resolve((*this)(s.count), "size", {});
        to_.adopt(t);
    }
    for (auto v : from_.outputs) to_.output((*this)(v), "result", {});
    return to_.finish();
}
DF_FN graph_ptr rewrite(const graph& g, const std::function<values(rewriter&, const node&)>& rule) {
    rewriter r(g);
    const auto live = live_nodes(g);
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (!live[i]) continue;
        const auto& n = g.nodes[i];
        place_scope p(n.where);
        auto out = rule(r, n);
        if (out.empty() && n.count) out = r.copy(n);
        for (int k = 0; k < n.count; ++k) {
            auto& v = out[static_cast<std::size_t>(k)];
            r.set(n.first + k, v.staged() ? std::move(v) : r.to().handle(r.to().resolve(v, n.op->name, n.where)));
        }
        auto& made = r.to_.content().nodes;
        r.node_of_[i] = static_cast<int>(made.size()) - 1;
        for (auto c : n.control) if (!made.empty()) made.back().control.push_back(r.node_of_[static_cast<std::size_t>(c)]);
    }
    return r.finish();
}
}  // namespace df::inline DF_ABI::ir
#endif
