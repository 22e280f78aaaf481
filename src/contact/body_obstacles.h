// Rigid bodies as obstacles for rods.
#pragma once

#include <vector>

#include "contact/contact_geometry.h"

namespace tendril {

inline constexpr double worth_telling = 0.01;  // of the radius: an overlap at the start below this is left to the method

// Bodies that have a shape and collide become obstacles of the geometry, after those it has. Returns which body each is.
//
// A rod that is joined to a body may begin inside it. Segments that overlap it at the start, without a gap from the joint
// on, are excluded, and those within one neighbour length along the rod beyond; the rest of the rod touches the body as any
// other.
std::vector<int> add_bodies(const Model& model, ContactGeometry& geometry);

}  // namespace tendril
