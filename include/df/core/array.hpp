// Arrays: counted storage, and a strided view of it. Strides are first class here and invisible to users.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <df/core/convert.hpp>
#include <df/core/dtype.hpp>
#include <df/core/error.hpp>
#include <df/core/move.hpp>
#include <df/core/memory.hpp>
#include <df/core/recycle.hpp>
#include <df/core/shape.hpp>

namespace df::inline DF_ABI::core {

/// How elements lie in memory: sizes, and strides in elements (0 repeats, negative runs backwards).
struct layout {
    dtype element = dtype::float32;
    shape dims;
    shape strides;

    layout() = default;
    layout(dtype t, const shape& s) : element(t), dims(s), strides(df::contiguous(s)) {}
    layout(dtype t, const shape& s, const shape& st) : element(t), dims(s), strides(st) {}
    int rank() const { return dims.n; }
    std::int64_t elements() const { return dims.elements(); }
    std::size_t bytes() const { return static_cast<std::size_t>(elements()) * size_of(element); }
    bool contiguous() const;
    friend bool operator==(const layout&, const layout&) = default;
};

/// Counted bytes. Foreign memory comes with a release function.
class storage {
public:
    storage() = default;
    explicit storage(std::size_t bytes);
    storage(void* foreign, void (*release)(void*), void* owner);
    storage(const storage& o) noexcept : b_(o.b_) { if (b_) b_->uses.fetch_add(1, std::memory_order_relaxed); }
    storage(storage&& o) noexcept : b_(std::exchange(o.b_, nullptr)) {}
    storage& operator=(storage o) noexcept { std::swap(b_, o.b_); return *this; }
    ~storage() { if (b_) drop(b_); }
    std::byte* data() const { return b_ ? b_->bytes : nullptr; }
    explicit operator bool() const { return b_; }
    bool sole() const { return b_ && b_->uses.load(std::memory_order_acquire) == 1; }
    friend bool operator==(const storage&, const storage&) = default;

private:
    struct block : recycled {
        std::atomic<int> uses{1};
        std::byte* bytes = nullptr;
        std::size_t size = 0;
        void (*release)(void*) = nullptr;
        void* owner = nullptr;
    };
    static void drop(block*) noexcept;
    block* b_ = nullptr;
};

/// A strided view of counted storage. Immutable once it is shared.
struct array {
    layout form;
    storage bytes;
    std::int64_t offset = 0;   // in elements

    array() = default;
    array(dtype t, const shape& s) : form(t, s), bytes(form.bytes()) {}
    array(layout f, storage b, std::int64_t o = 0) : form(std::move(f)), bytes(std::move(b)), offset(o) {}
    std::byte* raw() const { return bytes.data() + offset * static_cast<std::int64_t>(size_of(form.element)); }
    template <class T> T* data() const { return reinterpret_cast<T*>(raw()); }
    std::int64_t elements() const { return form.elements(); }
    explicit operator bool() const { return static_cast<bool>(bytes); }
};

using arrays = list<array>;

/// The array itself when it is contiguous, else a packed copy.
array packed(const array& a);
/// Copies elements from one layout to another of equal sizes, converting the element type.
void copy_elements(const layout& from, const std::byte* src, const layout& to, std::byte* dst);
/// A scalar array.
array scalar(dtype t, double x);
/// The number of elements of `s`, or an overflow or negative size reported as memory_error / shape_error with `who`.
std::int64_t checked_elements(const shape& s, dtype t, const char* who, place at = {});

}  // namespace df::inline DF_ABI::core

#if DF_IMPL
#include <string>

namespace df::inline DF_ABI::core {

DF_FN bool layout::contiguous() const {
    std::int64_t k = 1;
    for (int i = dims.n - 1; i >= 0; --i) {
        if (dims.d[i] == 0) return true;
        if (dims.d[i] != 1 && strides.d[i] != k) return false;
        k *= dims.d[i];
    }
    return true;
}

DF_FN storage::storage(std::size_t bytes) : b_(new block) {
    b_->size = bytes ? bytes : 1;
    try {
        b_->bytes = allocate(b_->size);
    } catch (...) {
        delete b_;
        throw;
    }
}
DF_FN storage::storage(void* foreign, void (*release)(void*), void* owner) : b_(new block) {
    b_->bytes = static_cast<std::byte*>(foreign);
    b_->release = release;
    b_->owner = owner;
}
DF_FN void storage::drop(block* b) noexcept {
    if (b->uses.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (b->size) deallocate(b->bytes, b->size);
    else if (b->release) b->release(b->owner);
    delete b;
}

namespace detail {
// Walks two layouts of equal sizes row by row; f(src offset, src stride, dst offset, dst stride, n).
template <class F> void rows(const layout& a, const layout& b, F f) {
    const int r = a.rank();
    if (a.elements() == 0) return;
    if (r == 0) return f(std::int64_t{0}, std::int64_t{1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{1});
    shape at;
    at.n = r;
    std::int64_t p = 0, q = 0;
    for (;;) {
        f(p, a.strides.d[r - 1], q, b.strides.d[r - 1], a.dims.d[r - 1]);
        int k = r - 2;
        for (; k >= 0; --k) {
            p += a.strides.d[k];
            q += b.strides.d[k];
            if (++at.d[k] < a.dims.d[k]) break;
            p -= a.strides.d[k] * a.dims.d[k];
            q -= b.strides.d[k] * a.dims.d[k];
            at.d[k] = 0;
        }
        if (k < 0) return;
    }
}
}  // namespace detail

DF_FN void copy_elements(const layout& from, const std::byte* src, const layout& to, std::byte* dst) {
    if (from.element == to.element) return move_elements(size_of(to.element), to.dims, from.strides, src, to.strides, dst);
    const auto x = static_cast<std::int64_t>(size_of(from.element)), y = static_cast<std::int64_t>(size_of(to.element));
    detail::rows(from, to, [&](std::int64_t p, std::int64_t sp, std::int64_t q, std::int64_t sq, std::int64_t n) {
        convert_span(from.element, src + p * x, sp, to.element, dst + q * y, sq, n);
    });
}
DF_FN array packed(const array& a) {
    if (a.form.contiguous()) return a;
    array r(a.form.element, a.form.dims);
    copy_elements(a.form, a.raw(), r.form, r.raw());
    return r;
}
DF_FN array scalar(dtype t, double x) {
    array r(t, shape{});
    with_type(t, [&](auto z) { *r.data<decltype(z)>() = static_cast<decltype(z)>(x); });
    return r;
}
DF_FN std::int64_t checked_elements(const shape& s, dtype t, const char* who, place at) {
    std::int64_t n = static_cast<std::int64_t>(size_of(t)), most = std::int64_t{1} << 46;
    bool none = false;
    for (auto d : s) {
        if (d < 0 && !is_symbol(d)) throw shape_error(std::string(who) + ": a size is negative: " + to_text(s) + "; sizes are 0 or more", at);
        none |= d == 0;
    }
    if (none) return 0;
    for (auto d : s) {
        if (d > 0 && n > most / d) throw memory_error(std::string(who) + ": " + to_text(s) + " of " + name_of(t) + " does not fit into memory; give smaller sizes", at);
        if (d > 0) n *= d;
    }
    return n / static_cast<std::int64_t>(size_of(t));
}
}  // namespace df::inline DF_ABI::core
#endif
