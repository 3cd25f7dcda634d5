// Per-example gradients and the jacobian of an LSTM (128 -> 256, ten steps, ten classes) by hand: plain loops and
// Eigen.
//
// z = x[t] wx + h wh + b, split into the gates i, f, g, o; c = sigmoid(f) c + sigmoid(i) tanh(g); h = sigmoid(o)
// tanh(c); the loss is the softmax cross entropy of h head + bias after the last step. The jacobian is that of the
// first outputs of the last h with respect to x.
#pragma once

#include "arrays.hpp"
#include "eigen.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace baseline {

inline constexpr int lstm_steps = 10, lstm_inputs = 128, lstm_hidden = 256, lstm_gates = 4 * lstm_hidden,
                     lstm_classes = 10;

inline batch lstm_batch(std::size_t n) {
    random_source r(1);
    const double fan_in = lstm_inputs + lstm_hidden;
    arrays p;
    p.push_back(r.values("wx", {lstm_inputs, lstm_gates}, std::sqrt(2 / fan_in)));
    p.push_back(r.values("wh", {lstm_hidden, lstm_gates}, std::sqrt(2 / fan_in)));
    p.push_back(r.values("b", {lstm_gates}, 0.1));
    p.push_back(r.values("head", {lstm_hidden, lstm_classes}, std::sqrt(2.0 / lstm_hidden)));
    p.push_back(r.values("bias", {lstm_classes}, 0.1));
    return random_batch(n, std::move(p), {lstm_steps, lstm_inputs}, lstm_classes);
}

// What the backward pass of one example needs; gates hold their activated values.
template <class T> struct lstm_trace {
    std::vector<T> gates = std::vector<T>(lstm_steps * lstm_gates);
    std::vector<T> h = std::vector<T>((lstm_steps + 1) * lstm_hidden), c = h;
    T d[lstm_classes];
};

template <class T> T lstm_forward(const pointers<T>& p, const T* x, std::int64_t label, lstm_trace<T>& s) {
    auto sigmoid = [](T v) { return 1 / (1 + std::exp(-v)); };
    const T *wx = p[0], *wh = p[1], *b = p[2], *head = p[3], *bias = p[4];
    for (int t = 0; t < lstm_steps; ++t) {
        const T *h = &s.h[static_cast<std::size_t>(t) * lstm_hidden],
                *c = &s.c[static_cast<std::size_t>(t) * lstm_hidden];
        T *next_h = &s.h[static_cast<std::size_t>(t + 1) * lstm_hidden],
          *next_c = &s.c[static_cast<std::size_t>(t + 1) * lstm_hidden];
        T* z = &s.gates[static_cast<std::size_t>(t) * lstm_gates];
        for (int k = 0; k < lstm_gates; ++k) z[k] = b[k];
        for (int i = 0; i < lstm_inputs; ++i)
            for (int k = 0; k < lstm_gates; ++k) z[k] += x[t * lstm_inputs + i] * wx[i * lstm_gates + k];
        for (int j = 0; j < lstm_hidden; ++j)
            for (int k = 0; k < lstm_gates; ++k) z[k] += h[j] * wh[j * lstm_gates + k];
        for (int j = 0; j < lstm_hidden; ++j) {
            T &i = z[j], &f = z[lstm_hidden + j], &g = z[2 * lstm_hidden + j], &o = z[3 * lstm_hidden + j];
            i = sigmoid(i), f = sigmoid(f), g = std::tanh(g), o = sigmoid(o);
            next_c[j] = f * c[j] + i * g;
            next_h[j] = o * std::tanh(next_c[j]);
        }
    }
    const T* last = &s.h[lstm_steps * lstm_hidden];
    for (int k = 0; k < lstm_classes; ++k) s.d[k] = bias[k];
    for (int j = 0; j < lstm_hidden; ++j)
        for (int k = 0; k < lstm_classes; ++k) s.d[k] += last[j] * head[j * lstm_classes + k];
    return softmax_cross_entropy(s.d, lstm_classes, label);
}

inline double lstm_loss(const pointers<double>& p, const double* x, std::int64_t label) {
    lstm_trace<double> s;
    return lstm_forward(p, x, label, s);
}

