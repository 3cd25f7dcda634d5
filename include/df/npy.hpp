// Tensors in NumPy's .npy files.
#pragma once
#include <string>

#include <df/ir/tensor.hpp>

namespace df::inline DF_ABI {
namespace detail {
ir::value load_npy(dtype t, const std::string& path, place at);
void save_npy(const std::string& path, const ir::value& v, place at);
}  // namespace detail

/// The array in a .npy file, whose elements must be T (dtype_error names what they are); every version, order and byte
/// order that NumPy writes. Throws io_error, naming the file and what is wrong, when it is missing, truncated or no .npy.
template <element T> tensor<T> load_npy(const std::string& path, place at = place::here()) {
    return tensor<T>(detail::load_npy(dtype_of<T>, path, at), raw);
}
/// Writes x as a .npy file that NumPy reads. Throws io_error when it cannot be written (a file that was there stays as it
/// is), trace_error when x is staged.
template <tensor_like X> void save_npy(const std::string& path, const X& x, place at = place::here()) {
    detail::save_npy(path, x.value(), at);
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/core/npy.hpp>

namespace df::inline DF_ABI::detail {
DF_FN ir::value load_npy(dtype t, const std::string& path, place at) { return ir::concrete(core::read_npy(path, t, at), at); }
DF_FN void save_npy(const std::string& path, const ir::value& v, place at) { core::write_npy(path, ir::array_of(v, "save_npy", at), at); }
}  // namespace df::inline DF_ABI::detail
#endif
