// A light rod falls on three cylinders.  [Zhao 2022, Fig. 17]
//
// The paper gives the rod and the step; its length, the cylinders, the height and damping by the air (3/s) are ours
// (validation/contact/drop.cpp; scenes/three_cylinders.toml).
#include <algorithm>
#include <cmath>

#include "validation/contact/contact_scenes.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::compact_three_cylinders {

std::vector<Check> experiment(ExperimentContext& context) {
  Scene scene = contact_drop::dropped_rod();
  scene.method = "compact";
  scene.time.step = 3e-3;
  Simulation simulation = open_or_throw(scene);
  double first = -1, lowest = 1e9, risen = 0, least_energy = 0, before = 0, rise = 0, start = 0, least = 1e9, next = 0;
  long steps = 0, iterations = 0;
  std::vector<std::vector<double>> rows;
  while (!simulation.finished()) {
    advance_or_throw(simulation);
    const Frame& frame = simulation.frame();
    const double height = frame.position[NodeIndex{100}].z(), energy = frame.own_energy.total();
    ++steps, iterations += frame.report.iterations;
    // Above anything it had before: rises of several steps count together.
    if (steps == 1) start = least_energy = energy;
    least_energy = std::min(least_energy, energy);
    rise = std::max(rise, energy - least_energy);
    before = energy;
    for (const ContactPoint& p : frame.contacts) {
      least = std::min(least, p.gap);
      if (first < 0) first = simulation.time();
    }
    if (first > 0) {
      lowest = std::min(lowest, height);
      risen = std::max(risen, height - lowest);
    }
    if (simulation.time() < next) continue;
    next += 0.02;
    rows.push_back({simulation.time(), height, energy, double(frame.contacts.size())});
  }
  const Frame& frame = simulation.frame();
  double fastest = 0, force = 0;
  for (const Vec3& v : frame.velocity) fastest = std::max(fastest, v.norm());
  for (const ContactPoint& p : frame.contacts) force += p.force.z();
  const double r = 0.03, length = 16, weight = 0.5 * 3.141592653589793 * r * r * length * 9.81;
  context.write_csv("fall", {"time [s]", "height of the middle [m]", "energy [J]", "contacts"}, rows);
  return {
      at_least("the middle rises again after the first touch [m]", 0.01, risen),
      bound_check("speed at the end, fastest node [m/s]", fastest, 1e-3),
      relative_check("supports carry the weight [N]", weight, force, 1e-3),
      bound_check("largest rise of energy above what it was before, over the drop", rise / (start - before), 0.01),
      at_least("least gap, over the radius", 0, least / r),
      bound_check("Newton iterations per step", double(iterations) / double(steps), 5),
      bound_check("retries", double(simulation.report().retries), 0),
  };
}

}  // namespace tendril::experiments::compact_three_cylinders
