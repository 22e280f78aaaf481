// Closest points of points and segments on a triangle.
#pragma once

#include <array>

#include "contact/segment_distance.h"

namespace tendril {

// Side k runs from corner k to corner k + 1.
enum class TriangleFeature : std::uint8_t { face, side0, side1, side2, corner0, corner1, corner2 };
struct TrianglePoint {
  Vec3 point = Vec3::Zero();
  TriangleFeature feature = TriangleFeature::face;
};
// Voronoi regions of the triangle.  [Ericson 2005, 5.1.5]
inline TrianglePoint closest_on_triangle(const std::array<Vec3, 3>& t, const Vec3& p) {
  using F = TriangleFeature;
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0], ap = p - t[0];
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {t[0], F::corner0};
  const Vec3 bp = p - t[1];
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {t[1], F::corner1};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {t[0] + (d1 / (d1 - d3)) * ab, F::side0};
  const Vec3 cp = p - t[2];
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {t[2], F::corner2};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {t[0] + (d2 / (d2 - d6)) * ac, F::side2};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return {t[1] + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (t[2] - t[1]), F::side1};
  const double inverse = 1 / (va + vb + vc);
  return {t[0] + (vb * inverse) * ab + (vc * inverse) * ac, F::face};
}

struct SegmentTriangle {
  double s = 0;               // place on the segment
  Vec3 apart = Vec3::Zero();  // from the triangle to the segment; zero where they cross
  double squared = 0;
};
// Closest points of the segment p0 p1 and a triangle: its ends against the face, the segment against the three sides, or a
// crossing.
inline SegmentTriangle closest_on_triangle(const std::array<Vec3, 3>& t, const Vec3& p0, const Vec3& p1) {
  SegmentTriangle best;
  const Vec3 first = p0 - closest_on_triangle(t, p0).point, last = p1 - closest_on_triangle(t, p1).point;
  best = {0, first, first.squaredNorm()};
  if (last.squaredNorm() < best.squared) best = {1, last, last.squaredNorm()};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto c = closest_points(to_small(p0), to_small(p1), to_small(t[k]), to_small(t[(k + 1) % 3]));
    if (c.squared < best.squared) best = {c.s, to_eigen(c.apart), c.squared};
  }
  // They cross when the ends lie on different sides and the line passes the three sides in one sense.
  const Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]), u = p1 - p0;
  const double side0 = normal.dot(p0 - t[0]), side1 = normal.dot(p1 - t[0]);
  if (side0 * side1 < 0) {
    const double s = side0 / (side0 - side1);
    const Vec3 x = p0 + s * u;
    bool inside = true;
    for (std::size_t k = 0; k < 3; ++k) inside = inside && (t[(k + 1) % 3] - t[k]).cross(x - t[k]).dot(normal) >= 0;
    if (inside) best = {s, Vec3::Zero(), 0};
  }
  return best;
}

}  // namespace tendril
