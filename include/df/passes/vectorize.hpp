// vectorize: parallel loops become whole blocks, outermost first. The values of a body gain a lane axis only where they
// vary; what does not vary is computed once.
#pragma once
#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::pass {
/// What happens to an op without an axes column inside a parallel loop: it stays a loop of block 1.
enum class fallback : char { warn, allow, forbid };
ir::graph_ptr vectorize(const ir::graph_ptr& g);
/// How often each op (by name) stayed a loop in this thread's last vectorize.
const std::vector<std::string>& fallbacks();
}  // namespace df::inline DF_ABI::pass

#if DF_IMPL
#include <cstdio>
#include <mutex>
#include <set>

#include <df/ops/control.hpp>
#include <df/ops/cut.hpp>
#include <df/passes/nested.hpp>

namespace df::inline DF_ABI::pass {
namespace detail {
inline std::vector<std::string>& fallback_log() {
    thread_local std::vector<std::string> log;
    return log;
}
inline void report_fallback(const ir::node& n) {
    fallback_log().push_back(n.op->name);
    static std::mutex m;
    static std::set<std::string> told;
    std::lock_guard l(m);
    if (told.insert(n.op->name).second)
        std::fprintf(stderr, "df: pfor: %s has no axes column, so it runs lane by lane (%s:%d)\n", n.op->name, n.where.file, n.where.line);
}

/// The lanes of one loop level while its body is vectorized.
struct level {
    int lane = 0;            // the number of its lane axis
    std::int64_t n = 0;      // how many lanes: a number or a symbol
    ir::value id;            // 0 … n-1 along the lane axis
};

/// Vectorizes the body of a parallel loop into the current builder, inside the levels around it.
class lanes_of {
public:
    explicit lanes_of(std::vector<level>& levels) : levels_(levels) {}

