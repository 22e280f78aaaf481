// Worlds scaled by powers of two, worlds that fail, and many bodies at once.
#include <ode/ode.h>

#include <cmath>

#include "bodies/body_extents.h"
#include "bodies/body_world.h"
#include "bodies/contact_impulses.h"
#include "bodies/ode_setup.h"
#include "math/rotation.h"
#include "testing/sentence.h"

using namespace tendril;

namespace {

struct Scale {
  double length = 1, mass = 1, time = 1;
};

// Boxes, a ball, a cylinder and a capsule that fall on a table and on the ground, bounce and slide, in any units.
struct Pile {
  std::vector<BodyModel> bodies;
  std::vector<BodyState> states;
  std::vector<Wrench> wrenches;
  std::vector<GroundPlane> grounds;
  double gravity;
  explicit Pile(const Scale& s, bool falls) : gravity(falls ? 9.81 * s.length / (s.time * s.time) : 0) {
    const double L = s.length;
    const BodyShape shapes[] = {BoxBody{L * Vec3(0.3, 0.2, 0.1)}, SphereBody{0.1 * L}, CylinderBody{0.1 * L, 0.15 * L},
                                CapsuleBody{0.08 * L, 0.2 * L}, BoxBody{L * Vec3(2, 2, 0.02)}};
    for (int i = 0; i < 7; ++i) {
      BodyModel b;
      b.shape = i == 6 ? shapes[4] : shapes[i % 4];
      b.kind = i == 6 ? BodyKind::fixed : BodyKind::dynamic;
      b.mass = s.mass * (1 + i), b.inertia = inertia_of(*b.shape, b.mass);
      b.friction = 0.5, b.restitution = 0.3;
      BodyState state;
      state.pose = {L * Vec3(0.02 * i, 0.01 * i, i == 6 ? 0.0 : 0.3 + 0.22 * i), exp_quat(Vec3(0.3 * i, 0.1, -0.2 * i))};
      if (i == 6) state.pose.orientation = Quat::Identity();
      if (!falls && i < 6) state.motion.linear = (L / s.time) * Vec3(0, 0, -1);
      b.start = state;
      bodies.push_back(b), states.push_back(state);
      wrenches.push_back({Vec3(0, 0, -gravity * b.mass), Vec3::Zero()});
    }
    grounds = {{L * Vec3(0, 0, -0.2), Vec3::UnitZ(), 0.6, 0.2}};
  }
};
double difference(const std::vector<BodyState>& a, const std::vector<BodyState>& b, const Scale& s) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, (a[i].pose.position - b[i].pose.position / s.length).norm());
    worst = std::max(worst, (a[i].pose.orientation.coeffs() - b[i].pose.orientation.coeffs()).norm());
    worst = std::max(worst, (a[i].motion.linear - b[i].motion.linear * s.time / s.length).norm());
    worst = std::max(worst, (a[i].motion.angular - b[i].motion.angular * s.time).norm());
  }
  return worst;
}

SENTENCE("bodies", "bodies scaled by powers of two in length, mass and time do the same, bit for bit") {
  for (const bool falls : {true, false}) {
    Pile usual({}, falls);
    const auto world = make_ode_world(usual.bodies, usual.grounds, usual.gravity);
    bool touched = false;
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(world->step(1.0 / 256, i, usual.wrenches, usual.states));
      touched = touched || !world->contacts().empty();
    }
    ASSERT_TRUE(touched);
    for (const Scale& s :
         {Scale{std::ldexp(1, -10), 1, 1}, Scale{std::ldexp(1, -30), 1, 1}, Scale{std::ldexp(1, 20), 1, 1},
          Scale{1, std::ldexp(1, -40), 1}, Scale{1, std::ldexp(1, 40), 1}, Scale{1, 1, std::ldexp(1, -30)},
          Scale{1, 1, std::ldexp(1, 16)}, Scale{std::ldexp(1, -20), std::ldexp(1, -60), std::ldexp(1, -8)}}) {
      Pile pile(s, falls);
      const auto scaled = make_ode_world(pile.bodies, pile.grounds, pile.gravity);
      for (int i = 0; i < 400; ++i) ASSERT_TRUE(scaled->step(s.time / 256, i, pile.wrenches, pile.states));
      EXPECT_EQ(difference(usual.states, pile.states, s), 0)
          << std::log2(s.length) << " " << std::log2(s.mass) << " " << std::log2(s.time);
    }
  }
}

