// A matrix product on Eigen's packets: operands and result of any strides, sums in registers, no memory but the stack.
#pragma once
#include <cstdint>

#include <df/core/config.hpp>

namespace df::inline DF_ABI::backends {

/// Element (i, j) is p[i * row + j * col].
template <class T> struct matrix_view {
    T* p = nullptr;
    std::int64_t row = 0, col = 0;
    matrix_view transposed() const { return {p, col, row}; }
    matrix_view from(std::int64_t i, std::int64_t j) const { return {p + i * row + j * col, row, col}; }
};
struct product_sizes {
    std::int64_t rows = 0, cols = 0, depth = 0;
};
/// What happens to the result: it is written, added to, or written past the caches because it does not fit them.
enum class store : char { set, add, stream };

/// c = a · b or c += a · b; an empty depth gives 0.
template <class T> void multiply(product_sizes n, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c, store how);

}  // namespace df::inline DF_ABI::backends

#if DF_IMPL
#include <algorithm>
#include <type_traits>

#include <Eigen/Core>

// Arrays of packets live in registers only when every loop over them is unrolled.
#if defined(__clang__)
#define DF_UNROLL _Pragma("clang loop unroll(full)")
#else
#define DF_UNROLL _Pragma("GCC unroll 32")
#endif

namespace df::inline DF_ABI::backends {
namespace detail {
template <class T> using packet_of = typename Eigen::internal::packet_traits<T>::type;

// The register tile: at most `packets` packets of rows times `cols` columns. A panel of the left operand, `depth` deep,
// stays in the L1 cache.
template <class T> struct tile {
    static constexpr int width = Eigen::internal::unpacket_traits<packet_of<T>>::size, packets = 3;
    static constexpr int cols = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32 ? 8 : 4;
    static constexpr std::int64_t rows = packets * width, depth = 192, panel = rows * depth, packed_cols = 128;
};

template <class T, class P> EIGEN_ALWAYS_INLINE void stream_packet(T* to, const P& x) {
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(P)) return Eigen::internal::pstoreu(to, x);
#if defined(EIGEN_VECTORIZE_AVX512)
    if constexpr (std::is_same_v<T, float>) _mm512_stream_ps(to, x);
    else _mm512_stream_pd(to, x);
#elif defined(EIGEN_VECTORIZE_AVX)
    if constexpr (std::is_same_v<T, float>) _mm256_stream_ps(to, x);
    else _mm256_stream_pd(to, x);
#elif defined(EIGEN_VECTORIZE_SSE2)
    if constexpr (std::is_same_v<T, float>) _mm_stream_ps(to, x);
    else _mm_stream_pd(to, x);
#else
    Eigen::internal::pstoreu(to, x);
#endif
}
// Streamed stores are not ordered with other threads' reads: their thread waits for them.
inline void end_of_stream() {
#if defined(EIGEN_VECTORIZE_SSE2)
    _mm_sfence();
#endif
}

// P packets of rows times tile::cols columns; `a` is packed, b[j][k * step] is element (k, j). Writes the first `rows` ×
// `cols` of them.
template <class T, int P> void micro(product_sizes n, const T* a, const T* const* b, std::int64_t step, matrix_view<T> c, store how) {
    using namespace Eigen::internal;
    using packet = packet_of<T>;
    constexpr int W = tile<T>::width, C = tile<T>::cols;
    packet sum[P * C];
    DF_UNROLL for (int i = 0; i < P * C; ++i) sum[i] = pset1<packet>(T(0));
    for (std::int64_t k = 0; k < n.depth; ++k) {
        packet x[P];
        DF_UNROLL for (int p = 0; p < P; ++p) x[p] = pload<packet>(a + k * (P * W) + p * W);
        DF_UNROLL for (int j = 0; j < C; ++j) {
            const packet y = pset1<packet>(b[j][k * step]);
            DF_UNROLL for (int p = 0; p < P; ++p) sum[j * P + p] = pmadd(x[p], y, sum[j * P + p]);
        }
    }
    if (c.row == 1 && n.rows == P * W && n.cols == C) {
        DF_UNROLL for (int j = 0; j < C; ++j)
            DF_UNROLL for (int p = 0; p < P; ++p) {
                T* to = c.p + j * c.col + p * W;
                if (how == store::add) pstoreu(to, padd(sum[j * P + p], ploadu<packet>(to)));
                else if (how == store::stream) stream_packet(to, sum[j * P + p]);
                else pstoreu(to, sum[j * P + p]);
            }
        return;
    }
    alignas(64) T part[P * W * C];
    DF_UNROLL for (int i = 0; i < P * C; ++i) pstore(part + i * W, sum[i]);
    for (std::int64_t j = 0; j < n.cols; ++j)
        for (std::int64_t i = 0; i < n.rows; ++i) {
            T& to = c.p[i * c.row + j * c.col];
            to = part[j * (P * W) + i] + (how == store::add ? to : T(0));
        }
}

// `width` rows per depth step, zero beyond `rows`.
template <class T> void pack_rows(matrix_view<const T> a, std::int64_t rows, std::int64_t depth, std::int64_t width, T* to) {
    if (a.row == 1 && rows == width) {
        for (std::int64_t k = 0; k < depth; ++k) std::copy_n(a.p + k * a.col, rows, to + k * width);
    } else if (a.row == 1) {
        for (std::int64_t k = 0; k < depth; ++k)
            for (std::int64_t i = 0; i < width; ++i) to[k * width + i] = i < rows ? a.p[i + k * a.col] : T(0);
    } else {
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t k = 0; k < depth; ++k) to[k * width + i] = a.p[i * a.row + k * a.col];
        for (std::int64_t i = rows; i < width; ++i)
            for (std::int64_t k = 0; k < depth; ++k) to[k * width + i] = T(0);
    }
}

