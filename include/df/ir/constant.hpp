// The records that the builder itself needs: a constant, and one that repeats it.
#pragma once
#include <df/ir/op_def.hpp>

namespace df::inline DF_ABI::op {
/// A value known when the graph is made; attribute `value`.
extern const ir::op_def constant;
/// Stands in ops/layout.hpp.
extern const ir::op_def broadcast_to;
}  // namespace df::inline DF_ABI::op

#if DF_IMPL
#include <df/ir/build.hpp>

namespace df::inline DF_ABI::ir {
namespace detail {
struct constant_kernel : kernel {
    core::array data;
    core::layout to;
    void run(void* const* io, std::byte*) const override { core::copy_elements(data.form, data.raw(), to, static_cast<std::byte*>(io[0])); }
};
}  // namespace detail
DF_FN int builder::constant(const value& v) {
    return record(op::constant, {}, {{"value", v->data}}, {v.type()}, v->at)[0]->id;
}
DF_FN int builder::repeated(const value& v) {
    const auto one = concrete(core::array(core::layout(v.element(), shape{}), v->data.bytes, v->data.offset), v->at);
    return record(op::broadcast_to, {one}, {{"sizes", v.dims()}}, {v.type()}, v->at)[0]->id;
}
}  // namespace df::inline DF_ABI::ir

namespace df::inline DF_ABI::op {
DF_RECORD ir::op_def constant{
    .name = "constant",
    .infer = [](ir::inference& q) { q.give(q.at.data("value").form.element, q.at.data("value").form.dims); },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        auto k = std::make_unique<ir::detail::constant_kernel>();
        k->data = s.at.data("value");
        k->to = s.out[0];
        return k;
    },
    .no_derivative = true,
};
}  // namespace df::inline DF_ABI::op
#endif
