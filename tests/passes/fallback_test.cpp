// An op without an axes column stays a loop over its lanes, in any nest of loops, and is named once.
#include <support/catch.hpp>
#include <support/near.hpp>

#include <df/df.hpp>
#include <df/ops/loops.hpp>
#include <df/passes/vectorize.hpp>

using namespace df;

namespace {

// Twice the sum of a vector; nobody says what its axes are.
constexpr ir::op_def twice_sum{
    .name = "twice_sum",
    .doc = "twice the sum",
    .infer = [](ir::inference& q) { q.give(q.in[0].element, shape{}); },
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const auto in = s.in[0];
        return ops::make_kernel([=](void* const* io) {
            double sum = 0;
            ops::each<1>(in.dims, {in.strides}, [&](std::int64_t o) { sum += static_cast<const double*>(io[0])[o]; });
            *static_cast<double*>(io[1]) = 2 * sum;
        });
    },
    .transpose = [](const ir::rule_args& r, int) { return ir::broadcast_to(r.ct[0] + r.ct[0], r.in[0].type().own()); },
    .linear = 1,
};
tensor<double> twice(const tensor<double>& x) { return tensor<double>(ir::emit_one(twice_sum, {x.value()}, {}, place::here()), raw); }

}  // namespace

TEST_CASE("an op without axes runs lane by lane in nested loops") {
    const tensor<double> x{{1., 2.}, {3., 4.}, {5., 6.}}, y{{10., 20.}, {30., 40.}};
    const auto pairs = [&] {
        return df::pfor(x.dim(0), [&](df::index i) { return df::pfor(y.dim(0), [&](df::index j) { return twice(x[i] * y[j]) + twice(y[j]); }); });
    };
    const auto got = pairs();
    CHECK(pass::fallbacks().size() == 2);
    CHECK(pass::fallbacks()[0] == "twice_sum");
    host_mode scope;
    DF_NEAR(got, pairs());
}

TEST_CASE("an op without axes has derivatives in loops") {
    const tensor<double> x{{1., 2.}, {3., 4.}};
    const auto g = df::pfor(x.dim(0), [&](df::index i) { return df::grad([](tensor<double> v) { return twice(v * v); })(x[i]); });
    DF_NEAR(g, x * 4.);
}
