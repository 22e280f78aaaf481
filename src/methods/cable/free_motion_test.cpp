// Motion that nothing disturbs, and the step for it.
#include "methods/cable/cable.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::free_motion_test {
namespace {

using namespace small_rods;

Settings usual() {
  Settings s;
  s.averaged = true, s.extra_damping = 0.1;
  return s;
}
StepAdvice advice_for(const Scene& scene) { return advise(*model_of(scene), Options(entry().info.options, {})); }

// Two balls of 10 kg on 10 m of steel wire of 1 mm.
Scene tether(double spin) {
  StiffnessSection wire;
  wire.EI1 = wire.EI2 = 0.157, wire.GJ = 0.12, wire.mass_per_length = 0.0247, wire.radius = 0.001;
  Scene scene = one_rod(StraightCurve{Vec3(-5, 0, 0), Vec3(5, 0, 0)}, 20, wire);
  scene.rods[0].angular_velocity = Vec3(0, 0, spin);
  for (const double side : {-1.0, 1.0}) {
    scene.bodies.push_back(body_at(side < 0 ? "a" : "b", Vec3(5 * side, 0, 0), 10, Vec3::Constant(0.04)));
    scene.bodies.back().velocity = Vec3(0, 5 * side * spin, 0);
    scene.joints.push_back(join(JointKind::ball, on_rod("rod", side < 0 ? 0 : 1), on_body(side < 0 ? "a" : "b")));
  }
  return scene;
}

SENTENCE("cable", "a tether that turns freely keeps its angular momentum, at any step") {
  for (const double h : {1.0 / 60, 1.0 / 240}) {
    Cable method(model_of(tether(1)), usual());
    const auto angular = [&] {
      Vec3 sum = Vec3::Zero();
      const State& s = method.state();
      for (std::size_t i = 0; i < s.x.size(); ++i)
        if (!method.parts().elements[i].led)
          sum += method.parts().elements[i].mass * (s.x[i] - 0.5 * h * s.v[i]).cross(s.v[i]) + s.momentum[i];
      return sum.z();
    };
    for (int i = 0; i < 10; ++i) ASSERT_EQ(method.step(i * h, h, {}).outcome, Outcome::fine);
    const double start = angular();
    const int steps = static_cast<int>(18 / h);
    for (int i = 10; i < steps; ++i) ASSERT_EQ(method.step(i * h, h, {}).outcome, Outcome::fine);
    EXPECT_NEAR(angular() / start, 1, 1e-4) << h;  // 1.6 % were lost at 1/60 s
    EXPECT_NEAR(start, 2 * 10 * 25 + 0.247 * 100 / 12 + 2 * 0.04, 0.1);
    Frame frame;
    method.write(frame);
    const Vec3 b = frame.bodies[1].pose.position;
    EXPECT_NEAR(std::remainder(std::atan2(b.y(), b.x()) - steps * h, math::two_pi), 0, 0.01) << h;
  }
}

SENTENCE("cable", "a free box that tumbles at 100 rad/s keeps its energy at 120 steps a second") {
  Scene scene = one_rod(line, 2);
  add_clamp(scene, 0);
  scene.bodies = {body_at("box", Vec3(5, 0, 0), 1, Vec3(0.13 / 12, 0.1 / 12, 0.05 / 12))};
  scene.bodies[0].angular_velocity = Vec3(0.1, 100, 0.1);
  Cable method(model_of(scene), usual());
  Frame frame;
  method.write(frame);
  const double start = frame.own_energy.total();
  for (int i = 0; i < 1200; ++i) ASSERT_EQ(method.step(i / 120.0, 1 / 120.0, {}).outcome, Outcome::fine);
  method.write(frame);
  EXPECT_NEAR(frame.own_energy.total() / start, 1, 1e-3);
}

SENTENCE("cable", "the advised step sees what moves, turns and winds a rod, and not that all of it flies along") {
  Scene still = one_rod(line, 40, plain_section(1e-4, 1e-4, 1e-4));
  add_clamp(still, 0), add_clamp(still, 1);
  const double alone = advice_for(still).advised;
  EXPECT_NEAR(alone, 1.0 / 60, 1e-12);  // nothing happens there
  Scene moved = still;
  moved.clamps[1].move.keys = {{0, Vec3::Zero()}, {0.1, Vec3(-0.5, 0, 0)}};
  EXPECT_LT(advice_for(moved).advised, 0.1 * alone);
  Scene wound = still;
  wound.clamps[1].turn.keys = {{0, 0}, {10, 12}};
  EXPECT_LT(advice_for(wound).advised, 0.2 * alone);
  Scene twisted = still;
  twisted.rods[0].initial_twist = 12;
  EXPECT_LT(advice_for(twisted).advised, 0.2 * alone);
  Scene thrown = one_rod(line, 40, plain_section(1e-4, 1e-4, 1e-4));
  thrown.rods[0].velocity = Vec3(10, 20, 0);
  EXPECT_NEAR(advice_for(thrown).advised, 1.0 / 60, 1e-12);
  thrown.rods[0].angular_velocity = Vec3(0, 0, 50);
  EXPECT_NEAR(advice_for(thrown).advised, 0.1 / 50, 1e-6);  // a tenth of a radian
  Scene torn = tether(0);
  torn.bodies[1].velocity = Vec3(30, 0, 0);
  EXPECT_LT(advice_for(torn).advised, 0.2 / 60);
  Scene spun = tether(0);
  spun.bodies[0].angular_velocity = Vec3(0, 0, 100);
  EXPECT_NEAR(advice_for(spun).advised, 1e-3, 1e-9);
  EXPECT_NE(advice_for(spun).reason.find("body a"), std::string::npos);
}

SENTENCE("cable", "a section without a radius moves as one with next to none") {
  const auto tip = [](double radius) {
    StiffnessSection section = plain_section();
    section.radius = radius;
    Scene scene = one_rod(line, 10, section);
    add_clamp(scene, 0);
    scene.loads = {GravityLoad{Vec3(0, 0, -1)}};
    Cable method(model_of(scene), usual());
    for (int i = 0; i < 200; ++i) EXPECT_EQ(method.step(i * 1e-3, 1e-3, {}).outcome, Outcome::fine);
    Frame frame;
    method.write(frame);
    return frame.position[NodeIndex(10)];
  };
  EXPECT_LT((tip(0) - tip(1e-3)).norm(), 1e-5);
  EXPECT_LT(tip(0).z(), -1e-3);
}

}  // namespace
}  // namespace tendril::cable::free_motion_test
