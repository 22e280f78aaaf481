// The closest points of two segments, exact to rounding in every case, and the derivatives of their distance.
//
//   a(s) = a0 + s u,  u = a1 - a0        b(t) = b0 + t v,  v = b1 - b0        s, t in [0, 1]
//
// |a(s) - b(t)|^2 is a convex quadratic, so its minimum over the square is its critical point, when that lies inside, or
// else the best of the four sides: one end of one segment against the other segment. All five are computed and the best is
// taken; there is no case analysis in which rounding could choose wrongly, and no branch, so that the kernel works on packs.
#pragma once

#include <Eigen/Core>

#include "math/small.h"

namespace tendril {

template <class T>
struct ClosestPoints {
  T s, t;       // places of the closest points
  V3<T> apart;  // a(s) - b(t)
  T squared;    // |apart|^2
};

// The place of the point of b0 + t v, 0 <= t <= 1, that is closest to p; 0 where v is zero.
template <class T>
constexpr T closest_place(const V3<T>& p, const V3<T>& b0, const V3<T>& v) {
  const T vv = squared_norm(v);
  const auto is_point = vv <= T(0);
  return select(is_point, T(0), math::clamp(T(dot(p - b0, v) / select(is_point, T(1), vv)), T(0), T(1)));
}

// Sine of the angle below which two segments count as parallel, squared: the rounding of the cross product.
inline constexpr double parallel_sine_squared = 1e-28;

// Parallel segments that lie side by side: the middle of the stretch they share. Degenerate segments are points.
template <class T>
constexpr ClosestPoints<T> closest_points(const V3<T>& a0, const V3<T>& a1, const V3<T>& b0, const V3<T>& b1) {
  const V3<T> u = a1 - a0, v = b1 - b0, w = a0 - b0;
  ClosestPoints<T> best;
  const auto take = [&](const auto& usable, const T& s, const T& t) {
    const V3<T> apart = w + s * u - t * v;
    const T squared = squared_norm(apart);
    const auto better = usable && squared < best.squared;
    best = {select(better, s, best.s), select(better, t, best.t), select(better, apart, best.apart),
            select(better, squared, best.squared)};
  };
  const T zero(0), one(1);
  const T t_of_a0 = closest_place(a0, b0, v), t_of_a1 = closest_place(a1, b0, v);
  const T s_of_b0 = closest_place(b0, a0, u), s_of_b1 = closest_place(b1, a0, u);
  const V3<T> first = w - t_of_a0 * v;
  best = {zero, t_of_a0, first, squared_norm(first)};
  const auto always = zero <= one;
  take(always, one, t_of_a1);
  take(always, s_of_b0, zero);
  take(always, s_of_b1, one);

  // The critical point, through n = u x v: w + s u - t v is parallel to n. Near parallel s is as good as the points allow;
  // the normal equations (u.u v.v - (u.v)^2) would lose twice as many digits. t once more from s: what is left of the error
  // in s then moves the distance by rounding only.
  const V3<T> n = cross(u, v);
  const T nn = squared_norm(n), scale = squared_norm(u) * squared_norm(v);
  const auto crossing = nn > T(parallel_sine_squared) * scale;
  const T inverse = one / select(crossing, nn, one);
  const T s_inside = -dot(w, cross(v, n)) * inverse, t_inside = -dot(w, cross(u, n)) * inverse;
  const auto inside = crossing && s_inside > zero && s_inside < one && t_inside > zero && t_inside < one;
  const T s_safe = select(inside, s_inside, zero);
  take(inside, s_safe, closest_place(a0 + s_safe * u, b0, v));

  // Side by side: any point of the shared stretch would do; its middle does not jump from end to end.
  const T low = math::min(s_of_b0, s_of_b1), high = math::max(s_of_b0, s_of_b1);
  const auto beside = !crossing && scale > zero && low < high;
  const T s_middle = T(0.5) * (low + high), t_middle = closest_place(a0 + s_middle * u, b0, v);
  const V3<T> apart = w + s_middle * u - t_middle * v;
  return {select(beside, s_middle, best.s), select(beside, t_middle, best.t), select(beside, apart, best.apart),
          select(beside, squared_norm(apart), best.squared)};
}

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

// The distance and its derivatives by (a0, a1, b0, b1). Closest points at an end stay there; those inside slide.
//   gradient  W^T n,     n = (a - b) / d,  W = d(a - b)/dx at fixed s, t = [(1-s) 1, s 1, -(1-t) 1, -t 1]
//   Hessian   W^T P W / d - C A^-1 C^T,    P = 1 - n n^T,  A = d2 d / d(s,t)2,  C = d2 d / dx d(s,t), free places only
// The gradient is continuous where d > 0 but for segments that become parallel side by side; the Hessian jumps where a
// closest point reaches an end. Not defined for d = 0 (all zero is returned).
struct DistanceDerivatives {
  ClosestPoints<double> at;
  double distance = 0;
  Vector12 gradient = Vector12::Zero();
  Matrix12 hessian = Matrix12::Zero();
};
DistanceDerivatives distance_derivatives(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

}  // namespace tendril
