// differentiate: expands jvp and vjp nodes from the derivative columns, innermost first.
#pragma once
#include <df/ir/build.hpp>

namespace df::inline DF_ABI::pass {
/// Forward and reverse come from the same column, so they agree also at kinks.
ir::graph_ptr differentiate(const ir::graph_ptr& g);

/// A graph run forward inside the current builder, with what its derivative needs.
struct pushed {
    ir::values out, tangents;   // an empty tangent is zero
};
/// Outputs and tangents of `g` on operands `in` with tangents `dx` (empty: zero).
pushed push(const ir::graph_ptr& g, const ir::values& in, const ir::values& dx);
struct pulled {
    ir::values out, cotangents;   // of the operands in `wrt`; an empty cotangent is zero
};
/// Outputs of `g` on `in` and the cotangents of the operands `wrt`, from the cotangents of the outputs (empty: zero).
pulled pull(const ir::graph_ptr& g, const ir::values& in, const ir::values& ct, const ir::ints& wrt);
}  // namespace df::inline DF_ABI::pass

#if DF_IMPL
#include <df/passes/inline.hpp>

namespace df::inline DF_ABI::pass {
namespace detail {
using ir::value;
using ir::values;

[[noreturn]] inline void no_rule(const ir::op_def& op, const char* mode, place where) {
    throw trace_error(std::string(op.name) + ": has no derivative rule (" + mode + "); give its record partials, a transpose or a vjp, "
                      "wrap the call in df::custom_vjp, or exclude it with df::stop_gradient", where);
}
inline bool is_one(const value& w, double x) { return !w.staged() && w->literal && w->data.elements() == 1 && [&] {
    return with_type(w.element(), [&](auto z) { return static_cast<double>(*w->data.template data<decltype(z)>()) == x; });
}(); }
// d · w with 0 · anything = 0; either may be empty, which is zero.
inline value scaled(const value& d, const value& w) {
    if (!d || !w || is_one(w, 0)) return {};
    if (is_one(w, 1)) return d;
    if (is_one(w, -1)) return op::negative(d);
    return op::mulz(d, w);
}
inline value filled(const value& d, const value& like) { return d ? d : ir::zeros_like(like); }
inline bool any_of(const values& v) {
    for (auto& x : v) if (x) return true;
    return false;
}
inline value fit(value v, const value& to) {   // a tangent of the result's own shape
    return v && !(v.type().own() == to.type().own()) ? ir::broadcast_to(v, to.type().own()) : v;
}

// Forward: the tangents of a node's results.
inline values push_node(const ir::node& n, const values& in, const values& out, const values& dx) {
    const auto& op = *n.op;
    if (op.no_derivative) return values(out.size());
    const ir::rule_args r{op, n.at, in, out, dx};
    if (op.jvp) return op.jvp(r);
    if (op.partials) {
        const auto w = op.partials(r);
        value d;
        for (std::size_t k = 0; k < in.size(); ++k) d = ir::sum_of(d, scaled(dx[k], w[k]));
        return {fit(d, out[0])};
    }
    if (op.weights) return {ir::reduce(op::sum, op::mulz(dx[0], op.weights(r)), n.at.list("axes"))};
    if (!op.transpose) no_rule(op, "forward mode", n.where);
    if (op.jointly_linear) {
        values d = in;
        for (std::size_t k = 0; k < in.size(); ++k) if (op.linear == ir::all_operands || op.linear >> k & 1) d[k] = filled(dx[k], in[k]);
        return {ir::emit_one(op, d, n.at)};
    }
    value sum;
    for (std::size_t k = 0; k < in.size(); ++k) {
        if (!dx[k] || !(op.linear >> k & 1)) continue;
        values d = in;
        d[k] = dx[k];
        sum = ir::sum_of(sum, ir::emit_one(op, d, n.at));
    }
    return {sum};
}
// Reverse: the cotangents of a node's operands; `want[k]`: operand k matters.
inline values pull_node(const ir::node& n, const values& in, const values& out, const values& ct, const std::vector<bool>& want) {
    const auto& op = *n.op;
    values r(in.size());
    if (op.no_derivative) return r;
    const ir::rule_args a{op, n.at, in, out, ct};
    if (op.vjp) return op.vjp(a);
    if (!ct[0]) return r;
    if (op.partials) {
        const auto w = op.partials(a);
        for (std::size_t k = 0; k < in.size(); ++k)
            if (want[k]) if (auto d = scaled(ct[0], w[k])) r[k] = ir::sum_to(d, in[k].type().own());
    } else if (op.weights) {
        const auto spread = ops::spread(a, ct[0]);
        r[0] = op::mulz(spread, op.weights(a));
    } else if (op.transpose) {
        for (std::size_t k = 0; k < in.size(); ++k)
            if (want[k] && (op.linear == ir::all_operands || op.linear >> k & 1)) r[k] = op.transpose(a, static_cast<int>(k));
    } else {
        no_rule(op, "reverse mode", n.where);
    }
    return r;
}

// The names of compositions that have a derivative of their own stay; the rest is differentiated in parts.
inline bool expands(const ir::op_def& op) {
    return op.compose && !op.partials && !op.weights && !op.transpose && !op.vjp && !op.jvp && !op.no_derivative;
}
inline ir::graph_ptr prepare_rule(const ir::graph_ptr& g) {
    return rewrite_nested(*g, prepare_rule, [](ir::rewriter& r, const ir::node& n) -> values {
        if (!expands(*n.op)) return {};
        const values none, in = r.operands(n);
        ir::builder part(ir::builder::kind::rewrite);   // compositions of compositions
        values args;
        for (auto& v : in) args.push_back(part.input(v.type(), n.where));
        for (auto& v : n.op->compose({*n.op, n.at, args, none, none})) part.output(v, n.op->name, n.where);
        auto body = part.finish();
        part.close();
        return ir::inline_graph(*prepare_rule(body), in);
    });
}
inline ir::graph_ptr prepared(const ir::graph_ptr& g) {
    bool any = false;
    const std::function<void(const ir::graph&)> look = [&](const ir::graph& h) {
        for (auto& n : h.nodes) {
            any |= expands(*n.op);
            for (auto& a : n.at.all()) for (auto& s : a.graphs) look(*s);
        }
    };
    look(*g);
    return any ? prepare_rule(g) : g;
}

// ---- loops. The derivative of a loop is a loop over the derivative of its body.
inline pushed push_loop(const ir::node& n, const values& in, const values& dx) {
    const ir::loop_form f(n.at);
    const auto s = f.slices(), c = static_cast<std::size_t>(f.carries);
    if (c) no_rule(*n.op, "of a loop with carried values", n.where);
    std::vector<std::size_t> moving;   // operands with a tangent
    for (std::size_t k = 0; k < in.size(); ++k) if (dx[k]) moving.push_back(k);
    ir::loop_form g = f;
    values operands(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(s));
    for (auto k : moving) if (k < s) operands.push_back(dx[k]), g.slice_axes.push_back(f.slice_axes[k]);
    operands.insert(operands.end(), in.begin() + static_cast<std::ptrdiff_t>(s), in.end());
    for (auto k : moving) if (k >= s) operands.push_back(dx[k]);

    const auto& body = *f.body;
    ir::builder b(ir::builder::kind::rewrite);
    values x(body.inputs.size()), t(body.inputs.size());
    const auto input = [&](std::size_t k) { return b.input(body.type_of(body.inputs[k]), n.where); };
    x[0] = input(0);
    for (std::size_t k = 0; k < s; ++k) x[k + 1] = input(k + 1);
    for (auto k : moving) if (k < s) t[k + 1] = input(k + 1);
    for (std::size_t k = s; k < in.size(); ++k) x[k + 1] = input(k + 1);
    for (auto k : moving) if (k >= s) t[k + 1] = input(k + 1);
    const auto r = push(f.body, x, t);
    const auto sums = static_cast<std::size_t>(f.sums);
    std::vector<std::size_t> order;   // outputs: sums, their tangents, placed, their tangents
    std::vector<bool> tangent;
    const auto add = [&](std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) b.output(r.out[k], "loop", n.where), order.push_back(k), tangent.push_back(false);
        for (std::size_t k = from; k < to; ++k)
            if (r.tangents[k]) {
                b.output(r.tangents[k], "loop", n.where);
                order.push_back(k);
                tangent.push_back(true);
                if (from == 0 && sums) ++g.sums;
                else g.place_axes.push_back(f.place_axes[k - sums]);
            }
    };
    if (sums) add(0, sums);
    add(sums, r.out.size());
    g.body = b.finish();
    b.close();
    const auto y = ir::emit(op::loop, operands, g.to_attrs(), n.where);
    pushed p{values(r.out.size()), values(r.out.size())};
    for (std::size_t k = 0; k < y.size(); ++k) (tangent[k] ? p.tangents : p.out)[order[k]] = y[k];
    return p;
}
inline values pull_loop(const ir::node& n, const values& in, const values& ct, const std::vector<bool>& want) {
    const ir::loop_form f(n.at);
    const auto s = f.slices(), sums = static_cast<std::size_t>(f.sums);
    if (f.carries) no_rule(*n.op, "of a loop with carried values", n.where);
    ir::loop_form g = f;
    g.place_axes.clear();
    g.sums = 0;
    const auto& body = *f.body;
    values operands(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(s));
    for (std::size_t k = sums; k < ct.size(); ++k) if (ct[k]) operands.push_back(ct[k]), g.slice_axes.push_back(f.place_axes[k - sums]);
    operands.insert(operands.end(), in.begin() + static_cast<std::ptrdiff_t>(s), in.end());
    for (std::size_t k = 0; k < sums; ++k) if (ct[k]) operands.push_back(ct[k]);

    ir::builder b(ir::builder::kind::rewrite);
    values x(body.inputs.size()), c(body.outputs.size());
    const auto input = [&](int v) { return b.input(body.type_of(v), n.where); };
    x[0] = input(body.inputs[0]);
    for (std::size_t k = 0; k < s; ++k) x[k + 1] = input(body.inputs[k + 1]);
    for (std::size_t k = sums; k < ct.size(); ++k) if (ct[k]) c[k] = input(body.outputs[k]);
    for (std::size_t k = s; k < in.size(); ++k) x[k + 1] = input(body.inputs[k + 1]);
    for (std::size_t k = 0; k < sums; ++k) if (ct[k]) c[k] = input(body.outputs[k]);
    ir::ints wrt;
    std::vector<std::size_t> of;
    for (std::size_t k = 0; k < in.size(); ++k) if (want[k]) wrt.push_back(static_cast<std::int64_t>(k + 1)), of.push_back(k);
    const auto r = pull(f.body, x, c, wrt);
    std::vector<std::size_t> order;   // invariants' cotangents are sums, slices' are placed
    for (std::size_t j = 0; j < of.size(); ++j) if (of[j] >= s && r.cotangents[j]) b.output(r.cotangents[j], "loop", n.where), order.push_back(of[j]), ++g.sums;
    for (std::size_t j = 0; j < of.size(); ++j)
        if (of[j] < s && r.cotangents[j]) b.output(r.cotangents[j], "loop", n.where), order.push_back(of[j]), g.place_axes.push_back(f.slice_axes[of[j]]);
    g.body = b.finish();
    b.close();
    values result(in.size());
    if (order.empty()) return result;
    const auto y = ir::emit(op::loop, operands, g.to_attrs(), n.where);
    for (std::size_t k = 0; k < y.size(); ++k) result[order[k]] = y[k];
    return result;
}

// ---- calls with a derivative of their own: backward(operands…, cotangents…) -> cotangents of the operands
inline values floating_only(const ir::graph& body, const values& d, const values& like) {
    values r;
    for (auto k : ir::floating_outputs(body)) r.push_back(filled(d[k], like[k]));
    return r;
}
// What the two functions capture has no rule: a derivative by it would silently be 0.
[[noreturn]] inline void captured_input(const ir::node& n) {
    throw trace_error("custom_vjp: a derivative is asked for by a value that the function captures; pass it as an argument, "
                      "so that backward can return its cotangent, or exclude it with df::stop_gradient", n.where);
}
inline values pull_call(const ir::node& n, const values& in, const values& out, const values& ct, const std::vector<bool>& want) {
    const auto &body = *n.at.graph("body"), &back = *n.at.graph("backward");
    const auto explicit_count = static_cast<std::size_t>(n.at.integer("explicit"));
    const auto body_inputs = body.inputs.size();
    for (auto k = explicit_count; k < in.size(); ++k) if (want[k]) captured_input(n);
    values args(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(explicit_count));
    for (auto& c : floating_only(body, ct, out)) args.push_back(c);
    args.insert(args.end(), in.begin() + static_cast<std::ptrdiff_t>(body_inputs), in.end());
    auto r = ir::inline_graph(back, args);
    values result(in.size());
    std::size_t k = 0;
    for (std::size_t i = 0; i < explicit_count; ++i) if (is_floating(in[i].element())) result[i] = r[k++];
    return result;
}
inline pushed push_call(const ir::node& n, const values& in, const values& dx) {   // J·t is the reverse of the (linear) backward
    const auto& body = *n.at.graph("body");
    const auto explicit_count = static_cast<std::size_t>(n.at.integer("explicit"));
    for (auto k = explicit_count; k < in.size(); ++k) if (dx[k]) captured_input(n);
    values args(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(body.inputs.size()));
    pushed p{ir::inline_graph(body, args), values(body.outputs.size())};
    values at(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(explicit_count)), t;
    ir::ints wrt;
    for (auto k : ir::floating_outputs(body)) {
        wrt.push_back(static_cast<std::int64_t>(at.size()));
        at.push_back(ir::zeros_like(p.out[k]));
    }
    at.insert(at.end(), in.begin() + static_cast<std::ptrdiff_t>(body.inputs.size()), in.end());
    for (std::size_t i = 0; i < explicit_count; ++i) if (is_floating(in[i].element())) t.push_back(filled(dx[i], in[i]));
    const auto r = pull(n.at.graph("backward"), at, t, wrt);
    std::size_t j = 0;
    for (auto k : ir::floating_outputs(body)) p.tangents[k] = r.cotangents[j++];
    return p;
}
}  // namespace detail

