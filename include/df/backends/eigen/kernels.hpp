// The table of kernels that Eigen does better than the records' naive ones, keyed by record.
#pragma once
#include <df/ir/op_def.hpp>

namespace df::inline DF_ABI::backends {
/// A kernel for the site: Eigen's, else the record's own.
ir::kernel_ptr eigen_kernel(const ir::site& s);
}  // namespace df::inline DF_ABI::backends

#if DF_IMPL
#include <df/backends/eigen/conv.hpp>
#include <df/backends/eigen/elementwise.hpp>
#include <df/backends/eigen/product.hpp>
#include <df/backends/eigen/reduce.hpp>

namespace df::inline DF_ABI::backends {
DF_FN ir::kernel_ptr eigen_kernel(const ir::site& s) {
    if (&s.op == &op::contract) if (auto k = product_kernel(s)) return k;
    if (&s.op == &op::conv) if (auto k = conv_kernel(s)) return k;
    if (auto k = function_kernel(s)) return k;
    if (auto k = reduce_kernel(s)) return k;
    if (!s.op.kernel) throw internal_error(std::string(s.op.name) + ": has no kernel", s.where);
    return s.op.kernel(s);
}
}  // namespace df::inline DF_ABI::backends
#endif
