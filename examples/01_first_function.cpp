// Lesson 1: a first function.
//
// A df::tensor<float> is an array of numbers with any number of axes. It is a handle: cheap to copy, and what it holds
// never changes. On tensors that hold numbers every operation runs at once, so a program can be tried out line by line.
//
// df::function(f) makes a traced function of an ordinary lambda. At the first call the lambda runs once with stand-ins
// for its arguments; df writes down what it does as a graph, improves the graph and plans it. Every later call with
// arguments of the same kind runs the plan, not the lambda.
#include <df/df.hpp>

#include <iostream>

int main() {
    // Tensors hold numbers, and operations on them run at once. Shapes broadcast as in NumPy.
    df::tensor<float> weights{1, -1, 2}, rows{{1, 2, 3}, {4, 5, 6}};
    std::cout << "products " << df::matmul(rows, weights) << ", sums " << df::sum(2 * rows, 0) << "\n";

    // An ordinary lambda, written for ONE example.
    auto loss = [](df::tensor<float> w, df::tensor<float> x) {
        auto y = df::matmul(w, x) - 1;
        return y * y;
    };
    std::cout << "loss " << loss(weights, rows[0]) << "\n";

    // Its derivative is a function too: the gradient by the first argument.
    std::cout << "gradient " << df::grad(loss)(weights, rows[0]) << "\n";

    // The gradient of every example. df::pfor is a loop whose iterations do not depend on each other, and df runs them
    // all together; df::function traces the lambda at the first call and runs the plan from then on.
    auto per_example = df::function([&](df::tensor<float> w, df::tensor<float> xs) {
        std::cout << "(tracing)\n";
        return df::pfor(xs.dim(0), [&](df::index i) { return df::grad(loss)(w, xs[i]); });
    });
    std::cout << "gradients\n" << per_example(weights, rows) << "\n";
    std::cout << "of other numbers\n" << per_example(weights, rows + 1) << "\n";
}
