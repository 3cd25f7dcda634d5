// Nodes that hold graphs: call, loop, and the derivatives jvp and vjp of a graph; and the two views that turn an axis into
// a lane axis and back.
#pragma once
#include <df/ir/loop.hpp>
#include <df/ops/index.hpp>

namespace df::inline DF_ABI {
namespace op {
/// The outputs of graph `body` on the operands. With `backward`, a graph (operands…, cotangents…) -> cotangents that is
/// the derivative.
extern const ir::op_def call;
/// The one loop; see ir::loop_form for its operands, results and attributes.
extern const ir::op_def loop;
/// (operands, tangents of operands `wrt`) -> (outputs of `body`, tangents of its floating outputs).
extern const ir::op_def jvp;
/// (operands, cotangents of the floating outputs) -> (outputs of `body`, cotangents of operands `wrt`).
extern const ir::op_def vjp;
/// Own axis `axis` becomes lane axis `lane`, and back.
extern const ir::op_def lane_in, lane_out;
}  // namespace op

namespace ir {
/// Own axis `axis` of x as lane axis `lane`.
value lane_in(const value& x, int axis, int lane);
/// Lane axis `lane` of x as own axis `axis` of size n; repeats an x that does not vary over it.
value lane_out(const value& x, int lane, int axis, std::int64_t n);
/// The positions of the floating results of a graph.
std::vector<std::size_t> floating_outputs(const graph& g);
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
namespace ir {
DF_FN value lane_in(const value& x, int axis, int lane) {
    auto lanes = x.type().lanes;
    const int from = lanes.n + axis;
    lanes.insert(lane);
    return emit_one(op::lane_in, {x}, {{"lane", lane}, {"from", from}, {"to", lanes.position(lane)}});
}
DF_FN value lane_out(const value& x, int lane, int axis, std::int64_t n) {
    const auto& lanes = x.type().lanes;
    const int from = lanes.position(lane), left = lanes.n - (from >= 0);
    return emit_one(op::lane_out, {x}, {{"lane", lane}, {"from", from}, {"to", left + axis}, {"size", shape{n}}});
}
DF_FN std::vector<std::size_t> floating_outputs(const graph& g) {
    std::vector<std::size_t> r;
    for (std::size_t k = 0; k < g.outputs.size(); ++k) if (is_floating(g.type_of(g.outputs[k]).element)) r.push_back(k);
    return r;
}
}  // namespace ir

namespace ops::detail {
// The physical axis `from` (-1: none, stride 0 of size n) moves to position `to`.
inline void move_axis(const ir::attrs& at, shape& dims, shape& strides) {
    const auto from = at.integer("from"), to = at.integer("to");
    std::int64_t n = 0, step = 0;
    if (from >= 0) {
        n = dims.d[from];
        step = strides.d[from];
        dims = dims.without(static_cast<int>(from));
        strides = strides.without(static_cast<int>(from));
    } else {
        n = at.list("size").at(0);
    }
    const int t = static_cast<int>(to);
    dims = dims.first(t) + shape{n} + dims.from(t);
    strides = strides.first(t) + shape{step} + strides.from(t);
}
inline void infer_lane(ir::inference& q, bool in) {
    auto t = q.in[0];
    shape unused = t.dims;
    move_axis(q.at, t.dims, unused);
    const int lane = static_cast<int>(q.at.integer("lane"));
    if (in) t.lanes.insert(lane);
    else t.lanes = t.lanes.without(lane);
    q.out.push_back(t);
}
inline bool view_lane(const ir::site& s, core::layout& out, std::int64_t&) {
    shape dims = s.in[0].dims;
    out.strides = s.in[0].strides;
    move_axis(s.at, dims, out.strides);
    return true;
}
inline ir::kernel_ptr kernel_lane(const ir::site& s) {
    auto k = std::make_unique<convert_kernel>();
    k->from = k->to = s.out[0];
    std::int64_t offset = 0;
    view_lane(s, k->from, offset);
    return k;
}
inline axes axes_lane(const ir::axes_query& q) {   // of all axes, lanes included: the moved one keeps its label
    axes r;
    labels x, y;
    const int from = static_cast<int>(q.at.integer("from")), to = static_cast<int>(q.at.integer("to"));
    for (int i = 0; i < q.in[0].dims.n; ++i) x.push_back(r.fresh(role::map));
    y = x;
    if (from >= 0) y.erase(y.begin() + from);
    y.insert(y.begin() + to, from >= 0 ? x[static_cast<std::size_t>(from)] : r.fresh(role::map));
    r.in = {x};
    r.out = {y};
    return r;
}
}  // namespace ops::detail

namespace op {
DF_RECORD ir::op_def call{
    .name = "call",
    .doc = "the outputs of a graph",
    .infer = [](ir::inference& q) {
        const auto& g = *q.at.graph("body");
        for (auto v : g.outputs) q.out.push_back(g.type_of(v));
    },
};
DF_RECORD ir::op_def loop{
    .name = "loop",
    .doc = "a graph, trip after trip or all at once",
    .infer = [](ir::inference& q) {
        const ir::loop_form f(q.at);
        for (std::size_t k = 0; k < f.body->outputs.size(); ++k) {
            auto t = f.body->type_of(f.body->outputs[k]);
            const auto first = static_cast<std::size_t>(f.carries + f.sums);
            if (k >= first) {
                const int a = static_cast<int>(f.place_axes[k - first]);
                auto rest = f.blocked ? t.dims.without(a) : t.dims;
                t.dims = rest.first(a) + shape{f.count} + rest.from(a);
            }
            q.out.push_back(t);
        }
    },
    .moves_lanes = true,
};
DF_RECORD ir::op_def jvp{
    .name = "jvp",
    .doc = "the outputs of a graph and their tangents",
    .infer = [](ir::inference& q) {
        const auto& g = *q.at.graph("body");
        for (auto v : g.outputs) q.out.push_back(g.type_of(v));
        for (auto k : ir::floating_outputs(g)) q.out.push_back(g.type_of(g.outputs[k]));
    },
};
DF_RECORD ir::op_def vjp{
    .name = "vjp",
    .doc = "the outputs of a graph and the cotangents of its inputs",
    .infer = [](ir::inference& q) {
        const auto& g = *q.at.graph("body");
        for (auto v : g.outputs) q.out.push_back(g.type_of(v));
        for (auto k : q.at.list("wrt")) q.out.push_back(g.type_of(g.inputs[static_cast<std::size_t>(k)]));
    },
};
DF_RECORD ir::op_def lane_in{
    .name = "lane_in",
    .doc = "an axis becomes a lane axis",
    .infer = [](ir::inference& q) { ops::detail::infer_lane(q, true); },
    .axes = ops::detail::axes_lane,
    .kernel = ops::detail::kernel_lane,
    .view = ops::detail::view_lane,
    .moves_lanes = true,
};
DF_RECORD ir::op_def lane_out{
    .name = "lane_out",
    .doc = "a lane axis becomes an axis",
    .infer = [](ir::inference& q) { ops::detail::infer_lane(q, false); },
    .axes = ops::detail::axes_lane,
    .kernel = ops::detail::kernel_lane,
    .view = ops::detail::view_lane,
    .moves_lanes = true,
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
