// Elementary functions by packets: near the standard ones everywhere, and the same wherever an element lies.
#include <support/catch.hpp>
#include <support/near.hpp>

#include <cmath>
#include <limits>

#include <df/df.hpp>

namespace {

template <class T> std::vector<T> points() {
    using L = std::numeric_limits<T>;
    std::vector<T> x{0, T(-0.0), 1, -1, L::infinity(), -L::infinity(), L::quiet_NaN(), L::max(), L::lowest(), L::min(), L::denorm_min(), 86, 88, T(88.6), 89, -86, -88, -100, 104, -104, 700, 709, 710, -745, -746, 1000, -1000, T(1e10)};
    for (int i = -400; i < 400; ++i) x.push_back(T(i) / 16), x.push_back(std::exp(T(i) / 8));
    return x;
}
template <class T, class F, class G> void check(F f, G standard) {
    const auto x = points<T>();
    std::vector<T> want;
    for (auto v : x) want.push_back(standard(v));
    const auto got = f(df::tensor<T>(x)).to_vector();
    DF_NEAR(got, want, sizeof(T) == 4 ? 1e-6 : 1e-14, sizeof(T) == 4 ? 1e-37 : 1e-300);
    for (std::size_t from : {1u, 5u, 30u})   // another place in the span, another result would be a surprise
        for (std::size_t n : {1u, 7u, 100u}) {
            const auto part = f(df::tensor<T>(std::vector<T>(x.begin() + static_cast<std::ptrdiff_t>(from), x.begin() + static_cast<std::ptrdiff_t>(from + n)))).to_vector();
            for (std::size_t i = 0; i < n; ++i) CHECK((part[i] == got[from + i] || std::isnan(part[i])));
        }
}

}  // namespace

TEST_CASE("exp, log, tanh, sin and cos are near the standard ones everywhere") {
    check<float>([](auto x) { return df::exp(x); }, [](float v) { return std::exp(v); });
    check<double>([](auto x) { return df::exp(x); }, [](double v) { return std::exp(v); });
    check<float>([](auto x) { return df::log(x); }, [](float v) { return std::log(v); });
    check<double>([](auto x) { return df::log(x); }, [](double v) { return std::log(v); });
    check<float>([](auto x) { return df::tanh(x); }, [](float v) { return std::tanh(v); });
    check<float>([](auto x) { return df::sin(x); }, [](float v) { return std::sin(v); });
    check<float>([](auto x) { return df::cos(x); }, [](float v) { return std::cos(v); });
}
