// algebra: simplify, fold constants, merge equal nodes. Keeps IEEE results: nothing here assumes that a number is finite.
#pragma once
#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::pass {
/// Small rewrites that pay always, to a fixed point.
ir::graph_ptr algebra(const ir::graph_ptr& g);
}  // namespace df::inline DF_ABI::pass

#if DF_IMPL
#include <unordered_map>

#include <df/ir/constant.hpp>
#include <df/ops/contract.hpp>
#include <df/ops/control.hpp>
#include <df/passes/merge_sums.hpp>
#include <df/passes/nested.hpp>

namespace df::inline DF_ABI::pass {
namespace detail {
/// What a rule sees: a node on its new operands, and the nodes that made them.
struct algebra_site {
    ir::rewriter& r;
    const ir::node& n;
    const ir::values& in;
    const std::vector<int>& uses;   // of the old graph's values
    /// The node of the new graph that made operand k, if its record is `op`.
    const ir::node* made_by(std::size_t k, const ir::op_def& op) const { return made_by(in[k], op); }
    const ir::node* made_by(const ir::value& v, const ir::op_def& op) const {
        const auto* p = r.to().content().producer(v->id);
        return p && p->op == &op ? p : nullptr;
    }
    ir::value operand(const ir::node& p, std::size_t k) const { return r.to().handle(p.in[k]); }
    /// Is operand k the number x everywhere? Looks through broadcasts.
    bool is(std::size_t k, double x) const {
        const auto* p = r.to().content().producer(in[k]->id);
        while (p && p->op == &op::broadcast_to) p = r.to().content().producer(p->in[0]);
        if (!p || p->op != &op::constant) return false;
        const auto& a = p->at.data("value");
        if (a.elements() != 1) return false;
        return with_type(a.form.element, [&](auto z) {
            const double v = static_cast<double>(*a.template data<decltype(z)>());
            return v == x && std::signbit(v) == std::signbit(x);
        });
    }
    /// Operand k in the shape of the result.
    ir::value whole(std::size_t k) const {
        const auto& t = r.from().type_of(n.first);
        if (in[k].type().element != t.element || !(in[k].type().lanes == t.lanes)) return {};
        return ir::broadcast_to(in[k], t.own());
    }
};
struct algebra_rule {
    const ir::op_def* op;
    const char* from;
    const char* to;
    ir::value (*apply)(const algebra_site&);
};

inline ir::value merge_reduced_product(const algebra_site& s);
inline ir::value multiple(const algebra_site& s);
inline ir::value sum_of_products(const algebra_site& s);
inline ir::value flat_concatenate(const algebra_site& s);

inline const std::vector<algebra_rule>& algebra_rules() {
    using site = const algebra_site&;
    static const std::vector<algebra_rule> rules{
        {&op::multiply, "1 * x", "x", [](site s) { return s.is(0, 1) ? s.whole(1) : s.is(1, 1) ? s.whole(0) : ir::value{}; }},
        {&op::mulz, "1 mulz x", "x", [](site s) { return s.is(0, 1) ? s.whole(1) : s.is(1, 1) ? s.whole(0) : ir::value{}; }},
        {&op::mulz, "0 mulz x", "0", [](site s) { return s.is(0, 0) ? s.whole(0) : s.is(1, 0) ? s.whole(1) : ir::value{}; }},
        {&op::divide, "x / 1", "x", [](site s) { return s.is(1, 1) ? s.whole(0) : ir::value{}; }},
        {&op::subtract, "x - 0", "x", [](site s) { return s.is(1, 0.0) ? s.whole(0) : ir::value{}; }},
        {&op::add, "x + (-0)", "x", [](site s) { return s.is(1, -0.0) ? s.whole(0) : s.is(0, -0.0) ? s.whole(1) : ir::value{}; }},
        {&op::power, "power(x, 1)", "x", [](site s) { return s.is(1, 1) ? s.whole(0) : ir::value{}; }},
        {&op::power, "power(x, 2)", "x * x", [](site s) { return s.is(1, 2) && s.whole(0) ? op::multiply(s.whole(0), s.whole(0)) : ir::value{}; }},
        {&op::negative, "-(-x)", "x", [](site s) { auto* p = s.made_by(0, op::negative); return p ? s.operand(*p, 0) : ir::value{}; }},
        {&op::reshape, "reshape(reshape(x))", "reshape(x)", [](site s) { auto* p = s.made_by(0, op::reshape); return p ? ir::reshape(s.operand(*p, 0), s.n.at.sizes("sizes")) : ir::value{}; }},
        {&op::reshape, "reshape(x) to its own shape", "x", [](site s) { return s.in[0].type().own() == s.n.at.sizes("sizes") ? s.in[0] : ir::value{}; }},
        {&op::broadcast_to, "broadcast(broadcast(x))", "broadcast(x)", [](site s) { auto* p = s.made_by(0, op::broadcast_to); return p ? ir::broadcast_to(s.operand(*p, 0), s.n.at.sizes("sizes")) : ir::value{}; }},
        {&op::broadcast_to, "broadcast(x) to its own shape", "x", [](site s) { return s.in[0].type().own() == s.n.at.sizes("sizes") ? s.in[0] : ir::value{}; }},
        {&op::permute, "permute(permute(x))", "permute(x)", [](site s) {
            auto* p = s.made_by(0, op::permute);
            if (!p) return ir::value{};
            ir::ints both;
            for (auto a : s.n.at.list("perm")) both.push_back(p->at.list("perm")[static_cast<std::size_t>(a)]);
            return ir::permute(s.operand(*p, 0), both);
        }},
        {&op::convert, "convert(x) to its own type", "x", [](site s) { return s.in[0].element() == s.n.at.element("to") ? s.in[0] : ir::value{}; }},
        {&op::sum, "sum over no axis", "x", [](site s) { return s.n.at.list("axes").empty() && is_floating(s.in[0].element()) ? s.in[0] : ir::value{}; }},
        {&op::sum, "sum of a product over a shared label", "a product that contracts it", merge_reduced_product},
        {&op::add, "a·b + c·d", "[a c]·[b d]", sum_of_products},
        {&op::concatenate, "[[a b] c]", "[a b c]", flat_concatenate},
        {&op::contract, "a product with a number", "a multiple", multiple},
        {&op::lane_in, "lane_in(lane_out(x))", "x", [](site s) {
            auto* p = s.made_by(0, op::lane_out);
            if (!p || p->at.integer("lane") != s.n.at.integer("lane") || p->at.integer("to") != s.n.at.integer("from")) return ir::value{};
            const auto x = s.operand(*p, 0);
            return x.type().lanes == s.r.from().type_of(s.n.first).lanes ? x : ir::value{};
        }},
        {&op::lane_out, "lane_out(lane_in(x))", "x", [](site s) {
            auto* p = s.made_by(0, op::lane_in);
            if (!p || p->at.integer("lane") != s.n.at.integer("lane") || p->at.integer("from") != s.n.at.integer("to")) return ir::value{};
            const auto x = s.operand(*p, 0);
            return x.dims() == s.r.from().type_of(s.n.first).dims ? x : ir::value{};
        }},
    };
    return rules;
}

// Σ over the lanes (or an axis) of a product that both operands have is one product with one more contracted label.
inline ir::value merge_reduced_product(const algebra_site& s) {
    const auto* out = s.made_by(0, op::lane_out);
    const auto* product = out ? s.made_by(s.operand(*out, 0), op::contract) : s.made_by(0, op::contract);
    if (!product) return {};
    auto a = s.operand(*product, 0), b = s.operand(*product, 1);
    ir::ints la = product->at.list("a"), lb = product->at.list("b"), lo = product->at.list("out");
    std::int64_t fresh = 0;
    for (auto& l : {la, lb, lo}) for (auto x : l) fresh = std::max(fresh, x + 1);
    if (out) {   // the lane axis becomes an own axis of both operands, in front
        const int lane = static_cast<int>(out->at.integer("lane"));
        if (!a.type().lanes.has(lane) || !b.type().lanes.has(lane)) return {};
        const int axis = static_cast<int>(out->at.integer("to")) - s.in[0].type().lanes.n;
        const auto n = out->at.list("size").at(0);
        a = ir::lane_out(a, lane, 0, n);
        b = ir::lane_out(b, lane, 0, n);
        la.insert(la.begin(), fresh);
        lb.insert(lb.begin(), fresh);
        lo.insert(lo.begin() + axis, fresh);
    }
    const auto& axes = s.n.at.list("axes");
    ir::ints kept;
    for (std::size_t i = 0; i < lo.size(); ++i) {
        if (!ops::contains(axes, static_cast<std::int64_t>(i))) {
            kept.push_back(lo[i]);
            continue;
        }
        if (!ops::contains(la, lo[i]) || !ops::contains(lb, lo[i])) return {};
    }
    return ir::contract(a, b, la, lb, kept);
}

// A product whose one operand has no axes only scales the other, whose axes may be permuted.
inline ir::value multiple(const algebra_site& s) {
    const auto &la = s.n.at.list("a"), &lb = s.n.at.list("b"), &lo = s.n.at.list("out");
    if (!la.empty() && !lb.empty()) return {};
    const auto& number = s.in[la.empty() ? 0 : 1];
    const auto& other = s.in[la.empty() ? 1 : 0];
    const auto& labels = la.empty() ? lb : la;
    ir::ints perm;
    for (auto l : lo)
        for (std::size_t i = 0; i < labels.size(); ++i) if (labels[i] == l) perm.push_back(static_cast<std::int64_t>(i));
    if (perm.size() != labels.size()) return {};
    return op::multiply(number, ir::permute(other, perm));
}

// Products used only by this sum are joined; see passes/merge_sums.hpp.
inline ir::value sum_of_products(const algebra_site& s) {
    joinable_product p[2];
    for (std::size_t k = 0; k < 2; ++k) {
        const auto* n = s.made_by(k, op::contract);
        if (!n || s.uses[static_cast<std::size_t>(s.n.in[k])] != 1) return {};
        p[k] = {s.operand(*n, 0), s.operand(*n, 1), n->at.list("a"), n->at.list("b"), n->at.list("out")};
    }
    return joined_sum(p[0], p[1]);
}
inline ir::value flat_concatenate(const algebra_site& s) {
    const auto axis = s.n.at.integer("axis");
    ir::values parts;
    bool any = false;
    for (std::size_t k = 0; k < s.in.size(); ++k) {
        const auto* n = s.made_by(k, op::concatenate);
        if (!n || n->at.integer("axis") != axis) {
            parts.push_back(s.in[k]);
            continue;
        }
        any = true;
        for (std::size_t i = 0; i < n->in.size(); ++i) parts.push_back(s.operand(*n, i));
    }
    return any ? ir::concatenate(parts, static_cast<int>(axis)) : ir::value{};
}

// Equal pure nodes of the new graph, by record, operands and attributes.
class merged {
public:
    ir::values find(ir::rewriter& r, const ir::op_def& op, const ir::values& in, const ir::attrs& at) {
        std::size_t h = reinterpret_cast<std::uintptr_t>(&op);
        for (auto& v : in) h = ir::mix(h, static_cast<std::size_t>(v->id));
        h = ir::mix(h, at.hash());
        auto& g = r.to().content();
        for (auto [it, end] = nodes_.equal_range(h); it != end; ++it) {
            const auto& n = g.nodes[static_cast<std::size_t>(it->second)];
            bool same = n.op == &op && n.in.size() == in.size();
            for (std::size_t k = 0; same && k < in.size(); ++k) same = n.in[k] == in[k]->id;
            if (!same || !(n.at == at)) continue;
            ir::values out;
            for (int k = 0; k < n.count; ++k) out.push_back(r.to().handle(n.first + k));
            return out;
        }
        hash_ = h;
        return {};
    }
    void add(int node) { nodes_.emplace(hash_, node); }

private:
    std::unordered_multimap<std::size_t, int> nodes_;
    std::size_t hash_ = 0;
};

// Folding stops at this many elements: a constant must not be larger than what it saves.
inline constexpr std::int64_t fold_limit = 1024;

inline ir::value fold(const ir::node& n, const algebra_site& s) {
    if (n.count != 1 || n.op->effects || !n.op->kernel || n.op == &op::constant || n.op->moves_lanes || n.in.empty()) return {};
    const auto& t = s.r.from().type_of(n.first);
    if (!t.dims.known() || t.lanes.n || t.dims.elements() > fold_limit) return {};
    std::vector<core::layout> in;
    std::vector<core::array> data;
    for (auto& v : s.in) {
        const auto* p = s.r.to().content().producer(v->id);
        if (!p || p->op != &op::constant) return {};
        data.push_back(p->at.data("value"));
        in.push_back(data.back().form);
    }
    if (n.op == &op::broadcast_to && t.dims.elements() > 1) return {};   // a view is better than a constant
    core::array out(t.element, t.dims);
    try {
        const auto k = n.op->kernel({*n.op, n.at, in, {&out.form, 1}, 0, n.where});
        core::storage ws(k->workspace);
        std::vector<void*> io;
        for (auto& a : data) io.push_back(a.raw());
        io.push_back(out.raw());
        k->run(io.data(), ws.data());
    } catch (const error&) {
        return {};   // it fails when it runs, if it runs
    }
    return ir::concrete(std::move(out), n.where);
}

inline ir::graph_ptr algebra_once(const ir::graph_ptr& g, bool& changed) {
    merged known;
    const auto uses = ir::use_counts(*g);
    return rewrite_nested(*g, algebra, [&](ir::rewriter& r, const ir::node& n) -> ir::values {
        const auto in = r.operands(n);
        const algebra_site site{r, n, in, uses};
        for (auto& rule : algebra_rules())
            if (rule.op == n.op)
                if (auto v = rule.apply(site)) {
                    changed = true;
                    return {v};
                }
        if (auto v = fold(n, site)) {
            changed = true;
            return {v};
        }
        // Values made from nothing are made again at each use: merging them would tie axes together that are apart.
        if (n.op->effects || n.op == &op::broadcast_to || n.op == &op::iota) return {};
        const auto at = map_graphs(n.at, algebra);
        if (auto out = known.find(r, *n.op, in, at); !out.empty()) {
            changed = true;
            return out;
        }
        auto out = ir::emit(*n.op, in, at, n.where);
        known.add(static_cast<int>(r.to().content().nodes.size()) - 1);
        return out;
    });
}
}  // namespace detail

DF_FN ir::graph_ptr algebra(const ir::graph_ptr& g) {
    auto r = g;
    for (bool changed = true; changed;) {
        changed = false;
        r = detail::algebra_once(r, changed);
    }
    return r;
}
}  // namespace df::inline DF_ABI::pass
#endif
