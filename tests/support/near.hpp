// Comparing numbers: any mixture of tensors, vectors, lists and scalars, bounded as in NumPy's allclose.
#pragma once

#include <support/catch.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace df_test {

template <class X> std::vector<double> numbers(const X& x) {
    std::vector<double> result;
    if constexpr (requires { x.to_vector(); }) {
        for (auto&& value : x.to_vector()) result.push_back(static_cast<double>(value));
    } else if constexpr (requires { x.begin(); }) {
        for (auto&& value : x) result.push_back(static_cast<double>(value));
    } else {
        result.push_back(static_cast<double>(x));
    }
    return result;
}

// Where the two first differ by more than absolute + relative * |wanted|, or the empty string. NaN equals NaN.
// A value and an infinity are never near.
std::string far(const std::vector<double>& got, const std::vector<double>& wanted, double relative, double absolute);

template <class X, class Y>
std::string far(const X& got, const Y& wanted, double relative = 1e-5, double absolute = 1e-6) {
    return far(numbers(got), numbers(wanted), relative, absolute);
}
template <class X>
std::string far(const X& got, std::initializer_list<double> wanted, double relative = 1e-5, double absolute = 1e-6) {
    return far(numbers(got), std::vector<double>(wanted), relative, absolute);
}

}  // namespace df_test

// DF_NEAR(df::exp(x), {1.0, 2.71828}) or DF_NEAR(a, b, 1e-12, 0.0): got, wanted, relative and absolute bound.
#define DF_NEAR(...) CHECK(df_test::far(__VA_ARGS__) == "")
