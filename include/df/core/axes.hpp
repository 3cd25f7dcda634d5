// The axes column: one label per axis of every operand and result, and the role of each label. Batching, splitting,
// fusing and sparsity follow from it.
#pragma once
#include <vector>

#include <df/core/config.hpp>

namespace df::inline DF_ABI {

/// What happens along a label.
enum class role : char {
    map,      // element in, element out; an operand without the label is invariant along it
    reduce,   // in operands only: combined by the record's monoid
    scan,     // in and out, carried from one element to the next
    window,   // each output element reads a neighbourhood
    opaque,   // needed whole
};

using labels = std::vector<int>;   // an index into `roles` per axis; no_label where an axis of size 1 broadcasts
inline constexpr int no_label = -1;

struct axes {
    std::vector<labels> in, out;
    std::vector<role> roles;
    int fresh(role r) {
        roles.push_back(r);
        return static_cast<int>(roles.size()) - 1;
    }
};

}  // namespace df::inline DF_ABI