DF_FN pushed push(const ir::graph_ptr& original, const ir::values& in, const ir::values& dx) {
    const auto keep = detail::prepared(original);
    const auto& g = *keep;
    ir::values env(g.values.size()), d(g.values.size());
    for (std::size_t k = 0; k < g.inputs.size(); ++k) {
        env[static_cast<std::size_t>(g.inputs[k])] = in[k];
        d[static_cast<std::size_t>(g.inputs[k])] = dx[k];
    }
    for (auto& n : g.nodes) {
        ir::place_scope p(n.where);
        ir::values x, t, out, tangents;
        for (auto v : n.in) x.push_back(env[static_cast<std::size_t>(v)]), t.push_back(d[static_cast<std::size_t>(v)]);
        if (n.op == &op::loop && detail::any_of(t)) {
            auto r = detail::push_loop(n, x, t);
            out = r.out, tangents = r.tangents;
        } else if (n.op == &op::call && detail::any_of(t)) {
            auto r = detail::push_call(n, x, t);
            out = r.out, tangents = r.tangents;
        } else {
            out = ir::emit(*n.op, x, n.at, n.where);
            tangents = detail::any_of(t) ? detail::push_node(n, x, out, t) : ir::values(out.size());
        }
        for (int k = 0; k < n.count; ++k) {
            env[static_cast<std::size_t>(n.first + k)] = out[static_cast<std::size_t>(k)];
            if (static_cast<std::size_t>(k) < tangents.size() && is_floating(out[static_cast<std::size_t>(k)].element())) d[static_cast<std::size_t>(n.first + k)] = tangents[static_cast<std::size_t>(k)];
        }
    }
    ir::adopt_symbols(g, env);
    pushed r;
    for (auto v : g.outputs) r.out.push_back(env[static_cast<std::size_t>(v)]), r.tangents.push_back(d[static_cast<std::size_t>(v)]);
    return r;
}

