// A user's own derivative: where the rule is used, and what it may capture.
#include "modes.hpp"

using namespace cases;

namespace {
auto softplus_as_coded() {
    return df::custom_vjp([](num x) { return df::log(1 + df::exp(x)); },
                          [](num x, num cotangent) { return cotangent * df::sigmoid(x); });
}
}  // namespace

TEST_CASE("P19 the value is as coded, the derivative is the rule's, and the rule is differentiated in turn") {
    const auto f = softplus_as_coded();
    check_values(
        [=](const many& in) -> many {
            return {f(in[0]), df::grad(f)(in[0]), df::jacrev(f)(in[0]), df::jacfwd(f)(in[0])};
        },
        {{{scalar(1000)}, {scalar(inf), scalar(1), scalar(1), scalar(1)}},
         {{scalar(0)}, {scalar(std::log(2.0)), scalar(0.5), scalar(0.5), scalar(0.5)}}});
    check_values(
        [=](const many& in) -> many {
            return {df::grad(df::grad(f))(in[0]), df::jacrev(df::grad(f))(in[0]), df::hessian(f)(in[0])};
        },
        {{{scalar(0)}, {scalar(0.25), scalar(0.25), scalar(0.25)}}});
}

TEST_CASE("P19 the rule works under map, in a jacobian of several outputs, and nested in another rule") {
    const auto f = softplus_as_coded();
    const num x{0, 1000, -1000};
    CHECK(differs(numbers_of(df::map(df::grad(f))(x)), vec({0.5, 1, 0}), 1e-15) == "");
    CHECK(differs(numbers_of(df::jacobian([=](num v) { return df::map(f)(v); })(x)), diagonal({0.5, 1, 0}), 1e-15) ==
          "");
    const auto outer =
        df::custom_vjp([=](num v) { return f(v) * 2; }, [=](num v, num ct) { return 2 * ct * df::grad(f)(v); });
    check_values(
        [=](const many& in) -> many {
            return {df::grad(outer)(in[0]), df::grad([=](num v) { return outer(v) * v; })(in[0])};
        },
        {{{scalar(0)}, {scalar(1), scalar(2 * std::log(2.0))}}});
}

TEST_CASE("P19 a rule that captures a value of the enclosing trace works in lanes") {
    check_values(
        [](const many& in) -> many {
            const num w = in[1];
            const auto scaled = df::custom_vjp([=](num x) { return x * w; }, [=](num, num ct) { return 3 * w * ct; });
            return {scaled(in[0]), df::grad(scaled)(in[0])};
        },
        {{{scalar(2), scalar(5)}, {scalar(10), scalar(15)}}, {{scalar(1), scalar(-1)}, {scalar(-1), scalar(-3)}}});
}

TEST_CASE("P19 the derivative by what the rule captures is right or refused by name, never silently zero") {
    const auto through = [](num w) {
        const auto scaled = df::custom_vjp([=](num x) { return x * w; }, [=](num, num ct) { return w * ct; });
        return scaled(num(7.0));
    };
    std::string text;
    const std::string got = outcome([&]() -> num {
        try {
            return df::grad(through)(num(2.0));
        } catch (const df::error& error) {
            text = error.what();
            throw;
        }
    });
    if (got == "error") CHECK(df_test::missing(text, {"custom_vjp"}) == "");
    else CHECK(got == outcome([] { return num(7.0); }));
}

TEST_CASE("TL2 an inner function that captures the lane's value, called with an invariant argument") {
    const num xs{1, 10}, y(2.0);
    const auto plain = df::pfor(2, [&](df::index i) {
        const num x = xs[i];
        const auto inner = [=](num) { return x; };
        const auto ruled = df::custom_vjp([=](num v) { return x * v; }, [=](num, num ct) { return ct * x; });
        return std::tuple{inner(y), ruled(y), df::grad(ruled)(y)};
    });
    CHECK(differs(numbers_of(std::get<0>(plain)), vec({1, 10}), 0) == "");
    CHECK(differs(numbers_of(std::get<1>(plain)), vec({2, 20}), 0) == "");
    CHECK(differs(numbers_of(std::get<2>(plain)), vec({1, 10}), 0) == "");
    check_values(
        [=](const many& in) -> many {
            const auto with_inner = [=](num x) {
                const auto inner = df::function([=](num v) { return x * v; });
                return inner(y);
            };
            return {df::grad([](num x) { return x; })(in[0]), df::grad(with_inner)(in[0])};
        },
        {{{scalar(1)}, {scalar(1), scalar(2)}}, {{scalar(10)}, {scalar(1), scalar(2)}}});
}
