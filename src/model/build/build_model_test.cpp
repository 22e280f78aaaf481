#include <cmath>

#include "math/number.h"
#include "model/framing.h"
#include "model/model.h"
#include "model/test_scenes.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

using math::pi, math::two_pi;

SENTENCE("model", "a straight rod has equal edges, one frame and no twist") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)}, 10);
  scene.rods[0].d1 = Vec3(0.3, 1, 0);
  const auto model = build_model(scene);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->material.size(), 11);
  EXPECT_EQ(model->rest_twist.size(), 9);
  for (int k = 0; k < 10; ++k) {
    EXPECT_NEAR(model->rest_length[EdgeIndex(k)], 0.2, 1e-15);
    EXPECT_NEAR((director(model->rest_frame[EdgeIndex(k)], 0) - Vec3::UnitY()).norm(), 0, 1e-15);
    EXPECT_NEAR((director(model->rest_frame[EdgeIndex(k)], 2) - Vec3::UnitX()).norm(), 0, 1e-15);
    EXPECT_EQ(model->initial.orientation[EdgeIndex(k)].coeffs(), model->rest_frame[EdgeIndex(k)].coeffs());
  }
  for (const double twist : model->rest_twist) EXPECT_NEAR(twist, 0, 1e-15);
  EXPECT_EQ(model->rest_position[NodeIndex(10)], Vec3(2, 0, 0));
}

SENTENCE("model", "a frame is adapted to its edge and turns as little as possible when the section follows nothing") {
  const auto model = build_model(one_rod(TrefoilCurve{}, 200));
  ASSERT_TRUE(model);
  for (int k = 0; k < 200; ++k) {
    const Vec3 edge = model->rest_position[NodeIndex((k + 1) % 200)] - model->rest_position[NodeIndex(k)];
    EXPECT_NEAR((director(model->rest_frame[EdgeIndex(k)], 2) - edge.normalized()).norm(), 0, 1e-14);
    EXPECT_NEAR(model->rest_length[EdgeIndex(k)], edge.norm(), 1e-14);
    const Mat3 R = model->rest_frame[EdgeIndex(k)].toRotationMatrix();
    EXPECT_NEAR((R.transpose() * R - Mat3::Identity()).norm(), 0, 1e-14);
    EXPECT_NEAR(k > 0 ? model->rest_twist[InnerNodeIndex(k)] : 0, 0, 1e-12);
  }
  // Node 0 closes the frame: its twist is what the frames show there.
  EXPECT_NEAR(model->rest_twist[InnerNodeIndex(0)],
              twist_between(model->rest_frame[EdgeIndex(199)], model->rest_frame[EdgeIndex(0)], 0), 1e-14);
}

SENTENCE("model", "clamps, loads and joints sit exactly at their nodes, distributed loads cover edges in part") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 10);
  scene.clamps = {clamp_at(0.0), clamp_at(0.37)};
  scene.clamps[1].hold = {Hold::direction};
  ForceLoad force;
  force.rod = "rod";
  force.at = 0.91;
  scene.loads.push_back(force);
  DistributedLoad line;
  line.rod = "rod";
  line.from = 0.05;
  line.to = 0.2;
  scene.loads.push_back(line);
  line.from = 0.02;
  line.to = 0.03;
  scene.loads.push_back(line);
  line.from = 0;
  line.to = 1;
  scene.loads.push_back(line);
  scene.probes = {Probe{"tip", "rod", 0.5, "", Quantity::position},
                  Probe{"wall", "", 0, "clamp2", Quantity::reaction_force}};
  const Model model = *build_model(scene);
  EXPECT_EQ(model.material[model.clamps[1].node], 0.37);
  EXPECT_FALSE(model.clamps[1].position);
  EXPECT_TRUE(model.clamps[1].direction);
  EXPECT_EQ(model.clamps[1].name, "clamp2");
  EXPECT_NEAR(model.material[model.node_loads[0].node], 0.91, 1e-15);
  const auto covered = [&](const LineLoad& load) {
    double sum = 0;
    for (EdgeIndex e = load.first; e < load.last; ++e) {
      double share = 1;
      if (e == load.first) share *= load.first_share;
      if (e == load.last - 1) share *= load.last_share;
      sum += share * model.rest_length[e];
    }
    return sum;
  };
  EXPECT_NEAR(covered(model.line_loads[0]), 0.15, 1e-14);
  EXPECT_NEAR(covered(model.line_loads[1]), 0.01, 1e-14);
  EXPECT_NEAR(covered(model.line_loads[2]), 1, 1e-14);
  EXPECT_EQ(model.line_loads[2].last.value - model.line_loads[2].first.value, 10);
  EXPECT_NEAR(model.probes[0].material, 0.5, 1e-14);
  EXPECT_EQ(model.probes[1].clamp, 1);
}

