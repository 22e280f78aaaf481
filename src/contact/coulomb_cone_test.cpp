#include "contact/coulomb_cone.h"

#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

struct Cone {
  Vec2 b;
  Mat2 D;
  double limit;
};
// Effective masses of any direction, up to a thousand times as large in one as in the other.
Cone random_cone(Random& random, double part) {
  const double turn = random.uniform(0, math::pi), ratio = std::pow(10.0, random.uniform(-3, 3));
  const Mat2 axes = Eigen::Rotation2Dd(turn).toRotationMatrix();
  Cone cone;
  cone.D = axes * Vec2(1, ratio).asDiagonal() * axes.transpose();
  cone.b = Vec2(random.normal(), random.normal());
  cone.limit = part * (cone.D.inverse() * cone.b).norm();
  return cone;
}

SENTENCE("contact",
         "the friction cone: nothing slides where the cone allows it, else the impulse lies on it and against the slip") {
  Random random(51);
  for (int k = 0; k < 2000; ++k) {
    const double part = k % 2 ? random.uniform(1.01, 3) : random.uniform(0, 0.99);  // of what would stop all sliding
    const Cone c = random_cone(random, part);
    const ConeSolution found = solve_cone(c.b, c.D, c.limit);
    const Vec2 slip = c.D * found.impulse - c.b;
    ASSERT_EQ(found.is_sliding, k % 2 == 0);
    if (!found.is_sliding) {
      ASSERT_LT(slip.norm(), 1e-12 * c.b.norm());
      ASSERT_LE(found.impulse.norm(), c.limit);
    } else {
      ASSERT_NEAR(found.impulse.norm(), c.limit, 1e-14 * c.limit);
      ASSERT_GT(found.lambda, 0);
      ASSERT_LT((slip + found.lambda * found.impulse).norm(), 1e-9 * c.b.norm()) << part;
    }
    // The oracle: of all impulses within the cone it has the least p.Dp/2 - b.p.
    const auto work = [&](const Vec2& p) { return 0.5 * p.dot(c.D * p) - c.b.dot(p); };
    for (int i = 0; i < 20; ++i) {
      const double angle = random.uniform(0, math::two_pi);
      const Vec2 other = c.limit * std::sqrt(random.uniform()) * Vec2(std::cos(angle), std::sin(angle));
      ASSERT_LE(work(found.impulse), work(other) + 1e-12 * std::abs(work(other)));
    }
  }
  EXPECT_EQ(solve_cone(Vec2(1, 2), Mat2::Identity(), 0).impulse.norm(), 0) << "no pressure, no friction";
  EXPECT_FALSE(solve_cone(Vec2::Zero(), Mat2::Identity(), 0).is_sliding);
}

SENTENCE("contact", "the friction cone: derivatives by slip, by limit and by effective mass agree with differences") {
  Random random(52);
  for (int k = 0; k < 200; ++k) {
    const Cone c = random_cone(random, k % 2 ? random.uniform(1.5, 3) : random.uniform(0.2, 0.7));
    const ConeSolution found = solve_cone(c.b, c.D, c.limit);
    const double scale = std::min(c.b.norm(), c.limit);
    const auto by_b = compare_with_differences([&](const Vec2& b) { return solve_cone(b, c.D, c.limit).impulse; }, found.d_b,
                                               c.b, {.step = 1e-4 * c.b.norm(), .rounding = 1e-7});
    EXPECT_TRUE(by_b.ok) << k << ": " << by_b.message;
    // By the entries of D: xx, yy, and xy = yx.
    Eigen::Matrix<double, 2, 3> d_D;
    const Vec2& p = found.impulse;
    d_D << -found.d_b * Vec2(p.x(), 0), -found.d_b * Vec2(0, p.y()), -found.d_b * Vec2(p.y(), p.x());
    const double smallest = 1 / c.D.inverse().norm();
    const auto by_D = compare_with_differences(
        [&](const Vec3& D) {
          const Mat2 m = (Mat2() << D[0], D[2], D[2], D[1]).finished();
          return solve_cone(c.b, m, c.limit).impulse;
        },
        d_D, Vec3(c.D(0, 0), c.D(1, 1), c.D(0, 1)), {.step = 1e-3 * smallest, .rounding = 1e-6});
    EXPECT_TRUE(by_D.ok) << k << ": " << by_D.message;
    if (!found.is_sliding) {
      EXPECT_EQ(found.d_limit.norm(), 0);
      continue;
    }
    const auto by_limit = compare_with_differences([&](double limit) { return solve_cone(c.b, c.D, limit).impulse; },
                                                   found.d_limit, c.limit, {.step = 1e-3 * scale, .rounding = 1e-7});
    EXPECT_TRUE(by_limit.ok) << k << ": " << by_limit.message;
  }
  const ConeSolution tip = solve_cone(Vec2(3, 4), Vec2(1, 2).asDiagonal(), 0);
  EXPECT_LT((tip.d_limit - solve_cone(Vec2(3, 4), Vec2(1, 2).asDiagonal(), 1e-9).d_limit).norm(), 1e-8);
}

}  // namespace
}  // namespace tendril
