// long: one sentence per kind of joint and body
#include "methods/compact/joined.h"

#include <cmath>

#include "math/rotation.h"
#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "model/bodies.h"
#include "testing/allocation_count.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

// And a guided body, a driven one and a ring of joints.
Scene more_than_everything() {
  Scene scene = everything();
  scene.rods.push_back(rod_between("link", Vec3(0.9, 0.6, 0.3), Vec3(1.3, 0.6, 0.3), 4));
  scene.rods.push_back(rod_between("back", Vec3(1, 0, 0), Vec3(1.3, 0.6, 0.3), 5));
  RigidBody slider = body_at("slider", Vec3(1.3, 0.6, 0.3), 0.7, Vec3(0.02, 0.02, 0.02));
  slider.kind = BodyKind::guided, slider.axis = Vec3(1, 0, 1).normalized();
  scene.bodies.push_back(slider);
  scene.joints.push_back(join(JointKind::ball, on_rod("link", 0), on_rod("leg", 1)));
  scene.joints.push_back(join(JointKind::hinge, on_rod("link", 1), on_body("slider"), Vec3(1, 1, 0)));
  scene.joints.push_back(join(JointKind::rigid, on_rod("back", 1), on_body("slider")));
  scene.joints.push_back(join(JointKind::rigid, on_rod("back", 0), on_body("right")));
  scene.loads.push_back(GravityLoad{Vec3(0.2, -1, -3)});
  return scene;
}

Frame frame_now(const Method& method) {
  Frame frame;
  method.write(frame);
  return frame;
}
void go(Compact& method, double duration, double h) {
  const int steps = static_cast<int>(std::lround(duration / h));
  for (int i = 0; i < steps; ++i) {
    const StepReport report = method.step(i * h, h, {});
    ASSERT_EQ(report.outcome, Outcome::fine) << "step " << i << ": " << report.residual << " after " << report.iterations;
  }
}

// Everything of an island, to be moved about.
struct Island {
  std::shared_ptr<const Model> model;
  Parts parts;
  Joined joined;
  Coupled coupled;
  Drive drive;
  LoadsNow loads;

  static Parts parts_of(const Model& model) {
    Parts parts;
    const JoinPlan plan(model);
    for (int r = 0; r < static_cast<int>(model.rods.size()); ++r)
      parts.push_back(std::make_unique<Part>(model, r, StrainKind::angle, SolverSettings{}, &plan));
    return parts;
  }
  explicit Island(const Scene& scene)
      : model(model_of(scene)),
        parts(parts_of(*model)),
        joined(*model, parts, {}),
        coupled(*model, parts, {}),
        loads(*model) {
    evaluate(*model, Live{}, 0, 1, drive);
    loads.update(drive);
    for (auto& part : parts) part->problem.set_frames(&joined.frames());
  }
  void begin(const Stage& stage) {
    joined.begin(drive, stage);
    for (const int r : joined.rods()) parts[z(r)]->problem.begin(parts[z(r)]->state, drive, loads, stage);
    joined.settle(joined.rods());
    coupled.take(joined.rods(), nullptr, &joined);
  }
  // All that Newton's method brings to zero, in turns from where the base is.
  Eigen::VectorXd residual(double fraction) {
    coupled.move(fraction);
    std::ignore = coupled.evaluate();
    std::vector<double> all;
    const auto back = [&](const Vec3& g, const Vec3& t) {
      const Vec3 turn = fraction * t;
      return Vec3((Mat3::Identity() + 0.5 * skew(turn)).transpose() * g / (1 + 0.25 * turn.squaredNorm()));
    };
    const auto push = [&](const Vec3& v) { all.insert(all.end(), {v.x(), v.y(), v.z()}); };
    for (const int r : joined.rods()) {
      Problem& p = parts[z(r)]->problem;
      push(Eigen::Map<const Vec3>(p.gradient().data()));
      for (int i = 0; i < parts[z(r)]->chain.real(); ++i)
        push(back(Eigen::Map<const Vec3>(p.gradient().data() + 3 + 3 * i),
                  Eigen::Map<const Vec3>(p.direction().data() + 3 + 3 * i)));
    }
    joined.read_residual(fraction, all);
    return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
  }
};

