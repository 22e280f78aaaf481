// A heavy cantilever let go, by both integrators; a cantilever with a load at its tip at rest.
#include <fmt/format.h>

#include "validation/cable/rope.h"
#include "validation/clamped.h"
#include "validation/experiment.h"
#include "validation/references.h"
#include "validation/solve.h"

namespace tendril::experiments::cable_accuracy {
namespace {

constexpr double weight = 8;  // w L^3/EI
constexpr int segments = 30;

// The tip every tenth of a second for 2 s.
std::vector<Vec3> released(const char* integrator, double step) {
  Scene scene = unit_beam("cable", segments);
  scene.title = "released cantilever";
  scene.time.duration = 2, scene.time.step = step, scene.time.frames_per_second = 10;
  scene.options["cable"]["integrator"] = std::string(integrator);
  scene.options["cable"]["averaged_damping"] = 0.0;
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -weight)});
  Simulation simulation = open_or_throw(scene);
  std::vector<Vec3> tips;
  double recorded = 0;
  while (!simulation.finished()) {
    advance_or_throw(simulation);
    if (simulation.frame().time < recorded + 0.1 - 1e-9) continue;
    recorded = simulation.frame().time;
    tips.push_back(simulation.frame().position[NodeIndex(segments)]);
  }
  return tips;
}
double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

struct Rest {
  double error = 0;
  int solves = 0;
};
Rest rest(int n, const reference::Tip& tip) {
  Scene scene = unit_beam("cable", n);
  scene.time.mode = Mode::statics;
  ForceLoad load;
  load.rod = "beam", load.value = Vec3(0, tip.load, 0);
  scene.loads.push_back(load);
  cable::Cable method(rope::model_of(scene), {});
  const StepReport report = method.relax(0, 1, {});
  if (report.outcome != Outcome::fine) return {1, report.iterations};
  Frame frame;
  method.write(frame);
  return {(frame.position[NodeIndex(n)] - Vec3(tip.x, tip.y, 0)).norm(), report.iterations};
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const std::vector<Vec3> fine = released("averaged", 1.0 / 15360);
  const double sixty = farthest(released("averaged", 1.0 / 60), fine),
               middle = farthest(released("averaged", 1.0 / 240), fine),
               half = farthest(released("averaged", 1.0 / 480), fine), euler = farthest(released("euler", 1.0 / 60), fine);
  checks.push_back(at_most("averaged against euler: tip over 2 s at 1/60 s", 0.2, sixty / euler));
  checks.push_back(at_least("averaged: order from 1/240 to 1/480 s", 1.3, std::log2(middle / half)));
  checks.push_back(at_least("euler: tip over 2 s at 1/60 s, part of the length (about 0.11)", 0.05, euler));
  rows.push_back({sixty, middle, half, euler});
  for (const reference::Tip& tip : reference::tip_load) {
    const Rest coarse = rest(40, tip), finer = rest(80, tip);
    checks.push_back(absolute_check(fmt::format("at rest, P L^2/EI = {:g}: order", tip.load), 2,
                                    std::log2(coarse.error / finer.error), 0.1));
    checks.push_back(at_most(fmt::format("at rest, P L^2/EI = {:g}: solves", tip.load), 40, finer.solves));
  }
  context.write_csv("released", {"averaged 1/60 [L]", "averaged 1/240 [L]", "averaged 1/480 [L]", "euler 1/60 [L]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::cable_accuracy
