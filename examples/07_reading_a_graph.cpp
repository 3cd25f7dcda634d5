// Lesson 7: reading a graph.
//
// What df has understood of a function can be read. f.traced(args) is the graph as the lambda wrote it, f.graph(args)
// what is planned after all passes, f.stages(args) every step between. df::print gives text, df::dot a drawing in
// Graphviz's language. A line of the text is one operation:
//     %3 : float[2, 5] = contract %0, %1  {a=[0, 2] b=[2, 1] out=[0, 1]}
// its result, the type, the record that computes it, operands, attributes. The same program gives the same text, so it
// can be kept in a test.
#include <df/df.hpp>

#include <iostream>

int main() {
    const df::tensor<float> w{{1, 2}, {3, 4}, {5, 6}}, xs{{1, 0, 0}, {0, 1, 0}};

    auto model = [](df::tensor<float> m, df::tensor<float> x) { return df::sum(df::tanh(df::matmul(x, m))); };
    auto f = df::function([&](df::tensor<float> m, df::tensor<float> rows) {
        return df::pfor(rows.dim(0), [&](df::index i) { return df::grad(model)(m, rows[i]); });
    });

    // As written: a loop over the rows, in it the derivative of a graph.
    std::cout << "traced\n" << df::print(f.traced(w, xs)) << "\n";

    // As planned: no loop and no derivative are left. In a type, sizes before the bar are lanes, one for each row. The
    // product of one row became one product of all rows, and the gradient is an outer product in each lane.
    std::cout << "planned\n" << df::print(f.graph(w, xs)) << "\n";

    // The passes between, in order. Each stage holds its graph and the time it took.
    std::cout << "passes:";
    for (const auto& stage : f.stages(w, xs)) std::cout << " " << stage.name;
    std::cout << "\n\n";

    // A drawing: pipe this through `dot -Tsvg`.
    std::cout << df::dot(f.graph(w, xs));
}
