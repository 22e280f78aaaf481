// How far the end of a rod is turned against its start about an axis, with every turn counted: what two clamps impose.
#pragma once

#include "model/model.h"
#include "tendril/frame.h"

namespace tendril {

// Frames are compared with the axis by parallel transport: R = sum of twists + sum of the areas of the spherical triangles
// (axis, t, t'). It is exact for a polygon, whole turns included, as long as no edge points against the axis. The clamps'
// own joints are counted: `first` and `last` are the orientations of the walls at both ends.
double end_rotation(const Frame& frame, const Quat& first, const Quat& last, const Vec3& axis);  // [rad]

// Twist of an open rod from wall to wall, and the writhe of its polygon with both ends continued to infinity along the axis:
// their sum is the same R, by another route; it moves by whole double turns when the rod passes through itself.
double wall_to_wall_twist(const Frame& frame, const Quat& first, const Quat& last);  // [rad]
double writhe_continued(const Frame& frame, const Vec3& axis);                       // [turns]
// Continued along two directions. The two ends at infinity are not joined: twist + writhe then follows the turns put in from
// a number that stays the same while the ends do not move.
double writhe_continued(const Frame& frame, const Vec3& first, const Vec3& last);  // [turns]

}  // namespace tendril
