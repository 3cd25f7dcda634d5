// How long until a new function can run? Recording one op, and trace + passes + plan of the README's program.
//
// Every iteration makes a function that has not been seen before; the size of an input differs each time, so that no
// plan can be reused. Recording is timed inside the body, which runs once; building is a first call less a second one.
#include "baselines/mlp.hpp"
#include "models.hpp"
#include "timing.hpp"

#include <df/df.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>

namespace {

using timer = std::chrono::steady_clock;

double seconds_since(timer::time_point start) { return std::chrono::duration<double>(timer::now() - start).count(); }

constexpr int recorded_ops = 1000;

// Seconds of recording 1000 ops, passes and plan not counted.
double record_seconds(std::int64_t n) {
    double seconds = 0;
    auto f = df::function([&](df::tensor<float> x, df::tensor<float> y) {
        const auto start = timer::now();
        for (int i = 0; i < recorded_ops / 4; ++i) x = df::tanh(x * y + 1.f) - y;
        seconds = seconds_since(start);
        return x;
    });
    const df::tensor<float> x = df::ones<float>({n});
    f(x, x);
    return seconds;
}

// Seconds from a function never called to one that has run, without the run itself.
template <class F, class... Args> double build_seconds(F f, const Args&... args) {
    auto start = timer::now();
    f(args...);
    const double first = seconds_since(start);
    start = timer::now();
    f(args...);
    const double second = seconds_since(start);
    if (f.traces() != 1) throw std::runtime_error("the second call traced again");
    return first - second;
}

double build_thousand_ops(std::int64_t n) {
    const df::tensor<float> x = df::ones<float>({n});
    return build_seconds(df::function([](df::tensor<float> u, df::tensor<float> v) {
                             for (int i = 0; i < recorded_ops / 4; ++i) u = df::tanh(u * v + 1.f) - v;
                             return u;
                         }),
                         x, x);
}

// The README's program: per-example gradients of the MLP.
double build_readme(std::int64_t n) {
    auto random = baseline::mlp_batch(1);
    auto values = [&](std::size_t k) { return df::tensor<float>(random.params[k].values); };
    const bench::mlp p{df::reshape(values(0), {64, 32}), values(1), df::reshape(values(2), {32, 10}), values(3)};
    auto per_example = df::function([](const bench::mlp& q, df::tensor<float> xs, df::tensor<std::int64_t> ys) {
        return df::pfor(xs.dim(0), [&](df::index i) { return df::grad(bench::mlp_loss)(q, xs[i], ys[i]); });
    });
    return build_seconds(per_example, p, df::ones<float>({n, 64}), df::zeros<std::int64_t>({n}));
}

// Times what `seconds` says about a size that was never used before.
void add(const char* name, benchmark::TimeUnit unit, double (*seconds)(std::int64_t)) {
    auto size = std::make_shared<std::int64_t>(2);
    benchmark::RegisterBenchmark(name,
                                 [=](benchmark::State& state) {
                                     seconds(++*size);
                                     for (auto _ : state) state.SetIterationTime(seconds(++*size));
                                 })
        ->Unit(unit)
        ->UseManualTime()
        ->Iterations(20)
        ->Repetitions(5)
        ->DisplayAggregatesOnly()
        ->ComputeStatistics("min", bench::smallest);
}

}  // namespace

int main(int argc, char** argv) try {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    add("trace/thousand_ops", benchmark::kMicrosecond, record_seconds);
    add("build/thousand_ops", benchmark::kMillisecond, build_thousand_ops);
    add("build/readme", benchmark::kMillisecond, build_readme);
    bench::medians m;
    benchmark::RunSpecifiedBenchmarks(&m);
    std::printf("\n");
    m.each("trace/thousand_ops", recorded_ops, "op", "wanted: at most 2");
    m.each("build/thousand_ops", recorded_ops, "op");
    m.each("build/readme", 1, "program", "wanted: at most 5000");
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
