// Replacing symbols by numbers: a graph with run-time sizes becomes one whose sizes are known.
#pragma once
#include <utility>

#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::ir {
using binding = std::vector<std::pair<std::int64_t, std::int64_t>>;   // symbol, number
/// The graph with every bound symbol replaced, in types, attributes and sub-graphs.
graph_ptr bind(const graph& g, const binding& b);
}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
namespace df::inline DF_ABI::ir {
DF_FN graph_ptr bind(const graph& g, const binding& b) {
    const auto number = [&](std::int64_t d) {
        if (is_symbol(d)) for (auto& [s, n] : b) if (s == d) return n;
        return d;
    };
    auto r = std::make_shared<graph>(g);
    for (auto& v : r->values) for (auto& d : v.t.dims) d = number(d);
    for (auto& n : r->nodes) {
        bool any = false;
        for (auto& a : n.at.all()) any |= a.what == attr::kind::sizes || a.what == attr::kind::graphs;
        if (!any) continue;
        auto list = n.at.all();
        for (auto& a : list) {
            if (a.what == attr::kind::sizes) for (auto& d : a.numbers) d = number(d);
            for (auto& s : a.graphs) s = bind(*s, b);
        }
        n.at = attrs(std::move(list));
    }
    std::erase_if(r->symbols, [&](const symbol& s) { return number(s.id) != s.id; });
    return r;
}
}  // namespace df::inline DF_ABI::ir
#endif
