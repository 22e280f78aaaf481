#include "validation/machine_speed.h"

#include <algorithm>
#include <array>
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
  volatile double keep = 0;
  const double now = least_seconds(20, [&] { keep = keep + work(); });  // the least: as the figures it is for
  return std::max(1.0, now / reference_time);
}

namespace {
double least_of_several(double target, const std::function<double()>& measure) {
  constexpr int tries = 6;
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < tries && !(best <= target); ++k) best = std::min(best, measure());
  return best;
}
}  // namespace

Check clock_check(std::string name, double target, const std::function<double()>& measure) {
  // Before and after: what disturbs a measurement comes and goes.
  const double result = least_of_several(target, [&] {
    const double before = machine_slowness(), cost = measure();
    return cost / std::min(before, machine_slowness());
  });
  return at_most(std::move(name) + " (by the clock, of a core of 2.8 GHz)", target, result);
}

Check clock_ratio_check(std::string name, double target, const std::function<double()>& measure) {
  return at_most(std::move(name) + " (by the clock)", target, least_of_several(target, measure));
}

}  // namespace tendril
