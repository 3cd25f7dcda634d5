// The one slot for what runs graphs and single ops. A backend fills it; an empty slot is an error that says how.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <df/ir/graph.hpp>

namespace df::inline DF_ABI::ir {

/// A graph made ready to run; immutable and shared between threads.
struct program {
    virtual ~program() = default;
    virtual core::arrays run(std::span<const core::array> inputs) const = 0;
    /// Planned bytes of intermediates and workspace at once, inputs and outputs apart.
    virtual std::int64_t peak() const = 0;
    virtual std::string text() const = 0;
};

struct executor {
    virtual ~executor() = default;
    virtual const char* name() const = 0;
    /// Runs one op on arrays now. `out` are the result types.
    virtual core::arrays run(const op_def& op, const attrs& at, std::span<const core::array> in,
                                         std::span<const type> out, place where) = 0;
    /// Plans a graph that has been through the passes.
    virtual std::shared_ptr<const program> load(const graph_ptr& g) = 0;
};

/// The executor of this thread's scope, or the process's; throws device_error when there is none.
executor& current_executor();
void set_executor(executor* e);

/// Makes this thread use another executor (null: the process's); returns what it used before.
executor* swap_executor(executor* e);

}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
#include <atomic>

namespace df::inline DF_ABI::ir {
namespace detail {
inline std::atomic<executor*>& process_executor() {
    static std::atomic<executor*> e{nullptr};
    return e;
}
inline executor*& thread_executor() {
    thread_local executor* e = nullptr;
    return e;
}
}  // namespace detail
DF_FN executor& current_executor() {
    if (auto* e = detail::thread_executor()) return *e;
    if (auto* e = detail::process_executor().load(std::memory_order_acquire)) return *e;
    throw device_error("df: nothing can run here: include <df/eigen.hpp> (or <df/df.hpp>) in one file of the program", {});
}
DF_FN void set_executor(executor* e) { detail::process_executor().store(e, std::memory_order_release); }
DF_FN executor* swap_executor(executor* e) { return std::exchange(detail::thread_executor(), e); }
}  // namespace df::inline DF_ABI::ir
#endif
