// Scenes far from the origin, in map coordinates for instance: positions are rounded there, edges and strains with them.
#pragma once

#include <string>

#include "model/model.h"
#include "tendril/problem.h"

namespace tendril {

// "the rods are 1e+06 m from the origin, where ...": empty when rounding of positions hardly changes the lengths of edges.
std::string far_from_origin(const Model& model);
[[nodiscard]] Problems check_far(const Model& model);  // the same as a warning; an error where nothing is left of an edge

inline constexpr const char* far_remedy = "move the whole scene to the origin: subtract one point from all positions";

}  // namespace tendril
