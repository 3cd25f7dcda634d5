// The CPU backend: including this file makes programs run.
#pragma once
#include <df/backends/eigen/executor.hpp>

#if DF_IMPL
namespace df::inline DF_ABI::detail {
inline const bool eigen_installed = (ir::set_executor(&backends::eigen()), true);
}  // namespace df::inline DF_ABI::detail
#endif
