#include "modes.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

namespace cases {
namespace {

template <class T> list<T> make_all(const std::vector<numbers>& in) {
    list<T> r;
    for (const auto& a : in) r.push_back(make<T>(a));
    return r;
}

template <class T> void in_mode(const std::string& mode, const std::function<list<T>()>& run,
                                const std::vector<numbers>& want, double tol) {
    INFO(mode << (std::is_same_v<T, float> ? ", float" : ", double"));
    list<T> got;
    try {
        got = run();
    } catch (const std::exception& error) {
        FAIL_CHECK("threw: " << error.what());
        return;
    }
    CHECK(got.size() == want.size());
    for (std::size_t k = 0; k < std::min(got.size(), want.size()); ++k) {
        INFO("result " << k);
        CHECK(differs(numbers_of(got[k]), want[k], tol) == "");
    }
}

std::vector<numbers> first_rows_of(const std::vector<numbers>& all, std::int64_t n) {
    std::vector<numbers> r;
    for (const auto& a : all) r.push_back(first_rows(a, n));
    return r;
}

std::vector<numbers> thrice(const std::vector<numbers>& all) {
    std::vector<numbers> r;
    for (const auto& a : all) r.push_back(stacked({a, a, a}));
    return r;
}

// Input or answer k of the points that `pick` names, stacked.
std::vector<numbers> stack_points(const std::vector<point>& at, const std::vector<std::size_t>& pick,
                                  std::vector<numbers> point::*part) {
    std::vector<numbers> r;
    for (std::size_t k = 0; k < (at.front().*part).size(); ++k) {
        std::vector<numbers> rows;
        for (auto p : pick) rows.push_back((at[p % at.size()].*part)[k]);
        r.push_back(stacked(rows));
    }
    return r;
}

template <class T, class N> list<T> run_lanes(const lane_body<T>& f, const N& n, const list<T>& in) {
    return df::pfor(n, [&](df::index i) { return f(in, i); });
}

template <class T> list<T> rows_at(const list<T>& all, const df::index& i) {
    list<T> r;
    for (const auto& a : all) r.push_back(a[i]);
    return r;
}

template <class T> df::tensor<T> unit(const numbers& like, std::int64_t k) {
    numbers e = filled(like.shape, 0);
    e.v[static_cast<std::size_t>(k)] = 1;
    return make<T>(e);
}

// Column k of the jacobian: what jvp gives for the k-th unit tangent.
numbers column(const slope& s, std::int64_t k) {
    numbers r{s.value.shape, {}};
    const auto inputs = elements(s.x);
    for (std::int64_t o = 0; o < elements(s.value); ++o)
        r.v.push_back(s.first.v[static_cast<std::size_t>(o * inputs + k)]);
    return r;
}

template <class T> using named = std::vector<std::pair<std::string, map_fn<T>>>;

template <class T> void check_ways(const named<T>& ways, const std::vector<slope>& at,
                                   const std::function<numbers(const slope&)>& answer, double tol) {
    std::vector<point> points;
    for (const auto& s : at) points.push_back({{s.x}, {answer(s)}});
    for (std::size_t k = 0; k < ways.size(); ++k) {
        INFO(ways[k].first);
        const auto way = ways[k].second;
        check_values<T>([way](const list<T>& in) -> list<T> { return {way(in[0])}; }, points, tol,
                        k == 0 ? depth::full : depth::brief);
    }
}

template <class T> map_fn<T> forward(const map_fn<T>& f) {
    return [f](const df::tensor<T>& x) -> df::tensor<T> { return df::jacfwd(f)(x); };
}
template <class T> map_fn<T> backward(const map_fn<T>& f) {
    return [f](const df::tensor<T>& x) -> df::tensor<T> { return df::jacrev(f)(x); };
}
template <class T> map_fn<T> chosen(const map_fn<T>& f) {
    return [f](const df::tensor<T>& x) -> df::tensor<T> { return df::jacobian(f)(x); };
}

}  // namespace

// ---- checks
template <class T> void check_lanes(const std::type_identity_t<lane_body<T>>& f, const std::vector<numbers>& in,
                                    std::int64_t n, const std::vector<numbers>& want, double tol) {
    const list<T> args = make_all<T>(in);
    in_mode<T>(
        "eager pfor", [&] { return run_lanes<T>(f, n, args); }, want, tol);
    in_mode<T>(
        "pfor in host mode",
        [&] {
            df::host_mode scope;
            return run_lanes<T>(f, n, args);
        },
        want, tol);

    const auto fixed = df::function([&](const list<T>& a) { return run_lanes<T>(f, n, a); });
    in_mode<T>(
        "traced pfor", [&] { return fixed(args); }, want, tol);
    in_mode<T>(
        "traced pfor, from the cache", [&] { return fixed(args); }, want, tol);

    const auto open = df::function([&](const list<T>& a, const ints& m) { return run_lanes<T>(f, m, a); });
    for (std::int64_t m : {n, std::int64_t{1}, std::int64_t{0}}) {
        if (m > n) continue;
        const auto some = first_rows_of(want, m);
        in_mode<T>(
            "traced pfor, n = " + std::to_string(m) + " at run time", [&] { return open(args, ints(m)); }, some, tol);
        if (m < n)
            in_mode<T>(
                "eager pfor, n = " + std::to_string(m), [&] { return run_lanes<T>(f, m, args); }, some, tol);
    }
    CHECK(open.traces() == 1);

    const list<T> deep = make_all<T>(thrice(in));
    in_mode<T>(
        "pfor in pfor",
        [&] { return list<T>(df::pfor(3, [&](df::index k) { return run_lanes<T>(f, n, rows_at<T>(deep, k)); })); },
        thrice(want), tol);
}

template <class T>
void check_values(const std::type_identity_t<body<T>>& f, const std::vector<point>& at, double tol, depth how) {
    const auto traced = df::function([&](const list<T>& a) { return f(a); });
    for (std::size_t p = 0; p < at.size(); ++p) {
        INFO("point " << p);
        const list<T> args = make_all<T>(at[p].in);
        in_mode<T>(
            "eager", [&] { return f(args); }, at[p].want, tol);
        in_mode<T>(
            "host mode",
            [&] {
                df::host_mode scope;
                return f(args);
            },
            at[p].want, tol);
        in_mode<T>(
            "traced", [&] { return traced(args); }, at[p].want, tol);
    }
    CHECK(traced.traces() == 1);

    std::vector<std::size_t> lanes;
    for (std::size_t p = 0; p < std::max<std::size_t>(3, at.size()); ++p) lanes.push_back(p);
    const auto n = static_cast<std::int64_t>(lanes.size());
    const auto in = stack_points(at, lanes, &point::in), want = stack_points(at, lanes, &point::want);
    const lane_body<T> lane = [&](const list<T>& a, const df::index& i) { return f(rows_at<T>(a, i)); };
    if (how == depth::brief) {
        const list<T> args = make_all<T>(in);
        const auto vectorized = df::function([&](const list<T>& a) { return run_lanes<T>(lane, n, a); });
        in_mode<T>(
            "traced pfor over the points", [&] { return vectorized(args); }, want, tol);
        in_mode<T>(
            "eager pfor over one point", [&] { return run_lanes<T>(lane, std::int64_t{1}, args); },
            first_rows_of(want, 1), tol);
        return;
    }
    check_lanes<T>(lane, in, n, want, tol);

    const list<T> one = make_all<T>(at[0].in), same = make_all<T>(thrice(at[0].in));
    for (std::size_t v = 0; v < one.size() && one.size() > 1; ++v)
        in_mode<T>(
            "pfor, only input " + std::to_string(v) + " varies",
            [&] {
                return list<T>(df::pfor(3, [&](df::index i) {
                    list<T> a = one;
                    a[v] = same[v][i];
                    return f(a);
                }));
            },
            thrice(at[0].want), tol);

    if (at.size() < 2) return;
    std::vector<std::size_t> grid;
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) grid.push_back(a + 2 * b);
    auto split = [](std::vector<numbers> all) {
        for (auto& x : all) x.shape[0] = 3, x.shape.insert(x.shape.begin(), 3);
        return all;
    };
    const list<T> mixed = make_all<T>(split(stack_points(at, grid, &point::in)));
    in_mode<T>(
        "two nested loops of three",
        [&] {
            return list<T>(
                df::pfor(3, [&](df::index i) { return run_lanes<T>(lane, std::int64_t{3}, rows_at<T>(mixed, i)); }));
        },
        split(stack_points(at, grid, &point::want)), tol);
}

