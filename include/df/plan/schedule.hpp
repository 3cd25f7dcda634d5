// schedule: runs a region of a graph in blocks along an axis, as one loop. Lane blocks, chunks, splits and tiles are such
// loops and differ in size only. Here a region is split on request.
#pragma once
#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::plan {
/// The labels of a node's axes (see ir::axes_of) that it can be run in blocks along.
std::vector<int> splittable(const ir::graph& g, int node);
/// The graph with the region around an axis of a node as one loop over blocks of `block` elements; null when the node
/// cannot be run in blocks along it. Blocks go through the region one after another: a reduction carries its monoid's
/// state, what others read is written in place.
ir::graph_ptr split(const ir::graph& g, int node, int label, std::int64_t block);
}  // namespace df::inline DF_ABI::plan

#if DF_IMPL
#include <algorithm>
#include <map>
#include <set>

#include <df/ir/constant.hpp>
#include <df/ir/loop.hpp>
#include <df/ir/monoid.hpp>
#include <df/ir/rewrite.hpp>

namespace df::inline DF_ABI::plan {
namespace detail {
inline constexpr int nowhere = -1;
/// Where label l stands in a list, or nowhere.
inline int axis_of(const labels& list, int l) {
    for (std::size_t i = 0; i < list.size(); ++i) if (list[i] == l) return static_cast<int>(i);
    return nowhere;
}

/// A graph with the axes of its nodes and the users of its values.
struct labelled {
    const ir::graph& g;
    std::vector<axes> columns;              // per node
    std::vector<std::vector<int>> users;    // per value: nodes
    std::vector<bool> result;               // per value: is it an output of the graph?

    explicit labelled(const ir::graph& graph) : g(graph), users(graph.values.size()), result(graph.values.size()) {
        for (std::size_t i = 0; i < g.nodes.size(); ++i) {
            columns.push_back(ir::axes_of(g, g.nodes[i]));
            for (auto v : g.nodes[i].in) users[static_cast<std::size_t>(v)].push_back(static_cast<int>(i));
        }
        for (auto v : g.outputs) result[static_cast<std::size_t>(v)] = true;
    }
    const ir::node& node(int n) const { return g.nodes[static_cast<std::size_t>(n)]; }
    const axes& column(int n) const { return columns[static_cast<std::size_t>(n)]; }
    int producer(int v) const { return g.values[static_cast<std::size_t>(v)].node; }
    const labels& of_operand(int n, std::size_t k) const { return column(n).in[k]; }
    const labels& of_result(int v) const { return column(producer(v)).out[static_cast<std::size_t>(g.values[static_cast<std::size_t>(v)].output)]; }
    role along(int n, int l) const { return column(n).roles[static_cast<std::size_t>(l)]; }

