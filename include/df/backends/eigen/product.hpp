// Products by Eigen: a contraction becomes a batch of matrix products when its labels merge into rows, columns and depth.
#pragma once
#include <df/ops/contract.hpp>

namespace df::inline DF_ABI::backends {
/// Null when the site is not of a form that Eigen serves.
ir::kernel_ptr product_kernel(const ir::site& s);
}  // namespace df::inline DF_ABI::backends

#if DF_IMPL
namespace df::inline DF_ABI::backends {
DF_FN ir::kernel_ptr product_kernel(const ir::site&) { return nullptr; }
}  // namespace df::inline DF_ABI::backends
#endif
