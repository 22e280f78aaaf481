// Rods that touch rigid bodies.
#include <cmath>

#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "run/open.h"
#include "scene/scene_testing.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

constexpr double fall = 9.81;

RigidBody thing(const std::string& name, const BodyShape& shape, const Vec3& position, double mass) {
  RigidBody body;
  body.name = name, body.shape = shape, body.position = position, body.mass = mass, body.friction = 0;
  return body;
}
// A beam of 1 m along x, held at both ends; radius 0.01, 1 kg/m.
Scene beam_between_walls(double EI) {
  Scene scene = one_rod(line, 30, plain_section(EI, EI, 0.8 * EI));
  add_clamp(scene, 0), add_clamp(scene, 1).slide = Vec3::UnitX();
  scene.contact.enabled = true, scene.contact.friction = 0;
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -fall)});
  return scene;
}

struct Moved {
  RunReport report;
  Frame frame;
  double least = 1, most = 0;  // gap, force
  Vec3 momentum = Vec3::Zero(), before = Vec3::Zero();
  explicit Moved(const Scene& scene) {
    Checked<Simulation> simulation = Simulation::open(scene);
    EXPECT_TRUE(simulation) << to_text(simulation.problems());
    if (!simulation) return;
    const std::shared_ptr<const Model> model = model_of(scene);
    while (!simulation->finished()) {
      if (simulation->advance().outcome != Outcome::fine) break;
      frame = simulation->frame();
      for (const ContactPoint& p : frame.contacts) least = std::min(least, p.gap), most = std::max(most, p.force.norm());
      momentum.setZero();
      for (std::size_t b = 0; b < frame.bodies.size(); ++b)
        if (model->bodies[b].moves_freely()) momentum += model->bodies[b].mass * frame.bodies[b].motion.linear;
      for (const RodSpan& span : frame.rods)
        for (int e = 0; e < span.edges; ++e) {
          const double half = 0.5 * model->section[EdgeIndex(span.first_edge + e)].line_mass *
                              model->rest_length[EdgeIndex(span.first_edge + e)];
          momentum +=
              half * (frame.velocity[NodeIndex(span.first_node + e)] + frame.velocity[NodeIndex(span.first_node + e + 1)]);
        }
      if (before.isZero(0)) before = momentum;
    }
    report = simulation->report();
    frame = simulation->frame();
  }
  bool fine() const { return report.outcome == Outcome::fine; }
  double pressed(int body) const {
    double sum = 0;
    for (const ContactPoint& p : frame.contacts)
      if (p.body_b == body) sum += p.force.z();
    return sum;
  }
};

SENTENCE("compact", "a ball, a box and a capsule that fall on a beam come to rest on it with their weight") {
  const BodyShape shapes[] = {SphereBody{0.05}, BoxBody{Vec3(0.1, 0.1, 0.06)}, CapsuleBody{0.03, 0.1}};
  for (const BodyShape& shape : shapes) {
    Scene scene = beam_between_walls(20);
    RigidBody body = thing("load", shape, Vec3(0.5, 0, 0.1), 0.5);
    body.kind = BodyKind::guided, body.axis = Vec3::UnitZ();  // nothing else keeps it on a round beam
    body.damping = 6;
    scene.bodies = {body};
    scene.rods[0].damping.mass = 6;
    scene.time.step = 4e-3, scene.time.duration = 4;
    const Moved moved(scene);
    ASSERT_TRUE(moved.fine()) << moved.report.message;
    EXPECT_GT(moved.least, 0);
    EXPECT_NEAR(-moved.pressed(0), 0.5 * fall, 1e-3 * fall) << shape.index();
    EXPECT_LT(moved.frame.bodies[0].motion.linear.norm(), 1e-4);
    scene.time.mode = Mode::statics;
    const Moved still(scene);
    ASSERT_TRUE(still.fine()) << still.report.message;
    EXPECT_NEAR(-still.pressed(0), 0.5 * fall, 1e-6 * fall);
    EXPECT_NEAR(still.frame.bodies[0].pose.position.z(), moved.frame.bodies[0].pose.position.z(), 2e-5);
  }
}

