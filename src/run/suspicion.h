// Runs that reached their end and yet should not be believed: they end as "suspect", with the reason.
#pragma once

#include <cstdint>
#include <string>

#include "tendril/method.h"
#include "tendril/scene.h"

namespace tendril {

// A few steps may fail and be taken again with half their size, where something hits hard. More than this many, and more than this
// share of all steps: the step is too long for the scene.
inline constexpr int few_retries = 3;
inline constexpr double few_retries_share = 1e-3;
inline constexpr double max_energy_error = 0.05;  // of the energy that moved

struct RunFigures {
  Mode mode = Mode::dynamics;
  std::int64_t steps = 0;
  int retries = 0;
  double energy_error = 0, worst_energy_error = 0;  // > 0: a gain; NaN: no balance
  double worst_gain = 0;                            // also where a loss was larger
  bool jumped = false;                              // an input moved something at once, which no balance can follow
  std::string lossy = {};  // what loses energy by its nature: a named scheme, a sudden clamp, a hand; or empty
};
// Empty: nothing speaks against the run. Motion only: of equilibria each one is judged by its residual.
std::string suspicion(const RunFigures& run);

// What takes energy at once in this scene, as an inelastic stop does: a clamp that takes hold late, or moves in jerks. Empty: nothing.
std::string sudden_clamp(const Scene& scene);

// "projection = \"fast\"" when the scene names a choice that the method itself calls lossy; empty: it names none.
std::string lossy_choice(const Scene& scene, const MethodInfo& method);

}  // namespace tendril
