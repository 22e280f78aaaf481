// Michell's instability: a ring of straight rod, its ends turned against each other by theta before they are welded, stays a
// flat circle until theta reaches 2 pi sqrt(3) alpha/beta.
// [Bergou 2008, sec. 9.1 and Fig. 8; ERRATA D20, D24; REFERENCES 4c]
//
// The border is found twice: from motion (a seed of 1e-4 R in mode 2 grows tenfold) and from the pivots of the Hessian. Both
// are compared with the threshold of the polygon itself, C_n alpha/beta; C_n goes to 2 pi sqrt(3) as 1/n^2.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <memory>
#include <stdexcept>

#include "math/elementary.h"
#include "methods/der/der.h"
#include "validation/experiment.h"

namespace tendril::experiments::der_michell {
namespace {

// alpha = 1, R = 1, mass per length = 1: time is counted in sqrt(rho R^4/alpha).
constexpr double seed = 1e-4, growth = 10;
constexpr double michell = 10.88279619;                                   // 2 pi sqrt(3)
constexpr double threshold_50 = 11.01969229, threshold_100 = 10.9168467;  // REFERENCES 4c
// Past the threshold the amplitude grows like cosh(sigma t), sigma of the order of 2 sqrt(2 (theta/theta_c - 1)): after 60
// units of time tenfold growth shows where theta is a thousandth above, a tenth of what is allowed.
constexpr double patience = 60;
// Of the bending stiffness of a segment: far above the rounding of the rigid motions (1e-13), far below what mode 2 gains
// when theta changes by 1e-5 of itself.
constexpr double no_stiffness = 1e-10;
constexpr double pivot_tolerance = 1e-5;  // what the bisection resolves

Scene ring(int n, double beta, double theta, double displacement) {
  Scene scene;
  Rod rod;
  rod.name = "ring";
  const double edge = 2 * math::sin(math::pi / n);
  rod.section = StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = beta, .mass_per_length = 1, .radius = 0.01};
  rod.rest = StraightCurve{Vec3::Zero(), Vec3(n * edge, 0, 0)};
  PolylineCurve circle;
  circle.closed = true;
  for (int k = 0; k < n; ++k) {
    const double phi = math::two_pi * k / n;
    circle.points.emplace_back(math::cos(phi), math::sin(phi), displacement * math::cos(2 * phi));
  }
  rod.initial = circle;
  rod.initial_twist = theta / math::two_pi;
  rod.segments = n;
  scene.rods = {rod};
  return scene;
}

der::Der make(const Scene& scene) {
  const auto model = std::make_shared<const Model>(*build_model(scene));
  return {model, der::Settings{}};
}

bool unstable_by_pivots(int n, double beta, double theta) {
  return make(ring(n, beta, theta, 0)).negative_pivots(0, {}, no_stiffness) > 0;
}

// Amplitude of the second Fourier mode of z; tilting the ring does not change it.
double mode_2(const Frame& frame) {
  std::complex<double> sum = 0;
  const int n = frame.position.size();
  for (int k = 0; k < n; ++k) sum += frame.position[NodeIndex{k}].z() * std::polar(1.0, -2 * math::two_pi * k / n);
  return 2 * std::abs(sum) / n;
}

struct Motion2 {
  double largest = 0;  // amplitude over that of the start
  bool unstable = false;
};
Motion2 move(int n, double beta, double theta) {
  const Scene scene = ring(n, beta, theta, seed);
  const auto model = std::make_shared<const Model>(*build_model(scene));
  const double dt = der::advise(*model, Options(der::entry().info.options, {})).advised;
  der::Der der(model, der::Settings{});
  Frame frame = model->initial;
  const double start = mode_2(frame);
  Motion2 result;
  const int steps = static_cast<int>(patience / dt);
  for (int step = 0; step < steps && !result.unstable; ++step) {
    if (der.step(step * dt, dt, {}).outcome != Outcome::fine) throw std::runtime_error("the ring diverged");
    if (step % 20 != 19) continue;
    der.write(frame);
    result.largest = std::max(result.largest, mode_2(frame) / start);
    result.unstable = result.largest >= growth;
  }
  return result;
}

// The smallest theta at which the ring is unstable.
template <class Unstable>
double border(double low, double high, double precision, const Unstable& unstable) {
  if (unstable(low) || !unstable(high)) return std::nan("");
  while (high - low > precision * high) {
    const double middle = 0.5 * (low + high);
    (unstable(middle) ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> map, borders;
  int disagree = 0;
  for (const double beta : {0.5, 0.75, 1.0, 1.5, 2.0}) {
    const double expected = threshold_50 / beta;
    for (const double ratio : {0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 1.01, 1.02, 1.05, 1.1, 1.25, 1.5}) {
      const double theta = ratio * expected;
      const Motion2 motion = move(50, beta, theta);
      const bool pivots = unstable_by_pivots(50, beta, theta);
      disagree += motion.unstable != pivots || pivots != (ratio > 1);
      map.push_back({beta, theta, motion.unstable ? 1.0 : 0.0, pivots ? 1.0 : 0.0, motion.largest});
    }
    const auto moves = [&](double theta) { return move(50, beta, theta).unstable; };
    const auto bends = [&](double theta) { return unstable_by_pivots(50, beta, theta); };
    const double by_motion = border(0.97 * expected, 1.03 * expected, 1e-4, moves);
    const double by_pivots = border(0.97 * expected, 1.03 * expected, 1e-7, bends);
    borders.push_back({beta, by_motion, by_pivots, expected, michell / beta});
    checks.push_back(relative_check(fmt::format("beta/alpha {:g}: border of the motion", beta), expected, by_motion, 0.01));
    checks.push_back(
        relative_check(fmt::format("beta/alpha {:g}: border of the pivots", beta), expected, by_pivots, pivot_tolerance));
  }
  checks.push_back(bound_check("places of the map where motion, pivots and theory disagree", disagree, 0));
  const double finer =
      border(0.97 * threshold_100, 1.03 * threshold_100, 1e-3, [](double theta) { return move(100, 1, theta).unstable; });
  checks.push_back(relative_check("n = 100: border of the motion", threshold_100, finer, 0.01));
  const auto by_pivots = [](int n) {
    return border(0.97 * michell, 1.03 * michell, 1e-8, [n](double theta) { return unstable_by_pivots(n, 1, theta); });
  };
  const double c_50 = by_pivots(50), c_100 = by_pivots(100), c_200 = by_pivots(200);
  checks.push_back(relative_check("n = 100: border of the pivots", threshold_100, c_100, pivot_tolerance));
  checks.push_back(absolute_check("order in n, from 50, 100, 200", 2, std::log2((c_50 - c_100) / (c_100 - c_200)), 0.05));
  checks.push_back(relative_check("extrapolated to 2 pi sqrt(3)", michell, c_100 + (c_100 - c_50) / 3, 5e-5));
  context.write_csv("map", {"beta/alpha", "theta [rad]", "unstable by motion", "unstable by pivots", "largest growth"}, map);
  context.write_csv("borders", {"beta/alpha", "motion [rad]", "pivots [rad]", "polygon of 50 [rad]", "smooth ring [rad]"},
                    borders);
  return checks;
}

}  // namespace tendril::experiments::der_michell
