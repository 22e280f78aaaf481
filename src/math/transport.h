// Parallel transport and adapted frames (Bishop frames, also called rotation-minimising) along curves. Tangents t are unit
// vectors. All templates work for double, packs and duals; the Eigen overloads at the end are for callers outside kernels.
// Transport from t_a to t_b is the smallest rotation that takes one to the other; it does not exist for t_b = -t_a, where
// these functions give infinities (the caller checks 1 + t_a . t_b).
#pragma once

#include <span>

#include "math/elementary.h"
#include "math/small.h"

namespace tendril {

// Any u:  R u = c u + k x u + k (k . u) / (1 + c),  k = t_from x t_to, c = t_from . t_to.
template <class T>
constexpr V3<T> parallel_transport(const V3<T>& t_from, const V3<T>& t_to, const V3<T>& u) {
  const V3<T> k = cross(t_from, t_to);
  const T c = dot(t_from, t_to);
  return c * u + cross(k, u) + (dot(k, u) / (T(1) + c)) * k;
}
// The same for u perpendicular to t_from:  u - (t_to . u) / (1 + c) (t_from + t_to).
template <class T>
constexpr V3<T> parallel_transport_normal(const V3<T>& t_from, const V3<T>& t_to, const V3<T>& u) {
  return u - (dot(t_to, u) / (T(1) + dot(t_from, t_to))) * (t_from + t_to);
}

// The angle from u to v, counted positive right-handed about `axis` (unit), in (-pi, pi].
template <class T>
constexpr T signed_angle(const V3<T>& u, const V3<T>& v, const V3<T>& axis) {
  return math::atan2(triple(axis, u, v), dot(u, v));
}

// angle + 2 pi k, the one closest to `near`.
template <class T>
constexpr T unwrap(const T& angle, const std::type_identity_t<T>& near) {
  return angle + T(math::two_pi) * math::round_nearest(T((near - angle) * T(1 / math::two_pi)));
}

// The twist from frame a to frame b (tangent and first director each): the signed angle about t_b from the transported
// director of a to that of b, in (-pi, pi].
template <class T>
constexpr T discrete_twist(const V3<T>& t_a, const V3<T>& u_a, const V3<T>& t_b, const V3<T>& u_b) {
  return signed_angle(parallel_transport_normal(t_a, t_b, u_a), u_b, t_b);
}

// u turned by `angle` about the unit vector t it is perpendicular to.
template <class T>
constexpr V3<T> turned_about(const V3<T>& t, const V3<T>& u, const T& angle) {
  const auto [s, c] = math::sincos(angle);
  return c * u + s * cross(t, u);
}

// A unit vector perpendicular to the unit vector t: the x axis transported from z to t; where t.z < -0.9, the x axis
// transported from -z. It is a smooth function of t but for the jump at t.z = -0.9 (no such function is smooth everywhere).
template <class T>
constexpr V3<T> any_perpendicular(const V3<T>& t) {
  const T sign = select(t.z < T(-0.9), T(-1), T(1));
  const T f = t.x / (T(1) + sign * t.z);
  return {T(1) - f * t.x, -(f * t.y), -(sign * t.x)};
}

// u without its part along t, normalised: repairs rounding drift of a director.
template <class T>
constexpr V3<T> orthonormalized(const V3<T>& t, const V3<T>& u) {
  return normalized(u - dot(t, u) * t);
}

// Bishop directors along a polygon: out[0] = u0 (made perpendicular to the first tangent), each next one transported.
template <class T>
constexpr void bishop_frames(std::span<const V3<T>> tangents, const V3<T>& u0, std::span<V3<T>> out) {
  if (tangents.empty()) return;
  out[0] = orthonormalized(tangents[0], u0);
  for (std::size_t i = 1; i < tangents.size(); ++i) {
    // Renormalised at every edge, so that rounding does not add up along a long rod.
    out[i] = orthonormalized(tangents[i], parallel_transport_normal(tangents[i - 1], tangents[i], out[i - 1]));
  }
}

// Eigen.
inline Vec3 parallel_transport(const Vec3& t_from, const Vec3& t_to, const Vec3& u) {
  return to_eigen(parallel_transport(to_small(t_from), to_small(t_to), to_small(u)));
}
inline double signed_angle(const Vec3& u, const Vec3& v, const Vec3& axis) {
  return signed_angle(to_small(u), to_small(v), to_small(axis));
}
inline double discrete_twist(const Vec3& t_a, const Vec3& u_a, const Vec3& t_b, const Vec3& u_b) {
  return discrete_twist(to_small(t_a), to_small(u_a), to_small(t_b), to_small(u_b));
}
inline Vec3 turned_about(const Vec3& t, const Vec3& u, double angle) {
  return to_eigen(turned_about(to_small(t), to_small(u), angle));
}
inline Vec3 any_perpendicular(const Vec3& t) { return to_eigen(any_perpendicular(to_small(t))); }
inline void bishop_frames(std::span<const Vec3> tangents, const Vec3& u0, std::span<Vec3> out) {
  V3<double> u = to_small(u0);
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    const V3<double> t = to_small(tangents[i]);
    if (i > 0) u = parallel_transport_normal(to_small(tangents[i - 1]), t, u);
    u = orthonormalized(t, u);
    out[i] = to_eigen(u);
  }
}

}  // namespace tendril