DF_FN pulled pull(const ir::graph_ptr& original, const ir::values& in, const ir::values& ct, const ir::ints& wrt) {
    const auto keep = detail::prepared(original);
    const auto& g = *keep;
    ir::values env(g.values.size()), c(g.values.size());
    std::vector<bool> active(g.values.size());
    for (std::size_t k = 0; k < g.inputs.size(); ++k) env[static_cast<std::size_t>(g.inputs[k])] = in[k];
    for (auto k : wrt) {
        const auto v = static_cast<std::size_t>(g.inputs[static_cast<std::size_t>(k)]);
        active[v] = is_floating(g.values[v].t.element);
    }
    for (auto& n : g.nodes) {
        ir::place_scope p(n.where);
        auto out = ir::copy_node(g, n, env);
        bool any = false;
        for (auto v : n.in) any |= active[static_cast<std::size_t>(v)];
        for (int k = 0; k < n.count; ++k) {
            const auto v = static_cast<std::size_t>(n.first + k);
            env[v] = out[static_cast<std::size_t>(k)];
            active[v] = any && !n.op->no_derivative && is_floating(g.values[v].t.element);
        }
    }
    for (std::size_t k = 0; k < g.outputs.size(); ++k) {
        auto& x = c[static_cast<std::size_t>(g.outputs[k])];
        x = ir::sum_of(x, ct[k]);
    }
    for (auto it = g.nodes.rbegin(); it != g.nodes.rend(); ++it) {
        const auto& n = *it;
        ir::values outs_ct, x, out;
        std::vector<bool> want;
        bool any = false, wanted = false;
        for (int k = 0; k < n.count; ++k) {
            const auto v = static_cast<std::size_t>(n.first + k);
            outs_ct.push_back(active[v] ? c[v] : ir::value{});
            out.push_back(env[v]);
            any |= static_cast<bool>(outs_ct.back());
        }
        if (!any) continue;
        for (auto v : n.in) {
            x.push_back(env[static_cast<std::size_t>(v)]);
            want.push_back(active[static_cast<std::size_t>(v)]);
            wanted |= want.back();
        }
        if (!wanted) continue;
        ir::place_scope p(n.where);
        const auto r = n.op == &op::loop ? detail::pull_loop(n, x, outs_ct, want)
                       : n.op == &op::call ? detail::pull_call(n, x, out, outs_ct, want) : detail::pull_node(n, x, out, outs_ct, want);
        for (std::size_t k = 0; k < n.in.size(); ++k)
            if (want[k] && r[k]) {
                auto& sum = c[static_cast<std::size_t>(n.in[k])];
                sum = ir::sum_of(sum, r[k]);
            }
    }
    ir::adopt_symbols(g, env);
    pulled r;
    for (auto v : g.outputs) r.out.push_back(env[static_cast<std::size_t>(v)]);
    for (auto k : wrt) r.cotangents.push_back(c[static_cast<std::size_t>(g.inputs[static_cast<std::size_t>(k)])]);
    return r;
}