    /// Can node n be run in blocks along its label l?
    bool splits(int n, int l) const {
        const auto& x = node(n);
        if (!x.op->axes || x.op->effects || !x.control.empty()) return false;
        const auto r = along(n, l);
        if (r == role::opaque || r == role::window) return false;
        if (r != role::map && !x.op->combines) return false;
        if (r == role::scan && x.at.flag("reverse")) return false;
        for (auto& list : column(n).in) if (std::count(list.begin(), list.end(), l) > 1) return false;
        for (auto& list : column(n).out) if (std::count(list.begin(), list.end(), l) != (r == role::reduce ? 0 : 1)) return false;
        return true;
    }
    /// Is n made along l from constants alone? Then it is made again at each use, and ties nothing together.
    bool generated(int n, int l) const {
        const auto& x = node(n);
        for (std::size_t k = 0; k < x.in.size(); ++k) {
            const int p = producer(x.in[k]);
            if (axis_of(of_operand(n, k), l) != nowhere || p == nowhere || node(p).op != &op::constant) return false;
        }
        return x.op != &op::constant && splits(n, l);
    }
};

/// The nodes that run block by block along one axis: from a node to what it reads and to who reads it.
class region {
public:
    region(const labelled& graph, int seed, int label) : g_(graph), label_(graph.g.nodes.size(), nowhere) {
        std::set<int> banned;
        while (!grow(seed, label, banned)) {}
        for (int before = -1; before != count();) {
            before = count();
            settle();
        }
        for (std::size_t k = 0; k < g_.node(seed).in.size(); ++k)
            if (const int a = axis_of(g_.of_operand(seed, k), label); a != nowhere) size = g_.g.type_of(g_.node(seed).in[k]).dims.d[a];
        for (int k = 0; k < g_.node(seed).count; ++k)
            if (const int v = g_.node(seed).first + k, a = axis_of(g_.of_result(v), label); a != nowhere) size = g_.g.type_of(v).dims.d[a];
    }
    std::int64_t size = 0;   // of the axis
    int count() const { return static_cast<int>(std::count_if(label_.begin(), label_.end(), [](int l) { return l != nowhere; })); }
    bool has(int n) const { return n != nowhere && label(n) != nowhere; }
    int label(int n) const { return label_[static_cast<std::size_t>(n)]; }
    bool reduces(int n) const { return g_.along(n, label(n)) == role::reduce; }
    /// The region's axis of a value made in it; nowhere for results of reductions.
    int axis(int v) const { return axis_of(g_.of_result(v), label(g_.producer(v))); }
    /// Written in place, block by block, since others read it.
    bool placed(int v) const {
        const int n = g_.producer(v);
        if (!has(n) || reduces(n) || !dep_[static_cast<std::size_t>(n)].empty()) return false;
        bool outside = g_.result[static_cast<std::size_t>(v)];
        for (auto u : g_.users[static_cast<std::size_t>(v)]) outside |= !has(u);
        return outside;
    }

private:
    // False when a node was met along two of its axes: it is banned, and growing starts again.
    bool grow(int seed, int label, std::set<int>& banned) {
        label_.assign(label_.size(), nowhere);
        label_[static_cast<std::size_t>(seed)] = label;
        std::vector<int> work{seed};
        const auto joins = [&](int n, int l) {
            if (l == no_label || banned.count(n) || g_.generated(n, l) || !g_.splits(n, l)) return true;
            auto& mine = label_[static_cast<std::size_t>(n)];
            if (mine == nowhere) mine = l, work.push_back(n);
            if (mine == l) return true;
            if (n != seed) return banned.insert(n), false;
            return true;
        };
        while (!work.empty()) {
            const int n = work.back();
            work.pop_back();
            const int l = this->label(n);
            const auto& x = g_.node(n);
            for (std::size_t k = 0; k < x.in.size(); ++k) {
                const int a = axis_of(g_.of_operand(n, k), l), p = g_.producer(x.in[k]);
                if (a != nowhere && p != nowhere && !joins(p, g_.of_result(x.in[k])[static_cast<std::size_t>(a)])) return false;
            }
            if (g_.along(n, l) == role::reduce) continue;
            for (int v = x.first; v < x.first + x.count; ++v) {
                const auto a = static_cast<std::size_t>(axis_of(g_.of_result(v), l));
                for (auto u : g_.users[static_cast<std::size_t>(v)])
                    for (std::size_t k = 0; k < g_.node(u).in.size(); ++k)
                        if (g_.node(u).in[k] == v && !joins(u, g_.of_operand(u, k)[a])) return false;
            }
        }
        return true;
    }
    // Drops nodes that need a finished result of this very loop, or a value of it whole. `dep`: the results of the loop
    // that a node waits for inside it; `out`: what a copy of it outside would wait for. ~n: a value of n that is placed.
    void settle() {
        const auto n = g_.g.nodes.size();
        dep_.assign(n, {});
        std::vector<std::set<int>> out(n);
        for (std::size_t i = 0; i < n; ++i) {
            const int me = static_cast<int>(i);
            const auto& x = g_.g.nodes[i];
            bool bad = false;
            std::set<int> inside;
            for (std::size_t k = 0; k < x.in.size(); ++k) {
                const int p = g_.producer(x.in[k]);
                if (p == nowhere) continue;
                const auto q = static_cast<std::size_t>(p);
                const int a = has(p) ? axis(x.in[k]) : nowhere;
                std::set<int> waits = out[q];
                if (has(p) && a == nowhere) waits = dep_[q], waits.insert(p);
                else if (has(p) && placed(x.in[k])) waits = {~p};
                const bool same = has(me) && a != nowhere && g_.of_operand(me, k)[static_cast<std::size_t>(a)] == label(me);
                bad |= has(me) && a != nowhere && !same;
                out[i].insert(waits.begin(), waits.end());
                inside.insert(same ? dep_[q].begin() : waits.begin(), same ? dep_[q].end() : waits.end());
            }
            dep_[i] = has(me) ? inside : out[i];
            if (has(me) && (bad || !inside.empty())) {
                label_[i] = nowhere;
                dep_[i] = out[i];
            }
        }
    }

