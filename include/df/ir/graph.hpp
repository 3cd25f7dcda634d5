// Graphs: nodes in program order over numbered values. A graph that is published never changes.
#pragma once
#include <memory>
#include <vector>

#include <df/ir/attr.hpp>
#include <df/ir/op_def.hpp>

namespace df::inline DF_ABI::ir {

/// A value of a graph: output `output` of node `node`, or (node -1) an input.
struct value_info {
    type t;
    place at;
    int node = -1;
    int output = 0;
};

/// One application of a record. Its results are the values first … first + count - 1.
struct node {
    const op_def* op = nullptr;
    attrs at;
    std::vector<int> in;
    int first = 0;
    int count = 0;
    std::vector<int> control;   // nodes that must run before, beyond the data
    place where;
};

/// A size known when the program runs: the run-time content of an int64 scalar value, at most `bound`.
struct symbol {
    std::int64_t id = 0;
    int count = -1;
    std::int64_t bound = std::int64_t{1} << 40;
};

struct graph {
    std::vector<value_info> values;
    std::vector<node> nodes;
    std::vector<int> inputs, outputs;
    std::vector<symbol> symbols;

    const type& type_of(int v) const { return values[static_cast<std::size_t>(v)].t; }
    const node* producer(int v) const {
        const int n = values[static_cast<std::size_t>(v)].node;
        return n < 0 ? nullptr : &nodes[static_cast<std::size_t>(n)];
    }
};

/// Are the graphs the same but for places? Symbols may differ by a renaming.
bool equal(const graph& a, const graph& b);
std::size_t hash(const graph& g);
/// How often each value is used by nodes and outputs.
std::vector<int> use_counts(const graph& g);
/// The nodes that outputs and effects need, each once, in program order.
std::vector<bool> live_nodes(const graph& g);
/// The axes of a node, lane axes included: their labels come first in every operand that has them.
axes axes_of(const graph& g, const node& n);

}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
namespace df::inline DF_ABI::ir {
DF_FN unsigned effects_of(const node& n) {
    unsigned e = n.op->effects;
    for (auto& a : n.at.all())
        if (a.what == attr::kind::graphs)
            for (auto& g : a.graphs) for (auto& m : g->nodes) e |= effects_of(m);
    return e;
}
DF_FN bool equal(const graph& a, const graph& b) {
    if (a.values.size() != b.values.size() || a.nodes.size() != b.nodes.size() || a.inputs != b.inputs || a.outputs != b.outputs) return false;
    std::vector<std::pair<std::int64_t, std::int64_t>> same;   // symbols of a and b that correspond
    const auto dims_equal = [&](const shape& x, const shape& y) {
        if (x.n != y.n) return false;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] == y[i] && !is_symbol(x[i])) continue;
            if (!is_symbol(x[i]) || !is_symbol(y[i])) return false;
            bool found = false;
            for (auto& [p, q] : same) {
                if ((p == x[i]) != (q == y[i])) return false;
                found |= p == x[i];
            }
            if (!found) same.emplace_back(x[i], y[i]);
        }
        return true;
    };
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        const auto &x = a.values[i].t, &y = b.values[i].t;
        if (x.element != y.element || x.lanes.n != y.lanes.n || x.device != y.device || x.properties != y.properties || !dims_equal(x.dims, y.dims)) return false;
    }
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        const auto &x = a.nodes[i], &y = b.nodes[i];
        if (x.op != y.op || x.in != y.in || x.first != y.first || x.control != y.control) return false;
        if (x.at == y.at) continue;
        const auto &p = x.at.all(), &q = y.at.all();
        if (p.size() != q.size()) return false;
        for (std::size_t k = 0; k < p.size(); ++k) {
            const bool sizes = p[k].what == attr::kind::sizes && q[k].what == attr::kind::sizes && std::string(p[k].key) == q[k].key;
            if (sizes ? !dims_equal(shape(p[k].numbers), shape(q[k].numbers)) : !(p[k] == q[k])) return false;
        }
    }
    return true;
}
DF_FN std::size_t hash(const graph& g) {
    std::size_t h = g.nodes.size();
    for (auto v : g.inputs) {
        auto& t = g.type_of(v);
        h = mix(h, static_cast<std::size_t>(t.element));
        for (auto d : t.dims) h = mix(h, is_symbol(d) ? 0 : static_cast<std::size_t>(d));
    }
    for (auto& n : g.nodes) {
        h = mix(h, reinterpret_cast<std::uintptr_t>(n.op));
        for (auto v : n.in) h = mix(h, static_cast<std::size_t>(v));
        bool symbolic = false;
        for (auto& a : n.at.all()) if (a.what == attr::kind::sizes) for (auto d : a.numbers) symbolic |= is_symbol(d);
        if (!symbolic) h = mix(h, n.at.hash());
    }
    for (auto v : g.outputs) h = mix(h, static_cast<std::size_t>(v));
    return h;
}
DF_FN std::vector<int> use_counts(const graph& g) {
    std::vector<int> r(g.values.size());
    for (auto& n : g.nodes) for (auto v : n.in) ++r[static_cast<std::size_t>(v)];
    for (auto v : g.outputs) ++r[static_cast<std::size_t>(v)];
    return r;
}
DF_FN std::vector<bool> live_nodes(const graph& g) {
    std::vector<bool> needed(g.values.size()), live(g.nodes.size());
    for (auto v : g.outputs) needed[static_cast<std::size_t>(v)] = true;
    for (auto& s : g.symbols) if (s.count >= 0) needed[static_cast<std::size_t>(s.count)] = true;
    for (std::size_t i = g.nodes.size(); i-- > 0;) {
        auto& n = g.nodes[i];
        bool keep = live[i] || (effects_of(n) & must_run);
        for (int k = 0; k < n.count; ++k) keep |= needed[static_cast<std::size_t>(n.first + k)];
        if (!keep) continue;
        live[i] = true;
        for (auto v : n.in) needed[static_cast<std::size_t>(v)] = true;
        for (auto c : n.control) live[static_cast<std::size_t>(c)] = true;
    }
    return live;
}
DF_FN axes axes_of(const graph& g, const node& n) {
    std::vector<type> in, out;
    lane_list all;
    for (auto v : n.in) {
        in.push_back(g.type_of(v));
        for (int i = 0; i < in.back().lanes.n; ++i) all.insert(in.back().lanes.id[i]);
    }
    for (int k = 0; k < n.count; ++k) {
        out.push_back(g.type_of(n.first + k));
        for (int i = 0; i < out.back().lanes.n; ++i) all.insert(out.back().lanes.id[i]);
    }
    axes r;
    if (n.op->axes) {
        r = n.op->axes({n.at, in, out});
        if (n.op->moves_lanes) return r;
    } else {
        const auto whole = [&](const std::vector<type>& ts, std::vector<labels>& to) {
            for (auto& t : ts) {
                to.emplace_back();
                for (int i = 0; i < t.own_rank(); ++i) to.back().push_back(r.fresh(role::opaque));
            }
        };
        whole(in, r.in);
        whole(out, r.out);
    }
    if (!all.n) return r;
    labels lane;   // the label of each lane axis
    for (int i = 0; i < all.n; ++i) lane.push_back(r.fresh(n.op->axes ? role::map : role::opaque));
    const auto prefix = [&](const type& t, labels& l) {
        labels p;
        for (int i = 0; i < t.lanes.n; ++i) p.push_back(lane[static_cast<std::size_t>(all.position(t.lanes.id[i]))]);
        l.insert(l.begin(), p.begin(), p.end());
    };
    for (std::size_t k = 0; k < in.size(); ++k) prefix(in[k], r.in[k]);
    for (std::size_t k = 0; k < out.size(); ++k) prefix(out[k], r.out[k]);
    return r;
}
}  // namespace df::inline DF_ABI::ir
#endif
