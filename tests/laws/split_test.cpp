// Laws of schedule: any region in blocks of any size along any axis gives what the whole gives, in the bytes the plan says.
#include <laws/law.hpp>
#include <support/catch.hpp>

#include <cstring>

#include <df/backends/eigen/kernels.hpp>
#include <df/df.hpp>
#include <df/ir/verify.hpp>
#include <df/ops/contract.hpp>
#include <df/plan/plan.hpp>
#include <df/plan/schedule.hpp>

using namespace df;
using namespace df_test;

namespace {

/// Runs a plan in an arena with a border; says whether it wrote beyond the peak.
std::string beyond_peak(const ir::graph_ptr& g, const arrays& in) {
    const plan::plan p(*g, backends::eigen_kernel, {});
    constexpr std::size_t border = 4096;
    const auto peak = static_cast<std::size_t>(p.peak());
    core::storage arena(peak + border);
    std::memset(arena.data(), 0x5A, peak + border);
    std::vector<core::storage> made;
    std::vector<void*> from, to;
    arrays packed;
    for (auto& a : in) packed.push_back(core::packed(a)), from.push_back(packed.back().raw());
    for (auto bytes : p.output_bytes()) made.emplace_back(static_cast<std::size_t>(bytes)), to.push_back(made.back().data());
    p.run(from.data(), to.data(), arena.data());
    for (std::size_t i = peak; i < peak + border; ++i) if (arena.data()[i] != std::byte{0x5A}) return "it writes beyond the planned peak";
    return "";
}

/// Splits node n of g along each of its axes into blocks of each size.
void hold(law& l, const sample& s, const std::string& what, const ir::graph_ptr& g, int n, const arrays& in) {
    const auto wanted = interpreted(g, in);
    for (const int label : plan::splittable(*g, n))
        for (const std::int64_t block : {1, 2, 3, 100}) {
            const auto name = what + "split at " + g->nodes[static_cast<std::size_t>(n)].op->name + " along " + std::to_string(label) + " by " + std::to_string(block);
            l.run(s, name, [&] {
                const auto h = plan::split(*g, n, label, block);
                if (!h) return;
                ir::verify(*h, "split");
                l.check(s, name + ", interpreted", differ(interpreted(h, in), wanted));
                l.check(s, name + ", planned", differ(planned(h, in), wanted));
                l.check(s, name, beyond_peak(h, in));
            });
        }
}

}  // namespace

TEST_CASE("an op in blocks along any of its axes is the op") {
    law l;
    for (auto& s : all_samples()) {
        l.run(s, "", [&] {
            const auto g = lowered(graph_of(s.types, [&](const ir::values& x) { return s(x); }));
            for (int n = 0; n < static_cast<int>(g->nodes.size()); ++n) hold(l, s, "", g, n, draw_all(s, 50));
        });
    }
    DF_LAW_HOLDS(l);
}

TEST_CASE("an op over lanes in blocks along any of its axes, lanes included, is the op over lanes") {
    law l;
    for (auto& s : all_samples()) {
        l.run(s, "", [&] {
            auto types = s.types;
            for (auto& t : types) t.dims = shape{3} + t.dims;
            const auto g = lowered(graph_of(types, [&](const ir::values& x) {
                return parallel(3, [&](const ir::values& i) {
                    auto rows = x;
                    for (auto& v : rows) v = ir::gather(v, i[0], 0);
                    return s(rows);
                });
            }));
            const auto in = draw_all(s, 51, std::vector<shape>(s.types.size(), shape{3}));
            for (int n = 0; n < static_cast<int>(g->nodes.size()); ++n) hold(l, s, "over lanes, ", g, n, in);
        });
    }
    DF_LAW_HOLDS(l);
}