    const labelled& g_;
    std::vector<int> label_;              // per node
    std::vector<std::set<int>> dep_;      // per node
};

/// The attributes of a node whose result 0 has size n along physical axis `axis`.
inline ir::attrs blocked(const ir::graph& g, const ir::node& n, int axis, std::int64_t size) {
    if (axis == nowhere) return n.at;
    const auto& t = g.type_of(n.first);
    if (n.op->moves_lanes && n.at.has("size") && n.at.integer("to") == axis) return n.at.with({"size", shape{size}});
    auto list = n.at.all();
    const auto own = t.own();
    for (auto& a : list)   // a list of sizes that is the shape of the result
        if (a.what == ir::attr::kind::sizes && axis >= t.lanes.n && shape(a.numbers) == own) a.numbers[static_cast<std::size_t>(axis - t.lanes.n)] = size;
    return ir::attrs(std::move(list));
}

/// Writes the loop of a region and the graph around it.
class splitter {
public:
    splitter(const labelled& g, const region& r, std::int64_t block) : g_(g), r_(r), body_(ir::builder::kind::rewrite), done_(g.g.values.size()) {
        form_.count = r.size;
        form_.block = block;
        form_.blocked = true;
        form_.block_size = fresh_symbol();
        first_ = body_.input(ir::type(dtype::int64, {}), {});
        write_body();
        body_.close();
    }
    ir::graph_ptr finish() {
        ir::rewriter w(g_.g);
        // first what the loop reads, then the loop, then the rest
        std::vector<bool> before(g_.g.nodes.size());
        const auto needs = [&](int v) { if (const int p = g_.producer(v); p != nowhere) before[static_cast<std::size_t>(p)] = true; };
        for (auto& [v, axis] : slices_) needs(v);
        for (auto v : invariants_) needs(v);
        for (std::size_t i = g_.g.nodes.size(); i-- > 0;) if (before[i]) for (auto v : g_.g.nodes[i].in) needs(v);
        const auto live = ir::live_nodes(g_.g);
        const auto copy = [&](bool early) {
            for (std::size_t i = 0; i < g_.g.nodes.size(); ++i) {
                const auto& n = g_.g.nodes[i];
                if (before[i] != early || r_.has(static_cast<int>(i)) || !live[i]) continue;
                const ir::place_scope p(n.where);
                auto y = w.copy(n);
                for (int k = 0; k < n.count; ++k) w.set(n.first + k, std::move(y[static_cast<std::size_t>(k)]));
            }
        };
        copy(true);
        run_loop(w);
        copy(false);
        return w.finish();
    }

private:
    struct reducer {
        int node;
        std::size_t states;
        std::vector<ir::type> types;   // of the results of a whole reduction, for the identity
    };