template <class T> void blocked_product(product_sizes n, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c, store how) {
    using t = tile<T>;
    alignas(64) T left[t::panel], right[t::depth * t::packed_cols];
    // The right operand is read once per row tile; it is packed when that happens often and its depth is not contiguous.
    const bool pack = n.rows > 2 * t::rows && b.row != 1;
    for (std::int64_t k0 = 0; k0 < n.depth; k0 += t::depth) {
        const auto depth = std::min(t::depth, n.depth - k0);
        const auto group = t::panel / depth / t::rows * t::rows;   // rows of the packed left operand
        const auto mode = k0 ? store::add : n.depth > t::depth && how == store::stream ? store::set : how;
        for (std::int64_t j0 = 0, width = pack ? t::packed_cols : 4 * t::packed_cols; j0 < n.cols; j0 += width) {
            const auto cols = std::min(width, n.cols - j0);
            if (pack)
                for (std::int64_t j = 0; j < cols; j += t::cols) pack_rows(b.from(k0, j0 + j).transposed(), std::min<std::int64_t>(t::cols, cols - j), depth, t::cols, right + j * depth);
            for (std::int64_t i0 = 0; i0 < n.rows; i0 += group) {
                const auto rows = std::min(group, n.rows - i0);
                for (std::int64_t i = 0; i < rows; i += t::rows) {
                    const auto r = std::min(t::rows, rows - i);
                    pack_rows(a.from(i0 + i, k0), r, depth, (r + t::width - 1) / t::width * t::width, left + i * depth);
                }
                for (std::int64_t j = 0; j < cols; j += t::cols) {
                    const auto m = std::min<std::int64_t>(t::cols, cols - j);
                    const T* at[t::cols];
                    for (int q = 0; q < t::cols; ++q) at[q] = pack ? right + j * depth + q : b.from(k0, j0 + j + std::min<std::int64_t>(q, m - 1)).p;
                    const auto step = pack ? t::cols : b.row;
                    for (std::int64_t i = 0; i < rows; i += t::rows) {
                        const product_sizes s{std::min(t::rows, rows - i), m, depth};
                        const auto packets = (s.rows + t::width - 1) / t::width;
                        const auto run = packets == 1 ? micro<T, 1> : packets == 2 ? micro<T, 2> : micro<T, 3>;
                        run(s, left + i * depth, at, step, c.from(i0 + i, j0 + j), mode);
                    }
                }
            }
        }
    }
}

