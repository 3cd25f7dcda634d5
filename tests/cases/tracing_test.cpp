// How often a function is traced, what host values mean in it, and what happens to values that leave their trace.
#include "modes.hpp"

#include <thread>

using namespace cases;

TEST_CASE("P40 a thousand functions made, called and destroyed each keep their own captured number") {
    for (int k = 0; k < 1000; ++k) {
        const auto f = df::function([k](num x) { return x + k; });
        REQUIRE(f(num(0.5)).item() == 0.5 + k);
    }
    for (int k = 0; k < 100; ++k) {  // destroyed on another thread
        auto f = df::function([k](num x) { return x + k; });
        REQUIRE(f(num(0.5)).item() == 0.5 + k);
        std::thread([g = std::move(f)] { (void)g; }).join();
    }
}

TEST_CASE("P41 one trace per shape and per dtype") {
    const auto f = df::function([](auto x) { return x + 1; });
    using narrow = df::tensor<float>;
    CHECK(f(narrow{1, 2, 3}).to_vector() == std::vector<float>{2, 3, 4});
    CHECK(f(narrow{1, 2, 3, 4}).to_vector() == std::vector<float>{2, 3, 4, 5});
    CHECK(f.traces() == 2);
    CHECK(f(narrow{4, 5, 6}).to_vector() == std::vector<float>{5, 6, 7});
    CHECK(f.traces() == 2);
    CHECK(f(num{4, 5, 6}).to_vector() == std::vector<double>{5, 6, 7});
    CHECK(f.traces() == 3);
}

TEST_CASE("P41 a host floating number is data for a tensor and for an auto parameter; an integer or bool is part of "
          "the key") {
    const auto typed = df::function([](num x) { return x * 2; });
    const auto generic = df::function([](auto x) { return x * 2; });
    for (int k = 0; k < 100; ++k) {
        const double x = 0.5 * k;
        CHECK(typed(x).item() == 2 * x);
        CHECK(generic(x).item() == 2 * x);
    }
    CHECK(typed.traces() == 1);
    CHECK(generic.traces() == 1);
    const auto shifted = df::function([](num x, int k) { return x + k; });
    const auto turned = df::function([](num x, bool turn) { return turn ? -x : x; });
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < 3; ++k) CHECK(shifted(num(1.0), k).item() == 1.0 + k);
        CHECK(turned(num(1.0), true).item() == -1);
        CHECK(turned(num(1.0), false).item() == 1);
    }
    CHECK(shifted.traces() == 3);
    CHECK(turned.traces() == 2);
}

TEST_CASE("P41 a captured host number is the one of the trace") {
    double scale = 2;
    const auto f = df::function([&](num x) { return x * scale; });
    CHECK(f(num(3.0)).item() == 6);
    scale = 10;
    CHECK(f(num(3.0)).item() == 6);
    CHECK(f(num{1, 2}).to_vector() == std::vector<double>{10, 20});  // a new signature is a new trace
}

TEST_CASE("P43 a host decision on a staged value names the place and the form to use") {
    const auto in_if = df::function([](num x) {
        if (x > 0) return x * 2;
        return -x;
    });
    const auto in_while = df::function([](num x) {
        while (x < 10) x = x * 2;
        return x;
    });
    const auto in_choice = df::function([](num x) { return x > 0 ? x : -x; });
    DF_THROWS_WITH(in_if(num(1.0)), df::trace_error, "tracing_test.cpp", "df::cond");
    DF_THROWS_WITH(in_while(num(1.0)), df::trace_error, "tracing_test.cpp", "df::");
    DF_THROWS_WITH(in_choice(num(1.0)), df::trace_error, "tracing_test.cpp", "df::");
    DF_THROWS_WITH(df::function([](num x) { return num(x.item()); })(num(1.0)), df::trace_error, "item",
                   "tracing_test.cpp");

    num x(1.0);
    if (x > 0) x = x * 2;
    while (x < 10) x = x * 2;
    CHECK((x > 0 ? x : -x).item() == 16);
}

TEST_CASE("P47 a long eager loop keeps its value") {
    num t(0.0);
    for (int k = 0; k < 256000; ++k) t = 0.1 * t + 0.9 * 1;
    CHECK(std::abs(t.item() - 1) < 1e-12);
}

