#include "methods/cable/contacts.h"

#include <functional>

#include "math/rotation.h"
#include "methods/cable/cable.h"
#include "testing/allocation_count.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::contact_test {
namespace {

using namespace small_rods;

constexpr double h = 1.0 / 60, r = 0.01;

// On the ground z = 0, unless something else is added.
Scene touching(Scene scene, double friction) {
  scene.contact.enabled = true, scene.contact.friction = friction;
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -10)});
  return scene;
}
Scene on_ground(Scene scene, double friction, const Vec3& normal = Vec3::UnitZ()) {
  add_shape(scene, HalfSpaceShape{Vec3::Zero(), normal});
  return touching(std::move(scene), friction);
}
Settings plain() {
  Settings s;
  s.averaged = true, s.extra_damping = 0.1;
  return s;
}

struct Run {
  explicit Run(const Scene& scene) : method(model_of(scene), plain()) { method.write(frame); }
  void go(double duration) {
    for (double until = time + duration; time < until - 0.5 * step; time += step) {
      const StepReport report = method.step(time, step, {});
      ASSERT_EQ(report.outcome, Outcome::fine) << time << " s, cause " << static_cast<int>(report.cause);
      deepest = std::max(deepest, report.penetration), solves += report.iterations, ++steps;
      method.write(frame);
      if (watch) watch(frame);
    }
  }
  double fastest() const {
    double most = 0;
    for (const Vec3& v : frame.velocity) most = std::max(most, v.norm());
    return most;
  }
  Vec3 force() const {
    Vec3 sum = Vec3::Zero();
    for (const ContactPoint& p : frame.contacts) sum += p.force;
    return sum;
  }
  // Energy that came from nowhere.
  double error(const Frame& start) const {
    return frame.own_energy.total() - start.own_energy.total() - frame.flow.work() + frame.flow.dissipated();
  }
  Cable method;
  Frame frame;
  double time = 0, deepest = 0, step = h;
  int solves = 0, steps = 0;
  std::function<void(const Frame&)> watch;
};

SENTENCE("cable", "a contact's row in the answer of an element is its spring solved together with the element's mass") {
  Random random(3);
  Response e;
  e.linear = 0.7 * Mat3::Identity();
  const Mat3 a = Mat3::Identity() + 0.3 * skew(random.vector(1));
  e.angular = 30 * a * a.transpose();
  e.y = random.vector(1), e.y_spin = random.vector(1);
  Eigen::Matrix<double, 6, 6> W = Eigen::Matrix<double, 6, 6>::Zero();
  W.topLeftCorner<3, 3>() = e.linear, W.bottomRightCorner<3, 3>() = e.angular;
  Vector6 y;
  y << e.y, e.y_spin;
  Eigen::Matrix<double, 6, 6> stiff = W.inverse();
  Vector6 push = stiff * y;
  const double kick = 0.01;
  for (int k = 0; k < 4; ++k) {
    const Vec3 d = random.vector(1).normalized(), arm = random.vector(0.2);
    const double D = 100 * (k + 1), b = 3 - k;
    Vector6 J;
    J << d, arm.cross(d);
    stiff += kick * D * J * J.transpose(), push += kick * b * J;
    add_row(d, arm, D, b, kick, e);
  }
  const Eigen::Matrix<double, 6, 6> inverse = stiff.inverse();
  EXPECT_LT((inverse.topLeftCorner<3, 3>() - e.linear).norm(), 1e-12);
  EXPECT_LT((inverse.topRightCorner<3, 3>() - e.mixed).norm(), 1e-11);
  EXPECT_LT((inverse.bottomRightCorner<3, 3>() - e.angular).norm(), 1e-10);
  const Vector6 v = inverse * push;
  EXPECT_LT((v.head<3>() - e.y).norm(), 1e-12);
  EXPECT_LT((v.tail<3>() - e.y_spin).norm(), 1e-11);
}

SENTENCE("cable", "a rope that is laid on the ground rests there: forces carry its weight, nothing moves") {
  Run run(on_ground(one_rod(StraightCurve{Vec3(0, 0, 1.5 * r), Vec3(1, 0, 1.5 * r)}, 12), 0.3));
  run.go(2);
  EXPECT_NEAR(run.force().z(), 10, 1e-6);
  EXPECT_LT(run.force().head<2>().norm(), 1e-6);
  EXPECT_LT(run.fastest(), 1e-6);
  EXPECT_LT(run.deepest, 0.05);
  EXPECT_GE(run.frame.contacts.size(), 12u);
  EXPECT_EQ(run.frame.contacts[0].obstacle_b, 0);
  EXPECT_LT(run.solves, 3 * run.steps);
}

