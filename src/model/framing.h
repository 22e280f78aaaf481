// Adapted frames (columns d1, d2, d3 = tangent) on edges and nodes, as quaternions; the formulas are math's.
#pragma once

#include "math/rotation.h"
#include "math/transport.h"

namespace tendril {

// d1 is made perpendicular to the unit tangent; where it is parallel to it, any perpendicular is taken.
inline Quat frame_from(const Vec3& tangent, const Vec3& d1) {
  const Vec3 across = d1 - tangent.dot(d1) * tangent;
  const Vec3 first = across.norm() > 1e-9 * d1.norm() ? Vec3(across.normalized()) : any_perpendicular(tangent);
  return quat_from_frame(first, tangent.cross(first), tangent);
}

// The frame carried onto another tangent by the smallest rotation. For a tangent turned right round there is no smallest
// one: then about d1.
inline Quat carried_onto(const Quat& frame, const Vec3& tangent) {
  const Vec3 d3 = director(frame, 2), d1 = director(frame, 0);
  return frame_from(tangent, 1 + d3.dot(tangent) > 1e-12 ? parallel_transport(d3, tangent, d1) : d1);
}

// The frame turned about its own tangent.
inline Quat turned(const Quat& frame, double angle) {
  return angle == 0 ? frame : (frame * exp_quat(Vec3(0, 0, angle))).normalized();
}

// The twist from one frame to another beyond parallel transport: the value closest to `near`.
inline double twist_between(const Quat& a, const Quat& b, double near) {
  const Quat carried = carried_onto(a, director(b, 2));
  return unwrap(signed_angle(director(carried, 0), director(b, 0), director(b, 2)), near);
}

}  // namespace tendril