    ir::value outer(int v, int axis) {
        const int p = g_.producer(v);
        const auto key = std::pair(v, axis);
        if (auto it = from_outside_.find(key); it != from_outside_.end()) return it->second;
        ir::value x;
        auto t = g_.g.type_of(v);
        const auto at = g_.g.values[static_cast<std::size_t>(v)].at;
        if (p != nowhere && axis != nowhere && g_.generated(p, g_.of_result(v)[static_cast<std::size_t>(axis)])) {
            x = write_node(p, g_.of_result(v)[static_cast<std::size_t>(axis)])[static_cast<std::size_t>(g_.g.values[static_cast<std::size_t>(v)].output)];
        } else if (p != nowhere && axis == nowhere && g_.node(p).op == &op::constant) {
            x = ir::emit_one(op::constant, {}, g_.node(p).at, g_.node(p).where);
        } else {
            if (axis != nowhere) t.dims.d[axis] = form_.block_size;
            x = body_.input(t, at);
            if (axis == nowhere) invariants_.push_back(v);
            else slices_.push_back(key), form_.slice_axes.push_back(axis);
            (axis == nowhere ? invariant_ids_ : slice_ids_).push_back(x->id);
        }
        return from_outside_[key] = x;
    }
    ir::value inside(int v, int axis) {
        return axis != nowhere && r_.has(g_.producer(v)) && r_.axis(v) == axis ? done_[static_cast<std::size_t>(v)] : outer(v, axis);
    }
    // The node on a block along its label l.
    ir::values write_node(int n, int l) {
        const auto& x = g_.node(n);
        const ir::place_scope p(x.where);
        ir::values in;
        for (std::size_t k = 0; k < x.in.size(); ++k) in.push_back(inside(x.in[k], axis_of(g_.of_operand(n, k), l)));
        const int axis = axis_of(g_.column(n).out[0], l);
        const auto at = blocked(g_.g, x, axis, form_.block_size);
        const auto role_here = g_.along(n, l);
        if (role_here == role::map) {
            const int lanes = g_.g.type_of(x.first).lanes.n;
            if (!x.op->numbered || axis - lanes != x.at.integer("axis")) return ir::emit(*x.op, in, at, x.where);
            const ir::values none;
            return x.op->numbered({*x.op, at, in, none, none}, first_);
        }
        const auto& m = *x.op->combines;
        const auto part = m.lift(*x.op, in, at, first_);
        ir::values old;
        for (auto& s : part) old.push_back(body_.input(s.type(), x.where)), carry_ids_.push_back(old.back()->id);
        reducer r{n, part.size(), {}};
        for (int k = 0; k < x.count; ++k) r.types.push_back(g_.g.type_of(x.first + k));
        if (role_here == role::scan) for (auto& t : r.types) t.dims.d[axis] = 1;
        reducers_.push_back(r);
        const auto now = m.combine(old, part);
        carried_.insert(carried_.end(), now.begin(), now.end());
        return role_here == role::scan ? m.combine(old, ir::emit(*x.op, in, at, x.where)) : ir::values{};
    }
    void write_body() {
        const auto& nodes = g_.g.nodes;
        std::vector<bool> needed(nodes.size());
        std::vector<int> places;
        for (std::size_t i = nodes.size(); i-- > 0;) {
            const int n = static_cast<int>(i);
            if (!r_.has(n)) continue;
            bool keep = needed[i] || r_.reduces(n);
            for (int v = nodes[i].first; v < nodes[i].first + nodes[i].count; ++v) if (r_.placed(v)) keep = true, places.push_back(v);
            if (!keep) continue;
            needed[i] = true;
            for (auto v : nodes[i].in) if (r_.has(g_.producer(v))) needed[static_cast<std::size_t>(g_.producer(v))] = true;
        }
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (!needed[i]) continue;
            auto y = write_node(static_cast<int>(i), r_.label(static_cast<int>(i)));
            for (std::size_t k = 0; k < y.size(); ++k) done_[static_cast<std::size_t>(nodes[i].first) + k] = std::move(y[k]);
        }
        for (auto& v : carried_) body_.output(v, "loop", {});
        form_.carries = static_cast<std::int64_t>(carried_.size());
        for (auto v : places) {
            body_.output(done_[static_cast<std::size_t>(v)], "loop", {});
            form_.place_axes.push_back(r_.axis(v));
        }
        placed_ = std::move(places);
        auto& in = body_.content().inputs;
        in = {in[0]};
        for (auto* ids : {&slice_ids_, &carry_ids_, &invariant_ids_}) in.insert(in.end(), ids->begin(), ids->end());
        form_.body = body_.finish();
    }
    void run_loop(ir::rewriter& w) {
        ir::values operands;
        for (auto& [v, axis] : slices_) operands.push_back(w(v));
        for (auto& r : reducers_) {
            auto types = r.types;
            for (auto& t : types) t.lanes = {};   // lane axes of a state are plain axes of its first value
            const auto& x = g_.node(r.node);
            std::vector<ir::type> from;
            for (auto v : x.in) from.push_back(g_.g.type_of(v));
            const auto first = x.op->combines->identity(from, types, x.at);
            operands.insert(operands.end(), first.begin(), first.end());
        }
        for (auto v : invariants_) operands.push_back(w(v));
        const auto y = ir::emit(op::loop, operands, form_.to_attrs());
        std::size_t k = 0;
        for (auto& r : reducers_) {
            const auto& n = g_.node(r.node);
            const auto out = n.op->combines->finish({y.begin() + static_cast<std::ptrdiff_t>(k), y.begin() + static_cast<std::ptrdiff_t>(k + r.states)});
            k += r.states;
            if (r_.reduces(r.node)) for (int j = 0; j < n.count; ++j) w.set(n.first + j, out[static_cast<std::size_t>(j)]);
        }
        for (auto v : placed_) w.set(v, y[k++]);
    }

    const labelled& g_;
    const region& r_;
    ir::builder body_;
    ir::loop_form form_;
    ir::value first_;                                        // the number of the block's first element
    ir::values done_;                                        // per value of the region
    std::map<std::pair<int, int>, ir::value> from_outside_;
    std::vector<std::pair<int, int>> slices_;                // value, axis
    std::vector<int> invariants_, placed_;
    std::vector<int> slice_ids_, carry_ids_, invariant_ids_;
    std::vector<reducer> reducers_;
    ir::values carried_;
};
}  // namespace detail

DF_FN std::vector<int> splittable(const ir::graph& g, int node) {
    const detail::labelled l(g);
    std::vector<int> r;
    for (int k = 0; k < static_cast<int>(l.column(node).roles.size()); ++k) if (l.splits(node, k)) r.push_back(k);
    return r;
}
DF_FN ir::graph_ptr split(const ir::graph& g, int node, int label, std::int64_t block) {
    for (auto& n : g.nodes) if (!n.control.empty()) return nullptr;   // nothing may move across control edges
    const detail::labelled l(g);
    if (!l.splits(node, label)) return nullptr;
    const detail::region r(l, node, label);
    if (!r.has(node)) return nullptr;
    return detail::splitter(l, r, block).finish();
}
}  // namespace df::inline DF_ABI::plan
#endif
