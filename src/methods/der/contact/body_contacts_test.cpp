// Rods that touch bodies, and bodies that touch obstacles.
#include <cmath>
#include <cstring>

#include "methods/der/der_testing.h"
#include "model/bodies.h"
#include "testing/allocation_count.h"
#include "testing/reactions_of.h"
#include "testing/sentence.h"

namespace tendril::der {
namespace {

StiffnessSection rope() {  // 1 cm thick, 0.1 kg/m, soft
  StiffnessSection s;
  s.EI1 = s.EI2 = 2e-4, s.GJ = 1.6e-4, s.EA = 1e3, s.mass_per_length = 0.1, s.radius = 0.005;
  return s;
}
Scene rope_between(const Vec3& a, const Vec3& b, int segments, double friction) {
  Scene scene = one_rod(StraightCurve{a, b}, segments, rope());
  scene.contact.enabled = true;
  scene.contact.friction = friction;
  return scene;
}
RigidBody body(const std::string& name, const BodyShape& shape, double mass, const Vec3& position, double friction) {
  RigidBody b;
  b.name = name, b.shape = shape, b.mass = mass, b.position = position, b.friction = friction;
  return b;
}
Obstacle floor_at(double height, double friction) {
  Obstacle o;
  o.name = "floor";
  o.shape = HalfSpaceShape{Vec3(0, 0, height), Vec3::UnitZ()};
  o.friction = friction;
  return o;
}
void add_gravity(Scene& scene) { scene.loads.push_back(GravityLoad{Vec3(0, 0, -9.81)}); }

struct Run {
  std::shared_ptr<const Model> model;
  Der der;
  double dt, time = 0;
  double penetration = 0;
  int contacts = 0, retries = 0;
  explicit Run(const Scene& scene) : model(model_of(scene)), der(model, Settings{}), dt(advised(*model)) {}
  StateWriter before;
  // As a simulation takes it: a step that fails is taken back and repeated in halves.
  StepReport step(const Live& live = {}) { return step_by(dt, live, 3); }
  StepReport step_by(double h, const Live& live, int halvings) {
    before.clear();
    der.visit_state(before);
    const StepReport r = der.step(time, h, live);
    if (r.outcome != Outcome::fine && halvings > 0) {
      StateReader reader(before.buffer());
      der.visit_state(reader);
      ++retries;
      const StepReport first = step_by(0.5 * h, live, halvings - 1);
      return first.outcome == Outcome::fine ? step_by(0.5 * h, live, halvings - 1) : first;
    }
    time += h;
    penetration = std::max(penetration, r.penetration);
    contacts = std::max(contacts, r.contacts);
    return r;
  }
  void go_on(double duration) {
    for (const double end = time + duration; time < end;) {
      const StepReport r = step();
      ASSERT_EQ(r.outcome, Outcome::fine) << failure_of(r.cause, entry().info).sentence << " at " << time << " s, residual "
                                          << r.residual;
    }
  }
  Vec3 momentum() const {
    const Frame f = frame_of(der);
    Vec3 sum = Vec3::Zero();
    for (int n = 0; n < f.position.size(); ++n)
      sum += der.chain().mass[z(der.chain().vertex_of_node[z(n)])] * f.velocity[NodeIndex{n}];
    for (std::size_t b = 0; b < f.bodies.size(); ++b) sum += model->bodies[b].mass * f.bodies[b].motion.linear;
    return sum;
  }
  double speed() const {
    double worst = 0;
    const Frame f = frame_of(der);
    for (const Vec3& v : f.velocity) worst = std::max(worst, v.norm());
    for (const BodyState& b : f.bodies) worst = std::max(worst, b.motion.linear.norm());
    return worst;
  }
  Vec3 contact_force() const {  // on the rods
    Vec3 sum = Vec3::Zero();
    for (const ContactPoint& p : frame_of(der).contacts) sum += p.force;
    return sum;
  }
};

SENTENCE("der", "a ball thrown against a free rope hits it, and together they keep their momentum to rounding") {
  for (const double friction : {0.0, 0.4}) {
    Scene scene = rope_between(Vec3(0, 0, 0.5), Vec3(0, 0, -0.5), 50, friction);
    scene.bodies = {body("ball", SphereBody{0.05}, 0.2, Vec3(-0.08, 0.01, 0.1), friction)};
    scene.bodies[0].velocity = Vec3(3, 0, 0);
    scene.bodies[0].angular_velocity = Vec3(0, 20, 5);
    Run run(scene);
    run.go_on(0.2);
    const Frame f = frame_of(run.der);
    EXPECT_GT(run.contacts, 0);
    EXPECT_LT((run.momentum() - Vec3(0.6, 0, 0)).norm(), 1e-12);
    EXPECT_LT(f.bodies[0].motion.linear.x(), 2.9) << "the rope took some";
    EXPECT_LT(run.penetration, 0.02);
    // It did not pass through: no node lies behind the ball within it.
    for (const Vec3& p : f.position) EXPECT_GT((p - f.bodies[0].pose.position).norm(), 0.055 * 0.999);
  }
}

SENTENCE("der", "a rope comes to rest on a heavy box that lies on the ground; the box carries its weight") {
  Scene scene = rope_between(Vec3(-0.14, 0.01, 0.23), Vec3(0.14, 0, 0.21), 28, 0.3);
  scene.rods[0].damping.mass = 2;
  scene.bodies = {body("box", BoxBody{Vec3(0.4, 0.3, 0.2)}, 5, Vec3(0, 0, 0.1), 0.3)};
  scene.obstacles = {floor_at(0, 0.5)};
  add_gravity(scene);
  Run run(scene);
  run.go_on(2.5);
  const Frame f = frame_of(run.der);
  EXPECT_LT(run.speed(), 0.01);
  EXPECT_NEAR(f.bodies[0].pose.position.z(), 0.1, 1e-4);
  EXPECT_NEAR(run.contact_force().z(), 0.1 * 0.28 * 9.81, 0.02 * 0.1 * 0.28 * 9.81);
  EXPECT_LT(run.contact_force().head<2>().norm(), 0.02 * 0.1 * 0.28 * 9.81);
  EXPECT_LT(run.penetration, 0.02);
  for (const Vec3& p : f.position) EXPECT_NEAR(p.z(), 0.205, 2e-4);
}

SENTENCE("der", "a cylinder lies in a hanging rope, which carries it; the clamps feel its weight") {
  Scene scene = rope_between(Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0), 60, 0.2);
  scene.rods[0].initial = ParabolaCurve{Vec3(-0.42, 0, 0), Vec3(0.42, 0, 0), -Vec3::UnitZ(), 0.2445};
  scene.rods[0].damping.mass = 1;
  scene.bodies = {body("log", CylinderBody{0.06, 0.3}, 0.5, Vec3(0, 0, -0.16), 0.2)};
  scene.bodies[0].orientation = Vec3(0.5 * 3.14159265358979323846, 0, 0);  // along y
  scene.bodies[0].kind = BodyKind::guided;                                 // else it tips over
  scene.bodies[0].damping = 2;
  add_clamp(scene, 0, {Hold::position});
  add_clamp(scene, 1, {Hold::position});
  add_gravity(scene);
  Run run(scene);
  run.dt = 5e-4;
  run.go_on(2);
  // It goes on trembling a little: forces in the mean.
  double held = 0, carried = 0;
  int count = 0;
  for (; run.time < 3; ++count) {
    ASSERT_EQ(run.step().outcome, Outcome::fine);
    const std::vector<Wrench> reactions = reactions_of(run.der);
    held += reactions[0].force.z() + reactions[1].force.z();
    carried -= run.contact_force().z();
  }
  EXPECT_NEAR(held / count, (0.5 + 0.1) * 9.81, 0.02 * 0.6 * 9.81);
  EXPECT_NEAR(carried / count, 0.5 * 9.81, 0.02 * 0.5 * 9.81);
  const double height = frame_of(run.der).bodies[0].pose.position.z();
  EXPECT_LT(height, -0.1);
  EXPECT_GT(height, -0.3) << "it did not fall through";
  EXPECT_LT(run.penetration, 0.02);
}

// A ball between two ropes, with a third one lying on it, on a floor and beside a post.
Scene crowded() {
  Scene scene;
  scene.contact.enabled = true;
  scene.contact.friction = 0.3;
  const auto add = [&](const std::string& name, const Vec3& a, const Vec3& b, int segments) {
    Scene one = one_rod(StraightCurve{a, b}, segments, rope());
    one.rods[0].name = name;
    one.rods[0].damping.mass = 0.5;
    scene.rods.push_back(one.rods[0]);
  };
  add("left", Vec3(-0.5, 0, 0.4), Vec3(0, 0, 0.4), 20);
  add("right", Vec3(0, 0, 0.4), Vec3(0.4, 0.1, 0.4), 16);
  add("on_top", Vec3(0.02, -0.3, 0.46), Vec3(0, 0.3, 0.46), 24);
  scene.bodies = {body("ball", SphereBody{0.05}, 0.3, Vec3(0, 0, 0.4), 0.3),
                  body("brick", BoxBody{Vec3(0.1, 0.1, 0.06)}, 0.4, Vec3(0.01, 0.01, 0.08), 0.3)};
  Joint joint;
  joint.name = "one", joint.a.rod = "left", joint.a.at = 1, joint.b.body = "ball";
  scene.joints = {joint};
  joint.name = "two", joint.a.rod = "right", joint.a.at = 0;
  scene.joints.push_back(joint);
  Clamp clamp;
  clamp.name = "end", clamp.rod = "left", clamp.at = 0, clamp.hold = {Hold::position};
  scene.clamps = {clamp};
  scene.obstacles = {floor_at(0, 0.4)};
  Obstacle post;
  post.name = "post", post.shape = CylinderShape{Vec3(-0.25, -0.2, 0.1), Vec3(-0.25, 0.2, 0.1), 0.04}, post.friction = 0.3;
  scene.obstacles.push_back(post);
  add_gravity(scene);
  return scene;
}

SENTENCE("der", "several rods on one body among other things: nothing passes through, and all comes to lie on the floor") {
  Run run(crowded());
  run.go_on(3);
  const Frame f = frame_of(run.der);
  EXPECT_LT(run.penetration, 0.02);
  EXPECT_GT(run.contacts, 10);
  for (const Vec3& p : f.position) EXPECT_GT(p.z(), 0.005 * 0.98);
  EXPECT_GT(f.bodies[0].pose.position.z(), 0.049);
  EXPECT_LT(f.bodies[0].pose.position.z(), 0.2);
  EXPECT_GT(f.bodies[1].pose.position.z(), 0.029);
  // The rods are where the ball is.
  const RodSpan &left = f.rods[0], &right = f.rods[1];
  EXPECT_LT((f.position[NodeIndex(left.first_node + left.nodes - 1)] - f.bodies[0].pose.position).norm(), 1e-6);
  EXPECT_LT((f.position[NodeIndex(right.first_node)] - f.bodies[0].pose.position).norm(), 1e-6);
}

SENTENCE("der", "with bodies, joints and contacts a step allocates nothing once warm") {
  Run run(crowded());
  run.go_on(2);
  const AllocationCount allocations;
  int fewest = 1000;
  for (int i = 0; i < 200; ++i) fewest = std::min(fewest, run.der.step(run.time + i * run.dt, run.dt, {}).contacts);
  const long count = allocations.count();
  EXPECT_EQ(count, 0);
  EXPECT_GT(fewest, 5);
}

SENTENCE("der", "a state saved amid contacts with bodies goes on with the same bits in another method") {
  Run a(crowded());
  a.go_on(0.5);
  ASSERT_GT(a.contacts, 0);
  StateWriter writer;
  a.der.visit_state(writer);
  Run b(crowded());
  b.go_on(0.1);  // it has a past of its own
  StateReader reader(writer.buffer());
  b.der.visit_state(reader);
  EXPECT_TRUE(reader.at_end());
  b.time = a.time;
  for (int i = 0; i < 400; ++i) a.step(), b.step();
  StateWriter one, two;
  a.der.visit_state(one), b.der.visit_state(two);
  ASSERT_EQ(one.buffer().size(), two.buffer().size());
  EXPECT_EQ(std::memcmp(one.buffer().data(), two.buffer().data(), one.buffer().size()), 0);
}

SENTENCE("der",
         "bodies rest on boxes, cylinders, capsules and spheres that are obstacles, and are pushed by one that moves") {
  const auto lands_on = [](const ObstacleShape& shape, double height) {
    Scene scene = rope_between(Vec3(5, 0, 5), Vec3(5.3, 0, 5), 5, 0.5);
    add_clamp(scene, 0);
    scene.bodies = {body("brick", BoxBody{Vec3(0.2, 0.2, 0.1)}, 1, Vec3(0, 0, height + 0.06), 0.5)};
    Obstacle o;
    o.name = "thing", o.shape = shape, o.friction = 0.5;
    scene.obstacles = {o};
    add_gravity(scene);
    Run run(scene);
    run.go_on(0.12);
    return frame_of(run.der).bodies[0].pose.position.z() - height;
  };
  EXPECT_NEAR(lands_on(BoxShape{Vec3(0, 0, 0.1), Vec3(1, 1, 0.2)}, 0.2), 0.05, 1e-3);
  EXPECT_NEAR(lands_on(HalfSpaceShape{Vec3(0, 0, 0.2), Vec3::UnitZ()}, 0.2), 0.05, 1e-3);
  EXPECT_NEAR(lands_on(CylinderShape{Vec3(0, 0, -0.2), Vec3(0, 0, 0.2), 0.3}, 0.2), 0.05, 1e-3);
  EXPECT_NEAR(lands_on(CapsuleShape{Vec3(0, -1, 0), Vec3(0, 1, 0), 0.2}, 0.2), 0.05, 2e-3);
  EXPECT_NEAR(lands_on(SphereShape{Vec3(0, 0, -0.3), 0.5}, 0.2), 0.05, 2e-3);

  Scene scene = rope_between(Vec3(5, 0, 5), Vec3(5.3, 0, 5), 5, 0.5);
  scene.bodies = {body("brick", BoxBody{Vec3(0.2, 0.2, 0.1)}, 1, Vec3(0, 0, 0.05), 0.1)};
  Obstacle pusher;
  pusher.name = "pusher", pusher.shape = BoxShape{Vec3(-0.25, 0, 0.06), Vec3(0.1, 0.4, 0.1)};
  pusher.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0.5, 0, 0)}};
  scene.obstacles = {floor_at(0, 0.1), pusher};
  add_clamp(scene, 0);
  add_gravity(scene);
  Run run(scene);
  run.go_on(1);
  EXPECT_GT(frame_of(run.der).bodies[0].pose.position.x(), 0.39);
  EXPECT_LT(frame_of(run.der).bodies[0].pose.position.x(), 0.6);
}

