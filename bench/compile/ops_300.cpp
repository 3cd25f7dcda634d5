// 300 operations in one lambda; without them under NO_OPS, to take the difference.
#include <df/df.hpp>

#include <cstdio>

#ifdef NO_OPS
#define TEN
#else
#define TEN                                                                                                            \
    x = df::tanh(x) * 0.5 + y;                                                                                         \
    y = df::exp(-x) / (1.0 + df::abs(y));                                                                              \
    x = df::maximum(x, y) - y;
#endif
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

int main() {
    const auto f = df::function([](df::tensor<double> x, df::tensor<double> y) {
        HUNDRED;
        HUNDRED;
        HUNDRED;
        return df::sum(x + y);
    });
    std::printf("%f\n", f(df::tensor<double>{1.0, 2.0}, df::tensor<double>{3.0, 4.0}).item());
}