SENTENCE("compact",
         "Newton's direction for joined rods and bodies takes away the gradient to first order: the matrix is exact") {
  Island island(more_than_everything());
  Random random(17);
  for (const Stage& stage : {euler_stage(0.01), bdf2_stage(0.02, 0.015)}) {
    for (auto& part : island.parts) {
      for (Vec3& v : part->state.points.v) v = random.vector(1);
      for (Vec3& v : part->state.points.v_before) v = random.vector(1);
    }
    island.joined.disturb([&](double size) { return random.vector(size); });
    island.begin(stage);
    std::ignore = island.coupled.evaluate();
    std::ignore = island.coupled.factor(true, 0);
    island.coupled.solve_direction();
    const Eigen::VectorXd start = island.residual(0);
    double error[2];
    for (int k = 0; k < 2; ++k) {
      const double fraction = k == 0 ? 2e-3 : 1e-3;
      error[k] = (island.residual(fraction) - (1 - fraction) * start).norm() / start.norm();
    }
    EXPECT_LT(error[1], 1e-4);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1) << error[0] << " " << error[1];
  }
}

SENTENCE("compact", "a body on a twisted rod is a torsion pendulum of the exact frequency, with either end of the rod") {
  for (const bool at_end : {true, false}) {
    const Scene scene = torsion_pendulum(at_end);
    Compact method(model_of(scene), {});
    const double h = 2e-3;
    double crossing = 0, before = 0, first = 0;
    int crossings = 0;
    for (int i = 0; i < 3000; ++i) {
      ASSERT_EQ(method.step(i * h, h, {}).outcome, Outcome::fine) << i;
      const double spin = frame_now(method).bodies[0].motion.angular.x();
      if (i == 0) {
        ASSERT_LT(at_end ? spin : -spin, 0);
      }
      if (i > 0 && (spin > 0) != (before > 0)) {
        crossing = (i + before / (before - spin)) * h;
        if (crossings++ == 0) first = crossing;
      }
      before = spin;
    }
    // REFERENCES 6b with the rod's own rotary inertia, q = m r^2 L/2 over the body's: omega falls by q/6.
    const double q = 0.5 * 1 * 0.01 * 0.01 * 1.2 / 0.02, expected = 4.564354646 * (1 - q / 6);
    EXPECT_NEAR((crossings - 1) * math::pi / (crossing - first), expected, 1e-4 * expected) << crossings;
  }
}

SENTENCE("compact", "rods, bodies and joints keep momentum and energy while they tumble, and stay together") {
  Scene scene = everything();
  scene.rods[0].angular_velocity = Vec3(0.5, 1, -0.7);
  scene.bodies[0].angular_velocity = Vec3(2, -3, 1);
  scene.bodies[1].velocity = Vec3(0.3, 0.5, -0.2);
  scene.bodies[3].angular_velocity = Vec3(1, 0, 2);
  const auto model = model_of(scene);
  Settings settings;
  settings.scheme = Scheme::trbdf2;
  Compact method(model, settings);
  const auto momenta = [&] {
    const Frame f = frame_now(method);
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (int r = 0; r < 3; ++r) {
      const Part& part = method.part(r);
      for (std::size_t i = 0; i < part.chain.mass.size(); ++i) {
        const Vec3 p = part.chain.mass[i] * part.state.points.v[i];
        if (i < z(part.chain.nodes())) linear += p;
        angular += part.state.points.y[i].cross(p);
      }
    }
    for (std::size_t i = 0; i < f.bodies.size(); ++i) {
      const Vec3 p = model->bodies[i].mass * f.bodies[i].motion.linear;
      linear += p;
      angular += f.bodies[i].pose.position.cross(p) + spin_momentum(model->bodies[i], f.bodies[i]);
    }
    return std::pair(linear, angular);
  };
  const double h = 1e-3;
  ASSERT_EQ(method.step(0, h, {}).outcome, Outcome::fine);  // velocities that do not fit the joints are an impact
  const auto [linear, angular] = momenta();
  const double energy = frame_now(method).own_energy.total();
  for (int i = 1; i < 500; ++i) ASSERT_EQ(method.step(i * h, h, {}).outcome, Outcome::fine) << i;
  const auto [linear_after, angular_after] = momenta();
  const Frame f = frame_now(method);
  EXPECT_LT((linear_after - linear).norm(), 1e-6 * linear.norm());
  EXPECT_LT((angular_after - angular).norm(), 2e-3 * angular.norm());
  EXPECT_NEAR(f.own_energy.total(), energy, 0.02 * energy);
  const Pose &right = f.bodies[1].pose, &start = model->bodies[1].start.pose;
  const Vec3 local = start.orientation.conjugate() * (Vec3(1, 0, 0) - start.position);
  EXPECT_LT((right.position + right.orientation * local - f.position[NodeIndex{8}]).norm(), 1e-10);
  const Quat rest = model->bodies[2].start.pose.orientation.conjugate() * model->bodies[3].start.pose.orientation;
  EXPECT_LT(log_rotation(f.bodies[2].pose.orientation * rest * f.bodies[3].pose.orientation.conjugate()).norm(), 1e-9);
}

