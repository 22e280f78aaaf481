#include "model/build/curves.h"

#include <cmath>

#include "math/number.h"
#include "math/rotation.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using math::pi, math::two_pi;

const HelixCurve reference_helix{Vec3::Zero(), -Vec3::UnitZ(), Vec3::UnitX(), 1, 0.6, 3, false};  // REFERENCES case 3

std::vector<Curve> smooth_curves() {
  HelixCurve left = reference_helix;
  left.left_handed = true;
  left.axis = Vec3(1, 2, 0.5);
  BentCurve bent;
  bent.direction = Vec3(1, 1, 0);
  bent.d1 = Vec3(0, 0, 1);
  bent.length = 2;
  bent.curvature = Vec2(0.7, -1.3);
  bent.twist = 2.1;
  return {StraightCurve{Vec3(1, 2, 3), Vec3(-1, 0, 2)},
          ArcCurve{Vec3(1, 0, 0), Vec3(0, 2, 0), Vec3(1, 1, 0), 2, 2.5},
          CircleCurve{Vec3(1, 1, 1), Vec3(1, 2, 3), 0.7},
          reference_helix,
          left,
          SineCurve{Vec3::Zero(), Vec3(1, 1, 0), Vec3::UnitZ(), 2, 0.4, 2.5},
          ParabolaCurve{Vec3::Zero(), Vec3(2, 0, 0), Vec3(0, 1, 0), 0.8},
          TrefoilCurve{Vec3(0, 1, 0), 0.3},
          bent};
}

SENTENCE("model", "the arc length of every curve is its closed form") {
  EXPECT_DOUBLE_EQ(ArcLengthCurve(StraightCurve{Vec3::Zero(), Vec3(3, 4, 0)}).length(), 5);
  EXPECT_DOUBLE_EQ(ArcLengthCurve(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 100, pi / 4}).length(), 25 * pi);
  EXPECT_DOUBLE_EQ(ArcLengthCurve(CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 2}).length(), 4 * pi);
  EXPECT_NEAR(ArcLengthCurve(reference_helix).length(), 18.93530455, 5e-9);  // REFERENCES case 3
  // Parabola y = 4h u (1 - u) over the chord c: with q = 4h/c,  L = c/2 (sqrt(1+q^2) + asinh(q)/q).
  const double q = 4 * 0.8 / 2;
  EXPECT_NEAR(ArcLengthCurve(ParabolaCurve{Vec3::Zero(), Vec3(2, 0, 0), Vec3(0.5, 1, 0), 0.8}).length(),
              std::sqrt(1 + q * q) + std::asinh(q) / q, 1e-13);
  // Sine of slope k: a quarter wave has the complete elliptic integral E. Steep ones have kinks that quadrature must find.
  for (const double amplitude : {0.0, 0.01, 0.3, 5.0, 100.0}) {
    const double k = two_pi * 3 / 2 * amplitude;
    const double exact = 2 * (2 / pi) * std::sqrt(1 + k * k) * std::comp_ellint_2(k / std::sqrt(1 + k * k));
    const double length = ArcLengthCurve(SineCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 2, amplitude, 3}).length();
    EXPECT_NEAR(length / exact, 1, 1e-12) << amplitude;
  }
  // The trapezoidal rule is exact for periodic functions but for exponentially small terms.
  double sum = 0;
  const int n = 400;
  for (int i = 0; i < n; ++i) {
    const double t = two_pi * i / n, r = 2 + std::cos(3 * t), dr = -3 * std::sin(3 * t), dz = 3 * std::cos(3 * t);
    sum += std::sqrt(dr * dr + 4 * r * r + dz * dz) * two_pi / n;
  }
  EXPECT_NEAR(ArcLengthCurve(TrefoilCurve{Vec3::Zero(), 0.3}).length() / (0.3 * sum), 1, 1e-12);
  EXPECT_DOUBLE_EQ(ArcLengthCurve(PolylineCurve{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 2, 0)}, "", false}).length(), 3);
  EXPECT_DOUBLE_EQ(ArcLengthCurve(PolylineCurve{{Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(3, 4, 0)}, "", true}).length(), 12);
}

SENTENCE("model", "every curve runs with unit speed, its tangent and curvature are its derivatives") {
  for (const Curve& c : smooth_curves()) {
    const ArcLengthCurve curve(c);
    for (const double u : {0.06, 0.23, 0.5, 0.71, 0.94}) {
      const double s = u * curve.length();
      const auto position = [&](double at) { return Eigen::VectorXd(curve.at(at).position); };
      const auto tangent = [&](double at) { return Eigen::VectorXd(curve.at(at).tangent); };
      const auto r = compare_with_differences(position, tangent(s), s);
      EXPECT_TRUE(r.ok) << c.index() << ": " << r.message;
      EXPECT_NEAR(curve.at(s).tangent.norm(), 1, 1e-14);
      if (curve.at(s).curvature.norm() < 1e-9) continue;
      const auto second = compare_with_differences(tangent, Eigen::VectorXd(curve.at(s).curvature), s);
      EXPECT_TRUE(second.ok) << c.index() << ": " << second.message;
    }
  }
}

