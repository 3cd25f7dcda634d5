// A plan: steps on numbered buffers over one arena. Made from a graph without symbols; loops are steps that hold a plan.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <df/core/array.hpp>
#include <df/ir/graph.hpp>
#include <df/plan/memory.hpp>

namespace df::inline DF_ABI::plan {

/// Where kernels come from: a backend's choice for a site.
using kernel_source = ir::kernel_ptr (*)(const ir::site&);

/// Where a value lies: a buffer, and a layout over it.
struct location {
    int buffer = -1;
    std::int64_t offset = 0;   // in elements
    core::layout form;
};

/// A buffer of the plan and who provides its bytes.
struct storage_slot {
    enum class from : char { input, output, constant, arena };
    from kind = from::arena;
    int index = 0;             // which input, output or constant
    buffer bytes;              // arena and output: how many
};

/// One kernel call: pointers are base + offset.
struct step {
    ir::kernel_ptr run;
    std::vector<std::pair<int, std::int64_t>> io;   // buffer, byte offset
    int workspace = -1;                             // buffer
    const char* name = "";
    place where;
};

/// Where the bytes of the interface lie. Without `out` the plan chooses, and results may be views (see `results`).
struct interface_layouts {
    std::vector<core::layout> in, out;
};

class plan {
public:
    plan(const ir::graph& g, kernel_source kernels, const interface_layouts& layouts);
    /// Bytes of the arena: intermediates and workspace.
    std::int64_t peak() const { return arena_; }
    /// Bytes of each output buffer.
    const std::vector<std::int64_t>& output_bytes() const { return output_bytes_; }
    /// For each output of the graph: where it is.
    const std::vector<location>& results() const { return results_; }
    const storage_slot& slot(int buffer) const { return slots_[static_cast<std::size_t>(buffer)]; }
    const core::array& constant(int k) const { return constants_[static_cast<std::size_t>(k)]; }
    void run(void* const* inputs, void* const* outputs, std::byte* arena) const;
    std::string text() const;
    const std::vector<step>& steps() const { return steps_; }

private:
    friend class planner;
    std::vector<storage_slot> slots_;
    std::vector<step> steps_;
    std::vector<core::array> constants_;
    std::vector<location> results_;
    std::vector<std::int64_t> output_bytes_;
    std::int64_t arena_ = 0;
};

/// The layouts of a node's operands or results with lane axes aligned: `all` first, stride 0 where absent.
core::layout aligned(const core::layout& l, const ir::type& t, const ir::lane_list& all, const shape& lane_sizes);

/// What a kernel or view of a node is asked with.
struct node_site {
    std::vector<core::layout> in, out;
    int lanes = 0;
    node_site(const ir::graph& g, const ir::node& n, std::vector<core::layout> in_layouts, std::vector<core::layout> out_layouts);
    ir::site of(const ir::node& n) const { return {*n.op, n.at, in, out, lanes, n.where}; }
};

}  // namespace df::inline DF_ABI::plan

#if DF_IMPL
#include <df/ir/constant.hpp>
#include <df/ir/loop.hpp>
#include <df/plan/loop.hpp>

