#include "live/stage.h"

#include <cmath>

#include "live/session_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

SENTENCE("session", "a value that follows is smooth, does not overshoot, keeps its speed limit and arrives exactly") {
  Follower follower;
  follower.target = Vec3(10, 0, 0);
  double last = 0, last_rate = 0, fastest = 0, steps = 0;
  while (!follower.at_rest() && ++steps < 100000) {
    follower.advance(0.001, 0.025, 2);
    EXPECT_GE(follower.value.x(), last);
    EXPECT_LE(follower.value.x(), 10);
    EXPECT_LE(std::abs(follower.rate.x() - last_rate), 0.001 * 2 * 2 / 0.025) << "no jerk: acceleration is bounded";
    EXPECT_NEAR(follower.value.x() - last, 0.001 * 0.5 * (follower.rate.x() + last_rate), 1e-4)
        << "the rate is that of the value";
    fastest = std::max(fastest, follower.rate.x());
    last = follower.value.x(), last_rate = follower.rate.x();
  }
  EXPECT_EQ(follower.value, Vec3(10, 0, 0));
  EXPECT_LE(fastest, 2);
  EXPECT_GT(fastest, 1.95);
  EXPECT_NEAR(0.001 * steps, 5.5, 0.5);
}

SENTENCE("session", "a value that follows is exact: one long interval is as good as many short ones") {
  Follower one, many;
  one.target = many.target = Vec3(0.01, -0.02, 0.03);
  one.rate = many.rate = Vec3(0.1, 0, 0);
  one.advance(0.02, 0.025, 100);
  for (int i = 0; i < 20; ++i) many.advance(0.001, 0.025, 100);
  EXPECT_LT((one.value - many.value).norm(), 1e-15);
  EXPECT_LT((one.rate - many.rate).norm(), 1e-13);
}

double turn_of(const Stage& stage) {
  const auto& paths = stage.simulation().live().paths;
  return paths.count == 0 ? 0 : paths.begin()->turn / (2 * 3.14159265358979323846);
}

SENTENCE("session", "a clamp turned by a click follows smoothly, and far orders are brought within reach") {
  FakeTrouble guard;
  Stage stage(open_fake(fake_scene()));
  EXPECT_EQ(stage.set_input("clamp.wall.turn", 3.0), "");
  double last = 0;
  double dt = 0;  // of the step before: what is taken before a step makes up for it
  for (int i = 0; i < 800; ++i) {
    const double t = stage.simulation().time();
    std::ignore = stage.advance(1);
    const double now = turn_of(stage);
    EXPECT_GE(now, last);
    EXPECT_LE(now - last, 2.001 * dt + 1e-12);
    last = now;
    dt = stage.simulation().time() - t;
  }
  EXPECT_NEAR(last, 3, 1e-9);
  EXPECT_EQ(stage.set_input("clamp.wall.turn", 1e300), "");
  EXPECT_EQ(std::get<double>(stage.inputs()[1].second), 1000);
  EXPECT_EQ(stage.set_input("clamp.wall.move", Vec3(1e200, 1e200, 0)), "");
  EXPECT_NEAR(std::get<Vec3>(stage.inputs()[2].second).norm(), 20, 1e-9);
  EXPECT_NE(stage.set_input("clamp.wall.move", 1.0).find("three numbers"), std::string::npos);
  EXPECT_NE(stage.set_input("gravity", Vec3(1, 1, 1)).find("a number"), std::string::npos);
  EXPECT_NE(stage.set_input("gravity", std::nan("")).find("finite"), std::string::npos);
  EXPECT_NE(stage.set_input("gravty", 1.0).find("gravity"), std::string::npos);
}

SENTENCE("session", "a clamp that is led by hand has the velocity of its path") {
  FakeTrouble guard;
  Stage stage(open_fake(fake_scene()));
  EXPECT_EQ(stage.set_input("clamp.wall.move", Vec3(0.3, 0, 0)), "");
  EXPECT_EQ(stage.set_input("clamp.wall.turn", 0.5), "");
  double fastest = 0, spin = 0;
  for (int i = 0; i < 800; ++i) {
    std::ignore = stage.advance(1);
    for (const PathInput& path : stage.simulation().live().paths)
      fastest = std::max(fastest, path.move_rate.norm()), spin = std::max(spin, path.turn_rate);
  }
  EXPECT_GT(fastest, 0.5);
  EXPECT_GT(spin, 1);
  ASSERT_EQ(stage.simulation().live().paths.count, 1);
  const PathInput& path = *stage.simulation().live().paths.begin();
  EXPECT_EQ(path.move, Vec3(0.3, 0, 0));
  EXPECT_EQ(path.move_rate, Vec3::Zero());  // it stands
  EXPECT_EQ(path.turn_rate, 0);
}

