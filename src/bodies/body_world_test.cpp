#include "bodies/body_world.h"

#include <cmath>
#include <cstring>

#include "math/rotation.h"
#include "testing/sentence.h"

using namespace tendril;

namespace {

BodyModel brick() {
  BodyModel body;
  body.mass = 2;
  body.inertia = Vec3(0.1, 0.25, 0.3);
  return body;
}
BodyState spinning() {
  BodyState state;
  state.pose.position = Vec3(0.3, -0.2, 1);
  state.pose.orientation = exp_quat(Vec3(0.4, -0.7, 0.2));
  state.motion.linear = Vec3(0.1, 0.2, -0.3);
  state.motion.angular = Vec3(3, -1, 2);
  return state;
}
Vec3 momentum(const BodyModel& b, const BodyState& s) {
  const Quat& q = s.pose.orientation;
  return q * b.inertia.cwiseProduct(q.conjugate() * s.motion.angular);
}
double energy(const BodyModel& b, const BodyState& s) {
  const Vec3 w = s.pose.orientation.conjugate() * s.motion.angular;
  return 0.5 * w.dot(b.inertia.cwiseProduct(w));
}
bool same_bits(const std::vector<BodyState>& a, const std::vector<BodyState>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i].pose.position == b[i].pose.position && a[i].motion.linear == b[i].motion.linear &&
                      a[i].pose.orientation.coeffs() == b[i].pose.orientation.coeffs() &&
                      a[i].motion.angular == b[i].motion.angular;
    if (!same) return false;
  }
  return true;
}

// Boxes, balls and a capsule that fall on each other and on the ground.
struct Heap {
  std::vector<BodyModel> bodies;
  std::vector<BodyState> states;
  std::vector<GroundPlane> grounds{{Vec3::Zero(), Vec3::UnitZ(), 0.6, 0.2}};
  std::vector<Wrench> wrenches;
  Heap() {
    for (int i = 0; i < 6; ++i) {
      BodyModel b;
      b.mass = 1, b.inertia = Vec3(0.01, 0.012, 0.015), b.friction = 0.5, b.restitution = 0.3;
      if (i % 3 == 0) b.shape = BoxBody{Vec3(0.3, 0.2, 0.1)};
      if (i % 3 == 1) b.shape = SphereBody{0.1};
      if (i % 3 == 2) b.shape = CapsuleBody{0.08, 0.2};
      BodyState s;
      s.pose = {Vec3(0.02 * i, 0.01 * i, 0.3 + 0.22 * i), exp_quat(Vec3(0.3 * i, 0.1, -0.2 * i))};
      bodies.push_back(b), states.push_back(s);
      wrenches.push_back({Vec3(0, 0, -9.81), Vec3::Zero()});
    }
  }
};

SENTENCE("bodies", "a brick laid across a capsule stays there") {
  BodyModel log, b = brick();
  log.kind = BodyKind::fixed, log.shape = CapsuleBody{0.2, 1}, log.friction = 0.5;
  b.shape = BoxBody{Vec3(0.2, 0.2, 0.1)}, b.inertia = Vec3(0.008, 0.008, 0.013), b.friction = 0.5;
  for (const bool first : {false, true}) {
    const std::vector<BodyModel> both = first ? std::vector{log, b} : std::vector{b, log};
    const auto world = make_ode_world(both, {});
    std::vector<BodyState> states(2);
    BodyState &lies = states[first ? 1 : 0], &carries = states[first ? 0 : 1];
    lies.pose.position = Vec3(0, 0, 0.25);
    carries.pose.orientation = Quat(std::sqrt(0.5), std::sqrt(0.5), 0, 0);  // along y
    std::vector<Wrench> weight(2);
    weight[first ? 1 : 0].force = Vec3(0, 0, -b.mass * 9.81);
    for (int i = 0; i < 2000; ++i) EXPECT_TRUE(world->step(1e-3, i, weight, states));
    EXPECT_LT((lies.pose.position - Vec3(0, 0, 0.25)).norm(), 1e-3);
    EXPECT_GT((lies.pose.orientation * Vec3::UnitZ()).z(), 0.9999);
  }
}

}  // namespace

SENTENCE("bodies", "a free body keeps its momenta to rounding, and turns with second order") {
  const BodyModel body = brick();
  const auto run = [&](double dt) {
    const auto world = make_ode_world({&body, 1}, {});
    std::vector<BodyState> state{spinning()};
    const std::vector<Wrench> none(1);
    const Vec3 L = momentum(body, state[0]);
    for (int i = 0; i < static_cast<int>(std::round(2 / dt)); ++i) EXPECT_TRUE(world->step(dt, i, none, state));
    EXPECT_LT((momentum(body, state[0]) - L).norm(), 1e-15 * (2 / dt) * L.norm());
    EXPECT_EQ(state[0].motion.linear, spinning().motion.linear);
    EXPECT_LT((state[0].pose.position - spinning().pose.position - 2 * spinning().motion.linear).norm(), 1e-12);
    EXPECT_NEAR(energy(body, state[0]) / energy(body, spinning()), 1, 20 * dt * dt);
    return state[0].pose.orientation;
  };
  const Quat exact = run(1e-4), coarse = run(8e-3), fine = run(4e-3);
  const double a = log_rotation(coarse * exact.conjugate()).norm(), b = log_rotation(fine * exact.conjugate()).norm();
  EXPECT_GT(a, 1e-6);
  EXPECT_NEAR(std::log2(a / b), 2, 0.1);
}

