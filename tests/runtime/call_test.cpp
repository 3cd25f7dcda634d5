// What a repeated call of a function takes from the system: nothing. What it takes from the pool: what was planned.
#include <support/catch.hpp>
#include <support/near.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

#include <df/df.hpp>
#include <df/runtime/program.hpp>

namespace {
std::atomic<long> allocations{0};
}  // namespace

void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* p = std::malloc(bytes ? bytes : 1)) return p;
    throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t align) {
    ++allocations;
    const auto a = static_cast<std::size_t>(align);
    if (void* p = std::aligned_alloc(a, (bytes + a - 1) / a * a)) return p;
    throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t align, const std::nothrow_t&) noexcept {
    ++allocations;
    const auto a = static_cast<std::size_t>(align);
    return std::aligned_alloc(a, (bytes + a - 1) / a * a);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

template <class F> long allocations_of(F f) {
    for (int i = 0; i < 3; ++i) f();
    const long before = allocations;
    for (int i = 0; i < 5; ++i) f();
    return allocations - before;
}
#if defined(__SANITIZE_ADDRESS__)
constexpr bool recycles = false;   // dead blocks stay dead there
#else
constexpr bool recycles = true;
#endif

df::tensor<float> numbers_of(const df::sizes& s) {
    std::vector<float> v;
    for (std::int64_t i = 0; i < s.s.elements(); ++i) v.push_back(0.01f * static_cast<float>(i % 100));
    return df::tensor<float>(v, s);
}

// Bytes alive at most during a call beyond what is alive before it.
template <class F> std::int64_t measured_peak(F f) {
    const auto before = df::memory_stats().live;
    df::reset_peak();
    const auto result = f();
    return df::memory_stats().peak - before;
}

}  // namespace

TEST_CASE("a repeated call of small ops makes no system call") {
    auto f = df::function([](df::tensor<float> x, df::tensor<float> y) {
        for (int i = 0; i < 5; ++i) x = df::tanh(x * y);
        return x;
    });
    const df::tensor<float> x{1, 2, 3}, y{4, 5, 6};
    const auto n = allocations_of([&] { f(x, y); });
    if (recycles) CHECK(n == 0);
}

TEST_CASE("a repeated call of products, reductions and loops makes no system call") {
    auto products = df::function([](df::tensor<float> x, df::tensor<float> w) { return df::sum(df::tanh(df::matmul(x, w)), 0); });
    const auto x = numbers_of({300, 200}), w = numbers_of({200, 100});
    const auto by_products = allocations_of([&] { products(x, w); });
    auto rows = df::function([](df::tensor<float> xs, df::tensor<float> u) {
        return df::pfor(xs.dim(0), [&](df::index i) { return df::grad([&](df::tensor<float> v) { return df::sum(df::matmul(xs[i], v)); })(u); });
    });
    const auto by_rows = allocations_of([&] { rows(x, w); });
    const auto by_views = allocations_of([&] { products(df::transpose(w), df::transpose(x)); });
    if (recycles) {
        CHECK(by_products == 0);
        CHECK(by_rows == 0);
        CHECK(by_views < 200);   // eager views are ops: each makes its own result
    }
}

TEST_CASE("the predicted peak is the measured one") {
    auto f = df::function([](df::tensor<float> x, df::tensor<float> w) { return df::sum(df::tanh(df::matmul(x, w)) * 2.0f); });
    const auto x = numbers_of({30, 20}), w = numbers_of({20, 10});
    f(x, w);
    const auto seen = measured_peak([&] { return f(x, w); });
    const auto outputs = static_cast<std::int64_t>(sizeof(float));
    CHECK(seen == df::rt::last_peak() + outputs);
    CHECK(df::rt::last_peak() > 0);
}

TEST_CASE("recycled blocks serve again, and go back on request") {
    const auto before = df::memory_stats();
    { const auto x = df::ones<float>({1000, 1000}); }
    const auto first = df::memory_stats();
    { const auto x = df::ones<float>({1000, 1000}); }
    const auto second = df::memory_stats();
    CHECK(first.live == before.live);
    CHECK(second.system_calls == first.system_calls);
    CHECK(second.blocks > first.blocks);
    df::release_memory();
    { const auto x = df::ones<float>({1000, 1000}); }
    CHECK(df::memory_stats().system_calls > second.system_calls);
}
