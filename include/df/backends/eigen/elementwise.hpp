// Elementary functions by Eigen's packets. Every element is computed the same way wherever it lies in a span, so results
// do not depend on how work is cut.
#pragma once
#include <df/ops/elementwise.hpp>

namespace df::inline DF_ABI::backends {
/// Null for records and types that Eigen has no packet function for.
ir::kernel_ptr function_kernel(const ir::site& s);
}  // namespace df::inline DF_ABI::backends

#if DF_IMPL
#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include <df/ops/math.hpp>

namespace df::inline DF_ABI::backends {
namespace detail {
// The range in which Eigen's function is as exact as the standard one; outside of it the standard one is called.
struct exact_range {
    double low, high;
};
template <class T> constexpr exact_range everywhere{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
template <class T> constexpr exact_range exponents = sizeof(T) == 4 ? exact_range{-87, 87} : exact_range{-707, 707};
template <class T> constexpr exact_range positive{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};

template <class T, class Functor, class Standard> struct packet_span {
    using packet = typename Eigen::internal::packet_traits<T>::type;
    static constexpr std::int64_t width = Eigen::internal::unpacket_traits<packet>::size, block = 256;
    static constexpr bool packets = Eigen::internal::functor_traits<Functor>::PacketAccess;

    static void apply(const T* x, T* y, std::int64_t n) {
        using namespace Eigen::internal;
        const Functor f{};
        for (std::int64_t i = 0; i < n; i += width) pstoreu(y + i, f.packetOp(ploadu<packet>(x + i)));
    }
    template <exact_range const& R> static void run(const void* const* in, void* out, std::int64_t n) {
        const T low = static_cast<T>(R.low), high = static_cast<T>(R.high);
        alignas(64) T x[block], y[block];
        for (std::int64_t b = 0; b < n; b += block) {
            const std::int64_t m = std::min(block, n - b);
            const T* from = static_cast<const T*>(in[0]) + b;
            T* to = static_cast<T*>(out) + b;
            bool exact = true;
            for (std::int64_t i = 0; i < m; ++i) exact &= from[i] >= low && from[i] <= high;
            if (exact && m % width == 0) {
                apply(from, to, m);
                continue;
            }
            const std::int64_t whole = (m + width - 1) / width * width;
            std::copy_n(from, m, x);
            std::fill(x + m, x + whole, T(1));
            apply(x, y, whole);
            if (!exact) for (std::int64_t i = 0; i < m; ++i) if (!(x[i] >= low && x[i] <= high)) y[i] = Standard{}(x[i]);
            std::copy_n(y, m, to);
        }
    }
};

// From packets of `Least` bytes on they beat the standard library.
template <class T, template <class> class Functor, class Standard, exact_range const& R, std::size_t Least> ops::span_fn packet_function() {
    using span = packet_span<T, Functor<T>, Standard>;
    if constexpr (span::packets && sizeof(typename span::packet) >= Least) return &span::template run<R>;
    else return nullptr;
}
template <class T> ops::span_fn function_span(const ir::op_def* op) {
    namespace e = Eigen::internal;
    if (op == &op::exp) return packet_function<T, e::scalar_exp_op, ops::fn::exp, exponents<T>, 32>();
    if (op == &op::log) return packet_function<T, e::scalar_log_op, ops::fn::log, positive<T>, 32>();
    if (op == &op::tanh) return packet_function<T, e::scalar_tanh_op, ops::fn::tanh, everywhere<T>, 16>();
    if (op == &op::sin) return packet_function<T, e::scalar_sin_op, ops::fn::sin, everywhere<T>, 16>();
    if (op == &op::cos) return packet_function<T, e::scalar_cos_op, ops::fn::cos, everywhere<T>, 16>();
    return nullptr;
}
}  // namespace detail

DF_FN ir::kernel_ptr function_kernel(const ir::site& s) {
    const auto t = s.out[0].element;
    const auto f = t == dtype::float32 ? detail::function_span<float>(&s.op) : t == dtype::float64 ? detail::function_span<double>(&s.op) : nullptr;
    return f ? ops::elementwise_kernel(s, f, t) : nullptr;
}
}  // namespace df::inline DF_ABI::backends
#endif