template <class T>
void check_derivative(const std::type_identity_t<map_fn<T>>& f, const std::vector<slope>& at, double tol) {
    using tensor = df::tensor<T>;
    const bool is_scalar = at.front().value.shape.empty();
    check_ways<T>(
        {{"value", f}}, at, [](const slope& s) { return s.value; }, tol);

    named<T> first = {{"jacobian", chosen<T>(f)}, {"jacfwd", forward<T>(f)}, {"jacrev", backward<T>(f)}};
    if (is_scalar) {
        first.insert(first.begin(), {"grad", [f](const tensor& x) -> tensor { return df::grad(f)(x); }});
        first.push_back(
            {"value_and_grad", [f](const tensor& x) -> tensor { return std::get<1>(df::value_and_grad(f)(x)); }});
        first.push_back({"vjp", [f](const tensor& x) -> tensor { return std::get<1>(df::vjp(f)(x))(tensor(T(1))); }});
    }
    check_ways<T>(
        first, at, [](const slope& s) { return s.first; }, tol);

    const auto push = df::function([&](const tensor& x, const tensor& dx) { return df::jvp(f)(x, dx); });
    for (const auto& s : at)
        for (std::int64_t k = 0; k < elements(s.x); ++k) {
            const tensor x = make<T>(s.x), dx = unit<T>(s.x, k);
            const std::vector<numbers> want{s.value, column(s, k)};
            const auto both = [](const auto& pair) -> list<T> { return {std::get<0>(pair), std::get<1>(pair)}; };
            in_mode<T>(
                "jvp along input " + std::to_string(k), [&] { return both(df::jvp(f)(x, dx)); }, want, tol);
            in_mode<T>(
                "traced jvp along input " + std::to_string(k), [&] { return both(push(x, dx)); }, want, tol);
        }

    if (!at.front().second) return;
    named<T> second = {{"jacobian of jacobian", chosen<T>(chosen<T>(f))},
                       {"forward over forward", forward<T>(forward<T>(f))},
                       {"forward over reverse", forward<T>(backward<T>(f))},
                       {"reverse over forward", backward<T>(forward<T>(f))},
                       {"reverse over reverse", backward<T>(backward<T>(f))}};
    if (is_scalar) second.push_back({"hessian", [f](const tensor& x) -> tensor { return df::hessian(f)(x); }});
    check_ways<T>(
        second, at, [](const slope& s) { return *s.second; }, tol);
}