    ir::values loop(const ir::node& n, const ir::values& in) {
        const ir::loop_form f(n.at);
        level l;
        l.lane = static_cast<int>(levels_.size());
        l.n = f.count;
        l.id = ir::lane_in(ir::iota(dtype::int64, {f.count}, 0), 0, l.lane);
        ir::values x{l.id};
        for (std::size_t k = 0; k < in.size(); ++k) x.push_back(k < f.slices() ? ir::lane_in(in[k], static_cast<int>(f.slice_axes[k]), l.lane) : in[k]);
        levels_.push_back(l);
        const auto y = body(*f.body, x);
        levels_.pop_back();
        ir::values out;
        for (std::size_t k = 0; k < y.size(); ++k) {
            const auto sums = static_cast<std::size_t>(f.sums);
            const auto axis = k < sums ? 0 : static_cast<int>(f.place_axes[k - sums]);
            const auto whole = ir::lane_out(y[k], l.lane, axis, l.n);
            out.push_back(k < sums ? ir::reduce(op::sum, whole, {0}) : whole);
        }
        return out;
    }

private:
    ir::values body(const ir::graph& g, const ir::values& in) {
        ir::values env(g.values.size());
        for (std::size_t k = 0; k < g.inputs.size(); ++k) env[static_cast<std::size_t>(g.inputs[k])] = in[k];
        const auto live = ir::live_nodes(g);
        for (std::size_t i = 0; i < g.nodes.size(); ++i) {
            if (!live[i]) continue;
            const auto& n = g.nodes[i];
            ir::place_scope p(n.where);
            ir::values x;
            for (auto v : n.in) x.push_back(env[static_cast<std::size_t>(v)]);
            auto y = node(n, x);
            for (int k = 0; k < n.count; ++k) env[static_cast<std::size_t>(n.first + k)] = std::move(y[static_cast<std::size_t>(k)]);
        }
        ir::adopt_symbols(g, env);
        ir::values r;
        for (auto v : g.outputs) r.push_back(env[static_cast<std::size_t>(v)]);
        return r;
    }
    ir::values node(const ir::node& n, const ir::values& x) {
        if (n.op == &op::loop && ir::loop_form(n.at).parallel) return loop(n, x);
        bool varies = false;
        for (auto& v : x) varies |= v.type().lanes.n > 0;
        if (n.op == &op::gather) if (auto r = row(n, x)) return {r};
        if (!varies || n.op->axes) return ir::emit(*n.op, x, n.at, n.where);
        if (n.op->compose) {
            const ir::values none;
            return n.op->compose({*n.op, n.at, x, none, none});
        }
        report_fallback(n);
        return one_by_one(n, x);
    }
    // x[i] where i runs over a whole axis of x, or the first part of one, is x or a slice of it: no element is copied.
    ir::value row(const ir::node& n, const ir::values& x) const {
        for (auto& l : levels_) {
            if (!(x[1] == l.id) || x[0].type().lanes.has(l.lane)) continue;
            const auto own = x[0].type().own();
            const int axis = static_cast<int>(n.at.integer("axis"));
            if (own.d[axis] == l.n) return ir::lane_in(x[0], axis, l.lane);
            if (is_symbol(own.d[axis]) || is_symbol(l.n) || own.d[axis] < l.n) return {};
            const auto rank = static_cast<std::size_t>(own.n);
            auto size = own;
            size.d[axis] = l.n;
            return ir::lane_in(ir::slice(x[0], ir::ints(rank), size, ir::ints(rank, 1)), axis, l.lane);
        }
        return {};
    }
    // A loop of block 1 over the lanes that the operands vary over, outermost first.
    ir::values one_by_one(const ir::node& n, const ir::values& x) {
        ir::lane_list over;
        for (auto& v : x) for (int i = 0; i < v.type().lanes.n; ++i) over.insert(v.type().lanes.id[i]);
        return nest(n, x, over, 0);
    }
    ir::values nest(const ir::node& n, const ir::values& x, const ir::lane_list& over, int depth) {
        if (depth == over.n) return ir::emit(*n.op, x, n.at, n.where);
        const int lane = over.id[depth];
        ir::loop_form f;
        f.count = levels_[static_cast<std::size_t>(lane)].n;
        ir::values slices, rest;
        ir::builder b(ir::builder::kind::rewrite);
        b.close();   // operands are emitted outside it
        std::vector<bool> sliced;
        for (auto& v : x) {
            sliced.push_back(v.type().lanes.has(lane));
            if (sliced.back()) slices.push_back(ir::lane_out(v, lane, 0, f.count)), f.slice_axes.push_back(slices.back().type().lanes.n);
            else rest.push_back(v);
        }
        b.open();
        b.input(ir::type(dtype::int64, {}), n.where);
        ir::values in(x.size());
        for (std::size_t k = 0; k < x.size(); ++k)
            if (sliced[k]) {
                auto t = x[k].type();
                t.dims = t.dims.without(t.lanes.position(lane));
                t.lanes = t.lanes.without(lane);
                in[k] = b.input(t, n.where);
            }
        for (std::size_t k = 0; k < x.size(); ++k) if (!sliced[k]) in[k] = b.input(x[k].type(), n.where);
        for (auto& y : nest(n, in, over, depth + 1)) b.output(y, n.op->name, n.where), f.place_axes.push_back(y.type().lanes.n);
        f.body = b.finish();
        b.close();
        slices.insert(slices.end(), rest.begin(), rest.end());
        ir::values out;
        for (auto& y : ir::emit(op::loop, slices, f.to_attrs(), n.where)) out.push_back(ir::lane_in(y, 0, lane));
        return out;
    }

    std::vector<level>& levels_;
};
}  // namespace detail

DF_FN const std::vector<std::string>& fallbacks() { return detail::fallback_log(); }

DF_FN ir::graph_ptr vectorize(const ir::graph_ptr& g) {
    detail::fallback_log().clear();
    return ir::rewrite(*g, [](ir::rewriter& r, const ir::node& n) -> ir::values {
        if (n.op != &op::loop || !ir::loop_form(n.at).parallel) return {};
        std::vector<detail::level> levels;
        return detail::lanes_of(levels).loop(n, r.operands(n));
    });
}
}  // namespace df::inline DF_ABI::pass
#endif
