// Everything that can press against something, as smooth functions of the nodes' places: for methods whose contact is an energy.
//
// find_contacts thins its list, which is right for impulses; an energy would jump. Here every pair within reach is listed and none
// left out; where two things are nearest along a whole stretch, several pairs together say so:
//   node, segment       and  node, surface or triangle: the distance of a point has a continuous gradient
//   segment, segment    and  segment, edge of an obstacle (ridges of boxes and meshes, axes of capsules and cylinders): the closest
//                       points jump where both become parallel; there the pair is faded out, and nodes take over  [Li 2020, sec. 5]
//   segment, point      of an obstacle: a ball's middle, the ends of a capsule
// Distances to meshes have no sign: what starts outside stays there.
// A round side with flat ends (cylinder) presses between nodes up to its radius before its ends; its rims are polygons of
// `rim_sides`, inside the true rim by 0.5 % of the radius.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "contact/find_contacts.h"
#include "contact/gap_derivatives.h"

namespace tendril {

struct NearPair {
  enum class Kind : std::uint8_t { node_segment, segments, node_surface, node_triangle, segment_point, segment_edge };
  Kind kind = Kind::segments;
  std::array<int, 4> node{-1, -1, -1, -1};  // flat: of a, of b; -1: none
  int edge_a = -1, edge_b = -1;             // flat; of a node: one beside it
  int obstacle = -1, part = 0;              // of it: which point, edge or triangle
  double radii = 0;                         // [m] sum
  double radius_a = 0;                      // [m] of a alone
  double friction = 0;
  double parallel = 0;  // product of the two lengths, squared: for the fading; 0: none
  bool is_between_rods() const { return edge_b >= 0; }
  ContactKey key;  // who; unique among pairs
};

// The pair at a place. Derivatives by (a0, a1, b0, b1), points of an obstacle's edge or corner among them; nodes on surfaces and triangles
// have those of a0 alone.
struct PairGap {
  GapSlopes at;
  double weight = 1;         // of its energy: below 1 near parallel
  Vector12 weight_gradient;  // where it is faded
  bool is_faded = false;     // weight and its derivatives count
};
// Second derivatives, apart from it: a line search needs none.
struct PairBend {
  Matrix12 gap, weight;  // weight: where it is faded
};

class NearPairs {
 public:
  NearPairs(const Model& model, const ContactGeometry& geometry);

  // All pairs that may come as near as `reach` (between the surfaces) while each segment stays in its box and obstacles go from pose to
  // pose.
  Found list(std::span<const Bounds> boxes, std::span<const Pose> from, std::span<const Pose> to, double reach);
  std::span<const NearPair> pairs() const { return pairs_; }

  // x: flat node positions.
  double gap(const NearPair& pair, std::span<const Vec3> x, std::span<const Pose> obstacles) const;
  void evaluate(const NearPair& pair, std::span<const Vec3> x, std::span<const Pose> obstacles, PairGap& out,
                PairBend* bend = nullptr) const;
  // How much of the straight motion can be taken so that the gap stays above `keep` of what it is before; 1: all of it. Seen from a
  // turning obstacle things move on straight lines, as for find_contacts.
  double free_fraction(const NearPair& pair, const ContactPositions& before, const ContactPositions& after,
                       double keep) const;
  // From the origin of an obstacle at `pose` to the pair's points b0, b1 of it, world axes; zero for surfaces.
  std::array<Vec3, 2> arms_on(const NearPair& pair, const Pose& pose) const;
  static constexpr double parallel_sine_squared = 1e-3;  // below: faded
  static constexpr int rim_sides = 32;

 private:
  struct Features {  // of an obstacle, in its own axes
    std::vector<std::array<Vec3, 2>> edges;
    std::vector<double> edge_radius;
    std::vector<Vec3> points;
    double point_radius = 0;
    bool has_surface = false;  // nodes go by its signed distance
  };
  struct Points {  // of a pair: nodes, or places of the obstacle
    Vec3 a0, a1, b0, b1;
  };
  Features features_of(const ObstacleGeometry& obstacle) const;
  void add_rods(int edge_a, int edge_b);
  void add_node_segment(int node, int edge, int segment);
  void add_obstacle(int edge, int obstacle, const Bounds& box, std::span<const Pose> from, std::span<const Pose> to,
                    double reach);
  void add_at_obstacle(NearPair::Kind kind, int edge, int obstacle, int part, std::span<const int> nodes, double radius);
  void remove_doubles();
  Points points_of(const NearPair& pair, std::span<const Vec3> x, std::span<const Pose> obstacles) const;
  double length_squared(int edge) const { return length_[static_cast<std::size_t>(edge)]; }
  double node_radius(int node) const;

  const ContactGeometry& geometry_;
  std::vector<Features> features_;
  std::vector<double> length_;  // of edges, squared
  std::vector<NearPair> pairs_;
  std::vector<Bounds> searched_;
  std::vector<BoxPair> boxes_;
  std::vector<int> found_;
  OverlapGrid grid_;
};

}  // namespace tendril