DF_FN ir::graph_ptr differentiate(const ir::graph_ptr& g) {
    return rewrite_nested(*g, differentiate, [](ir::rewriter& r, const ir::node& n) -> ir::values {
        if (n.op != &op::jvp && n.op != &op::vjp) return {};
        const auto body = differentiate(n.at.graph("body"));   // innermost first
        const auto all = r.operands(n);
        const auto& wrt = n.at.list("wrt");
        const ir::values in(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(body->inputs.size()));
        const auto floating = ir::floating_outputs(*body);
        ir::values out, second;
        if (n.op == &op::jvp) {
            ir::values dx(in.size());
            for (std::size_t k = 0; k < wrt.size(); ++k) dx[static_cast<std::size_t>(wrt[k])] = all[in.size() + k];
            auto p = push(body, in, dx);
            out = p.out;
            for (auto k : floating) second.push_back(detail::filled(p.tangents[k], p.out[k]));
        } else {
            ir::values ct(body->outputs.size());
            for (std::size_t k = 0; k < floating.size(); ++k) ct[floating[k]] = all[in.size() + k];
            auto p = pull(body, in, ct, wrt);
            out = p.out;
            for (std::size_t k = 0; k < wrt.size(); ++k) second.push_back(detail::filled(p.cotangents[k], in[static_cast<std::size_t>(wrt[k])]));
        }
        out.insert(out.end(), second.begin(), second.end());
        return out;
    });
}
}  // namespace df::inline DF_ABI::pass
#endif
