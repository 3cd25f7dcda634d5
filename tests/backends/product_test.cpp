// Contractions by matrix products are what the naive kernel says, whatever the labels, sizes, strides and lanes.
#include <support/catch.hpp>
#include <support/data.hpp>
#include <support/near.hpp>

#include <algorithm>
#include <random>

#include <df/backends/eigen/product.hpp>
#include <df/df.hpp>
#include <df/ops/contract.hpp>

namespace {

using df::core::layout;
using random_engine = std::mt19937;

int pick(random_engine& r, int low, int high) { return std::uniform_int_distribution<int>(low, high)(r); }

// A layout of these sizes: axes in a random order in memory, sometimes with gaps, repeated or backwards.
layout random_layout(random_engine& r, df::dtype t, const df::shape& dims, bool result) {
    layout l(t, dims);
    std::vector<int> order;
    for (int i = 0; i < dims.n; ++i) order.push_back(i);
    if (pick(r, 0, 1)) std::shuffle(order.begin(), order.end(), r);
    std::int64_t stride = pick(r, 0, 3) ? 1 : 2;
    for (int i = dims.n - 1; i >= 0; --i) {
        const int axis = order[static_cast<std::size_t>(i)];
        l.strides.d[axis] = stride;
        stride *= std::max<std::int64_t>(dims.d[axis], 1) + (pick(r, 0, 4) ? 0 : 1);
        if (!result && pick(r, 0, 9) == 0) l.strides.d[axis] = 0;
        else if (pick(r, 0, 9) == 0) l.strides.d[axis] = -l.strides.d[axis];
    }
    return l;
}
// Room for a layout, and where its first element lies.
template <class T> struct room {
    std::vector<T> bytes;
    std::int64_t first = 0;
    explicit room(const layout& l) {
        std::int64_t low = 0, high = 0;
        for (int i = 0; i < l.rank(); ++i) {
            const auto reach = (l.dims.d[i] - 1) * l.strides.d[i];
            if (l.dims.d[i] > 0) (reach < 0 ? low : high) += reach;
        }
        first = -low;
        bytes.assign(static_cast<std::size_t>(high - low + 1), T(7));
    }
    T* data() { return bytes.data() + first; }
};

template <class T> void compare(random_engine& r, const df::ir::attrs& at, int lanes, const df::shape& a, const df::shape& b, const df::shape& out, unsigned a_has, unsigned b_has) {
    const auto t = df::dtype_of<T>;
    std::vector<layout> in{random_layout(r, t, a, false), random_layout(r, t, b, false)}, to{random_layout(r, t, out, true)};
    for (int i = 0; i < lanes; ++i) {
        if (!(a_has >> i & 1)) in[0].strides.d[i] = 0;
        if (!(b_has >> i & 1)) in[1].strides.d[i] = 0;
    }
    const df::ir::site s{df::op::contract, at, in, to, lanes, {}};
    room<T> x(in[0]), y(in[1]), z(to[0]);
    std::uniform_real_distribution<double> number(-1, 1);
    for (auto& v : x.bytes) v = static_cast<T>(number(r));
    for (auto& v : y.bytes) v = static_cast<T>(number(r));
    auto want = z;
    const auto fast = df::backends::product_kernel(s), naive = df::op::contract.kernel(s);
    REQUIRE(fast);
    const auto run = [&](df::ir::kernel& k, room<T>& result) {
        std::vector<std::byte> workspace(k.workspace);
        void* io[] = {x.data(), y.data(), result.data()};
        k.run(io, workspace.data());
    };
    run(*fast, z);
    run(*naive, want);
    DF_NEAR(z.bytes, want.bytes, sizeof(T) == 4 ? 1e-4 : 1e-12, sizeof(T) == 4 ? 1e-4 : 1e-12);
}

template <class T> void random_case(unsigned seed, int largest) {
    random_engine r(seed);
    const int labels = pick(r, 1, 5), lanes = pick(r, 0, 2);
    df::ir::ints la, lb, lo;
    df::shape a, b, out;
    unsigned a_has = 0, b_has = 0;
    for (int i = 0; i < lanes; ++i) {
        const int n = pick(r, 0, 12) ? pick(r, 1, 5) : 0, where = pick(r, 1, 3);
        a.push_back(n), b.push_back(n), out.push_back(n);
        a_has |= static_cast<unsigned>(where & 1) << i;
        b_has |= static_cast<unsigned>(where >> 1) << i;
    }
    for (int l = 0; l < labels; ++l) {
        const int n = pick(r, 0, 12) ? pick(r, 1, l < 3 ? largest : 3) : 0;
        const int kind = pick(r, 0, 3);   // rows, columns, depth, batch
        if (kind != 1) la.push_back(l), a.push_back(n);
        if (kind != 0) lb.push_back(l), b.push_back(n);
        if (kind != 2) lo.push_back(l), out.push_back(n);
    }
    INFO("seed " << seed << " a " << df::to_text(a) << " b " << df::to_text(b) << " out " << df::to_text(out) << " lanes " << lanes);
    compare<T>(r, {{"a", la}, {"b", lb}, {"out", lo}}, lanes, a, b, out, a_has, b_has);
}

}  // namespace

TEST_CASE("contractions by matrix products equal the naive kernel") {
    for (unsigned seed = 0; seed < static_cast<unsigned>(df_test::runs(400, 20000)); ++seed) {
        random_case<float>(seed, 12);
        random_case<double>(seed, 12);
    }
}

TEST_CASE("products with sizes around register tiles and panels equal the naive kernel") {
    const df::ir::attrs at{{"a", df::ir::ints{0, 2}}, {"b", df::ir::ints{2, 1}}, {"out", df::ir::ints{0, 1}}};
    for (unsigned seed = 0; seed < static_cast<unsigned>(df_test::runs(40, 1000)); ++seed) {
        random_engine r(seed);
        const int m = pick(r, 0, 3) ? pick(r, 1, 100) : 1, n = pick(r, 0, 3) ? pick(r, 1, 150) : 1, k = pick(r, 1, 400);
        INFO("seed " << seed << " sizes " << m << " " << n << " " << k);
        compare<float>(r, at, 0, {m, k}, {k, n}, {m, n}, 0, 0);
        compare<double>(r, at, 0, {m, k}, {k, n}, {m, n}, 0, 0);
    }
}

TEST_CASE("a product whose result does not fit the caches is written past them") {
    random_engine r(3);
    const df::ir::attrs at{{"a", df::ir::ints{0}}, {"b", df::ir::ints{1}}, {"out", df::ir::ints{0, 1}}};
    compare<float>(r, at, 1, {65, 130}, {65, 140}, {65, 130, 140}, 1, 1);
}

TEST_CASE("a sum over two axes that do not merge adds products up") {
    random_engine r(4);
    const df::ir::attrs at{{"a", df::ir::ints{2, 0, 3}}, {"b", df::ir::ints{3, 2, 1}}, {"out", df::ir::ints{1, 0}}};
    compare<float>(r, at, 0, {5, 20, 30}, {30, 5, 17}, {17, 20}, 0, 0);
    compare<double>(r, at, 0, {5, 20, 0}, {0, 5, 17}, {17, 20}, 0, 0);
}
