// One contact, as find_contacts reports it (a point of a contact manifold), and what it means for nodes and segments.
#pragma once

#include <compare>
#include <cstdint>

#include "tendril/frame.h"
#include "tendril/types.h"

namespace tendril {

// Which two things touch: the identity of a contact from step to step. Never a place in a list.
struct ContactKey {
  std::uint32_t a = 0;     // rod feature: a segment, or a node of it
  std::uint32_t b = 0;     // segment of a rod, or an obstacle
  std::uint32_t part = 0;  // of a mesh: face, side, vertex; else 0
  auto operator<=>(const ContactKey&) const = default;

  static constexpr std::uint32_t obstacle_bit = 0x80000000u;
  static std::uint32_t edge_feature(int edge) { return 2 * static_cast<std::uint32_t>(edge); }
  static std::uint32_t node_feature(int node) { return 2 * static_cast<std::uint32_t>(node) + 1; }
  static std::uint32_t obstacle_feature(int obstacle) { return obstacle_bit | static_cast<std::uint32_t>(obstacle); }
};

// Segment `edge_a` at place s touches segment `edge_b` at place t, or obstacle `obstacle` at `local` (in its own axes).
// Places run from 0 to 1. The gap is that at the end of the motion, along the normal.
struct Touch {
  ContactKey key;
  int edge_a = -1, edge_b = -1, obstacle = -1;
  double s = 0, t = 0;
  Vec3 local = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();        // unit, from b (the obstacle) to a
  double gap = 0;                     // [m] between the surfaces, < 0: overlap
  double radius_a = 0, radius_b = 0;  // [m] of the rods; 0 for an obstacle
  double friction = 0;
  double time = 1;  // < 1: they would have met at this fraction of the motion; normal and places are those
                    // of that instant, before anything passed through, the gap may be deep
  bool is_passing() const { return time < 1; }
};

// The surface of a at the contact, seen from its centerline; of b likewise (zero for obstacles: `local` is on the surface).
inline Vec3 arm_a(const Touch& c) { return -c.radius_a * c.normal; }
inline Vec3 arm_b(const Touch& c) { return c.radius_b * c.normal; }

// Velocity of a's surface at the contact: nodes move with v0 and v1, the section turns with `spin` (world axes).
inline Vec3 surface_velocity_a(const Touch& c, const Vec3& v0, const Vec3& v1, const Vec3& spin) {
  return (1 - c.s) * v0 + c.s * v1 + spin.cross(arm_a(c));
}
inline Vec3 surface_velocity_b(const Touch& c, const Vec3& v0, const Vec3& v1, const Vec3& spin) {
  return (1 - c.t) * v0 + c.t * v1 + spin.cross(arm_b(c));
}
inline Vec3 obstacle_velocity(const Touch& c, const Pose& pose, const Motion& motion) {
  return motion.linear + motion.angular.cross(pose.orientation * c.local);
}

// A force on a's surface as forces on its two nodes and a moment on its segment; its twisting part turns the material frame.
// On b the opposite force acts: share_b(c, -force). Power is kept: force . surface_velocity = sum of forces . velocities +
// moment . spin.
struct ContactShare {
  Vec3 first = Vec3::Zero(), second = Vec3::Zero();  // [N]
  Vec3 moment = Vec3::Zero();                        // [N m]
};
inline ContactShare share_a(const Touch& c, const Vec3& force) {
  return {(1 - c.s) * force, c.s * force, arm_a(c).cross(force)};
}
inline ContactShare share_b(const Touch& c, const Vec3& force) {
  return {(1 - c.t) * force, c.t * force, arm_b(c).cross(force)};
}

// As a Frame shows it. `centre_a` is a's centerline at the touch.
inline ContactPoint contact_point(const Touch& c, const Vec3& centre_a, const Vec3& force_on_a) {
  return {centre_a + arm_a(c), c.normal, force_on_a, c.gap, c.edge_a, c.edge_b};
}

}  // namespace tendril