SENTENCE("model", "a clamp starts with the rod's frame at its node, or turned to the direction it is given") {
  Scene scene = one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1, 1}, 8);
  scene.rods[0].d1 = Vec3::UnitZ();
  scene.clamps = {clamp_at(0), clamp_at(1)};
  scene.clamps[1].direction = Vec3(0, 3, 0);
  const Model model = *build_model(scene);
  const Mat3 first = model.clamps[0].start.orientation.toRotationMatrix();
  EXPECT_NEAR((first.col(2) - Vec3::UnitX()).norm(), 0, 1e-14);  // the curve's own tangent, not the chord
  EXPECT_NEAR((first.col(0) - Vec3::UnitZ()).norm(), 0, 1e-14);
  EXPECT_NEAR((model.clamps[0].axis - Vec3::UnitX()).norm(), 0, 1e-14);
  const Mat3 last = model.clamps[1].start.orientation.toRotationMatrix();
  EXPECT_NEAR((last.col(2) - Vec3::UnitY()).norm(), 0, 1e-14);
  EXPECT_NEAR((last.col(0) - Vec3::UnitZ()).norm(), 0, 1e-14);
  EXPECT_NEAR((model.clamps[1].axis - Vec3::UnitY()).norm(), 0, 1e-14);
}

SENTENCE("model", "rods lie one after the other in the flat arrays, each with its span") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 4);
  scene.rods.push_back(one_rod(CircleCurve{}, 6).rods[0]);
  scene.rods[1].name = "ring";
  scene.rods.push_back(one_rod(StraightCurve{Vec3(1, 0, 0), Vec3(2, 0, 0)}, 3).rods[0]);
  scene.rods[2].name = "";
  scene.joints = {Joint{"", JointKind::ball, {"rod", 1}, {"rod3", 0}, Vec3::UnitZ()}};
  const Model model = *build_model(scene);
  const RodSpan ring = model.rods[1].span, last = model.initial.rods[2];
  EXPECT_TRUE(ring.ring);
  EXPECT_EQ(ring.first_node, 5);
  EXPECT_EQ(ring.nodes, 6);
  EXPECT_EQ(ring.inner, 6);
  EXPECT_EQ(ring.first_inner, 3);
  EXPECT_EQ(last.first_node, 11);
  EXPECT_EQ(last.first_edge, 10);
  EXPECT_EQ(last.first_inner, 9);
  EXPECT_EQ(model.initial.position.size(), 15);
  EXPECT_EQ(model.initial.moment.size(), 15);
  EXPECT_EQ(model.initial.orientation.size(), 13);
  EXPECT_EQ(model.initial.twist.size(), 11);
  EXPECT_EQ(model.rods[2].name, "rod3");
  EXPECT_EQ(model.joints[0].node_a.value, 4);
  EXPECT_EQ(model.joints[0].node_b.value, 11);
  EXPECT_NEAR(model.rods[1].length, 6.0, 1e-14);  // the hexagon, not the circle: the discrete rod's own length
}

SENTENCE("model", "a rod that starts turning turns about its centre") {
  Scene scene = one_rod(StraightCurve{Vec3(1, 0, 0), Vec3(3, 0, 0)}, 4);
  scene.rods[0].refine = {{0.5, 1, 3}};
  scene.rods[0].velocity = Vec3(0, 0, 1);
  scene.rods[0].angular_velocity = Vec3(0, 0, 2);
  const Model model = *build_model(scene);
  EXPECT_NEAR((model.initial.velocity[NodeIndex(0)] - Vec3(0, -2, 1)).norm(), 0, 1e-14);
  EXPECT_NEAR((model.initial.velocity[NodeIndex(4)] - Vec3(0, 2, 1)).norm(), 0, 1e-14);
  EXPECT_EQ(model.initial.spin[EdgeIndex(1)], Vec3(0, 0, 2));
}

SENTENCE("model", "noise is as large as asked, across the rod, zero where it is held, and the same every time") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 40);
  scene.rods[0].initial_noise = 1e-3;
  scene.rods[0].initial_twist = 27;
  scene.clamps = {clamp_at(0), clamp_at(0.5), clamp_at(1)};
  const Model model = *build_model(scene), again = *build_model(scene);
  EXPECT_EQ(model.initial.position, again.initial.position);
  double largest = 0;
  for (int k = 0; k <= 40; ++k) {
    const Vec3 moved = model.initial.position[NodeIndex(k)] - model.rest_position[NodeIndex(k)];
    largest = std::max(largest, moved.norm());
    EXPECT_NEAR(moved.x(), 0, 1e-15);
    EXPECT_TRUE(k % 20 != 0 || moved == Vec3::Zero()) << k;
  }
  EXPECT_NEAR(largest, 1e-3, 1e-15);
  for (int k = 0; k < 40; ++k) {
    const Vec3 edge = model.initial.position[NodeIndex(k + 1)] - model.initial.position[NodeIndex(k)];
    EXPECT_NEAR((director(model.initial.orientation[EdgeIndex(k)], 2) - edge.normalized()).norm(), 0, 1e-14);
  }
  double twist = 0;
  for (const double t : model.initial.twist) twist += t;
  EXPECT_NEAR(twist, 54 * pi * 39 / 40, 0.1);  // still counted in turns
  EXPECT_EQ(model.clamps[1].start.position, Vec3(0.5, 0, 0));
}

