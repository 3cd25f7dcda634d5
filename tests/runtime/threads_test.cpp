// The thread pool: every element once, errors of the first range, callers side by side, calls inside of calls.
#include <support/catch.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <df/core/parallel.hpp>
#include <df/runtime/threads.hpp>

namespace {
struct four_threads {
    four_threads() {
        df::rt::use_thread_pool();
        df::configure({.threads = 4});
    }
    ~four_threads() { df::configure({}); }
};
}  // namespace

TEST_CASE("every element belongs to one range") {
    const four_threads scope;
    for (std::int64_t n : {0, 1, 7, 1000, 12345})
        for (std::int64_t grain : {1, 10, 5000}) {
            std::vector<std::atomic<int>> hits(static_cast<std::size_t>(n));
            df::core::parallel_for(n, grain, [&](std::int64_t b, std::int64_t e) { for (auto i = b; i < e; ++i) ++hits[static_cast<std::size_t>(i)]; });
            bool once = true;
            for (auto& h : hits) once &= h == 1;
            CHECK(once);
        }
}

TEST_CASE("of several errors the one of the first range is reported, and the pool works on") {
    const four_threads scope;
    for (int k = 0; k < 50; ++k) {
        std::string seen;
        try {
            df::core::parallel_for(1000, 1, [](std::int64_t b, std::int64_t) { throw std::runtime_error(b == 0 ? "first" : "later"); });
        } catch (const std::runtime_error& e) {
            seen = e.what();
        }
        CHECK(seen == "first");
    }
    std::atomic<std::int64_t> sum{0};
    df::core::parallel_for(1000, 1, [&](std::int64_t b, std::int64_t e) { sum += e - b; });
    CHECK(sum == 1000);
}

TEST_CASE("callers at the same time and calls inside of calls finish") {
    const four_threads scope;
    std::atomic<std::int64_t> sum{0};
    std::vector<std::thread> callers;
    for (int k = 0; k < 4; ++k)
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round)
                df::core::parallel_for(64, 1, [&](std::int64_t b, std::int64_t e) {
                    for (auto i = b; i < e; ++i) df::core::parallel_for(8, 1, [&](std::int64_t p, std::int64_t q) { sum += q - p; });
                });
        });
    for (auto& t : callers) t.join();
    CHECK(sum == 4 * 50 * 64 * 8);
}
