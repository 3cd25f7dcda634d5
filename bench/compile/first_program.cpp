// A first program: an MLP as a struct, its loss for one example, loss and gradient.
#include <df/df.hpp>

#include <cstdio>

struct mlp {
    df::tensor<float> w1, b1, w2, b2;
};
BOOST_HANA_ADAPT_STRUCT(mlp, w1, b1, w2, b2);

int main() {
    const auto loss = [](const mlp& p, df::tensor<float> x, df::tensor<std::int64_t> label) {
        auto h = df::tanh(df::matmul(x, p.w1) + p.b1);
        return df::softmax_cross_entropy(df::matmul(h, p.w2) + p.b2, label);
    };
    const mlp params{df::full<float>({64, 32}, 0.01f), df::zeros<float>({32}), df::full<float>({32, 10}, 0.01f),
                     df::zeros<float>({10})};
    const auto [value, gradient] = df::value_and_grad(loss)(params, df::ones<float>({64}), df::tensor<std::int64_t>(3));
    std::printf("%f %f\n", static_cast<double>(value.item()), static_cast<double>(df::sum(gradient.b2).item()));
}
