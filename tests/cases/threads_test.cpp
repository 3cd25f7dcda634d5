// Many threads: own functions, shared ones, one tracing while others run, errors inside lanes.
#include "modes.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

using namespace cases;

namespace {

// Runs work(0) ... work(n - 1) on n threads; the number of calls that returned false, or threw.
int failures(int n, const std::function<bool(int)>& work) {
    std::atomic<int> bad{0};
    std::mutex guard;
    std::string text;
    std::vector<std::thread> threads;
    for (int t = 0; t < n; ++t)
        threads.emplace_back([&, t] {
            try {
                if (!work(t)) ++bad;
            } catch (const std::exception& error) {
                ++bad;
                const std::lock_guard lock(guard);
                text += std::string(error.what()) + "\n";
            }
        });
    for (auto& thread : threads) thread.join();
    INFO(text);
    CHECK(text == "");
    return bad;
}

bool near(double got, double want) { return std::abs(got - want) <= 1e-12 * std::abs(want); }

}  // namespace

TEST_CASE("P46 eight threads, each with its own function and one shared, traced by whoever comes first") {
    const auto shared = df::function([](num x) { return df::sum(x * x); });
    const auto slope = df::function(df::grad([](num x) { return df::sum(df::exp(x)); }));
    const int calls = df_test::runs(1000, 20000);
    CHECK(failures(8, [&](int t) {
              const auto own = df::function([t](num x) { return x * 2 + t; });
              bool right = true;
              for (int k = 0; k < calls; ++k) {
                  const double x = 0.001 * k;
                  right &= own(num(x)).item() == x * 2 + t;
                  right &= near(shared(num{x, 1}).item(), x * x + 1);
                  right &= near(slope(num{x, 0}).to_vector()[0], std::exp(x));
              }
              return right;
          }) == 0);
    CHECK(shared.traces() == 1);
    CHECK(slope.traces() == 1);
}

TEST_CASE("P46 one thread traces while others run eager ops, gradients and loops of lanes") {
    const int calls = df_test::runs(60, 2000);
    CHECK(failures(8, [&](int t) {
              bool right = true;
              for (int k = 0; k < calls; ++k) {
                  const double x = 1 + 0.01 * k + t;
                  if (t % 4 == 0) {
                      const auto f = df::function([k](num v) { return v * 2 + k; });
                      right &= f(num(x)).item() == x * 2 + k;
                  } else if (t % 4 == 1) {
                      for (int j = 0; j < 20; ++j) right &= (num(x) * 2 + j).item() == x * 2 + j;
                  } else if (t % 4 == 2) {
                      right &= near(df::grad([](num v) { return v * v * v; })(num(x)).item(), 3 * x * x);
                  } else {
                      const num rows{x, 2, 3};
                      const num r = df::pfor(3, [&](df::index i) { return rows[i] * rows[i]; });
                      right &= r.to_vector() == std::vector<double>{x * x, 4, 9};
                  }
              }
              return right;
          }) == 0);
}

TEST_CASE("TH1 two threads trace, run and differentiate fresh functions all the time") {
    const int rounds = df_test::runs(100, 1000);
    CHECK(failures(2, [&](int t) {
              bool right = true;
              for (int k = 0; k < rounds; ++k) {
                  const auto body = [t](num x) -> num { return t == 0 ? 2 * x : x * x; };
                  right &= df::function(body)(num(3.0)).item() == (t == 0 ? 6 : 9);
                  right &= df::function(df::grad(body))(num(3.0)).item() == (t == 0 ? 2 : 6);
              }
              return right;
          }) == 0);
}

TEST_CASE("TH2 copies of one function on four threads give right jacobians") {
    const auto f = [](num x) {
        std::vector<num> y{num(1.0)};
        for (int p = 1; p < 4; ++p) y.push_back(y.back() * x[p - 1]);
        return df::stack({y[0], y[1], y[2], y[3]});
    };
    const auto jacobian = df::function(df::jacobian(f));
    numbers at_zero = filled({4, 4}, 0), at_ones = filled({4, 4}, 0);
    at_zero.v[4] = 1;
    for (std::size_t p = 0; p < 4; ++p)
        for (std::size_t j = 0; j < p; ++j) at_ones.v[p * 4 + j] = 1;
    CHECK(failures(4, [&](int) {
              const auto own = jacobian;
              bool right = true;
              for (int k = 0; k < 100; ++k) {
                  right &= differs(numbers_of(own(df::zeros<double>({4}))), at_zero, 0).empty();
                  right &= differs(numbers_of(own(df::ones<double>({4}))), at_ones, 0).empty();
              }
              return right;
          }) == 0);
}

TEST_CASE("TH3 a lane that fails is one error that can be caught, and the next run is right") {
    const num table{0, 10, 20, 30};
    const auto pick = [&](const ints& at) {
        return df::pfor(8, [&](df::index i) { return df::take(table, at[i], 0); });
    };
    const auto traced = df::function([=](ints at) { return pick(at); });
    const ints good{0, 1, 2, 3, 3, 2, 1, 0}, bad{0, 1, 2, 3, 3, 99, 1, 0};
    const std::vector<double> right{0, 10, 20, 30, 30, 20, 10, 0};
    CHECK(traced(good).to_vector() == right);
    for (int k = 0; k < 3; ++k) {
        DF_THROWS_WITH(pick(bad), df::error, "gather", "99");
        DF_THROWS_WITH(traced(bad), df::error, "gather", "99", "threads_test.cpp");
        CHECK(num(pick(good)).to_vector() == right);
        CHECK(traced(good).to_vector() == right);
    }
}

TEST_CASE("TH4 small constants made and dropped on eight threads") {
    const int rounds = df_test::runs(2000, 10000);
    CHECK(failures(8, [&](int) {
              bool right = true;
              for (int k = 0; k < rounds; ++k)
                  right &= (num(3.0) * df::ones<double>({2, 2})).to_vector() == std::vector<double>{3, 3, 3, 3};
              return right;
          }) == 0);
}

TEST_CASE("One concrete tensor is read by many threads at once") {
    const num shared = make<double>(wave({100}));
    const std::vector<double> want = shared.to_vector();
    CHECK(failures(8, [&](int) {
              bool right = true;
              for (int k = 0; k < 200; ++k) {
                  const num copy = shared;
                  right &= (copy + 0).to_vector() == want && copy[df::slice(0, 100)].to_vector() == want;
              }
              return right;
          }) == 0);
}
