// What is kept of a pass that has run.
#pragma once
#include <string>

#include <df/ir/attr.hpp>

namespace df::inline DF_ABI::pass {

/// One line of a compilation's log.
struct stage {
    std::string name;
    double milliseconds = 0;
    ir::graph_ptr result;   // kept only when asked for
};

}  // namespace df::inline DF_ABI::pass
