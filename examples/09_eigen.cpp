// Lesson 9: Eigen in and out.
//
// df takes Eigen matrices, vectors, arrays, maps and blocks as they come: a column-major matrix is read in its own
// order, an expression is evaluated first. df's own memory is row-major, so a tensor can be seen as a row-major
// Eigen::Map without a copy. Users of Eigen include it themselves: df's headers for users do not.
#include <df/df.hpp>

#include <Eigen/LU>

#include <cmath>
#include <iostream>

using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

int main() {
    Eigen::MatrixXd m(2, 3); // column-major, Eigen's default
    m << 1, 2, 3, 4, 5, 6;
    Eigen::Vector3d v(1, 10, 100);

    // In: a copy. Vectors have one axis, matrices two.
    const df::tensor<double> a(m), x(v);
    std::cout << "a\n" << a << "\nx " << x << "\n";
    std::cout << "an expression " << df::tensor<double>(2.0 * v) << ", a block "
              << df::tensor<double>(m.block(0, 1, 2, 2)) << "\n";
    // Objects are wanted where a tensor is: arguments convert by themselves.
    auto f = df::function([](df::tensor<double> A, df::tensor<double> b) { return df::matmul(A, df::sin(b) + b); });

    // Out: a map over the tensor's own memory, valid while a handle to the tensor lives.
    const auto y = f(a, x);
    const auto seen = y.map<Eigen::Map<const Eigen::VectorXd>>();
    const Eigen::VectorXd byhand = m * (v.array().sin() + v.array()).matrix();
    std::cout << "the same as Eigen: " << (seen.isApprox(byhand) ? "yes" : "no") << "\n";

    // A jacobian by df, a linear solve by Eigen: Newton's method for x² + y² = 4, x = y.
    auto g = df::function([](df::tensor<double> q) {
        return df::stack({q[0] * q[0] + q[1] * q[1] - 4, q[0] - q[1]});
    });
    auto jacobian = df::function(df::jacobian([&](df::tensor<double> q) { return g(q); }));
    Eigen::Vector2d p(2, 1);
    for (int step = 0; step < 6; ++step) {
        const df::tensor<double> here(p), value = g(here), J = jacobian(here);
        const auto M = J.map<Eigen::Map<const row_major>>();
        p -= M.lu().solve(value.map<Eigen::Map<const Eigen::VectorXd>>());
    }
    std::cout << "p² = " << std::round(p[0] * p[0] * 1e9) / 1e9 << " " << std::round(p[1] * p[1] * 1e9) / 1e9 << "\n";

    // Without a copy: a view of a matrix, for as long as the matrix lives and does not change. Memory of other owners
    // works the same way, with strides and a deleter.
    const row_major big = row_major::Ones(1000, 3);
    const df::tensor<double> view = df::view(big);
    std::cout << "no copy: " << (view.data() == big.data() ? "yes" : "no") << ", sums " << df::sum(view, 0) << "\n";
    const double samples[] = {0, 1, 2, 3, 4, 5};
    std::cout << "every second number backwards " << df::from_memory(samples + 5, {3}, {-2}) << "\n";
}
