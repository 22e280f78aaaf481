// A closed triangle mesh as an obstacle: who borders whom, which side is out, and a tree to find triangles by place.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "contact/bounds.h"
#include "contact/shapes.h"
#include "contact/triangle_distance.h"

namespace tendril {

// Which face, side or vertex, as one number: ContactKey::part.
struct MeshPart {
  static constexpr std::uint32_t face(int i) { return 4 * static_cast<std::uint32_t>(i) + 1; }
  static constexpr std::uint32_t side(int i) { return 4 * static_cast<std::uint32_t>(i) + 2; }
  static constexpr std::uint32_t vertex(int i) { return 4 * static_cast<std::uint32_t>(i) + 3; }
  static constexpr bool is_face(std::uint32_t part) { return part % 4 == 1; }
  static constexpr bool is_side(std::uint32_t part) { return part % 4 == 2; }
  static constexpr bool is_vertex(std::uint32_t part) { return part % 4 == 3; }
  static constexpr int number(std::uint32_t part) { return static_cast<int>(part / 4); }
};

class MeshGeometry {
 public:
  explicit MeshGeometry(const shape::Mesh& mesh);  // checked already: closed, no triangle without area

  struct Side {            // of two triangles
    int from = 0, to = 0;  // vertices, in the sense of the first triangle
    std::array<int, 2> triangle{-1, -1};
    std::array<Vec3, 2> inward{Vec3::Zero(), Vec3::Zero()};  // in each triangle, perpendicular to the side
  };
  struct Vertex {
    int first_side = 0, sides = 0;  // of vertex_side
    int owner = -1;                 // its first triangle
  };

  int triangles() const { return static_cast<int>(corner_.size()); }
  const std::array<Vec3, 3>& corners(int triangle) const { return corner_[index(triangle)]; }
  const std::array<int, 3>& vertices_of(int triangle) const { return vertices_of_[index(triangle)]; }
  const std::array<int, 3>& sides_of(int triangle) const { return sides_of_[index(triangle)]; }
  const Vec3& normal(int triangle) const { return normal_[index(triangle)]; }
  int sides() const { return static_cast<int>(side_.size()); }
  const Side& side(int i) const { return side_[index(i)]; }
  const Vec3& vertex(int i) const { return position_[index(i)]; }
  int owner_of_vertex(int i) const { return vertex_[index(i)].owner; }
  // Is `direction`, seen from the side or vertex, turned away from all triangles there? Then the side (vertex) is the
  // nearest thing to a point in that direction.
  bool is_turned_away(const Side& side, const Vec3& direction) const {
    return side.inward[0].dot(direction) <= 0 && side.inward[1].dot(direction) <= 0;
  }
  bool is_turned_away_at_vertex(int vertex, const Vec3& direction) const;
  // A ridge or a tip, not a line or a dot drawn on flat ground.
  bool is_ridge(const Side& side) const { return side.inward[1].dot(normal_[index(side.triangle[0])]) < -1e-6; }
  bool is_tip(int vertex) const { return is_tip_[index(vertex)] != 0; }

  // What `feature` of `triangle` sees as outside: normals of faces, their sums along sides, weighted by angle at vertices
  // (Baerentzen & Aanaes 2005: the sign of the distance is that of (p - closest) . this).
  Vec3 outward(int triangle, TriangleFeature feature) const;
  const Vec3& outward_at_vertex(int vertex) const { return vertex_normal_[index(vertex)]; }

  // Signed distance to the nearest point of the whole surface.
  Nearest nearest(const Vec3& p) const;

  template <class F>
  void for_each_triangle_in(const Bounds& box, F&& visit) const {
    std::array<int, 64> stack;  // the tree halves its triangles: its depth is below 20
    int top = 0;
    stack[0] = 0;
    while (top >= 0) {
      const Node& node = node_[index(stack[index(top--)])];
      if (!overlap(node.bounds, box)) continue;
      if (node.count > 0) {
        for (int k = node.first; k < node.first + node.count; ++k)
          if (overlap(bounds_[index(order_[index(k)])], box)) visit(order_[index(k)]);
      } else {
        stack[index(++top)] = node.right;
        stack[index(++top)] = node.left;
      }
    }
  }

 private:
  struct Node {
    Bounds bounds;
    int left = 0, right = 0;   // inner node
    int first = 0, count = 0;  // leaf: triangles order_[first, first + count)
  };
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void find_sides();
  void find_vertices();
  int build(int first, int last);

  std::vector<Vec3> position_;
  std::vector<std::array<int, 3>> vertices_of_, sides_of_;
  std::vector<std::array<Vec3, 3>> corner_;
  std::vector<Vec3> normal_, vertex_normal_;
  std::vector<Side> side_;
  std::vector<Vertex> vertex_;
  std::vector<char> is_tip_;
  std::vector<int> vertex_side_;
  std::vector<Bounds> bounds_;
  std::vector<int> order_;
  std::vector<Node> node_;
};

}  // namespace tendril
