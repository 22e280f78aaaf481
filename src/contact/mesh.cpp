#include "contact/mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "math/elementary.h"

namespace tendril {

MeshGeometry::MeshGeometry(const shape::Mesh& mesh) : position_(mesh.vertices), vertices_of_(mesh.triangles) {
  for (const auto& t : vertices_of_) {
    corner_.push_back({position_[index(t[0])], position_[index(t[1])], position_[index(t[2])]});
    const auto& c = corner_.back();
    normal_.push_back((c[1] - c[0]).cross(c[2] - c[0]).normalized());
    Bounds b;
    for (const Vec3& p : c) b.include(p);
    bounds_.push_back(b);
  }
  find_sides();
  find_vertices();
  order_.resize(corner_.size());
  std::iota(order_.begin(), order_.end(), 0);
  node_.reserve(2 * corner_.size());
  build(0, triangles());
}

void MeshGeometry::find_sides() {
  std::map<std::pair<int, int>, int> known;
  sides_of_.resize(corner_.size());
  for (int t = 0; t < triangles(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = vertices_of_[index(t)][index(k)], b = vertices_of_[index(t)][index((k + 1) % 3)];
      const auto [found, is_new] = known.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(side_.size()));
      if (is_new) side_.push_back({a, b, {-1, -1}, {Vec3::Zero(), Vec3::Zero()}});
      Side& side = side_[index(found->second)];
      const std::size_t place = is_new ? 0 : 1;
      side.triangle[place] = t;
      const Vec3 along = position_[index(b)] - position_[index(a)];
      side.inward[place] = normal_[index(t)].cross(along).normalized();
      sides_of_[index(t)][index(k)] = found->second;
    }
}

void MeshGeometry::find_vertices() {
  vertex_.resize(position_.size());
  is_tip_.assign(position_.size(), 0);
  vertex_normal_.assign(position_.size(), Vec3::Zero());
  for (int t = 0; t < triangles(); ++t)
    for (int k = 0; k < 3; ++k) {
      // Pseudonormal: normals of the faces at a vertex, weighted by their angles there.
      const int v = vertices_of_[index(t)][index(k)];
      const auto& c = corner_[index(t)];
      const Vec3 e = c[index((k + 1) % 3)] - c[index(k)], f = c[index((k + 2) % 3)] - c[index(k)];
      vertex_normal_[index(v)] += math::atan2(e.cross(f).norm(), e.dot(f)) * normal_[index(t)];
      if (vertex_[index(v)].owner < 0) vertex_[index(v)].owner = t;
    }
  for (const Side& s : side_) ++vertex_[index(s.from)].sides, ++vertex_[index(s.to)].sides;
  // Sides of each vertex, in one flat list; a vertex at a ridge is a tip.
  int first = 0;
  for (Vertex& v : vertex_) v.first_side = first, first += v.sides, v.sides = 0;
  vertex_side_.resize(index(first));
  for (int s = 0; s < static_cast<int>(side_.size()); ++s)
    for (const int end : {side_[index(s)].from, side_[index(s)].to}) {
      Vertex& v = vertex_[index(end)];
      vertex_side_[index(v.first_side + v.sides++)] = s;
      if (is_ridge(side_[index(s)])) is_tip_[index(end)] = 1;
    }
}

// Halves the triangles along the longest extent of their centres.
int MeshGeometry::build(int first, int last) {
  const int here = static_cast<int>(node_.size());
  node_.emplace_back();
  Bounds all, centres;
  for (int k = first; k < last; ++k) {
    all.include(bounds_[index(order_[index(k)])]);
    centres.include(bounds_[index(order_[index(k)])].centre());
  }
  // Small enough: a leaf. Else the median along the longest extent; equal centres by number, so that the tree is unique.
  node_[index(here)].bounds = all;
  if (last - first <= 4) {
    node_[index(here)].first = first, node_[index(here)].count = last - first;
    return here;
  }
  int axis = 0;
  (centres.high - centres.low).maxCoeff(&axis);
  const int middle = (first + last) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last, [&](int a, int b) {
    const double x = bounds_[index(a)].centre()[axis], y = bounds_[index(b)].centre()[axis];
    return x != y ? x < y : a < b;
  });
  const int left = build(first, middle), right = build(middle, last);
  node_[index(here)].left = left, node_[index(here)].right = right;
  return here;
}

bool MeshGeometry::is_turned_away_at_vertex(int vertex, const Vec3& direction) const {
  const Vertex& v = vertex_[index(vertex)];
  for (int k = v.first_side; k < v.first_side + v.sides; ++k) {
    const Side& s = side_[index(vertex_side_[index(k)])];
    const Vec3 away = position_[index(s.from == vertex ? s.to : s.from)] - position_[index(vertex)];
    if (away.dot(direction) > 0) return false;
  }
  return true;
}

Vec3 MeshGeometry::outward(int triangle, TriangleFeature feature) const {
  const int number = static_cast<int>(feature);
  if (number == 0) return normal_[index(triangle)];
  if (number <= 3) {
    const Side& s = side_[index(sides_of_[index(triangle)][index(number - 1)])];
    return normal_[index(s.triangle[0])] + normal_[index(s.triangle[1])];
  }
  return vertex_normal_[index(vertices_of_[index(triangle)][index(number - 4)])];
}

Nearest MeshGeometry::nearest(const Vec3& p) const {
  const auto squared_to = [&p](const Bounds& b) { return (p - p.cwiseMax(b.low).cwiseMin(b.high)).squaredNorm(); };
  double best = std::numeric_limits<double>::infinity();
  int triangle = 0;
  TrianglePoint at;
  std::array<int, 64> stack;
  int top = 0;
  stack[0] = 0;
  while (top >= 0) {
    // Branch and bound: boxes further away than the best triangle are skipped, the nearer half is looked at first.
    const Node& node = node_[index(stack[index(top--)])];
    if (squared_to(node.bounds) > best) continue;
    for (int k = node.first; k < node.first + node.count; ++k) {
      const int t = order_[index(k)];
      const TrianglePoint c = closest_on_triangle(corner_[index(t)], p);
      const double squared = (p - c.point).squaredNorm();
      if (squared < best || (squared == best && t < triangle)) best = squared, triangle = t, at = c;
    }
    if (node.count > 0) continue;
    const bool left_first = squared_to(node_[index(node.left)].bounds) <= squared_to(node_[index(node.right)].bounds);
    stack[index(++top)] = left_first ? node.right : node.left;
    stack[index(++top)] = left_first ? node.left : node.right;
  }
  // Inside or outside by the pseudonormal of the nearest feature.
  const Vec3 out = outward(triangle, at.feature), away = p - at.point;
  const double distance = std::sqrt(best), side = away.dot(out) < 0 ? -1 : 1;
  return {side * distance, distance > 0 ? Vec3((side / distance) * away) : Vec3(out.normalized())};
}

}  // namespace tendril
