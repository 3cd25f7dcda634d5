// Lesson 5: jacobians and second derivatives.
//
// df::grad is for functions with one result. df::jacobian(f)(x) has all derivatives of all results: a tensor whose axes
// are those of the result, then those of the argument. It runs forward or in reverse, whichever needs fewer passes, and
// all passes at once; df::jacfwd and df::jacrev force one. df::hessian(f) has the second derivatives.
// Transforms nest in any order, and inside df::pfor as well.
#include <df/df.hpp>

#include <iostream>

using vec = df::tensor<double>;

int main() {
    // Three results of two numbers.
    auto f = [](vec x) { return df::stack({x[0] * x[1], x[0] * x[0], 3.0 * x[1]}); };
    const vec x{2, 5};
    std::cout << "f = " << f(x) << "\njacobian\n" << df::jacobian(f)(x) << "\n";

    // Derivatives along one direction cost one pass: forward (jvp) how all results change along v, in reverse (vjp) how
    // a weighted sum of the results changes with x.
    auto [y, along] = df::jvp(f)(x, vec{1, 0});
    auto [same, pullback] = df::vjp(f)(x);
    std::cout << "along the first axis " << along << "\nweighted by (0, 1, 1) " << pullback(vec{0, 1, 1}) << "\n";

    // Second derivatives, and Newton's method with them: for a quadratic function one step is exact.
    auto bowl = [](vec p) { return (p[0] - 1) * (p[0] - 1) + 4.0 * (p[1] + 2) * (p[1] + 2) + p[0] * p[1]; };
    const vec start{0, 0}, g = df::grad(bowl)(start), H = df::hessian(bowl)(start);
    std::cout << "gradient " << g << "\nhessian\n" << H << "\n";
    const double det = (H(0, 0) * H(1, 1) - H(0, 1) * H(1, 0)).item();
    const vec step{(H(1, 1) * g[0] - H(0, 1) * g[1]).item() / det, (H(0, 0) * g[1] - H(1, 0) * g[0]).item() / det};
    std::cout << "gradient after one Newton step is 0: "
              << (df::max(df::abs(df::grad(bowl)(start - step))).item() < 1e-12 ? "yes" : "no") << "\n";

    // A product of a hessian and a vector needs no hessian: the gradient's derivative along the vector.
    auto [gradient, Hv] = df::jvp(df::grad(bowl))(start, vec{1, 1});
    std::cout << "hessian times (1, 1) = " << Hv << "\n";

    // The jacobian at every point of a list in one call: a pfor around it. A hessian of a function with several results
    // has one more axis in front.
    const vec points{{1, 2}, {3, 4}, {0, 1}};
    auto all = df::function([&](vec p) {
        return df::pfor(p.dim(0), [&](df::index i) { return df::jacobian(f)(p[i]); });
    });
    const vec J = all(points), second = df::hessian(f)(x);
    std::cout << "jacobians at three points, shape " << J.shape() << ", the last one\n" << J[2] << "\n";
    std::cout << "hessian of f, shape " << second.shape() << ", of its first result\n" << second[0] << "\n";

    // And the other way round: the jacobian of a pfor is diagonal where the lanes do not meet.
    auto cubes = [](vec p) { return df::pfor(p.dim(0), [&](df::index i) { return p[i] * p[i] * p[i]; }); };
    std::cout << "jacobian of a pfor\n" << df::jacobian(cubes)(vec{1, 2, 3}) << "\n";

    // Several arguments: choose by number, in the order you want the results.
    auto h = [](vec a, vec b, vec c) { return df::sum(a * b * c); };
    auto [da, dc] = df::grad<0, 2>(h)(vec{1, 2}, vec{3, 4}, vec{5, 6});
    std::cout << "by the first argument " << da << ", by the third " << dc << "\n";
}
