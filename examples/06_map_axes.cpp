// Lesson 6: map, and which axis is mapped.
//
// df::map(f) makes a function of one example into a function of many: f for each row of the arguments, results stacked.
// It is a df::pfor with the subscripts written for you. df::in_axes says along which axis each argument is mapped:
// a number (negative ones count from the end), or df::none for an argument that every example gets whole. The last
// argument of map is where the new axis stands in the result.
#include <df/df.hpp>

#include <iostream>

using mat = df::tensor<double>;

struct line {
    df::tensor<double> slope, offset;
};
BOOST_HANA_ADAPT_STRUCT(line, slope, offset);

int main() {
    const mat a{{1, 2, 3}, {4, 5, 6}}, b{{1, 0, 1}, {0, 2, 0}};

    // Row by row: the dot product of row i of a and row i of b.
    auto dot = [](mat x, mat y) { return df::sum(x * y); };
    std::cout << "rows with rows " << df::map(dot)(a, b) << "\n";

    // Every row of a with one vector that is not mapped.
    const mat v{1, 10, 100};
    std::cout << "rows with v " << df::map(dot, df::in_axes(0, df::none))(a, v) << "\n";

    // Columns: axis 1, or -1 for the last.
    std::cout << "columns with columns " << df::map(dot, df::in_axes(1, -1))(a, b) << "\n";

    // A map of a map: all pairs. The inner one runs over the rows of b, the outer one over the rows of a.
    auto pairs = df::map(df::map(dot, df::in_axes(df::none, 0)), df::in_axes(0, df::none));
    std::cout << "all pairs of rows\n" << pairs(a, b) << "\nequal to a product: "
              << (df::max(df::abs(pairs(a, b) - df::matmul(a, df::transpose(b)))).item() == 0 ? "yes" : "no") << "\n";

    // Where the new axis goes: 0 stacks results as rows, 1 (or -1 here) as columns.
    auto powers = [](mat t) { return df::stack({t, t * t, t * t * t}); };
    const mat bases{1, 2, 3};
    std::cout << "as rows\n" << df::map(powers)(bases) << "\n";
    std::cout << "as columns\n" << df::map(powers, df::in_axes(0), 1)(bases) << "\n";

    // Structs are mapped member by member, and map composes with all the other transforms.
    const line lines{mat{1, 2, 3}, mat{0, 10, 20}};
    auto at = [](const line& l, mat x) { return l.slope * x + l.offset; };
    std::cout << "three lines at 5: " << df::map(at, df::in_axes(0, df::none))(lines, mat(5.0)) << "\n";
    const line g = df::map(df::grad(at), df::in_axes(0, df::none))(lines, mat(5.0));
    std::cout << "their derivatives by the slope " << g.slope << "\n";
    std::cout << "the derivative of the sum of all " << df::grad([&](mat x) {
        return df::sum(df::map(at, df::in_axes(0, df::none))(lines, x));
    })(mat(5.0)) << "\n";
}
