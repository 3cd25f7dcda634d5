// Programs: a plan ready to be called. Graphs with symbols get one plan per binding, kept for the last few.
#pragma once
#include <memory>
#include <mutex>

#include <df/ir/bind.hpp>
#include <df/ir/executor.hpp>
#include <df/plan/plan.hpp>

namespace df::inline DF_ABI::rt {

/// A graph planned for one backend's kernels.
class planned_program final : public ir::program {
public:
    planned_program(ir::graph_ptr g, plan::kernel_source kernels);
    core::arrays run(std::span<const core::array> inputs) const override;
    std::int64_t peak() const override;
    std::string text() const override;

private:
    using plan_ptr = std::shared_ptr<const plan::plan>;
    plan_ptr plan_for(std::span<const core::array> inputs) const;
    core::arrays call(const plan::plan& p, std::span<const core::array> inputs) const;

    ir::graph_ptr graph_;
    plan::kernel_source kernels_;
    plan_ptr plan_;                                              // no symbols
    std::vector<std::unique_ptr<planned_program>> counts_;       // programs that compute the symbols, in order
    mutable std::mutex m_;
    mutable std::vector<std::pair<ir::binding, plan_ptr>> recent_;
};

/// Peak of the last program run on this thread: planned bytes of its arena.
std::int64_t& last_peak();

/// Runs one op on arrays by `kernels`: a view without copying where the record has one.
core::arrays run_one(plan::kernel_source kernels, const ir::op_def& op, const ir::attrs& at, std::span<const core::array> in,
                                 std::span<const ir::type> out, place where);

}  // namespace df::inline DF_ABI::rt

#if DF_IMPL
#include <df/ir/rewrite.hpp>

namespace df::inline DF_ABI::rt {
DF_FN std::int64_t& last_peak() {
    thread_local std::int64_t p = 0;
    return p;
}
DF_FN planned_program::planned_program(ir::graph_ptr g, plan::kernel_source kernels) : graph_(std::move(g)), kernels_(kernels) {
    if (graph_->symbols.empty()) {
        plan_ = std::make_shared<plan::plan>(*graph_, kernels, plan::interface_layouts{});
        return;
    }
    for (std::size_t k = 0; k < graph_->symbols.size(); ++k) {
        auto part = std::make_shared<ir::graph>(*graph_);
        part->outputs = {graph_->symbols[k].count};
        part->symbols.resize(k);   // a count may depend on earlier symbols only
        counts_.push_back(std::make_unique<planned_program>(ir::rewrite(*part, [](ir::rewriter&, const ir::node&) { return ir::values{}; }), kernels));
    }
}
DF_FN planned_program::plan_ptr planned_program::plan_for(std::span<const core::array> inputs) const {
    if (plan_) return plan_;
    ir::binding b;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
        const auto n = *counts_[k]->run(inputs)[0].data<std::int64_t>();
        if (n < 0) throw shape_error("pfor: the number of lanes is " + std::to_string(n) + "; give 0 or more", graph_->values[static_cast<std::size_t>(graph_->symbols[k].count)].at);
        b.emplace_back(graph_->symbols[k].id, n);
    }
    std::lock_guard l(m_);
    for (auto& [known, p] : recent_) if (known == b) return p;
    auto p = std::make_shared<plan::plan>(*ir::bind(*graph_, b), kernels_, plan::interface_layouts{});
    if (recent_.size() >= 8) recent_.erase(recent_.begin());
    recent_.emplace_back(b, p);
    return p;
}
DF_FN core::arrays planned_program::run(std::span<const core::array> inputs) const {
    const auto p = plan_for(inputs);
    return call(*p, inputs);
}
DF_FN core::arrays planned_program::call(const plan::plan& p, std::span<const core::array> inputs) const {
    core::arrays packed;
    core::list<void*> in, out;
    packed.reserve(inputs.size()), in.reserve(inputs.size());
    for (auto& a : inputs) {
        packed.push_back(core::packed(a));
        in.push_back(packed.back().raw());
    }
    core::list<core::storage> made;
    made.reserve(p.output_bytes().size()), out.reserve(p.output_bytes().size());
    for (auto bytes : p.output_bytes()) {
        made.emplace_back(static_cast<std::size_t>(bytes));
        out.push_back(made.back().data());
    }
    last_peak() = p.peak();
    const core::storage arena = p.peak() ? core::storage(static_cast<std::size_t>(p.peak())) : core::storage();
    p.run(in.data(), out.data(), arena.data());
    core::arrays r;
    r.reserve(p.results().size());
    for (auto& l : p.results()) {
        const auto& s = p.slot(l.buffer);
        const auto k = static_cast<std::size_t>(s.index);
        switch (s.kind) {
            case plan::storage_slot::from::input: r.emplace_back(l.form, packed[k].bytes, packed[k].offset + l.offset); break;
            case plan::storage_slot::from::constant: r.emplace_back(l.form, p.constant(s.index).bytes, p.constant(s.index).offset + l.offset); break;
            default: r.emplace_back(l.form, made[k], l.offset);
        }
    }
    return r;
}
DF_FN std::int64_t planned_program::peak() const {
    if (plan_) return plan_->peak();
    std::lock_guard l(m_);
    return recent_.empty() ? 0 : recent_.back().second->peak();
}
DF_FN std::string planned_program::text() const {
    if (plan_) return plan_->text();
    std::lock_guard l(m_);
    return recent_.empty() ? "not planned yet: its sizes are known when it runs\n" : recent_.back().second->text();
}

DF_FN core::arrays run_one(plan::kernel_source kernels, const ir::op_def& op, const ir::attrs& at, std::span<const core::array> in,
                                       std::span<const ir::type> out, place where) {
    std::vector<core::layout> layouts, results;
    for (auto& a : in) layouts.push_back(a.form);
    for (auto& t : out) results.emplace_back(t.element, t.dims);
    const ir::site s{op, at, layouts, results, 0, where};
    if (op.view) {
        auto l = results[0];
        std::int64_t offset = 0;
        if (op.view(s, l, offset)) return {core::array(l, in[0].bytes, in[0].offset + offset)};
    }
    const auto k = kernels(s);
    core::arrays r;
    std::vector<void*> io;
    for (auto& a : in) io.push_back(a.raw());
    for (auto& l : results) {
        r.emplace_back(l, core::storage(l.bytes()));
        io.push_back(r.back().raw());
    }
    const core::storage ws = k->workspace ? core::storage(k->workspace) : core::storage();
    k->run(io.data(), ws.data());
    return r;
}
}  // namespace df::inline DF_ABI::rt
#endif
