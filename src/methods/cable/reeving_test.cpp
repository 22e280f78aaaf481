#include "methods/cable/reeving.h"

#include "methods/cable/cable.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::reeving_testing {
namespace {

using namespace small_rods;

constexpr double g = 9.81, h = 1.0 / 60;

StiffnessSection wire(double EA, double line_mass) {
  StiffnessSection s;
  s.EA = EA, s.EI1 = s.EI2 = 1, s.GJ = 1, s.mass_per_length = line_mass, s.radius = 0.01;
  return s;
}
// A rope through `points`; those in `bodies` are fixed to them.
Scene reeved(const std::vector<Vec3>& points, const std::vector<std::string>& bodies, double EA, double line_mass) {
  Scene scene;
  PolylineCurve curve;
  curve.points = points;
  Rod rope = small_rod("rope", curve, 1, wire(EA, line_mass));
  rope.segments.reset();
  rope.stretch = EA > 0 ? Give::elastic : Give::none;
  scene.rods = {rope};
  Reeving reeving;
  reeving.name = "tackle", reeving.rod = "rope", reeving.points.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) reeving.points[i].body = bodies[i];
  scene.reevings = {reeving};
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  return scene;
}
struct Runner {
  explicit Runner(const Scene& scene, double step = h) : method(model_of(scene), settings()), dt(step) {
    method.write(frame);
    start = frame.own_energy.total();
  }
  static Settings settings() {
    Settings s;
    s.averaged = true, s.extra_damping = 0.1;
    return s;
  }
  void run(double until) {
    for (; time < until - 0.5 * dt; time += dt) ASSERT_EQ(method.step(time, dt, live).outcome, Outcome::fine) << time;
    method.write(frame);
  }
  double tension(int fall) const { return frame.force[EdgeIndex(fall)].norm(); }
  double energy_error() const { return frame.own_energy.total() - start - frame.flow.work() + frame.flow.dissipated(); }
  Cable method;
  Live live;
  Frame frame;
  double time = 0, dt, start = 0;
};
SENTENCE("cable", "a rope over a sheave moves two weights as Atwood's machine does, sheave and rope taking part") {
  // Straight down: the sheave's point far above them all, so that falls stay upright to 1e-4.
  Scene scene = reeved({Vec3(-0.1, 0, -10), Vec3(0, 0, 0), Vec3(0.1, 0, -12)}, {"light", "", "heavy"}, 0, 0.02);
  scene.bodies = {body_at("light", Vec3(-0.1, 0, -10), 3, Vec3(0.1, 0.1, 0.1)),
                  body_at("heavy", Vec3(0.1, 0, -12), 5, Vec3(0.1, 0.1, 0.1))};
  for (RigidBody& body : scene.bodies) body.kind = BodyKind::guided, body.axis = Vec3::UnitZ();
  scene.reevings[0].points[1].radius = 0.2, scene.reevings[0].points[1].inertia = 0.04;
  Runner run(scene);
  run.run(1);
  const double mass = 3 + 5 + 0.04 / (0.2 * 0.2) + 0.5 * 0.02 * 22, a = 2 * g / mass;
  EXPECT_NEAR(run.frame.bodies[1].pose.position.z(), -12 - 0.5 * a, 2e-3 * a);
  EXPECT_NEAR(run.frame.bodies[0].pose.position.z(), -10 + 0.5 * a, 2e-3 * a);
  EXPECT_NEAR(run.tension(0), 3 * (g + a), 2e-3 * 3 * g);
  EXPECT_NEAR(run.tension(1), 5 * (g - a), 2e-3 * 5 * g);
  // The rope's coordinates follow what ran over: no fall is strained.
  EXPECT_NEAR(run.frame.material[NodeIndex(1)], (run.frame.position[NodeIndex(1)] - run.frame.position[NodeIndex(0)]).norm(),
              1e-4);
  EXPECT_LT(std::abs(run.energy_error()), 2e-3 * 2 * g);
}

