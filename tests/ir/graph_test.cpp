// Graphs of any length are built, pruned, printed and destroyed without recursion; their texts are stable.
#include <support/catch.hpp>

#include <df/df.hpp>
#include <df/ir/build.hpp>
#include <df/ir/graph.hpp>
#include <df/ir/print.hpp>
#include <df/ir/verify.hpp>
#include <df/passes/prune.hpp>

using namespace df;

TEST_CASE("a chain of a million nodes is traced, verified, pruned, printed and destroyed") {
    constexpr int n = 1'000'000;
    const ir::type t(dtype::float64, shape{2});
    ir::graph_ptr g = ir::trace({&t, 1}, place::here(), [](const ir::values& x) {
        tensor<double> y(x[0], raw), unused(x[0], raw);
        for (int i = 0; i < n / 2; ++i) y = y + x[0].type().dims.d[0], unused = df::sin(unused);
        return ir::values{y.value()};
    }).g;
    REQUIRE(g->nodes.size() >= n);
    const auto kept = pass::prune(g);
    g.reset();
    CHECK(kept->nodes.size() >= n / 2);
    CHECK(kept->nodes.size() <= n + 1);
    CHECK_NOTHROW(ir::verify(*kept, "prune"));
    CHECK(print(kept).size() > n / 2);
    CHECK(dot(kept).size() > n / 2);
}

TEST_CASE("equal programs have equal texts, without addresses") {
    const auto make = [] {
        return df::function([](tensor<float> x) { return df::pfor(x.dim(0), [&](df::index i) { return df::sum(df::tanh(x[i]) * 2.f); }); });
    };
    const auto f = make(), g = make();
    const tensor<float> x{{1.f, 2.f}, {3.f, 4.f}};
    CHECK(print(f.traced(x)) == print(g.traced(x)));
    CHECK(print(f.graph(x)) == print(g.graph(x)));
    CHECK(dot(f.graph(x)) == dot(g.graph(x)));
    CHECK(ir::equal(*f.graph(x), *g.graph(x)));
    CHECK(ir::hash(*f.graph(x)) == ir::hash(*g.graph(x)));
    CHECK(print(f.graph(x)).find("0x") == std::string::npos);
}

TEST_CASE("a graph with another attribute, operand or type is another graph") {
    const tensor<float> x{{1.f, 2.f}, {3.f, 4.f}};
    const tensor<double> z{{1., 2.}, {3., 4.}};
    const auto a = df::function([](auto v) { return df::sum(v, 0); });
    const auto b = df::function([](auto v) { return df::sum(v, 1); });
    CHECK_FALSE(ir::equal(*a.graph(x), *b.graph(x)));
    CHECK_FALSE(ir::equal(*a.graph(x), *a.graph(z)));
    CHECK(ir::equal(*a.graph(x), *a.graph(x)));
}
