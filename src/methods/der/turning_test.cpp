#include "methods/der/turning.h"

#include <cmath>

#include "math/number.h"
#include "methods/der/der_testing.h"
#include "methods/der/failures.h"
#include "testing/sentence.h"

namespace tendril::der {
namespace {

// A soft rod of ten segments between two clamps, the second of which is turned.
Scene drill(double turns, double duration = 1) {
  Scene scene = one_rod(line, 10, plain_section(1e-4, 1e-4, 1e-4));
  add_clamp(scene, 0);
  add_clamp(scene, 1).turn = ramp(turns, duration);
  return scene;
}
// Turns that the rod is wound up by from wall to wall, from the moment of its second clamp.
double wound(const Der& der) { return frame_of(der).reactions[1].moment.x() / (math::two_pi * 1e-4); }
void turn_on(Der& der, double from, double to, int steps, const Live& live = {}) {
  const double h = (to - from) / steps;
  for (int i = 0; i < steps; ++i) ASSERT_EQ(der.step(from + i * h, h, live).outcome, Outcome::fine) << i;
}

SENTENCE("der",
         "a clamp winds the rod by all the turns it makes in a step: half of one, whole ones, many, forwards and back") {
  for (const bool general : {false, true})
    for (const double turns : {3.0, 10.0, 20.0, 87.3, -55.5}) {  // in 20 steps
      Settings settings;
      settings.general = general;
      Der der(model_of(drill(turns)), settings);
      turn_on(der, 0, 1, 20);
      EXPECT_NEAR(wound(der), turns, 1e-9 * std::abs(turns)) << general;
      const Frame frame = frame_of(der);
      double inside = 0;
      for (int i = 0; i < frame.twist.size(); ++i) inside += frame.twist[InnerNodeIndex{i}];
      EXPECT_NEAR(inside, 0.9 * math::two_pi * turns, 1e-9 * std::abs(inside)) << "nine of ten segments lie between edges";
    }
}

SENTENCE("der",
         "turns by hand count like those of a timetable, also together with it, and a loaded state goes on with them") {
  const auto model = model_of(drill(40));
  Der der(model, {}), other(model, {});
  Live live;
  PathInput path;
  path.clamp = 1, path.turn = -7.25 * math::two_pi;
  live.paths.items[0] = path, live.paths.count = 1;
  turn_on(der, 0, 0.5, 4, live);
  EXPECT_NEAR(wound(der), 20 - 7.25, 1e-9);
  StateWriter writer;
  der.visit_state(writer);
  StateReader reader(writer.buffer());
  other.visit_state(reader);
  for (Der* one : {&der, &other}) {
    turn_on(*one, 0.5, 1, 3, live);
    EXPECT_NEAR(wound(*one), 40 - 7.25, 1e-9);
  }
}

SENTENCE("der", "many turns in half a segment stay when a clamp elsewhere lets go, while the other one turns on") {
  for (const double held : {0.5, 0.33}) {
    Scene scene = drill(90);
    Clamp& middle = add_clamp(scene, held, {Hold::position});
    middle.until = 0.55;
    Der der(model_of(scene), {});
    turn_on(der, 0, 1, 10);
    EXPECT_NEAR(wound(der), 90, 1e-9);
  }
}

SENTENCE("der", "a driven body winds the rod that is welded to it by all its turns") {
  Scene scene = one_rod(line, 10, plain_section(1e-4, 1e-4, 1e-4));
  add_clamp(scene, 0);
  RigidBody chuck = body_at("chuck", Vec3(1, 0, 0), 1, Vec3(1, 1, 1));
  chuck.mass.reset(), chuck.inertia.reset();
  chuck.kind = BodyKind::driven, chuck.axis = Vec3::UnitX(), chuck.turn = ramp(63);
  scene.bodies = {chuck};
  scene.joints = {join(JointKind::rigid, on_rod("rod", 1), on_body("chuck"))};
  Der der(model_of(scene), {});
  turn_on(der, 0, 1, 10);
  EXPECT_NEAR(frame_of(der).reactions[0].moment.x() / (math::two_pi * 1e-4), -63, 1e-8);
}

SENTENCE("der", "a clamp that swings the rod's end by more than a quarter turn in a step stops it, and the advice knows") {
  Scene scene = one_rod(line, 10);
  Clamp& crank = add_clamp(scene, 0);
  crank.axis = Vec3::UnitZ(), crank.turn = ramp(1);
  const auto model = model_of(scene);
  EXPECT_NEAR(swinging_walls(*model).rate, math::two_pi, 1e-12);
  Der slow(model, {}), fast(model, {});
  EXPECT_EQ(slow.step(0, 0.2, {}).cause == turned_too_far, false);
  const StepReport report = fast.step(0, 0.3, {});
  EXPECT_EQ(report.outcome, Outcome::diverged);
  EXPECT_EQ(report.cause, turned_too_far);
  // About the rod's own direction nothing swings.
  EXPECT_EQ(swinging_walls(*model_of(drill(1000))).rate, 0);
}

SENTENCE("der", "the step is advised by what spins: a body on a rod, a rod at the start, an obstacle that is not round") {
  Scene scene = one_rod(line, 4, plain_section(1e-6, 1e-6, 1e-6));
  add_clamp(scene, 0);
  const double calm = advised(*model_of(scene));
  scene.bodies = {body_at("wheel", Vec3(1, 0, 0), 1, Vec3(1, 1, 1))};
  scene.bodies[0].angular_velocity = Vec3(200, 0, 0);
  scene.joints = {join(JointKind::rigid, on_rod("rod", 1), on_body("wheel"))};
  EXPECT_NEAR(advised(*model_of(scene)), 0.5 * max_swing / 200, 1e-12);
  EXPECT_GT(calm, 0.5 * max_swing / 200);
  Scene thrown = one_rod(line, 4, plain_section(1e-6, 1e-6, 1e-6));
  thrown.rods[0].angular_velocity = Vec3(0, 0, 50);
  EXPECT_NEAR(advised(*model_of(thrown)), 0.25 / 50, 1e-12);
  thrown.rods[0].angular_velocity.setZero();
  thrown.contact.enabled = true;
  Obstacle paddle;
  paddle.name = "paddle", paddle.shape = BoxShape{}, paddle.turn = ramp(30);
  std::get<BoxShape>(paddle.shape).size = Vec3(1, 0.1, 0.1);
  std::get<BoxShape>(paddle.shape).center = Vec3(0, 3, 0);
  thrown.obstacles = {paddle};
  EXPECT_NEAR(advised(*model_of(thrown)), 0.25 / (30 * math::two_pi), 1e-12);
  SphereShape ball;
  ball.center = Vec3(0, 3, 0), ball.radius = 0.1;
  thrown.obstacles[0].shape = ball;
  EXPECT_GT(advised(*model_of(thrown)), 0.25 / (30 * math::two_pi));
}

SENTENCE("der", "a wheel on a wire that spins by more than a quarter turn in a step stops it instead of losing turns") {
  Scene scene = one_rod(line, 4, plain_section(1e-6, 1e-6, 1e-6));
  add_clamp(scene, 0);
  scene.bodies = {body_at("wheel", Vec3(1, 0, 0), 1, Vec3(1, 1, 1))};
  scene.bodies[0].angular_velocity = Vec3(100, 0, 0);
  scene.joints = {join(JointKind::rigid, on_rod("rod", 1), on_body("wheel"))};
  const auto model = model_of(scene);
  Der der(model, {}), fine(model, {});
  EXPECT_EQ(der.step(0, 0.02, {}).cause, turned_too_far);
  double turned = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(fine.step(0.01 * i, 0.01, {}).outcome, Outcome::fine);
    turned += 0.01 * frame_of(fine).bodies[0].motion.angular.x();
  }
  EXPECT_NEAR(frame_of(fine).reactions[0].moment.x(), -1e-6 * turned, 0.02 * 1e-6 * turned) << "16 turns of one wire";
}

}  // namespace
}  // namespace tendril::der
