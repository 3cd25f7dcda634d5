// What an outside project does with df: one gradient.
#include <df/df.hpp>

#include <cstdio>
#include <vector>

int main() {
    const df::tensor<double> x{1.0, 2.0, 3.0};
    const auto gradient = df::grad([](df::tensor<double> y) { return df::sum(y * y); })(x);
    const bool right = gradient.to_vector() == std::vector<double>{2.0, 4.0, 6.0};
    std::puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}
