// Checks that a graph is well formed; names the node and the broken rule.
#pragma once
#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::ir {
/// Throws internal_error that begins with `who` when a rule is broken: every operand is made before it is used, results
/// have the types their records infer, sizes are numbers or symbols that the graph knows, the operands of a loop fit its
/// body; sub-graphs are well formed too.
void verify(const graph& g, const char* who);
}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
#include <df/ir/emit.hpp>
#include <df/ir/loop.hpp>

namespace df::inline DF_ABI::ir {
namespace detail {
class verifier {
public:
    explicit verifier(const char* who) : who_(who) {}
    void graph_of(const graph& g) {
        const auto count = static_cast<int>(g.values.size());
        const auto known = symbols_.size();
        for (auto& s : g.symbols) symbols_.push_back(s.id);
        std::vector<bool> made(g.values.size());
        const auto is_made = [&](int v) { return v >= 0 && v < count && made[static_cast<std::size_t>(v)]; };
        for (auto v : g.inputs) {
            if (v < 0 || v >= count || g.values[static_cast<std::size_t>(v)].node != -1) broken("an input is not a value without a node", nullptr);
            if (is_made(v)) broken("value %" + std::to_string(v) + " is an input twice", nullptr);
            made[static_cast<std::size_t>(v)] = true;
            sizes_known(g.type_of(v), nullptr);
        }
        for (std::size_t i = 0; i < g.nodes.size(); ++i) {
            const auto& n = g.nodes[i];
            std::vector<type> in;
            for (auto v : n.in) {
                if (v < 0 || v >= count) broken("an operand has no number", &n);
                if (!is_made(v)) broken("operand %" + std::to_string(v) + " is used before it is made", &n);
                in.push_back(g.type_of(v));
            }
            for (auto c : n.control) if (c < 0 || c >= static_cast<int>(i)) broken("a control edge does not come from an earlier node", &n);
            inside(n, in);   // first, since shape rules look there
            const auto out = infer(*n.op, in, n.at, n.where);
            if (static_cast<int>(out.size()) != n.count) broken("it has " + std::to_string(n.count) + " results, its record says " + std::to_string(out.size()), &n);
            for (int k = 0; k < n.count; ++k) {
                const int v = n.first + k;
                if (v < 0 || v >= count || g.values[static_cast<std::size_t>(v)].node != static_cast<int>(i) || g.values[static_cast<std::size_t>(v)].output != k)
                    broken("a result does not know its node", &n);
                const auto &is = g.type_of(v), &should = out[static_cast<std::size_t>(k)];
                if (is.element != should.element || is.dims != should.dims || !(is.lanes == should.lanes))
                    broken("result type " + to_text(is) + ", its record says " + to_text(should), &n);
                sizes_known(is, &n);
                made[static_cast<std::size_t>(v)] = true;
            }
        }
        for (auto v : g.outputs) if (!is_made(v)) broken("an output is not made", nullptr);
        for (auto& s : g.symbols) if (s.count >= 0 && !is_made(s.count)) broken("the count of a symbol is not made", nullptr);
        symbols_.resize(known);
    }

private:
    [[noreturn]] void broken(const std::string& rule, const node* n) const {
        throw internal_error(std::string(who_) + ": " + (n ? std::string("node ") + n->op->name + " %" + std::to_string(n->first) + ": " : "") + rule, n ? n->where : place{});
    }
    void sizes_known(const type& t, const node* n) const {
        if (t.lanes.n > t.dims.n) broken("a value has more lane axes than axes", n);
        for (auto d : t.dims) {
            bool known = d >= 0;
            for (auto s : symbols_) known |= s == d;
            if (!known) broken("type " + to_text(t) + " has a size that the graph does not know", n);
        }
    }
    void inside(const node& n, const std::vector<type>& in) {
        const auto known = symbols_.size();
        if (n.op == &op::loop) symbols_.push_back(loop_form(n.at).block_size);
        for (auto& a : n.at.all()) if (a.what == attr::kind::graphs) for (auto& s : a.graphs) graph_of(*s);
        symbols_.resize(known);
        if (n.op == &op::loop) loop(n, loop_form(n.at), in);
    }
    // Do an operand's bytes fit what the body takes them for? Lane axes of a state may be plain axes of its first value.
    static bool fits(const type& x, const type& y) { return x.element == y.element && agree(x.dims, y.dims); }
    void loop(const node& n, const loop_form& f, const std::vector<type>& in) const {
        const auto& b = *f.body;
        const auto s = f.slices(), c = static_cast<std::size_t>(f.carries), kept = c + static_cast<std::size_t>(f.sums);
        if (b.inputs.size() != in.size() + 1 || s + c > in.size()) broken("the body takes another number of operands", &n);
        if (b.outputs.size() != kept + f.place_axes.size()) broken("the body gives another number of results", &n);
        const auto takes = [&](std::size_t k) { return b.type_of(b.inputs[k + 1]); };
        if (!fits(type(dtype::int64, {}), b.type_of(b.inputs[0]))) broken("the body does not take the number of a trip first", &n);
        for (std::size_t k = 0; k < in.size(); ++k) {
            auto part = in[k];
            if (k < s) {
                const auto a = f.slice_axes[k];
                if (a < 0 || a >= part.dims.n || clash(part.dims.d[a], f.count)) broken("operand " + std::to_string(k) + " is not sliced along an axis of as many trips", &n);
                if (f.blocked) part.dims.d[a] = f.block_size;
                else part.dims = part.dims.without(static_cast<int>(a));
            }
            if (!fits(part, takes(k))) broken("the body takes " + to_text(takes(k)) + " for operand " + std::to_string(k), &n);
            if (k >= s && k < s + c && !fits(takes(k), b.type_of(b.outputs[k - s]))) broken("a carried value changes its type", &n);
        }
    }

    const char* who_;
    std::vector<std::int64_t> symbols_;   // that are known here
};
}  // namespace detail
DF_FN void verify(const graph& g, const char* who) { detail::verifier(who).graph_of(g); }
}  // namespace df::inline DF_ABI::ir
#endif
