// Signed distances to convex shapes in their own axes (model.h): exact, positive outside, negative inside, so that deep
// overlap still knows the shortest way out. The signed distance to a convex set is a convex function; along a segment it has
// one lowest value, found by its slope.
#pragma once

#include <algorithm>
#include <cmath>

#include "contact/bounds.h"
#include "contact/segment_distance.h"
#include "math/elementary.h"
#include "model/model.h"

namespace tendril {

struct Nearest {
  double distance = 0;          // [m], < 0: inside
  Vec3 normal = Vec3::UnitZ();  // out of the shape; the surface point is p - distance normal
};

inline Nearest nearest(const shape::HalfSpace&, const Vec3& p) { return {p.z(), Vec3::UnitZ()}; }

inline Nearest nearest(const shape::Sphere& s, const Vec3& p) {
  const double length = p.norm();
  return {length - s.radius, length > 0 ? Vec3(p / length) : Vec3::UnitZ()};
}

inline Nearest nearest(const shape::Capsule& s, const Vec3& p) {
  const Vec3 out(p.x(), p.y(), p.z() - std::clamp(p.z(), -s.half_length, s.half_length));
  const double length = out.norm();
  return {length - s.radius, length > 0 ? Vec3(out / length) : Vec3::UnitX()};
}

inline Nearest nearest(const shape::Cylinder& s, const Vec3& p) {
  const double rho = math::hypot(p.x(), p.y());
  const Vec3 side = rho > 0 ? Vec3(p.x() / rho, p.y() / rho, 0) : Vec3::UnitX();
  const Vec3 cap(0, 0, p.z() < 0 ? -1 : 1);
  const double across = rho - s.radius, along = std::abs(p.z()) - s.half_length;
  if (across > 0 && along > 0) {  // nearest to the rim
    const double distance = math::hypot(across, along);
    return {distance, (across / distance) * side + (along / distance) * cap};
  }
  return across > along ? Nearest{across, side} : Nearest{along, cap};
}

inline Nearest nearest(const shape::Box& s, const Vec3& p) {
  const Vec3 over = p.cwiseAbs() - s.half;
  const Vec3 sign(p.x() < 0 ? -1 : 1, p.y() < 0 ? -1 : 1, p.z() < 0 ? -1 : 1);
  const Vec3 out = over.cwiseMax(0.0);
  const double distance = out.norm();
  if (distance > 0) return {distance, out.cwiseProduct(sign) / distance};
  int axis = 0;
  const double depth = over.maxCoeff(&axis);
  return {depth, Vec3(sign[axis] * Vec3::Unit(axis))};
}

struct SegmentNearest {
  double s = 0;  // of the segment's nearest point (lowest signed distance)
  Nearest at;
};

// Lowest signed distance along p + s u, 0 <= s <= 1. Where it is lowest along a whole stretch that reaches an end, the end.
template <class Shape>
SegmentNearest nearest_along(const Shape& shape, const Vec3& p, const Vec3& u) {
  const Nearest first = nearest(shape, p);
  double slope_low = first.normal.dot(u);
  if (slope_low >= 0) return {0, first};
  const Nearest last = nearest(shape, Vec3(p + u));
  double slope_high = last.normal.dot(u);
  if (slope_high <= 0) return {1, last};
  // A rising slope changes sign in between: false position (regula falsi) with halved weights (the Illinois variant), so
  // that both ends close in; where that is slow, at kinks, every third step halves the interval (bisection).
  double low = 0, high = 1, weight_low = slope_low, weight_high = slope_high;
  SegmentNearest best{0.5, {}};
  for (int k = 0; k < 120 && high - low > 1e-15; ++k) {
    double s = k % 3 == 2 ? 0.5 * (low + high) : (low * weight_high - high * weight_low) / (weight_high - weight_low);
    if (!(s > low && s < high)) s = 0.5 * (low + high);
    if (s == low || s == high) break;
    best = {s, nearest(shape, Vec3(p + s * u))};
    const double slope = best.at.normal.dot(u);
    if (std::abs(slope) <= 1e-15 * u.norm()) break;
    if (slope < 0) {
      low = s, weight_low = slope, weight_high *= 0.5;
    } else {
      high = s, weight_high = slope, weight_low *= 0.5;
    }
  }
  return best;
}
inline SegmentNearest nearest_along(const shape::Sphere& shape, const Vec3& p, const Vec3& u) {
  const double s = closest_place(V3<double>{0, 0, 0}, to_small(p), to_small(u));
  return {s, nearest(shape, Vec3(p + s * u))};
}
inline SegmentNearest nearest_along(const shape::Capsule& shape, const Vec3& p, const Vec3& u) {
  const V3<double> axis{0, 0, shape.half_length};
  const auto c = closest_points(to_small(p), to_small(Vec3(p + u)), -axis, axis);
  return {c.s, nearest(shape, Vec3(p + c.s * u))};
}

// Where the round side is nearest all along, its lowest distance is that of two lines.
inline SegmentNearest nearest_along(const shape::Cylinder& shape, const Vec3& p, const Vec3& u) {
  const double beyond = std::max(std::abs(p.z()), std::abs(p.z() + u.z())) - shape.half_length;
  const double squared = u.head<2>().squaredNorm();
  if (beyond < 0 && squared > 0) {
    const double s = std::clamp(-p.head<2>().dot(u.head<2>()) / squared, 0.0, 1.0);
    const Nearest at = nearest(shape, Vec3(p + s * u));
    if (at.distance > beyond) return {s, at};
  }
  return nearest_along<shape::Cylinder>(shape, p, u);
}

inline Bounds bounds_of(const shape::Sphere& s) { return {Vec3::Constant(-s.radius), Vec3::Constant(s.radius)}; }
inline Bounds bounds_of(const shape::Capsule& s) {
  const Vec3 half(s.radius, s.radius, s.half_length + s.radius);
  return {-half, half};
}
inline Bounds bounds_of(const shape::Cylinder& s) {
  const Vec3 half(s.radius, s.radius, s.half_length);
  return {-half, half};
}
inline Bounds bounds_of(const shape::Box& s) { return {-s.half, s.half}; }
inline Bounds bounds_of(const shape::Mesh& s) {
  Bounds b;
  for (const Vec3& v : s.vertices) b.include(v);
  return b;
}

}  // namespace tendril