// Gradients of one example, added step by step into its own arrays.
inline void lstm_loops_one(const pointers<float>& p, const float* x, std::int64_t label, lstm_trace<float>& s,
                           const std::vector<float*>& g) {
    lstm_forward(p, x, label, s);
    std::fill_n(g[0], lstm_inputs * lstm_gates, 0.f);
    std::fill_n(g[1], lstm_hidden * lstm_gates, 0.f);
    std::fill_n(g[2], lstm_gates, 0.f);
    const float *wh = p[1], *head = p[3], *last = &s.h[lstm_steps * lstm_hidden];
    float dh[lstm_hidden], dc[lstm_hidden] = {}, dz[lstm_gates];
    for (int k = 0; k < lstm_classes; ++k) g[4][k] = s.d[k];
    for (int j = 0; j < lstm_hidden; ++j) {
        float sum = 0;
        for (int k = 0; k < lstm_classes; ++k) {
            sum += head[j * lstm_classes + k] * s.d[k];
            g[3][j * lstm_classes + k] = last[j] * s.d[k];
        }
        dh[j] = sum;
    }
    for (int t = lstm_steps; t-- > 0;) {
        const float* a = &s.gates[static_cast<std::size_t>(t) * lstm_gates];
        const float *h = &s.h[static_cast<std::size_t>(t) * lstm_hidden],
                    *c = &s.c[static_cast<std::size_t>(t) * lstm_hidden];
        for (int j = 0; j < lstm_hidden; ++j) {
            float i = a[j], f = a[lstm_hidden + j], u = a[2 * lstm_hidden + j], o = a[3 * lstm_hidden + j],
                  tc = std::tanh(c[lstm_hidden + j]);
            float d = dc[j] + dh[j] * o * (1 - tc * tc);
            dz[j] = d * u * i * (1 - i);
            dz[lstm_hidden + j] = d * c[j] * f * (1 - f);
            dz[2 * lstm_hidden + j] = d * i * (1 - u * u);
            dz[3 * lstm_hidden + j] = dh[j] * tc * o * (1 - o);
            dc[j] = d * f;
        }
        for (int i = 0; i < lstm_inputs; ++i)
            for (int k = 0; k < lstm_gates; ++k) g[0][i * lstm_gates + k] += x[t * lstm_inputs + i] * dz[k];
        for (int j = 0; j < lstm_hidden; ++j)
            for (int k = 0; k < lstm_gates; ++k) g[1][j * lstm_gates + k] += h[j] * dz[k];
        for (int k = 0; k < lstm_gates; ++k) g[2][k] += dz[k];
        for (int j = 0; j < lstm_hidden; ++j) {
            float sum = 0;
            for (int k = 0; k < lstm_gates; ++k) sum += wh[j * lstm_gates + k] * dz[k];
            dh[j] = sum;
        }
    }
}

// Nested for-loops over the examples.
inline void lstm_loops(const batch& in, arrays& out) {
    const auto p = pointers_to(in.params);
    lstm_trace<float> s;
    for (std::size_t e = 0; e < in.size(); ++e) {
        std::vector<float*> g;
        for (auto& a : out) g.push_back(a.values.data() + e * (a.values.size() / in.size()));
        lstm_loops_one(p, &in.x.values[e * in.example_size()], in.labels[e], s, g);
    }
}

