// How large bodies are: in any direction, at their thinnest, and as a unit of length for those who measure them.
#pragma once

#include <span>

#include "model/bodies.h"

namespace tendril {

double reach_of(const BodyShape& shape);     // of its farthest point from its centre [m]
double thinnest_of(const BodyShape& shape);  // half of its thinnest extent [m]
// From its centre to the plane that touches it from the side of `direction`, a unit vector in its own axes (support function).
double extent_of(const BodyShape& shape, const Vec3& direction);
// No points of the two are nearer to each other; at most their distance, 0 where they may overlap. By the directions that
// part most pairs: from centre to centre, and the axes of both.
double least_gap(const BodyShape& a, const Pose& at_a, const BodyShape& b, const Pose& at_b);

// Powers of two near the mean size and mass of the bodies that move freely: a scene that is scaled by powers of two has the
// same numbers in these units, bit for bit, and constants with a dimension mean the same everywhere.
struct BodyUnits {
  double length = 1, mass = 1;  // [m], [kg]
};
BodyUnits units_of(std::span<const BodyModel> bodies);
double power_of_two_near(double x);  // the largest that is not larger; 1 where there is none

}  // namespace tendril