SENTENCE("bodies", "what ODE complains of is thrown in its own words, filled in") {
  set_up_ode();
  try {
    dDebug(3, "assertion %s failed in line %d", "a != b", 17);
    FAIL() << "nothing was thrown";
  } catch (const OdeFailure& failure) {
    EXPECT_STREQ(failure.what(), "ODE: assertion a != b failed in line 17");
  }
}

SENTENCE("bodies", "a world whose step failed inside ODE says so and goes on with other states, bit for bit") {
  Pile pile({}, true);
  const auto world = make_ode_world(pile.bodies, pile.grounds, pile.gravity);
  const auto fresh = make_ode_world(pile.bodies, pile.grounds, pile.gravity);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(world->step(1.0 / 256, i, pile.wrenches, pile.states));
  std::vector<BodyState> good = pile.states, bad = pile.states;
  for (BodyState& state : bad) state.pose.orientation = Quat(0, 0, 0, 0);  // no direction to normalise
  EXPECT_FALSE(world->step(1.0 / 256, 100, pile.wrenches, bad));
  std::vector<BodyState> again = good;
  for (int i = 100; i < 150; ++i) {
    ASSERT_TRUE(world->step(1.0 / 256, i, pile.wrenches, good));
    ASSERT_TRUE(fresh->step(1.0 / 256, i, pile.wrenches, again));
  }
  EXPECT_EQ(difference(good, again, {}), 0);
}

// A tower of boxes, one on the other.
struct Tower {
  std::vector<BodyModel> bodies;
  std::vector<BodyState> states;
  std::vector<Wrench> wrenches;
  std::vector<GroundPlane> grounds{{Vec3::Zero(), Vec3::UnitZ(), 0.6, 0}};
  explicit Tower(int count) {
    for (int i = 0; i < count; ++i) {
      BodyModel b;
      b.shape = BoxBody{Vec3(0.2, 0.2, 0.1)}, b.mass = 1, b.inertia = inertia_of(*b.shape, 1), b.friction = 0.5;
      BodyState s;
      s.pose.position = Vec3(0, 0, 0.05 + 0.1 * i);
      bodies.push_back(b), states.push_back(s), wrenches.push_back({Vec3(0, 0, -9.81), Vec3::Zero()});
    }
  }
};

SENTENCE("bodies", "a tower of twenty boxes stands and comes to rest") {
  Tower tower(20);
  const auto world = make_ode_world(tower.bodies, tower.grounds, 9.81);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(world->step(2e-3, i, tower.wrenches, tower.states));
  for (int i = 0; i < 20; ++i) {
    const BodyState& s = tower.states[static_cast<std::size_t>(i)];
    EXPECT_LT((s.pose.position - Vec3(0, 0, 0.05 + 0.1 * i)).norm(), 1e-3) << i;
    EXPECT_LT(s.motion.linear.norm(), 1e-4) << i;
  }
}

SENTENCE("bodies",
         "impulses by sweeps: a brick on a slope sticks below the angle of friction and slides as it should above") {
  BodyModel block;
  block.shape = BoxBody{Vec3(0.4, 0.4, 0.1)}, block.mass = 2, block.inertia = inertia_of(*block.shape, 2);
  block.friction = 0.5;
  const GroundPlane ground{Vec3::Zero(), Vec3::UnitZ(), 1.0, 0.0};
  BodyCollisions collisions({&block, 1}, {&ground, 1});
  BodyState state;
  state.pose.position = Vec3(0, 0, 0.05 - 1e-9);
  std::vector<BodyContact> contacts;
  collisions.find({&state, 1}, contacts);
  ASSERT_EQ(contacts.size(), 4u);
  ContactConstants constants;
  constants.fastest_repair = 0.1, constants.slowest_bounce = 1e-3;
  for (const double angle : {0.40, 0.60}) {
    Motion motion;
    const Wrench weight{2 * 9.81 * Vec3(std::sin(angle), 0, -std::cos(angle)), Vec3::Zero()};
    ContactImpulses().solve(1e-3, constants, {&block, 1}, {&weight, 1}, {&state, 1}, contacts, {&motion, 1});
    const double slides = angle < 0.45 ? 0 : 1e-3 * 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
    EXPECT_NEAR(motion.linear.x(), slides, 1e-6) << angle;
    EXPECT_NEAR(motion.linear.z(), 0, 1e-6) << angle;
  }
}

}  // namespace