SENTENCE("model", "noise bends a free ring without holding any of its nodes") {
  Scene scene = one_rod(CircleCurve{}, 60);
  scene.rods[0].initial_noise = 1e-4;
  const Model model = *build_model(scene);
  int still = 0;
  for (int k = 0; k < 60; ++k)
    if ((model.initial.position[NodeIndex(k)] - model.rest_position[NodeIndex(k)]).norm() < 1e-7) ++still;
  EXPECT_LE(still, 2);
}

std::string first_field(const Scene& scene) {
  const auto model = build_model(scene);
  return model.problems().empty() ? "" : model.problems()[0].field;
}

SENTENCE("model", "what cannot be built is refused with the field that is wrong") {
  const Scene good = one_rod(StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)}, 10);
  EXPECT_EQ(first_field(good), "");
  Scene scene = good;
  scene.clamps = {clamp_at(0.5), clamp_at(0.5)};
  EXPECT_EQ(first_field(scene), "clamp[1]");
  EXPECT_NE(to_text(build_model(scene).problems()).find("holds the position that clamp clamp1 holds already"),
            std::string::npos)
      << to_text(build_model(scene).problems());
  scene.clamps[0].hold = {Hold::twist}, scene.clamps[1].hold = {Hold::direction};  // one frame
  EXPECT_EQ(first_field(scene), "clamp[1]");
  scene.clamps[1].hold = {Hold::position};
  EXPECT_EQ(first_field(scene), "");
  scene.clamps = {clamp_at(0), clamp_at(1)};
  EXPECT_EQ(first_field(scene), "");
  scene.rods[0].rest = CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 1};  // the ends of a ring are one place
  EXPECT_EQ(first_field(scene), "clamp[1]");
  scene = good;
  scene.clamps = {clamp_at(0.5), clamp_at(0.5)};
  scene.clamps[0].until = 1;  // one after the other is fine
  scene.clamps[1].from = 1;
  EXPECT_EQ(first_field(scene), "");
  scene = good;
  scene.clamps = {clamp_at(1.5)};
  EXPECT_EQ(first_field(scene), "clamp[0].at");
  scene.clamps = {clamp_at(0)};
  scene.clamps[0].rod = "beem";
  EXPECT_EQ(first_field(scene), "clamp[0].rod");
  scene = good;
  scene.rods[0].section = CircleSection{0.1};
  EXPECT_EQ(first_field(scene), "rod[0].material");
  scene = good;
  scene.rods[0].rest = StraightCurve{Vec3::Zero(), Vec3::Zero()};
  EXPECT_EQ(first_field(scene), "rod[0].rest.straight.end");
  scene = good;
  scene.rods[0].rest = CircleCurve{};
  scene.rods[0].initial = StraightCurve{Vec3::Zero(), Vec3(two_pi, 0, 0)};
  EXPECT_EQ(first_field(scene), "rod[0].initial");
  scene = good;
  scene.rods.push_back(scene.rods[0]);
  scene.rods[1].name = "other";
  scene.joints = {Joint{"", JointKind::ball, {"rod", 1}, {"other", 0}, Vec3::UnitZ()}};
  EXPECT_EQ(first_field(scene), "joint[0]");
  EXPECT_EQ(first_field(Scene{}), "rod");
  scene = good;
  scene.clamps = {clamp_at(0)};
  scene.clamps[0].direction = Vec3::Zero();
  EXPECT_EQ(first_field(scene), "clamp[0].direction");
}

SENTENCE("model", "a section thicker than the bend it lies in is warned of, and built") {
  Scene scene = one_rod(CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 0.1}, 40);
  EXPECT_TRUE(build_model(scene).problems().empty());
  scene.rods[0].section = StiffnessSection{std::nullopt, 1, 1, 1, 1, 0.2};
  const auto model = build_model(scene);
  ASSERT_TRUE(model);
  EXPECT_EQ(model.problems().at(0).severity, Severity::warning);
  EXPECT_EQ(model.problems()[0].field, "rod[0].section");
}

}  // namespace
}  // namespace tendril
