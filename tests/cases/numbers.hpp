// Right answers as plain host arrays, and tensors made from them.
#pragma once

#include <df/df.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace cases {

using num = df::tensor<double>;
using ints = df::tensor<std::int64_t>;
inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double qnan = std::numeric_limits<double>::quiet_NaN();

// ---- right answers: plain host arrays, row-major
struct numbers {
    std::vector<std::int64_t> shape;
    std::vector<double> v;
};
numbers scalar(double x);
numbers vec(std::initializer_list<double> x);
numbers mat(std::initializer_list<std::initializer_list<double>> rows);
numbers cube(std::initializer_list<std::initializer_list<std::initializer_list<double>>> slabs);
numbers of(std::vector<std::int64_t> shape, std::vector<double> v);
numbers filled(std::vector<std::int64_t> shape, double x);
numbers counted(std::vector<std::int64_t> shape, double first = 0);  // first, first + 1, ... in row-major order
numbers wave(std::vector<std::int64_t> shape, double k = 0.7);       // sin(k), sin(2k), ...: no two entries alike
numbers diagonal(const std::vector<double>& d);
numbers stacked(const std::vector<numbers>& rows);
numbers row(const numbers& a, std::int64_t i);
numbers first_rows(const numbers& a, std::int64_t n);
std::int64_t elements(const numbers& a);

// Where the two differ, or the empty string. Finite entries may be off by tol times the largest wanted magnitude, so an
// answer of zeros alone is demanded exactly; infinities and NaN have to agree.
std::string differs(const numbers& got, const numbers& want, double tol);

// ---- tensors from them and back
template <class T> df::tensor<T> make(const numbers& a);  // double, float, int64, int32
numbers numbers_of(const df::tensor<double>& t);
numbers numbers_of(const df::tensor<float>& t);
numbers numbers_of(const df::tensor<std::int64_t>& t);
numbers numbers_of(const df::tensor<std::int32_t>& t);
numbers numbers_of(const df::tensor<std::uint8_t>& t);
numbers numbers_of(const df::tensor<bool>& t);
template <class T, std::int64_t... D>
    requires(sizeof...(D) > 0)
numbers numbers_of(const df::tensor<T, D...>& t) { return numbers_of(df::tensor<T>(t)); }

}  // namespace cases