SENTENCE("cable", "a rope holds on a slope below the friction angle and slides above it with g (sin - mu cos)") {
  const double mu = 0.5;
  for (const double share : {0.9, 1.1}) {
    const double angle = std::atan(share * mu);
    const Vec3 normal(std::sin(angle), 0, std::cos(angle)), down(std::cos(angle), 0, -std::sin(angle));
    Run run(on_ground(one_rod(StraightCurve{r * normal, r * normal + down}, 10), mu, normal));
    run.go(1);
    const Vec3 place = run.frame.position[NodeIndex(5)], velocity = run.frame.velocity[NodeIndex(5)];
    run.go(2);
    const Vec3 moved = run.frame.position[NodeIndex(5)] - place;
    if (share < 1) {
      EXPECT_LT(moved.norm(), 1e-7);
    } else {
      EXPECT_NEAR((run.frame.velocity[NodeIndex(5)] - velocity).dot(down) / 2, 10 * (std::sin(angle) - mu * std::cos(angle)),
                  1e-3);
    }
  }
}

SENTENCE("cable", "a rope shot at a thin plate does not pass through it") {
  for (const double speed : {5.0, 50.0, 300.0}) {
    Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0.3), Vec3(0.5, 0.1, 0.3)}, 12);
    scene.rods[0].velocity = Vec3(0, 0, -speed);
    add_shape(scene, BoxShape{Vec3::Zero(), Vec3(4, 4, 0.001)});
    scene = touching(scene, 0.2);
    Run run(scene);
    run.watch = [&](const Frame& frame) {
      for (const Vec3& x : frame.position) ASSERT_GT(x.z(), 0.0005 + 0.5 * r) << speed;
    };
    run.go(0.5);
    EXPECT_LT(run.deepest, 0.5) << speed;
  }
}

SENTENCE("cable", "two ropes that fly at each other crosswise do not pass through each other and keep their momentum") {
  Scene scene;
  scene.rods = {rod_between("lower", Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0), 9),
                rod_between("upper", Vec3(0.04, -0.5, 0.2), Vec3(0.04, 0.5, 0.2), 9)};
  scene.rods[1].velocity = Vec3(0, 0, -5);
  scene.contact.enabled = true, scene.contact.friction = 0.3;
  Run run(scene);
  double met = 0;
  run.watch = [&](const Frame& frame) {
    met += static_cast<double>(frame.contacts.size());
    // Where they cross: the upper one at y = 0, the lower one at the x of that.
    const auto on = [&](int first, int axis, double at) {
      for (int k = first; k < first + 9; ++k) {
        const Vec3 &p = frame.position[NodeIndex(k)], &q = frame.position[NodeIndex(k + 1)];
        if ((p[axis] - at) * (q[axis] - at) <= 0) return Vec3(p + (at - p[axis]) / (q[axis] - p[axis]) * (q - p));
      }
      return Vec3(Vec3::Constant(NAN));
    };
    const Vec3 upper = on(10, 1, 0);
    const double above = upper.z() - on(0, 0, upper.x()).z();
    ASSERT_GT(above, 0);
  };
  run.go(0.1);
  EXPECT_GT(met, 0);
  Vec3 momentum = Vec3::Zero();
  for (std::size_t e = 0; e < 18; ++e) momentum += run.method.parts().elements[e].mass * run.method.state().v[e];
  EXPECT_LT((momentum - Vec3(0, 0, -5)).norm(), 1e-9);
  EXPECT_LT(run.deepest, 0.5);
}

SENTENCE("cable", "a load set down on the ground stands there, and its rope slackens") {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 2), Vec3(0, 0, 1)}, 12, plain_section(1e-2, 1e-2, 1e-2));
  scene.rods[0].initial_noise = 1e-3;
  RigidBody load = body_at("load", Vec3(0, 0, 0.8), 50, Vec3::Constant(2));
  load.shape = BoxBody{Vec3(0.4, 0.4, 0.4)}, load.friction = 0.5;
  scene.bodies = {load};
  scene.joints = {join(JointKind::ball, on_rod("rod", 1), on_body("load"))};
  add_clamp(scene, 0, {Hold::position}).move.keys = {{0, Vec3::Zero()}, {2, Vec3(0, 0, -1)}};
  Run run(on_ground(scene, 0.5));
  run.go(0.5);
  EXPECT_NEAR(run.frame.reactions[0].force.z(), 51 * (10 - 0.75), 5);  // it begins to move
  run.go(4);
  EXPECT_NEAR(run.frame.bodies[0].pose.position.z(), 0.2, 0.002);
  EXPECT_LT(run.frame.bodies[0].motion.linear.norm(), 1e-4);
  EXPECT_LT(run.frame.reactions[0].force.norm(), 15);
}

