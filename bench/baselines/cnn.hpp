// Gradient of one example of a small CNN by plain loops: the values df's CNN gradients are compared with.
//
// x [1, 28, 28] -> conv 5x5x32 same, relu, pool 2 -> conv 5x5x64 same, relu, pool 2 -> 3136 -> 512 relu -> 10, softmax
// cross entropy. Layouts: channels before rows and columns, kernels [out, in, 5, 5].
#pragma once

#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace baseline {

inline constexpr int cnn_image = 28, cnn_kernel = 5, cnn_channels1 = 32, cnn_channels2 = 64,
                     cnn_flat = cnn_channels2 * 7 * 7, cnn_hidden = 512, cnn_classes = 10;

inline batch cnn_batch(std::size_t n) {
    random_source r(1);
    auto he = [](int fan_in) { return std::sqrt(2.0 / fan_in); };
    arrays p;
    p.push_back(r.values("k1", {cnn_channels1, 1, cnn_kernel, cnn_kernel}, he(25)));
    p.push_back(r.values("b1", {cnn_channels1}, 0.1));
    p.push_back(r.values("k2", {cnn_channels2, cnn_channels1, cnn_kernel, cnn_kernel}, he(800)));
    p.push_back(r.values("b2", {cnn_channels2}, 0.1));
    p.push_back(r.values("w3", {cnn_flat, cnn_hidden}, he(cnn_flat)));
    p.push_back(r.values("b3", {cnn_hidden}, 0.1));
    p.push_back(r.values("w4", {cnn_hidden, cnn_classes}, he(2 * cnn_hidden)));
    p.push_back(r.values("b4", {cnn_classes}, 0.1));
    return random_batch(n, std::move(p), {1, cnn_image, cnn_image}, cnn_classes);
}

// Calls at(kernel index, in index, out index) for every multiplication of a "same" convolution on a size x size image.
template <class F> void for_each_tap(int in_channels, int out_channels, int size, F at) {
    const int reach = cnn_kernel / 2;
    for (int o = 0; o < out_channels; ++o)
        for (int i = 0; i < in_channels; ++i)
            for (int ky = 0; ky < cnn_kernel; ++ky)
                for (int kx = 0; kx < cnn_kernel; ++kx)
                    for (int y = std::max(0, reach - ky); y < std::min(size, size + reach - ky); ++y)
                        for (int x = std::max(0, reach - kx); x < std::min(size, size + reach - kx); ++x)
                            at(((o * in_channels + i) * cnn_kernel + ky) * cnn_kernel + kx,
                               (i * size + y + ky - reach) * size + x + kx - reach, (o * size + y) * size + x);
}

// One stage: convolution, bias, relu, 2x2 maximum; `from` says which pixel each maximum came from.
template <class T> struct cnn_stage {
    int in_channels, out_channels, size;
    std::vector<T> before = std::vector<T>(static_cast<std::size_t>(out_channels * size * size));
    std::vector<T> pooled = std::vector<T>(before.size() / 4);
    std::vector<int> from = std::vector<int>(before.size() / 4);

    void forward(const T* kernel, const T* bias, const T* in) {
        T *z = before.data(), *largest = pooled.data();
        int* origin = from.data();
        for (int o = 0; o < out_channels; ++o) std::fill_n(z + o * size * size, size * size, bias[o]);
        for_each_tap(in_channels, out_channels, size, [&](int k, int i, int o) { z[o] += kernel[k] * in[i]; });
        for (int o = 0, at = 0; o < out_channels; ++o)
            for (int y = 0; y < size; y += 2)
                for (int x = 0; x < size; x += 2, ++at) {
                    const int corner = (o * size + y) * size + x;
                    int best = corner;
                    for (int other : {corner + 1, corner + size, corner + size + 1})
                        if (z[other] > z[best]) best = other;
                    origin[at] = best;
                    largest[at] = std::max(z[best], T(0));
                }
    }
    // d_pooled -> gradients of kernel and bias and, unless null, of the input.
    void backward(const T* kernel, const T* in, const T* d_pooled, T* d_kernel, T* d_bias, T* d_in) {
        std::vector<T> d_before(before.size(), T(0));
        T* d = d_before.data();
        for (std::size_t at = 0; at < pooled.size(); ++at)
            if (pooled[at] > 0) d[from[at]] = d_pooled[at];
        std::fill_n(d_kernel, out_channels * in_channels * cnn_kernel * cnn_kernel, T(0));
        for_each_tap(in_channels, out_channels, size, [&](int k, int i, int o) { d_kernel[k] += in[i] * d[o]; });
        for (int o = 0; o < out_channels; ++o) {
            d_bias[o] = 0;
            for (int q = 0; q < size * size; ++q) d_bias[o] += d[o * size * size + q];
        }
        if (!d_in) return;
        std::fill_n(d_in, in_channels * size * size, T(0));
        for_each_tap(in_channels, out_channels, size, [&](int k, int i, int o) { d_in[i] += kernel[k] * d[o]; });
    }
};

