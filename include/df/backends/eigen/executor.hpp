// The CPU executor: plans run on Eigen's kernels where there is one, else on the records' own.
#pragma once
#include <df/ir/executor.hpp>

namespace df::inline DF_ABI::backends {
/// The one CPU executor.
ir::executor& eigen();
}  // namespace df::inline DF_ABI::backends

#if DF_IMPL
#include <df/backends/eigen/kernels.hpp>
#include <df/runtime/program.hpp>
#include <df/runtime/threads.hpp>

namespace df::inline DF_ABI::backends {
namespace detail {
struct eigen_executor final : ir::executor {
    const char* name() const override { return "eigen"; }
    core::arrays run(const ir::op_def& op, const ir::attrs& at, std::span<const core::array> in, std::span<const ir::type> out, place where) override {
        return rt::run_one(eigen_kernel, op, at, in, out, where);
    }
    std::shared_ptr<const ir::program> load(const ir::graph_ptr& g) override { return std::make_shared<rt::planned_program>(g, eigen_kernel); }
};
}  // namespace detail
DF_FN ir::executor& eigen() {
    static auto* e = [] {
        rt::use_thread_pool();
        return new detail::eigen_executor;
    }();
    return *e;
}
}  // namespace df::inline DF_ABI::backends
#endif
