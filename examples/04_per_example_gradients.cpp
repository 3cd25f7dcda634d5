// Lesson 4: the gradient of every example.
//
// Training needs the sum of the gradients over a batch. Many methods need each of them: clipping for privacy, finding
// odd examples, estimating noise, second-order steps. Written by hand that is a second program beside the model. Here
// it is the gradient of one example inside df::pfor. df does not run the body many times: it turns the loop into
// operations on all examples, so that matrix products stay matrix products.
#include <df/df.hpp>

#include <cmath>
#include <iostream>

struct mlp {
    df::tensor<float> w1, b1, w2, b2;
};
BOOST_HANA_ADAPT_STRUCT(mlp, w1, b1, w2, b2);

// A model, for ONE example.
const auto loss = [](const mlp& p, df::tensor<float> x, df::tensor<std::int64_t> label) {
    auto h = df::tanh(df::matmul(x, p.w1) + p.b1);
    return df::softmax_cross_entropy(df::matmul(h, p.w2) + p.b2, label);
};

// Numbers in [-1, 1) that are the same on every machine.
df::tensor<float> numbers(df::sizes s, float scale) {
    auto n = df::cast<float>(df::arange<std::int64_t>(s.s.elements()) * 37 % 64);
    return df::reshape(scale * (n / 32 - 1), s);
}

int main() {
    const mlp params{numbers({64, 32}, 0.1f), numbers({32}, 0.1f), numbers({32, 10}, 0.3f), numbers({10}, 0.1f)};
    const df::tensor<float> images = numbers({100, 64}, 1);
    const df::tensor<std::int64_t> labels = df::arange<std::int64_t>(100) % 10;

    auto per_example = df::function([&](const mlp& p, df::tensor<float> xs, df::tensor<std::int64_t> ys) {
        return df::pfor(xs.dim(0), [&](df::index i) { return df::grad(loss)(p, xs[i], ys[i]); });
    });
    const mlp g = per_example(params, images, labels); // g.w1 is [100, 64, 32]
    std::cout << "shapes " << g.w1.shape() << " " << g.b1.shape() << " " << g.w2.shape() << " " << g.b2.shape() << "\n";

    // The same, example by example: equal but for rounding.
    auto one = df::function(df::grad(loss));
    float worst = 0;
    for (std::int64_t i = 0; i < 100; ++i)
        worst = std::max(worst, df::max(df::abs(one(params, images[i], labels[i]).w1 - g.w1[i])).item());
    std::cout << "equal to the gradients one by one: " << (worst < 1e-5f ? "yes" : "no") << "\n";

    // The mean of them is the gradient of the mean loss, which costs less when that is all one wants.
    auto mean_loss = [](const mlp& p, df::tensor<float> xs, df::tensor<std::int64_t> ys) {
        return df::mean(df::pfor(xs.dim(0), [&](df::index i) { return loss(p, xs[i], ys[i]); }));
    };
    const auto [value, mean] = df::value_and_grad(mean_loss)(params, images, labels);
    const float off = df::max(df::abs(df::mean(g.w2, 0) - mean.w2)).item();
    std::cout << "their mean is the gradient of the mean: " << (off < 1e-6f ? "yes" : "no") << "\n";

    // Gradients clipped to length 1 one by one and then added: the body may do more than differentiate.
    auto clipped = df::function([&](const mlp& p, df::tensor<float> xs, df::tensor<std::int64_t> ys) {
        auto all = df::pfor(xs.dim(0), [&](df::index i) {
            mlp d = df::grad(loss)(p, xs[i], ys[i]);
            auto squared = df::sum(d.w1 * d.w1) + df::sum(d.b1 * d.b1) + df::sum(d.w2 * d.w2) + df::sum(d.b2 * d.b2);
            auto shrink = df::minimum(1.0f, 1.0f / df::sqrt(squared));
            return df::tree_map([&](auto t) { return shrink * t; }, d);
        });
        return df::tree_map([](auto t) { return df::sum(t, 0); }, all);
    });
    const mlp sum = clipped(params, images, labels);
    std::cout << "clipped sum has shapes " << sum.w1.shape() << " " << sum.b2.shape() << " and length below 100: "
              << (df::sum(sum.w1 * sum.w1).item() < 10000.0f ? "yes" : "no") << "\n";
}
