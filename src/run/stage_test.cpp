#include "run/stage.h"

#include "run/session_testing.h"
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
    EXPECT_NEAR(follower.value.x() - last, 0.001 * 0.5 * (follower.rate.x() + last_rate), 1e-4) << "the rate is that of the value";
    fastest = std::max(fastest, follower.rate.x());
    last = follower.value.x(), last_rate = follower.rate.x();
  }
  EXPECT_EQ(follower.value, Vec3(10, 0, 0));
  EXPECT_NEAR(fastest, 2, 1e-6);
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
  for (int i = 0; i < 800; ++i) {
    const double t = stage.simulation().time();
    stage.advance(1);
    const double now = turn_of(stage), dt = stage.simulation().time() - t;
    EXPECT_GE(now, last);
    EXPECT_LE(now - last, 2.001 * dt + 1e-12);
    last = now;
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

}  // namespace
}  // namespace tendril