SENTENCE("session", "a machine comes to speed no faster than it can, and stops at its target without passing it") {
  constexpr double dt = 1.0 / 400, top = 1.2, acceleration = 0.8, way = 4;
  Follower trolley;
  trolley.target = Vec3(way, 0, 0);
  double time = 0, fastest = 0;
  for (; !trolley.at_rest() && time < 60; time += dt) {
    const Follower before = trolley;
    trolley.drive(dt, top, acceleration);
    EXPECT_LE((trolley.rate - before.rate).norm(), acceleration * dt * (1 + 1e-9) + 1e-12);
    EXPECT_LE(trolley.value.x(), way + 1e-6);
    fastest = std::max(fastest, trolley.rate.norm());
  }
  EXPECT_EQ(trolley.value, trolley.target);
  EXPECT_NEAR(fastest, top, 1e-9);
  EXPECT_NEAR(time, way / top + top / acceleration, 0.02);
}

Stage cantilever() {
  Scene scene = fake_scene();
  scene.method = "der";
  scene.probes.clear();
  Checked<Simulation> simulation = Simulation::open(scene);
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  return Stage(std::move(*simulation));
}
Vec3 tip_of(const Stage& stage) { return stage.simulation().frame().position[NodeIndex(4)]; }
void advance_for(Stage& stage, double time) {
  for (const double end = stage.simulation().time() + time; stage.simulation().time() < end;)
    ASSERT_EQ(stage.advance(1).outcome, Outcome::fine);
}

SENTENCE("session", "a hand takes a point where it is, drags it, and lets go") {
  Stage stage = cantilever(), alone = cantilever();
  EXPECT_EQ(stage.grab(1, Grab{1, 0, -1, 1.0, tip_of(stage)}), "");
  const auto& hands = stage.simulation().live().hands;
  ASSERT_EQ(hands.count, 1);
  EXPECT_EQ(hands.begin()->pose.position, tip_of(stage));
  stage.move(1, MoveHand{1, tip_of(stage) + Vec3(0, 0.3, 0)});
  double last = 0, dt = stage.simulation().step_size();
  for (int i = 0; i < 200; ++i) {
    EXPECT_GE(hands.begin()->pose.position.y(), last);
    EXPECT_LE(hands.begin()->pose.position.y() - last, 0.3 / (std::exp(1.0) * 0.025) * dt + 1e-9)
        << "never faster than the filter's best";
    last = hands.begin()->pose.position.y();
    const double t = stage.simulation().time();
    std::ignore = stage.advance(1);
    EXPECT_LT((hands.begin()->motion.linear).norm(), 0.3 / (std::exp(1.0) * 0.025) + 1e-9);
    dt = std::max(dt, stage.simulation().time() - t);
  }
  advance_for(stage, 1), advance_for(alone, 1);
  EXPECT_NEAR(hands.begin()->pose.position.y(), 0.3, 1e-6);
  EXPECT_GT(tip_of(stage).y(), 0.15);
  EXPECT_NEAR(tip_of(alone).y(), 0, 1e-9);
  EXPECT_EQ(stage.release(1, 1), "");
  EXPECT_EQ(hands.count, 0);
}

