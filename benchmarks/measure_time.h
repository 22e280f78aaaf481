// Google Benchmark as a function: times a piece of work and tells the median.
#pragma once

#include <functional>

namespace tendril {

struct Work {
  std::function<void()> prepare;  // before each run, not timed
  std::function<void()> run;
};
// Nanoseconds of processor time that one run takes: median of five repetitions, each as many runs as fill `seconds`.
double measure_time(const Work& work, double seconds = 0.1);

}  // namespace tendril