SENTENCE("bodies", "forces and moments act as in Newton's and Euler's laws") {
  const BodyModel body = brick();
  const auto world = make_ode_world({&body, 1}, {});
  std::vector<BodyState> state(1);
  const std::vector<Wrench> push{{Vec3(4, 0, 0), Vec3(0, 0, 0.6)}};
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(world->step(0.01, i, push, state));
  EXPECT_NEAR(state[0].motion.linear.x(), 2, 1e-12);
  EXPECT_NEAR(state[0].motion.angular.z(), 2, 1e-12);
  EXPECT_NEAR(state[0].pose.position.x(), 1 + 0.01, 1e-12);  // symplectic Euler: half a step ahead
  EXPECT_NEAR(log_rotation(state[0].pose.orientation).z(), 1 + 0.01, 1e-12);
}

SENTENCE("bodies", "a guided body slides along and turns about its axis only; driven and fixed ones are not moved") {
  BodyModel guided = brick(), driven = brick(), fixed = brick();
  guided.kind = BodyKind::guided, guided.axis = Vec3(0, 0.6, 0.8);
  driven.kind = BodyKind::driven, fixed.kind = BodyKind::fixed;
  const BodyModel bodies[] = {guided, driven, fixed};
  const auto world = make_ode_world(bodies, {});
  std::vector<BodyState> state(3);
  state[1].motion = {Vec3(1, 0, 0), Vec3(0, 0, 2)};
  const std::vector<Wrench> push(3, {Vec3(1, 2, 3), Vec3(0.1, 0.2, 0.3)});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(world->step(0.01, i, push, state));
  const double sum = 0.5 * (1 + 0.01);
  EXPECT_LT((state[0].pose.position - (sum * (1.2 + 2.4) / 2) * guided.axis).norm(), 1e-12);
  const double inertia = guided.axis.dot(guided.inertia.cwiseProduct(guided.axis));
  EXPECT_LT((log_rotation(state[0].pose.orientation) - (sum * 0.36 / inertia) * guided.axis).norm(), 1e-9);
  EXPECT_LT((state[1].pose.position - Vec3(1, 0, 0)).norm(), 1e-12);
  EXPECT_NEAR(log_rotation(state[1].pose.orientation).z(), 2, 1e-9);
  EXPECT_EQ(state[2].pose.position, Vec3::Zero());
}

SENTENCE("bodies", "bodies of every shape fall on each other and on the ground, where boxes come to rest") {
  Heap heap;
  const auto world = make_ode_world(heap.bodies, heap.grounds);
  bool touched = false;
  for (int i = 0; i < 6000; ++i) {
    EXPECT_TRUE(world->step(1e-3, i, heap.wrenches, heap.states));
    touched = touched || !world->contacts().empty();
  }
  EXPECT_TRUE(touched);
  for (std::size_t i = 0; i < 6; ++i) {
    const BodyState& s = heap.states[i];
    EXPECT_GT(s.pose.position.z(), 0.045);  // half of the thinnest
    EXPECT_LT(std::abs(s.motion.linear.z()), 1e-2);
    if (i % 3 == 0) {
      EXPECT_LT(s.motion.linear.norm(), 1e-2);  // the others may roll
    }
  }
}

SENTENCE("bodies", "a brick on a slope stays below the angle of friction and slides above it") {
  for (const double angle : {0.40, 0.60}) {  // tan: 0.423, 0.684
    BodyModel b = brick();
    b.shape = BoxBody{Vec3(0.4, 0.4, 0.1)}, b.inertia = Vec3(0.03, 0.03, 0.05), b.friction = 0.5;
    const GroundPlane ground{Vec3::Zero(), Vec3::UnitZ(), 1.0, 0.0};
    const auto world = make_ode_world({&b, 1}, {&ground, 1});
    std::vector<BodyState> state(1);
    state[0].pose.position = Vec3(0, 0, 0.05);
    const std::vector<Wrench> weight{{2 * 9.81 * Vec3(std::sin(angle), 0, -std::cos(angle)), Vec3::Zero()}};
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(world->step(1e-3, i, weight, state));
    const double slides = 0.5 * 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
    if (angle < 0.45) {
      EXPECT_LT(state[0].pose.position.x(), 1e-3);
    } else {
      EXPECT_NEAR(state[0].pose.position.x(), slides, 0.02 * slides);
    }
  }
}

SENTENCE("bodies", "the outcome depends on the states alone, bit for bit: another world goes on where one stopped") {
  Heap heap;
  const auto world = make_ode_world(heap.bodies, heap.grounds);
  std::vector<BodyState> middle;
  for (int i = 0; i < 1500; ++i) {
    if (i == 700) middle = heap.states;
    EXPECT_TRUE(world->step(1e-3, i, heap.wrenches, heap.states));
  }
  const auto other = make_ode_world(heap.bodies, heap.grounds);
  Heap elsewhere;  // the other world has a past of its own
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(other->step(1.3e-3, 9 * i, elsewhere.wrenches, elsewhere.states));
  for (int i = 700; i < 1500; ++i) EXPECT_TRUE(other->step(1e-3, i, heap.wrenches, middle));
  EXPECT_TRUE(same_bits(middle, heap.states));
  const auto ignoring = make_ode_world(heap.bodies, heap.grounds);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j) ignoring->ignore_pair(i, j);
  Heap through;
  for (int i = 0; i < 1500; ++i) EXPECT_TRUE(ignoring->step(1e-3, i, through.wrenches, through.states));
  EXPECT_FALSE(same_bits(through.states, heap.states));
}
