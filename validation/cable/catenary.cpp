// A slack rope between two pins at rest.
#include <fmt/format.h>

#include "math/number.h"
#include "validation/cable/rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_catenary {
namespace {

constexpr double g = 9.81;
const StiffnessSection limp{.EA = {}, .EI1 = 1e-9, .EI2 = 1e-9, .GJ = 1e-9, .mass_per_length = 1, .radius = 0.002};

struct Slack {
  double sag = 0;
  int solves = 0;
};
Slack slack(int segments) {
  Scene scene = rope::straight(Vec3::Zero(), Vec3(1, 0, 0), segments, limp);
  // An arc of the same length: 2 R x = 1, 2 R sin x = 0.8.
  const double x = 1.1311023, radius = 1 / (2 * x);
  scene.rods[0].initial =
      ArcCurve{Vec3::Zero(), Vec3(std::cos(x), 0, -std::sin(x)), Vec3(std::sin(x), 0, std::cos(x)), radius, 2 * x};
  rope::pin(scene, 0), rope::pin(scene, 1);
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  const auto model = rope::model_of(scene);
  cable::Cable method(model, {});
  const StepReport report = method.relax(0, 1, {});
  Frame frame;
  method.write(frame);
  double lowest = 0;
  for (int k = 0; k <= segments; ++k) lowest = std::min(lowest, frame.position[NodeIndex(k)].z());
  return {report.outcome == Outcome::fine ? -lowest : 0, report.iterations};
}

// Rate of a mode of a hanging chain of 1 m over sqrt(g/L): thrown with the velocities of the mode, J0(2 rate sqrt(s)), s from the free end;
// by the times at which it passes the straight line.
double chain_rate(double exact, double step, int half_periods) {
  constexpr int segments = 50;
  Scene scene = rope::straight(Vec3::Zero(), Vec3(0, 0, -1), segments, limp);
  rope::pin(scene, 0);
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  std::vector<double> mode;
  for (int k = 0; k <= segments; ++k) {
    mode.push_back(std::cyl_bessel_j(0.0, 2 * exact * std::sqrt(1 - 1.0 * k / segments)));
    scene.rods[0].velocities.push_back(Vec3(1e-4 * mode.back(), 0, 0));
  }
  cable::Settings settings;
  settings.averaged = true, settings.extra_damping = 0.1;
  cable::Cable method(rope::model_of(scene), settings);
  Frame frame;
  double before = 0;
  int crossings = 0;
  for (int i = 0; i * step < 100; ++i) {
    if (method.step(i * step, step, {}).outcome != Outcome::fine) return 0;
    method.write(frame);
    double now = 0;
    for (int k = 0; k <= segments; ++k) now += mode[std::size_t(k)] * frame.position[NodeIndex(k)].x();
    if (now * before < 0 && ++crossings == half_periods)
      return half_periods * math::pi / ((i + before / (before - now)) * step) / std::sqrt(g);
    before = now;
  }
  return 0;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  const Slack s = slack(50);
  std::vector<Check> checks = {
      relative_check("sag of a rope of 1 m between pins 0.8 m apart [m]", 0.2654375091, s.sag, 5e-4),
      at_most("solves", 40, s.solves)};
  constexpr double exact[] = {1.202412779, 2.760039055, 4.326863956};
  std::vector<std::vector<double>> rows;
  for (const double step : {1.0 / 60, 1.0 / 240}) {
    for (int k = 0; k < (step > 0.01 ? 1 : 3); ++k) {
      const double found = chain_rate(exact[k], step, 8);
      rows.push_back({step, k + 1.0, found, exact[k]});
      checks.push_back(
          relative_check(fmt::format("hanging chain, steps of 1/{:.0f} s: rate {} over sqrt(g/L)", 1 / step, k + 1),
                         exact[k], found, 5e-3));
    }
  }
  context.write_csv("catenary", {"sag [m]", "solves"}, {{s.sag, 1.0 * s.solves}});
  context.write_csv("chain", {"step [s]", "mode", "rate over sqrt(g/L)", "exact"}, rows);
  return checks;
}

}  // namespace tendril::experiments::cable_catenary
