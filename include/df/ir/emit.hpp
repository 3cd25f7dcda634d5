// Applying records to values: `emit` is the only way to add a node, so shape errors appear at the user's line.
#pragma once
#include <span>

#include <df/ir/op_def.hpp>

namespace df::inline DF_ABI::ir {

/// Applies a record: runs it now when all operands are concrete, else records a node. Throws typed errors at `where`.
values emit(const op_def& op, const values& in, const attrs& at = {}, place where = {});
value emit_one(const op_def& op, const values& in, const attrs& at = {}, place where = {});
/// The result types of a record on operand types, lanes included.
std::vector<type> infer(const op_def& op, std::span<const type> in, const attrs& at, place where);

/// The place that nodes emitted by rules get.
class place_scope {
public:
    explicit place_scope(place p);
    ~place_scope();

private:
    place before_;
};

/// Calls `f` on the inputs inside a new trace and returns the graph; captures follow the explicit inputs.
struct traced {
    graph_ptr g;
    values captured;
};
class body_ref {   // a reference to a callable, so that `trace` is compiled once
public:
    template <class F> body_ref(const F& f) : f_(&f), call_([](const void* p, const values& v) { return (*static_cast<const F*>(p))(v); }) {}
    values operator()(const values& v) const { return call_(f_, v); }

private:
    const void* f_;
    values (*call_)(const void*, const values&);
};
/// The number of outputs of a graph.
std::size_t output_count(const graph_ptr& g);
traced trace(std::span<const type> inputs, place at, body_ref body);

}  // namespace df::inline DF_ABI::ir
