// Judging by the clock on a machine that others use too. The kernel counts how long each thread of this process was ready to
// run and had no processor, and how long the machine itself was kept from running (steal): a try in which that was much says
// nothing about this program.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "testing/sentence.h"

namespace tendril {

class MachineWatch {
 public:
  MachineWatch() : started_(Clock::now()), waited_(waited()) {}
  // Threads of this process had to wait for more than a hundredth of the time since, and more than a frame's.
  bool disturbed() const { return waited() - waited_ > std::max(0.015, 0.01 * seconds()); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }
  // Done within `most` seconds since; where other programs took the processor, within ten times that.
  bool in_time(double most) const { return seconds() < most || (disturbed() && seconds() < 10 * most); }

 private:
  using Clock = std::chrono::steady_clock;
  static double waited() {  // [s]; threads that ended are not in it
    double sum = 0;
    std::error_code error;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
      std::ifstream file(thread.path() / "schedstat");
      double ran = 0, ready = 0;  // [ns]
      if (file >> ran >> ready) sum += 1e-9 * ready;
    }
    std::ifstream machine("/proc/stat");
    std::string cpu;
    double ticks[8] = {};  // user nice system idle iowait irq softirq steal
    machine >> cpu;
    for (double& t : ticks) machine >> t;
    return sum + ticks[7] / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  Clock::time_point started_;
  double waited_;
};

// Whether `attempt` holds. It may fail as often as other programs disturb it, and twice more; where they never stop, nothing
// is judged and a line says so.
template <class Attempt>
::testing::AssertionResult holds_undisturbed(const Attempt& attempt) {
  constexpr int most_tries = 12, most_failures = 3;
  int failures = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    const MachineWatch watch;
    if (attempt()) return ::testing::AssertionSuccess();
    if (!watch.disturbed() && ++failures == most_failures)
      return ::testing::AssertionFailure() << "failed " << failures << " times while no other program took the processor";
  }
  std::printf("not judged: other programs took the processor in each of %d tries\n", most_tries);
  return ::testing::AssertionSuccess();
}

}  // namespace tendril