SENTENCE("compact", "a ball shot at a rod never passes through it, at any step, and both keep their momentum") {
  for (const double step : {1e-3, 0.02})
    for (const double friction : {0.0, 0.5}) {
      Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0)}, 20);
      scene.contact.enabled = true, scene.contact.friction = friction;
      RigidBody ball = thing("ball", SphereBody{0.05}, Vec3(0.1, 0.02, 0.5), 0.2);
      ball.friction = friction, ball.velocity = Vec3(1, 0, -30), ball.angular_velocity = Vec3(0, 20, 0);
      scene.bodies = {ball};
      scene.time.step = step, scene.time.duration = 0.1;
      const Moved moved(scene);
      ASSERT_EQ(moved.report.time, scene.time.duration)
          << moved.report.message;  // its waves are too quick for these steps: suspect
      EXPECT_GT(moved.most, 0);
      EXPECT_GT(moved.least, 0);
      EXPECT_LT((moved.momentum - moved.before).norm(), 1e-4 * moved.before.norm()) << step;
      // Its end is passed by, its middle taken along; within one long step the ball may also go round it.
      if (step < 0.01) {
        EXPECT_LT(moved.frame.position[NodeIndex(12)].z(), -0.1) << friction;
      }
    }
}

SENTENCE("compact", "a driven body pushes a rod along") {
  Scene scene = one_rod(StraightCurve{Vec3(0, -0.5, 0), Vec3(0, 0.5, 0)}, 16);
  scene.contact.enabled = true;
  RigidBody hand = thing("hand", BoxBody{Vec3(0.1, 0.2, 0.2)}, Vec3(-0.2, 0, 0), 1);
  hand.kind = BodyKind::driven, hand.move.keys = {{0, Vec3::Zero()}, {0.5, Vec3(0.6, 0, 0)}};
  scene.bodies = {hand};
  scene.time.step = 5e-3, scene.time.duration = 0.5;
  const Moved moved(scene);
  ASSERT_TRUE(moved.fine()) << moved.report.message;
  EXPECT_GT(moved.least, 0);
  EXPECT_GT(moved.frame.position[NodeIndex(8)].x(), 0.45);
  EXPECT_GT(moved.frame.flow.obstacles, 0);
}

// Far from the beam, which is there because a scene has rods.
Scene with_floor(double slope = 0) {
  Scene scene = beam_between_walls(1);
  scene.rods[0].damping.mass = 5;
  scene.loads = {GravityLoad{fall * Vec3(std::sin(slope), 0, -std::cos(slope))}};
  add_shape(scene, HalfSpaceShape{Vec3(0, 0, -0.5), Vec3::UnitZ()}).friction = 0.5;
  scene.time.step = 5e-3, scene.time.duration = 2;
  return scene;
}

SENTENCE(
    "compact",
    "a ball, a box, a capsule and a cylinder that fall on the ground, or on a shelf, come to rest there and never sink in") {
  struct Fallen {
    BodyShape shape;
    double half;
  };
  for (const Fallen& f : {Fallen{SphereBody{0.05}, 0.05}, Fallen{BoxBody{Vec3(0.2, 0.1, 0.06)}, 0.03},
                          Fallen{CapsuleBody{0.03, 0.1}, 0.03}, Fallen{CylinderBody{0.05, 0.08}, 0.04}})
    for (const bool ground : {true, false}) {
      Scene scene = with_floor();
      RigidBody body = thing("load", f.shape, Vec3(3, 0, 0.3), 1);
      body.friction = 0.5, body.damping = 1;
      if (std::holds_alternative<CapsuleBody>(f.shape)) body.orientation = Vec3(0, math::pi / 2, 0);  // on its side
      scene.bodies = {body};
      if (!ground) {
        scene.bodies.push_back(thing("shelf", BoxBody{Vec3(1, 1, 0.1)}, Vec3(3, 0, -0.05), 1));
        scene.bodies[1].kind = BodyKind::fixed;
      }
      const double rests = (ground ? -0.5 : 0) + f.half;
      Checked<Simulation> simulation = Simulation::open(scene);
      ASSERT_TRUE(simulation) << to_text(simulation.problems());
      double lowest = 1;
      const double before = simulation->frame().own_energy.total();
      while (!simulation->finished()) {
        ASSERT_EQ(simulation->advance().outcome, Outcome::fine) << simulation->report().message;
        lowest = std::min(lowest, simulation->frame().bodies[0].pose.position.z());
      }
      const BodyState& end = simulation->frame().bodies[0];
      EXPECT_NEAR(end.pose.position.z(), rests, 2e-4) << f.shape.index() << " " << ground;
      EXPECT_GT(lowest, rests - 2e-4) << f.shape.index() << " " << ground;
      EXPECT_LT(end.motion.linear.norm() + end.motion.angular.norm(), 1e-3) << f.shape.index() << " " << ground;
      // What it had is what damping and the impact took.
      const Frame& frame = simulation->frame();
      EXPECT_GT(frame.flow.impacts, 0.5 * fall * (0.3 - rests)) << f.shape.index() << " " << ground;
      EXPECT_LT(std::abs(frame.own_energy.total() - before - frame.flow.work() + frame.flow.dissipated()), 0.03 * fall)
          << f.shape.index() << " " << ground;
    }
}