namespace df::inline DF_ABI::plan {

DF_FN core::layout aligned(const core::layout& l, const ir::type& t, const ir::lane_list& all, const shape& lane_sizes) {
    if (!all.n) return l;
    core::layout r;
    r.element = l.element;
    for (int i = 0; i < all.n; ++i) {
        const int p = t.lanes.position(all.id[i]);
        r.dims.push_back(lane_sizes.d[i]);
        r.strides.push_back(p < 0 ? 0 : l.strides.d[p]);
    }
    r.dims = r.dims + l.dims.from(t.lanes.n);
    r.strides = r.strides + l.strides.from(t.lanes.n);
    return r;
}
DF_FN node_site::node_site(const ir::graph& g, const ir::node& n, std::vector<core::layout> in_layouts, std::vector<core::layout> out_layouts)
    : in(std::move(in_layouts)), out(std::move(out_layouts)) {
    if (n.op->moves_lanes) return;
    ir::lane_list all;
    shape sizes;
    for (auto v : n.in) for (int i = 0; i < g.type_of(v).lanes.n; ++i) all.insert(g.type_of(v).lanes.id[i]);
    lanes = all.n;
    if (!lanes) return;
    sizes.n = all.n;
    for (auto v : n.in) {
        const auto& t = g.type_of(v);
        for (int i = 0; i < t.lanes.n; ++i) sizes.d[all.position(t.lanes.id[i])] = t.dims.d[i];
    }
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = aligned(in[k], g.type_of(n.in[k]), all, sizes);
}

DF_FN void plan::run(void* const* inputs, void* const* outputs, std::byte* arena) const {
    void* small[64];
    core::list<void*> large;
    void** base = small;
    if (slots_.size() > 64) {
        large.resize(slots_.size());
        base = large.data();
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto& s = slots_[i];
        const auto k = static_cast<std::size_t>(s.index);
        switch (s.kind) {
            case storage_slot::from::input: base[i] = inputs[k]; break;
            case storage_slot::from::output: base[i] = outputs[k]; break;
            case storage_slot::from::constant: base[i] = constants_[k].raw(); break;
            case storage_slot::from::arena: base[i] = arena + s.bytes.offset; break;
        }
    }
    void* io[32];
    core::list<void*> many;
    for (auto& s : steps_) {
        void** p = io;
        if (s.io.size() > 32) {
            many.resize(s.io.size());
            p = many.data();
        }
        for (std::size_t k = 0; k < s.io.size(); ++k) p[k] = static_cast<std::byte*>(base[s.io[k].first]) + s.io[k].second;
        s.run->run(p, s.workspace < 0 ? nullptr : static_cast<std::byte*>(base[s.workspace]));
    }
}
DF_FN std::string plan::text() const {
    std::string r;
    for (auto& s : steps_) {
        r += s.name;
        for (auto& [b, o] : s.io) {
            const auto& slot = slots_[static_cast<std::size_t>(b)];
            const char* kinds[] = {"in", "out", "const", "arena"};
            const auto n = slot.kind == storage_slot::from::arena ? slot.bytes.offset + o : slot.index;
            r += std::string(" ") + kinds[static_cast<int>(slot.kind)] + std::to_string(n);
        }
        r += "\n";
    }
    return r + "peak " + std::to_string(arena_) + "\n";
}

/// Builds a plan: places values, chooses kernels, then numbers the arena.
class planner {
public:
    planner(plan& p, const ir::graph& g, kernel_source kernels, const interface_layouts& layouts)
        : p_(p), g_(g), kernels_(kernels), layouts_(layouts), where_(g.values.size()) {
        for (std::size_t k = 0; k < g.inputs.size(); ++k) {
            const auto& t = g.type_of(g.inputs[k]);
            at(g.inputs[k]) = {slot(storage_slot::from::input, static_cast<int>(k), 0), 0, layouts.in.empty() ? core::layout(t.element, t.dims) : layouts.in[k]};
        }
        const auto live = ir::live_nodes(g);
        for (std::size_t i = 0; i < g.nodes.size(); ++i) if (live[i]) add(g.nodes[i]);
        layouts.out.empty() ? own_results() : given_results();
        share_in_place();
        number();
    }

private:
    location& at(int v) { return where_[static_cast<std::size_t>(v)]; }
    int slot(storage_slot::from kind, int index, std::int64_t bytes) {
        storage_slot s{kind, index, {bytes, static_cast<int>(p_.steps_.size()), static_cast<int>(p_.steps_.size()), 0}};
        p_.slots_.push_back(s);
        return static_cast<int>(p_.slots_.size()) - 1;
    }
    storage_slot& slot_of(int b) { return p_.slots_[static_cast<std::size_t>(b)]; }
    location fresh(const ir::type& t) {
        core::layout l(t.element, t.dims);
        return {slot(storage_slot::from::arena, 0, static_cast<std::int64_t>(l.bytes())), 0, l};
    }
    void call(ir::kernel_ptr k, const std::vector<location>& io, const char* name, place where, bool in_place) {
        step s;
        if (k->workspace) s.workspace = slot(storage_slot::from::arena, 0, static_cast<std::int64_t>(k->workspace));
        s.run = std::move(k);
        for (auto& l : io) s.io.emplace_back(l.buffer, l.offset * static_cast<std::int64_t>(size_of(l.form.element)));
        s.name = name;
        s.where = where;
        p_.steps_.push_back(std::move(s));
        in_place_.push_back(in_place ? io : std::vector<location>{});
    }
    void copy(const location& from, const location& to, place where) {
        auto k = std::make_unique<copy_step>();
        k->from = from.form;
        k->to = to.form;
        call(std::move(k), {from, to}, "copy", where, false);
    }
    void add(const ir::node& n) {
        if (n.op == &op::constant) {
            const auto& a = n.at.data("value");
            p_.constants_.push_back(a);
            at(n.first) = {slot(storage_slot::from::constant, static_cast<int>(p_.constants_.size()) - 1, 0), 0, a.form};
            return;
        }
        std::vector<location> io;
        std::vector<core::layout> in, out;
        for (auto v : n.in) io.push_back(at(v)), in.push_back(at(v).form);
        for (int k = 0; k < n.count; ++k) out.emplace_back(g_.type_of(n.first + k).element, g_.type_of(n.first + k).dims);
        node_site site(g_, n, in, out);
        if (n.op->view) {
            std::int64_t offset = 0;
            auto l = site.out[0];
            if (n.op->view(site.of(n), l, offset)) {
                at(n.first) = {io[0].buffer, io[0].offset + offset, l};
                return;
            }
        }
        for (int k = 0; k < n.count; ++k) {
            at(n.first + k) = fresh(g_.type_of(n.first + k));
            io.push_back(at(n.first + k));
        }
        auto kernel = n.op == &op::loop ? loop_kernel(n, site.in, site.out, kernels_) : kernels_(site.of(n));
        call(std::move(kernel), io, n.op->name, n.where, n.op->in_place && n.count == 1);
    }
    // Top level: a result keeps its buffer when it fills most of it; inputs and constants are returned as views of them.
    void own_results() {
        for (auto v : g_.outputs) {
            auto l = at(v);
            auto& s = slot_of(l.buffer);
            if (s.kind == storage_slot::from::arena) {
                if (static_cast<std::int64_t>(l.form.bytes()) * 2 >= s.bytes.bytes) {
                    s.kind = storage_slot::from::output;
                    s.index = static_cast<int>(p_.output_bytes_.size());
                    p_.output_bytes_.push_back(s.bytes.bytes);
                } else {
                    location to = fresh(g_.type_of(v));
                    copy(l, to, g_.values[static_cast<std::size_t>(v)].at);
                    slot_of(to.buffer).kind = storage_slot::from::output;
                    slot_of(to.buffer).index = static_cast<int>(p_.output_bytes_.size());
                    p_.output_bytes_.push_back(slot_of(to.buffer).bytes.bytes);
                    l = to;
                }
            }
            p_.results_.push_back(l);
        }
    }
    // Inside a loop: results have places already. A buffer that is exactly a contiguous place becomes it, else a copy.
    void given_results() {
        for (std::size_t k = 0; k < g_.outputs.size(); ++k) {
            const auto v = g_.outputs[k];
            const auto l = at(v);
            const auto& want = layouts_.out[k];
            auto& s = slot_of(l.buffer);
            const bool whole = s.kind == storage_slot::from::arena && l.offset == 0 && l.form.contiguous() && want.contiguous() &&
                               static_cast<std::int64_t>(l.form.bytes()) == s.bytes.bytes && l.form.element == want.element;
            if (whole) {
                s.kind = storage_slot::from::output;
                s.index = static_cast<int>(k);
            } else {
                copy(l, {slot(storage_slot::from::output, static_cast<int>(k), 0), 0, want}, g_.values[static_cast<std::size_t>(v)].at);
            }
            p_.results_.push_back(l);
        }
    }
    std::vector<int> last_uses() const {
        std::vector<int> last(p_.slots_.size(), -1);
        for (std::size_t i = 0; i < p_.steps_.size(); ++i) {
            for (auto& [b, o] : p_.steps_[i].io) last[static_cast<std::size_t>(b)] = static_cast<int>(i);
            if (p_.steps_[i].workspace >= 0) last[static_cast<std::size_t>(p_.steps_[i].workspace)] = static_cast<int>(i);
        }
        return last;
    }
    // An elementwise step writes over an operand that dies there and lies exactly as the result does.
    void share_in_place() {
        const auto last = last_uses();
        std::vector<int> now(p_.slots_.size());
        for (std::size_t b = 0; b < now.size(); ++b) now[b] = static_cast<int>(b);
        std::vector<int> until = last;
        for (std::size_t i = 0; i < p_.steps_.size(); ++i) {
            const auto& io = in_place_[i];
            if (!io.empty()) {
                const auto& to = io.back();
                if (slot_of(to.buffer).kind == storage_slot::from::arena)
                    for (std::size_t k = 0; k + 1 < io.size(); ++k) {
                        const int b = now[static_cast<std::size_t>(io[k].buffer)];
                        const auto& from = io[k];
                        bool twice = false;
                        for (std::size_t j = 0; j + 1 < io.size(); ++j) twice |= j != k && now[static_cast<std::size_t>(io[j].buffer)] == b;
                        if (slot_of(b).kind != storage_slot::from::arena || until[static_cast<std::size_t>(b)] != static_cast<int>(i) || twice) continue;
                        if (from.offset || !from.form.contiguous() || from.form.dims != to.form.dims || size_of(from.form.element) != size_of(to.form.element)) continue;
                        if (slot_of(b).bytes.bytes != slot_of(to.buffer).bytes.bytes) continue;
                        now[static_cast<std::size_t>(to.buffer)] = b;
                        until[static_cast<std::size_t>(b)] = last[static_cast<std::size_t>(to.buffer)];
                        break;
                    }
            }
            for (auto& [b, o] : p_.steps_[i].io) b = now[static_cast<std::size_t>(b)];
        }
        for (auto& l : p_.results_) l.buffer = now[static_cast<std::size_t>(l.buffer)];
    }
    void number() {
        const auto last = last_uses();
        std::vector<int> first(p_.slots_.size(), -1);
        for (std::size_t i = p_.steps_.size(); i-- > 0;) {
            for (auto& [b, o] : p_.steps_[i].io) first[static_cast<std::size_t>(b)] = static_cast<int>(i);
            if (p_.steps_[i].workspace >= 0) first[static_cast<std::size_t>(p_.steps_[i].workspace)] = static_cast<int>(i);
        }
        std::vector<buffer*> arena;
        for (std::size_t b = 0; b < p_.slots_.size(); ++b) {
            auto& s = p_.slots_[b];
            s.bytes.first = first[b];
            s.bytes.last = last[b];
            if (s.kind == storage_slot::from::arena && first[b] >= 0) arena.push_back(&s.bytes);
        }
        p_.arena_ = place_buffers(std::move(arena));
    }

    plan& p_;
    const ir::graph& g_;
    kernel_source kernels_;
    const interface_layouts& layouts_;
    std::vector<location> where_;
    std::vector<std::vector<location>> in_place_;   // per step: operands and result when it may write over one
};

DF_FN plan::plan(const ir::graph& g, kernel_source kernels, const interface_layouts& layouts) { planner(*this, g, kernels, layouts); }

}  // namespace df::inline DF_ABI::plan
#endif
