// The verifier names the node and the rule that a broken graph breaks.
#include <support/catch.hpp>

#include <df/df.hpp>
#include <df/ir/build.hpp>
#include <df/ir/loop.hpp>
#include <df/ir/verify.hpp>
#include <df/ops/arith.hpp>
#include <df/ops/reduce.hpp>

using namespace df;

namespace {

// sum(x + y) over [2, 3], to be broken.
ir::graph sound() {
    const ir::type t(dtype::float64, shape{2, 3});
    const std::vector<ir::type> in{t, t};
    return *ir::trace(in, place::here(), [](const ir::values& x) -> ir::values { return {ir::reduce(op::sum, op::add(x[0], x[1]), {1})}; }).g;
}
// A loop of three trips that carries a number and slices a vector.
ir::loop_form looping(const ir::graph_ptr& body) {
    ir::loop_form f;
    f.body = body;
    f.count = 3;
    f.slice_axes = {0};
    f.carries = 1;
    return f;
}
ir::graph_ptr adding(dtype carried) {
    const std::vector<ir::type> in{ir::type(dtype::int64, {}), ir::type(dtype::float64, {}), ir::type(dtype::float64, {})};
    return ir::trace(in, place::here(), [&](const ir::values& x) -> ir::values { return {ir::convert(op::add(x[1], x[2]), carried)}; }).g;
}
ir::graph around(const ir::loop_form& f, const std::vector<ir::type>& operands) {
    ir::builder b(ir::builder::kind::rewrite);
    ir::values in;
    for (auto& t : operands) in.push_back(b.input(t, place::here()));
    const auto at = f.to_attrs();
    b.output(b.record(op::loop, in, at, ir::infer(op::loop, operands, at, place::here()), place::here())[0], "test", {});
    return *b.finish();
}
const std::vector<ir::type> good{ir::type(dtype::float64, shape{3}), ir::type(dtype::float64, {})};

}  // namespace

TEST_CASE("a sound graph is sound") {
    CHECK_NOTHROW(ir::verify(sound(), "test"));
    CHECK_NOTHROW(ir::verify(around(looping(adding(dtype::float64)), good), "test"));
}

TEST_CASE("the verifier names what is wrong with values and nodes") {
    const auto wrong = [](const char* node, const char* rule, auto change) {
        auto g = sound();
        change(g);
        DF_THROWS_WITH(ir::verify(g, "prune"), internal_error, "prune: ", node, rule);
    };
    wrong("", "an input is not a value without a node", [](ir::graph& g) { g.inputs.push_back(2); });
    wrong("", "value %0 is an input twice", [](ir::graph& g) { g.inputs.push_back(0); });
    wrong("node add %2", "an operand has no number", [](ir::graph& g) { g.nodes[0].in[1] = 17; });
    wrong("node add %2", "operand %3 is used before it is made", [](ir::graph& g) { g.nodes[0].in[1] = 3; });
    wrong("node add %2", "a control edge does not come from an earlier node", [](ir::graph& g) { g.nodes[0].control = {1}; });
    wrong("node sum %3", "it has 2 results, its record says 1", [](ir::graph& g) { g.nodes[1].count = 2; });
    wrong("node sum %3", "a result does not know its node", [](ir::graph& g) { g.values[3].node = 0; });
    wrong("node add %2", "result type double[2, 4], its record says double[2, 3]", [](ir::graph& g) { g.values[2].t.dims.d[1] = 4; });
    wrong("node add %2", "result type float[2, 3], its record says double[2, 3]", [](ir::graph& g) { g.values[2].t.element = dtype::float32; });
    wrong("", "an output is not made", [](ir::graph& g) { g.outputs = {9}; });
    wrong("", "has a size that the graph does not know", [](ir::graph& g) { g.values[0].t.dims.d[0] = fresh_symbol(); });
    wrong("", "the count of a symbol is not made", [](ir::graph& g) { g.symbols.push_back({fresh_symbol(), 12}); });
    wrong("", "a value has more lane axes than axes", [](ir::graph& g) { g.values[0].t.lanes.n = 3; });
}

TEST_CASE("a symbol is known inside the graph that makes it") {
    auto g = sound();
    const auto n = fresh_symbol();
    g.values[0].t.dims.d[0] = g.values[1].t.dims.d[0] = g.values[2].t.dims.d[0] = g.values[3].t.dims.d[0] = n;
    DF_THROWS_WITH(ir::verify(g, "test"), internal_error, "has a size that the graph does not know");
    g.symbols.push_back({n, -1});
    CHECK_NOTHROW(ir::verify(g, "test"));
}

TEST_CASE("the verifier names what is wrong with a loop") {
    const auto body = adding(dtype::float64);
    const auto wrong = [](const ir::loop_form& f, const std::vector<ir::type>& operands, const char* rule) {
        const auto g = around(f, operands);
        DF_THROWS_WITH(ir::verify(g, "vectorize"), internal_error, "vectorize: node loop %", rule);
    };
    wrong(looping(body), {good[0]}, "the body takes another number of operands");
    wrong(looping(body), {ir::type(dtype::float64, shape{4}), good[1]}, "operand 0 is not sliced along an axis of as many trips");
    wrong(looping(body), {good[0], ir::type(dtype::float32, {})}, "the body takes double[] for operand 1");
    wrong(looping(adding(dtype::float32)), good, "a carried value changes its type");
    auto f = looping(body);
    f.place_axes = {0};
    f.carries = 1;
    auto g = around(looping(body), good);
    g.nodes[0].at = f.to_attrs();
    g.nodes[0].count = 1;
    DF_THROWS_WITH(ir::verify(g, "vectorize"), internal_error, "the body gives another number of results");
}

TEST_CASE("a broken graph inside a node is found") {
    auto inner = *adding(dtype::float64);
    inner.outputs = {99};
    auto g = around(looping(adding(dtype::float64)), good);
    auto f = looping(std::make_shared<const ir::graph>(inner));
    g.nodes[0].at = f.to_attrs();
    DF_THROWS_WITH(ir::verify(g, "test"), internal_error, "test: an output is not made");
}
