// df::function: one trace per signature, whatever the callable; what is data and what is part of the key; failures.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/near.hpp>

#include <atomic>
#include <thread>

namespace {
using num = df::tensor<double>;
num twice(num x) { return x * 2; }
num scaled(const num& x, int k) { return x * k; }

struct doubler {
    double by = 2;
    num operator()(const num& x) const { return x * by; }
};
struct point {
    num x, y;
    int dim = 2;
};
}  // namespace
BOOST_HANA_ADAPT_STRUCT(point, x, y, dim);

TEST_CASE("every kind of callable is a function: lambdas, pointers, objects, mutable and erased ones") {
    const num x{1, 2};
    CHECK(df::function(twice)(x).to_vector() == std::vector<double>{2, 4});
    CHECK(df::function(&twice)(x).to_vector() == std::vector<double>{2, 4});
    CHECK(df::function(scaled)(x, 3).to_vector() == std::vector<double>{3, 6});
    CHECK(df::function(doubler{5})(x).to_vector() == std::vector<double>{5, 10});
    CHECK(df::function([n = 0](num y) mutable { return y * ++n; })(x).to_vector() == std::vector<double>{1, 2});
    CHECK(df::function([](auto y) { return y + 1; })(x).to_vector() == std::vector<double>{2, 3});
    CHECK(df::function(std::function<num(num)>(twice))(x).to_vector() == std::vector<double>{2, 4});
    CHECK(df::function(df::function(twice))(x).to_vector() == std::vector<double>{2, 4});
    CHECK(df::function([] { return num{1, 2} * 2; })().to_vector() == std::vector<double>{2, 4});
    CHECK(df::grad([](num y) { return df::sum(y * y); })(x).to_vector() == std::vector<double>{2, 4});
    CHECK(df::grad(+[](num y) { return df::sum(y * y); })(x).to_vector() == std::vector<double>{2, 4});
}
TEST_CASE("the erased form is a member and an element of containers") {
    struct model {
        df::function<num(num, num)> step;
        std::vector<df::function<num(num)>> layers;
    } m;
    CHECK(!m.step);
    m.step = df::function([](num a, num b) { return a + b; });
    m.layers.emplace_back(twice);
    m.layers.emplace_back(df::grad([](num y) { return y * y * y; }));
    CHECK(m.step(num(1.0), num(2.0)).item() == 3);
    CHECK(m.layers[0](num(2.0)).item() == 4);
    CHECK(m.layers[1](num(2.0)).item() == 12);
    CHECK(df::grad(m.layers[1])(num(2.0)).item() == 12);
    CHECK(df::function(m.step)(num(1.0), num(4.0)).item() == 5);
    CHECK(m.step(1.0, 2).item() == 3);   // a number where a tensor is wanted
}
TEST_CASE("arguments and results are tensors, numbers, tuples, pairs, arrays, vectors and structs of them") {
    const auto f = df::function([](std::tuple<num, std::vector<num>> a, const point& p, std::array<num, 2> b) {
        return std::tuple{std::get<0>(a) + std::get<1>(a).at(1), point{p.x * p.dim, p.y, p.dim}, std::pair{b[0], 1.5}, std::vector{b[1], b[0]}};
    });
    const auto [s, p, pair, v] = f(std::tuple{num(1.0), std::vector<num>{num(2.0), num(3.0)}}, point{num{1, 2}, num(4.0), 3}, std::array{num(5.0), num{6, 7}});
    CHECK(s.item() == 4);
    CHECK(p.x.to_vector() == std::vector<double>{3, 6});
    CHECK(p.dim == 3);
    CHECK(pair.second.item() == 1.5);
    CHECK(v[0].to_vector() == std::vector<double>{6, 7});
    CHECK(f.traces() == 1);
}
TEST_CASE("the key: dtypes, sizes, structure and plain numbers; tensors and floating numbers for them are data") {
    const auto f = df::function([](num x, int k) { return x + k; });
    f(num{1, 2}, 1);
    f(num{3, 4}, 1);
    CHECK(f.traces() == 1);
    f(num{1, 2}, 2);
    f(num{1, 2, 3}, 1);
    f(num(std::vector<double>{1, 2}, {1, 2}), 1);
    CHECK(f.traces() == 4);
    const auto g = df::function([](const std::vector<num>& all) {
        num s(0.0);
        for (auto& x : all) s += x;
        return s;
    });
    CHECK(g(std::vector{num(1.0), num(2.0)}).item() == 3);
    CHECK(g(std::vector{num(1.0), num(2.0), num(3.0)}).item() == 6);
    CHECK(g.traces() == 2);
    const auto h = df::function([](num x) { return x * 3; });
    CHECK(h(2.0).item() == 6);
    CHECK(h(4).item() == 12);
    CHECK(h(num(1.0)).item() == 3);
    CHECK(h.traces() == 1);
    const auto copy = h;
    copy(5.0);
    CHECK(h.traces() == 1);
    const auto named = df::function([](num x, const std::string& s) { return s == "twice" ? x * 2 : x; });
    CHECK(named(num(1.0), std::string("twice")).item() == 2);
    CHECK(named(num(1.0), std::string("once")).item() == 1);
    CHECK(named.traces() == 2);
}
TEST_CASE("eight threads that call first make one trace") {
    std::atomic<int> runs{0}, right{0};
    const auto f = df::function([&](num x) {
        ++runs;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return x * 2;
    });
    std::vector<std::thread> all;
    for (int t = 0; t < 8; ++t) all.emplace_back([&, t] { right += f(num(static_cast<double>(t))).item() == 2 * t; });
    for (auto& t : all) t.join();
    CHECK(runs == 1);
    CHECK(right == 8);
    CHECK(f.traces() == 1);
}
TEST_CASE("a first call that fails in one thread lets the next one trace") {
    std::atomic<int> runs{0}, failed{0}, right{0};
    const auto f = df::function([&](num x) {
        const int run = ++runs;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (run == 1) throw std::runtime_error("first");
        return x + 1;
    });
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&] {
            try {
                right += f(num(1.0)).item() == 2;
            } catch (const std::runtime_error&) {
                ++failed;
            }
        });
    for (auto& t : all) t.join();
    CHECK(failed == 1);
    CHECK(right == 3);
    CHECK(f.traces() == 1);
}
TEST_CASE("a failed trace leaves nothing, at any depth") {
    const auto f = df::function([](num x, bool bad) {
        return df::pfor(2, [&](df::index i) {
            return df::grad([&](num y) {
                const auto z = y * y + df::cast<double>(i);
                if (bad) (void)(num{1, 2} + num{1, 2, 3});
                return z;
            })(x);
        });
    });
    DF_THROWS_WITH(f(num(3.0), true), df::shape_error, "add", "function_test.cpp");
    CHECK(f.traces() == 0);
    CHECK((num(1.0) + 1).item() == 2);
    CHECK(f(num(3.0), false).to_vector() == std::vector<double>{6, 6});
    CHECK(f.traces() == 1);
}
TEST_CASE("the cache is bounded; the least recently used signature goes") {
    const auto f = df::function([](num x, int k) { return x + k; }, {.cache_size = 2});
    f(num(1.0), 1);
    f(num(1.0), 2);
    f(num(1.0), 1);
    f(num(1.0), 3);   // 2 goes
    CHECK(f.traces() == 3);
    f(num(1.0), 1);
    CHECK(f.traces() == 3);
    f(num(1.0), 2);
    CHECK(f.traces() == 4);
}
TEST_CASE("a function that calls itself with the same signature is an error") {
    df::function<num(num)> self;
    const auto f = df::function([&](num x) { return self(x) + 1; });
    self = f;
    DF_THROWS_WITH(f(num(1.0)), df::trace_error, "it calls itself", "function_test.cpp");
    CHECK(f.traces() == 0);
    df::function<num(num, int)> power;   // on host numbers it ends
    const auto g = df::function([&](num x, int k) { return k == 0 ? num(1.0) : x * power(x, k - 1); });
    power = g;
    CHECK(g(num(2.0), 5).item() == 32);
}
TEST_CASE("a staged value of a trace that is over names its birthplace") {
    num leaked;
    const auto f = df::function([&](num x) {
        leaked = x * 2;
        return x;
    });
    const std::string line = "function_test.cpp:" + std::to_string(__LINE__ - 3);
    f(num(1.0));
    DF_THROWS_WITH(leaked + 1, df::trace_error, line);
    DF_THROWS_WITH(leaked.item(), df::trace_error, line);
    DF_THROWS_WITH(df::function([&](num x) { return x + leaked; })(num(1.0)), df::trace_error, "a trace that is over", line);
}
TEST_CASE("an inner function takes the outer trace's values as hidden inputs") {
    const auto outer = df::function([](num x, num y) {
        const auto inner = df::function([&](num z) { return z * x; });
        return inner(y) + inner(y + 1);
    });
    CHECK(outer(num(2.0), num(3.0)).item() == 14);
    CHECK(outer(num(5.0), num(3.0)).item() == 35);
    CHECK(outer.traces() == 1);
    const auto shared = df::function([](num z) { return z * 10; });
    const auto user = df::function([&](num x) { return shared(x) + shared(x + 1); });
    CHECK(user(num(1.0)).item() == 30);
    CHECK(user(num(2.0)).item() == 50);
    CHECK(shared.traces() == 1);
    CHECK(df::grad([&](num x) { return shared(x) * shared(x); })(num(1.0)).item() == 200);
}
TEST_CASE("captured concrete tensors are seen as they were when the trace was made") {
    num scale(2.0);
    const auto f = df::function([&](num x) { return x * scale; });
    CHECK(f(num(3.0)).item() == 6);
    scale = num(10.0);
    CHECK(f(num(3.0)).item() == 6);
}
TEST_CASE("a static parameter checks what comes") {
    const auto f = df::function([](df::tensor<double, 2> x) { return x + 1; });
    CHECK(f(num{1, 2}).to_vector() == std::vector<double>{2, 3});
    static_assert(std::same_as<decltype(f(num{1, 2})), df::tensor<double, 2>>);
    DF_THROWS_WITH(f(num{1, 2, 3}), df::shape_error, "double[3]", "[2]", "function_test.cpp");
}
TEST_CASE("a function shows its graph at every stage") {
    const auto f = df::function([](num x) { return x * 2 + 1; });
    CHECK(df::print(f.traced(num{1, 2})).find("multiply") != std::string::npos);
    CHECK(df::print(f.graph(num{1, 2})) == df::print(f.graph(num{3, 4})));
    CHECK(df::dot(f.graph(num{1, 2})).rfind("digraph", 0) == 0);
    CHECK(f.stages(num{1, 2}).size() > 5);
    CHECK(f.traces() == 1);
}
