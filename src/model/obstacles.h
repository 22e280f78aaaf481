// Obstacles of a scene in their own axes.
#pragma once

#include "model/model.h"

namespace tendril {

// Model::obstacles, Model::contact and Model::grounds; rods and bodies are there already. Half-spaces that stand still are
// the grounds of bodies. Bodies do not touch meshes and half-spaces that move, which a warning says.
void place_obstacles(const Scene& scene, Model& model, Problems& problems);
// The obstacle's shape as a body's; none: a half-space or a mesh.
std::optional<BodyShape> body_shape(const RigidShape& shape);

}  // namespace tendril
