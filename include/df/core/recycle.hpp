// Small blocks from lists per thread and size: handles and short lists of a repeated call cost no trip to the system.
#pragma once
#include <cstddef>
#include <vector>

#include <df/core/config.hpp>

namespace df::inline DF_ABI::core {
void* take_small(std::size_t bytes);
void give_small(void* p, std::size_t bytes) noexcept;

/// An allocator of std containers.
template <class T> struct recycling {
    using value_type = T;
    recycling() = default;
    template <class U> recycling(const recycling<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(take_small(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) noexcept { give_small(p, n * sizeof(T)); }
    friend bool operator==(const recycling&, const recycling&) { return true; }
};
template <class T> using list = std::vector<T, recycling<T>>;
/// A base for what is made with new.
struct recycled {
    static void* operator new(std::size_t bytes) { return take_small(bytes); }
    static void operator delete(void* p, std::size_t bytes) noexcept { give_small(p, bytes); }
};
}  // namespace df::inline DF_ABI::core

#if DF_IMPL
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define DF_RECYCLES 0   // a recycled block would hide the use of a dead one
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DF_RECYCLES 0
#endif
#endif
#ifndef DF_RECYCLES
#define DF_RECYCLES 1
#endif

namespace df::inline DF_ABI::core {
namespace detail {
struct small_lists {
    static constexpr std::size_t step = 64, classes = 64;   // up to 4096 bytes
    static constexpr int most = 256;                        // blocks kept of a size
    struct link {
        link* next;
    };
    link* first[classes];
    int kept[classes];
    bool closed;   // the thread is ending: what comes now goes back to the system

    // Trivial, so that it can be used until the very end of the thread.
    static small_lists& mine() {
        static thread_local constinit small_lists lists{};
        return lists;
    }
    void drop_all() {
        for (auto& list : first)
            while (list) ::operator delete(static_cast<void*>(std::exchange(list, list->next)));
    }
    struct at_exit {
        ~at_exit() {
            mine().closed = true;
            mine().drop_all();
        }
    };
};
}  // namespace detail
DF_FN void* take_small(std::size_t bytes) {
    const auto c = bytes ? (bytes - 1) / detail::small_lists::step : 0;
    if (!DF_RECYCLES || c >= detail::small_lists::classes) return ::operator new(bytes);
    auto& s = detail::small_lists::mine();
    if (auto* b = s.first[c]) {
        s.first[c] = b->next;
        --s.kept[c];
        return b;
    }
    return ::operator new((c + 1) * detail::small_lists::step);
}
DF_FN void give_small(void* p, std::size_t bytes) noexcept {
    if (!p) return;
    const auto c = bytes ? (bytes - 1) / detail::small_lists::step : 0;
    auto& s = detail::small_lists::mine();
    if (!DF_RECYCLES || c >= detail::small_lists::classes || s.closed || s.kept[c] >= detail::small_lists::most) return ::operator delete(p);
    static thread_local detail::small_lists::at_exit watch;
    static_cast<void>(watch);
    auto* b = static_cast<detail::small_lists::link*>(p);
    b->next = s.first[c];
    s.first[c] = b;
    ++s.kept[c];
}
}  // namespace df::inline DF_ABI::core
#undef DF_RECYCLES
#endif
