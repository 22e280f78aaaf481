// Rods that touch something.
#include <cmath>

#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

constexpr double standard_g = 9.81;

BoxShape box(const Vec3& center, const Vec3& size) {
  BoxShape b;
  b.center = center, b.size = size;
  return b;
}
// Along x on a floor at z = 0, radius 0.01, mass 1; gravity as on a slope that falls towards x.
Scene lying(double friction, double slope, double above = 1.5e-4) {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 0.01 + above), Vec3(1, 0, 0.01 + above)}, 12);
  scene.contact.enabled = true, scene.contact.friction = friction;
  add_shape(scene, HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()});
  scene.loads.push_back(GravityLoad{standard_g * Vec3(std::sin(slope), 0, -std::cos(slope))});
  return scene;
}

struct Run {
  std::shared_ptr<const Model> model;
  Compact method;
  Frame frame;
  double time = 0, least = 1e9, iterations = 0;
  bool fine = true;
  explicit Run(const Scene& scene, const Settings& settings = {}) : model(model_of(scene)), method(model, settings) {}
  void go(double until, double step) {
    long count = 0;
    for (; fine && time < until - 0.5 * step; time += step) {
      const StepReport report = method.step(time, step, {});
      fine = report.outcome == Outcome::fine;
      iterations += report.iterations, ++count;
      method.write(frame);
      for (const ContactPoint& p : frame.contacts) least = std::min(least, p.gap);
    }
    iterations /= std::max(1L, count);
  }
  Vec3 contact_force() const {
    Vec3 sum = Vec3::Zero();
    for (const ContactPoint& p : frame.contacts) sum += p.force;
    return sum;
  }
};

SENTENCE("compact",
         "a rod on the floor is carried by its weight, its gap open; on a slope friction holds it without creep") {
  const double mu = 0.5, slope = 0.9 * std::atan(mu);
  Run run(lying(mu, slope));
  run.go(0.5, 0.005);
  ASSERT_TRUE(run.fine);
  const Vec3 settled = run.frame.position[NodeIndex{6}];
  run.go(3, 0.005);
  ASSERT_TRUE(run.fine);
  EXPECT_GT(run.least, 0);
  EXPECT_LT(run.least, 2e-4);
  EXPECT_NEAR(run.contact_force().z(), standard_g * std::cos(slope), 1e-5 * standard_g);
  EXPECT_NEAR(run.contact_force().x(), -standard_g * std::sin(slope), 1e-5 * standard_g);
  EXPECT_LT((run.frame.position[NodeIndex{6}] - settled).norm(), 1e-7);
}

SENTENCE("compact", "on a steeper slope a rod slides with g (sin - mu cos)") {
  const double mu = 0.3, slope = 0.5;
  Run run(lying(mu, slope));
  run.go(0.2, 0.002);
  const double before = run.frame.velocity[NodeIndex{6}].x(), then = run.time;
  run.go(0.6, 0.002);
  ASSERT_TRUE(run.fine);
  const double a = (run.frame.velocity[NodeIndex{6}].x() - before) / (run.time - then);
  EXPECT_NEAR(a, standard_g * (std::sin(slope) - mu * std::cos(slope)), 1e-3 * standard_g);
}

SLOW_SENTENCE("compact", "rods shot at each other, at a ball and a box never pass, whatever the step") {
  for (const double step : {1e-3, 0.02}) {
    Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0.2), Vec3(0.5, 0.05, 0.2)}, 10);
    scene.contact.enabled = true;
    Rod other = scene.rods[0];
    other.name = "other", other.rest = StraightCurve{Vec3(0.02, -0.5, 0.3), Vec3(-0.02, 0.5, 0.3)};
    scene.rods[0].velocity = Vec3(0, 0, 3);
    other.velocity = Vec3(0, 0, -3);
    scene.rods.push_back(other);
    add_shape(scene, SphereShape{Vec3(0.3, 0, 0.6), 0.05});
    add_shape(scene, box(Vec3(-0.3, 0, 0.6), Vec3(0.1, 0.1, 0.1)));
    scene.time.step = step, scene.time.duration = 0.2;
    Checked<Simulation> simulation = Simulation::open(scene);
    ASSERT_TRUE(simulation) << to_text(simulation.problems());
    double least = 1e9;
    while (!simulation->finished()) {
      ASSERT_EQ(simulation->advance().outcome, Outcome::fine) << simulation->report().message;
      for (const ContactPoint& p : simulation->frame().contacts) least = std::min(least, p.gap);
    }
    EXPECT_GT(least, 0) << step;
    EXPECT_LT(least, 1) << "nothing touched";
  }
}

SENTENCE("compact", "an overlap at the start opens without a kick") {
  Scene scene = lying(0, 0, -8e-5);  // of a radius of 0.01
  Run run(scene);
  Frame start;
  run.method.write(start);
  run.go(0.5, 0.005);
  ASSERT_TRUE(run.fine);
  double fastest = 0;
  for (const Vec3& v : run.frame.velocity) fastest = std::max(fastest, v.norm());
  EXPECT_LT(fastest, 1e-3);
  EXPECT_GT(run.frame.position[NodeIndex{6}].z(), 0.01);
  EXPECT_LT(run.frame.position[NodeIndex{6}].z(), 0.0103);
  // What lifted it is booked as work, so that nothing comes from nowhere. (The scheme loses a part of it while the gap settles.)
  const EnergyFlow& flow = run.frame.flow;
  const double lifted = standard_g * (run.frame.position[NodeIndex{6}].z() - (0.01 - 8e-5));
  EXPECT_GT(flow.obstacles, lifted);
  EXPECT_LT(run.frame.own_energy.total() - start.own_energy.total() - flow.work() + flow.dissipated(),
            0.01 * flow.obstacles);
}

SENTENCE("compact", "an obstacle that is driven into a rod carries it along, and its work is booked") {
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, 0.0101), Vec3(1, 0, 0.0101)}, 8);
  scene.contact.enabled = true;
  Obstacle& floor = add_shape(scene, box(Vec3(0.5, 0, -0.1), Vec3(2, 2, 0.2)));
  floor.move.keys = {{0, Vec3::Zero()}, {0.5, Vec3(0, 0, 0.5)}};
  scene.loads.push_back(GravityLoad{});
  Run run(scene);
  run.go(1.5, 0.01);
  ASSERT_TRUE(run.fine);
  EXPECT_GT(run.least, 0);
  EXPECT_NEAR(run.frame.position[NodeIndex{4}].z(), 0.51, 2e-4);
  EXPECT_NEAR(run.frame.flow.obstacles, standard_g * 0.5, 0.05 * standard_g);
}

SENTENCE("compact", "a saved state with contact and friction goes on with the same bits") {
  Scene scene = lying(0.4, 0.2);
  add_shape(scene, SphereShape{Vec3(0.5, 0.1, 0.03), 0.02});
  scene.rods[0].velocity = Vec3(0, 0.3, 0);
  Run whole(scene), first(scene), second(scene);
  whole.go(0.2, 0.004);
  first.go(0.1, 0.004);
  StateWriter writer;
  first.method.visit_state(writer);
  StateReader reader(writer.buffer());
  second.method.visit_state(reader);
  second.time = first.time;
  second.go(0.2, 0.004);
  for (int i = 0; i < whole.frame.position.size(); ++i)
    EXPECT_EQ(whole.frame.position[NodeIndex{i}], second.frame.position[NodeIndex{i}]);
  EXPECT_EQ(whole.frame.contacts.size(), second.frame.contacts.size());
  EXPECT_FALSE(whole.frame.contacts.empty());
}

}  // namespace
}  // namespace tendril::compact
