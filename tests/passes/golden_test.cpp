// What the passes make of a few programs: the approved texts in tests/golden.
#include <support/catch.hpp>
#include <support/golden.hpp>

#include <boost/hana/define_struct.hpp>
#include <df/df.hpp>

namespace golden_programs {
struct mlp {
    BOOST_HANA_DEFINE_STRUCT(mlp, (df::tensor<float>, w1), (df::tensor<float>, b1), (df::tensor<float>, w2), (df::tensor<float>, b2));
};
}  // namespace golden_programs

namespace {

using golden_programs::mlp;

/// The graph as traced, then after each pass that changed it.
template <class F, class... A> std::string stages(const F& f, const A&... a) {
    std::string before = df::print(f.traced(a...)), text = "== trace\n" + before;
    for (auto& s : f.stages(a...)) {
        const auto now = df::print(s.result);
        if (now != before) text += "\n== " + s.name + "\n" + now;
        before = now;
    }
    return text;
}
int count(const df::ir::graph_ptr& g, const std::string& op) {
    int n = 0;
    for (auto& node : g->nodes) n += node.op->name == op;
    return n;
}
const auto loss = [](const mlp& p, df::tensor<float> x, df::tensor<std::int64_t> label) {
    auto h = df::tanh(df::matmul(x, p.w1) + p.b1);
    return df::softmax_cross_entropy(df::matmul(h, p.w2) + p.b2, label);
};
mlp parameters() { return {df::zeros<float>({6, 5}), df::zeros<float>({5}), df::zeros<float>({5, 4}), df::zeros<float>({4})}; }

}  // namespace

TEST_CASE("per-example gradients of the README's network, stage by stage") {
    const auto per_example = df::function([](const mlp& p, df::tensor<float> xs, df::tensor<std::int64_t> ys) {
        return df::pfor(xs.dim(0), [&](df::index i) { return df::grad(loss)(p, xs[i], ys[i]); });
    });
    const auto xs = df::zeros<float>({3, 6});
    const auto ys = df::zeros<std::int64_t>({3});
    const auto g = per_example.graph(parameters(), xs, ys);
    CHECK(count(g, "loop") == 0);
    CHECK(count(g, "tanh") == 1);
    DF_GOLDEN("mlp_per_example_gradients.txt", stages(per_example, parameters(), xs, ys));
}

TEST_CASE("the jacobian of a network runs forward once and backward once for all rows") {
    const auto f = df::function([](const mlp& p, df::tensor<float> x) {
        return df::jacobian([&](df::tensor<float> v) { return df::matmul(df::tanh(df::matmul(v, p.w1) + p.b1), p.w2) + p.b2; })(x);
    });
    const auto x = df::zeros<float>({6});
    const auto g = f.graph(parameters(), x);
    CHECK(count(g, "tanh") == 1);
    CHECK(count(g, "contract") <= 4);
    for (auto& v : g->values) CHECK((v.t.dims.n < 3));   // activations stay unstacked
    DF_GOLDEN("mlp_jacobian.txt", stages(f, parameters(), x));
}

TEST_CASE("nested loops become one graph") {
    const auto f = df::function([](df::tensor<float> x, df::tensor<float> y) {
        return df::pfor(x.dim(0), [&](df::index i) { return df::pfor(y.dim(0), [&](df::index j) { return df::sum(df::abs(x[i] - y[j])); }); });
    });
    const auto x = df::zeros<float>({3, 2}), y = df::zeros<float>({4, 2});
    CHECK(count(f.graph(x, y), "loop") == 0);
    DF_GOLDEN("nested_pfor.txt", stages(f, x, y));
}

TEST_CASE("x[i] over the whole range is x") {
    const auto f = df::function([](df::tensor<float> x) { return df::pfor(x.dim(0), [&](df::index i) { return df::exp(x[i]); }); });
    const auto x = df::zeros<float>({3, 2});
    CHECK(count(f.graph(x), "gather") == 0);
    DF_GOLDEN("rows.txt", stages(f, x));
}
