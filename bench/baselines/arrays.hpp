// Named float arrays, random inputs from a fixed seed, and the comparisons made before anything is timed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace baseline {

struct array {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};
using arrays = std::vector<array>;

// The inputs of one workload: parameters, n examples, n class labels.
struct batch {
    arrays params;
    array x;
    std::vector<std::int64_t> labels;
    std::size_t size() const { return labels.size(); }
    std::size_t example_size() const { return x.values.size() / labels.size(); }
};

// Pointers to the parameters in order; T is double where finite differences are taken.
template <class T> using pointers = std::vector<const T*>;

inline pointers<float> pointers_to(const arrays& a) {
    pointers<float> p;
    for (auto& e : a) p.push_back(e.values.data());
    return p;
}

// The same numbers with every compiler and library: no std::*_distribution.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : bits_(seed) {}
    // Uniform, mean 0, standard deviation `deviation`.
    float real(double deviation) {
        double unit = static_cast<double>(bits_() >> 11) * 0x1p-53;
        return static_cast<float>((2 * unit - 1) * std::sqrt(3.0) * deviation);
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits_() % n); }
    array values(std::string name, std::vector<std::int64_t> shape, double deviation) {
        std::size_t n = 1;
        for (auto s : shape) n *= static_cast<std::size_t>(s);
        array a{std::move(name), std::move(shape), std::vector<float>(n)};
        for (auto& v : a.values) v = real(deviation);
        return a;
    }

private:
    std::mt19937_64 bits_;
};

inline batch random_batch(std::size_t n, arrays params, std::vector<std::int64_t> example, int classes) {
    random_source r(2);
    example.insert(example.begin(), static_cast<std::int64_t>(n));
    batch b{std::move(params), r.values("x", std::move(example), 1), std::vector<std::int64_t>(n)};
    for (auto& y : b.labels) y = static_cast<std::int64_t>(r.below(static_cast<std::size_t>(classes)));
    return b;
}

// Room for the gradients of n examples: [n, shape...] for every parameter.
inline arrays room_for_gradients(const arrays& params, std::size_t n) {
    arrays g = params;
    for (auto& a : g) {
        a.shape.insert(a.shape.begin(), static_cast<std::int64_t>(n));
        a.values.assign(a.values.size() * n, std::numeric_limits<float>::quiet_NaN());
    }
    return g;
}

// Largest |a - b| over the largest |b|; infinite if either holds a NaN.
inline double difference(const float* a, const float* b, std::size_t n) {
    double worst = 0, scale = 1e-30;
    for (std::size_t i = 0; i < n; ++i) {
        double d = std::abs(static_cast<double>(a[i]) - b[i]);
        if (!(d <= worst)) worst = std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
        scale = std::max(scale, std::abs(static_cast<double>(b[i])));
    }
    return worst / scale;
}

inline void require_close(const std::string& what, const float* a, const float* b, std::size_t n,
                          double tolerance = 1e-4) {
    if (double d = difference(a, b, n); !(d <= tolerance))
        throw std::runtime_error(what + ": results differ by " + std::to_string(d) + " of the largest value");
}

inline void require_close(const std::string& what, const arrays& a, const arrays& b, double tolerance = 1e-4) {
    for (std::size_t k = 0; k < b.size(); ++k) {
        if (a[k].values.size() != b[k].values.size()) throw std::runtime_error(what + ": sizes differ in " + b[k].name);
        require_close(what + ", " + b[k].name, a[k].values.data(), b[k].values.data(), b[k].values.size(), tolerance);
    }
}

// Central differences in double at random places of every parameter, against the gradient of example e
// (grads[k].values starts at that example). loss(params, x, label) is the loss of one example.
inline void require_gradient(const std::string& what, const batch& in, std::size_t e, const pointers<float>& grads,
                             const std::function<double(const pointers<double>&, const double*, std::int64_t)>& loss,
                             int places) {
    std::vector<std::vector<double>> p;
    pointers<double> at;
    for (auto& a : in.params) p.emplace_back(a.values.begin(), a.values.end());
    for (auto& v : p) at.push_back(v.data());
    const float* first = in.x.values.data() + e * in.example_size();
    std::vector<double> x(first, first + in.example_size());
    random_source r(3);
    for (std::size_t k = 0; k < p.size(); ++k) {
        double scale = 1e-30;
        for (std::size_t i = 0; i < p[k].size(); ++i)
            scale = std::max(scale, std::abs(static_cast<double>(grads[k][i])));
        for (int trial = 0; trial < places; ++trial) {
            std::size_t i = r.below(p[k].size());
            const double h = 1e-5, middle = p[k][i];
            p[k][i] = middle + h;
            double up = loss(at, x.data(), in.labels[e]);
            p[k][i] = middle - h;
            double down = loss(at, x.data(), in.labels[e]);
            p[k][i] = middle;
            if (double d = std::abs((up - down) / (2 * h) - grads[k][i]) / scale; !(d <= 1e-4))
                throw std::runtime_error(what + ", " + in.params[k].name + "[" + std::to_string(i) +
                                         "]: central difference " + std::to_string((up - down) / (2 * h)) +
                                         ", gradient " + std::to_string(grads[k][i]));
        }
    }
}

// d = softmax(d) - one_hot(label); returns the cross entropy. Plain loops, shared by every model's head.
template <class T> T softmax_cross_entropy(T* d, int classes, std::int64_t label) {
    T largest = *std::max_element(d, d + classes), sum = 0, chosen = d[label] - largest;
    for (int k = 0; k < classes; ++k) sum += d[k] = std::exp(d[k] - largest);
    for (int k = 0; k < classes; ++k) d[k] /= sum;
    d[label] -= 1;
    return std::log(sum) - chosen;
}

}  // namespace baseline
