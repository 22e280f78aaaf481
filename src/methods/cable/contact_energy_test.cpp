// Contact in the balance of energy; friction that brakes; straight ropes that are pressed.
#include "methods/cable/cable.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::contact_energy_test {
namespace {

using namespace small_rods;

constexpr double h = 1.0 / 60, g = 10, r = 0.01;

Scene on_ground(Scene scene, double friction) {
  scene.contact.enabled = true, scene.contact.friction = friction;
  add_shape(scene, HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()});
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -g)});
  return scene;
}
RigidBody box(const std::string& name, const Vec3& place, double mass, double size) {
  RigidBody body = body_at(name, place, mass, Vec3::Constant(mass * size * size / 6));
  body.shape = BoxBody{Vec3::Constant(size)}, body.friction = 0.3;
  return body;
}
struct Run {
  explicit Run(const Scene& scene, double dt = h) : method(model_of(scene), settings()), step(dt) {
    method.write(frame);
    start = frame.own_energy.total();
  }
  static Settings settings() {
    Settings s;
    s.averaged = true, s.extra_damping = 0.1;
    return s;
  }
  // For some seconds; `look` at every frame.
  template <class F>
  void go(double seconds, const F& look) {
    for (const double end = time + seconds; time < end - 0.5 * step; time += step) {
      const StepReport report = method.step(time, step, {});
      ASSERT_EQ(report.outcome, Outcome::fine) << time;
      gap = std::max(gap, report.residual);
      method.write(frame);
      look();
    }
  }
  double error() const { return frame.own_energy.total() - start - frame.flow.work() + frame.flow.dissipated(); }
  Cable method;
  Frame frame;
  double step, time = 0, start = 0, gap = 0;
};
// A rope aside that has no part in it.
Scene beside() {
  Scene scene = one_rod(StraightCurve{Vec3(0, 9, 5), Vec3(0, 9, 4)}, 2);
  add_clamp(scene, 0, {Hold::position});
  return scene;
}

SENTENCE("cable", "a load that falls and comes to rest leaves nothing in the balance, at any frame") {
  Scene scene = beside();
  scene.bodies = {box("load", Vec3(0, 0, 0.33), 1500, 0.6)};
  Run run(on_ground(scene, 0.3));
  double fallen = 0;
  run.go(2, [&] {
    ASSERT_LT(std::abs(run.error()), 1e-6) << run.time << " s, of 450 J";
    fallen = std::max(fallen, run.frame.own_energy.kinetic);
  });
  EXPECT_GT(fallen, 300);
  EXPECT_LT(run.frame.bodies[0].motion.linear.norm(), 1e-3);
  EXPECT_GT(run.frame.flow.impacts, 400);
  EXPECT_LT(std::abs(run.frame.flow.friction), 1e-12);
}

SENTENCE("cable", "a body shows the velocity after a blow, not that of the forces that act no more") {
  Scene scene = beside();
  scene.bodies = {box("load", Vec3(0, 0, 0.31), 1500, 0.6)};
  Run run(on_ground(scene, 0.3));
  double lowest = 0;  // after it has touched
  run.go(0.5, [&] {
    if (run.frame.flow.impacts > 1 && run.time > 0.07) lowest = std::min(lowest, run.frame.bodies[0].motion.linear.z());
  });
  EXPECT_GT(lowest, -0.25 * g * h);  // it was g h/2 for two frames
}

SENTENCE("cable", "a rope and a box that slide along the ground are braked by mu g, with any number of segments") {
  for (const int segments : {2, 5, 10, 20, 40}) {
    Scene scene = one_rod(StraightCurve{Vec3(0, 0, r), Vec3(1, 0, r)}, segments);
    scene.rods[0].velocity = Vec3(1, 0, 0);
    scene.bodies = {box("load", Vec3(0, 5, 0.1), 4, 0.2)};
    scene.bodies[0].velocity = Vec3(1, 0, 0);
    Run run(on_ground(scene, 0.3), 0.002);
    run.go(0.6, [] {});
    EXPECT_NEAR(run.frame.position[NodeIndex(0)].x(), 1 / (2 * 0.3 * g), 5e-4) << segments;
    EXPECT_NEAR(run.frame.bodies[0].pose.position.x(), 1 / (2 * 0.3 * g), 5e-4);
    EXPECT_NEAR(run.frame.flow.friction, 0.5 * (1 + 4), 0.02) << segments;
    // They settle by the overlap that keeps contacts: half a per cent of their sizes.
    EXPECT_NEAR(run.frame.flow.impacts, g * resting_overlap * (4 * 0.1 + 1 * r), 2e-4) << segments;
  }
}

SENTENCE("cable", "a straight rope that is lowered onto a load bows: it neither comes apart nor pushes the load about") {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 3), Vec3(0, 0, 1)}, 20, plain_section(0.5, 0.5, 0.4));
  scene.bodies = {box("load", Vec3(0, 0, 0.3), 1500, 0.6), box("hook", Vec3(0, 0, 0.9), 20, 0.2)};
  scene.joints = {join(JointKind::ball, on_rod("rod", 1), on_body("hook"))};
  add_clamp(scene, 0, {Hold::position}).move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, -0.5)}, {2, Vec3(0, 0, -0.5)}};
  Run run(on_ground(scene, 0.3), 1.0 / 240);
  double moved = 0;
  run.go(2, [&] { moved = std::max(moved, (run.frame.bodies[0].pose.position - Vec3(0, 0, 0.3)).norm()); });
  EXPECT_LT(run.gap, 0.05);
  EXPECT_LT(moved, 0.01);
  EXPECT_LT(run.frame.flow.impacts, 0.1 * 1500 * g * 0.1);  // [J] what would lift the load by a centimetre
  double aside = 0;
  for (const Vec3& x : run.frame.position) aside = std::max(aside, x.head<2>().norm());
  EXPECT_GT(aside, 0.1);  // by which half a metre of rope has its place
}

}  // namespace
}  // namespace tendril::cable::contact_energy_test
