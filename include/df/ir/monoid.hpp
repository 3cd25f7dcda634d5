// Monoids: how partial results of a reduction combine, so that any axis can be run in blocks.
#pragma once
#include <df/ir/op_def.hpp>

namespace df::inline DF_ABI::ir {

/// The algebra of a reduction. State is one or more values; blocks combine in order, the earlier one first.
struct monoid {
    /// The state of no elements, for the reduction's operand and result types.
    values (*identity)(std::span<const type> in, std::span<const type> out, const attrs& at);
    /// The state of a block of operands; `offset` is the number of its first element along the axis (int64 scalar).
    values (*lift)(const op_def& op, const values& in, const attrs& at, const value& offset);
    values (*combine)(const values& earlier, const values& later);
    /// The results from the state of everything.
    values (*finish)(const values& state);
};

}  // namespace df::inline DF_ABI::ir
