// The overhand knot (open trefoil) on a rod between two clamps: a shape to start from, and what to measure of it.
#pragma once

#include <vector>

#include "tendril/frame.h"
#include "tendril/scene.h"

namespace tendril {

struct OverhandKnot {
  double loop = 1;       // radius of the loop at the start [m]
  double radius = 0.04;  // of the rod [m]
  double tail = 3;       // from the knot to either clamp [m]
  bool left_handed = false;
};
// Along x, the loop towards +y: a straight tail, once round a circle that touches the line, and on along the line. Where the
// two strands touch they wind about each other by three half turns, four radii apart (axis to axis).
std::vector<Vec3> overhand_points(const OverhandKnot& knot);
// A twist-free rod of unit stiffness and mass in that shape; clamps "left" and "right" hold its ends along x.
Scene overhand_scene(const OverhandKnot& knot, int segments, double GJ);
// The same rod, its clamps where they are, without twist in the shape of `frame` and at rest.
Scene from_here(Scene scene, const Frame& frame);

struct KnotMeasures {
  int contacts = 0;
  double loop_length = 0;  // between the innermost contacts [m]
  double curvature = 0;    // a in a + b cos(theta), which fits the curvature of the loop best, theta its turning angle [1/m]
  double uneven = 0;       // |b|/a
  double diameter = 0;     // of the circle that fits the nodes of the loop best [m]
  double out_of_plane = 0;  // root mean square distance of those nodes from the circle's plane, over its radius
  double hamiltonian = 0;   // M^2/2EI + F.t at the middle of the loop (EI = 1): the tension, where nothing rubs [N]
};
// A circle pulled at one place by a force F along its tangent there has the curvature a + b cos(theta), b in proportion to
// F; so 1/a is the radius of the loop to second order in its deviation from a circle, and T = EI a^2/2 to that order.
KnotMeasures measure_knot(const Frame& frame);

}  // namespace tendril
