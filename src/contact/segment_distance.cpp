#include "contact/segment_distance.h"

namespace tendril {

DistanceDerivatives distance_derivatives(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  DistanceDerivatives out;
  out.at = closest_points(to_small(a0), to_small(a1), to_small(b0), to_small(b1));
  out.distance = math::sqrt(out.at.squared);
  if (!(out.distance > 0)) return out;
  // At fixed places: W and P of the header.
  const double s = out.at.s, t = out.at.t, d = out.distance;
  const Vec3 n = to_eigen(out.at.apart) / d, u = a1 - a0, v = b1 - b0;
  const double share[4] = {1 - s, s, -(1 - t), -t};
  const double share_by_place[2][4] = {{-1, 1, 0, 0}, {0, 0, 1, -1}};  // by s and by t
  const Vec3 motion[2] = {u, -v};                                      // of a - b
  const Mat3 across = Mat3::Identity() - n * n.transpose();
  for (int i = 0; i < 4; ++i) {
    out.gradient.segment<3>(3 * i) = share[i] * n;
    for (int j = 0; j < 4; ++j) out.hessian.block<3, 3>(3 * i, 3 * j) = (share[i] * share[j] / d) * across;
  }

  // Which of the places are free to slide.
  const double sine_squared = u.cross(v).squaredNorm(), scale = u.squaredNorm() * v.squaredNorm();
  const bool free_t = t > 0 && t < 1;
  // Parallel: sliding both together changes nothing; one of them is taken as fixed.
  const bool free_s = s > 0 && s < 1 && !(free_t && sine_squared <= parallel_sine_squared * scale);
  // A and C of the header, for those that are.
  Eigen::Matrix<double, 12, 2> mixed = Eigen::Matrix<double, 12, 2>::Zero();
  Mat2 slide = Mat2::Identity();
  const bool is_free[2] = {free_s, free_t};
  for (int k = 0; k < 2; ++k) {
    if (!is_free[k]) continue;
    const Vec3 sideways = across * motion[k] / d;
    for (int i = 0; i < 4; ++i) mixed.block<3, 1>(3 * i, k) = share[i] * sideways + share_by_place[k][i] * n;
    slide(k, k) = motion[k].dot(sideways);
    if (is_free[1 - k]) slide(k, 1 - k) = motion[1 - k].dot(sideways);
  }
  out.hessian -= mixed * slide.inverse() * mixed.transpose();
  return out;
}

}  // namespace tendril
