// Registers benchmarks, keeps their medians and prints the ratios between them at the end.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

inline double smallest(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }

// Times f(), which returns its result so that nothing is optimized away; one warm call is not counted.
template <class F> benchmark::internal::Benchmark* add(const std::string& name, benchmark::TimeUnit unit, F f) {
    auto body = [f = std::move(f)](benchmark::State& state) mutable {
        auto once = [&f] {
            if constexpr (std::is_void_v<decltype(f())>) {
                f();
                benchmark::ClobberMemory();
            } else {
                auto result = f();
                benchmark::DoNotOptimize(result);
            }
        };
        once();
        for (auto _ : state) once();
    };
    return benchmark::RegisterBenchmark(name.c_str(), std::move(body))
        ->Unit(unit)
        ->UseRealTime()
        ->Repetitions(5)
        ->DisplayAggregatesOnly()
        ->ComputeStatistics("min", smallest);
}

// A console reporter that remembers the median seconds of every benchmark.
class medians : public benchmark::ConsoleReporter {
public:
    medians() : ConsoleReporter(OO_Tabular) {}
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            const bool counts =
                run.run_type == Run::RT_Aggregate ? run.aggregate_name == "median" : run.repetitions == 1;
            if (counts && !run.error_occurred)
                seconds_[run.run_name.function_name] =
                    run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
        }
        ConsoleReporter::ReportRuns(runs);
    }
    // One line "slow ÷ fast" with what is wanted of it; nothing if either did not run.
    void ratio(const std::string& over, const std::string& under, const char* wanted = "") const {
        auto a = seconds_.find(over), b = seconds_.find(under);
        if (a != seconds_.end() && b != seconds_.end())
            std::printf("%-28s : %-28s %8.2f  %s\n", over.c_str(), under.c_str(), a->second / b->second, wanted);
    }
    // One line with the time per item of a benchmark that does several.
    void each(const std::string& name, double items, const char* item, const char* wanted = "") const {
        if (auto a = seconds_.find(name); a != seconds_.end())
            std::printf("%-28s %12.4f µs per %s  %s\n", name.c_str(), 1e6 * a->second / items, item, wanted);
    }

private:
    std::map<std::string, double> seconds_;
};

}  // namespace bench
