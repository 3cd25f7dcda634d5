// Graphs as stable text and as a drawing: same graph, same text; no addresses.
#pragma once
#include <string>

#include <df/ir/graph.hpp>

namespace df::inline DF_ABI {
/// The graph as text, a line per node: results with types, record, operands, attributes.
std::string print(const ir::graph& g);
/// The graph in Graphviz's language.
std::string dot(const ir::graph& g);
inline std::string print(const ir::graph_ptr& g) { return print(*g); }
inline std::string dot(const ir::graph_ptr& g) { return dot(*g); }
}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
namespace detail {
// Symbols print as n1, n2 … in the order of their appearance.
class graph_text {
public:
    std::string type(const ir::type& t) {
        auto r = t;
        for (auto& d : r.dims) d = number(d);
        return ir::to_text(r);
    }
    std::string attributes(const ir::attrs& at) {
        std::vector<ir::attr> list = at.all();
        for (auto& a : list) if (a.what == ir::attr::kind::sizes) for (auto& d : a.numbers) d = number(d);
        return ir::to_text(ir::attrs(std::move(list)));
    }
    std::string body(const ir::graph& g, const std::string& indent) {
        std::string r;
        const auto name = [](int v) { return "%" + std::to_string(v); };
        for (auto v : g.inputs) r += indent + name(v) + " : " + type(g.type_of(v)) + " = input\n";
        for (std::size_t i = 0; i < g.nodes.size(); ++i) {
            const auto& n = g.nodes[i];
            r += indent;
            for (int k = 0; k < n.count; ++k) r += (k ? ", " : "") + name(n.first + k) + " : " + type(g.type_of(n.first + k));
            r += std::string(n.count ? " = " : "") + n.op->name;
            for (std::size_t k = 0; k < n.in.size(); ++k) r += (k ? ", " : " ") + name(n.in[k]);
            if (const auto a = attributes(n.at); !a.empty()) r += "  {" + a + "}";
            if (!n.control.empty()) {
                r += "  after";
                for (auto c : n.control) r += " #" + std::to_string(c);
            }
            r += "\n";
            for (auto& a : n.at.all())
                if (a.what == ir::attr::kind::graphs)
                    for (auto& s : a.graphs) r += indent + "  " + a.key + ":\n" + body(*s, indent + "    ");
        }
        r += indent + "return";
        for (std::size_t k = 0; k < g.outputs.size(); ++k) r += (k ? ", " : " ") + name(g.outputs[k]);
        return r + "\n";
    }

private:
    std::int64_t number(std::int64_t d) {
        if (!is_symbol(d)) return d;
        for (std::size_t i = 0; i < seen_.size(); ++i) if (seen_[i] == d) return symbols_end - 1 - static_cast<std::int64_t>(i);
        seen_.push_back(d);
        return symbols_end - static_cast<std::int64_t>(seen_.size());
    }
    std::vector<std::int64_t> seen_;
};
}  // namespace detail

DF_FN std::string print(const ir::graph& g) { return detail::graph_text().body(g, ""); }
DF_FN std::string dot(const ir::graph& g) {
    detail::graph_text text;
    std::string r = "digraph df {\n  rankdir=TB;\n  node [shape=box, style=rounded, fontname=Helvetica, fontsize=10];\n  edge [fontname=Helvetica, fontsize=8];\n";
    const auto name = [&](int v) {
        const int n = g.values[static_cast<std::size_t>(v)].node;
        return n < 0 ? "i" + std::to_string(v) : "n" + std::to_string(n);
    };
    for (auto v : g.inputs) r += "  i" + std::to_string(v) + " [label=\"input\\n" + text.type(g.type_of(v)) + "\", style=filled, fillcolor=\"#e8f0ff\"];\n";
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto& n = g.nodes[i];
        r += "  n" + std::to_string(i) + " [label=\"" + n.op->name;
        for (int k = 0; k < n.count; ++k) r += "\\n" + text.type(g.type_of(n.first + k));
        r += "\"];\n";
        for (auto v : n.in) r += "  " + name(v) + " -> n" + std::to_string(i) + ";\n";
        for (auto c : n.control) r += "  n" + std::to_string(c) + " -> n" + std::to_string(i) + " [style=dashed];\n";
    }
    for (std::size_t k = 0; k < g.outputs.size(); ++k) {
        r += "  o" + std::to_string(k) + " [label=\"output\", style=filled, fillcolor=\"#e8ffe8\"];\n";
        r += "  " + name(g.outputs[k]) + " -> o" + std::to_string(k) + ";\n";
    }
    return r + "}\n";
}
}  // namespace df::inline DF_ABI
#endif
