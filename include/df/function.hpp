// df::function: trace once per signature, pass, plan, call.
#pragma once
#include <functional>
#include <memory>

#include <df/compile.hpp>
#include <df/trace/signature.hpp>

namespace df::inline DF_ABI {

/// Options of a function.
struct function_options {
    int cache_size = 256;   // signatures kept; the least recently used goes first
};

namespace detail {
/// What is kept of one signature.
struct function_entry {
    ir::traced t;                              // captures: concrete ones are kept alive here
    std::shared_ptr<const void> proto;         // the result's structure
    std::shared_ptr<const ir::program> program;   // made by the first call on concrete values
    bool keep = true;                          // false: it captures values of an enclosing trace
};
/// The cache of one function object; shared by its copies.
class function_cache {
public:
    explicit function_cache(function_options o);
    ~function_cache();
    using signature_key = core::list<std::int64_t>;
    class tracer {   // a reference to a callable
    public:
        template <class F> tracer(const F& f) : f_(&f), call_([](const void* p) { return (*static_cast<const F*>(p))(); }) {}
        std::shared_ptr<function_entry> operator()() const { return call_(f_); }

    private:
        const void* f_;
        std::shared_ptr<function_entry> (*call_)(const void*);
    };
    /// The entry of a signature; traces it by `trace` if it is new. Concurrent first calls give one trace.
    std::shared_ptr<function_entry> find(const signature_key& key, tracer trace, place at);
    /// The results on these arguments: runs the program, or records a call when one is staged.
    ir::values call(function_entry& e, const ir::values& arguments, place at);
    int traces() const;

private:
    struct state;
    std::unique_ptr<state> s_;
};
/// The key of a call: the structure's key, the executor, the mode.
void finish_key(function_cache::signature_key& key);

template <class F> struct function_impl {
    F f;
    place made;
    std::shared_ptr<function_cache> cache;
    function_impl(F g, place at, const function_options& o) : f(std::move(g)), made(at), cache(std::make_shared<function_cache>(o)) {}

    template <class... A> std::shared_ptr<function_entry> entry(place at, collector& c, const A&... a) const {
        static const char tag = 0;   // tells the instantiations of a generic callable apart
        c.key.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&tag)));
        (collect(a, c), ...);
        finish_key(c.key);
        return cache->find(c.key, [&] {
            auto b = trace_body(f, at, a...);
            auto e = std::make_shared<function_entry>();
            e->proto = std::make_shared<decltype(b.proto)>(std::move(b.proto));
            e->t = std::move(b.t);
            return e;
        }, at);
    }
    template <class... A> auto call(place at, const A&... a) const {
        collector c;
        const auto e = entry(at, c, a...);
        const auto out = cache->call(*e, c.found, at);
        return rebuilt(*static_cast<const result_t<F, A...>*>(e->proto.get()), out, at);
    }
    /// How many times the host body has run for a new signature.
    int traces() const { return cache->traces(); }
    /// The raw graph of these arguments' signature, as traced.
    template <class... A> ir::graph_ptr traced(const A&... a) const {
        collector c;
        return entry(made, c, boundary(a)...)->t.g;
    }
    /// The graph after the passes, as it is planned.
    template <class... A> ir::graph_ptr graph(const A&... a) const { return lowered(traced(a...)); }
    /// Every stage of the pipeline for these arguments: name, time, graph.
    template <class... A> std::vector<pass::stage> stages(const A&... a) const {
        std::vector<pass::stage> log;
        lowered(traced(a...), &log);
        return log;
    }
};
template <class F> using function_base = callable<function_impl<F>, F>;
}  // namespace detail

/// A function whose host body runs once per signature (dtypes, sizes, structure, plain numbers) to be traced, then passes
/// and a plan run. Thread-safe. Copies share their cache. `function<R(Args...)>` is the erased form for members and
/// containers.
template <class F> struct function : detail::function_base<F> {
    function(F body, const function_options& o = {}, place at = place::here())
        : detail::function_base<F>(std::move(body), at, o) {}
};
template <class R, class... P> struct function<R(P...)> {
    using df_signature = detail::sig<R, P...>;
    place made;
    function() = default;
    template <class G> requires(!std::same_as<std::remove_cvref_t<G>, function>) function(G g, place at = place::here())
        : made(at), f_([g = std::move(g)](const P&... p, place from) mutable -> R {
              if constexpr (detail::placed_callable<G>) return g(p..., from);
              else return g(p...);
          }) {}
    R operator()(const P&... p, place at = place::here()) const { return f_(p..., at); }
    explicit operator bool() const { return static_cast<bool>(f_); }

private:
    std::function<R(const P&..., place)> f_;
};
template <class F> function(F) -> function<F>;
template <class F> function(F, function_options) -> function<F>;

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <condition_variable>
#include <cstdio>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_map>

