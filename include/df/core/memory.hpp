// Where the bytes of arrays come from: a pool that recycles blocks, so that a repeated call touches no new page.
#pragma once
#include <cstddef>
#include <cstdint>

#include <df/core/config.hpp>

namespace df::inline DF_ABI {

/// Counters of the pool; all in bytes but the last two.
struct memory_statistics {
    std::int64_t live = 0;          // handed out now
    std::int64_t peak = 0;          // most ever live since the last reset
    std::int64_t system_calls = 0;  // blocks taken from the operating system so far
    std::int64_t blocks = 0;        // blocks handed out so far
};

/// A snapshot of the pool's counters.
memory_statistics memory_stats();
/// Starts a new measurement of the peak.
void reset_peak();
/// Gives recycled blocks back to the system.
void release_memory();

namespace core {
inline constexpr std::size_t alignment = 64;
/// `bytes` aligned to 64; throws memory_error (without a place) when the system has no more.
std::byte* allocate(std::size_t bytes);
void deallocate(std::byte* p, std::size_t bytes) noexcept;
}  // namespace core
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include <df/core/error.hpp>

namespace df::inline DF_ABI {
namespace core::detail {
// Blocks are kept in size classes, four to a power of two: at most a quarter of a block is wasted.
inline constexpr int classes = 4 * 48;
constexpr int class_of(std::size_t bytes) {
    const std::size_t b = bytes < 256 ? 256 : bytes;
    const int p = static_cast<int>(std::bit_width(b - 1)) - 1;                        // 2^p < b <= 2^(p+1), counted in quarters
    const std::size_t quarter = std::size_t{1} << (p - 2);
    return 4 * p + static_cast<int>((b - 1 - (std::size_t{1} << p)) / quarter);
}
constexpr std::size_t class_bytes(int c) {
    const int p = c / 4;
    return (std::size_t{1} << p) + (static_cast<std::size_t>(c % 4) + 1) * (std::size_t{1} << (p - 2));
}
struct pool {
    std::mutex m;
    std::vector<std::byte*> free[classes];
    std::size_t kept = 0;
    std::atomic<std::int64_t> live{0}, peak{0}, system_calls{0}, blocks{0};
    static constexpr std::size_t most_kept = std::size_t{8} << 30;

    static pool& instance() {
        static pool* p = new pool;   // leaked: arrays may outlive every static object
        return *p;
    }
    void drop_all() {
        std::lock_guard l(m);
        for (auto& list : free) {
            for (auto* b : list) ::operator delete(b, std::align_val_t{alignment});
            list.clear();
        }
        kept = 0;
    }
};
}  // namespace core::detail

DF_FN memory_statistics memory_stats() {
    auto& p = core::detail::pool::instance();
    return {p.live, p.peak, p.system_calls, p.blocks};
}
DF_FN void reset_peak() {
    auto& p = core::detail::pool::instance();
    p.peak = p.live.load();
}
DF_FN void release_memory() { core::detail::pool::instance().drop_all(); }

namespace core {
DF_FN std::byte* allocate(std::size_t bytes) {
    auto& p = detail::pool::instance();
    if (bytes > (std::size_t{1} << 46)) throw memory_error("memory: " + std::to_string(bytes) + " bytes are more than any machine has", {});
    const int c = detail::class_of(bytes);
    std::byte* b = nullptr;
    {
        std::lock_guard l(p.m);
        if (auto& list = p.free[c]; !list.empty()) {
            b = list.back();
            list.pop_back();
            p.kept -= detail::class_bytes(c);
        }
    }
    if (!b) {
        const auto take = [&] { return static_cast<std::byte*>(::operator new(detail::class_bytes(c), std::align_val_t{alignment}, std::nothrow)); };
        b = take();
        if (!b) {
            p.drop_all();
            b = take();
        }
        if (!b) throw memory_error("memory: the system has no block of " + std::to_string(bytes) + " bytes", {});
        ++p.system_calls;
    }
    ++p.blocks;
    const auto now = p.live += static_cast<std::int64_t>(bytes);
    for (auto was = p.peak.load(); now > was && !p.peak.compare_exchange_weak(was, now);) {}
    return b;
}
DF_FN void deallocate(std::byte* b, std::size_t bytes) noexcept {
    if (!b) return;
    auto& p = detail::pool::instance();
    const int c = detail::class_of(bytes);
    p.live -= static_cast<std::int64_t>(bytes);
    std::lock_guard l(p.m);
    if (p.kept + detail::class_bytes(c) > detail::pool::most_kept) return ::operator delete(b, std::align_val_t{alignment});
    p.free[c].push_back(b);
    p.kept += detail::class_bytes(c);
}
}  // namespace core
}  // namespace df::inline DF_ABI
#endif
