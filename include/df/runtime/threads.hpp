// The one thread pool. It is leaked, a caller helps while it waits, and calls from a worker run inline.
#pragma once
#include <df/core/parallel.hpp>

namespace df::inline DF_ABI {
/// Settings of the process.
struct configuration {
    int threads = 0;   // 0: as many as the machine has cores
};
/// Changes settings; safe between calls.
void configure(const configuration& c);

namespace rt {
/// Makes core::parallel_for use the pool.
void use_thread_pool();
}  // namespace rt
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace df::inline DF_ABI {
namespace rt::detail {
class thread_pool {
public:
    static thread_pool& instance() {
        static auto* p = new thread_pool;
        return *p;
    }
    void resize(int n) { wanted_ = n; }

    void run(std::int64_t n, std::int64_t grain, core::range_ref f) {
        const int threads = wanted_ > 0 ? wanted_.load() : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
        const std::int64_t chunk = std::max<std::int64_t>(grain, (n + 4 * threads - 1) / (4 * threads));
        if (inside() || threads < 2 || n <= chunk) return f(0, n);
        const std::unique_lock busy(running_, std::try_to_lock);
        if (!busy) return f(0, n);   // a second caller at the same time works alone
        job j(f, n, chunk);
        {
            std::lock_guard l(m_);
            try {
                for (; workers_ < threads - 1; ++workers_) std::thread([this] { work(); }).detach();
            } catch (const std::system_error&) {   // the system has no more threads: those there are do the work
            }
            job_ = &j;
            ++generation_;
        }
        wake_.notify_all();
        inside() = true;
        j.share();
        inside() = false;
        std::unique_lock l(m_);
        job_ = nullptr;
        done_.wait(l, [&] { return j.helpers == 0; });
        l.unlock();
        if (j.failed) std::rethrow_exception(j.failed);
    }

private:
    struct job {
        job(core::range_ref g, std::int64_t count, std::int64_t c) : f(g), n(count), chunk(c) {}
        core::range_ref f;
        std::int64_t n, chunk;
        std::atomic<std::int64_t> next{0};
        int helpers = 0;                    // guarded by the pool's mutex
        std::mutex m;
        std::exception_ptr failed;
        std::int64_t failed_at = INT64_MAX;   // of several errors the first range's is reported
        void share() {
            for (;;) {
                const auto b = next.fetch_add(chunk);
                if (b >= n) return;
                try {
                    f(b, std::min(n, b + chunk));
                } catch (...) {
                    std::lock_guard l(m);
                    if (b < failed_at) failed = std::current_exception(), failed_at = b;
                }
            }
        }
    };
    static bool& inside() {
        thread_local bool b = false;
        return b;
    }
    void work() {
        inside() = true;
        std::unique_lock l(m_);
        for (std::uint64_t seen = 0;;) {
            wake_.wait(l, [&] { return job_ && generation_ != seen; });
            seen = generation_;
            auto* j = job_;
            ++j->helpers;
            l.unlock();
            j->share();
            l.lock();
            if (--j->helpers == 0) done_.notify_all();
        }
    }
    std::mutex m_, running_;
    std::condition_variable wake_, done_;
    job* job_ = nullptr;
    std::uint64_t generation_ = 0;
    int workers_ = 0;
    std::atomic<int> wanted_{0};
};
}  // namespace rt::detail

DF_FN void configure(const configuration& c) { rt::detail::thread_pool::instance().resize(c.threads); }
DF_FN void rt::use_thread_pool() {
    core::set_parallel([](std::int64_t n, std::int64_t grain, core::range_ref f) { detail::thread_pool::instance().run(n, grain, f); });
}
}  // namespace df::inline DF_ABI
#endif
