// Per-example gradients of the README's MLP (64-32-10, tanh, softmax cross entropy), by hand: plain loops and Eigen.
#pragma once

#include "arrays.hpp"
#include "eigen.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace baseline {

inline constexpr int mlp_inputs = 64, mlp_hidden = 32, mlp_classes = 10;

inline batch mlp_batch(std::size_t n) {
    random_source r(1);
    arrays p;
    p.push_back(r.values("w1", {mlp_inputs, mlp_hidden}, 1 / 8.0));
    p.push_back(r.values("b1", {mlp_hidden}, 0.1));
    p.push_back(r.values("w2", {mlp_hidden, mlp_classes}, std::sqrt(2.0 / 64)));
    p.push_back(r.values("b2", {mlp_classes}, 0.1));
    return random_batch(n, std::move(p), {mlp_inputs}, mlp_classes);
}

// Leaves the hidden layer in h and the cotangent of the logits in d; returns the loss.
template <class T> T mlp_forward(const pointers<T>& p, const T* x, std::int64_t label, T* h, T* d) {
    const T *w1 = p[0], *b1 = p[1], *w2 = p[2], *b2 = p[3];
    for (int j = 0; j < mlp_hidden; ++j) h[j] = b1[j];
    for (int i = 0; i < mlp_inputs; ++i)
        for (int j = 0; j < mlp_hidden; ++j) h[j] += x[i] * w1[i * mlp_hidden + j];
    for (int j = 0; j < mlp_hidden; ++j) h[j] = std::tanh(h[j]);
    for (int k = 0; k < mlp_classes; ++k) d[k] = b2[k];
    for (int j = 0; j < mlp_hidden; ++j)
        for (int k = 0; k < mlp_classes; ++k) d[k] += h[j] * w2[j * mlp_classes + k];
    return softmax_cross_entropy(d, mlp_classes, label);
}

inline double mlp_loss(const pointers<double>& p, const double* x, std::int64_t label) {
    double h[mlp_hidden], d[mlp_classes];
    return mlp_forward(p, x, label, h, d);
}

// Nested for-loops over the examples.
inline void mlp_loops(const batch& in, arrays& out) {
    const auto p = pointers_to(in.params);
    const float* w2 = p[2];
    for (std::size_t e = 0; e < in.size(); ++e) {
        const float* x = &in.x.values[e * mlp_inputs];
        float h[mlp_hidden], d2[mlp_classes], d1[mlp_hidden];
        mlp_forward(p, x, in.labels[e], h, d2);
        for (int j = 0; j < mlp_hidden; ++j) {
            float sum = 0;
            for (int k = 0; k < mlp_classes; ++k) sum += d2[k] * w2[j * mlp_classes + k];
            d1[j] = sum * (1 - h[j] * h[j]);
        }
        float* g1 = &out[0].values[e * mlp_inputs * mlp_hidden];
        for (int i = 0; i < mlp_inputs; ++i)
            for (int j = 0; j < mlp_hidden; ++j) g1[i * mlp_hidden + j] = x[i] * d1[j];
        for (int j = 0; j < mlp_hidden; ++j) out[1].values[e * mlp_hidden + static_cast<std::size_t>(j)] = d1[j];
        float* g2 = &out[2].values[e * mlp_hidden * mlp_classes];
        for (int j = 0; j < mlp_hidden; ++j)
            for (int k = 0; k < mlp_classes; ++k) g2[j * mlp_classes + k] = h[j] * d2[k];
        for (int k = 0; k < mlp_classes; ++k) out[3].values[e * mlp_classes + static_cast<std::size_t>(k)] = d2[k];
    }
}

// The whole batch through Eigen's products, then one outer product per example and layer.
class mlp_eigen {
public:
    void operator()(const batch& in, arrays& out) {
        const auto n = static_cast<Eigen::Index>(in.size());
        const auto p = pointers_to(in.params);
        const_rows x(in.x.values.data(), n, mlp_inputs);
        const_block<mlp_inputs, mlp_hidden> w1(p[0]);
        const_block<mlp_hidden, mlp_classes> w2(p[2]);
        h_.resize(n, mlp_hidden);
        logits_.resize(n, mlp_classes);
        h_.noalias() = x * w1;
        h_.array() = (h_.rowwise() + const_row(p[1], mlp_hidden)).array().tanh();
        logits_.noalias() = h_ * w2;
        logits_.rowwise() += const_row(p[3], mlp_classes);
        softmax_minus_one_hot(logits_, in.labels);
        rows d1(out[1].values.data(), n, mlp_hidden), d2(out[3].values.data(), n, mlp_classes);
        d2 = logits_;
        d1.noalias() = d2 * w2.transpose();
        d1.array() *= 1 - h_.array().square();
        for (Eigen::Index e = 0; e < n; ++e) {
            block<mlp_inputs, mlp_hidden> g1(out[0].values.data() + e * mlp_inputs * mlp_hidden);
            block<mlp_hidden, mlp_classes> g2(out[2].values.data() + e * mlp_hidden * mlp_classes);
            g1.noalias() = const_block<mlp_inputs, 1>(x.data() + e * mlp_inputs) *
                           block<1, mlp_hidden>(d1.data() + e * mlp_hidden);
            g2.noalias() = const_block<mlp_hidden, 1>(h_.data() + e * mlp_hidden) *
                           block<1, mlp_classes>(d2.data() + e * mlp_classes);
        }
    }

private:
    matrix h_, logits_;
};

// Throws unless loops, Eigen and finite differences agree.
inline void check_mlp() {
    batch in = mlp_batch(5);
    arrays loops = room_for_gradients(in.params, in.size()), eigen = loops;
    mlp_loops(in, loops);
    mlp_eigen{}(in, eigen);
    require_close("MLP by hand, Eigen against loops", eigen, loops);
    require_gradient("MLP by hand", in, 0, pointers_to(loops), mlp_loss, 20);
}

}  // namespace baseline
