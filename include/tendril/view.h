// What views of a run need to know of its scene.
#pragma once

#include <string>

#include "tendril/simulate.h"

namespace tendril {

// A JSON object (docs/view.md, "Description"), stored in run.h5 by RunFolder::describe: with it a saved run is shown without
// reading its scene again.
std::string describe_for_views(const Simulation& simulation);

}  // namespace tendril
