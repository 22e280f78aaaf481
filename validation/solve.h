// Running a scene from an experiment: what would be a problem of the user's there is a fault of the experiment here.
#pragma once

#include <stdexcept>

#include "tendril/simulate.h"

namespace tendril {

inline Simulation open_or_throw(const Scene& scene) {
  Checked<Simulation> simulation = Simulation::open(scene);
  if (!simulation) throw std::runtime_error(scene.title + ": " + to_text(simulation.problems()));
  return std::move(*simulation);
}

// One step; in statics and quasistatic mode one recorded equilibrium.
inline StepReport step_or_throw(Simulation& simulation) {
  const StepReport report = simulation.advance();
  if (report.outcome != Outcome::fine)
    throw std::runtime_error(simulation.scene().title + ": " + simulation.report().message);
  return report;
}
inline void advance_or_throw(Simulation& simulation) { (void)step_or_throw(simulation); }

inline Simulation run_to_end(const Scene& scene) {
  Simulation simulation = open_or_throw(scene);
  while (!simulation.finished()) advance_or_throw(simulation);
  return simulation;
}

}  // namespace tendril
