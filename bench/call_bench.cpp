// What does a call cost when the arithmetic is next to nothing? A cached function and eager ops on four floats.
#include "timing.hpp"

#include <df/df.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace {

// Ten ops: five products, five tanh.
df::tensor<float> ten_ops(df::tensor<float> x, df::tensor<float> y) {
    for (int i = 0; i < 5; ++i) x = df::tanh(x * y);
    return x;
}

std::array<float, 4> ten_ops_by_hand(std::array<float, 4> x, const std::array<float, 4>& y) {
    for (int i = 0; i < 5; ++i)
        for (std::size_t k = 0; k < 4; ++k) x[k] = std::tanh(x[k] * y[k]);
    return x;
}

}  // namespace

int main(int argc, char** argv) try {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

    const std::array<float, 4> a{1, 2, 3, 4}, b{.1f, .2f, .3f, .4f};
    const df::tensor<float> x{a[0], a[1], a[2], a[3]}, y{b[0], b[1], b[2], b[3]};
    const df::tensor<float> large = df::ones<float>({4096});

    auto nothing = df::function([](df::tensor<float> u, df::tensor<float>) { return u; });
    auto ten = df::function(ten_ops);
    auto derivative = df::function([](df::tensor<float> u, df::tensor<float> v) {
        return df::grad([&](df::tensor<float> w) { return df::sum(ten_ops(w, v)); })(u);
    });

    const auto want = ten_ops_by_hand(a, b);
    const df::tensor<float> cached = ten(x, y), eager = ten_ops(x, y);
    for (std::size_t k = 0; k < 4; ++k)
        for (float got : {cached.data()[k], eager.data()[k]})
            if (!(std::abs(got - want[k]) <= 1e-6f)) throw std::runtime_error("ten tiny ops: wrong value");

    const auto ns = benchmark::kNanosecond;
    bench::add("call/nothing", ns, [=]() mutable { return nothing(x, y); });
    bench::add("call/ten_ops", ns, [=]() mutable { return ten(x, y); });
    bench::add("call/ten_ops_gradient", ns, [=]() mutable { return derivative(x, y); });
    bench::add("eager/add", ns, [=] { return x + y; });
    bench::add("eager/add_4096", ns, [=] { return large + large; });
    bench::add("eager/ten_ops", ns, [=] { return ten_ops(x, y); });
    bench::add("hand/ten_ops", ns, [=]() mutable {
        auto u = a;
        benchmark::DoNotOptimize(u);  // the inputs are not constants
        return ten_ops_by_hand(u, b);
    });

    bench::medians m;
    benchmark::RunSpecifiedBenchmarks(&m);
    std::printf("\n");
    m.each("call/ten_ops", 1, "call", "wanted: at most 3");
    m.each("eager/ten_ops", 10, "op");
    m.ratio("eager/ten_ops", "call/ten_ops");
    m.ratio("call/ten_ops", "hand/ten_ops");
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
