// One contact, as find_contacts reports it (a point of a contact manifold).
#pragma once

#include <compare>
#include <cstdint>

#include "tendril/frame.h"
#include "tendril/types.h"

namespace tendril {

// Which two features touch: the identity of a contact from step to step. Never a place in a list. Edges and nodes go by their
// contact numbers (ContactGeometry::edge_number, node_number), which they keep while the mesh changes around them.
struct ContactKey {
  std::uint32_t a = 0;     // of a rod: an edge (even) or a node (odd)
  std::uint32_t b = 0;     // an edge of a rod, or an obstacle (highest bit)
  std::uint32_t part = 0;  // of a mesh: face, side, vertex; else 0
  auto operator<=>(const ContactKey&) const = default;

  static ContactKey between_edges(int number_a, int number_b) { return {edge_feature(number_a), unsigned_of(number_b), 0}; }
  static ContactKey edge_on_obstacle(int number, int obstacle, std::uint32_t part) {
    return {edge_feature(number), obstacle_bit | unsigned_of(obstacle), part};
  }
  static ContactKey node_on_obstacle(int number, int obstacle, std::uint32_t part) {
    return {node_feature(number), obstacle_bit | unsigned_of(obstacle), part};
  }

  bool is_node() const { return a % 2 == 1; }
  bool is_edge() const { return !is_node(); }
  // The same contact had its rod feature (its other edge) another number.
  ContactKey with_edge(int number) const { return {edge_feature(number), b, part}; }
  ContactKey with_node(int number) const { return {node_feature(number), b, part}; }
  ContactKey with_other_edge(int number) const { return {a, unsigned_of(number), part}; }

 private:
  static constexpr std::uint32_t obstacle_bit = 0x80000000u;
  static constexpr std::uint32_t unsigned_of(int number) { return static_cast<std::uint32_t>(number); }
  static constexpr std::uint32_t edge_feature(int number) { return 2 * unsigned_of(number); }
  static constexpr std::uint32_t node_feature(int number) { return 2 * unsigned_of(number) + 1; }
};

// Segment `edge_a` at place s touches segment `edge_b` at place t, or obstacle `obstacle` at `local` (in its own axes).
// Places run from 0 to 1. The gap is that at the end of the motion, along the normal.
struct Touch {
  ContactKey key;
  int edge_a = -1, edge_b = -1, obstacle = -1;  // flat numbers
  double s = 0, t = 0;
  Vec3 local = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();        // unit, from b (the obstacle) to a
  double gap = 0;                     // [m] between the surfaces, < 0: overlap
  double radius_a = 0, radius_b = 0;  // [m] of the rods; 0 for an obstacle
  double friction = 0;
  double time = 1;  // < 1: they would have met at this fraction of the motion; normal and places are those
                    // of that instant, before anything passed through, the gap may be deep
  bool is_passing() const { return time < 1; }
  bool is_between_rods() const { return edge_b >= 0; }
};

// As a Frame shows it. `centre_a` is a's centerline at the touch; the contact lies on a's surface. `body`: which one the obstacle
// is, when it is a body.
inline ContactPoint contact_point(const Touch& c, const Vec3& centre_a, const Vec3& force_on_a, int body = -1) {
  return {centre_a + -c.radius_a * c.normal, c.normal, force_on_a, c.gap, c.edge_a, c.edge_b,
          body < 0 ? c.obstacle : -1,        body};
}

}  // namespace tendril