SENTENCE("session", "a hand takes a body at the point that was clicked, drags it, and lets go") {
  Scene scene = fake_scene();
  scene.method = "der";
  scene.probes.clear();
  scene.time.duration = 100;
  RigidBody ball;
  ball.name = "ball", ball.shape = SphereBody{0.1}, ball.mass = 1, ball.position = Vec3(1.1, 0, 0);
  scene.bodies = {ball};
  Joint joint;
  joint.name = "joint", joint.a.rod = "rod", joint.a.at = 1, joint.b.body = "ball";
  scene.joints = {joint};
  Checked<Simulation> simulation = Simulation::open(scene);
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  Stage stage(std::move(*simulation));
  const auto& hands = stage.simulation().live().hands;
  EXPECT_EQ(stage.grab(1, Grab{1, -1, 0, 0, Vec3(1.1, 0.3, 0)}), "");  // beside it: a view may be late
  ASSERT_EQ(hands.count, 1);
  EXPECT_LT((hands.begin()->point - Vec3(0, 0.1, 0)).norm(), 1e-12);
  EXPECT_LT((hands.begin()->pose.position - Vec3(1.1, 0.1, 0)).norm(), 1e-12);
  EXPECT_EQ(stage.grab(1, Grab{1, -1, 0, 0, Vec3(1.1, 0, 0.05)}), "");
  EXPECT_LT((hands.begin()->point - Vec3(0, 0, 0.05)).norm(), 1e-12);
  stage.move(1, MoveHand{1, Vec3(1, 0.4, 0)});
  for (double t = 0; t < 1; t = stage.simulation().time()) ASSERT_EQ(stage.advance(1).outcome, Outcome::fine);
  EXPECT_GT(stage.simulation().frame().bodies[0].pose.position.y(), 0.2);
  EXPECT_EQ(stage.release(1, 1), "");
  EXPECT_EQ(hands.count, 0);
  EXPECT_NE(stage.grab(1, Grab{1, -1, 1, 0, Vec3::Zero()}), "") << "there is one body only";
}

SENTENCE("session", "hands: eight in all, each client its own, and who leaves lets go") {
  Stage stage = cantilever();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(stage.grab(static_cast<ClientId>(1 + i % 2), Grab{1 + i / 2, 0, -1, 0.1 * i, Vec3(0.1 * i, 0, 0)}), "");
  EXPECT_EQ(stage.simulation().live().hands.count, 8);
  EXPECT_NE(stage.grab(3, Grab{1, 0, -1, 0.5, Vec3::Zero()}).find("8 hands"), std::string::npos);
  EXPECT_EQ(stage.grab(2, Grab{1, 0, -1, 0.7, Vec3::Zero()}), "") << "its own hand may take another point";
  EXPECT_EQ(stage.leave(1), "");
  EXPECT_EQ(stage.simulation().live().hands.count, 4);
  stage.move(1, MoveHand{1, Vec3(5, 5, 5)});  // of a hand that is gone
  EXPECT_EQ(stage.release(1, 1), "");
  EXPECT_EQ(stage.leave(2), "");
  EXPECT_EQ(stage.simulation().live().hands.count, 0);
  EXPECT_NE(stage.grab(1, Grab{1, 7, -1, 0.5, Vec3::Zero()}), "");
  EXPECT_NE(stage.grab(1, Grab{1, -1, 0, 0, Vec3::Zero()}), "");
  EXPECT_NE(stage.grab(1, Grab{1, 0, -1, 0.5, Vec3(0, std::nan(""), 0)}), "");
  EXPECT_EQ(stage.grab(1, Grab{1, 0, -1, 1e9, Vec3(1e30, 0, 0)}), "") << "brought within reach";
  advance_for(stage, 0.2);
  EXPECT_TRUE(stage.simulation().frame().position[NodeIndex(4)].allFinite());
}

SENTENCE("session", "a live equilibrium rests, and follows its inputs when they move") {
  Scene scene = fake_scene();
  scene.method = "der";
  scene.probes.clear();
  scene.time.mode = Mode::statics;
  Checked<Simulation> simulation = Simulation::open(scene);
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  Stage stage(std::move(*simulation));
  int steps = 0;
  while (stage.moving() && ++steps < 500) stage.advance(1);
  EXPECT_LT(steps, 500);
  EXPECT_FALSE(stage.failed());
  const double sag = tip_of(stage).z();
  EXPECT_LT(sag, 0);
  EXPECT_EQ(stage.set_input("gravity", 0.0), "");
  EXPECT_TRUE(stage.moving());
  for (steps = 0; stage.moving() && steps < 500; ++steps) stage.advance(1);
  EXPECT_LT(steps, 500);
  EXPECT_NEAR(tip_of(stage).z(), 0, 1e-6);
}

}  // namespace
}  // namespace tendril
