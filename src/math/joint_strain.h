// Strain of the joint between two frames a and b, from the unit quaternion (w, x, y, z) of a^-1 b, with first and second
// derivatives in a small turn of b against a, exp(turn) in the axes of a.
//
//   angle  bend = (x, y) b/s,  s = sin(b/2) = |(x, y)|, b the angle between the tangents;  twist = 2 atan2(z, w), unwrapped.
//          The joint turns by half of the twist, bends, and turns by the other half: any winding, circles close exactly.
//   sine   2 (x, y, z), the sign of the quaternion with w > 0.                          [Zhao 2022, eq. (29); ERRATA Z3, Z4, Z24]
//   beside bend as of `angle`, but in the axes of one of the two frames, and no twist: a clamp that holds the direction alone.
//
// With q(turn) = exp(turn) q, q' = 1/2 turn q and q'' = -1/4 |turn|^2 q, so that a function F of q has
//   gradient J^T F_q,   Hessian J^T F_qq J - 1/4 (F_q . q) 1,     J = dq/dturn
#pragma once

#include <array>
#include <cmath>

#include "math/elementary.h"
#include "math/small.h"
#include "math/transport.h"

namespace tendril {

enum class StrainKind : std::uint8_t { angle, sine, beside_a, beside_b };

namespace strain_detail {
// 2 asin(sqrt(u))/sqrt(u) = sum 2 (2k)! / (4^k k!^2 (2k+1)) u^k
struct ArcSeries {
  static constexpr int terms = 14;
  double a[terms] = {};
  constexpr ArcSeries() {
    double binomial = 1;
    for (int k = 0; k < terms; ++k) {
      a[k] = 2 * binomial / (2 * k + 1);
      binomial *= (2.0 * k + 1) / (2.0 * k + 2);
    }
  }
};
inline constexpr ArcSeries arc_series{};
}  // namespace strain_detail

// b/s as a function of u = s^2, and its derivatives in u. Below u = 0.04 (b = 0.4) by the series: closed forms cancel there.
// Most joints bend by less than a tenth of a radian, for which eight terms are enough.
struct ArcOverSine {
  double value = 2, slope = 0, bend = 0;
};
namespace strain_detail {
template <int terms>
ArcOverSine arc_by_series(double u) {
  ArcOverSine r{0, 0, 0};
  for (int k = terms - 1; k >= 0; --k) {
    r.bend = r.bend * u + r.slope;
    r.slope = r.slope * u + r.value;
    r.value = r.value * u + arc_series.a[k];
  }
  r.bend *= 2;
  return r;
}
// atan(z/w) for |z| < w/8, where most joints are.
inline double small_atan(double t) {
  const double s = t * t;
  double sum = 1.0 / 17;
  for (int k = 7; k >= 0; --k) sum = 1.0 / (2 * k + 1) - s * sum;
  return t * sum;
}
}  // namespace strain_detail
inline ArcOverSine arc_over_sine(double u, double cosine) {
  if (u < 0.0025) return strain_detail::arc_by_series<8>(u);
  if (u < 0.04) return strain_detail::arc_by_series<strain_detail::ArcSeries::terms>(u);
  const double s = std::sqrt(u), value = 2 * math::atan2(s, cosine) / s;
  const double slope = (2 / cosine - value) / (2 * u);
  return {value, slope, (1 / (cosine * cosine * cosine) - 3 * slope) / (2 * u)};
}

// What derivatives and strain share.
struct StrainPoint {
  StrainKind kind = StrainKind::angle;
  double w = 1, x = 0, y = 0, z = 0;  // of the joint
  double sign = 1;                    // of the quaternion, chosen by winding
  double c2 = 1;                      // w^2 + z^2, cos^2 (b/2)
  ArcOverSine arc;
  Vec3 strain = Vec3::Zero();
};

// `twist_near`: the twist is the value closest to it.
inline StrainPoint strain_point(StrainKind kind, const Quat& q, double twist_near) {
  StrainPoint p;
  p.kind = kind;
  p.w = q.w(), p.x = q.x(), p.y = q.y(), p.z = q.z();
  if (kind == StrainKind::sine) {
    p.sign = p.w < 0 ? -1 : 1;
    p.strain = (2 * p.sign) * q.vec();
    return p;
  }
  p.c2 = p.w * p.w + p.z * p.z;
  const double c = std::sqrt(p.c2);
  p.arc = arc_over_sine(p.x * p.x + p.y * p.y, c);
  if (kind != StrainKind::angle) {
    const double side = kind == StrainKind::beside_b ? 1 : -1;
    p.strain = (p.arc.value / c) * Vec3(p.w * p.x + side * p.y * p.z, p.w * p.y - side * p.x * p.z, 0);
    return p;
  }
  const double angle = 2 * (std::abs(p.z) < 0.125 * p.w ? strain_detail::small_atan(p.z / p.w) : math::atan2(p.z, p.w));
  const double turns = math::round_nearest((twist_near - angle) * (1 / math::two_pi));
  p.sign = math::round_nearest(0.5 * turns) * 2 == turns ? 1 : -1;  // of an odd number of turns: -q
  const double along = p.sign * p.arc.value;
  p.strain = Vec3(along * p.x, along * p.y, angle + math::two_pi * turns);
  return p;
}

// Rows: gradients of the three strains in the turn.
Mat3 strain_gradient(const StrainPoint& p);
// Sum over the strains of weight times Hessian.
Mat3 strain_curvature(const StrainPoint& p, const Vec3& weight);

// Whether two neighbouring segments have folded onto each other beyond what `angle` can tell: 170 degrees.
inline bool is_folded(const StrainPoint& p) { return p.kind != StrainKind::sine && p.c2 < 0.0076; }

}  // namespace tendril
