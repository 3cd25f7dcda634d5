// Lesson 10: write an op.
//
// An operation of df is one record: a row of columns that say its name, the types of its results, how its axes behave,
// how to compute it, and its derivative. A record in your program is as good as one of df's own: pfor, grad, jacobian
// and the planner read the columns and nothing else. There is nothing to register.
//
// Two records here. The first is elementwise, which needs a callable for one number and its derivative. The second has
// every column written out.
#include <df/df.hpp>
#include <df/ops/family.hpp>
#include <df/ops/loops.hpp>

#include <cmath>
#include <iostream>

namespace mine {
using df::ir::rule_args, df::ir::value, df::ir::values;

// ---- gaussian(x) = exp(-x²), whose derivative is -2x times itself. Rules are written with records on values.
struct bell {
    static constexpr df::ops::domain on = df::ops::domain::floating;
    static constexpr int arity = 1;
    template <class X> X operator()(X x) const { return std::exp(-x * x); }
};
constexpr df::ir::op_def gaussian_op = df::ops::elementwise<bell>(
    "gaussian", "exp(-x²)", "f(2,3)",
    [](const rule_args& r) -> values { return {-2.0 * (r.in[0] * r.out[0])}; });

template <df::tensor_like X> auto gaussian(const X& x, df::place at = df::place::here()) {
    return df::tensor_t<X>(df::ir::emit_one(gaussian_op, {x.value()}, {}, at), df::raw);
}

// ---- decay(x, a): y[t] = x[t] + a·y[t-1] along the last axis. It is linear in x; its transpose is the same backwards in
// time, so one record with a flag `back` is both, and its derivative has derivatives of every order.
constexpr df::ir::op_def decay_op{
    .name = "decay",
    .doc = "y[t] = x[t] + a·y[t-1] along an axis",
    .infer = [](df::ir::inference& q) {
        if (q.dims(0).n == 0) q.fail("the operand is a scalar", "give it an axis to run along");
        q.give(q.in[0].element, q.dims(0));
    },
    .axes = [](const df::ir::axes_query& q) { return df::ops::axes_along(q, df::role::scan); }, // the rest maps
    .kernel = [](const df::ir::site& s) -> df::ir::kernel_ptr {
        const auto axis = static_cast<std::size_t>(s.lanes + s.at.integer("axis")); // lanes come first
        const std::int64_t n = s.in[0].dims[axis], step = s.in[0].strides[axis], out_step = s.out[0].strides[axis];
        const auto rows = df::ops::part(s.in[0], [&](int i) { return i != static_cast<int>(axis); });
        const auto out_rows = df::ops::part(s.out[0], [&](int i) { return i != static_cast<int>(axis); });
        const double a = s.at.real("a");
        const bool back = s.at.flag("back");
        return df::with_type(s.out[0].element, [&](auto zero) -> df::ir::kernel_ptr {
            using T = decltype(zero);
            return df::ops::make_kernel([=](void* const* io) {
                df::ops::each<2>(rows.dims, {rows.strides, out_rows.strides}, [&](std::int64_t p, std::int64_t q) {
                    T y{};
                    for (std::int64_t t = back ? n - 1 : 0; back ? t >= 0 : t < n; t += back ? -1 : 1)
                        static_cast<T*>(io[1])[q + t * out_step] = y =
                            static_cast<T>(static_cast<const T*>(io[0])[p + t * step] + static_cast<T>(a) * y);
                });
            });
        });
    },
    .transpose = [](const rule_args& r, int) -> value {
        return df::ir::emit_one(decay_op, {r.ct[0]}, r.at.with({"back", !r.at.flag("back")}));
    },
    .linear = 1,
    .samples = "f(3) axis=0 a=0.5 back=0; f(2,3) axis=1 a=0.5 back=1",
};

template <df::tensor_like X> auto decay(const X& x, double a, df::place at = df::place::here()) {
    const df::ir::attrs options{{"axis", std::max(x.rank() - 1, 0)}, {"a", a}, {"back", false}};
    return df::tensor_t<X>(df::ir::emit_one(decay_op, {x.value()}, options, at), df::raw);
}
} // namespace mine

int main() {
    const df::tensor<double> x{1, 0, 0, 2}, xs{{1, 0, 0, 2}, {0, 4, 0, 0}};
    std::cout << "decay " << mine::decay(x, 0.5) << "\n";
    std::cout << "of a matrix\n" << mine::decay(xs, 0.5) << "\n";

    // In lanes: one call of the kernel for all rows.
    auto f = [](df::tensor<double> v) { return df::sum(mine::gaussian(mine::decay(v, 0.5))); };
    auto g = df::function([&](df::tensor<double> v) {
        return df::pfor(v.dim(0), [&](df::index i) { return df::grad(f)(v[i]); });
    });
    std::cout << "planned\n" << df::print(g.graph(xs));

    // The derivatives are right, by comparison with differences; check_grad throws where they are not.
    df::check_grad(f, x);
    df::check_grad(df::grad(f), x);
    auto slow = [](df::tensor<double> v) { return mine::decay(v, 0.5); };
    std::cout << "jacobian of decay\n" << df::jacobian(slow)(x) << "\n";

    // Errors name the op and your line.
    try {
        mine::decay(df::tensor<double>(1.0), 0.5);
    } catch (const df::shape_error& e) {
        std::cout << std::string(e.what()).substr(0, std::string(e.what()).find("\n")) << "\n";
    }
}