TEST_CASE("P47 the gradient of a very long chain, and the end of its graph, need no deep stack") {
    const int steps = df_test::runs(100'000, 1'000'000);
    const auto f = [steps](num x) {
        num s = x;
        for (int k = 0; k < steps; ++k) s += 0.5 * x;
        return s;
    };
    CHECK(f(num(1.0)).item() == 1 + 0.5 * steps);
    CHECK(std::abs(df::grad(f)(num(1.0)).item() - (1 + 0.5 * steps)) < 1e-6);
    CHECK(std::abs(df::function(df::grad(f))(num(1.0)).item() - (1 + 0.5 * steps)) < 1e-6);
}

TEST_CASE("TL1 a value kept from a trace that is over is refused at its next use, eager, in a trace, and as a number") {
    num kept;
    const auto f = df::function([&](num y) {
        kept = y * 1;
        return y + 2;
    });
    CHECK(f(num(7.0)).item() == 9);
    DF_THROWS_WITH(kept.item(), df::trace_error, "tracing_test.cpp");
    DF_THROWS_WITH(kept + 1, df::trace_error, "tracing_test.cpp");
    DF_THROWS_WITH(df::function([&](num z) { return z + kept; })(num(1.0)), df::trace_error, "tracing_test.cpp");
    CHECK(f(num(7.0)).item() == 9);

    num row;
    const num x{1, 2, 3};
    const num doubled = df::pfor(3, [&](df::index i) {
        row = x[i];
        return row * 2;
    });
    CHECK(doubled.to_vector() == std::vector<double>{2, 4, 6});
    DF_THROWS_WITH(row + 1, df::trace_error, "tracing_test.cpp");
    DF_THROWS_WITH(df::function([&](num z) { return z + row; })(num(1.0)), df::trace_error, "tracing_test.cpp");
}

TEST_CASE("TL3 an inner function that captures the outer value is not mixed up between calls") {
    const auto f = [](num x) {
        const auto inner = df::function([=](num y) { return y * x; });
        return inner(num(4.0)) + inner(num(5.0));
    };
    check_derivative(f, {{scalar(5), scalar(45), scalar(9)}, {scalar(6), scalar(54), scalar(9)}});
    const auto traced = df::function(f);
    const auto slope = df::function(df::grad(f));
    for (double x : {5.0, 6.0}) {
        CHECK(traced(x).item() == 9 * x);
        CHECK(slope(x).item() == 9);
    }
}

TEST_CASE("TL4 an inner function that captures the outer argument sees each call's own") {
    const auto f = df::function([](num x) {
        const auto inner = df::function([=](num y) { return df::concatenate({y, x}); });
        return inner(x);
    });
    (void)f.graph(num{1});
    CHECK(f(num{1}).to_vector() == std::vector<double>{1, 1});
    CHECK(f(num{3}).to_vector() == std::vector<double>{3, 3});
    CHECK(f(num{1, 2}).to_vector() == std::vector<double>{1, 2, 1, 2});
}

TEST_CASE("A trace that fails leaves nothing behind") {
    int runs = 0;
    const auto f = df::function([&](num x, bool fail) {
        ++runs;
        const num y = x * 2;
        if (fail) throw std::runtime_error("mine");
        return y;
    });
    CHECK_THROWS_WITH(f(num(1.0), true), "mine");
    CHECK(f.traces() == 0);
    CHECK(f(num(1.0), false).item() == 2);
    CHECK_THROWS_WITH(f(num(1.0), true), "mine");
    CHECK(runs == 3);
    CHECK((num(1.0) + 1).item() == 2);  // eager work goes on
}

TEST_CASE("AL1 a tensor made from a host buffer does not change with it") {
    std::vector<double> host{42};
    const num b(host);
    const auto f = df::function([=](num x) { return x + b; });
    CHECK(f(num(0.0)).to_vector() == std::vector<double>{42});
    host[0] = 24;
    CHECK(b.to_vector() == std::vector<double>{42});
    CHECK(f(num(0.0)).to_vector() == std::vector<double>{42});
    std::vector<double> out = b.to_vector();
    out[0] = 1;
    CHECK(b.to_vector() == std::vector<double>{42});
}

TEST_CASE("AL2 a row taken before its base is replaced keeps its value") {
    check_values(
        [](const many& in) -> many {
            const auto f = [](num y) {
                num x = df::zeros<double>({2, 3});
                const num v = x[0];
                x = y;
                x += 1;
                return v;
            };
            return {f(in[0]), df::jacrev(f)(in[0])};
        },
        {{{mat({{1, 2, 3}, {4, 5, 6}})}, {filled({3}, 0), filled({3, 2, 3}, 0)}},
         {{mat({{2, 4, 6}, {8, 10, 12}})}, {filled({3}, 0), filled({3, 2, 3}, 0)}}});
}

TEST_CASE("AL3 two arguments that are one tensor are two values") {
    const auto f = df::function([](num a, num b) {
        a += 1;
        return std::tuple{a, b + 1};
    });
    const num one = df::ones<double>({2}), other = df::ones<double>({2});
    const auto check = [](const auto& result) {
        CHECK(std::get<0>(result).to_vector() == std::vector<double>{2, 2});
        CHECK(std::get<1>(result).to_vector() == std::vector<double>{2, 2});
    };
    check(f(one, other));
    check(f(one, one));
    check(f(other, one));
    CHECK(one.to_vector() == std::vector<double>{1, 1});
    const auto fresh = df::function([](num a, num b) {
        a += 1;
        return b + 1;
    });
    CHECK(fresh(one, one).to_vector() == std::vector<double>{2, 2});
    CHECK(fresh(one, other).to_vector() == std::vector<double>{2, 2});
}