// Activations of n examples side by side; row e * steps + t of gates and h belongs to example e and step t.
class lstm_states {
public:
    void forward(const pointers<float>& p, const float* x, Eigen::Index n) {
        gates.resize(n * lstm_steps, lstm_gates);
        h.resize(n * lstm_steps, lstm_hidden);
        c.resize(n * lstm_steps, lstm_hidden);
        tanh_c.resize(n * lstm_steps, lstm_hidden);
        last_h.setZero(n, lstm_hidden);
        const_rows wx(p[0], lstm_inputs, lstm_gates), wh(p[1], lstm_hidden, lstm_gates);
        gates.noalias() = const_rows(x, n * lstm_steps, lstm_inputs) * wx;
        gates.rowwise() += const_row(p[2], lstm_gates);
        for (int t = 0; t < lstm_steps; ++t) {
            auto z = step(gates, t), ct = step(c, t), tc = step(tanh_c, t);
            step(h, t) = last_h;
            if (t > 0) z.noalias() += last_h * wh;
            auto i = z.leftCols(lstm_hidden).array(), f = z.middleCols(lstm_hidden, lstm_hidden).array();
            auto g = z.middleCols(2 * lstm_hidden, lstm_hidden).array(), o = z.rightCols(lstm_hidden).array();
            z.leftCols(2 * lstm_hidden).array() = z.leftCols(2 * lstm_hidden).array().logistic();
            g = g.tanh();
            o = o.logistic();
            if (t > 0) ct.array() = f * step(c, t - 1).array() + i * g;
            else ct.array() = i * g;
            tc.array() = ct.array().tanh();
            last_h.array() = o * tc.array();
        }
    }
    // The rows of one step, example by example.
    static strided_rows step(matrix& m, int t) {
        return {m.data() + t * m.cols(), m.rows() / lstm_steps, m.cols(), Eigen::OuterStride<>(lstm_steps * m.cols())};
    }
    matrix gates, h, c, tanh_c, last_h;  // gates activated; h before the step, c after it
};

// The whole batch through Eigen's products, then one product of [inputs, steps] and [steps, gates] per example.
class lstm_eigen {
public:
    void operator()(const batch& in, arrays& out) {
        const auto n = static_cast<Eigen::Index>(in.size());
        const auto p = pointers_to(in.params);
        const_rows wh(p[1], lstm_hidden, lstm_gates), head(p[3], lstm_hidden, lstm_classes);
        s_.forward(p, in.x.values.data(), n);
        logits_.noalias() = s_.last_h * head;
        logits_.rowwise() += const_row(p[4], lstm_classes);
        softmax_minus_one_hot(logits_, in.labels);
        dh_.noalias() = logits_ * head.transpose();
        dc_.setZero(n, lstm_hidden);
        dz_.resize(n * lstm_steps, lstm_gates);
        for (int t = lstm_steps; t-- > 0;) {
            backward(t);
            if (t > 0) dh_.noalias() = s_.step(dz_, t) * wh.transpose();
        }
        rows(out[4].values.data(), n, lstm_classes) = logits_;
        for (Eigen::Index e = 0; e < n; ++e) {
            const_rows x(in.x.values.data() + e * lstm_steps * lstm_inputs, lstm_steps, lstm_inputs);
            auto dz = dz_.middleRows(e * lstm_steps, lstm_steps);
            rows(out[0].values.data() + e * lstm_inputs * lstm_gates, lstm_inputs, lstm_gates).noalias() =
                x.transpose() * dz;
            rows(out[1].values.data() + e * lstm_hidden * lstm_gates, lstm_hidden, lstm_gates).noalias() =
                s_.h.middleRows(e * lstm_steps, lstm_steps).transpose() * dz;
            rows(out[2].values.data() + e * lstm_gates, 1, lstm_gates) = dz.colwise().sum();
            rows(out[3].values.data() + e * lstm_hidden * lstm_classes, lstm_hidden, lstm_classes).noalias() =
                s_.last_h.row(e).transpose() * logits_.row(e);
        }
    }

private:
    void backward(int t) {
        auto a = s_.step(s_.gates, t), dz = s_.step(dz_, t), tc = s_.step(s_.tanh_c, t);
        auto part = [](strided_rows& m, int k) { return m.middleCols(k * lstm_hidden, lstm_hidden).array(); };
        auto i = part(a, 0), f = part(a, 1), g = part(a, 2), o = part(a, 3);
        dc_.array() += dh_.array() * o * (1 - tc.array().square());
        part(dz, 0) = dc_.array() * g * i * (1 - i);
        if (t > 0) part(dz, 1) = dc_.array() * s_.step(s_.c, t - 1).array() * f * (1 - f);
        else part(dz, 1).setZero();
        part(dz, 2) = dc_.array() * i * (1 - g.square());
        part(dz, 3) = dh_.array() * tc.array() * o * (1 - o);
        dc_.array() *= f;
    }
    lstm_states s_;
    matrix logits_, dh_, dc_, dz_;
};

