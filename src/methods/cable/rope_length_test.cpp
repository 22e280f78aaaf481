// Bad input of ropes: each is named, with what is allowed.
#include "methods/cable/cable.h"
#include "scene/scene_testing.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::rope_length_test {
namespace {

using namespace small_rods;

std::string complaints(Scene scene) {
  scene.method = "cable";
  return to_text(check(scene));
}
Scene hanging() {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -2)}, 8);
  add_clamp(scene, 0, {Hold::position});
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  return scene;
}
Scene with_winch(Scene scene, double speed, double duration) {
  Winch winch;
  winch.name = "drum", winch.rod = "rod", winch.speed.keys = {{0, speed}};
  scene.winches = {winch}, scene.time.duration = duration;
  return scene;
}

SENTENCE("cable", "a winch that reels in more than there is is named, with what must stay out") {
  EXPECT_EQ(complaints(with_winch(hanging(), -0.5, 2)), "");
  EXPECT_CONTAINS(complaints(with_winch(hanging(), -0.5, 4)),
                  "winch[0].speed: reels in 2 m of 2 m, of which 0.75 m must stay out (`shortest`), at most 1.25 m");
  // Both ends held: the rope would be torn.
  Scene tight = hanging();
  tight.rods[0].rest = StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)};
  PolylineCurve sag;
  sag.points = {Vec3::Zero(), Vec3(0.75, 0, -0.6614378277661477), Vec3(1.5, 0, 0)};
  tight.rods[0].initial = sag;
  add_clamp(tight, 1, {Hold::position});
  EXPECT_CONTAINS(complaints(with_winch(tight, -0.5, 1.5)), "of which 1.5 m must stay out: its clamps are so far apart");
  EXPECT_EQ(complaints(with_winch(tight, -0.5, 0.9)).find("winch"), std::string::npos);
}

SENTENCE("cable", "a reeved rope shorter than its points are apart, and sheaves longer than their falls, are named") {
  Scene scene;
  PolylineCurve line;
  line.points = {Vec3(-0.2, 0, 0), Vec3(0, 0, 2), Vec3(0.2, 0, 0)};
  scene.rods = {small_rod("rope", line, 1, plain_section(1, 1, 1))};
  scene.rods[0].segments.reset();
  Reeving reeving;
  reeving.name = "tackle", reeving.rod = "rope", reeving.points.resize(3);
  scene.reevings = {reeving};
  EXPECT_EQ(complaints(scene), "");
  scene.reevings[0].slack = -0.01;
  EXPECT_CONTAINS(complaints(scene), "it is shorter than its points are apart, must be at least 0");
  std::get<StiffnessSection>(*scene.rods[0].section).EA = 1e6;
  scene.rods[0].stretch = Give::elastic;
  EXPECT_EQ(complaints(scene), "");
  for (const double slack : {-1.0, -3.9, -4.1, -10.0}) {
    scene.reevings[0].slack = slack;
    EXPECT_CONTAINS(complaints(scene), "may start stretched by at most a tenth") << slack;
  }
  scene.reevings[0].slack = 0, scene.reevings[0].points[1].radius = 5;
  EXPECT_CONTAINS(complaints(scene), "falls must be longer than the radius of their sheaves");
  scene.reevings[0].points[1].radius = 0.001;
  EXPECT_CONTAINS(complaints(scene), "a sheave must not be smaller than its rope");
}

SENTENCE("cable", "a rope that starts exactly straight between clamps under its weight is refused, one that hangs is not") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)}, 8);
  add_clamp(scene, 0, {Hold::position});
  add_clamp(scene, 1, {Hold::position});
  EXPECT_EQ(complaints(scene), "");
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  EXPECT_CONTAINS(complaints(scene), "the rod starts exactly straight between clamps");
  scene.loads = {GravityLoad{Vec3(-10, 0, 0)}};
  EXPECT_EQ(complaints(scene).find("starts exactly straight"), std::string::npos);
}

SENTENCE("cable", "limp ropes are asked for by EI = 0 and swing; negative stiffness and no mass are named") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)}, 12, plain_section(0, 0, 0));
  add_clamp(scene, 0, {Hold::position});
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  EXPECT_EQ(complaints(scene), "");
  scene.method = "der";
  EXPECT_CONTAINS(to_text(check(scene)), "needs bending stiffnesses EI1 > 0 and EI2 > 0");
  Cable method(model_of(scene), {});
  Frame frame;
  for (int i = 0; i < 20; ++i) ASSERT_EQ(method.step(i / 240.0, 1 / 240.0, {}).outcome, Outcome::fine);
  method.write(frame);
  EXPECT_LT(frame.position[NodeIndex(12)].z(), -0.03);
  StiffnessSection& section = std::get<StiffnessSection>(*scene.rods[0].section);
  section.EI1 = -1, section.EA = -1, section.mass_per_length = 0;
  const std::string bad = complaints(scene);
  EXPECT_CONTAINS(bad, "EI1: got -1 N m^2, must be at least 0");
  EXPECT_CONTAINS(bad, "EA: got -1 N, must be > 0");
  EXPECT_CONTAINS(bad, "mass_per_length: got 0 kg/m, must be > 0");
}

SENTENCE("cable", "a rope without thickness moves") {
  StiffnessSection section = plain_section(0.01, 0.01, 0.01);
  section.radius = 0;
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)}, 12, section);
  add_clamp(scene, 0);
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  Cable method(model_of(scene), {});
  Frame frame;
  for (int i = 0; i < 20; ++i) ASSERT_EQ(method.step(i / 240.0, 1 / 240.0, {}).outcome, Outcome::fine);
  method.write(frame);
  EXPECT_TRUE(frame.position[NodeIndex(12)].allFinite());
}

}  // namespace
}  // namespace tendril::cable::rope_length_test