Live with_hand(const Hand& hand) {
  Live live;
  live.hands.add(hand);
  live.hands.begin()->id = 1;
  return live;
}

SENTENCE("der",
         "a hand pulls a body at a point: it comes to rest where spring and weight balance, turned to hang from there") {
  Scene scene = one_rod(StraightCurve{Vec3(2, 0, 0), Vec3(2, 0, -1)}, 10, rope());
  add_clamp(scene, 0);
  scene.bodies = {body("ball", SphereBody{0.05}, 0.2, Vec3(0, 0, 0), 0.3)};
  scene.bodies[0].damping = 4;
  add_gravity(scene);
  Run run(scene);
  run.dt = 1e-3;
  Hand hand = suggested_hand(*run.model, 0, Vec3(0.05, 0, 0));
  hand.pose.position = Vec3(0.3, 0.1, 0.5);
  while (run.time < 3) ASSERT_EQ(run.step(with_hand(hand)).outcome, Outcome::fine);
  const BodyState ball = frame_of(run.der).bodies[0];
  const Vec3 held = ball.pose.position + ball.pose.orientation * Vec3(0.05, 0, 0);
  EXPECT_LT((held - (hand.pose.position - Vec3(0, 0, 0.2 * 9.81 / hand.stiffness))).norm(), 2e-3);
  EXPECT_LT((held - ball.pose.position - Vec3(0, 0, 0.05)).norm(), 5e-3) << "it hangs below";
}

