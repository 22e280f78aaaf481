#include "math/joint_strain.h"

#include "math/rotation.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

Quat joint_of(double b1, double b2, double twist) {
  return exp_quat(Vec3(0, 0, 0.5 * twist)) * exp_quat(Vec3(b1, b2, 0)) * exp_quat(Vec3(0, 0, 0.5 * twist));
}
const auto turned_joint = [](const Quat& q, const Eigen::VectorXd& turn) { return Quat(exp_quat(Vec3(turn)) * q); };

SENTENCE("math", "the strain of a joint is its bend and its unwrapped twist, whatever the winding") {
  for (const double twist : {0.0, 0.24, -0.25, 0.4, -2.0, 3.0, 7.0, -40.0}) {
    for (const double b : {0.0, 1e-9, 0.099, 0.101, 0.3, 0.5, 1.5, 2.8}) {
      const Quat q = joint_of(0.6 * b, -0.8 * b, twist);
      for (const Quat& same : {q, Quat(-q.coeffs())}) {
        const Vec3 e = strain_point(StrainKind::angle, same, twist + 0.5).strain;
        EXPECT_LT((e - Vec3(0.6 * b, -0.8 * b, twist)).norm(), 1e-14 * (1 + 10 * std::abs(twist)) * (1 + b))
            << b << " " << twist;
      }
    }
  }
  const Quat q = exp_quat(Vec3(0.3, -0.1, 0.2));
  const Vec3 sine = strain_point(StrainKind::sine, Quat(-q.coeffs()), 0).strain;
  EXPECT_LT((sine - 2 * std::sin(0.5 * Vec3(0.3, -0.1, 0.2).norm()) * Vec3(0.3, -0.1, 0.2).normalized()).norm(), 1e-15);
}

SENTENCE("math", "gradient and Hessian of every strain are those of finite differences, folded and wound joints too") {
  Random random(71);
  for (const StrainKind kind : {StrainKind::angle, StrainKind::sine, StrainKind::beside_a, StrainKind::beside_b}) {
    for (const double b : {1e-7, 0.05, 0.099, 0.101, 0.39, 0.41, 1.0, 2.3}) {
      for (const double twist : {0.2, 0.3, 2.9, 13.0}) {
        if (kind == StrainKind::sine && twist > 1) continue;
        const double to = random.normal(), b1 = b * std::cos(to), b2 = b * std::sin(to);
        const Quat q = joint_of(b1, b2, twist);
        const auto strain = [&](const Quat& at) { return Eigen::VectorXd(strain_point(kind, at, twist).strain); };
        const StrainPoint p = strain_point(kind, q, twist);
        const auto first = compare_with_differences(strain, strain_gradient(p), q, {}, turned_joint);
        EXPECT_TRUE(first.ok) << int(kind) << " " << b << " " << twist << ": " << first.message;
        // The Hessian in exp(turn) is the derivative of the gradient with half of the commutator put back: symmetric part.
        const Vec3 weight(0.7, -1.1, kind == StrainKind::angle || kind == StrainKind::sine ? 0.4 : 0.0);
        const auto energy_slope = [&](const Eigen::VectorXd& turn) {
          // d/dturn of sum weight . strain(exp(turn) q): left Jacobian transposed times the gradient there
          const Quat at = turned_joint(q, turn);
          const Vec3 g = strain_gradient(strain_point(kind, at, twist)).transpose() * weight;
          return Eigen::VectorXd(left_jacobian(Vec3(turn)).transpose() * g);
        };
        const auto second =
            compare_with_differences(energy_slope, strain_curvature(p, weight), Eigen::VectorXd(Vec3::Zero()));
        EXPECT_TRUE(second.ok) << int(kind) << " " << b << " " << twist << ": " << second.message;
      }
    }
  }
}

SENTENCE("math", "the bend beside a frame does not change when the other frame turns about its tangent") {
  const Quat q = joint_of(0.7, -0.4, 0.9), turn = exp_quat(Vec3(0, 0, 1.3));
  const Vec3 a = strain_point(StrainKind::beside_b, q, 0).strain, b = strain_point(StrainKind::beside_a, q, 0).strain;
  EXPECT_LT((strain_point(StrainKind::beside_b, turn * q, 0).strain - a).norm(), 1e-14);
  EXPECT_LT((strain_point(StrainKind::beside_a, q * turn, 0).strain - b).norm(), 1e-14);
  EXPECT_NEAR(a.norm(), std::hypot(0.7, 0.4), 1e-14);
  EXPECT_GT((a - b).norm(), 0.1);
}

}  // namespace
}  // namespace tendril
