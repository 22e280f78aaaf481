// What is judged by the clock is judged alike on a slow or busy machine: costs over the slowness of the machine beside them, the least
// of several measurements. One measurement on a busy machine proves nothing; the bound itself is what is asked for on an idle core.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <string>

#include "validation/experiment.h"

namespace tendril {

// Time of a fixed piece of arithmetic now, over its time on a core of about 2.8 GHz; 1 where it is quicker.
double machine_slowness();

// Seconds of the quickest of `times` runs.
template <class Run>
double least_seconds(int times, const Run& run) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < times; ++k) {
    const Clock::time_point start = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// Costs at most `target` on a core of 2.8 GHz. `measure` is asked again, a few times, while it says more.
Check clock_check(std::string name, double target, const std::function<double()>& measure);
// The same for ratios of times in one run, which need no machine to compare with.
Check clock_ratio_check(std::string name, double target, const std::function<double()>& measure);

}  // namespace tendril