// [outputs, steps, inputs]: one forward pass, all outputs side by side on the way back, activations never copied.
class lstm_jacobian_eigen {
public:
    void operator()(const arrays& params, const float* x, int outputs, std::vector<float>& out) {
        const auto p = pointers_to(params);
        const_rows wx(p[0], lstm_inputs, lstm_gates), wh(p[1], lstm_hidden, lstm_gates);
        s_.forward(p, x, 1);
        dh_.setIdentity(outputs, lstm_hidden);
        dc_.setZero(outputs, lstm_hidden);
        dz_.resize(Eigen::Index(outputs) * lstm_steps, lstm_gates);
        using row = Eigen::Array<float, 1, lstm_hidden>;
        for (int t = lstm_steps; t-- > 0;) {
            auto part = [&](int k) -> row { return s_.gates.row(t).segment(k * lstm_hidden, lstm_hidden).array(); };
            const row i = part(0), f = part(1), g = part(2), o = part(3), tc = s_.tanh_c.row(t).array();
            row before = row::Zero();
            if (t > 0) before = s_.c.row(t - 1).array();
            const row into_c = o * (1 - tc.square()), into_i = g * i * (1 - i), into_f = before * f * (1 - f),
                      into_g = i * (1 - g.square()), into_o = tc * o * (1 - o);
            auto dz = lstm_states::step(dz_, t);
            for (int k = 0; k < outputs; ++k) {
                auto dc = dc_.row(k).array(), dh = dh_.row(k).array();
                auto to = [&](int q) { return dz.row(k).segment(q * lstm_hidden, lstm_hidden).array(); };
                dc += dh * into_c;
                to(0) = dc * into_i, to(1) = dc * into_f, to(2) = dc * into_g, to(3) = dh * into_o;
                dc *= f;
            }
            if (t > 0) dh_.noalias() = dz * wh.transpose();
        }
        out.resize(static_cast<std::size_t>(dz_.rows()) * lstm_inputs);
        rows(out.data(), dz_.rows(), lstm_inputs).noalias() = dz_ * wx.transpose();
    }

private:
    lstm_states s_;
    matrix dh_, dc_, dz_;
};

// Throws unless loops, Eigen and finite differences agree, and unless the jacobian does with its own differences.
inline void check_lstm() {
    batch in = lstm_batch(3);
    arrays loops = room_for_gradients(in.params, in.size()), eigen = loops;
    lstm_loops(in, loops);
    lstm_eigen{}(in, eigen);
    require_close("LSTM by hand, Eigen against loops", eigen, loops);
    require_gradient("LSTM by hand", in, 0, pointers_to(loops), lstm_loss, 8);

    std::vector<float> jacobian;
    const int outputs = 5;
    lstm_jacobian_eigen{}(in.params, in.x.values.data(), outputs, jacobian);
    std::vector<std::vector<double>> p;
    pointers<double> at;
    for (auto& a : in.params) p.emplace_back(a.values.begin(), a.values.end());
    for (auto& v : p) at.push_back(v.data());
    std::vector<double> x(in.x.values.begin(), in.x.values.begin() + lstm_steps * lstm_inputs);
    auto last_h = [&] {
        lstm_trace<double> s;
        lstm_forward(at, x.data(), 0, s);
        return std::vector<double>(s.h.end() - lstm_hidden, s.h.end());
    };
    std::vector<float> byhand, numeric;
    for (std::size_t place : {0u, 77u, 128u, 500u, 1279u}) {
        const double step = 1e-5, middle = x[place];
        x[place] = middle + step;
        auto up = last_h();
        x[place] = middle - step;
        auto down = last_h();
        x[place] = middle;
        for (std::size_t k = 0; k < outputs; ++k) {
            numeric.push_back(static_cast<float>((up[k] - down[k]) / (2 * step)));
            byhand.push_back(jacobian[k * x.size() + place]);
        }
    }
    require_close("LSTM jacobian by hand", byhand.data(), numeric.data(), numeric.size());
}

}  // namespace baseline
