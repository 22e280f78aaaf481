// Friction with `compact`: a rope over a drum (docs: contact/capstan), ropes that cross, a rod that drops on logs.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "validation/contact/contact_scenes.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::compact_friction {
namespace {

using namespace contact_capstan;

constexpr double R = capstan_radius, step = 4e-3;

// How far the middle of the rope goes after the loads have risen [m].
double slip_of(double ratio, double enough) {
  int middle = 0;
  const CapstanCase c{0.3, std::numbers::pi, 0.001};
  Scene scene = capstan(c, ratio * std::exp(c.mu * c.theta), 0, middle);
  scene.method = "compact";
  scene.time.step = step;
  Simulation simulation = open_or_throw(scene);
  while (simulation.time() < capstan_loaded && !simulation.finished()) advance_or_throw(simulation);
  const auto place = [&](int node) { return simulation.frame().position[NodeIndex{node}]; };
  const Vec3 start = place(middle), along = (place(middle + 1) - place(middle - 1)).normalized();
  double slip = 0;
  while (!simulation.finished() && slip < enough) {
    advance_or_throw(simulation);
    slip = std::max(slip, std::abs((place(middle) - start).dot(along)));
  }
  return slip;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  const double holds = slip_of(0.98, R), slides = slip_of(1.02, 0.02 * R);
  checks.push_back(bound_check("capstan: creep in 10 s at 0.98 exp(mu theta), over R", holds / R, 1e-5));
  checks.push_back(at_least("capstan: slip at 1.02 exp(mu theta), over R", 0.01, slides / R));
  context.write_csv("capstan", {"load over exp(mu theta)", "slip/R"}, {{0.98, holds / R}, {1.02, slides / R}});
  for (Check& check : contact_crossing::crossing_with("compact", step, context))
    check.name = "crossing: " + check.name, checks.push_back(check);
  for (Check& check : contact_drop::drop_with("compact", 3e-3, context))
    check.name = "drop: " + check.name, checks.push_back(check);
  return checks;
}

}  // namespace tendril::experiments::compact_friction
