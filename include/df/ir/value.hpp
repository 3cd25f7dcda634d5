// The handle behind every tensor: an array that exists, or an output of a node of the graph being traced.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include <df/core/array.hpp>
#include <df/core/error.hpp>
#include <df/ir/lanes.hpp>

namespace df::inline DF_ABI::ir {

/// What is known of a value before it exists. `dims` begins with one size per lane axis.
struct type {
    dtype element = dtype::float32;
    shape dims;
    lane_list lanes;
    std::int8_t device = 0;          // index of the device that holds it
    std::uint8_t properties = 0;     // symmetric, triangular …: bits, 0 says nothing

    type() = default;
    type(dtype t, const shape& s) : element(t), dims(s) {}
    /// The sizes one lane sees.
    shape own() const { return lanes.n ? dims.from(lanes.n) : dims; }
    int own_rank() const { return dims.n - lanes.n; }
    friend bool operator==(const type&, const type&) = default;
};
std::string to_text(const type& t);   // "float[3, 4]"

/// What a handle points to; immutable.
struct cell : core::recycled {
    mutable std::atomic<int> uses{1};
    type t;
    place at;
    core::array data;            // concrete: the array
    std::uint64_t trace = 0;     // staged: the number of its trace, never 0
    int id = -1;                 // staged: its number in that trace
    mutable core::array packed;          // concrete and strided: a packed copy, made when a user asks for a pointer
    bool literal = false;        // a number written in the program: becomes a constant of the graph
};

/// A cheap counted handle to a cell; empty by default.
class value {
public:
    value() = default;
    explicit value(cell* adopted) : c_(adopted) {}
    value(const value& o) noexcept : c_(o.c_) { if (c_) c_->uses.fetch_add(1, std::memory_order_relaxed); }
    value(value&& o) noexcept : c_(std::exchange(o.c_, nullptr)) {}
    value& operator=(value o) noexcept { std::swap(c_, o.c_); return *this; }
    ~value() { if (c_) drop(c_); }

    explicit operator bool() const { return c_; }
    const cell* operator->() const { return c_; }
    const cell& operator*() const { return *c_; }
    bool staged() const { return c_ && c_->trace; }
    const ir::type& type() const { return c_->t; }
    const shape& dims() const { return c_->t.dims; }
    dtype element() const { return c_->t.element; }
    int rank() const { return c_->t.own_rank(); }
    friend bool operator==(const value& a, const value& b) { return a.c_ == b.c_; }

private:
    static void drop(const cell* c) noexcept;
    const cell* c_ = nullptr;
};
using values = core::list<value>;

/// A concrete value that owns `a`.
value concrete(core::array a, place at = {});
/// A number written in the program, as a scalar of type `t`.
value literal(dtype t, double x, place at = {});
value literal(dtype t, std::int64_t x, place at = {});

/// Throws trace_error, naming `who` and where the value was made, unless `v` is concrete.
const core::array& array_of(const value& v, const char* who, place at);

}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
namespace df::inline DF_ABI::ir {
DF_FN void value::drop(const cell* c) noexcept {
    if (c->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) delete c;
}
DF_FN std::string to_text(const type& t) {
    std::string r = name_of(t.element);
    if (!t.lanes.n) return r + df::to_text(t.dims);
    const auto lanes = df::to_text(t.dims.first(t.lanes.n)), own = df::to_text(t.own());
    return r + lanes.substr(0, lanes.size() - 1) + " | " + own.substr(1);
}
DF_FN value concrete(core::array a, place at) {
    auto* c = new cell;
    c->t = type(a.form.element, a.form.dims);
    c->at = at;
    c->data = std::move(a);
    return value(c);
}
namespace detail {
template <class X> value literal_of(dtype t, X x, place at) {
    core::array a(t, shape{});
    with_type(t, [&](auto z) { *a.data<decltype(z)>() = static_cast<decltype(z)>(x); });
    auto* c = new cell;
    c->t = type(t, shape{});
    c->at = at;
    c->data = std::move(a);
    c->literal = true;
    return value(c);
}
}  // namespace detail
DF_FN value literal(dtype t, double x, place at) { return detail::literal_of(t, x, at); }
DF_FN value literal(dtype t, std::int64_t x, place at) { return detail::literal_of(t, x, at); }
DF_FN const core::array& array_of(const value& v, const char* who, place at) {
    if (!v) throw trace_error(std::string(who) + ": the tensor is empty: it was default-constructed or moved from; give it a value first", at);
    if (v.staged())
        throw trace_error(std::string(who) + ": the value is staged (made at " + v->at.file + ":" + std::to_string(v->at.line) +
                          "): it has no number while the function is being traced; return it from the function, or use df::cond, "
                          "df::where or df::while_loop to decide on it", at);
    return v->data;
}
}  // namespace df::inline DF_ABI::ir
#endif
