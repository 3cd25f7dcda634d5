#include "numbers.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace cases {
namespace {

std::int64_t product_of(const std::vector<std::int64_t>& sizes) {
    std::int64_t r = 1;
    for (auto s : sizes) r *= s;
    return r;
}

std::string text_of(const std::vector<std::int64_t>& sizes) {
    std::string r = "[";
    for (std::size_t k = 0; k < sizes.size(); ++k) r += (k ? ", " : "") + std::to_string(sizes[k]);
    return r + "]";
}

template <class T> numbers plain(const df::tensor<T>& t) {
    numbers r;
    for (int k = 0; k < t.rank(); ++k) r.shape.push_back(static_cast<std::int64_t>(t.dim(k)));
    for (auto&& x : t.to_vector()) r.v.push_back(static_cast<double>(x));
    return r;
}

}  // namespace

numbers scalar(double x) { return {{}, {x}}; }
numbers vec(std::initializer_list<double> x) { return {{static_cast<std::int64_t>(x.size())}, x}; }
numbers mat(std::initializer_list<std::initializer_list<double>> rows) {
    std::vector<numbers> r;
    for (const auto& x : rows) r.push_back(vec(x));
    return stacked(r);
}
numbers cube(std::initializer_list<std::initializer_list<std::initializer_list<double>>> slabs) {
    std::vector<numbers> r;
    for (const auto& x : slabs) r.push_back(mat(x));
    return stacked(r);
}
numbers of(std::vector<std::int64_t> shape, std::vector<double> v) {
    if (product_of(shape) != static_cast<std::int64_t>(v.size())) throw std::logic_error("of: " + text_of(shape));
    return {std::move(shape), std::move(v)};
}
numbers filled(std::vector<std::int64_t> shape, double x) {
    const auto n = static_cast<std::size_t>(product_of(shape));
    return {std::move(shape), std::vector<double>(n, x)};
}
numbers counted(std::vector<std::int64_t> shape, double first) {
    numbers r = filled(std::move(shape), first);
    for (std::size_t k = 0; k < r.v.size(); ++k) r.v[k] += static_cast<double>(k);
    return r;
}
numbers wave(std::vector<std::int64_t> shape, double k) {
    numbers r = filled(std::move(shape), 0);
    for (std::size_t i = 0; i < r.v.size(); ++i) r.v[i] = std::sin(k * static_cast<double>(i + 1));
    return r;
}
numbers diagonal(const std::vector<double>& d) {
    const auto n = static_cast<std::int64_t>(d.size());
    numbers r = filled({n, n}, 0);
    for (std::size_t i = 0; i < d.size(); ++i) r.v[i * d.size() + i] = d[i];
    return r;
}
numbers stacked(const std::vector<numbers>& rows) {
    numbers r = rows.at(0);
    r.shape.insert(r.shape.begin(), static_cast<std::int64_t>(rows.size()));
    for (std::size_t k = 1; k < rows.size(); ++k) {
        if (rows[k].shape != rows[0].shape) throw std::logic_error("stacked: the shapes differ");
        r.v.insert(r.v.end(), rows[k].v.begin(), rows[k].v.end());
    }
    return r;
}
numbers row(const numbers& a, std::int64_t i) {
    numbers r{{a.shape.begin() + 1, a.shape.end()}, {}};
    const auto n = product_of(r.shape);
    r.v.assign(a.v.begin() + i * n, a.v.begin() + (i + 1) * n);
    return r;
}
numbers first_rows(const numbers& a, std::int64_t n) {
    numbers r = a;
    r.shape.at(0) = n;
    r.v.resize(static_cast<std::size_t>(product_of(r.shape)));
    return r;
}
std::int64_t elements(const numbers& a) { return product_of(a.shape); }

std::string differs(const numbers& got, const numbers& want, double tol) {
    if (got.shape != want.shape) return "the shape is " + text_of(got.shape) + ", not " + text_of(want.shape);
    double scale = 0;
    for (double w : want.v)
        if (std::isfinite(w)) scale = std::max(scale, std::abs(w));
    for (std::size_t k = 0; k < want.v.size(); ++k) {
        const double g = got.v[k], w = want.v[k];
        const bool same = std::isnan(w) ? std::isnan(g) : std::isinf(w) ? g == w : std::abs(g - w) <= tol * scale;
        if (same) continue;
        std::ostringstream text;
        text.precision(17);
        text << "element " << k << " of " << text_of(want.shape) << " is " << g << ", not " << w;
        return text.str();
    }
    return "";
}

// ---- tensors
template <class T> df::tensor<T> make(const numbers& a) {
    std::vector<T> v;
    for (double x : a.v) v.push_back(static_cast<T>(x));
    const auto& s = a.shape;
    if (s.empty()) return df::tensor<T>(v.at(0));
    const df::tensor<T> flat(v);
    switch (s.size()) {
    case 1:
        return flat;
    case 2:
        return df::reshape(flat, {s[0], s[1]});
    case 3:
        return df::reshape(flat, {s[0], s[1], s[2]});
    case 4:
        return df::reshape(flat, {s[0], s[1], s[2], s[3]});
    case 5:
        return df::reshape(flat, {s[0], s[1], s[2], s[3], s[4]});
    default:
        return df::reshape(flat, {s.at(0), s.at(1), s.at(2), s.at(3), s.at(4), s.at(5)});
    }
}
template df::tensor<double> make<double>(const numbers&);
template df::tensor<float> make<float>(const numbers&);
template df::tensor<std::int64_t> make<std::int64_t>(const numbers&);
template df::tensor<std::int32_t> make<std::int32_t>(const numbers&);

numbers numbers_of(const df::tensor<double>& t) { return plain(t); }
numbers numbers_of(const df::tensor<float>& t) { return plain(t); }
numbers numbers_of(const df::tensor<std::int64_t>& t) { return plain(t); }
numbers numbers_of(const df::tensor<std::int32_t>& t) { return plain(t); }
numbers numbers_of(const df::tensor<std::uint8_t>& t) { return plain(t); }
numbers numbers_of(const df::tensor<bool>& t) { return plain(t); }

}  // namespace cases
