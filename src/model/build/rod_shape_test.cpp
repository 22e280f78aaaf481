// Frames, twist and walls of single rods. Exact values: for a helix r = a, rise b per radian, c^2 = a^2 + b^2, the rest
// strain with d1 towards the axis is u = (0, a/c^2, b/c^2) (REFERENCES case 3), and its Bishop frame turns by -b/c^2 per
// length in it.
#include "model/build/rod_shape.h"

#include <cmath>

#include "math/number.h"
#include "model/build/mesh.h"
#include "model/framing.h"
#include "model/model.h"
#include "model/test_scenes.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using math::pi, math::two_pi;
using Size = std::size_t;

const HelixCurve helix{Vec3::Zero(), -Vec3::UnitZ(), Vec3::UnitX(), 1, 0.6, 3, false};
const double rise = 0.6 / two_pi, c2 = 1 + rise * rise;

RodShape shaped(const Rod& rod, int segments, const std::vector<double>& marks = {}, bool ends_held = false) {
  MeshRequest request;
  request.segments = segments;
  request.ring = is_closed(rod.initial ? *rod.initial : rod.rest);
  request.marks = marks;
  request.vertices = ArcLengthCurve(rod.rest).vertices();
  return *shape_rod(rod, *place_nodes(request, "rod[0]"), "rod[0]", ends_held);
}
double observed_order(double coarse, double fine) { return std::log2(coarse / fine); }

// The strain between two frames, by rotation vector, per length.
Vec3 strain(const Quat& a, const Quat& b, double length) { return log_rotation(a.conjugate() * b) / length; }

SENTENCE("model", "a helix whose section follows it has the strains (0, a/c^2, b/c^2), with order 2") {
  double error[2] = {};
  for (int i = 0; i < 2; ++i) {
    Rod rod = one_rod(helix, {}).rods[0];
    rod.follows = SectionFollows::curve;
    const RodShape shape = shaped(rod, 60 << i);
    for (int k = 1; k < shape.edges; ++k) {
      const Vec3 u = strain(shape.rest_frame[Size(k) - 1], shape.rest_frame[Size(k)], shape.dual_length(k));
      error[i] = std::max(error[i], (u - Vec3(0, 1 / c2, rise / c2)).norm());
      EXPECT_NEAR(u.x(), 0, 1e-12);
    }
  }
  EXPECT_LT(error[0], 1e-2);
  EXPECT_NEAR(observed_order(error[0], error[1]), 2, 0.1);
}

SENTENCE("model", "natural twist adds its angle per length to every joint, whole turns included") {
  for (const double twist : {0.5, -3.0, 400.0}) {
    Rod rod = one_rod(helix, {}).rods[0];
    rod.natural_twist = twist;
    const RodShape shape = shaped(rod, 60);
    for (int k = 1; k < 60; ++k) EXPECT_NEAR(shape.rest_twist[Size(k)], twist * shape.dual_length(k), 1e-11);
  }
}

SENTENCE("model", "a bent rod has the strains it was given: curvature about d1 and d2, and twist") {
  double error[2] = {};
  for (int i = 0; i < 2; ++i) {
    BentCurve bent;
    bent.direction = Vec3(1, 2, 0.5);
    bent.length = 2;
    bent.curvature = Vec2(1.1, -0.4);
    bent.twist = 3;
    Rod rod = one_rod(bent, {}).rods[0];
    rod.d1 = Vec3(0, 0, 1);
    const RodShape shape = shaped(rod, 40 << i);
    EXPECT_NEAR(director(shape.rest_node_frame[0], 0).dot(Vec3(2, -1, 0)), 0,
                1e-14);  // d1 in the plane of z and the direction
    for (int k = 1; k < shape.edges; ++k) {
      const Vec3 u = strain(shape.rest_frame[Size(k) - 1], shape.rest_frame[Size(k)], shape.dual_length(k));
      error[i] = std::max(error[i], (u - Vec3(1.1, -0.4, 3)).norm());
    }
  }
  EXPECT_LT(error[0], 1e-2);
  EXPECT_NEAR(observed_order(error[0], error[1]), 2, 0.1);
}

SENTENCE("model", "a section that follows a wave does not flip at its inflections") {
  Rod rod = one_rod(SineCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 2, 0.2, 2}, {}).rods[0];
  rod.follows = SectionFollows::curve;
  const RodShape shape = shaped(rod, 80);  // with edges whose middle is an inflection
  for (int k = 0; k < 80; ++k) {
    EXPECT_NEAR(director(shape.rest_frame[Size(k)], 1).z(), -1, 1e-12) << k;  // the first bend is towards -y: d1 = -y side
    EXPECT_NEAR(k > 0 ? shape.rest_twist[Size(k)] : 0, 0, 1e-12);
  }
}

