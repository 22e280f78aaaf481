#include "validation/machine_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace tendril {
namespace {

constexpr double reference_time = 1.5e-3;  // [s], on one core of a 2.8 GHz Xeon or an EPYC of its age

// Chains of products, a quotient and a root over an array that fits the first cache, as kernels of rods do.
double work() {
  std::array<double, 2048> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + 1e-3 * static_cast<double>(i);
  double sum = 0;
  for (int round = 0; round < 40; ++round) {
    for (std::size_t i = 3; i < x.size(); ++i) {
      const double a = x[i - 1] * x[i - 2] - x[i] * x[i - 3], b = std::sqrt(1 + a * a);
      x[i] = 0.5 * (x[i] + x[i - 1] / b);
    }
    sum += x[x.size() - 1];
  }
  return sum;
}

}  // namespace

double machine_slowness() {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  volatile double keep = 0;
  for (int again = 0; again < 20; ++again) {  // the least: as the figures it is for
    const Clock::time_point start = Clock::now();
    keep = keep + work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best / reference_time;
}

Check clock_check(std::string name, double target, double result) {
  constexpr double allowance = 3;
  const double bound = allowance * target * std::max(1.0, machine_slowness());
  return {fmt::format("{} (by the clock: fails beyond {:.2g} on this machine)", name, bound),
          target,
          result,
          std::max(0.0, result - bound),
          0,
          result <= bound};
}

}  // namespace tendril