SENTENCE("cable", "a locked sheave holds up to e^(mu theta) and a bearing up to (1+f)/(1-f); beyond, the rope runs") {
  const auto moved = [](double ratio, bool locked) {
    Scene scene = reeved({Vec3(-0.01, 0, -10), Vec3(0, 0, 0), Vec3(0.01, 0, -10)}, {"light", "", "heavy"}, 1e6, 1e-4);
    scene.bodies = {body_at("light", Vec3(-0.01, 0, -10), 3, Vec3(0.1, 0.1, 0.1)),
                    body_at("heavy", Vec3(0.01, 0, -10), 3 * ratio, Vec3(0.1, 0.1, 0.1))};
    for (RigidBody& body : scene.bodies) body.kind = BodyKind::guided, body.axis = Vec3::UnitZ();
    Sheave& sheave = scene.reevings[0].points[1];
    sheave.locked = locked, sheave.friction = 0.2, sheave.bearing = 0.1, sheave.inertia = 1e-5;
    Runner run(scene);
    run.run(1);
    EXPECT_GE(run.frame.flow.friction, -1e-9);
    // The weights drop into the rope's stretch, which rings too fast for the step and loses that.
    const double stretched = (3 * g * ratio) * (3 * g * ratio) * 10 / 1e6;
    EXPECT_LT(std::abs(run.energy_error()), stretched + 0.01 * 3 * g * std::abs(run.frame.bodies[1].pose.position.z() + 10));
    return -10 - run.frame.bodies[1].pose.position.z();
  };
  const double grip = std::exp(0.2 * math::pi), bearing = 1.1 / 0.9;
  EXPECT_LT(moved(0.98 * grip, true), 2e-3);  // what the rope stretches
  EXPECT_LT(moved(0.98 * bearing, false), 2e-3);
  // a = g (M - c m)/(M + c m), c what friction makes of the light one
  const auto expected = [](double ratio, double c) { return 0.5 * g * (ratio - c) / (ratio + c); };
  EXPECT_NEAR(moved(1.2 * grip, true), expected(1.2 * grip, grip), 0.02 * expected(1.2 * grip, grip));
  EXPECT_NEAR(moved(1.2 * bearing, false), expected(1.2 * bearing, bearing), 0.02 * expected(1.2 * bearing, bearing));
}

SENTENCE("cable", "a rope goes slack and pulls only when it is taut again") {
  Scene scene = reeved({Vec3(0, 0, 0), Vec3(0, 0, -2)}, {"", "load"}, 1e5, 0.01);
  scene.bodies = {body_at("load", Vec3(0, 0, -2), 10, Vec3(0.1, 0.1, 0.1))};
  scene.bodies[0].velocity = Vec3(0, 0, 3);
  scene.reevings[0].slack = 0.1;
  Runner run(scene);
  run.run(0.5);
  EXPECT_EQ(run.tension(0), 0);
  EXPECT_NEAR(run.frame.bodies[0].pose.position.z(), -2 + 3 * 0.5 - 0.5 * g * 0.25, 1e-9);
  run.run(6);
  EXPECT_NEAR(run.frame.bodies[0].pose.position.z(), -2.1 - 2.1 * 10 * g / 1e5, 2e-3);
  EXPECT_NEAR(run.tension(0), 10 * g, 0.01 * 10 * g);
}

Scene hoist(double load, double hook) {
  Scene scene = reeved({Vec3(-0.3, 0, 0), Vec3(-0.2, 0, -6), Vec3(0, 0, 0), Vec3(0.2, 0, -6), Vec3(0.3, 0, 0)},
                       {"", "hook", "", "hook", ""}, 1e7, 0.5);
  scene.bodies = {body_at("hook", Vec3(0, 0, -6.1), hook, Vec3::Constant(0.02 * hook)),
                  body_at("load", Vec3(0, 0, -8.6), load, Vec3::Constant(0.2 * load))};
  scene.rods.push_back(rod_between("sling", Vec3(0, 0, -6.3), Vec3(0, 0, -8.3), 10));
  scene.joints = {join(JointKind::ball, on_rod("sling", 0), on_body("hook")),
                  join(JointKind::ball, on_rod("sling", 1), on_body("load"))};
  for (Sheave& sheave : scene.reevings[0].points) sheave.radius = 0.2, sheave.inertia = 0.4;
  Winch winch;
  winch.name = "drum", winch.rod = "rope", winch.stored = 10, winch.acceleration = 1, winch.top_speed = 2;
  scene.winches = {winch};
  return scene;
}

