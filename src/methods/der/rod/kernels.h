// The formulas of Discrete Elastic Rods as pure functions over the number type T.  [Bergou 2008], ERRATA D1-D24.
//
// Symbols: two neighbouring edges a (before) and b (after) meet in a joint.
//   a, b       unit tangents; c = a.b; w = 1/(1 + c)
//   m1, m2     material directors of an edge; theta turns them about the tangent from the Bishop frame (u, v)
//   kb         curvature binormal, |kb| = 2 tan(turning angle / 2)
//   omega^j    material curvatures of the joint seen in the frame of edge j = a or b
//   B^j        bending stiffness of edge j, a full symmetric 2x2 in the rest Bishop frame
//   m, beta    twist of the joint, twisting stiffness
//   l          |e^a| + |e^b| of the rest state (twice the joint's own length); |e| of the one edge at a wall  [ERRATA D1]
//   G          internal moment at the joint, action of b on a
//
// The moment G is the gradient of the energy when edge b's frame turns, and minus that of edge a. All forces follow from it:
//   dE/de^a = (a x G)/|e^a|,   dE/de^b = (G x b)/|e^b|                                                             (*)
// which holds for present lengths, so it stays true when the rod stretches.
// differs from the paper: the gradient of kb is never formed, and (10) is not summed; frames that are carried along by
// parallel transport in time give the same total derivative with neighbours only, because dE/dtheta = 0.  [ERRATA D10, D13]
#pragma once

#include "math/small.h"

namespace tendril::der {

template <class T>
struct V2 {
  T x, y;
  friend constexpr V2 operator-(const V2& p, const V2& q) { return {p.x - q.x, p.y - q.y}; }
  friend constexpr V2 operator+(const V2& p, const V2& q) { return {p.x + q.x, p.y + q.y}; }
  friend constexpr V2 operator*(const T& s, const V2& p) { return {s * p.x, s * p.y}; }
};
template <class T>
constexpr T dot(const V2<T>& p, const V2<T>& q) {
  return p.x * q.x + p.y * q.y;
}
// J: a quarter turn, counter-clockwise.  [Bergou 2008, below eq. (7)]
template <class T>
constexpr V2<T> quarter_turn(const V2<T>& p) {
  return {-p.y, p.x};
}

template <class T>
struct Sym2 {  // symmetric 2x2
  T xx, xy, yy;
  friend constexpr V2<T> operator*(const Sym2& s, const V2<T>& p) {
    return {s.xx * p.x + s.xy * p.y, s.xy * p.x + s.yy * p.y};
  }
};

// A joint is folded when its edges point against each other; the energy is infinite there. The floor keeps arithmetic finite
// in unused slots; a real joint below `folded` is reported.  [ERRATA D2]
inline constexpr double folded = 1e-6;
template <class T>
constexpr T joint_weight(const T& c) {
  const T openness = T(1) + c;
  return T(1) / select(openness < T(1e-12), T(1e-12), openness);
}

// Material curvatures of the joint in the frame of its first edge, and of its second.  [Bergou 2008, eqs. (1), (2)]
//   kb = 2 a x b / (1 + a.b)
//   (kb.m2, -kb.m1) = 2 w (b.m1, b.m2) for directors of a, = -2 w (a.m1, a.m2) for directors of b
template <class T>
constexpr V2<T> material_curvature_first(const V3<T>& b, const T& w, const V3<T>& m1, const V3<T>& m2) {
  return {T(2) * w * dot(b, m1), T(2) * w * dot(b, m2)};
}
template <class T>
constexpr V2<T> material_curvature_second(const V3<T>& a, const T& w, const V3<T>& m1, const V3<T>& m2) {
  return {T(-2) * w * dot(a, m1), T(-2) * w * dot(a, m2)};
}

// Internal moment of a naturally straight, isotropic joint: energy alpha |kb|^2 / l and twist moment `twist_moment`.
//   stiffness = 8 alpha / l                                                        [Bergou 2008, eq. (6); ERRATA D1]
template <class T>
constexpr V3<T> isotropic_moment(const V3<T>& a, const V3<T>& b, const T& stiffness, const T& twist_moment) {
  const T w = joint_weight(dot(a, b));
  return (stiffness * w * w) * cross(a, b) + (twist_moment * w) * (a + b);
}

// Internal moment of a general joint. p = B^a (omega^a - rest)/l in the frame of a, likewise q for b.  [Bergou 2008, eq.
// (3)]
template <class T>
struct Directors {
  V3<T> m1, m2;
};
template <class T>
constexpr V3<T> general_moment(const V3<T>& a, const V3<T>& b, const T& w, const Directors<T>& of_a,
                               const Directors<T>& of_b, const V2<T>& omega_a, const V2<T>& omega_b, const V2<T>& p,
                               const V2<T>& q, const T& twist_moment) {
  const V3<T> pa = p.x * of_a.m1 + p.y * of_a.m2;
  const V3<T> qb = q.x * of_b.m1 + q.y * of_b.m2;
  const T s = dot(p, omega_a) + dot(q, omega_b);
  return w * (T(2) * (cross(b, pa) + cross(a, qb)) + s * cross(a, b) + twist_moment * (a + b));
}

// First and second derivative of 1/2 (omega - rest)^T B (omega - rest)/l in the frame's own angle theta, p = B(omega -
// rest)/l. [Bergou 2008, eq. (7) and the Hessian below it]   d omega/d theta = -J omega
template <class T>
constexpr T angle_gradient(const V2<T>& omega, const V2<T>& p) {
  return -dot(quarter_turn(omega), p);
}
template <class T>
constexpr T angle_curvature(const V2<T>& omega, const Sym2<T>& stiffness, const T& inverse_l, const V2<T>& p) {
  const V2<T> j = quarter_turn(omega);
  return inverse_l * dot(j, stiffness * j) - dot(omega, p);
}

}  // namespace tendril::der