SENTENCE("model", "a given d1 keeps its angle to the centre of curvature when the section follows the curve") {
  Rod rod = one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1, 1.5}, {}).rods[0];
  rod.follows = SectionFollows::curve;
  rod.d1 = Vec3(0, 1, 1);
  const RodShape shape = shaped(rod, 20);
  for (int k = 0; k < 20; ++k) EXPECT_NEAR(director(shape.rest_frame[Size(k)], 0).z(), std::sqrt(0.5), 1e-12);
}

SENTENCE("model", "an initial curve between two clamps ends exactly where it says, with every edge as long as at rest") {
  for (const int segments : {8, 20, 81}) {
    Rod rod = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, {}).rods[0];
    SineCurve bulge{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitZ(), 0.95, 0, 0.5};
    // The amplitude with which half a sine over 0.95 m is 1 m long.
    double low = 0, high = 0.5;
    for (int i = 0; i < 60; ++i) {
      bulge.amplitude = 0.5 * (low + high);
      (ArcLengthCurve(bulge).length() > 1 ? high : low) = bulge.amplitude;
    }
    rod.initial = bulge;
    const RodShape shape = shaped(rod, segments, {}, true);
    EXPECT_LT((shape.point.back() - Vec3(0.95, 0, 0)).norm(), 1e-12) << segments;
    for (int k = 0; k < segments; ++k)
      EXPECT_NEAR((shape.point[Size(k) + 1] - shape.point[Size(k)]).norm(), shape.rest_length[Size(k)], 1e-12);
  }
}

// The exact material frame of the helix at arc length s: towards the axis, turned by `angle`.
Quat exact_frame(double s, double angle) {
  const CurvePoint p = ArcLengthCurve(helix).at(s);
  return turned(frame_from(p.tangent, p.curvature), angle);
}
double angle_between(const Quat& a, const Quat& b) { return log_rotation(a.conjugate() * b).norm(); }

SENTENCE(
    "model",
    "a wall stands at its node: its frame is the exact material frame there, with order 2, inside the rod and at its ends") {
  const double L = two_pi * 3 * std::sqrt(c2);
  for (const bool follows : {true, false}) {
    for (const double at : {0.0, 0.3, 1.0}) {
      double error[2] = {}, rest_error[2] = {};
      for (int i = 0; i < 2; ++i) {
        Rod rod = one_rod(helix, {}).rods[0];
        rod.follows = follows ? SectionFollows::curve : SectionFollows::parallel;
        rod.d1 = Vec3(-1, 0, 0);
        rod.natural_twist = 0.4;
        rod.initial_twist = 1.25;
        const RodShape shape = shaped(rod, 90 << i, {at});
        const int node = nearest_node(shape.fraction, at, false);
        const double rest_angle = (0.4 - (follows ? 0 : rise / c2)) * at * L;
        error[i] = angle_between(material_frame_at_node(shape, node), exact_frame(at * L, rest_angle + two_pi * 1.25 * at));
        rest_error[i] = angle_between(shape.rest_node_frame[Size(node)], exact_frame(at * L, rest_angle));
      }
      EXPECT_LT(error[0], 3e-2);
      EXPECT_LT(rest_error[0], 3e-2);
      if (at == 0) {
        EXPECT_LT(error[1], 1e-12);
      } else {
        EXPECT_GT(observed_order(error[0], error[1]), 1.9) << follows << at;
        EXPECT_GT(observed_order(rest_error[0], rest_error[1]), 1.9) << follows << at;
      }
    }
  }
}

SENTENCE("model", "27 turns stay 27 turns: from wall to wall the twist sums to 54 pi") {
  for (const int segments : {3, 20, 75}) {
    Rod rod = one_rod(StraightCurve{Vec3::Zero(), Vec3(9.29, 0, 0)}, {}).rods[0];
    rod.initial_twist = 27;
    const RodShape shape = shaped(rod, segments);
    double inner = 0;
    for (int k = 1; k < segments; ++k) inner += shape.twist[Size(k)];
    const double ends = 0.5 * shape.added_rate * (shape.rest_length.front() + shape.rest_length.back());
    EXPECT_NEAR(inner + ends, 54 * pi, 1e-11);
    EXPECT_NEAR(shape.twist[1], 54 * pi / segments, 1e-12);
    // Whole turns: both walls have the same frame.
    EXPECT_NEAR(angle_between(material_frame_at_node(shape, 0), material_frame_at_node(shape, segments)), 0, 1e-10);
  }
}

void expect_consistent(const RodShape& shape) {  // frames show the twists, up to whole turns
  for (int k = shape.ring ? 0 : 1; k < shape.edges; ++k) {
    const int before = (k + shape.edges - 1) % shape.edges;
    const double shown = twist_between(shape.frame[Size(before)], shape.frame[Size(k)], shape.twist[Size(k)]);
    EXPECT_NEAR(shown, shape.twist[Size(k)], 1e-10) << k;
  }
}

