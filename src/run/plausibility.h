// Scenes that are possible but hardly meant: a radius in mm where m are expected, a density in g/cm^3. Warnings only, each with
// the likely slip.
#pragma once

#include "model/model.h"
#include "tendril/problem.h"
#include "tendril/scene.h"

namespace tendril {

[[nodiscard]] Problems check_plausible(const Scene& scene, const Model& model);

}  // namespace tendril
