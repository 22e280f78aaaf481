#include "math/joint_strain.h"

#include "math/dual.h"

namespace tendril {
namespace {

struct Rows {  // dq/dturn, row by row
  Vec3 w, x, y, z;
};
Rows rows_of(const StrainPoint& p) {
  return {0.5 * Vec3(-p.x, -p.y, -p.z), 0.5 * Vec3(p.w, p.z, -p.y), 0.5 * Vec3(-p.z, p.w, p.x), 0.5 * Vec3(p.y, -p.x, p.w)};
}
Mat3 both(const Vec3& a, const Vec3& b) { return a * b.transpose() + b * a.transpose(); }

// The bend in one frame's axes: (x + iy)(w -+ iz)/c b/s. Walls only, two of a rod: by duals of duals rather than by hand.
using Twice = Dual<Dual<double>>;
template <class T>
std::array<T, 2> bend_beside(const Q<T>& q, double side) {
  const T u = q.x * q.x + q.y * q.y, c2 = q.w * q.w + q.z * q.z;
  // b/s over c as a smooth function of u also where u = 0: series there.
  T arc(0);
  if (u < T(0.04)) {
    for (int k = strain_detail::ArcSeries::terms - 1; k >= 0; --k) arc = arc * u + T(strain_detail::arc_series.a[k]);
  } else {
    const T s = math::sqrt(u);
    arc = T(2) * math::atan2(s, math::sqrt(c2)) / s;
  }
  const T factor = arc / math::sqrt(c2);
  return {factor * (q.w * q.x + T(side) * q.y * q.z), factor * (q.w * q.y - T(side) * q.x * q.z)};
}
// exp(turn) q to second order, turn = e_i in the outer and e_j in the inner direction.
Q<Twice> turned_twice(const StrainPoint& p, int i, int j) {
  V3<Twice> t{Twice(0), Twice(0), Twice(0)};
  t[i].slope.value += 1;
  t[j].value.slope += 1;
  const Twice w = Twice(1) - Twice(0.125) * dot(t, t);
  const V3<Twice> v = Twice(0.5) * t;
  return Q<Twice>{w, v.x, v.y, v.z} * Q<Twice>{Twice(p.w), Twice(p.x), Twice(p.y), Twice(p.z)};
}
double side_of(const StrainPoint& p) { return p.kind == StrainKind::beside_b ? 1 : -1; }

}  // namespace

Mat3 strain_gradient(const StrainPoint& p) {
  const Rows j = rows_of(p);
  Mat3 g;
  if (p.kind == StrainKind::sine) {
    g.row(0) = (2 * p.sign) * j.x.transpose();
    g.row(1) = (2 * p.sign) * j.y.transpose();
    g.row(2) = (2 * p.sign) * j.z.transpose();
    return g;
  }
  if (p.kind != StrainKind::angle) {
    g.setZero();
    for (int k = 0; k < 3; ++k) {
      const auto bend = bend_beside(turned_twice(p, k, k), side_of(p));
      for (int i = 0; i < 2; ++i) g(i, k) = bend[static_cast<std::size_t>(i)].slope.value;
    }
    return g;
  }
  const Vec3 du = 2 * (p.x * j.x + p.y * j.y);
  g.row(0) = p.sign * (p.arc.value * j.x + (p.arc.slope * p.x) * du).transpose();
  g.row(1) = p.sign * (p.arc.value * j.y + (p.arc.slope * p.y) * du).transpose();
  // 2 atan2(z, w): 2 (w dz - z dw)/c^2, which is 1 about d3
  g.row(2) = Vec3((p.w * p.y + p.z * p.x) / p.c2, (p.z * p.y - p.w * p.x) / p.c2, 1).transpose();
  return g;
}

Mat3 strain_curvature(const StrainPoint& p, const Vec3& weight) {
  const Rows j = rows_of(p);
  if (p.kind == StrainKind::sine)
    return (-0.5 * p.sign * (weight[0] * p.x + weight[1] * p.y + weight[2] * p.z)) * Mat3::Identity();
  if (p.kind != StrainKind::angle) {
    Mat3 h;
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k <= i; ++k) {
        const auto bend = bend_beside(turned_twice(p, i, k), side_of(p));
        h(i, k) = h(k, i) = weight[0] * bend[0].slope.slope + weight[1] * bend[1].slope.slope;
      }
    }
    return h;
  }
  // Bend: (b/s)(u) (x, y), with u'' = 2 (x'^2 + y'^2) - u/2 |turn|^2 and x'' = -x/4 |turn|^2.
  const double u = p.x * p.x + p.y * p.y, along = p.sign * (weight[0] * p.x + weight[1] * p.y);
  const Vec3 du = 2 * (p.x * j.x + p.y * j.y), dw = p.sign * (weight[0] * j.x + weight[1] * j.y);
  Mat3 h = (-along * (0.25 * p.arc.value + 0.5 * p.arc.slope * u)) * Mat3::Identity();
  h += p.arc.slope * both(dw, du) + (along * p.arc.bend) * (du * du.transpose());
  h += (2 * along * p.arc.slope) * (j.x * j.x.transpose() + j.y * j.y.transpose());
  // Twist: second derivatives of 2 atan2(z, w), which is constant along q.
  const double f = 2 * weight[2] / (p.c2 * p.c2), wz = 2 * p.w * p.z;
  h += (f * wz) * (j.w * j.w.transpose() - j.z * j.z.transpose());
  h += (f * (p.z * p.z - p.w * p.w)) * both(j.w, j.z);
  return h;
}

}  // namespace tendril
