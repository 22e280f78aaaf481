// Scenes of scenes/ run step by step, and what their steps cost.
#pragma once

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <string>

#include "cli/find_scene.h"
#include "validation/solve.h"

namespace tendril {

inline Scene stored_scene(const std::string& name) {
  Checked<Scene> scene = cli::load_scene({name, "", {}});
  if (!scene) throw std::runtime_error(name + ": " + to_text(scene.problems()));
  return *scene;
}

struct RunCost {
  double mean = 0, worst = 0;           // [ms] of processor time for a step: others may use the machine, too
  double iterations = 0, contacts = 0;  // of a step, mean
  long steps = 0;
  int segments = 0;
};
// To the time `until`; after each step `note` may look at the simulation, which is not counted.
template <class Note>
RunCost cost_of_run(const Scene& scene, double until, const Note& note) {
  Simulation simulation = open_or_throw(scene);
  RunCost cost;
  cost.segments = simulation.frame().orientation.size();
  note(simulation);
  while (!simulation.finished() && simulation.time() < until) {
    const std::clock_t before = std::clock();
    const StepReport report = step_or_throw(simulation);
    const double spent = 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    cost.mean += spent, cost.worst = std::max(cost.worst, spent);
    cost.iterations += report.iterations, cost.contacts += report.contacts, ++cost.steps;
    note(simulation);
  }
  for (double* sum : {&cost.mean, &cost.iterations, &cost.contacts}) *sum /= static_cast<double>(cost.steps);
  return cost;
}

}  // namespace tendril
