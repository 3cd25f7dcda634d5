// The record of an op: everything the library knows of it, in columns. A node points to its record; there is no enum and
// no registry, so a record written in a user's program is as good as one of df's own.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include <df/core/axes.hpp>
#include <df/core/rule.hpp>
#include <df/ir/attr.hpp>
#include <df/ir/value.hpp>

namespace df::inline DF_ABI::ir {

struct node;
struct op_def;

/// What to do about a complaint.
const char* advice(complaint c);

/// What a shape rule sees (sizes of one lane) and where it puts the result types.
struct inference {
    const op_def& op;
    const attrs& at;
    std::span<const type> in;
    place where;
    std::vector<type> out{};

    const shape& dims(std::size_t k) const { return in[k].dims; }
    void give(dtype t, const shape& s) { out.emplace_back(t, s); }
    /// Gives the shape of a constexpr rule, or throws what it complains of with the operands' types.
    void give(dtype t, const ruled& r) {
        if (r.wrong != complaint::none) fail(to_text(r.wrong), advice(r.wrong));
        give(t, r.s);
    }
    [[noreturn]] void fail(const std::string& what, const std::string& advice) const;
};

/// What the axes column sees.
struct axes_query {
    const attrs& at;
    std::span<const type> in, out;
};

/// Runs a node whose layouts are fixed. Pointers: the operands, then the results.
struct kernel {
    std::size_t workspace = 0;   // bytes, from the arena
    virtual ~kernel() = default;
    virtual void run(void* const* io, std::byte* workspace) const = 0;
};
using kernel_ptr = std::unique_ptr<kernel>;

/// Where a kernel is asked for. Lane axes are aligned: every layout begins with the same `lanes` axes (stride 0 where an
/// operand is invariant), then its own.
struct site {
    const op_def& op;
    const attrs& at;
    std::span<const core::layout> in, out;
    int lanes = 0;
    place where;
};

/// What a derivative or composition rule sees. `ct` are cotangents of the results (empty: zero); in a jvp, tangents of
/// the operands.
struct rule_args {
    const op_def& op;
    const attrs& at;
    const values& in;
    const values& out;
    const values& ct;
};

enum effect_bits : unsigned { pure = 0, reads = 1, writes = 2, io = 4, may_fail = 8, must_run = writes | io | may_fail };

/// How a reduction's partial results combine; see ir/monoid.hpp.
struct monoid;

struct op_def {
    const char* name = "";
    const char* doc = "";

    // shape: the types of the results; throws through `inference::fail`
    void (*infer)(inference&) = nullptr;
    // axes: absent means that nothing is known, and a lane axis becomes a loop of block 1
    df::axes (*axes)(const axes_query&) = nullptr;

    // running: one of the three. kernel: the naive one, the reference; view: the result's layout over operand 0's bytes,
    // false when that needs a copy (then `kernel`); compose: the same in terms of other records
    kernel_ptr (*kernel)(const site&) = nullptr;
    bool (*view)(const site&, core::layout& out, std::int64_t& offset) = nullptr;
    values (*compose)(const rule_args&) = nullptr;

    // derivatives: one of these, or `no_derivative`
    values (*partials)(const rule_args&) = nullptr;            // elementwise: d result / d operand; empty is 0
    value (*transpose)(const rule_args&, int k) = nullptr;     // linear: the cotangent of operand k
    value (*weights)(const rule_args&) = nullptr;              // reduction: d = sum of weight · dx
    values (*vjp)(const rule_args&) = nullptr;                 // by hand: cotangents of the operands
    values (*jvp)(const rule_args&) = nullptr;                 // by hand: tangents of the results
    unsigned linear = 0;            // with `transpose`: a bit for each operand it is linear in
    bool jointly_linear = false;    // in all of them at once (concatenate), not in each (contract)
    bool no_derivative = false;     // integer or piecewise constant: the derivative is 0

    // facts
    bool elementwise = false;
    bool in_place = false;          // may write over an operand of the same layout
    bool commutative = false;
    bool moves_lanes = false;       // `infer` sees and sets lane axes itself
    unsigned effects = pure;
    double cost = 1;                // operations per output element
    const monoid* combines = nullptr;   // reductions and scans: how blocks of the axis combine
    values (*numbered)(const rule_args&, const value& first) = nullptr;   // elements that depend on their place along `axis`: the block from `first` on
    const void* functor = nullptr;  // elementwise: its span function, see ops/elementwise.hpp
    const char* samples = "";       // operand types and attributes for the laws, see tests/laws

    // a record is callable on values, which is how rules are written
    value operator()(const value& a) const;
    value operator()(const value& a, const value& b) const;
    value operator()(const value& a, double b) const;
    value operator()(double a, const value& b) const;
    value operator()(const value& a, const value& b, const value& c) const;
};
inline constexpr unsigned all_operands = ~0u;

/// The effects of a node and of everything inside it.
unsigned effects_of(const node& n);
}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
namespace df::inline DF_ABI::ir {
DF_FN void inference::fail(const std::string& what, const std::string& remedy) const {
    std::string m = std::string(op.name) + ": " + what;
    if (!in.empty()) {
        m += ": ";
        for (std::size_t i = 0; i < in.size(); ++i) m += (i ? ", " : "") + to_text(in[i]);
    }
    if (const auto a = to_text(at); !a.empty() && a.size() < 120) m += " (" + a + ")";
    if (!remedy.empty()) m += "; " + remedy;
    throw shape_error(m, where);
}
DF_FN const char* advice(complaint c) {
    switch (c) {
        case complaint::inner: return "the last axis of the left operand must have the size of the first-but-last of the right one: check the order, or transpose one";
        case complaint::broadcast: return "sizes must be equal or 1, counted from the last axis: reshape or expand_dims one operand";
        case complaint::count: return "the sizes of both shapes must multiply to the same number";
        case complaint::axis: return "an axis runs from -rank to rank-1";
        case complaint::repeated: return "name each axis once";
        case complaint::rank: return "give an operand with more axes";
        case complaint::ranks: return "give operands of equal rank";
        case complaint::sizes: return "the sizes must be equal";
        case complaint::range: return "the range must lie inside the axis";
        case complaint::negative: return "sizes are 0 or more; one -1 in a reshape is worked out";
        case complaint::single: return "only an axis of size 1 can be squeezed: reduce or index it";
        case complaint::window: return "make the window or dilation smaller, or pad the input";
        case complaint::channels: return "input channels must be kernel channels times groups, and groups must divide the output channels";
        case complaint::empty: return "give a non-empty axis, or take the maximum of the result and a constant after concatenating it";
        case complaint::subscripts: return "give each operand as many letters as it has axes, and the result only letters of the operands";
        default: return "";
    }
}
}  // namespace df::inline DF_ABI::ir
#endif
