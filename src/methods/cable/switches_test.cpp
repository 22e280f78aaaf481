#include "methods/cable/switches.h"

#include "methods/cable/cable.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::switches_testing {
namespace {

using namespace small_rods;

constexpr double g = 9.81, h = 1.0 / 240;

Settings plain() {
  Settings s;
  s.averaged = true, s.extra_damping = 0.1;
  return s;
}
struct Runner {  // steps of h, with a switch
  explicit Runner(const Scene& scene) : method(model_of(scene), plain()) {}
  void run(double until) {
    for (; time < until - 0.5 * h; time += h) ASSERT_EQ(method.step(time, h, live).outcome, Outcome::fine) << time;
    method.write(frame);
  }
  void set(int joint, bool on) {
    for (JointSwitch& s : live.joints)
      if (s.joint == joint) return void(s.on = on);
    live.joints.add({joint, on});
  }
  double energy_error() const { return frame.own_energy.total() - frame.flow.work() + frame.flow.dissipated(); }
  Cable method;
  Live live;
  Frame frame;
  double time = 0;
};
Scene hanging_body() {
  Scene scene = one_rod(line, 4);
  add_clamp(scene, 0);
  scene.rods[0].rest = StraightCurve{Vec3(5, 0, 0), Vec3(6, 0, 0)};
  scene.bodies = {body_at("load", Vec3(0, 0, -0.3), 2, Vec3(0.02, 0.03, 0.04))};
  scene.joints = {join(JointKind::ball, on_body("load"), on_world())};
  scene.joints[0].point = Vec3::Zero();
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  return scene;
}

SENTENCE("cable", "a joint that is switched off drops its load; switched on again it holds it where it is then") {
  Runner run(hanging_body());
  run.run(0.5);
  EXPECT_LT((run.frame.bodies[0].pose.position - Vec3(0, 0, -0.3)).norm(), 1e-9);
  run.set(0, false);
  run.run(0.7);
  const double dropped = -0.3 - run.frame.bodies[0].pose.position.z();
  EXPECT_NEAR(dropped, 0.5 * g * 0.2 * 0.2, 0.02 * g * 0.2);
  run.set(0, true);
  const double before = run.energy_error();
  run.run(0.7 + h);
  const double there = run.frame.bodies[0].pose.position.z();
  run.run(2);
  EXPECT_NEAR(run.frame.bodies[0].pose.position.z(), there, 1e-9);
  EXPECT_LT(run.frame.bodies[0].motion.linear.norm(), 1e-9);
  // It met the joint with the velocity of its fall.
  const double fall = g * 0.2;
  EXPECT_NEAR(run.frame.flow.impacts, 0.5 * 2 * fall * fall, 0.03 * fall * fall);
  EXPECT_NEAR(run.energy_error(), before, 0.03 * fall * fall);
}

std::size_t hook_joint(const Cable& method) {
  for (std::size_t j = 0; j < method.parts().joints.size(); ++j)
    if (method.parts().joints[j].point_joint >= 0) return j;
  return 0;
}

SENTENCE("cable", "a hook waits until its points are near, draws them together softly, and holds what it has") {
  Scene scene = hanging_body();
  scene.loads.clear();
  scene.joints.clear();
  RigidBody crane = body_at("crane", Vec3(0, 0, 0.2), 1, Vec3(1, 1, 1));
  crane.kind = BodyKind::driven;
  crane.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, -0.08)}, {2.2, Vec3(0, 0, -0.08)}, {3.2, Vec3(0, 0, 0.3)}};
  scene.bodies.push_back(crane);
  tendril::Joint hook = join(JointKind::ball, on_body("crane"), on_body("load"));
  hook.a.point = Vec3(0, 0, -0.1), hook.b.point = Vec3(0, 0, 0.3), hook.reach = 0.03, hook.from = forever;
  scene.joints.push_back(hook);
  Runner run(scene);
  const auto distance = [&] {
    const Vec3 eye = run.frame.bodies[0].pose.position + run.frame.bodies[0].pose.orientation * Vec3(0, 0, 0.3);
    return (eye - (run.frame.bodies[1].pose.position - Vec3(0, 0, 0.1))).norm();
  };
  const auto force = [&] { return run.method.state().force[hook_joint(run.method)].norm(); };
  run.set(0, true);
  run.run(0.3);
  EXPECT_FALSE(run.method.state().point_on[hook_joint(run.method)]);  // not near yet
  run.set(0, false);
  run.run(1.2);
  EXPECT_NEAR(distance(), 0.02, 1e-9);
  run.set(0, true);
  run.run(1.2 + h);
  EXPECT_TRUE(run.method.state().point_on[hook_joint(run.method)]);
  double largest = 0;
  while (run.time < 2) {
    run.run(run.time + h);
    largest = std::max(largest, force());
  }
  EXPECT_LT(largest, 1.01 * 20 * 20 * 2 * 0.02);  // that of its spring
  EXPECT_LT(distance(), 0.02 * 0.03 + 1e-9);
  const double left = distance();
  while (run.time < 3.5) {
    run.run(run.time + h);
    largest = std::max(largest, force());
  }
  EXPECT_NEAR(distance(), left, 1e-6);  // firmly
  EXPECT_NEAR(run.frame.bodies[0].pose.position.z(), 0.1, 1e-3);
  EXPECT_LT(largest, 20 * 20 * 2 * 0.02);  // lifting takes 2.3 m/s^2, 4.6 N
  // Of what its spring held; rows of points are implicit, of first order in the step (rate times step: 0.08).
  EXPECT_LT(std::abs(run.energy_error()), 0.15 * 0.5 * 20 * 20 * 2 * 0.02 * 0.02);
}