SENTENCE("der", "no hand at a body is too wild: far jumps with any stiffness leave body and rods whole") {
  for (const double factor : {1.0, 1e3, 1e8}) {
    Scene scene = crowded();
    Run run(scene);
    Hand hand = suggested_hand(*run.model, 0, Vec3(0, 0.03, 0.04));
    hand.stiffness *= factor, hand.damping *= factor;
    for (int i = 0; i < 3000; ++i) {
      hand.pose.position = Vec3(0, 0, 0.4) + (i / 300 % 2 == 0 ? 0.3 : -0.3) * Vec3(0.3, 1, 0.5);
      const StepReport r = run.step(with_hand(hand));
      ASSERT_EQ(r.outcome, Outcome::fine) << failure_of(r.cause, entry().info).sentence << " in step " << i << ", factor "
                                          << factor;
    }
    EXPECT_LT((frame_of(run.der).bodies[0].pose.position - Vec3(-0.5, 0, 0.4)).norm(), 0.5 + 1e-3) << "the tether holds";
  }
}

SENTENCE("der", "a ball that falls on the floor or on a box bounces by its restitution") {
  for (const bool on_box : {false, true}) {
    for (const double restitution : {0.0, 0.8}) {
      Scene scene = rope_between(Vec3(5, 0, 1), Vec3(6, 0, 1), 10, 0.3);
      scene.bodies = {body("ball", SphereBody{0.1}, 1, Vec3(0, 0, 1), 0.3)};
      scene.bodies[0].restitution = restitution;
      scene.obstacles = {floor_at(0, 0.3)};
      if (on_box) scene.obstacles[0].shape = BoxShape{Vec3(0, 0, -0.5), Vec3(2, 2, 1)};
      add_gravity(scene);
      Run run(scene);
      run.dt = 1e-3;
      double highest = 0;  // after it has been down
      bool down = false;
      while (run.time < 1) {
        ASSERT_EQ(run.step().outcome, Outcome::fine);
        const double z = frame_of(run.der).bodies[0].pose.position.z();
        down = down || z < 0.11;
        if (down) highest = std::max(highest, z);
      }
      EXPECT_NEAR(highest, restitution > 0 ? 0.1 + 0.9 * 0.64 : 0.1, 0.03) << on_box;
    }
  }
}

