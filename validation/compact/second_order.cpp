// The time schemes: order after a smooth start, error and energy of a heavy cantilever released at 1/60 s, and the first three
// bending frequencies of a cantilever.
#include <fmt/format.h>

#include "math/number.h"
#include "validation/clamped.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::compact_second_order {
namespace {

constexpr double weight = 10;  // w L^3/EI

Scene released(int segments, const char* scheme, double step, double duration) {
  Scene scene = unit_beam("compact", segments);
  scene.title = "released cantilever";
  scene.time.duration = duration, scene.time.step = step, scene.time.frames_per_second = 1 / duration;
  scene.options["compact"]["scheme"] = std::string(scheme);
  scene.options["compact"]["tolerance"] = 1e-9;
  return scene;
}
Scene smooth_start(const char* scheme, int steps) {
  Scene scene = released(10, scheme, 0.6 / steps, 0.6);
  ChangingGravityLoad load;
  load.factor.shape = TimetableShape::smooth;
  load.factor.keys = {{0, 0}, {0.4, 1}};
  scene.loads.push_back(load);
  return scene;
}
Scene sudden_start(const char* scheme, double step) {
  Scene scene = released(40, scheme, step, 2);
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -weight)});
  return scene;
}
struct Release {
  Vec3 tip;
  double lost;  // energy that went nowhere, over w L/2
};
Release release(const Scene& scene) {
  Simulation simulation = open_or_throw(scene);
  const double before = simulation.frame().own_energy.total();
  while (!simulation.finished()) advance_or_throw(simulation);
  const Frame& end = simulation.frame();
  const double lost = (before + end.flow.work() - end.flow.dissipated() - end.own_energy.total()) / (0.5 * weight);
  return {simulation.frame().position[NodeIndex(*scene.rods[0].segments)], lost};
}

// Frequency of the mode of betaL [rad/s], from the zero crossings of the motion's part in that mode, started by a small velocity.
double frequency(double betaL) {
  const int n = 60;
  const double omega = betaL * betaL, step = math::two_pi / omega / 200;
  Scene scene = released(n, "trbdf2", step, 1000 * step);
  scene.time.frames_per_second = 1 / step;
  const double ratio = (std::cosh(betaL) + std::cos(betaL)) / (std::sinh(betaL) + std::sin(betaL));
  const auto shape = [&](double s) {
    return std::cosh(betaL * s) - std::cos(betaL * s) - ratio * (std::sinh(betaL * s) - std::sin(betaL * s));
  };
  for (int k = 0; k <= n; ++k) scene.rods[0].velocities.push_back(Vec3(0, 0, 1e-4 * shape(1.0 * k / n)));
  Simulation simulation = open_or_throw(scene);
  std::vector<double> crossings;
  double before = 0;
  for (int i = 1; !simulation.finished(); ++i) {
    advance_or_throw(simulation);
    double now = 0;
    for (int k = 0; k <= n; ++k) now += shape(1.0 * k / n) * simulation.frame().position[NodeIndex(k)].z();
    if (i > 1 && before * now < 0) crossings.push_back((i - 1 + before / (before - now)) * step);
    before = now;
  }
  return math::pi * (1.0 * crossings.size() - 1) / (crossings.back() - crossings.front());
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const Vec3 smooth = release(smooth_start("trbdf2", 6400)).tip;
  const Vec3 sudden = release(sudden_start("trbdf2", 1.0 / 3840)).tip;
  struct Scheme {
    const char* name;
    double order, tip, lost;
  };
  for (const Scheme& s : {Scheme{"bdf2", 2, 0.05, 0.01}, Scheme{"trbdf2", 2, 0.015, 0.01}, Scheme{"euler", 1, 0.35, 0.26}}) {
    const double coarse = (release(smooth_start(s.name, 400)).tip - smooth).norm();
    const double fine = (release(smooth_start(s.name, 800)).tip - smooth).norm();
    const Release r = release(sudden_start(s.name, 1.0 / 60));
    rows.push_back({s.order, coarse, fine, (r.tip - sudden).norm(), r.lost});
    checks.push_back(
        absolute_check(fmt::format("{}: order after a smooth start", s.name), s.order, std::log2(coarse / fine), 0.1));
    checks.push_back(
        bound_check(fmt::format("{}: tip after 2 s at 1/60 s, part of the length", s.name), (r.tip - sudden).norm(), s.tip));
    checks.push_back(bound_check(fmt::format("{}: energy lost in 2 s", s.name), r.lost, s.lost));
  }
  const double betaL[] = {1.8751040687, 4.6940911330, 7.8547574382};  // docs/references.md 6a
  for (int k = 0; k < 3; ++k)
    checks.push_back(
        relative_check(fmt::format("frequency {} [rad/s]", k + 1), betaL[k] * betaL[k], frequency(betaL[k]), 5e-3));
  context.write_csv("schemes",
                    {"order", "error at 1.5 ms [L]", "error at 0.75 ms [L]", "released: tip [L]", "released: energy lost"},
                    rows);
  return checks;
}

}  // namespace tendril::experiments::compact_second_order
