// Tensors over memory that somebody else owns: foreign pointers, Eigen objects seen in place.
#pragma once
#include <memory>

#include <df/ir/tensor.hpp>

namespace df::inline DF_ABI {
namespace detail {
/// A value over `data`; `owner` goes to `release` when its last handle goes, or when this throws.
ir::value borrow(dtype t, const void* data, const shape& s, const shape* strides, void (*release)(void*), void* owner, place at);
}  // namespace detail

/// A tensor over memory at `data`, without a copy. Strides are counted in elements (0 repeats, negative runs backwards);
/// without them the elements lie in row-major order. `deleter(data)` runs once, when the last handle is gone or when this
/// call throws; without one the memory must outlive every tensor made of this one. Nobody may write to it meanwhile.
/// Throws shape_error when the sizes are negative or the strides are not one for each size.
template <element T> tensor<T> from_memory(const T* data, const sizes& s, place at = place::here()) {
    return tensor<T>(detail::borrow(dtype_of<T>, data, s.s, nullptr, nullptr, nullptr, at), raw);
}
template <element T> tensor<T> from_memory(const T* data, const sizes& s, const sizes& strides, place at = place::here()) {
    return tensor<T>(detail::borrow(dtype_of<T>, data, s.s, &strides.s, nullptr, nullptr, at), raw);
}
template <element T, std::invocable<T*> D> tensor<T> from_memory(T* data, const sizes& s, const sizes& strides, D deleter, place at = place::here()) {
    struct keeper {
        D deleter;
        T* data;
    };
    auto* owner = new keeper{std::move(deleter), data};
    const auto release = [](void* p) {
        const std::unique_ptr<keeper> k(static_cast<keeper*>(p));
        k->deleter(k->data);
    };
    return tensor<T>(detail::borrow(dtype_of<T>, data, s.s, &strides.s, release, owner, at), raw);
}

/// An Eigen matrix, vector, map or block as a tensor over its own memory, without a copy: [rows, cols], or [n] of a vector
/// type. The Eigen object must outlive every tensor made of it, and nobody may write to it meanwhile.
template <detail::matrix_in_memory M> tensor<typename M::Scalar> view(const M& m, place at = place::here()) {
    const auto strides = detail::strides_of(m);
    return tensor<typename M::Scalar>(detail::borrow(dtype_of<typename M::Scalar>, m.data(), detail::sizes_of(m), &strides, nullptr, nullptr, at), raw);
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI::detail {
DF_FN ir::value borrow(dtype t, const void* data, const shape& s, const shape* strides, void (*release)(void*), void* owner, place at) {
    core::storage bytes(const_cast<void*>(data), release, owner);
    if (strides && strides->n != s.n)
        throw shape_error("from_memory: " + std::to_string(strides->n) + " strides for the sizes " + to_text(s) + "; give one for each size", at);
    if (core::checked_elements(s, t, "from_memory", at) && !data) throw shape_error("from_memory: the pointer is null for the sizes " + to_text(s) + "; give memory that holds them", at);
    return ir::concrete(core::array(strides ? core::layout(t, s, *strides) : core::layout(t, s), std::move(bytes)), at);
}
}  // namespace df::inline DF_ABI::detail
#endif
