// Parameter sets of every kind: nested, templates, derived, private, with more members than Hana's macro takes.
#include "modes.hpp"

#include <tuple>
#include <utility>

using namespace cases;

namespace p58 {

struct layer {
    num w, b;
    int n = 0;  // an option, not a parameter
};

struct net {  // nested, with a vector
    layer head;
    std::vector<num> rest;
};

template <class T> struct affine {
    df::tensor<T> w, b;
    static constexpr auto df_members() { return std::tuple{&affine::w, &affine::b}; }
};

struct base {
    num w, b;
};
struct derived : base {
    num extra;
    static constexpr auto df_members() { return std::tuple{&derived::w, &derived::b, &derived::extra}; }
};

class hidden {
    num w_, b_;

public:
    hidden() = default;
    hidden(num w, num b) : w_(std::move(w)), b_(std::move(b)) {}
    num at(const num& x) const { return df::dot(w_, x) + b_; }
    const num& w() const { return w_; }
    const num& b() const { return b_; }
    static constexpr auto df_members() { return std::tuple{&hidden::w_, &hidden::b_}; }
};

#define TEN(m) num m##0, m##1, m##2, m##3, m##4, m##5, m##6, m##7, m##8, m##9
#define TEN_OF(m)                                                                                                      \
    &forty::m##0, &forty::m##1, &forty::m##2, &forty::m##3, &forty::m##4, &forty::m##5, &forty::m##6, &forty::m##7,    \
        &forty::m##8, &forty::m##9
struct forty {
    TEN(a);
    TEN(b);
    TEN(c);
    TEN(d);
    static constexpr auto df_members() { return std::tuple{TEN_OF(a), TEN_OF(b), TEN_OF(c), TEN_OF(d)}; }
};
#undef TEN
#undef TEN_OF

struct foreign {  // somebody else's class
    num w, b;
};

}  // namespace p58
BOOST_HANA_ADAPT_STRUCT(p58::layer, w, b, n);
BOOST_HANA_ADAPT_STRUCT(p58::net, head, rest);
template <> struct df::members<p58::foreign> {
    static constexpr auto df_members() { return std::tuple{&p58::foreign::w, &p58::foreign::b}; }
};

namespace {

// f(p, x) = dot(w, x) + b has the gradients x and 1; checked plain, traced, in lanes and in host mode.
template <class P, class Get> void check_linear(const P& p, const Get& parts) {
    const auto f = [parts](const P& q, num x) {
        const auto [w, b] = parts(q);
        return df::dot(w, x) + b;
    };
    const num x{3, 4}, xs = make<double>(mat({{3, 4}, {5, 6}}));
    const auto right = [&](const P& g, const numbers& w, const numbers& b) {
        CHECK(differs(numbers_of(parts(g).first), w, 0) == "");
        CHECK(differs(numbers_of(parts(g).second), b, 0) == "");
    };
    right(df::grad(f)(p, x), vec({3, 4}), scalar(1));
    right(df::function(df::grad(f))(p, x), vec({3, 4}), scalar(1));
    right(df::pfor(2, [&](df::index i) { return df::grad(f)(p, xs[i]); }), mat({{3, 4}, {5, 6}}), vec({1, 1}));
    right(df::tree_map([](auto a, auto b) { return a - 0.5 * b; }, p, df::grad(f)(p, x)), vec({-0.5, 0}), scalar(2.5));
    df::host_mode scope;
    right(df::pfor(2, [&](df::index i) { return df::grad(f)(p, xs[i]); }), mat({{3, 4}, {5, 6}}), vec({1, 1}));
}

const auto parts_of = [](const auto& q) { return std::pair<num, num>{q.w, q.b}; };

}  // namespace

TEST_CASE("P58 a struct with an option: the gradient has its type and the option is untouched") {
    const p58::layer p{num{1, 2}, num(3.0), 7};
    check_linear(p, parts_of);
    const auto f = [](const p58::layer& q, num x) { return df::dot(q.w, x) * q.n + q.b; };
    const p58::layer g = df::grad(f)(p, num{3, 4});
    CHECK(g.w.to_vector() == std::vector<double>{21, 28});
    CHECK(g.n == 7);
    const p58::layer traced = df::function(df::grad(f))(p, num{3, 4});
    CHECK(traced.w.to_vector() == std::vector<double>{21, 28});
    CHECK(traced.n == 7);
}

TEST_CASE("P58 an option of a struct is part of the key") {
    const auto f = df::function([](const p58::layer& q) { return q.b * q.n; });
    CHECK(f(p58::layer{num{1}, num(3.0), 2}).item() == 6);
    CHECK(f(p58::layer{num{1}, num(3.0), 5}).item() == 15);
    CHECK(f(p58::layer{num{1}, num(4.0), 2}).item() == 8);
    CHECK(f.traces() == 2);
}

TEST_CASE("P58 a nested struct with a vector of tensors") {
    const p58::net p{{num{1, 2}, num(3.0), 1}, {num{1, 1}, num(2.0)}};
    const auto f = [](const p58::net& q, num x) {
        num y = df::dot(q.head.w, x) + q.head.b;
        for (const auto& r : q.rest) y += df::sum(r * r);
        return y;
    };
    const p58::net g = df::function(df::grad(f))(p, num{3, 4});
    CHECK(g.head.w.to_vector() == std::vector<double>{3, 4});
    CHECK(g.head.b.item() == 1);
    REQUIRE(g.rest.size() == 2);
    CHECK(g.rest[0].to_vector() == std::vector<double>{2, 2});
    CHECK(g.rest[1].item() == 4);
    const num xs = make<double>(mat({{3, 4}, {5, 6}}));
    const p58::net rows = df::pfor(2, [&](df::index i) { return df::grad(f)(p, xs[i]); });
    CHECK(differs(numbers_of(rows.head.w), mat({{3, 4}, {5, 6}}), 0) == "");
    CHECK(differs(numbers_of(rows.rest.at(0)), mat({{2, 2}, {2, 2}}), 0) == "");
}

TEST_CASE("P58 templates, derived classes and other people's classes") {
    check_linear(p58::affine<double>{num{1, 2}, num(3.0)}, parts_of);
    check_linear(p58::foreign{num{1, 2}, num(3.0)}, parts_of);
    p58::derived p;
    p.w = num{1, 2};
    p.b = num(3.0);
    p.extra = num(0.0);
    check_linear(p, parts_of);
}

TEST_CASE("P58 private members") {
    check_linear(p58::hidden(num{1, 2}, num(3.0)), [](const p58::hidden& q) {
        return std::pair<num, num>{q.w(), q.b()};
    });
    const auto f = [](const p58::hidden& q, num x) { return q.at(x); };
    CHECK(df::grad(f)(p58::hidden(num{1, 2}, num(3.0)), num{5, 6}).w().to_vector() == std::vector<double>{5, 6});
}

TEST_CASE("P58 forty members") {
    p58::forty p;
    std::apply(
        [&](auto... m) {
            double k = 0;
            ((p.*m = num(k += 1)), ...);
        },
        p58::forty::df_members());
    const auto f = [](const p58::forty& q) {
        num s(0.0);
        std::apply([&](auto... m) { ((s += q.*m * q.*m), ...); }, p58::forty::df_members());
        return s;
    };
    const p58::forty g = df::grad(f)(p), h = df::function(df::grad(f))(p);
    CHECK(g.a0.item() == 2);
    CHECK(g.d9.item() == 80);
    CHECK(h.a0.item() == 2);
    CHECK(h.d9.item() == 80);
}
