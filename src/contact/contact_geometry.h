// What contact needs to know of a model: radii, which segments never touch, obstacles with their trees. It changes only when the
// mesh does.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
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
  // The mesh of a frame in place of the model's: nodes were added or removed. An edge is known by its rod and by the material
  // coordinate where it begins: one that was there before keeps its number, and so does the first part of one that was split;
  // a new one gets a number that is free. What was excluded stays so, at its place along the rod.
  void rebuild(const Model& model, const Frame& frame);
  // Something more to touch, a rigid body for one; its pose follows those of the obstacles before it. Returns its number.
  int add_obstacle(const RigidShape& shape, double friction);
  // A segment that never touches an obstacle, because it is fastened to it. Nor do two segments touch each other that are
  // fastened to the same one: they may share its inside.
  void exclude(int edge, int obstacle);

  // For keys. A rod has as many numbers for edges as its RodModel::max_edges, and for nodes likewise, so that nothing that happens
  // to the mesh changes the number of what is still there. On the model's own mesh they are the flat numbers.
  int edge_number(int edge) const { return edge_number_[static_cast<std::size_t>(edge)]; }
  int node_number(int node) const { return node_number_[static_cast<std::size_t>(node)]; }
  int revision() const { return revision_; }  // how often it was rebuilt

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
  struct Begin {  // of an edge
    int rod = 0;
    double material = 0;
    int index = 0;  // of its number within those of the rod
  };
  void set_mesh(const Model& model, std::span<const RodSpan> rods, const OnNodes<double>& material);
  void set_numbers(const Model& model, std::span<const RodSpan> rods, const OnNodes<double>& material);
  int model_edge(int edge) const { return model_edge_[static_cast<std::size_t>(edge)]; }

  Neighbours neighbours_;
  std::vector<std::array<int, 2>> ends_, beside_;
  std::vector<double> radius_;
  std::vector<int> model_edge_;  // the edge of the model's mesh in which the middle of each edge lies
  std::vector<int> edge_number_, node_number_;
  std::vector<Begin> begins_;  // per edge
  std::vector<ObstacleGeometry> obstacles_;
  std::vector<std::array<int, 2>> excluded_;  // (edge of the model, obstacle), sorted
  double margin_ = 0, friction_ = 0;
  double skin_ = 0;  // [m] how far things move before pairs are searched again (as the skin of a Verlet list)
  bool self_ = true, between_rods_ = true;
  int revision_ = 0;
};

}  // namespace tendril