SENTENCE("cable", "a winch lifts a load by a quarter of what it reels in, and does the work") {
  Scene scene = hoist(1000, 100);
  scene.winches[0].speed.keys = {{0, 0}, {1, -1}, {5, -1}, {6, 0}};
  scene.winches[0].speed.shape = TimetableShape::linear;
  Runner run(scene);
  run.run(8);
  EXPECT_NEAR(run.frame.bodies[1].pose.position.z(), -8.6 + 5.0 / 4, 0.01);
  const double weight = (1000 + 100 + 2) * g;
  EXPECT_NEAR(run.frame.flow.clamps, weight * 1.25, 0.02 * weight * 1.25);
  EXPECT_LT(std::abs(run.energy_error()), 0.01 * weight * 1.25);
  const RodSpan& span = run.frame.rods[0];
  EXPECT_NEAR(run.frame.material[NodeIndex(span.nodes - 1)] - run.frame.material[NodeIndex(0)], 24.0083 - 5, 0.02);
}

SENTENCE("cable", "a hook that weighs a three-thousandth of its load stays in place between tackle and sling") {
  Scene scene = hoist(3000, 1);
  scene.reevings[0].slack = -24 * (0.25 * 3003 * g / 1e7);  // it hangs on its rope from the start
  scene.bodies[1].velocity = Vec3(0.5, 0.3, 0);
  Runner run(scene);
  const double weight = 3003 * g;
  for (int i = 1; i <= 10; ++i) {
    run.run(i);
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += run.tension(k);
    EXPECT_NEAR(sum, weight, 0.05 * weight) << i;
    EXPECT_LT(run.frame.bodies[0].motion.linear.norm(), 1) << i;
  }
  EXPECT_LT(std::abs(run.energy_error()), 0.1 * 0.5 * 3000 * 0.34);
}

SENTENCE("cable", "a trolley that drives does the work of the swing it starts, whatever the damping of its ropes") {
  Scene scene = reeved({Vec3(-0.2, 0, 0), Vec3(0, 0, -4), Vec3(0.2, 0, 0)}, {"trolley", "hook", "trolley"}, 4e6, 0.4);
  RigidBody trolley = body_at("trolley", Vec3(0, 0, 0.1), 1, Vec3(1, 1, 1));
  trolley.kind = BodyKind::driven;
  trolley.move.keys = {{1, Vec3::Zero()}, {3, Vec3(3, 0, 0)}};
  scene.bodies = {trolley, body_at("hook", Vec3(0, 0, -4.2), 1000, Vec3(100, 100, 100))};
  scene.rods[0].damping.internal = 0.02;
  Runner run(scene);
  run.run(1);
  const double before = run.energy_error();
  run.run(5);
  EXPECT_GT(run.frame.flow.bodies, 500);
  EXPECT_LT(std::abs(run.energy_error() - before), 0.05 * run.frame.flow.bodies);
  EXPECT_LT(run.frame.flow.damping, 0.05 * run.frame.flow.bodies);
}

SENTENCE("cable",
         "a drum slips under more than its greatest force, brakes before its rope ends, and pulls with a given force") {
  Scene scene = reeved({Vec3(0, 0, 0), Vec3(0, 0, -5)}, {"", "load"}, 1e6, 0.01);
  scene.bodies = {body_at("load", Vec3(0, 0, -5), 10, Vec3(0.1, 0.1, 0.1))};
  Winch winch;
  winch.name = "drum", winch.rod = "rope", winch.stored = 100, winch.max_force = 60.0;
  scene.winches = {winch};
  Runner slips(scene);
  slips.run(1);
  EXPECT_NEAR(slips.tension(0), 60, 1e-6);
  EXPECT_NEAR(slips.frame.bodies[0].pose.position.z(), -5 - 0.5 * (g - 6), 0.05);
  EXPECT_LT(std::abs(slips.energy_error()), 0.02 * 60);

  scene.winches[0].max_force.reset(), scene.winches[0].stored = 1, scene.winches[0].acceleration = 2;
  Runner ends(scene);
  ends.live.winches.add({0, 2});
  ends.run(4);
  EXPECT_NEAR(ends.frame.bodies[0].pose.position.z(), -6, 0.01);
  EXPECT_LT(ends.frame.bodies[0].motion.linear.norm(), 0.02);

  scene.winches[0].acceleration.reset(), scene.winches[0].stored = 100;
  scene.winches[0].force.keys = {{0, 120}};
  Runner pulls(scene);
  pulls.run(0.5);
  EXPECT_NEAR(pulls.tension(0), 120, 1e-6);
  EXPECT_NEAR(pulls.frame.bodies[0].motion.linear.z(), 0.5 * (12 - g), 0.05);
}

}  // namespace
}  // namespace tendril::cable::reeving_testing
