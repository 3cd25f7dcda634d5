// Copies between any two layouts equal the walk over all indices.
#include <support/catch.hpp>
#include <support/data.hpp>

#include <algorithm>
#include <random>

#include <df/core/array.hpp>

namespace {
int pick(std::mt19937& r, int low, int high) { return std::uniform_int_distribution<int>(low, high)(r); }

df::core::layout shuffled(std::mt19937& r, df::dtype t, const df::shape& dims) {
    df::core::layout l(t, dims);
    std::vector<int> order(dims.size());
    for (int i = 0; i < dims.n; ++i) order[static_cast<std::size_t>(i)] = i;
    std::shuffle(order.begin(), order.end(), r);
    std::int64_t stride = pick(r, 1, 2);
    for (int i : order) {
        l.strides.d[i] = stride;
        stride *= std::max<std::int64_t>(dims.d[i], 1);
    }
    return l;
}
template <class T> void random_copy(unsigned seed) {
    std::mt19937 r(seed);
    df::shape dims;
    for (int i = pick(r, 0, 4); i > 0; --i) dims.push_back(pick(r, 0, 15) ? pick(r, 1, 25) : 0);
    const auto from = shuffled(r, df::dtype_of<T>, dims), to = shuffled(r, df::dtype_of<T>, dims);
    const auto n = static_cast<std::size_t>(dims.elements()) * 2 + 2;
    std::vector<T> x(n), got(n, T(1)), want(n, T(1));
    for (auto& v : x) v = static_cast<T>(pick(r, 0, 100));
    df::core::copy_elements(from, reinterpret_cast<const std::byte*>(x.data()), to, reinterpret_cast<std::byte*>(got.data()));
    for (std::int64_t i = 0; i < dims.elements(); ++i) {
        std::int64_t p = 0, q = 0, rest = i;
        for (int k = dims.n - 1; k >= 0; rest /= dims.d[k], --k) p += rest % dims.d[k] * from.strides.d[k], q += rest % dims.d[k] * to.strides.d[k];
        want[static_cast<std::size_t>(q)] = x[static_cast<std::size_t>(p)];
    }
    INFO("seed " << seed << " " << df::to_text(dims));
    CHECK(got == want);
}
}  // namespace

TEST_CASE("copies between layouts put every element in its place") {
    for (unsigned seed = 0; seed < static_cast<unsigned>(df_test::runs(200, 10000)); ++seed) {
        random_copy<std::uint8_t>(seed);
        random_copy<float>(seed);
        random_copy<double>(seed);
    }
}