SENTENCE("cable", "boxes stand on each other, and hold on a slope below the friction angle") {
  for (const double share : {0.0, 0.5}) {
    const double angle = std::atan(share * 0.5);
    Scene scene = one_rod(StraightCurve{Vec3(0, 3, 2), Vec3(1, 3, 2)}, 2);
    add_clamp(scene, 0);
    const Vec3 normal(std::sin(angle), 0, std::cos(angle));
    for (int i = 0; i < 3; ++i) {
      RigidBody box = body_at("box" + std::to_string(i), (0.1 + 0.201 * i) * normal, 4, Vec3::Constant(4 * 0.04 / 6));
      box.shape = BoxBody{Vec3(0.2, 0.2, 0.2)}, box.friction = 0.5, box.orientation = Vec3(0, angle, 0);
      scene.bodies.push_back(box);
    }
    Run run(on_ground(scene, 0.5, normal));
    run.go(1);
    const std::vector<BodyState> settled = run.frame.bodies;
    run.go(2);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(run.frame.bodies[z(i)].pose.position.dot(normal), 0.1 + 0.2 * i, 0.004) << i;
      EXPECT_LT((run.frame.bodies[z(i)].pose.position - settled[z(i)].pose.position).norm(), 1e-4) << i;
    }
  }
}

SENTENCE("cable", "an obstacle that moves carries a rope with it, and its work is in the balance") {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 0.1 + r), Vec3(1, 0, 0.1 + r)}, 10);
  Obstacle& plate = add_shape(scene, BoxShape{Vec3(0.5, 0, 0), Vec3(4, 4, 0.2)});
  plate.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0.3, 0, 0.2)}, {2, Vec3(0.6, 0, 0.2)}};
  scene = touching(scene, 0.5);
  Run run(scene);
  const Frame start = run.frame;
  run.go(3);
  EXPECT_NEAR(run.frame.position[NodeIndex(0)].x(), 0.6, 1e-3);
  EXPECT_NEAR(run.frame.position[NodeIndex(0)].z(), 0.3 + r, 1e-3);
  EXPECT_NEAR(run.frame.flow.obstacles, 10 * 0.2, 0.05);
  EXPECT_LT(std::abs(run.error(start)), 0.02);
}

SENTENCE(
    "cable",
    "energy that a falling rope loses is in the balance, as impacts and friction; what is missing falls with the step") {
  // What is missing are waves that the impacts make and steps do not resolve: the scheme's damping, never a gain.
  double before = -3.2;  // [J] of 8
  for (const double step : {1 / 60.0, 1 / 240.0, 1 / 960.0}) {
    Run run(on_ground(one_rod(StraightCurve{Vec3(0, 0, 0.5), Vec3(0.8, 0, 1.1)}, 12), 0.4));
    run.step = step;
    const Frame start = run.frame;
    run.go(3);
    EXPECT_LT(run.fastest(), 1e-3);
    EXPECT_GT(run.frame.flow.impacts + run.frame.flow.friction, 5.5);
    EXPECT_GT(run.error(start), 0.75 * before) << step;
    EXPECT_LT(run.error(start), 0.01) << step;
    EXPECT_LT(run.deepest, 0.05) << step;
    before = run.error(start);
  }
}

SENTENCE("cable", "a state that was saved while things touch goes on with the same bits") {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 0.3), Vec3(0.8, 0, 0.9)}, 12);
  RigidBody ball = body_at("ball", Vec3(0.4, 0, 0.2), 1, Vec3::Constant(0.004));
  ball.shape = SphereBody{0.1}, ball.friction = 0.5;
  scene.bodies = {ball};
  scene = on_ground(scene, 0.4);
  Run one(scene), two(scene);
  one.go(0.5);
  StateWriter writer;
  one.method.visit_state(writer);
  StateReader reader(writer.buffer());
  two.method.visit_state(reader);
  two.time = one.time;
  one.go(0.5), two.go(0.5);
  for (int k = 0; k <= 12; ++k) EXPECT_EQ(one.frame.position[NodeIndex(k)], two.frame.position[NodeIndex(k)]);
  EXPECT_EQ(one.frame.bodies[0].pose.position, two.frame.bodies[0].pose.position);
}

SENTENCE("cable", "a step in which things touch allocates nothing") {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 0.02), Vec3(1, 0, 0.05)}, 12);
  scene.rods.push_back(rod_between("second", Vec3(0.5, -0.5, 0.08), Vec3(0.5, 0.5, 0.08), 12));
  Run run(on_ground(scene, 0.4));
  run.go(2);
  const AllocationCount allocations;
  for (int i = 0; i < 60; ++i) std::ignore = run.method.step(run.time + i * h, h, {});
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace tendril::cable::contact_test
