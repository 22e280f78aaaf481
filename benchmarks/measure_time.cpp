#include "benchmarks/measure_time.h"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace tendril {
namespace {

// Keeps the median and prints nothing: standard output belongs to the program.
class Median final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name == "median") nanoseconds = run.GetAdjustedCPUTime();
    }
  }
  double nanoseconds = 0;
};

}  // namespace

double measure_time(const Work& work, double seconds) {
  benchmark::RegisterBenchmark("work",
                               [&work](benchmark::State& state) {
                                 for (auto _ : state) {
                                   state.PauseTiming();
                                   if (work.prepare) work.prepare();
                                   state.ResumeTiming();
                                   work.run();
                                 }
                               })
      ->MinTime(seconds)
      ->Repetitions(5)
      ->Unit(benchmark::kNanosecond);
  Median median;
  benchmark::RunSpecifiedBenchmarks(&median, "work");
  benchmark::ClearRegisteredBenchmarks();
  if (!(median.nanoseconds > 0)) throw std::runtime_error("Google Benchmark gave no time");
  return median.nanoseconds;
}

}  // namespace tendril
