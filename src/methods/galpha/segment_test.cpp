#include "methods/galpha/segment.h"

#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril::galpha {
namespace {

struct Case {
  SegmentRest rest;
  Law law;
  SegmentRate rate;
  Quat a, b;
  Vec3 r_a, r_b, n;
};

// Turns from tiny to large, bent and twisted, with and without stretch, damping and a law that stiffens.
Case any_case(int number) {
  std::srand(static_cast<unsigned>(11 + number));
  const auto random = [] { return Vec3(Vec3::Random()); };
  const double size[] = {1e-9, 1e-3, 0.3, 0.9, 1.1, 2.0, 2.8};
  Case c;
  c.rest = {0.13, 0.2 * random(), 0.13 * Vec3(0.02, -0.01, 0.99), Vec3(0.2, 0.5, 0.3), Vec3::Zero(), 0};
  if (number % 2 == 1) c.rest.give = Vec3(0.02, 0.03, 0.01);
  if (number % 3 == 1) c.law.reference = 1.5;
  if (number % 3 == 2) c.rest.damping = 0.1, c.rate = {20, random()};
  c.a = exp_quat(Vec3(2 * random()));
  c.b = c.a * exp_quat(Vec3(size[number % 7] * random().normalized()));
  c.r_a = random(), c.r_b = random(), c.n = 3 * random();
  return c;
}

SENTENCE("galpha", "the tangent of a segment is that of finite differences: turned, stretched, stiffening, damped") {
  for (int number = 0; number < 42; ++number) {
    const Case c = any_case(number);
    // Unknowns: turn of a, turn of b, force. Rows: moments on a and b, and the constraint, each with the sign of the equations.
    const auto rows = [&c](const Eigen::VectorXd& x) {
      SegmentNow now;
      evaluate(c.rest, c.law, c.rate, exp_quat(Vec3(x.segment<3>(0))) * c.a, exp_quat(Vec3(x.segment<3>(3))) * c.b,
               c.n + x.segment<3>(6), now);
      Eigen::VectorXd out(9);
      out << -now.on_a, -now.on_b, c.r_b - c.r_a - now.p;
      return out;
    };
    SegmentNow now;
    SegmentTangent t;
    evaluate(c.rest, c.law, c.rate, c.a, c.b, c.n, now);
    differentiate(c.rest, c.law, c.rate, c.a, now, t);
    Eigen::MatrixXd given(9, 9);
    given << t.aa, t.ab, t.ta, t.ba, t.bb, t.tb, t.pa, t.pb, -t.give;
    const auto result = compare_with_differences(rows, given, Eigen::VectorXd(Eigen::VectorXd::Zero(9)));
    EXPECT_TRUE(result.ok) << number << ": " << result.message;
  }
}

// The energy with the constraint's multiplier, of which the rows are the gradient.
SENTENCE("galpha",
         "moments on the two frames are the gradient of one energy, and add up to what the force does at its arm") {
  for (int number = 0; number < 21; ++number) {
    Case c = any_case(number);
    c.rest.damping = 0;
    const auto energy = [&c](const Eigen::VectorXd& x) {
      SegmentNow now;
      evaluate(c.rest, c.law, {}, exp_quat(Vec3(x.segment<3>(0))) * c.a, exp_quat(Vec3(x.segment<3>(3))) * c.b, c.n, now);
      const SegmentEnergy e = energy_of(c.rest, c.law, now);
      // With n kept, stretch and shear count with the other sign: the energy less the work of n.
      Eigen::VectorXd out(1);
      out << e.bending + e.twisting - c.n.dot(now.mid * c.rest.rho) - (e.stretching + e.shearing);
      return out;
    };
    SegmentNow now;
    evaluate(c.rest, c.law, {}, c.a, c.b, c.n, now);
    Eigen::MatrixXd given(1, 6);
    given << -now.on_a.transpose(), -now.on_b.transpose();
    const auto result = compare_with_differences(energy, given, Eigen::VectorXd(Eigen::VectorXd::Zero(6)));
    EXPECT_TRUE(result.ok) << number << ": " << result.message;
    EXPECT_LT((now.on_a + now.on_b - now.p.cross(c.n)).norm(), 1e-13 * c.n.norm());
  }
}

SENTENCE("galpha", "the rate of a segment's constraint is how it changes along the motion of its frames") {
  for (int number = 0; number < 14; ++number) {
    const Case c = any_case(number);
    const Vec3 v_a(1, 2, -1), v_b(0.3, 1, 2), spin_a(0.4, -1, 2), spin_b(1, 0.2, -0.7);
    const auto along = [&](const Eigen::VectorXd& t) {
      SegmentNow now;
      evaluate(c.rest, c.law, {}, exp_quat(Vec3(t[0] * spin_a)) * c.a, exp_quat(Vec3(t[0] * spin_b)) * c.b, c.n, now);
      return Eigen::VectorXd((c.r_b + t[0] * v_b) - (c.r_a + t[0] * v_a) - now.p);
    };
    SegmentNow now;
    evaluate(c.rest, c.law, {}, c.a, c.b, c.n, now);
    const Eigen::MatrixXd given = link_rate(now, c.rest, v_a, v_b, spin_a, spin_b);
    const auto result = compare_with_differences(along, given, Eigen::VectorXd(Eigen::VectorXd::Zero(1)));
    EXPECT_TRUE(result.ok) << number << ": " << result.message;
  }
}

}  // namespace
}  // namespace tendril::galpha
