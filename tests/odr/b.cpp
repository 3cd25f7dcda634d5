// The second: a value made here is used there and comes back.
#include <df/df.hpp>

#include <vector>

df::tensor<double> from_a(df::tensor<double> x);

int main() {
    const df::tensor<double> x{1.0, 2.0, 3.0};
    const auto here = df::function([](df::tensor<double> y) { return from_a(y) * y / y; })(x);
    return here.to_vector() == std::vector<double>{2.0, 4.0, 6.0} ? 0 : 1;
}
