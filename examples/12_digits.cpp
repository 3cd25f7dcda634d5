// Lesson 12: handwritten digits.
//
// The whole path on real data: 1,797 images of digits, 8 by 8 pixels each (see data/README.md). A small network is
// trained on two thirds of them and tested on the rest. Then come three questions that are hard to ask elsewhere:
// which training images pull hardest on the parameters (a gradient for each image), which pixels matter for each score
// (a jacobian for each image), and how long that takes at once and one by one.
//   12_digits DATA_FOLDER PICTURE.svg
#include "picture.hpp"

#include <df/df.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using floats = df::tensor<float>;
using whole = df::tensor<std::int64_t>;

struct mlp {
    floats w1, b1, w2, b2;
};
BOOST_HANA_ADAPT_STRUCT(mlp, w1, b1, w2, b2);

// The model, for ONE image of 64 pixels.
auto scores(const mlp& p, const floats& x) {
    auto h = df::tanh(df::matmul(x, p.w1) + p.b1);
    return df::matmul(h, p.w2) + p.b2;
}
const auto loss = [](const mlp& p, floats x, whole label) {
    return df::softmax_cross_entropy(scores(p, x), label);
};

// The same numbers with every compiler and library: std::mt19937 is fixed by the standard, the distributions are not.
std::mt19937 generator(3);
float uniform() { return static_cast<float>(generator() >> 8) / 16777216.0f; }
std::vector<std::int64_t> shuffled(std::int64_t n) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
    return order;
}
floats random(std::int64_t rows, std::int64_t columns) { // between -1/√rows and 1/√rows
    std::vector<float> r(static_cast<std::size_t>(rows * columns));
    for (float& x : r) x = (2 * uniform() - 1) / std::sqrt(static_cast<float>(rows));
    return floats(r, {rows, columns});
}
template <class F> double milliseconds(F f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int main(int count, char** arguments) {
    const std::string folder = count > 1 ? arguments[1] : "examples/data";
    const std::string picture = count > 2 ? arguments[2] : "digits.svg";
    const std::int64_t train = 1198, test = 599, batch = 64, batches = train / batch, epochs = 40;
    const auto pixels = df::load_npy<std::uint8_t>(folder + "/digits_images.npy");
    const floats images = df::reshape(df::cast<float>(pixels), {train + test, 64}) / 16;
    const whole labels = df::load_npy<std::int64_t>(folder + "/digits_labels.npy"), order(shuffled(train + test));
    const floats xs = images[order[df::slice(0, train)]], test_xs = images[order[df::slice(train)]];
    const whole ys = labels[order[df::slice(0, train)]], test_ys = labels[order[df::slice(train)]];

    // One step of training: loss and gradient of a batch, then gradient descent with momentum over the whole struct.
    auto mean_loss = [](const mlp& p, floats x, whole y) {
        return df::mean(df::map(loss, df::in_axes(df::none, 0, 0))(p, x, y));
    };
    auto step = df::function([&](const mlp& p, const mlp& velocity, floats x, whole y) {
        const auto [value, g] = df::value_and_grad(mean_loss)(p, x, y);
        const mlp v = df::tree_map([](auto old, auto d) { return 0.9f * old - 0.1f * d; }, velocity, g);
        return std::tuple{df::tree_map([](auto w, auto d) { return w + d; }, p, v), v, value};
    });
    auto correct = df::function([](const mlp& p, floats x, whole y) {
        const auto guess = df::argmax(df::map(scores, df::in_axes(df::none, 0))(p, x), 1);
        return df::mean(df::cast<float>(guess == y));
    });

    mlp p{random(64, 32), df::zeros<float>({32}), random(32, 10), df::zeros<float>({10})};
    mlp velocity = df::tree_map([](auto t) { return 0 * t; }, p);
    for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
        const whole mixed(shuffled(train));
        float total = 0;
        for (std::int64_t k = 0; k < batches; ++k) {
            const whole chosen = mixed[df::slice(k * batch, (k + 1) * batch)];
            const auto [q, v, value] = step(p, velocity, xs[chosen], ys[chosen]);
            p = q, velocity = v, total += value.item();
        }
        std::printf("\repoch %2d of %d  loss %.4f  test accuracy %.4f ", int(epoch), int(epochs),
                    double(total) / double(batches), double(correct(p, test_xs, test_ys).item()));
        std::fflush(stdout);
    }
    const float accuracy = correct(p, test_xs, test_ys).item();
    std::printf("\n%d images to train, %d to test; a linear model reaches about 0.93\n", int(train), int(test));

    // A gradient for every training image, in one call; and the same body called for one image after the other.
    auto per_example = df::function([](const mlp& q, floats x, whole y) {
        return df::pfor(x.dim(0), [&](df::index i) { return df::grad(loss)(q, x[i], y[i]); });
    });
    auto gradient = df::function(df::grad(loss));
    mlp g;
    std::vector<mlp> single(static_cast<std::size_t>(train));
    double together = INFINITY, alone = INFINITY;
    for (int run = 0; run < 4; ++run) { // the first run traces and plans
        together = std::min(together, milliseconds([&] { g = per_example(p, xs, ys); }));
        alone = std::min(alone, milliseconds([&] {
            for (std::int64_t i = 0; i < train; ++i) single[static_cast<std::size_t>(i)] = gradient(p, xs[i], ys[i]);
        }));
    }
    float off = 0;
    for (std::int64_t i = 0; i < train; ++i) {
        const mlp& s = single[static_cast<std::size_t>(i)];
        for (const floats& d : {s.w1 - g.w1[i], s.b1 - g.b1[i], s.w2 - g.w2[i], s.b2 - g.b2[i]})
            off = std::max(off, df::max(df::abs(d)).item());
    }
    std::printf("gradients of all %d training images: %.2f ms in one call, %.2f ms one by one (%.1f times as long)\n"
                "largest difference between the two: %.1e\n",
                int(train), together, alone, alone / together, double(off));

    // The derivatives of the ten scores by the 64 pixels, for every test image.
    auto jacobians = df::function([](const mlp& q, floats x) {
        return df::pfor(x.dim(0), [&](df::index i) {
            return df::jacobian([&](floats v) { return scores(q, v); })(x[i]);
        });
    });
    floats J = jacobians(p, test_xs);
    const double time = milliseconds([&] { J = jacobians(p, test_xs); });
    std::printf("jacobians of all %d test images, 10 scores by 64 pixels each: %.2f ms\n", int(test), time);

    // The ten training images that pull hardest.
    floats squares = df::zeros<float>({train});
    df::tree_map([&](auto t) { return squares += df::sum(df::reshape(t * t, {train, -1}), 1), t; }, g);
    const auto [norms, hardest] = df::topk(df::sqrt(squares), 10);
    const floats hard_xs = xs[hardest], maps = jacobians(p, hard_xs), average = df::mean(J, 0);
    const whole hard_ys = ys[hardest], taken = df::argmax(df::map(scores, df::in_axes(df::none, 0))(p, hard_xs), 1);
    std::ofstream svg(picture);
    svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-1 -3 92 39\" width=\"920\" font-family=\"sans-serif\" "
        << "font-size=\"1.4\">\n<path fill=\"#fff\" d=\"M-1-3h92v39h-92z\"/>\n"
        << text("the ten training images with the largest gradients, and what they are taken for", 0, "-.8")
        << text("d score / d pixel for the right digit of each: red raises the score, blue lowers it", 0, "12.2")
        << text("the same on average over all test images, for the digits 0 to 9", 0, "25.2");
    std::printf("largest gradients:");
    for (int k = 0; k < 10; ++k) {
        const int label = int(hard_ys[k].item()), guess = int(taken[k].item());
        std::printf("%s %d taken for %d (%.1f)", k ? "," : "", label, guess, double(norms[k].item()));
        const auto scaled = [](const floats& map) { return map / df::max(df::abs(map)); };
        svg << drawing(hard_xs[k], k, 0, false) << drawing(scaled(maps(k, label)), k, 1, true)
            << drawing(scaled(average[k]), k, 2, true)
            << text(std::to_string(label) + " as " + std::to_string(guess), 4 + 9 * k, "9.6", "middle");
    }
    svg << "</svg>\n";
    std::printf("\nthe picture is in %s\n", picture.c_str());
    if (accuracy < 0.96f || off > 1e-4f || !svg) {
        std::fprintf(stderr, "the accuracy, the gradients or the picture are not as they should be\n");
        return 1;
    }
}