// Dot product of contiguous vectors, in four running sums.
template <class T> T dot(const T* a, const T* b, std::int64_t n) {
    using namespace Eigen::internal;
    using packet = packet_of<T>;
    constexpr std::int64_t W = tile<T>::width;
    packet sum[4];
    DF_UNROLL for (int i = 0; i < 4; ++i) sum[i] = pset1<packet>(T(0));
    std::int64_t k = 0;
    for (; k + 4 * W <= n; k += 4 * W)
        DF_UNROLL for (int i = 0; i < 4; ++i) sum[i] = pmadd(ploadu<packet>(a + k + i * W), ploadu<packet>(b + k + i * W), sum[i]);
    for (; k + W <= n; k += W) sum[0] = pmadd(ploadu<packet>(a + k), ploadu<packet>(b + k), sum[0]);
    T rest = 0;
    for (; k < n; ++k) rest += a[k] * b[k];
    return predux(padd(padd(sum[0], sum[1]), padd(sum[2], sum[3]))) + rest;
}

// c (a column) from rows that are contiguous along the depth.
template <class T> void dots(product_sizes n, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c, store how) {
    constexpr std::int64_t block = 1024;
    T vector[block];
    for (std::int64_t k0 = 0; k0 < n.depth; k0 += block) {
        const auto depth = std::min(block, n.depth - k0);
        const T* x = b.from(k0, 0).p;
        if (b.row != 1) {
            for (std::int64_t k = 0; k < depth; ++k) vector[k] = x[k * b.row];
            x = vector;
        }
        for (std::int64_t i = 0; i < n.rows; ++i) {
            T& to = c.p[i * c.row];
            to = dot(a.from(i, k0).p, x, depth) + (k0 || how == store::add ? to : T(0));
        }
    }
}

// c (a column) as a sum of columns: P packets of rows at a time, then single rows.
template <class T, int P> std::int64_t column_sums(std::int64_t i, product_sizes n, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c, store how) {
    using namespace Eigen::internal;
    using packet = packet_of<T>;
    constexpr std::int64_t W = tile<T>::width;
    for (; i + P * W <= n.rows; i += P * W) {
        packet sum[P];
        DF_UNROLL for (int p = 0; p < P; ++p) sum[p] = how == store::add ? ploadu<packet>(c.p + i + p * W) : pset1<packet>(T(0));
        for (std::int64_t k = 0; k < n.depth; ++k) {
            const packet y = pset1<packet>(b.p[k * b.row]);
            DF_UNROLL for (int p = 0; p < P; ++p) sum[p] = pmadd(ploadu<packet>(a.p + i + p * W + k * a.col), y, sum[p]);
        }
        DF_UNROLL for (int p = 0; p < P; ++p) pstoreu(c.p + i + p * W, sum[p]);
    }
    return i;
}

template <class T> void plain_product(product_sizes n, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c, store how) {
    for (std::int64_t j = 0; j < n.cols; ++j)
        for (std::int64_t i = 0; i < n.rows; ++i) {
            T sum = how == store::add ? c.from(i, j).p[0] : T(0);
            for (std::int64_t k = 0; k < n.depth; ++k) sum += a.p[i * a.row + k * a.col] * b.p[k * b.row + j * b.col];
            c.from(i, j).p[0] = sum;
        }
}
}  // namespace detail

template <class T> void multiply(product_sizes n, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c, store how) {
    const bool turn = n.cols == 1 || n.rows == 1 ? n.cols != 1 : c.row != 1 && c.col == 1;   // rows are what lies side by side
    if (turn) {
        std::swap(a, b);
        a = a.transposed(), b = b.transposed(), c = c.transposed();
        std::swap(n.rows, n.cols);
    }
    if (n.rows * n.cols * n.depth <= 32) return detail::plain_product(n, a, b, c, how);
    if (n.cols > 1) return detail::blocked_product(n, a, b, c, how);
    if (a.col == 1) return detail::dots(n, a, b, c, how);
    std::int64_t i = 0;
    if (a.row == 1 && (c.row == 1 || n.rows == 1)) i = detail::column_sums<T, 1>(detail::column_sums<T, 8>(0, n, a, b, c, how), n, a, b, c, how);
    detail::plain_product({n.rows - i, 1, n.depth}, a.from(i, 0), b, c.from(i, 0), how);
}
}  // namespace df::inline DF_ABI::backends
#undef DF_UNROLL
#endif