// Friction spins a small ball up by more than half a turn in a step; in its own axes what it flies through then moves on no
// straight line.
SENTENCE("der", "a small fast ball does not go through a rod, spinning or not") {
  for (const double spin : {0.0, 1200.0}) {
    Scene scene = one_rod(StraightCurve{Vec3(-0.3, 0, 0.3), Vec3(0.3, 0, 0.3)}, 6);
    scene.contact.enabled = true;
    scene.contact.friction = 0.3;
    scene.bodies = {body("ball", SphereBody{0.01}, 0.05, Vec3(0.003, 0, 0), 0.3)};
    scene.bodies[0].velocity = Vec3(0, 0, 60);
    scene.bodies[0].angular_velocity = Vec3(spin, 0, 0);
    Run run(scene);
    // It may leave sideways, around the rod, but never comes nearer to its centerline than the radii allow.
    double nearest = 1;
    bool stopped = false;
    while (run.time < 0.008 && !stopped) {
      stopped = run.step().outcome != Outcome::fine;
      const Frame f = frame_of(run.der);
      const Vec3 ball = f.bodies[0].pose.position;
      for (int i = 0; i + 1 < f.position.size(); ++i) {
        const Vec3 p = f.position[NodeIndex{i}], e = f.position[NodeIndex{i + 1}] - p;
        const double s = std::clamp(e.dot(ball - p) / e.squaredNorm(), 0.0, 1.0);
        nearest = std::min(nearest, (p + s * e - ball).norm());
      }
    }
    EXPECT_GT(nearest, 0.95 * (0.01 + 0.01)) << "spin " << spin << (stopped ? ", stopped" : "");
    EXPECT_LT(nearest, 0.021) << "it did not touch";
  }
}

}  // namespace
}  // namespace tendril::der
