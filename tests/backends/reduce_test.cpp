// Reductions by packets are what the records' own kernels say, and do not depend on how work is cut.
#include <support/catch.hpp>
#include <support/data.hpp>
#include <support/near.hpp>

#include <limits>
#include <random>

#include <df/backends/eigen/reduce.hpp>
#include <df/df.hpp>

namespace {

using df::core::layout;

int pick(std::mt19937& r, int low, int high) { return std::uniform_int_distribution<int>(low, high)(r); }

template <class T> void compare(const df::ir::op_def& op, const layout& in, const df::ir::ints& axes, int lanes, const std::vector<T>& x, double relative) {
    df::shape to;
    for (int i = 0; i < in.rank(); ++i) if (i < lanes || std::find(axes.begin(), axes.end(), i - lanes) == axes.end()) to.push_back(in.dims.d[i]);
    const layout out(in.element, to);
    const df::ir::attrs at{{"axes", axes}};
    const std::vector<layout> ins{in}, outs{out};
    const df::ir::site s{op, at, ins, outs, lanes, {}};
    const auto fast = df::backends::reduce_kernel(s), naive = op.kernel(s);
    if (!fast) return;
    std::vector<T> got(static_cast<std::size_t>(out.elements())), want = got;
    std::vector<double> workspace(fast->workspace / sizeof(double) + 1);
    void* io[] = {const_cast<T*>(x.data()), got.data()};
    fast->run(io, reinterpret_cast<std::byte*>(workspace.data()));
    io[1] = want.data();
    naive->run(io, nullptr);
    DF_NEAR(got, want, relative, relative);
}
template <class T> void random_case(unsigned seed) {
    std::mt19937 r(seed);
    const int rank = pick(r, 0, 4), lanes = rank ? pick(r, 0, 1) : 0;
    df::shape dims;
    for (int i = 0; i < rank; ++i) dims.push_back(pick(r, 0, 12) ? pick(r, 1, 40 / rank) * (pick(r, 0, 6) ? 1 : 9) : 0);
    layout in(df::dtype_of<T>, dims);
    df::ir::ints axes;
    for (int i = lanes; i < rank; ++i) if (pick(r, 0, 1)) axes.push_back(i - lanes);
    if (rank > 1 && pick(r, 0, 1)) {   // a transposed operand
        std::swap(in.dims.d[0], in.dims.d[rank - 1]);
        std::swap(in.strides.d[0], in.strides.d[rank - 1]);
    }
    std::vector<T> x(static_cast<std::size_t>(in.elements()) + 1);
    for (auto& v : x) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(r));
    if (pick(r, 0, 5) == 0) x[x.size() / 2] = std::numeric_limits<T>::quiet_NaN();
    INFO("seed " << seed << " " << df::to_text(in.dims) << " strides " << df::to_text(in.strides));
    compare<T>(df::op::sum, in, axes, lanes, x, sizeof(T) == 4 ? 1e-5 : 1e-13);
    if (in.elements() == 0) return;
    compare<T>(df::op::max, in, axes, lanes, x, 0);
    compare<T>(df::op::min, in, axes, lanes, x, 0);
}

}  // namespace

TEST_CASE("reductions by packets equal the naive kernels") {
    for (unsigned seed = 0; seed < static_cast<unsigned>(df_test::runs(300, 10000)); ++seed) {
        random_case<float>(seed);
        random_case<double>(seed);
    }
}

TEST_CASE("large reductions equal the naive kernels") {
    std::mt19937 r(1);
    std::vector<float> x(1 << 20);
    for (auto& v : x) v = static_cast<float>(std::uniform_real_distribution<double>(-1, 1)(r));
    for (const df::shape& s : {df::shape{1 << 20}, df::shape{1 << 10, 1 << 10}, df::shape{1 << 17, 8}, df::shape{8, 1 << 17}, df::shape{999983}})
        for (const df::ir::ints& axes : {df::ir::ints{0}, df::ir::ints{0, 1}, df::ir::ints{1}}) {
            if (axes.back() >= s.n) continue;
            for (auto* op : {&df::op::sum, &df::op::max, &df::op::min}) compare<float>(*op, layout(df::dtype::float32, s), axes, 0, x, 1e-4);
        }
}

TEST_CASE("a float sum of a million ones and tenths is exact to rounding") {
    CHECK(df::sum(df::ones<float>({1 << 24}) * 1.0f).item() == float(1 << 24));
    CHECK(df::sum(df::ones<float>({10'000'000}) * 0.1f).item() == Approx(1'000'000).epsilon(1e-6));
    CHECK(df::sum(df::ones<float>({1000, 10'000}) * 0.1f, 0)[0].item() == Approx(100).epsilon(1e-6));
}

TEST_CASE("results do not depend on the number of threads") {
    std::mt19937 r(2);
    std::vector<float> v(600 * 700);
    for (auto& x : v) x = static_cast<float>(std::uniform_real_distribution<double>(-9, 9)(r));
    const df::tensor<float> x(v, {600, 700});
    const auto all = [&] {
        std::vector<float> out;
        const auto add = [&](const df::tensor<float>& t) { for (float y : t.to_vector()) out.push_back(y); };
        add(df::sum(x)), add(df::sum(x, 0)), add(df::sum(x, 1)), add(df::max(x, 0)), add(df::sum(df::exp(x))), add(df::sum(df::tanh(x), 0));
        add(df::matmul(x, df::transpose(x))), add(df::matmul(x, x[0]));
        return out;
    };
    df::configure({.threads = 1});
    const auto one = all();
    for (int threads : {2, 3, 7}) {
        df::configure({.threads = threads});
        CHECK(all() == one);
    }
    df::configure({});
}
