#include "model/grips.h"

#include <cmath>

#include "math/rotation.h"
#include "model/drive.h"
#include "model/test_scenes.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

Vec3 point_of(const Model& model, const Grip& grip) {
  return (1 - grip.share) * model.initial.position[grip.a] + grip.share * model.initial.position[grip.b];
}

SENTENCE("model", "a grip holds the material point it was asked for, on open rods and around rings") {
  const Model open = *build_model(one_rod(StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)}, 7));
  for (const double s : {0.0, 0.1, 2.0 / 7, 1.3, 2.0}) {
    EXPECT_NEAR(point_of(open, grip_at(open, 0, s)).x(), s, 1e-15);
  }
  EXPECT_EQ(grip_at(open, 0, 2.5).share, 1);
  EXPECT_EQ(grip_at(open, 0, -1).share, 0);
  const Model ring = *build_model(one_rod(CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 0.5}, 9));
  const double length = ring.rods[0].length;
  const Grip last = grip_at(ring, 0, length * (1 - 0.25 / 9));
  EXPECT_EQ(last.a, NodeIndex(8));
  EXPECT_EQ(last.b, NodeIndex(0));
  EXPECT_NEAR(last.share, 0.75, 1e-12);
  const Grip round = grip_at(ring, 0, length * (2 - 0.25 / 9));
  EXPECT_EQ(round.a, last.a);
  EXPECT_NEAR(round.share, last.share, 1e-12);
}

SENTENCE("model", "a coupling's place follows its path, the load factor and live inputs, and it pulls only in its time") {
  Scene scene = one_rod(StraightCurve{}, 10);
  Coupling c;
  c.rod = "rod", c.at = 0.5, c.position = Vec3(0.5, 0, 0.2), c.stiffness = 3, c.damping = 0.5, c.angular_stiffness = 2;
  c.move.shape = TimetableShape::linear;
  c.move.keys = {{0, Vec3::Zero()}, {2, Vec3(0, 4, 0)}};
  c.turn.shape = TimetableShape::linear;
  c.turn.keys = {{0, 0}, {2, 1}};
  c.axis = Vec3(0, 0, 2);
  c.from = 0.5, c.until = 1.5;
  scene.couplings.push_back(c);
  const Model model = *build_model(scene);
  ASSERT_EQ(model.couplings.size(), 1u);
  EXPECT_EQ(model.couplings[0].name, "coupling1");
  Drive drive;
  evaluate(model, {}, 0.4, 1, drive);
  EXPECT_TRUE(drive.grips.empty());
  evaluate(model, {}, 0.5, 1, drive);
  EXPECT_TRUE(drive.grips.empty());
  evaluate(model, {}, 1.5, 1, drive);
  EXPECT_FALSE(drive.grips.empty());
  evaluate(model, {}, 1.51, 1, drive);
  EXPECT_TRUE(drive.grips.empty());
  Live live;
  live.paths.add({.clamp = -1, .move = Vec3(1, 0, 0), .turn = 0.25, .coupling = 0});
  evaluate(model, live, 1, 0.5, drive);
  ASSERT_EQ(drive.grips.size(), 1u);
  const Grip& grip = drive.grips[0];
  EXPECT_NEAR((grip.pose.position - Vec3(1.5, 1, 0.1)).norm(), 0, 1e-14);
  EXPECT_NEAR((grip.motion.linear - Vec3(0, 1, 0)).norm(), 0, 1e-14);
  const double half_turn = std::acos(-1.0);
  EXPECT_NEAR((grip.motion.angular - Vec3(0, 0, 0.5 * half_turn)).norm(), 0, 1e-14);
  const Quat expected = exp_quat(Vec3(0, 0, 0.5 * half_turn + 0.25)) * model.couplings[0].start.orientation;
  EXPECT_NEAR(grip.pose.orientation.angularDistance(expected), 0, 1e-7);
  EXPECT_EQ(grip.stiffness, 3);
  EXPECT_EQ(grip.coupling, 0);
  // Spring and damper.
  EXPECT_NEAR((grip_force(grip, Vec3(1, 1, 0.1), Vec3::Zero()) - Vec3(1.5, 0.5, 0)).norm(), 0, 1e-14);
  const Quat behind = exp_quat(Vec3(0, 0, -0.3)) * grip.pose.orientation;
  EXPECT_NEAR((grip_moment(grip, behind, Vec3::Zero()) - Vec3(0, 0, 0.6)).norm(), 0, 1e-12);
}

SENTENCE("model", "the suggested hand outweighs what a hair and a steel cable answer with, and is critically damped") {
  struct Case {
    double EI, line_mass, length, gravity;
  };
  for (const Case& rod : {Case{8e-9, 6.5e-6, 0.2, 9.81}, Case{8e-9, 6.5e-6, 0.2, 0}, Case{700, 8, 20, 9.81},
                          Case{1e6, 60, 3, 0}, Case{1e-9, 1, 10, 0}}) {
    Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(rod.length, 0, 0)}, 20);
    scene.rods[0].section = StiffnessSection{std::nullopt, rod.EI, 2 * rod.EI, rod.EI, rod.line_mass, 0};
    scene.loads.push_back(GravityLoad{Vec3(0, 0, -rod.gravity)});
    const Model model = *build_model(scene);
    const Hand hand = suggested_hand(model, 0, 0.7 * rod.length);
    const double mass = rod.line_mass * rod.length;
    const double answers = 3 * rod.EI / std::pow(rod.length, 3) + mass * rod.gravity / rod.length;
    EXPECT_GE(hand.stiffness, 30 * answers * (1 - 1e-12));
    // A hand must not be a clamp either: no faster than the rod's own motion or a tenth of a second by more than firmness.
    EXPECT_LE(hand.stiffness, 30 * answers * (1 + 1e-12) + 100 * mass);
    EXPECT_GE(std::sqrt(hand.stiffness / mass), 10);
    EXPECT_NEAR(hand.damping, 2 * std::sqrt(hand.stiffness * mass / 3), 1e-12 * hand.damping);
    EXPECT_NEAR(hand.pose.position.x(), 0.7 * rod.length, 1e-12 * rod.length);
  }
}

}  // namespace
}  // namespace tendril