SENTENCE("compact",
         "a rod cut in two and joined again hangs like the whole one; a ball gives way; equilibria and motion agree") {
  const auto hanging = [](std::vector<Rod> rods, std::vector<tendril::Joint> joints) {
    Scene scene;
    scene.method = "compact";
    scene.rods = std::move(rods), scene.joints = std::move(joints);
    scene.loads.push_back(GravityLoad{Vec3(0, 0, -2)});
    add_clamp(scene, 0);
    return scene;
  };
  const auto tip = [](const Frame& f) { return f.position[NodeIndex{f.position.size() - 1}]; };
  const auto settle = [&](const Scene& scene) {
    Compact method(model_of(scene), {});
    const StepReport report = method.relax(0, 1, {});
    EXPECT_EQ(report.outcome, Outcome::fine) << report.residual;
    EXPECT_TRUE(report.verdict.minimum()) << report.verdict.unstable;
    return frame_now(method);
  };
  const Rod whole = rod_between("rod", Vec3::Zero(), Vec3::UnitX(), 16);
  const std::vector<Rod> halves = {rod_between("rod", Vec3::Zero(), Vec3(0.5, 0, 0), 8),
                                   rod_between("rest", Vec3(0.5, 0, 0), Vec3::UnitX(), 8)};
  const Frame one = settle(hanging({whole}, {}));
  const Scene cut = hanging(halves, {join(JointKind::rigid, on_rod("rod", 1), on_rod("rest", 0))});
  const Frame two = settle(cut);
  EXPECT_LT((tip(one) - tip(two)).norm(), 2e-3);
  // Half of the weight at the joint.
  EXPECT_NEAR(two.force[EdgeIndex(7)].z(), -1.0 - 2.0 / 32, 0.07);
  // Turned round, the second half is rooted at its end.
  std::vector<Rod> turned = halves;
  turned[1].rest = StraightCurve{Vec3::UnitX(), Vec3(0.5, 0, 0)};
  const Frame three = settle(hanging(turned, {join(JointKind::rigid, on_rod("rest", 1), on_rod("rod", 1))}));
  EXPECT_LT((three.position[NodeIndex{9}] - tip(two)).norm(), 1e-6);
  // On a ball the second half hangs straight down.
  const Frame ball = settle(hanging(halves, {join(JointKind::ball, on_rod("rod", 1), on_rod("rest", 0))}));
  EXPECT_LT((tip(ball) - (ball.position[NodeIndex{8}] + Vec3(0, 0, -0.5))).norm(), 1e-5);
  // As motion.
  Scene moving = cut;
  for (Rod& rod : moving.rods) rod.damping.mass = 6;
  Compact method(model_of(moving), {});
  go(method, 8, 0.02);
  EXPECT_LT((tip(frame_now(method)) - tip(two)).norm(), 1e-5);
}

SENTENCE("compact", "a body that hangs from two strings in a loop of joints is carried by both, and the loop is a minimum") {
  Scene scene;
  scene.method = "compact";
  scene.rods = {rod_between("left", Vec3(-0.5, 0, 0), Vec3(-0.1, 0, -0.6), 10),
                rod_between("right", Vec3(0.5, 0, 0), Vec3(0.1, 0, -0.6), 10)};
  scene.bodies = {body_at("bar", Vec3(0, 0, -0.6), 5, Vec3(0.01, 0.02, 0.02))};
  scene.joints = {join(JointKind::ball, on_rod("left", 1), on_body("bar")),
                  join(JointKind::ball, on_rod("right", 1), on_body("bar")),
                  join(JointKind::ball, on_rod("right", 0), on_world())};
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -10)});
  Clamp clamp;
  clamp.name = "top", clamp.rod = "left", clamp.at = 0, clamp.hold = {Hold::position};
  scene.clamps.push_back(clamp);
  Compact method(model_of(scene), {});
  const StepReport report = method.relax(0, 1, {});
  ASSERT_EQ(report.outcome, Outcome::fine) << report.residual;
  EXPECT_TRUE(report.verdict.minimum()) << report.verdict.unstable;
  const Frame f = frame_now(method);
  // Half of the bar and a string on each side.
  const double string = std::hypot(0.4, 0.6);
  EXPECT_NEAR(f.reactions[0].force.z(), 25 + 10 * string, 1e-6);
  EXPECT_LT(std::abs(f.bodies[0].pose.position.x()), 1e-9);
  Compact moved(model_of(scene), {});
  go(moved, 0.5, 0.005);
}