SENTENCE("model", "a ring welded after any twist has that twist, evenly, whatever its rest shape is") {
  const double R = 1 / two_pi;
  for (const double turns : {0.0, 1.0, 1.73, -0.4, 12.5}) {
    for (const bool naturally_straight : {true, false}) {
      Rod rod = one_rod(CircleCurve{Vec3::Zero(), Vec3(1, 1, 2), R}, {}).rods[0];
      if (naturally_straight) {
        rod.initial = rod.rest;
        rod.rest = StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)};
      }
      rod.initial_twist = turns;
      const RodShape shape = shaped(rod, 50);
      ASSERT_TRUE(shape.ring);
      expect_consistent(shape);
      double sum = 0;
      for (int k = 0; k < 50; ++k) {
        const double elastic = shape.twist[Size(k)] - shape.rest_twist[Size(k)];
        EXPECT_NEAR(elastic, two_pi * turns / 50, 1e-12);
        sum += elastic;
      }
      EXPECT_NEAR(sum, two_pi * turns, 1e-11);
      for (int k = 0; k < 50; ++k)
        EXPECT_NEAR((shape.point[Size(k) + 1] - shape.point[Size(k)]).norm() / shape.rest_length[Size(k)], 1, 1e-13);
    }
  }
}

SENTENCE("model", "a knotted ring closes its frame at node 0, by minus its holonomy") {
  Rod rod = one_rod(TrefoilCurve{}, {}).rods[0];
  const RodShape shape = shaped(rod, 120);
  expect_consistent(shape);
  for (int k = 1; k < 120; ++k) EXPECT_NEAR(shape.rest_twist[Size(k)], 0, 1e-12);
  EXPECT_LE(std::abs(shape.rest_twist[0]), pi);
  EXPECT_GT(std::abs(shape.rest_twist[0]), 0.1);
  rod.initial = TrefoilCurve{Vec3(5, 0, 0), 1.0};  // the same shape elsewhere: nothing is strained
  const RodShape moved = shaped(rod, 120);
  expect_consistent(moved);
  for (int k = 0; k < 120; ++k) EXPECT_NEAR(moved.twist[Size(k)] - moved.rest_twist[Size(k)], 0, 1e-10);
}

SENTENCE("model", "an initial curve carries the rest lengths exactly and the rest twist with it") {
  Rod rod = one_rod(helix, {}).rods[0];
  rod.follows = SectionFollows::curve;
  rod.initial = StraightCurve{Vec3(1, 0, 0), Vec3(1, 0, -18.9353)};
  rod.initial_d1 = Vec3(0, 1, 0);
  rod.initial_twist = -2;
  const RodShape shape = shaped(rod, 60);
  expect_consistent(shape);
  for (int k = 0; k < 60; ++k)
    EXPECT_NEAR((shape.point[Size(k) + 1] - shape.point[Size(k)]).norm() / shape.rest_length[Size(k)], 1, 1e-14);
  for (int k = 1; k < 60; ++k)
    EXPECT_NEAR(shape.twist[Size(k)] - shape.rest_twist[Size(k)], -2 * two_pi * shape.dual_length(k) / shape.length(),
                1e-12);
  EXPECT_NEAR((director(material_frame_at_node(shape, 0), 0) - Vec3::UnitY()).norm(), 0, 1e-12);
  EXPECT_NEAR((shape.point[0] - Vec3(1, 0, 0)).norm(), 0, 0);
}

SENTENCE("model", "nodes of a walked initial curve lie on it") {
  Rod rod = one_rod(StraightCurve{Vec3::Zero(), Vec3(2 * pi, 0, 0)}, {}).rods[0];
  rod.initial = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 4, pi / 2};
  const RodShape shape = shaped(rod, 30);
  for (int k = 0; k < 30; ++k) EXPECT_NEAR((shape.point[Size(k)] - Vec3(0, 4, 0)).norm(), 4, 1e-12);
  EXPECT_NEAR((shape.point[30] - Vec3(4, 4, 0)).norm(), 0, 1e-3);
  expect_consistent(shape);
}

SENTENCE("model", "an initial curve of another length is refused with both lengths") {
  Rod rod = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, {}).rods[0];
  rod.initial = StraightCurve{Vec3::Zero(), Vec3(0, 1.2, 0)};
  const auto shape = shape_rod(rod, {0, 0.5, 1}, "rod[0]");
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.problems()[0].field, "rod[0].initial");
  EXPECT_EQ(shape.problems()[0].what, "the initial curve is 1.2 m long but the rest curve 1 m");
}

SENTENCE("model", "a rod that folds back on itself is refused") {
  Rod rod = one_rod(PolylineCurve{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0.01, 0)}, "", false}, {}).rods[0];
  const auto shape = shape_rod(rod, {0, 0.5, 1}, "rod[0]");
  ASSERT_FALSE(shape);
  EXPECT_NE(shape.problems()[0].what.find("folds back on itself at node 1"), std::string::npos);
}

}  // namespace
}  // namespace tendril
