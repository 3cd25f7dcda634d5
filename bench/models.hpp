// The models of the benchmarks, written once for one example with df.
#pragma once

#include <df/df.hpp>

#include <cstdint>

namespace bench {

struct mlp {
    df::tensor<float> w1, b1, w2, b2;
};

// 64-32-10, as in the README.
inline constexpr auto mlp_loss = [](const mlp& p, df::tensor<float> x, df::tensor<std::int64_t> label) {
    auto h = df::tanh(df::matmul(x, p.w1) + p.b1);
    return df::softmax_cross_entropy(df::matmul(h, p.w2) + p.b2, label);
};

struct lstm {
    df::tensor<float> wx, wh, b, head, bias;
};

inline constexpr std::int64_t lstm_steps = 10, lstm_hidden = 256;

// The last hidden state of a sequence x [steps, 128].
inline constexpr auto lstm_last = [](const lstm& p, df::tensor<float> x) {
    df::tensor<float> h = df::zeros<float>({lstm_hidden}), c = h;
    for (std::int64_t t = 0; t < lstm_steps; ++t) {
        auto z = df::matmul(x[t], p.wx) + df::matmul(h, p.wh) + p.b;
        auto gate = [&](std::int64_t k) { return z[df::slice(k * lstm_hidden, (k + 1) * lstm_hidden)]; };
        c = df::sigmoid(gate(1)) * c + df::sigmoid(gate(0)) * df::tanh(gate(2));
        h = df::sigmoid(gate(3)) * df::tanh(c);
    }
    return h;
};

inline constexpr auto lstm_loss = [](const lstm& p, df::tensor<float> x, df::tensor<std::int64_t> label) {
    return df::softmax_cross_entropy(df::matmul(lstm_last(p, x), p.head) + p.bias, label);
};

struct cnn {
    df::tensor<float> k1, b1, k2, b2, w3, b3, w4, b4;
};

// Two stages of convolution, relu and pooling, then two dense layers; x [1, 28, 28].
inline constexpr auto cnn_loss = [](const cnn& p, df::tensor<float> x, df::tensor<std::int64_t> label) {
    auto stage = [](df::tensor<float> a, df::tensor<float> kernel, df::tensor<float> bias) {
        auto z = df::conv(a, kernel, {.padding = {{2, 2}, {2, 2}}}) + bias(df::all, df::none, df::none);
        return df::max_pool(df::relu(z), {2, 2}, {2, 2});
    };
    auto a = stage(stage(df::expand_dims(x, 0), p.k1, p.b1), p.k2, p.b2);
    auto h = df::relu(df::matmul(df::reshape(a, {3136}), p.w3) + p.b3);
    return df::softmax_cross_entropy(df::matmul(h, p.w4) + p.b4, label);
};

}  // namespace bench

BOOST_HANA_ADAPT_STRUCT(bench::mlp, w1, b1, w2, b2);
BOOST_HANA_ADAPT_STRUCT(bench::lstm, wx, wh, b, head, bias);
BOOST_HANA_ADAPT_STRUCT(bench::cnn, k1, b1, k2, b2, w3, b3, w4, b4);
