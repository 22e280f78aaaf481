// Rods against meshes: every place where the distance has a minimum, so that a corner of a room touches twice.
#include <algorithm>
#include <cmath>

#include "contact/contact_search.h"

namespace tendril {

using Size = std::size_t;

bool ContactSearch::passes_mesh(int obstacle, const MeshGeometry& mesh, const Frames& frames, int edge, const Moving& m) {
  const double radius = geometry_.radius(edge), motion = m.farthest();
  if (motion == 0) return false;
  // All triangles in the box that the segment sweeps: which of them does it come too near to, first of all?
  Bounds swept;
  for (const Segment& s : {m.from, m.to}) swept.include(s.p0), swept.include(s.p1);
  double earliest = never;
  int passed = -1;
  mesh.for_each_triangle_in(swept.padded(passing_core * radius), [&](int triangle) {
    const auto& corners = mesh.corners(triangle);
    const SegmentTriangle first = closest_on_triangle(corners, m.from.p0, m.from.p1);
    const double d0 = std::sqrt(first.squared), limit = std::min(passing_core * radius, 0.5 * d0);
    if (d0 - motion > limit || !(d0 > 0)) return;
    struct Look {
      double distance, approach;
    };
    const double time = time_of_impact(
        [&](double t) {
          const Segment s = m.at(t);
          const SegmentTriangle c = t == 0 ? first : closest_on_triangle(corners, s.p0, s.p1);
          const double d = std::sqrt(c.squared);
          return Look{d, m.approach(c.apart / d)};
        },
        limit);
    if (time < earliest || (time == earliest && triangle < passed)) earliest = time, passed = triangle;
  });
  // The contact as it is at that instant.
  if (!(earliest < 1)) return false;
  const Segment s = m.at(earliest);
  const SegmentTriangle c = closest_on_triangle(mesh.corners(passed), s.p0, s.p1);
  out_.push_back(
      contact_with(obstacle, edge, c.s, MeshPart::face(passed), s.at(c.s) - c.apart, c.apart.normalized(), frames));
  out_.back().time = earliest;
  return true;
}

// Over a side or a vertex. Both are looked at once, with the first triangle they belong to: when they are near, so is it.
void ContactSearch::meet_mesh_between_nodes(int obstacle, const MeshGeometry& mesh, const Frames& frames, int edge,
                                            const Segment& segment) {
  // Triangles around the segment, and how a place on it is reported.
  const double near = geometry_.radius(edge) + geometry_.margin();
  Bounds box;
  box.include(segment.p0), box.include(segment.p1);
  const auto tell = [&](double s, const Vec3& apart, std::uint32_t part) {
    const double d = apart.norm();
    if (d > 0 && d <= near) out_.push_back(contact_with(obstacle, edge, s, part, segment.at(s) - apart, apart / d, frames));
  };
  const V3<double> p0 = to_small(segment.p0), p1 = to_small(segment.p1);
  mesh.for_each_triangle_in(box.padded(near), [&](int triangle) {
    // Ridges that it crosses.
    for (const int i : mesh.sides_of(triangle)) {
      const MeshGeometry::Side& side = mesh.side(i);
      if (side.triangle[0] != triangle || !mesh.is_ridge(side)) continue;
      const auto c = closest_points(p0, p1, to_small(mesh.vertex(side.from)), to_small(mesh.vertex(side.to)));
      const bool between = c.s > 0 && c.s < 1 && c.t > 0 && c.t < 1;
      const Vec3 apart = to_eigen(c.apart);
      // Along the side no place is nearest: the contacts of nodes and vertices cover it.
      const Vec3 u = segment.p1 - segment.p0, v = mesh.vertex(side.to) - mesh.vertex(side.from);
      const bool along = u.cross(v).squaredNorm() <= 1e-12 * u.squaredNorm() * v.squaredNorm();
      if (between && !along && mesh.is_turned_away(side, apart)) tell(c.s, apart, MeshPart::side(i));
    }
    // Tips that point at it.
    for (const int v : mesh.vertices_of(triangle)) {
      if (mesh.owner_of_vertex(v) != triangle || !mesh.is_tip(v)) continue;
      const double s = closest_place(to_small(mesh.vertex(v)), p0, p1 - p0);
      const Vec3 apart = segment.at(s) - mesh.vertex(v);
      if (s > 0 && s < 1 && mesh.is_turned_away_at_vertex(v, apart)) tell(s, apart, MeshPart::vertex(v));
    }
  });
}

void ContactSearch::meet_mesh_at_node(int obstacle, const MeshGeometry& mesh, const Frames& frames, int node, int edge) {
  // The node, and the larger radius of its two edges.
  const Segment segment = seen_from(frames, edge).to;
  const Vec3& p = geometry_.ends(edge)[0] == node ? segment.p0 : segment.p1;
  double near = 0;
  for (const int e : geometry_.beside(node))
    if (e >= 0) near = std::max(near, geometry_.radius(e) + geometry_.margin());
  const Bounds box = Bounds{p, p}.padded(near);
  // First the nearest of all: it knows whether the node is outside.
  double least = near;
  int nearest_triangle = -1;
  TrianglePoint nearest_point;
  mesh.for_each_triangle_in(box, [&](int triangle) {
    const TrianglePoint c = closest_on_triangle(mesh.corners(triangle), p);
    const double d = (p - c.point).norm();
    if (d < least || (d == least && triangle < nearest_triangle)) least = d, nearest_triangle = triangle, nearest_point = c;
  });
  if (nearest_triangle < 0) return;
  const auto part_of = [&](int triangle, TriangleFeature feature) {
    const int k = static_cast<int>(feature);
    return k == 0   ? MeshPart::face(triangle)
           : k <= 3 ? MeshPart::side(mesh.sides_of(triangle)[static_cast<Size>(k - 1)])
                    : MeshPart::vertex(mesh.vertices_of(triangle)[static_cast<Size>(k - 4)]);
  };
  const Vec3 out = mesh.outward(nearest_triangle, nearest_point.feature);
  if (least == 0 || (p - nearest_point.point).dot(out) < 0) {  // inside, or on the surface: the shortest way out
    const Vec3 normal = least > 0 ? Vec3((nearest_point.point - p) / least) : Vec3(out.normalized());
    add_node(obstacle, node, part_of(nearest_triangle, nearest_point.feature), nearest_point.point, {-least, normal},
             frames);
    return;
  }
  // Outside: every face, ridge and tip that is nearest from here, each reported by one triangle only.
  mesh.for_each_triangle_in(box, [&](int triangle) {
    const TrianglePoint c = closest_on_triangle(mesh.corners(triangle), p);
    const Vec3 apart = p - c.point;
    const double d = apart.norm();
    if (d > near || apart.dot(mesh.outward(triangle, c.feature)) <= 0) return;  // seen through the mesh
    const int k = static_cast<int>(c.feature);
    if (k >= 1 && k <= 3) {
      const MeshGeometry::Side& side = mesh.side(mesh.sides_of(triangle)[static_cast<Size>(k - 1)]);
      if (side.triangle[0] != triangle || !mesh.is_turned_away(side, apart)) return;
    } else if (k >= 4) {
      const int v = mesh.vertices_of(triangle)[static_cast<Size>(k - 4)];
      if (mesh.owner_of_vertex(v) != triangle || !mesh.is_turned_away_at_vertex(v, apart)) return;
    }
    const Vec3 normal = k == 0 ? mesh.normal(triangle) : Vec3(apart / d);
    add_node(obstacle, node, part_of(triangle, c.feature), c.point, {d, normal}, frames);
  });
}

}  // namespace tendril
