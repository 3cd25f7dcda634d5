// Runs one case in every mode df has and demands the same right answer of all of them.
#pragma once

#include "numbers.hpp"

#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/data.hpp>
#include <support/near.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace cases {

// ---- cases; every lambda is erased to one of these types, so that the transforms are instantiated once, in modes.cpp
template <class T> using list = std::vector<df::tensor<T>>;
template <class T> using body = std::function<list<T>(const list<T>&)>;
template <class T> using lane_body = std::function<list<T>(const list<T>&, const df::index&)>;
template <class T> using map_fn = std::function<df::tensor<T>(const df::tensor<T>&)>;
using many = list<double>;

struct point {
    std::vector<numbers> in, want;
};
struct slope {
    numbers x, value, first;             // first: the jacobian, its shape is value's then x's
    std::optional<numbers> second = {};  // the jacobian of the jacobian
};
enum class depth { full, brief };

template <class T> inline constexpr double tolerance = std::is_same_v<T, float> ? 2e-6 : 1e-12;

// f(in, i) for i in 0..n-1, `in` invariant: eager pfor, host mode, traced, with n known only at run time, n = 1 and 0,
// and inside an outer pfor of three. `want` holds the stacked results.
template <class T = double> void check_lanes(const std::type_identity_t<lane_body<T>>& f,
                                             const std::vector<numbers>& in, std::int64_t n,
                                             const std::vector<numbers>& want, double tol = tolerance<T>);

// f at each point: eager, host mode, traced; the points as the lanes of a pfor as above (three at least); each input
// varying alone; two nested loops of the same length whose lanes are mixed. All points have the same shapes.
template <class T = double> void check_values(const std::type_identity_t<body<T>>& f, const std::vector<point>& at,
                                              double tol = tolerance<T>, depth how = depth::full);

// f and its derivatives at each point by grad, value_and_grad, vjp (of a scalar f), jvp, jacfwd, jacrev, jacobian; the
// second ones by every nesting of the modes and hessian. Each in the modes of check_values.
template <class T = double> void check_derivative(const std::type_identity_t<map_fn<T>>& f,
                                                  const std::vector<slope>& at, double tol = tolerance<T>);

// check_values and check_lanes where the right answer is the eager one and the one of host mode.
void check_agree(const body<double>& f, const std::vector<std::vector<numbers>>& at, double tol = 1e-12);
void check_lanes_agree(const lane_body<double>& f, const std::vector<numbers>& in, std::int64_t n, double tol = 1e-12);

// For lambdas over both types: []<class T>(const list<T>& in) -> list<T> { ... }
template <class F>
void check_lanes_in_both(const F& f, const std::vector<numbers>& in, std::int64_t n, const std::vector<numbers>& want) {
    check_lanes<double>(f, in, n, want);
    check_lanes<float>(f, in, n, want);
}
template <class F> void check_derivative_in_both(const F& f, const std::vector<slope>& at) {
    check_derivative<double>(f, at);
    check_derivative<float>(f, at);
}

// The gradient of an erased function is one again, so that gradients nest without new instantiations.
map_fn<double> grad_of(const map_fn<double>& f);

// ---- graphs
std::string graph_text(const body<double>& f, const std::vector<numbers>& in);  // of df::function(f), optimized
int count(const std::string& text, const std::string& word);                    // whole words
std::string lines_with(const std::string& text, const std::string& word);

// ---- errors
// What a mode gives: the numbers as text, or "error" where it refuses. For answers that only have to be consistent.
std::string outcome(const std::function<num()>& run);

}  // namespace cases