SENTENCE("cable", "a body on a slider goes down its rail with g sin, does not turn, and leaves momentum alone") {
  Scene scene = hanging_body();
  scene.joints[0].kind = JointKind::slider, scene.joints[0].axis = Vec3(0.6, 0, -0.8),
  scene.joints[0].point = Vec3(0.3, 0.2, 0.1);
  Runner run(scene);
  run.run(1);
  const Vec3 way = 0.5 * g * 0.8 * Vec3(0.6, 0, -0.8);
  EXPECT_LT((run.frame.bodies[0].pose.position - Vec3(0, 0, -0.3) - way).norm(), 1e-6);
  EXPECT_LT(run.frame.bodies[0].motion.angular.norm(), 1e-9);
  EXPECT_LT((run.frame.bodies[0].motion.linear - 2 * way).norm(), 1e-6);

  // Two bodies on one rail, thrown: both momenta are kept.
  scene.loads.clear();
  scene.bodies[0].velocity = Vec3(0.3, -0.2, 0.5), scene.bodies[0].angular_velocity = Vec3(0, 0, 0);
  scene.bodies.push_back(body_at("other", Vec3(0.4, 0.3, 0), 1.5, Vec3(0.05, 0.04, 0.03)));
  scene.joints[0].b = on_body("other");
  Settings paper = plain();
  paper.geometric = false;
  Cable method(model_of(scene), paper);
  const auto momenta = [&] {
    const State& s = method.state();
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t e = z(method.parts().first_body) + i;
      const double m = method.parts().elements[e].mass;
      linear += m * s.v[e], angular += m * (s.x[e] - h * s.v[e]).cross(s.v[e]) + s.momentum[e];
    }
    return std::pair(linear, angular);
  };
  std::ignore = method.step(0, h, {});
  const auto start = momenta();
  for (int i = 1; i < 500; ++i) ASSERT_EQ(method.step(i * h, h, {}).outcome, Outcome::fine);
  EXPECT_LT((momenta().first - start.first).norm(), 1e-12);
  EXPECT_LT((momenta().second - start.second).norm(), 1e-10);
}

SENTENCE("cable", "a weld of rods that comes and goes has rows of its own: it bends as a weld, and lets go of everything") {
  Scene scene;
  scene.rods = {rod_between("rod", Vec3::Zero(), Vec3(0.5, 0, 0), 8), rod_between("tip", Vec3(0.5, 0, 0), Vec3(1, 0, 0), 8)};
  add_clamp(scene, 0);
  scene.joints = {join(JointKind::rigid, on_rod("rod", 1), on_rod("tip", 0))};
  scene.loads = {GravityLoad{Vec3(0, 0, -0.5)}};
  for (Rod& rod : scene.rods) rod.damping.mass = 4;
  const auto tip = [&] {
    Runner run(scene);
    run.run(1.5);
    return run.frame.position[NodeIndex(17)];
  };
  const Vec3 welded = tip();
  scene.joints[0].until = 1.6;
  EXPECT_LT((tip() - welded).norm(), 0.01 * std::abs(welded.z()));
  EXPECT_LT(welded.z(), -0.03);
  Runner run(scene);
  run.run(2);
  EXPECT_GT((run.frame.position[NodeIndex(8)] - run.frame.position[NodeIndex(9)]).norm(), 0.01);
}

SENTENCE("cable", "where two joints hold one point the other goes on when the first lets go") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)}, 6);
  add_clamp(scene, 0);
  scene.bodies = {body_at("load", Vec3(0, 0, -1), 2, Vec3(0.02, 0.02, 0.02))};
  scene.joints = {join(JointKind::ball, on_rod("rod", 1), on_body("load")),
                  join(JointKind::ball, on_body("load"), on_rod("rod", 1))};
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  Runner run(scene);
  ASSERT_EQ(run.method.parts().ties.size(), 2u);
  run.run(0.1);
  run.set(0, false);
  run.run(0.3);
  EXPECT_LT((run.frame.bodies[0].pose.position - Vec3(0, 0, -1)).norm(), 1e-4);
  run.set(1, false);
  run.run(0.5);
  EXPECT_LT(run.frame.bodies[0].pose.position.z(), -1.1);
}

}  // namespace
}  // namespace tendril::cable::switches_testing
