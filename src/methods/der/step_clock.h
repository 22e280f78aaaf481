// Where the time of a step goes, by the columns of Table 1.  [Bergou 2008]
// A Der has none unless it is given one, and then reads the clock once at the end of each part of a step.
#pragma once

#include <array>
#include <chrono>

namespace tendril::der {

enum class Part { forces, finding, contact, projection, frames };  // finding: what touches; contact: the answer to it
inline constexpr int parts = 5;

class StepClock {
 public:
  void start() { last_ = Clock::now(); }
  void lap(Part part) {
    const Clock::time_point now = Clock::now();
    seconds_[static_cast<std::size_t>(part)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  double seconds(Part part) const { return seconds_[static_cast<std::size_t>(part)]; }
  double total() const {
    double sum = 0;
    for (const double s : seconds_) sum += s;
    return sum;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_;
  std::array<double, parts> seconds_{};
};

}  // namespace tendril::der
