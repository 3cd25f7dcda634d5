// Splitting work over threads: the slot that a thread pool fills. Without one everything runs in the calling thread.
#pragma once
#include <cstdint>

#include <df/core/config.hpp>

namespace df::inline DF_ABI::core {

/// A reference to a callable (begin, end) -> void.
class range_ref {
public:
    template <class F> range_ref(const F& f) : f_(&f), call_([](const void* p, std::int64_t b, std::int64_t e) { (*static_cast<const F*>(p))(b, e); }) {}
    void operator()(std::int64_t begin, std::int64_t end) const { call_(f_, begin, end); }

private:
    const void* f_;
    void (*call_)(const void*, std::int64_t, std::int64_t);
};

/// Calls f on disjoint ranges that cover 0 … n-1, each of about `grain` elements or more; returns when all are done.
/// An exception of f reaches the caller. Calls from a worker run in that worker.
void parallel_for(std::int64_t n, std::int64_t grain, range_ref f);

using parallel_fn = void (*)(std::int64_t n, std::int64_t grain, range_ref f);
void set_parallel(parallel_fn f);

}  // namespace df::inline DF_ABI::core

#if DF_IMPL
#include <atomic>

namespace df::inline DF_ABI::core {
namespace detail {
inline std::atomic<parallel_fn>& parallel_slot() {
    static std::atomic<parallel_fn> f{nullptr};
    return f;
}
}  // namespace detail
DF_FN void set_parallel(parallel_fn f) { detail::parallel_slot() = f; }
DF_FN void parallel_for(std::int64_t n, std::int64_t grain, range_ref f) {
    auto* p = n > grain ? detail::parallel_slot().load(std::memory_order_acquire) : nullptr;
    if (p) p(n, grain, f);
    else if (n > 0) f(0, n);
}
}  // namespace df::inline DF_ABI::core
#endif