SENTENCE("compact", "a box on a slope stays by its friction, and slides with g (sin - mu cos) where that is not enough") {
  for (const double slope : {0.3, 0.7}) {
    Scene scene = with_floor(slope);
    RigidBody box = thing("box", BoxBody{Vec3(0.2, 0.2, 0.04)}, Vec3(3, 0, -0.48), 1);
    box.friction = 0.5;
    scene.bodies = {box};
    scene.time.duration = 1;
    const Moved moved(scene);
    ASSERT_EQ(moved.report.time, 1) << moved.report.message;
    const double a = fall * std::max(0.0, std::sin(slope) - 0.5 * std::cos(slope));
    EXPECT_NEAR(moved.frame.bodies[0].motion.linear.x(), a, 0.01 * fall * (a > 0 ? 1 : 0.001)) << slope;
    EXPECT_NEAR(moved.frame.bodies[0].pose.position.x() - 3, 0.5 * a, 0.01 * fall * (a > 0 ? 1 : 1e-4)) << slope;
  }
}

SENTENCE("compact",
         "a ball that is shot at another, or at a thin plate, pushes it along with all of its momentum, at any step") {
  for (const double step : {1e-3, 0.02})
    for (const bool plate : {false, true}) {
      Scene scene = with_floor();
      scene.loads.clear();
      RigidBody ball = thing("ball", SphereBody{0.05}, Vec3(3, 0, 1), 1),
                other = thing("other", SphereBody{0.05}, Vec3(3, 0, 2), 3);
      if (plate) other.shape = BoxBody{Vec3(1, 1, 0.01)};
      ball.velocity = Vec3(0, 0, 20);
      scene.bodies = {ball, other};
      scene.time.step = step, scene.time.duration = 0.2;
      const Moved moved(scene);
      ASSERT_EQ(moved.report.time, 0.2) << moved.report.message;
      const auto& b = moved.frame.bodies;
      EXPECT_NEAR(b[0].motion.linear.z() + 3 * b[1].motion.linear.z(), 20, 1e-6) << step << plate;
      EXPECT_NEAR(b[1].motion.linear.z(), 5, 0.3) << step << plate;
      EXPECT_LT(b[0].pose.position.z(), b[1].pose.position.z()) << step << plate;
    }
}

SENTENCE("compact", "a weight at the tip of a stiff beam that comes down on the ground is carried by both") {
  Scene scene = one_rod(line, 20, plain_section(50, 50, 50));
  add_clamp(scene, 0);
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -fall)});
  scene.rods[0].damping.mass = 8;
  RigidBody weight = thing("weight", SphereBody{0.05}, Vec3(1, 0, 0), 1);
  weight.damping = 8;
  scene.bodies = {weight};
  scene.joints = {join(JointKind::rigid, on_rod("rod", 1), on_body("weight"))};
  add_shape(scene, HalfSpaceShape{Vec3(0, 0, -0.08), Vec3::UnitZ()}).friction = 0.3;  // it would come down to -0.09
  scene.time.step = 5e-3, scene.time.duration = 4;
  const Moved moved(scene);
  ASSERT_EQ(moved.report.time, 4) << moved.report.message;
  EXPECT_NEAR(moved.frame.bodies[0].pose.position.z(), -0.03, 1e-4);
  EXPECT_LT(moved.frame.bodies[0].motion.linear.norm(), 1e-3);
}

SENTENCE("compact",
         "an equilibrium in which bodies would overlap each other or the ground is refused, and motion proposed") {
  Scene scene = one_rod(line, 10, plain_section(1, 1, 1));
  add_clamp(scene, 0);
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -fall)});
  scene.bodies = {thing("weight", SphereBody{0.05}, Vec3(1, 0, 0), 1)};
  scene.joints = {join(JointKind::rigid, on_rod("rod", 1), on_body("weight"))};
  add_shape(scene, HalfSpaceShape{Vec3(0, 0, -0.2), Vec3::UnitZ()});
  scene.time.mode = Mode::statics;
  const Moved moved(scene);
  EXPECT_FALSE(moved.fine());
  EXPECT_CONTAINS(moved.report.message, "in motion only");
}

SENTENCE("compact", "bodies that would bounce are warned of") {
  Scene scene = with_floor();
  scene.bodies = {thing("ball", SphereBody{0.05}, Vec3(3, 0, 0.3), 1)};
  scene.bodies[0].restitution = 0.5;
  const Checked<Simulation> simulation = Simulation::open(scene);
  ASSERT_TRUE(simulation);
  EXPECT_CONTAINS(to_text(simulation.problems()), "do not bounce");
}

}  // namespace
}  // namespace tendril::compact