template <class T> struct cnn_trace {
    cnn_stage<T> first{1, cnn_channels1, 28}, second{cnn_channels1, cnn_channels2, 14};
    T hidden[cnn_hidden], d[cnn_classes];
};

template <class T> T cnn_forward(const pointers<T>& p, const T* x, std::int64_t label, cnn_trace<T>& s) {
    s.first.forward(p[0], p[1], x);
    s.second.forward(p[2], p[3], s.first.pooled.data());
    std::copy_n(p[5], cnn_hidden, s.hidden);
    const T* flat = s.second.pooled.data();
    for (int i = 0; i < cnn_flat; ++i)
        for (int j = 0; j < cnn_hidden; ++j) s.hidden[j] += flat[i] * p[4][i * cnn_hidden + j];
    for (T& h : s.hidden) h = std::max(h, T(0));
    std::copy_n(p[7], cnn_classes, s.d);
    for (int j = 0; j < cnn_hidden; ++j)
        for (int k = 0; k < cnn_classes; ++k) s.d[k] += s.hidden[j] * p[6][j * cnn_classes + k];
    return softmax_cross_entropy(s.d, cnn_classes, label);
}

inline double cnn_loss(const pointers<double>& p, const double* x, std::int64_t label) {
    cnn_trace<double> s;
    return cnn_forward(p, x, label, s);
}

// Gradients of example e alone: out has room for one example.
inline void cnn_loops_one(const batch& in, std::size_t e, arrays& out) {
    const auto p = pointers_to(in.params);
    const float* x = &in.x.values[e * in.example_size()];
    auto g = [&](std::size_t k) { return out[k].values.data(); };
    cnn_trace<float> s;
    cnn_forward(p, x, in.labels[e], s);
    const float* flat = s.second.pooled.data();
    float d_hidden[cnn_hidden], d_flat[cnn_flat];
    std::vector<float> d_first(s.first.pooled.size());
    std::copy_n(s.d, cnn_classes, g(7));
    for (int j = 0; j < cnn_hidden; ++j) {
        float sum = 0;
        for (int k = 0; k < cnn_classes; ++k) {
            sum += p[6][j * cnn_classes + k] * s.d[k];
            g(6)[j * cnn_classes + k] = s.hidden[j] * s.d[k];
        }
        d_hidden[j] = g(5)[j] = s.hidden[j] > 0 ? sum : 0;
    }
    for (int i = 0; i < cnn_flat; ++i) {
        float sum = 0;
        for (int j = 0; j < cnn_hidden; ++j) {
            sum += p[4][i * cnn_hidden + j] * d_hidden[j];
            g(4)[i * cnn_hidden + j] = flat[i] * d_hidden[j];
        }
        d_flat[i] = sum;
    }
    s.second.backward(p[2], s.first.pooled.data(), d_flat, g(2), g(3), d_first.data());
    s.first.backward(p[0], x, d_first.data(), g(0), g(1), nullptr);
}

// Throws unless loops and finite differences agree.
inline void check_cnn() {
    batch in = cnn_batch(2);
    arrays one = room_for_gradients(in.params, 1);
    cnn_loops_one(in, 1, one);
    require_gradient("CNN by hand", in, 1, pointers_to(one), cnn_loss, 2);
}

}  // namespace baseline
