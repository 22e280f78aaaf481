// A run that starts where another one ended.
#pragma once

#include "model/model.h"
#include "tendril/problem.h"

namespace tendril {

// Gives the model's start the last recorded state of the run that `scene.start_from` names: positions, velocities, frames, twist
// and bodies. The rods must have the same nodes; clamps, loads and obstacles stay as the scene says.
[[nodiscard]] Problems take_start(const Scene& scene, Model& model);

}  // namespace tendril
