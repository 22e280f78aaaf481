// What contact needs to know of a model, once: radii, which segments never touch, obstacles with their trees. Const.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "contact/bounds.h"
#include "contact/mesh.h"
#include "contact/neighbours.h"
#include "model/model.h"

namespace tendril {

struct ObstacleGeometry {
  RigidShape shape;  // of a mesh only the kind; the rest is in `mesh`
  std::shared_ptr<const MeshGeometry> mesh;
  Bounds bounds;     // in its own axes; a half-space has none
  double reach = 0;  // largest distance of its points from its origin
  double friction = 0;
  bool is_half_space() const { return std::holds_alternative<shape::HalfSpace>(shape); }
};

class ContactGeometry {
 public:
  explicit ContactGeometry(const Model& model);
  // Something more to touch, a rigid body for one; its pose follows those of the obstacles before it. Returns its number.
  int add_obstacle(const RigidShape& shape, double friction);
  // A segment that never touches an obstacle, because it is fastened to it. Nor do two segments touch each other that are
  // fastened to the same one: they may share its inside.
  void exclude(int edge, int obstacle);
  void set_margin(double margin) { margin_ = margin; }  // [m] instead of the model's

  int nodes() const { return static_cast<int>(beside_.size()); }
  int edges() const { return static_cast<int>(ends_.size()); }
  const std::array<int, 2>& ends(int edge) const { return ends_[static_cast<std::size_t>(edge)]; }
  const std::array<int, 2>& beside(int node) const { return beside_[static_cast<std::size_t>(node)]; }  // edges; -1: none
  double radius(int edge) const { return radius_[static_cast<std::size_t>(edge)]; }
  const std::vector<ObstacleGeometry>& obstacles() const { return obstacles_; }
  bool may_touch(int edge_a, int edge_b) const;  // two segments, by what the scene asks for and where they are along the rod
  bool is_excluded(int edge, int obstacle) const;
  double neighbour_length(int edge) const { return neighbours_.length_of(edge); }  // [m] along the rod
  double margin() const { return margin_; }
  double friction() const { return friction_; }
  double skin() const { return skin_; }

 private:
  Neighbours neighbours_;
  std::vector<std::array<int, 2>> ends_, beside_;
  std::vector<double> radius_;
  std::vector<ObstacleGeometry> obstacles_;
  std::vector<std::array<int, 2>> excluded_;  // (edge, obstacle), sorted
  double margin_ = 0, friction_ = 0;
  double skin_ = 0;  // [m] how far things move before pairs are searched again (as the skin of a Verlet list)
  bool self_ = true, between_rods_ = true;
};

}  // namespace tendril
