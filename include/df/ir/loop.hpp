// The one loop: its operands, results and attributes. for, while, scan and pfor are forms of it, and so are chunks, splits
// and tiles.
#pragma once
#include <df/ir/graph.hpp>

namespace df::inline DF_ABI {
namespace op {
/// A graph, trip after trip or all at once; the record stands in ops/control.hpp.
extern const ir::op_def loop;
}  // namespace op

namespace ir {
/// The layout of a loop node. Operands: slices, initial carries, invariants. Body inputs: the number of the block's first
/// trip, then the same. Body outputs: carries, contributions (summed over the trips), placed (written by trip). Results:
/// carries, sums, placed.
struct loop_form {
    graph_ptr body;
    std::int64_t count = 0;      // a number or a symbol
    bool parallel = false;       // trips may run in any order, or all at once
    bool blocked = false;        // the body sees blocks of trips (the axes stay, of size block_size), not single ones
    std::int64_t block = 1;      // trips in a block
    std::int64_t block_size = 1; // what the body calls a block's size: a symbol, since the last block may be short
    ints slice_axes, place_axes;
    std::int64_t carries = 0, sums = 0;

    explicit loop_form(const attrs& at);
    loop_form() = default;
    attrs to_attrs() const;
    std::size_t slices() const { return slice_axes.size(); }
};
}  // namespace ir
}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI::ir {
DF_FN loop_form::loop_form(const attrs& at)
    : body(at.graph("body")), count(at.list("count").at(0)), parallel(at.flag("parallel")), blocked(at.flag("blocked")),
      block(at.integer("block")), block_size(at.list("block_size").at(0)), slice_axes(at.list("slice_axes")), place_axes(at.list("place_axes")), carries(at.integer("carries")), sums(at.integer("sums")) {}
DF_FN attrs loop_form::to_attrs() const {
    return {{"count", shape{count}}, {"block", block}, {"block_size", shape{block_size}}, {"parallel", parallel}, {"blocked", blocked}, {"slice_axes", slice_axes},
            {"place_axes", place_axes}, {"carries", carries}, {"sums", sums}, {"body", std::vector<graph_ptr>{body}}};
}
}  // namespace df::inline DF_ABI::ir
#endif