#include <df/ops/control.hpp>

namespace df::inline DF_ABI::detail {
struct function_cache::state {
    struct key_hash {
        std::size_t operator()(const signature_key& k) const {
            std::size_t h = 0;
            for (auto x : k) h = ir::mix(h, static_cast<std::size_t>(x));
            return h;
        }
    };
    struct slot {
        std::shared_ptr<function_entry> e;   // null while it is being traced
        std::thread::id tracing;
        std::uint64_t used = 0;
    };
    function_options o;
    std::mutex m;
    std::condition_variable traced;
    std::unordered_map<signature_key, slot, key_hash> all;
    std::uint64_t clock = 0;
    std::atomic<int> traces{0};
    std::mutex planning;
    bool warned = false;
};
DF_FN function_cache::function_cache(function_options o) : s_(new state) { s_->o = o; }
DF_FN function_cache::~function_cache() = default;
DF_FN int function_cache::traces() const { return s_->traces; }

DF_FN void finish_key(function_cache::signature_key& key) {
    key.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&ir::current_executor())) * 2 + host_mode::active());
}
DF_FN std::shared_ptr<function_entry> function_cache::find(const signature_key& key, tracer trace, place at) {
    auto& s = *s_;
    {
        std::unique_lock l(s.m);
        for (;;) {
            auto it = s.all.find(key);
            if (it == s.all.end()) break;
            if (it->second.e) {
                it->second.used = ++s.clock;
                return it->second.e;
            }
            if (it->second.tracing == std::this_thread::get_id())
                throw trace_error("function: it calls itself with the same signature while it is being traced; recurse on host numbers, or use df::while_loop", at);
            s.traced.wait(l);
        }
        s.all[key] = {nullptr, std::this_thread::get_id(), ++s.clock};
    }
    struct forget {   // a failed trace leaves nothing, and lets waiting callers try
        state& s;
        const signature_key& key;
        bool armed = true;
        ~forget() {
            if (!armed) return;
            std::lock_guard l(s.m);
            s.all.erase(key);
            s.traced.notify_all();
        }
    } undo{s, key};
    auto e = trace();
    for (auto& c : e->t.captured) e->keep &= !c.staged();
    const int count = ++s.traces;
    std::lock_guard l(s.m);
    undo.armed = false;
    if (e->keep) s.all[key].e = e;
    else s.all.erase(key);
    if (static_cast<int>(s.all.size()) > std::max(1, s.o.cache_size)) {
        auto oldest = s.all.end();
        for (auto it = s.all.begin(); it != s.all.end(); ++it)
            if (it->second.e && it->second.e != e && (oldest == s.all.end() || it->second.used < oldest->second.used)) oldest = it;
        if (oldest != s.all.end()) s.all.erase(oldest);
    }
    if (count == 16 && e->keep && !s.warned) {
        s.warned = true;
        std::fprintf(stderr, "df: function: traced %d times (%s:%d); a plain number or a size that changes with every call is part of the signature: pass it as a tensor\n", count, at.file, at.line);
    }
    s.traced.notify_all();
    return e;
}
DF_FN ir::values function_cache::call(function_entry& e, const ir::values& arguments, place at) {
    ir::values operands = arguments;
    operands.insert(operands.end(), e.t.captured.begin(), e.t.captured.end());
    bool staged = false;
    for (auto& v : operands) staged |= v.staged();
    if (staged) return ir::emit(op::call, operands, {{"body", std::vector<ir::graph_ptr>{e.t.g}}}, at);
    std::shared_ptr<const ir::program> p;
    {
        std::lock_guard l(s_->planning);
        if (!e.program) e.program = compiled(e.t.g);
        p = e.program;
    }
    return run(*p, operands, at);
}
}  // namespace df::inline DF_ABI::detail
#endif