SENTENCE("compact", "a driven body does the work that the rod and its bodies gain") {
  Scene scene;
  scene.method = "compact";
  scene.rods = {rod_between("rod", Vec3::Zero(), Vec3::UnitX(), 12)};
  RigidBody hand;
  hand.name = "hand", hand.kind = BodyKind::driven, hand.position = Vec3::Zero(), hand.axis = Vec3::UnitX();
  hand.move.shape = TimetableShape::smooth, hand.move.keys = {{0, Vec3::Zero()}, {0.5, Vec3(0, 0.2, 0.3)}};
  hand.turn.shape = TimetableShape::smooth, hand.turn.keys = {{0, 0}, {0.5, 0.7}};
  scene.bodies = {hand, body_at("bob", Vec3(1, 0, 0), 0.5, Vec3(0.01, 0.01, 0.01))};
  scene.bodies[1].damping = 0.5;
  scene.joints = {join(JointKind::rigid, on_body("hand"), on_rod("rod", 0)),
                  join(JointKind::rigid, on_rod("rod", 1), on_body("bob"))};
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -5)});
  Settings settings;
  settings.scheme = Scheme::trbdf2;
  Compact method(model_of(scene), settings);
  const double before = frame_now(method).own_energy.total();
  go(method, 1, 1e-3);
  const Frame f = frame_now(method);
  EXPECT_GT(f.flow.bodies, 0.5);
  EXPECT_NEAR(f.own_energy.total() - before, f.flow.bodies - f.flow.damping, 0.01 * f.flow.bodies);
  EXPECT_LT((f.position[NodeIndex{0}] - Vec3(0, 0.2, 0.3)).norm(), 1e-10);
}

SENTENCE("compact", "a guided body moves along its axis only, and a hinge turns about its own only") {
  Scene scene;
  scene.method = "compact";
  scene.rods = {rod_between("rod", Vec3::Zero(), Vec3::UnitX(), 10)};
  scene.bodies = {body_at("slider", Vec3(1, 0, 0), 0.3, Vec3(0.01, 0.01, 0.01))};
  scene.bodies[0].kind = BodyKind::guided, scene.bodies[0].axis = Vec3::UnitX();
  scene.joints = {join(JointKind::hinge, on_rod("rod", 1), on_body("slider"), Vec3::UnitY()),
                  join(JointKind::hinge, on_rod("rod", 0), on_world(), Vec3::UnitY())};
  scene.loads.push_back(GravityLoad{Vec3(0, 0.5, -5)});
  Compact method(model_of(scene), {});
  go(method, 1, 5e-3);
  const Frame f = frame_now(method);
  const Pose& pose = f.bodies[0].pose;
  EXPECT_LT(std::hypot(pose.position.y(), pose.position.z()), 1e-12);
  EXPECT_LT(pose.position.x(), 0.99);
  EXPECT_LT((f.position[NodeIndex{10}] - pose.position).norm(), 1e-10);
  EXPECT_LT((f.position[NodeIndex{0}]).norm(), 1e-10);
  EXPECT_LT(pose.orientation.vec().tail<2>().norm(), 1e-12);
}

SENTENCE("compact", "steps of joined rods and bodies allocate nothing, and a saved state goes on with the same bits") {
  Scene scene = more_than_everything();
  const auto model = model_of(scene);
  Compact method(model, {});
  go(method, 0.05, 0.005);
  StepReport report;
  long counted = 0;
  {
    const AllocationCount count;
    report = method.step(0.05, 0.005, {});
    counted = count.count();
  }
  EXPECT_EQ(report.outcome, Outcome::fine);
  EXPECT_EQ(counted, 0);
}

}  // namespace
}  // namespace tendril::compact
