#include "math/rotation.h"

#include <rapidcheck.h>

#include <cmath>

#include "math/pack.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

const auto retract_right = [](const Quat& q, const Eigen::VectorXd& d) { return Quat(q * exp_quat(Vec3(d))); };

SENTENCE("math", "the logarithm undoes the exponential for every angle below half a turn") {
  Random random(11);
  for (const double angle : {0.0, 1e-200, 1e-12, 1e-5, 0.1, 0.999999, 1.000001, 2.0, 3.0, 3.14159, 3.1415926}) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 w = angle * random.unit_vector();
      EXPECT_LT((log_rotation(exp_quat(w)) - w).norm(), 4e-15 * std::max(angle, 1e-300)) << angle;
      EXPECT_LT((log_rotation(exp_matrix(w)) - w).norm(), 4e-15) << angle;
      EXPECT_LT((exp_matrix(w) - exp_quat(w).toRotationMatrix()).norm(), 3e-15) << angle;
      EXPECT_LT((exp_matrix(w) * exp_matrix(w).transpose() - Mat3::Identity()).norm(), 4e-15) << angle;
    }
  }
}

SENTENCE("math", "the logarithm of a half turn finds the axis") {
  Random random(12);
  for (int i = 0; i < 50; ++i) {
    const Vec3 axis = i < 3 ? Vec3::Unit(i) : random.unit_vector();
    const Mat3 half_turn = 2 * axis * axis.transpose() - Mat3::Identity();
    const Vec3 w = log_rotation(half_turn);
    EXPECT_NEAR(w.norm(), math::pi, 1e-14);
    EXPECT_LT(w.normalized().cross(axis).norm(), 1e-14);
    const Vec3 near = (math::pi - 1e-9) * axis;
    EXPECT_LT((log_rotation(exp_matrix(near)) - near).norm(), 1e-14);
  }
}

SENTENCE("math", "series and closed form of the rotation coefficients meet at the threshold") {
  const double below = std::nextafter(1.0, 0.0), above = 1.0;
  const auto e = exp_coefficients(below), f = exp_coefficients(above);
  EXPECT_NEAR(e.cosine, f.cosine, 1e-15);
  EXPECT_NEAR(e.a, f.a, 1e-15);
  EXPECT_NEAR(e.b, f.b, 1e-15);
  EXPECT_NEAR(e.c, f.c, 1e-15);
  const auto g = exp_coefficient_slopes(below), h = exp_coefficient_slopes(above);
  EXPECT_NEAR(g.a, h.a, 1e-15);
  EXPECT_NEAR(g.b, h.b, 1e-15);
  EXPECT_NEAR(g.c, h.c, 1e-15);
  EXPECT_NEAR(log_coefficient(below), log_coefficient(above), 1e-15);
}

SENTENCE("math", "the slopes of the rotation coefficients are their derivatives") {
  for (const double s : {0.01, 0.9, 1.2, 7.0}) {
    const auto values = [](double at) {
      const auto e = exp_coefficients(at);
      return Vec3(e.a, e.b, e.c);
    };
    const auto d = exp_coefficient_slopes(s);
    const auto r = compare_with_differences(values, Vec3(d.a, d.b, d.c), s);
    EXPECT_TRUE(r.ok) << r.message;
  }
}

SENTENCE("math", "left and right Jacobians are the derivatives of the exponential") {
  Random random(13);
  for (const double angle : {1e-6, 0.3, 1.0, 2.5, 3.1, 5.0}) {
    const Vec3 w = angle * random.unit_vector();
    const auto left = [&w](const Vec3& at) { return log_rotation(exp_quat(at) * exp_quat(w).conjugate()); };
    const auto right = [&w](const Vec3& at) { return log_rotation(exp_quat(w).conjugate() * exp_quat(at)); };
    const auto l = compare_with_differences(left, left_jacobian(w), w);
    const auto r = compare_with_differences(right, right_jacobian(w), w);
    EXPECT_TRUE(l.ok) << l.message;
    EXPECT_TRUE(r.ok) << r.message;
    EXPECT_LT((left_jacobian(w) * left_jacobian_inverse(w) - Mat3::Identity()).norm(), 2e-14) << angle;
    EXPECT_LT((right_jacobian(w) * right_jacobian_inverse(w) - Mat3::Identity()).norm(), 2e-14) << angle;
    EXPECT_LT((left_jacobian(w) - exp_matrix(w) * right_jacobian(w)).norm(), 3e-15) << angle;
  }
}

SENTENCE("math", "the inverse right Jacobian is the derivative of the logarithm, through a retraction") {
  Random random(14);
  const Vec3 w = 2.0 * random.unit_vector();
  const auto logarithm = [](const Quat& q) { return log_rotation(q); };
  const auto r = compare_with_differences(logarithm, right_jacobian_inverse(w), exp_quat(w), {}, retract_right);
  EXPECT_TRUE(r.ok) << r.message;
}

SENTENCE("math", "the derivative of a rotated vector is right, at rest too") {
  Random random(15);
  for (const double angle : {0.0, 1e-5, 1.0, 4.0}) {
    const Vec3 w = angle * random.unit_vector(), v = random.vector();
    const auto rotated = [&v](const Vec3& at) { return Vec3(exp_matrix(at) * v); };
    const auto r = compare_with_differences(rotated, derivative_of_rotated(w, v), w);
    EXPECT_TRUE(r.ok) << r.message;
  }
}

SENTENCE("math", "dual numbers pass through the rotation formulas, below and above the threshold") {
  for (const double angle : {0.0, 0.5, 2.0}) {
    const Vec3 w = angle * Vec3(1, 2, -2) / 3, v(0.3, -1, 0.4);
    Mat3 dual_jacobian;
    for (int j = 0; j < 3; ++j) {
      using D = Dual<double>;
      const V3<D> wd{D(w.x(), j == 0), D(w.y(), j == 1), D(w.z(), j == 2)};
      const V3<D> moved = rotation_of(wd) * V3<D>{v.x(), v.y(), v.z()};
      dual_jacobian.col(j) << moved.x.slope, moved.y.slope, moved.z.slope;
    }
    EXPECT_LT((dual_jacobian - derivative_of_rotated(w, v)).norm(), 3e-15);
  }
}

SENTENCE("math", "rotation matrices of packs have the bits of the scalar") {
  Random random(16);
  Vec3 w[4];
  for (int k = 0; k < 4; ++k) w[k] = random.vector(k);  // one lane below the threshold, others above
  const M3<Pack> pack = rotation_of(gather_pack(w));
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_EQ(pack(i, j)[k], rotation_of(to_small(w[k]))(i, j));
    }
  }
}

SENTENCE("math", "frames and quaternions convert back and forth") {
  Random random(17);
  for (int i = 0; i < 20; ++i) {
    const Quat q = random.rotation();
    const Quat back = quat_from_frame(director(q, 0), director(q, 1), director(q, 2));
    EXPECT_LT(std::min((back.coeffs() - q.coeffs()).norm(), (back.coeffs() + q.coeffs()).norm()), 1e-15);
  }
}

SENTENCE("math", "turning about an axis by two angles is turning by their sum") {
  EXPECT_TRUE(rc::check([](int seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Vec3 axis = random.unit_vector();
    const double a = random.uniform(-4, 4), b = random.uniform(-4, 4);
    RC_ASSERT((exp_matrix(a * axis) * exp_matrix(b * axis) - exp_matrix((a + b) * axis)).norm() < 1e-14);
  }));
}

}  // namespace
}  // namespace tendril
