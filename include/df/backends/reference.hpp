// The reference executor: every op by its record's naive kernel, a graph node by node, without a plan. The oracle of all
// tests.
#pragma once
#include <df/ir/executor.hpp>

namespace df::inline DF_ABI::backends {
/// The one reference executor. `df::reference_mode scope;` uses it until the end of the block.
ir::executor& reference();
}  // namespace df::inline DF_ABI::backends

#if DF_IMPL
#include <df/ir/bind.hpp>
#include <df/ops/control.hpp>
#include <df/runtime/program.hpp>

namespace df::inline DF_ABI::backends {
namespace detail {
using core::arrays;

inline ir::kernel_ptr naive(const ir::site& s) {
    if (!s.op.kernel) throw internal_error(std::string(s.op.name) + ": has no kernel", s.where);
    return s.op.kernel(s);
}
// `learned` collects the sizes that became known inside.
arrays interpret(const ir::graph& g, std::span<const core::array> inputs, ir::binding& learned);

inline core::array block_of(const core::array& a, int axis, std::int64_t first, std::int64_t n, bool keep) {
    auto r = a;
    r.offset += first * a.form.strides.d[axis];
    r.form.dims.d[axis] = n;
    if (!keep) r.form.dims = r.form.dims.without(axis), r.form.strides = r.form.strides.without(axis);
    return r;
}
inline arrays interpret_loop(const ir::node& n, const arrays& in, const std::vector<core::layout>& out, ir::binding& learned) {
    const ir::loop_form f(n.at);
    const auto s = f.slices(), c = static_cast<std::size_t>(f.carries), m = static_cast<std::size_t>(f.sums);
    arrays result;
    for (auto l : out) {   // a size that only the body knows is known after its first trip
        for (auto& d : l.dims) if (is_symbol(d)) d = 0;
        result.emplace_back(l.element, l.dims);
    }
    for (std::size_t k = 0; k < m; ++k) {
        const auto zero = core::scalar(out[c + k].element, 0);
        ops::detail::fill_elements(result[c + k].form, result[c + k].raw(), zero.raw());
    }
    for (std::size_t k = 0; k < c; ++k) result[k] = in[s + k];
    for (std::int64_t first = 0; first < f.count; first += f.block) {
        const auto size = std::min(f.block, f.count - first);
        auto index = core::array(dtype::int64, shape{});
        *index.data<std::int64_t>() = first;
        arrays x{index};
        for (std::size_t k = 0; k < in.size(); ++k)
            x.push_back(k < s ? block_of(in[k], static_cast<int>(f.slice_axes[k]), first, size, f.blocked) : k < s + c ? result[k - s] : in[k]);
        const auto y = interpret(*ir::bind(*f.body, {{f.block_size, size}}), x, learned);
        for (std::size_t k = 0; k < c; ++k) result[k] = y[k];
        for (std::size_t k = 0; k < m; ++k)
            result[c + k] = rt::run_one(naive, op::add, {}, arrays{result[c + k], y[c + k]}, std::vector{ir::type(out[c + k].element, out[c + k].dims)}, n.where)[0];
        for (std::size_t k = c + m; k < y.size(); ++k) {
            if (!out[k].dims.known() && first == 0) {
                const int a = static_cast<int>(f.place_axes[k - c - m]);
                auto dims = f.blocked ? y[k].form.dims.without(a) : y[k].form.dims;
                result[k] = core::array(out[k].element, dims.first(a) + shape{f.count} + dims.from(a));
            }
            const auto to = block_of(result[k], static_cast<int>(f.place_axes[k - c - m]), first, size, f.blocked);
            core::copy_elements(y[k].form, y[k].raw(), to.form, to.raw());
        }
    }
    return result;
}
inline arrays interpret(const ir::graph& given, std::span<const core::array> inputs, ir::binding& learned) {
    auto bound = std::make_shared<const ir::graph>(given);
    core::arrays env(given.values.size());
    for (std::size_t k = 0; k < given.inputs.size(); ++k) env[static_cast<std::size_t>(given.inputs[k])] = inputs[k];
    const auto live = ir::live_nodes(given);
    const auto bind_counts = [&] {   // a symbol is bound as soon as its count exists
        for (auto& s : bound->symbols)
            if (s.count >= 0 && env[static_cast<std::size_t>(s.count)]) {
                learned.emplace_back(s.id, *core::packed(env[static_cast<std::size_t>(s.count)]).data<std::int64_t>());
                bound = ir::bind(*bound, learned);
                return true;
            }
        return false;
    };
    for (std::size_t i = 0; i < given.nodes.size(); ++i) {
        if (!live[i]) continue;
        while (bind_counts()) {}
        const auto n = bound->nodes[i];   // a copy: binding replaces the graph
        arrays in;
        std::vector<core::layout> layouts, out;
        for (auto v : n.in) in.push_back(env[static_cast<std::size_t>(v)]), layouts.push_back(in.back().form);
        for (int k = 0; k < n.count; ++k) out.emplace_back(bound->type_of(n.first + k).element, bound->type_of(n.first + k).dims);
        arrays y;
        if (n.op == &op::loop) {
            const auto before = learned.size();
            y = interpret_loop(n, in, out, learned);
            if (learned.size() > before) bound = ir::bind(*bound, learned);
        } else {
            const plan::node_site site(*bound, n, layouts, out);
            const auto k = naive(site.of(n));
            std::vector<void*> io;
            for (auto& a : in) io.push_back(a.raw());
            for (auto& l : out) {
                y.emplace_back(l.element, l.dims);
                io.push_back(y.back().raw());
            }
            const core::storage ws(k->workspace);
            k->run(io.data(), ws.data());
        }
        for (int k = 0; k < n.count; ++k) env[static_cast<std::size_t>(n.first + k)] = y[static_cast<std::size_t>(k)];
    }
    arrays r;
    for (auto v : given.outputs) r.push_back(env[static_cast<std::size_t>(v)]);
    return r;
}
struct interpreted final : ir::program {
    ir::graph_ptr g;
    core::arrays run(std::span<const core::array> inputs) const override {
        ir::binding learned;
        return interpret(*g, inputs, learned);
    }
    std::int64_t peak() const override { return 0; }
    std::string text() const override { return "interpreted, node by node\n"; }
};
struct reference_executor final : ir::executor {
    const char* name() const override { return "reference"; }
    arrays run(const ir::op_def& op, const ir::attrs& at, std::span<const core::array> in, std::span<const ir::type> out, place where) override {
        return rt::run_one(naive, op, at, in, out, where);
    }
    std::shared_ptr<const ir::program> load(const ir::graph_ptr& g) override {
        auto p = std::make_shared<interpreted>();
        p->g = g;
        return p;
    }
};
}  // namespace detail
DF_FN ir::executor& reference() {
    static auto* e = new detail::reference_executor;
    return *e;
}
}  // namespace df::inline DF_ABI::backends
#endif
