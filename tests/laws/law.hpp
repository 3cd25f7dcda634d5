// The samples of records as graphs and numbers, the ways to run them, and the report of what differs: what laws are made of.
#pragma once
#include <random>
#include <string>
#include <vector>

#include <df/compile.hpp>
#include <df/ir/build.hpp>

namespace df_test {

using df::core::arrays;

/// One case of a record's `samples`. Letters: f floating, p positive, u in (-1, 1), i integer, k small positive integer,
/// b bool, n3 an index of an axis of size 3.
struct sample {
    const df::ir::op_def* op = nullptr;
    std::string text;
    std::vector<std::string> kinds;      // a letter per operand
    std::vector<df::ir::type> types;     // floating ones are double
    df::ir::attrs at;

    std::string name() const { return std::string(op->name) + " [" + text + "]"; }
    /// The same with another floating type.
    sample in(df::dtype floating) const;
    /// The operands that a derivative can be taken of.
    df::ir::ints floating() const;
    /// The record applied to values.
    df::ir::values operator()(const df::ir::values& operands) const { return df::ir::emit(*op, operands, at, df::place::here()); }
};
std::vector<sample> samples_of(const df::ir::op_def& op);
/// Every sample of every record of df.
const std::vector<sample>& all_samples();

/// Numbers of a kind, the same for the same seed; floating ones are distinct, and away from multiples of a half.
df::core::array draw(const std::string& kind, const df::ir::type& t, std::mt19937& random);
/// Operands for a sample; operand k has `front[k]` more axes in front.
arrays draw_all(const sample& s, unsigned seed, const std::vector<df::shape>& front = {});

/// A graph with inputs of these types; what `body` uses from outside becomes a constant.
df::ir::graph_ptr graph_of(const std::vector<df::ir::type>& inputs, df::ir::body_ref body);
/// A parallel loop over n trips (a number or a symbol) recorded in the current trace; `body` takes the trip's number.
df::ir::values parallel(std::int64_t n, df::ir::body_ref body);
/// The derivative nodes of the graph of a sample: (operands, cotangents or tangents) -> (results, derivatives).
df::ir::values derivative(const df::ir::op_def& mode, const df::ir::graph_ptr& g, const df::ir::values& operands, const df::ir::ints& wrt);

/// The graph without nodes that only passes understand, its loops as they are.
df::ir::graph_ptr executable(const df::ir::graph_ptr& g);
/// The graph after all passes, each verified.
df::ir::graph_ptr lowered(const df::ir::graph_ptr& g);
/// Runs a graph node by node, or planned on Eigen's kernels; `peak` gets the planned bytes.
arrays interpreted(const df::ir::graph_ptr& g, const arrays& in);
arrays planned(const df::ir::graph_ptr& g, const arrays& in);

/// Where two arrays differ, or the empty string. Integers are compared exactly.
std::string differ(const df::core::array& got, const df::core::array& wanted, double relative = 1e-12);
std::string differ(const arrays& got, const arrays& wanted, double relative = 1e-12);
std::vector<double> doubles(const df::core::array& a);
/// The inner product of two arrays.
double dot(const df::core::array& a, const df::core::array& b);

/// Collects what breaks a law, sample by sample.
class law {
public:
    /// Notes a difference; an empty text is none.
    void check(const sample& s, const std::string& what, const std::string& difference);
    /// Runs `body`; an exception breaks the law too.
    template <class F> void run(const sample& s, const std::string& what, const F& body) {
        ++runs_;
        try {
            body();
        } catch (const std::exception& e) {
            check(s, what, std::string("throws: ") + e.what());
        }
    }
    int runs() const { return runs_; }
    /// What broke, a line each; the first forty.
    std::string broken() const;

private:
    std::vector<std::string> lines_;
    int runs_ = 0;
};

}  // namespace df_test

// Ends a law: it was tried at least once, and held.
#define DF_LAW_HOLDS(l)       \
    CHECK((l).runs() > 0);    \
    CHECK((l).broken() == "")
