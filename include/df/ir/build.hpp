// Building graphs: the graph under construction, and how it takes in values from outside.
#pragma once
#include <unordered_map>

#include <df/ir/emit.hpp>
#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::ir {

/// A graph under construction. The innermost one on this thread's stack receives what `emit` records.
class builder {
public:
    enum class kind { trace, rewrite };   // a trace captures outside values as inputs; a rewrite makes them constants
    explicit builder(kind k);
    builder(const builder&) = delete;
    builder& operator=(const builder&) = delete;
    ~builder();

    value input(const type& t, place at);
    /// The handle of a value of this graph.
    value handle(int id);
    /// The number of `v` in this graph: its own, or a capture or constant made for it.
    int resolve(const value& v, const char* who, place at);
    values record(const op_def& op, const values& in, const attrs& at, std::vector<type> out, place where);
    void output(const value& v, const char* who, place at) { g_.outputs.push_back(resolve(v, who, at)); }
    /// Makes the content of `count` a size.
    std::int64_t symbol_of(const value& count, place at);
    void adopt(symbol s) { g_.symbols.push_back(s); }

    /// Outside values that became inputs, in the order of those inputs, which follow the explicit ones.
    const values& captured() const { return captured_; }
    std::uint64_t serial() const { return serial_; }
    bool rewriting() const { return kind_ == kind::rewrite; }
    graph_ptr finish();
    /// Leaves the stack before the end of the block, and returns to it.
    void close();
    void open();
    graph& content() { return g_; }

private:
    int add_value(const type& t, place at, int node, int output);
    int constant(const value& v);
    int repeated(const value& v);   // one element everywhere: that element, broadcast
    graph g_;
    kind kind_;
    std::uint64_t serial_;
    values captured_;
    std::unordered_map<const cell*, int> known_;
    values kept_;   // keeps the keys of known_ alive
};

/// The innermost builder of this thread, or null.
builder* current_builder();
/// The innermost builder that is a user's trace.
bool tracing();

/// The operands and attributes of a copied node, with its values mapped into the current builder.
values copy_node(const graph& g, const node& n, const values& env);
/// Makes the sizes of a copied graph sizes of the current one; `env` maps its values.
void adopt_symbols(const graph& g, const values& env);
/// Copies a whole graph into the current builder: its inputs become `in`; returns its outputs.
values inline_graph(const graph& g, const values& in);

}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
#include <df/ir/bind.hpp>
#include <df/ir/executor.hpp>

