// Lesson 2: shapes at compile time.
//
// df::tensor<float> takes any sizes. A type may also say what is known of them: tensor<float, 2, 3> is a 2 by 3 matrix,
// tensor<float, df::dyn, 3> has three columns and any number of rows, df::scalar<float> has no axes. The compiler then
// works out the shapes of all results, by the same rules that run when the sizes are known only at run time. Passing a
// matrix of the wrong size becomes a compile error of one sentence at your own line, such as
//     df: matmul: the inner sizes differ
// Sizes that are not known cost nothing, and both kinds mix freely.
#include <df/df.hpp>

#include <concepts>
#include <iostream>

using df::tensor, df::dyn, df::scalar;
using namespace df::literals; // 0_c is a number that the compiler knows

int main() {
    tensor<float, 2, 3> a{{1, 2, 3}, {4, 5, 6}};
    tensor<float, 3> b{1, 2, 3};

    // Products, broadcasting, rows and reductions: all known.
    auto y = df::matmul(a, b);
    static_assert(std::same_as<decltype(y), tensor<float, 2>>);
    static_assert(std::same_as<decltype(a * b + 1), tensor<float, 2, 3>>);
    static_assert(std::same_as<decltype(a[0]), tensor<float, 3>>);
    static_assert(std::same_as<decltype(a > 2), tensor<bool, 2, 3>>);
    static_assert(std::same_as<decltype(df::sum(a)), scalar<float>>);
    static_assert(std::same_as<decltype(df::matmul(b, b)), scalar<float>>);
    // df::matmul(a, a);            // does not compile: df: matmul: the inner sizes differ
    // a + tensor<float, 2>{1, 2};  // does not compile: df: operator +: the sizes do not broadcast
    // a + tensor<double, 3>{};     // does not compile: mixed dtypes, write df::cast<float>(x)
    std::cout << "y = " << y << "\n";

    // Partly known: what is known is checked, the rest when the program runs.
    tensor<float, dyn, 3> rows = a;
    static_assert(std::same_as<decltype(df::matmul(rows, b)), tensor<float, dyn>>);
    static_assert(std::same_as<decltype(rows.dim(1_c)), df::size_constant<3>>);
    tensor<float> any = rows; // forgetting is always allowed
    static_assert(std::same_as<decltype(any + a), tensor<float>>);
    std::cout << "any has shape " << any.shape() << "\n";

    // Knowing again is a claim, and a wrong claim is an error.
    static_assert(std::same_as<decltype(any.as<2, 3>()), tensor<float, 2, 3>>);
    try {
        any.as<3, 2>();
    } catch (const df::shape_error&) {
        std::cout << "any is not a 3 by 2 matrix\n";
    }

    // A generic lambda keeps what the caller knows; a typed one asks for it. pfor adds an axis in front: its size is
    // known when the count is.
    auto square = [](auto x) { return x * x; };
    static_assert(std::same_as<decltype(square(a)), tensor<float, 2, 3>>);
    auto table = df::pfor(df::size<5>, [&](df::index i) { return b * df::cast<float>(i); });
    static_assert(std::same_as<decltype(table), tensor<float, 5, 3>>);
    std::cout << "table\n" << table << "\n";

    // Transformed functions know their shapes as well.
    auto f = [&](tensor<float, 3> x) { return df::matmul(a, x * x); };
    static_assert(std::same_as<decltype(df::function(f)(b)), tensor<float, 2>>);
    static_assert(std::same_as<decltype(df::jacobian(f)(b)), tensor<float, 2, 3>>);
    std::cout << "jacobian\n" << df::jacobian(f)(b) << "\n";
}
