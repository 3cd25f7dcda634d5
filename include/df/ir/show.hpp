// Tensors as text, laid out like NumPy's: nested brackets, aligned columns, long ones summarised.
#pragma once
#include <iosfwd>
#include <string>

#include <df/ir/tensor.hpp>

namespace df::inline DF_ABI {
namespace detail {
std::string show(const ir::value& v);
}  // namespace detail

/// The text that `std::cout << x` prints: `[[1.  2.5]\n [3.  4. ]]`; of a staged tensor its type, `staged float[3]`.
template <tensor_like X> std::string to_string(const X& x) { return detail::show(x.value()); }

// Templates on the stream, so that a header of df needs no <ostream>.
template <class C, class Traits, tensor_like X> std::basic_ostream<C, Traits>& operator<<(std::basic_ostream<C, Traits>& out, const X& x) {
    return out << detail::show(x.value()).c_str();
}
template <class C, class Traits> std::basic_ostream<C, Traits>& operator<<(std::basic_ostream<C, Traits>& out, const shape& s) {
    return out << to_text(s).c_str();
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <algorithm>
#include <charconv>
#include <cmath>

namespace df::inline DF_ABI::detail {
// The rules of numpy.array2string with its default options.
inline constexpr std::int64_t show_most = 1000, show_edge = 3;
inline constexpr std::size_t show_width = 75;
inline constexpr int show_digits = 8;   // behind the point

inline std::string without_zeros(std::string s) {   // "1.500" as "1.5", "2.000" as "2."
    if (s.find('.') == std::string::npos) return s + ".";
    while (s.back() == '0') s.pop_back();
    return s;
}
// The shortest text that reads back as x, with at most show_digits behind the point.
template <class T> std::string digits(T x, std::chars_format how) {
    char text[400];
    const auto end = std::to_chars(text, text + sizeof text, x, how).ptr;
    std::string s(text, end), power;
    if (const auto e = s.find('e'); e != std::string::npos) power = s.substr(e), s.resize(e);
    const auto dot = s.find('.');
    if (dot != std::string::npos && s.size() - dot - 1 > show_digits) {
        s.assign(text, std::to_chars(text, text + sizeof text, x, how, show_digits).ptr);
        if (const auto e = s.find('e'); e != std::string::npos) power = s.substr(e), s.resize(e);
    }
    return without_zeros(s) + power;
}
inline std::string not_finite(double x) { return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf"; }
// One number by itself: all its digits, as a program would write it.
template <class T> std::string alone(T x) {
    if constexpr (std::same_as<T, bool>) return x ? "True" : "False";
    else if constexpr (!std::floating_point<T>) return std::to_string(x);
    else {
        if (!std::isfinite(x)) return not_finite(static_cast<double>(x));
        const bool power = x != 0 && (std::abs(x) >= T(1e16) || std::abs(x) < T(1e-4));
        char text[400];
        std::string s(text, std::to_chars(text, text + sizeof text, x, power ? std::chars_format::scientific : std::chars_format::fixed).ptr);
        return power || s.find('.') != std::string::npos ? s : s + ".0";
    }
}
// The texts of all shown numbers, of equal width.
template <class T> std::vector<std::string> aligned(const std::vector<T>& all) {
    std::vector<std::string> r;
    std::size_t width = 0;
    if constexpr (std::floating_point<T>) {
        double most = 0, least = INFINITY;
        for (auto x : all)
            if (std::isfinite(x) && x != 0) most = std::max(most, std::abs(static_cast<double>(x))), least = std::min(least, std::abs(static_cast<double>(x)));
        const bool power = most >= 1e8 || (most > 0 && (least < 1e-4 || most / least > 1000));
        const auto parts = [](const std::string& s) {   // in front of the point, behind it, the power
            const auto dot = s.find('.'), e = std::min(s.find('e'), s.size());
            return std::array{dot, e - dot - 1, s.size() - e};
        };
        std::size_t left = 0, right = 0, tail = 0;
        for (auto x : all) {
            r.push_back(std::isfinite(x) ? digits(x, power ? std::chars_format::scientific : std::chars_format::fixed) : not_finite(static_cast<double>(x)));
            if (!std::isfinite(x)) continue;
            const auto p = parts(r.back());
            left = std::max(left, p[0]), right = std::max(right, p[1]), tail = std::max(tail, p[2]);
        }
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (!std::isfinite(all[k])) continue;
            const auto p = parts(r[k]);
            auto exponent = r[k].substr(p[0] + 1 + p[1]);
            if (power) exponent.insert(2, tail - p[2], '0');
            r[k] = std::string(left - p[0], ' ') + r[k].substr(0, p[0] + 1 + p[1]) + std::string(right - p[1], power ? '0' : ' ') + exponent;
        }
    } else {
        for (auto x : all) r.push_back(alone(x));
    }
    for (auto& s : r) width = std::max(width, s.size());
    for (auto& s : r) s.insert(0, width - s.size(), ' ');
    return r;
}
// Brackets, spaces and new lines around the texts of an array, of which long axes show both ends only.
class array_text {
public:
    array_text(const core::array& a) : dims_(a.form.dims), ends_(a.elements() > show_most) {
        shown_.n = dims_.n;
        for (int i = 0; i < dims_.n; ++i) shown_.d[i] = cut(i) ? 2 * show_edge : dims_.d[i];
        with_type(a.form.element, [&](auto zero) {
            using T = decltype(zero);
            std::vector<T> all;
            pick(a, a.data<T>(), 0, all);
            words_ = aligned(all);
        });
    }
    std::string text() { return nested(0, " ", show_width); }

private:
    bool cut(int axis) const { return ends_ && dims_.d[axis] > 2 * show_edge; }
    template <class T> void pick(const core::array& a, const T* p, int axis, std::vector<T>& all) const {
        if (axis == dims_.n) return all.push_back(*p);
        for (std::int64_t i = 0; i < shown_.d[axis]; ++i) {
            const auto k = cut(axis) && i >= show_edge ? dims_.d[axis] - shown_.d[axis] + i : i;
            pick(a, p + k * a.form.strides.d[axis], axis + 1, all);
        }
    }
    std::string nested(int axis, const std::string& indent, std::size_t width) {
        std::string s;
        const auto n = shown_.d[axis];
        if (axis == dims_.n - 1) {
            std::string line = indent;
            const auto add = [&](const std::string& word) {
                if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
                    s += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
                    line = indent;
                }
                line += word;
            };
            for (std::int64_t i = 0; i < n; ++i) {
                if (i) line += ' ';
                if (cut(axis) && i == show_edge) add("..."), line += ' ';
                add(words_[next_++]);
            }
            s += line;
        } else {
            const std::string newline(static_cast<std::size_t>(dims_.n - 1 - axis), '\n');
            for (std::int64_t i = 0; i < n; ++i) {
                if (cut(axis) && i == show_edge) s += indent + "..." + newline;
                s += indent + nested(axis + 1, indent + ' ', width - 1) + (i + 1 < n ? newline : "");
            }
        }
        return '[' + s.substr(indent.size()) + ']';
    }
    shape dims_, shown_;
    bool ends_;
    std::vector<std::string> words_;
    std::size_t next_ = 0;
};
DF_FN std::string show(const ir::value& v) {
    if (!v) return "empty tensor";
    if (v.staged()) return "staged " + ir::to_text(v.type());
    const auto& a = v->data;
    if (a.form.rank() == 0) return with_type(a.form.element, [&](auto zero) { return alone(*a.data<decltype(zero)>()); });
    if (a.elements() == 0) return "[]";
    return array_text(a).text();
}
}  // namespace df::inline DF_ABI::detail
#endif
