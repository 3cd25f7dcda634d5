// What a pass is, and how a list of passes is run: each one verified, timed and dumpable by name.
#pragma once
#include <span>
#include <string>
#include <vector>

#include <df/ir/graph.hpp>
#include <df/passes/stage.hpp>

namespace df::inline DF_ABI::pass {

/// A pass: graph to graph, pure.
struct pass_def {
    const char* name;
    const char* reason;
    ir::graph_ptr (*run)(const ir::graph_ptr&);
};

struct run_options {
    bool verify = false;
    bool keep = false;                  // keep every stage's graph
    std::vector<stage>* log = nullptr;
};

/// Runs the passes in order.
ir::graph_ptr run(std::span<const pass_def> list, ir::graph_ptr g, const run_options& options = {});

}  // namespace df::inline DF_ABI::pass

#if DF_IMPL
#include <chrono>

#include <df/ir/verify.hpp>

namespace df::inline DF_ABI::pass {
DF_FN ir::graph_ptr run(std::span<const pass_def> list, ir::graph_ptr g, const run_options& options) {
    for (auto& p : list) {
        const auto start = std::chrono::steady_clock::now();
        g = p.run(g);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        if (options.verify) ir::verify(*g, p.name);
        if (options.log) options.log->push_back({p.name, took.count(), options.keep ? g : nullptr});
    }
    return g;
}
}  // namespace df::inline DF_ABI::pass
#endif
