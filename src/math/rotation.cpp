#include "math/rotation.h"

namespace tendril {

Mat3 skew(const Vec3& w) { return to_eigen(skew(to_small(w))); }

Mat3 exp_matrix(const Vec3& w) { return to_eigen(rotation_of(to_small(w))); }

Quat exp_quat(const Vec3& w) {
  // (cos theta/2, sin(theta/2)/theta w): the coefficients at half the angle.
  const auto e = exp_coefficients(0.25 * w.squaredNorm());
  const Vec3 v = 0.5 * e.a * w;
  return Quat(e.cosine, v.x(), v.y(), v.z());
}

Vec3 log_rotation(const Quat& q) {
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const double w = sign * q.w();
  const double n = q.vec().norm();
  // theta / sin(theta/2) -> 2 / w for tiny angles; the quotient below is accurate down to where n itself underflows.
  const double factor = n < 1e-150 ? 2.0 / w : 2.0 * math::atan2(n, w) / n;
  return sign * factor * q.vec();
}

Vec3 log_rotation(const Mat3& rotation) {
  // Through the quaternion, whose largest component is computed first (Shepperd): stable at half a turn too.
  return log_rotation(Quat(rotation));
}

Mat3 left_jacobian(const Vec3& w) { return to_eigen(left_jacobian(to_small(w))); }
Mat3 right_jacobian(const Vec3& w) { return to_eigen(left_jacobian(-to_small(w))); }
Mat3 left_jacobian_inverse(const Vec3& w) { return to_eigen(left_jacobian_inverse(to_small(w))); }
Mat3 right_jacobian_inverse(const Vec3& w) { return to_eigen(left_jacobian_inverse(-to_small(w))); }

Mat3 derivative_of_rotated(const Vec3& w, const Vec3& v) {
  const V3<double> small_w = to_small(w);
  return to_eigen(-(skew(rotation_of(small_w) * to_small(v)) * left_jacobian(small_w)));
}

Quat quat_from_frame(const Vec3& d1, const Vec3& d2, const Vec3& d3) {
  Mat3 frame;
  frame << d1, d2, d3;
  return Quat(frame).normalized();
}

}  // namespace tendril