#define CASES_FOR(T)                                                                                                   \
    template void check_lanes<T>(const lane_body<T>&, const std::vector<numbers>&, std::int64_t,                       \
                                 const std::vector<numbers>&, double);                                                 \
    template void check_values<T>(const body<T>&, const std::vector<point>&, double, depth);                           \
    template void check_derivative<T>(const map_fn<T>&, const std::vector<slope>&, double);
CASES_FOR(double)
CASES_FOR(float)
#undef CASES_FOR

void check_agree(const body<double>& f, const std::vector<std::vector<numbers>>& at, double tol) {
    std::vector<point> points;
    for (const auto& in : at) {
        point p{in, {}};
        for (const auto& t : f(make_all<double>(in))) p.want.push_back(numbers_of(t));
        points.push_back(p);
    }
    check_values(f, points, tol);
}

void check_lanes_agree(const lane_body<double>& f, const std::vector<numbers>& in, std::int64_t n, double tol) {
    std::vector<numbers> want;
    {
        df::host_mode scope;
        for (const auto& t : run_lanes<double>(f, n, make_all<double>(in))) want.push_back(numbers_of(t));
    }
    check_lanes(f, in, n, want, tol);
}

map_fn<double> grad_of(const map_fn<double>& f) {
    return [f](const num& x) -> num { return df::grad(f)(x); };
}

// ---- graphs
std::string graph_text(const body<double>& f, const std::vector<numbers>& in) {
    const auto traced = df::function([&](const many& a) { return f(a); });
    return df::print(traced.graph(make_all<double>(in)));
}

int count(const std::string& text, const std::string& word) {
    const auto in_word = [&](std::size_t k) {
        return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_');
    };
    int n = 0;
    for (auto k = text.find(word); k != std::string::npos; k = text.find(word, k + 1))
        if ((k == 0 || !in_word(k - 1)) && !in_word(k + word.size())) ++n;
    return n;
}

std::string lines_with(const std::string& text, const std::string& word) {
    std::istringstream in(text);
    std::string line, r;
    while (std::getline(in, line))
        if (count(line, word)) r += line + "\n";
    return r;
}

// ---- errors
std::string outcome(const std::function<num()>& run) {
    try {
        std::ostringstream text;
        text.precision(17);
        for (double x : numbers_of(run()).v) text << x << " ";
        return text.str();
    } catch (const df::error&) {
        return "error";
    }
}

}  // namespace cases
