// From a raw graph to a program: passes, then the executor's plan; kept for graphs of equal structure.
#pragma once
#include <memory>
#include <string>

#include <df/ir/emit.hpp>
#include <df/passes/stage.hpp>

namespace df::inline DF_ABI {

namespace ir {
struct executor;
struct program;
}  // namespace ir

/// Runs transforms as plain host code, lane by lane, until the end of the block: for the debugger, and as the oracle of
/// tests. Ops run on the records' naive kernels.
class host_mode {
public:
    host_mode();
    ~host_mode();
    host_mode(const host_mode&) = delete;
    host_mode& operator=(const host_mode&) = delete;
    static bool active();

private:
    ir::executor* executor_;
    bool before_;
};

/// Uses the reference interpreter in place of plans until the end of the block.
class reference_mode {
public:
    reference_mode();
    ~reference_mode();
    reference_mode(const reference_mode&) = delete;
    reference_mode& operator=(const reference_mode&) = delete;

private:
    ir::executor* executor_;
};

namespace detail {
/// The graph after the passes; `log` gets a line per pass.
ir::graph_ptr lowered(const ir::graph_ptr& raw, std::vector<pass::stage>* log = nullptr);
/// A program for the current executor; equal raw graphs share one.
std::shared_ptr<const ir::program> compiled(const ir::graph_ptr& raw);
/// Runs a raw graph on concrete values.
ir::values run(const ir::program& p, const ir::values& inputs, place at);
/// A node that holds graphs: recorded when an operand is staged, else compiled and run now.
ir::values perform(const ir::op_def& op, const ir::values& operands, const ir::attrs& at, place where);
/// Checks every pass's result from now on (tests do).
void verify_passes(bool on);
}  // namespace detail
}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <list>
#include <mutex>

#include <df/backends/reference.hpp>
#include <df/ir/verify.hpp>
#include <df/ir/build.hpp>
#include <df/passes/pipeline.hpp>
#include <df/plan/schedule.hpp>

namespace df::inline DF_ABI {
namespace detail {
inline bool& host_flag() {
    thread_local bool on = false;
    return on;
}
inline std::atomic<bool>& verify_flag() {
    static std::atomic<bool> on{false};
    return on;
}
// Host mode does not vectorize: the interpreter runs loops trip by trip.
inline std::vector<pass::pass_def> passes_now() {
    std::vector<pass::pass_def> list;
    for (auto& p : pass::pipeline()) if (!host_flag() || p.run != pass::vectorize) list.push_back(p);
    return list;
}
}  // namespace detail

DF_FN host_mode::host_mode() : executor_(ir::swap_executor(&backends::reference())), before_(detail::host_flag()) { detail::host_flag() = true; }
DF_FN host_mode::~host_mode() {
    ir::swap_executor(executor_);
    detail::host_flag() = before_;
}
DF_FN bool host_mode::active() { return detail::host_flag(); }
DF_FN reference_mode::reference_mode() : executor_(ir::swap_executor(&backends::reference())) {}
DF_FN reference_mode::~reference_mode() { ir::swap_executor(executor_); }

namespace detail {
DF_FN void verify_passes(bool on) { verify_flag() = on; }
DF_FN ir::graph_ptr lowered(const ir::graph_ptr& raw, std::vector<pass::stage>* log) {
    if (verify_flag()) ir::verify(*raw, "trace");
    return pass::run(passes_now(), raw, {.verify = verify_flag(), .keep = log != nullptr, .log = log});
}
DF_FN std::shared_ptr<const ir::program> compiled(const ir::graph_ptr& raw) {
    struct entry {
        std::size_t h;
        ir::graph_ptr raw;
        const ir::executor* by;
        bool host;
        std::shared_ptr<const ir::program> program;
    };
    static std::mutex m;
    static auto* recent = new std::list<entry>;   // most recent first
    constexpr std::size_t most = 512;
    auto& by = ir::current_executor();
    const auto h = ir::hash(*raw);
    {
        std::lock_guard l(m);
        for (auto it = recent->begin(); it != recent->end(); ++it)
            if (it->h == h && it->by == &by && it->host == host_flag() && ir::equal(*it->raw, *raw)) {
                recent->splice(recent->begin(), *recent, it);
                return it->program;
            }
    }
    auto p = by.load(lowered(raw));
    std::lock_guard l(m);
    recent->push_front({h, raw, &by, host_flag(), p});
    if (recent->size() > most) recent->pop_back();
    return p;
}
DF_FN ir::values run(const ir::program& p, const ir::values& inputs, place at) {
    core::arrays in;
    in.reserve(inputs.size());
    for (auto& v : inputs) in.push_back(ir::array_of(v, "call", at));
    ir::values r;
    for (auto& a : p.run(in)) r.push_back(ir::concrete(std::move(a), at));
    return r;
}
DF_FN ir::values perform(const ir::op_def& op, const ir::values& operands, const ir::attrs& at, place where) {
    for (auto& v : operands) if (v.staged()) return ir::emit(op, operands, at, where);
    std::vector<ir::type> types;
    for (auto& v : operands) types.push_back(v.type());
    const auto t = ir::trace(types, where, [&](const ir::values& in) {
        auto* b = ir::current_builder();
        return b->record(op, in, at, ir::infer(op, types, at, where), where);
    });
    return run(*compiled(t.g), operands, where);
}
}  // namespace detail
}  // namespace df::inline DF_ABI
#endif
