// Obstacles of a scene in their own axes.
#pragma once

#include "model/model.h"

namespace tendril {

void place_obstacles(const Scene& scene, Model& model);  // Model::obstacles and Model::contact; the rods are there already

}  // namespace tendril