SENTENCE("model", "curves start and end where the scene says, closed ones where they started") {
  const ArcLengthCurve arc(ArcCurve{Vec3::Zero(), Vec3::UnitY(), Vec3::UnitX(), 100, pi / 4});  // REFERENCES case 2
  EXPECT_NEAR((arc.at(arc.length()).position - Vec3(29.2893218813, 70.7106781187, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR(arc.at(3).bend_radius(), 100, 1e-10);
  const ArcLengthCurve helix(reference_helix);
  EXPECT_NEAR((helix.at(0).position - Vec3(1, 0, 0)).norm(), 0, 1e-15);
  EXPECT_LT(helix.at(0).tangent.y(), 0);
  EXPECT_LT(helix.at(0).tangent.z(), 0);
  EXPECT_NEAR((helix.at(helix.length()).position - Vec3(1, 0, -1.8)).norm(), 0, 1e-13);
  HelixCurve mirrored = reference_helix;
  mirrored.left_handed = true;
  const ArcLengthCurve left(mirrored);
  for (const double s : {0.0, 1.0, 7.0}) {
    const Vec3 mirror = helix.at(s).position.cwiseProduct(Vec3(1, -1, 1));
    EXPECT_NEAR((left.at(s).position - mirror).norm(), 0, 1e-14);
  }
  for (const Curve& c : {Curve(TrefoilCurve{}), Curve(CircleCurve{})}) {
    const ArcLengthCurve closed(c);
    EXPECT_TRUE(closed.closed());
    EXPECT_NEAR((closed.at(0).position - closed.at(closed.length()).position).norm(), 0, 1e-12);
    EXPECT_NEAR((closed.at(0.3).position - closed.at(closed.length() + 0.3).position).norm(), 0, 1e-12);
  }
}

SENTENCE("model", "a rod bent with the strains of a helix is that helix, with the section towards its axis") {
  const double a = 1, b = 0.6 / two_pi, c2 = a * a + b * b;
  BentCurve bent;
  bent.start = Vec3(1, 0, 0);
  bent.direction = Vec3(0, -a, -b);
  bent.d1 = Vec3(-1, 0, 0);
  bent.curvature = Vec2(0, a / c2);
  bent.twist = b / c2;
  const ArcLengthCurve helix(reference_helix);
  bent.length = helix.length();
  const ArcLengthCurve curve(bent);
  for (const double u : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    const double s = u * helix.length();
    EXPECT_NEAR((curve.at(s).position - helix.at(s).position).norm(), 0, 1e-12);
    EXPECT_NEAR((director(*curve.own_frame(s), 0) - helix.at(s).curvature.normalized()).norm(), 0, 1e-12);
    EXPECT_NEAR((director(*curve.own_frame(s), 2) - helix.at(s).tangent).norm(), 0, 1e-12);
  }
}

SENTENCE("model", "an open curve goes on straight beyond its ends") {
  const ArcLengthCurve arc(ArcCurve{});
  const CurvePoint end = arc.at(arc.length());
  EXPECT_NEAR((arc.at(arc.length() + 0.5).position - (end.position + 0.5 * end.tangent)).norm(), 0, 1e-15);
}

SENTENCE("model", "a curve without length, direction or finite numbers is refused, with the place of the mistake") {
  const double nan = std::nan("");
  EXPECT_EQ(check_curve(StraightCurve{Vec3(1, 1, 1), Vec3(1, 1, 1)}, "rod[0].rest").at(0).field, "rod[0].rest.straight.end");
  EXPECT_EQ(check_curve(StraightCurve{Vec3(nan, 1, 1), Vec3(1, 1, 1)}, "rod[0].rest").at(0).field,
            "rod[0].rest.straight.start");
  EXPECT_EQ(check_curve(CircleCurve{Vec3::Zero(), Vec3::Zero(), 1}, "rod[0].rest").at(0).field, "rod[0].rest.circle.normal");
  const PolylineCurve doubled{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 0)}, "", false};
  EXPECT_EQ(check_curve(doubled, "rod[0].rest").at(0).field, "rod[0].rest.polyline.points[2]");
  EXPECT_FALSE(check_curve(PolylineCurve{{Vec3(0, 0, 0)}, "", false}, "rod[0].rest").empty());
  EXPECT_FALSE(check_curve(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitX(), 1, 1}, "rod[0].rest").empty());
  for (const Curve& c : smooth_curves()) EXPECT_TRUE(check_curve(c, "rod[0].rest").empty()) << c.index();
}

}  // namespace
}  // namespace tendril
