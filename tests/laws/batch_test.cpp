// Laws of the axes column: a parallel loop over an op gives what the op gives lane by lane, whatever varies.
#include <laws/law.hpp>
#include <support/catch.hpp>
#include <support/data.hpp>

#include <df/ops/index.hpp>
#include <df/passes/vectorize.hpp>

using namespace df;
using namespace df_test;

namespace {

/// What an operand of the innermost body is a row of: bit 0 of `over` for the outer loop, bit 1 for the inner one.
struct nest {
    const sample& s;
    std::vector<unsigned> over;     // per operand
    std::vector<std::int64_t> n;    // trips, outermost first

    std::string name() const {
        std::string r = "lanes";
        for (auto k : n) r += " " + std::to_string(k);
        r += ", varying";
        for (auto o : over) r += o == 0 ? " none" : o == 1 ? (n.size() == 1 ? " all" : " outer") : o == 2 ? " inner" : " both";
        return r;
    }
    std::vector<shape> front() const {
        std::vector<shape> r;
        for (auto o : over) {
            r.emplace_back();
            for (std::size_t d = 0; d < n.size(); ++d) if (o >> d & 1) r.back().push_back(n[d]);
        }
        return r;
    }
    std::vector<ir::type> types() const {
        auto r = s.types;
        const auto f = front();
        for (std::size_t k = 0; k < r.size(); ++k) r[k].dims = f[k] + r[k].dims;
        return r;
    }
    /// The loops around the sample, in the current trace; `count` are their trips.
    ir::values record(const ir::values& x, const std::vector<std::int64_t>& count, std::size_t depth = 0) const {
        if (depth == n.size()) return s(x);
        return parallel(count[depth], [&](const ir::values& i) {
            ir::values rows = x;
            for (std::size_t k = 0; k < x.size(); ++k) if (over[k] >> depth & 1) rows[k] = ir::gather(x[k], i[0], 0);
            return record(rows, count, depth + 1);
        });
    }
};

void hold(law& l, const nest& p, unsigned seed) {
    l.run(p.s, p.name(), [&] {
        const auto g = graph_of(p.types(), [&](const ir::values& x) { return p.record(x, p.n); });
        const auto in = draw_all(p.s, seed, p.front());
        const auto wanted = interpreted(executable(g), in);
        const auto whole = lowered(g);
        if (!pass::fallbacks().empty()) l.check(p.s, p.name(), "it stays a loop: " + pass::fallbacks()[0]);
        l.check(p.s, p.name() + ", interpreted", differ(interpreted(whole, in), wanted));
        l.check(p.s, p.name() + ", planned", differ(planned(whole, in), wanted));
    });
}

}  // namespace

TEST_CASE("a loop over an op is the op lane by lane, for every choice of varying operands") {
    law l;
    for (auto& s : all_samples())
        for (unsigned which = 0; which < 1u << s.types.size(); ++which) {
            if (s.types.size() > 4 && which % 5 != 1) continue;
            nest p{s, {}, {}};
            for (std::size_t k = 0; k < s.types.size(); ++k) p.over.push_back(which >> k & 1);
            for (std::int64_t n : {0, 1, 3}) {
                p.n = {n};
                hold(l, p, 10 + which);
            }
        }
    DF_LAW_HOLDS(l);
}

TEST_CASE("two loops around an op are the op lane by lane, for every choice of varying operands") {
    law l;
    std::mt19937 random(5);
    for (auto& s : all_samples()) {
        const auto choices = 1u << 2 * s.types.size();
        for (unsigned which = 0; which < choices; ++which) {
            if (choices > 16 && !long_runs() && random() % (choices / 8)) continue;
            nest p{s, {}, {2, 3}};
            for (std::size_t k = 0; k < s.types.size(); ++k) p.over.push_back(which >> 2 * k & 3);
            hold(l, p, which);
        }
    }
    DF_LAW_HOLDS(l);
}

TEST_CASE("the number of lanes may be known only when the program runs") {
    law l;
    for (auto& s : all_samples()) {
        if (s.types.empty()) continue;
        for (unsigned which = 1; which < 1u << s.types.size(); which += s.types.size() > 2 ? 3 : 1) {
            nest p{s, {}, {3}};
            for (std::size_t k = 0; k < s.types.size(); ++k) p.over.push_back(which >> k & 1);
            l.run(s, p.name(), [&] {
                auto types = p.types();
                types.emplace_back(dtype::int64, shape{});
                const auto g = graph_of(types, [&](const ir::values& x) {
                    const auto n = ir::current_builder()->symbol_of(x.back(), place::here());
                    // rows of values whose first axis has the run-time size
                    ir::values rows;
                    for (std::size_t k = 0; k + 1 < x.size(); ++k)
                        rows.push_back(p.over[k] ? parallel(n, [&](const ir::values& i) -> ir::values { return {ir::gather(x[k], i[0], 0)}; })[0] : x[k]);
                    return p.record(rows, {n});
                });
                const auto whole = lowered(g);
                for (std::int64_t n : {0, 1, 3}) {
                    auto in = draw_all(s, 20 + which, p.front());
                    in.push_back(core::array(dtype::int64, shape{}));
                    *in.back().data<std::int64_t>() = n;
                    const auto what = p.name() + ", at run time " + std::to_string(n);
                    const auto wanted = interpreted(executable(g), in);
                    l.check(s, what + ", interpreted", differ(interpreted(whole, in), wanted));
                    l.check(s, what + ", planned", differ(planned(whole, in), wanted));
                }
            });
        }
    }
    DF_LAW_HOLDS(l);
}