namespace df::inline DF_ABI::ir {
namespace detail {
inline std::vector<builder*>& builders() {
    thread_local std::vector<builder*> s;
    return s;
}
inline place& rule_place() {
    thread_local place p;
    return p;
}
inline std::string place_text(place p) { return p.line ? std::string(p.file) + ":" + std::to_string(p.line) : "an unknown place"; }
}  // namespace detail

DF_FN place_scope::place_scope(place p) : before_(detail::rule_place()) { detail::rule_place() = p; }
DF_FN place_scope::~place_scope() { detail::rule_place() = before_; }

DF_FN builder::builder(kind k) : kind_(k) {
    static std::atomic<std::uint64_t> next{0};
    serial_ = ++next;
    open();
}
DF_FN void builder::open() { detail::builders().push_back(this); }
DF_FN builder::~builder() { close(); }
DF_FN void builder::close() { std::erase(detail::builders(), this); }
DF_FN builder* current_builder() {
    auto& s = detail::builders();
    return s.empty() ? nullptr : s.back();
}
DF_FN bool tracing() {
    auto* b = current_builder();
    return b && !b->rewriting();
}
DF_FN int builder::add_value(const type& t, place at, int node, int output) {
    g_.values.push_back({t, at, node, output});
    return static_cast<int>(g_.values.size()) - 1;
}
DF_FN value builder::handle(int id) {
    auto* c = new cell;
    auto& v = g_.values[static_cast<std::size_t>(id)];
    c->t = v.t;
    c->at = v.at;
    c->trace = serial_;
    c->id = id;
    return value(c);
}
DF_FN value builder::input(const type& t, place at) {
    g_.inputs.push_back(add_value(t, at, -1, static_cast<int>(g_.inputs.size())));
    return handle(g_.inputs.back());
}
DF_FN values builder::record(const op_def& op, const values& in, const attrs& at, std::vector<type> out, place where) {
    node n{&op, at, {}, 0, static_cast<int>(out.size()), {}, where};
    n.in.reserve(in.size());
    for (auto& v : in) n.in.push_back(resolve(v, op.name, where));
    n.first = static_cast<int>(g_.values.size());
    values r;
    for (std::size_t k = 0; k < out.size(); ++k) r.push_back(handle(add_value(out[k], where, static_cast<int>(g_.nodes.size()), static_cast<int>(k))));
    g_.nodes.push_back(std::move(n));
    return r;
}
namespace detail {
// Does a layout show one element more than once, and no other?
inline bool uniform(const core::layout& l) {
    for (std::size_t i = 0; i < l.dims.size(); ++i) if (l.dims[i] != 1 && l.strides[i] != 0) return false;
    return l.elements() > 1;
}
}  // namespace detail
DF_FN int builder::resolve(const value& v, const char* who, place at) {
    if (!v) throw trace_error(std::string(who) + ": an operand is empty: it was default-constructed or moved from; give it a value first", at);
    if (v->trace == serial_) return v->id;
    if (auto it = known_.find(&*v); it != known_.end()) return it->second;
    int id;
    if (!v.staged()) {
        id = detail::uniform(v->data.form) ? repeated(v) : v->literal || rewriting() ? constant(v) : -1;
    } else {
        bool outer = false;
        for (auto* b : detail::builders()) outer |= b->serial_ == v->trace;
        if (!outer || rewriting())
            throw trace_error(std::string(who) + ": this value belongs to a trace that is over (it was made at " + detail::place_text(v->at) +
                              "); return it from the traced function instead of storing it", at);
        id = -1;
    }
    if (id < 0) {
        id = input(v.type(), v->at)->id;
        captured_.push_back(v);
    }
    known_.emplace(&*v, id);
    kept_.push_back(v);
    return id;
}
DF_FN std::int64_t builder::symbol_of(const value& count, place at) {
    symbol s;
    s.id = fresh_symbol();
    s.count = resolve(count, "pfor", at);
    g_.symbols.push_back(s);
    return s.id;
}
DF_FN graph_ptr builder::finish() { return std::make_shared<const graph>(std::move(g_)); }

DF_FN std::vector<type> infer(const op_def& op, std::span<const type> in, const attrs& at, place where) {
    lane_list lanes;
    if (!op.moves_lanes) for (auto& t : in) for (int i = 0; i < t.lanes.n; ++i) lanes.insert(t.lanes.id[i]);
    std::vector<type> own(in.begin(), in.end());
    if (lanes.n)
        for (auto& t : own) {
            t.dims = t.own();
            t.lanes = {};
        }
    inference q{op, at, own, where};
    op.infer(q);
    if (!lanes.n) return std::move(q.out);
    shape front;
    for (int i = 0; i < lanes.n; ++i)
        for (auto& t : in)
            if (const int p = t.lanes.position(lanes.id[i]); p >= 0) {
                front.push_back(t.dims.d[p]);
                break;
            }
    for (auto& t : q.out) {
        t.dims = front + t.dims;
        t.lanes = lanes;
    }
    return std::move(q.out);
}

DF_FN values emit(const op_def& op, const values& in, const attrs& at, place where) {
    if (!where.line) where = detail::rule_place();
    std::vector<type> types;
    types.reserve(in.size());
    bool staged = false;
    for (auto& v : in) {
        if (!v) throw trace_error(std::string(op.name) + ": an operand is empty: it was default-constructed or moved from; give it a value first", where);
        staged |= v.staged();
        types.push_back(v.type());
    }
    auto out = infer(op, types, at, where);
    auto* b = current_builder();
    staged |= b && b->rewriting();   // a pass makes nodes, also of constants
    for (auto& t : out) staged |= !t.dims.known() || t.lanes.n;
    if (b && (staged || op.effects)) return b->record(op, in, at, std::move(out), where);
    if (staged) b = nullptr, array_of(in[0], op.name, where);   // a handle of a trace that is over: throws
    if (op.compose) {
        place_scope p(where);
        static const values none;
        return op.compose({op, at, in, none, none});
    }
    core::arrays arrays;
    arrays.reserve(in.size());
    for (auto& v : in) arrays.push_back(v->data);
    for (auto& t : out) core::checked_elements(t.dims, t.element, op.name, where);
    values r;
    for (auto& a : current_executor().run(op, at, arrays, out, where)) r.push_back(concrete(std::move(a), where));
    return r;
}
DF_FN value emit_one(const op_def& op, const values& in, const attrs& at, place where) { return emit(op, in, at, where)[0]; }

DF_FN value op_def::operator()(const value& a) const { return emit_one(*this, {a}); }
DF_FN value op_def::operator()(const value& a, const value& b) const { return emit_one(*this, {a, b}); }
DF_FN value op_def::operator()(const value& a, double b) const { return emit_one(*this, {a, literal(a.element(), b)}); }
DF_FN value op_def::operator()(double a, const value& b) const { return emit_one(*this, {literal(b.element(), a), b}); }
DF_FN value op_def::operator()(const value& a, const value& b, const value& c) const { return emit_one(*this, {a, b, c}); }

DF_FN std::size_t output_count(const graph_ptr& g) { return g->outputs.size(); }
DF_FN traced trace(std::span<const type> inputs, place at, body_ref body) {
    builder b(builder::kind::trace);
    values in;
    for (auto& t : inputs) in.push_back(b.input(t, at));
    for (auto& v : body(in)) b.output(v, "the result of a traced function", at);
    auto captured = b.captured();
    return {b.finish(), std::move(captured)};
}

DF_FN values copy_node(const graph&, const node& n, const values& env) {
    values in;
    in.reserve(n.in.size());
    for (auto v : n.in) in.push_back(env[static_cast<std::size_t>(v)]);
    return emit(*n.op, in, n.at, n.where);
}
DF_FN values inline_graph(const graph& given, const values& in) {
    graph_ptr renamed;   // the same graph may be inlined twice with different counts
    if (!given.symbols.empty()) {
        binding fresh;
        for (auto& s : given.symbols) fresh.emplace_back(s.id, fresh_symbol());
        auto copy = std::make_shared<graph>(*ir::bind(given, fresh));
        copy->symbols = given.symbols;
        for (std::size_t k = 0; k < fresh.size(); ++k) copy->symbols[k].id = fresh[k].second;
        renamed = copy;
    }
    const graph& g = renamed ? *renamed : given;
    values env(g.values.size());
    for (std::size_t i = 0; i < g.inputs.size(); ++i) env[static_cast<std::size_t>(g.inputs[i])] = in[i];
    for (auto& n : g.nodes) {
        auto r = copy_node(g, n, env);
        for (int k = 0; k < n.count; ++k) env[static_cast<std::size_t>(n.first + k)] = std::move(r[static_cast<std::size_t>(k)]);
    }
    adopt_symbols(g, env);
    values r;
    for (auto v : g.outputs) r.push_back(env[static_cast<std::size_t>(v)]);
    return r;
}
DF_FN void adopt_symbols(const graph& g, const values& env) {
    for (auto s : g.symbols) {
        const auto& count = env[static_cast<std::size_t>(s.count)];
        if (count.type().lanes.n)
            throw vectorize_error("pfor: the number of lanes of an inner pfor differs from lane to lane; take it from outside the outer pfor", g.values[static_cast<std::size_t>(s.count)].at);
        s.count = current_builder()->resolve(count, "pfor", {});
        current_builder()->adopt(s);
    }
}
}  // namespace df::inline DF_ABI::ir
#endif
