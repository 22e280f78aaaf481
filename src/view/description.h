// A scene as the browser takes it: docs/view.md, "Description".
#pragma once

#include <cstdint>
#include <string>

#include "model/model.h"
#include "tendril/simulate.h"

namespace tendril::view {

// A JSON object. `name`: of the scene's file, without folder and ending.
std::string description_json(const Simulation& simulation, const std::string& name, std::uint32_t generation);
// The same of a saved run, which no method runs any more: no inputs, and no method but its own.
std::string description_json(const Scene& scene, const Model& model, double step, const std::string& name,
                             std::uint32_t generation);

}  // namespace tendril::view
