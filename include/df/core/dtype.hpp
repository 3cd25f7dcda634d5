// Element types: the C++ type, its tag, its name, and the type it is computed in.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <df/core/config.hpp>

namespace df::inline DF_ABI {

/// The element types of tensors. bool and uint8 are storage types: widened on load, narrowed on store.
enum class dtype : std::uint8_t { boolean, uint8, int32, int64, float32, float64 };

template <class T> struct dtype_of_t;
template <> struct dtype_of_t<bool> { static constexpr dtype value = dtype::boolean; };
template <> struct dtype_of_t<std::uint8_t> { static constexpr dtype value = dtype::uint8; };
template <> struct dtype_of_t<std::int32_t> { static constexpr dtype value = dtype::int32; };
template <> struct dtype_of_t<std::int64_t> { static constexpr dtype value = dtype::int64; };
template <> struct dtype_of_t<float> { static constexpr dtype value = dtype::float32; };
template <> struct dtype_of_t<double> { static constexpr dtype value = dtype::float64; };
template <class T> inline constexpr dtype dtype_of = dtype_of_t<T>::value;

/// A C++ type that a tensor may hold.
template <class T> concept element = requires { dtype_of_t<T>::value; };

/// Calls f with a value of the C++ type of `t`.
template <class F> decltype(auto) with_type(dtype t, F&& f) {
    switch (t) {
        case dtype::boolean: return f(bool{});
        case dtype::uint8: return f(std::uint8_t{});
        case dtype::int32: return f(std::int32_t{});
        case dtype::int64: return f(std::int64_t{});
        case dtype::float32: return f(float{});
        default: return f(double{});
    }
}

constexpr std::size_t size_of(dtype t) {
    constexpr std::size_t bytes[] = {1, 1, 4, 8, 4, 8};
    return bytes[static_cast<int>(t)];
}
constexpr const char* name_of(dtype t) {
    constexpr const char* names[] = {"bool", "uint8", "int32", "int64", "float", "double"};
    return names[static_cast<int>(t)];
}
constexpr bool is_floating(dtype t) { return t >= dtype::float32; }
constexpr bool is_integer(dtype t) { return t > dtype::boolean && t < dtype::float32; }

/// The type that arithmetic on `t` is done in.
constexpr dtype compute_type(dtype t) { return t == dtype::uint8 ? dtype::int32 : t; }

}  // namespace df::inline DF_ABI
