// long: one sentence per kind of joint and body
#include "methods/der/joints/bodies_and_joints.h"

#include <cmath>

#include "math/rotation.h"
#include "methods/der/der_testing.h"
#include "model/bodies.h"
#include "testing/allocation_count.h"
#include "testing/sentence.h"

namespace tendril::der {
namespace {

constexpr double pi = 3.14159265358979323846;

Vec3 linear_momentum(const Der& der, const Frame& f) {
  Vec3 sum = Vec3::Zero();
  for (int n = 0; n < f.position.size(); ++n)
    sum += der.chain().mass[z(der.chain().vertex_of_node[z(n)])] * f.velocity[NodeIndex{n}];
  return sum;
}
struct Momenta {
  Vec3 linear, angular;
};
Momenta momenta(const Der& der, const Model& model) {
  const Frame f = frame_of(der);
  Momenta m{linear_momentum(der, f), der.joins()->junction_momentum()};
  for (int n = 0; n < f.position.size(); ++n)
    m.angular +=
        der.chain().mass[z(der.chain().vertex_of_node[z(n)])] * f.position[NodeIndex{n}].cross(f.velocity[NodeIndex{n}]);
  for (std::size_t i = 0; i < f.bodies.size(); ++i) {
    const Vec3 p = model.bodies[i].mass * f.bodies[i].motion.linear;
    m.linear += p;
    m.angular += f.bodies[i].pose.position.cross(p) + spin_momentum(model.bodies[i], f.bodies[i]);
  }
  return m;
}
void run(Der& der, double duration, double h) {
  const int steps = static_cast<int>(std::ceil(duration / h));
  for (int i = 0; i < steps; ++i) {
    const StepReport report = der.step(i * h, h, {});
    ASSERT_EQ(report.outcome, Outcome::fine) << failure_of(report.cause, entry().info).sentence << " in step " << i;
  }
}

SENTENCE("der", "a body on a twisted rod is a torsion pendulum of the exact frequency, with either end of the rod") {
  for (const bool at_end : {true, false}) {
    const Scene scene = torsion_pendulum(at_end);
    const auto model = model_of(scene);
    Der der(model, {});
    const double h = 1e-3;
    double crossing = 0, before = 0, first = 0;
    int crossings = 0;
    for (int i = 0; i < 6000; ++i) {
      ASSERT_EQ(der.step(i * h, h, {}).outcome, Outcome::fine);
      const double spin = frame_of(der).bodies[0].motion.angular.x();
      if (i == 0) {
        ASSERT_LT(at_end ? spin : -spin, 0);  // the rod untwists: the sign of the torque  [ERRATA D15]
      }
      if (i > 0 && (spin > 0) != (before > 0)) {
        crossing = (i + before / (before - spin)) * h;
        if (crossings++ == 0) first = crossing;
      }
      before = spin;
    }
    EXPECT_NEAR((crossings - 1) * pi / (crossing - first), 4.564354646, 1e-4 * 4.56) << crossings;
  }
}

SENTENCE("der", "rods, bodies and joints keep momentum: linear with any projection, angular with the conserving one") {
  for (const Push push : {Push::fast, Push::conserving}) {
    Scene scene = everything();
    scene.rods[0].angular_velocity = Vec3(0.5, 1, -0.7);
    scene.bodies[0].angular_velocity = Vec3(2, -3, 1);
    scene.bodies[1].velocity = Vec3(0.3, 0.5, -0.2);
    scene.bodies[3].angular_velocity = Vec3(1, 0, 2);
    const auto model = model_of(scene);
    Settings settings;
    settings.push = push;
    Der der(model, settings);
    const Momenta before = momenta(der, *model);
    run(der, 0.5, advised(*model));
    const Momenta after = momenta(der, *model);
    EXPECT_LT((after.linear - before.linear).norm(), 1e-12);
    if (push == Push::conserving) {
      EXPECT_LT((after.angular - before.angular).norm(), 1e-10 * before.angular.norm());
    }
    const Frame f = frame_of(der);
    EXPECT_GT((f.bodies[0].pose.position - model->bodies[0].start.pose.position).norm(), 1e-3);
    // The pieces are still together.
    const Pose& right = f.bodies[1].pose;
    const Pose& start = model->bodies[1].start.pose;
    const Vec3 local = start.orientation.conjugate() * (Vec3(1, 0, 0) - start.position);
    EXPECT_LT((right.position + right.orientation * local - f.position[NodeIndex{8}]).norm(), 1e-8);
    const Quat rest = model->bodies[2].start.pose.orientation.conjugate() * model->bodies[3].start.pose.orientation;
    EXPECT_LT(log_rotation(f.bodies[2].pose.orientation * rest * f.bodies[3].pose.orientation.conjugate()).norm(), 1e-7);
  }
}

// A cantilever cut in two and joined again hangs like the whole one.
SENTENCE("der", "a rigid joint of two rods bends like an uncut rod, and a ball or a hinge gives way as it should") {
  const auto sag = [](const std::vector<Rod>& rods, const std::vector<Joint>& joints) {
    Scene scene;
    scene.rods = rods;
    for (Rod& rod : scene.rods) rod.damping.mass = 6;
    scene.joints = joints;
    scene.loads.push_back(GravityLoad{Vec3(0, 0, -1)});
    add_clamp(scene, 0);
    const auto model = model_of(scene);
    Der der(model, {});
    run(der, 6, advised(*model));
    const Frame f = frame_of(der);
    return f.position[NodeIndex{f.position.size() - 1}];
  };
  const double whole = sag({rod_between("rod", Vec3::Zero(), Vec3::UnitX(), 16)}, {}).z();
  const std::vector<Rod> halves{rod_between("rod", Vec3::Zero(), Vec3(0.5, 0, 0), 8),
                                rod_between("other", Vec3(0.5, 0, 0), Vec3::UnitX(), 8)};
  const auto knee = [&](JointKind kind, const Vec3& axis) {
    return std::vector{join(kind, on_rod("rod", 1), on_rod("other", 0), axis)};
  };
  const double joined = sag(halves, knee(JointKind::rigid, Vec3::UnitZ())).z();
  EXPECT_LT(whole, -0.1);
  EXPECT_NEAR(joined, whole, 2e-3 * std::abs(whole));
  // A hinge about the vertical does not let it sag more; one about y, and a ball, let the second half hang down.
  EXPECT_NEAR(sag(halves, knee(JointKind::hinge, Vec3::UnitZ())).z(), whole, 2e-3 * std::abs(whole));
  const Vec3 hinged = sag(halves, knee(JointKind::hinge, Vec3::UnitY())),
             ball = sag(halves, knee(JointKind::ball, Vec3::UnitZ()));
  EXPECT_LT((hinged - ball).norm(), 1e-3);
  EXPECT_LT(ball.z(), -0.5);
  EXPECT_NEAR(ball.x(), 0.5, 0.06);
}

SENTENCE("der", "a body welded inside a rod bends it on both sides like its weight at that point") {
  const auto tip = [](bool body) {
    Scene scene = one_rod(line, 16);
    scene.rods[0].damping.mass = 6;
    scene.loads.push_back(GravityLoad{Vec3(0, 0, -1)});
    add_clamp(scene, 0);
    ForceLoad force;
    force.rod = "rod", force.at = 0.5, force.value = Vec3(0, 0, -0.5);
    if (body) {
      scene.bodies = {body_at("bead", Vec3(0.5, 0, 0), 0.5, Vec3(0.01, 0.01, 0.01))};
      scene.bodies[0].damping = 6;
      scene.joints = {join(JointKind::rigid, on_rod("rod", 0.5), on_body("bead"))};
    } else {
      scene.loads.push_back(force);
    }
    const auto model = model_of(scene);
    Der der(model, {});
    run(der, 6, advised(*model));
    return frame_of(der).position[NodeIndex{16}].z();
  };
  const double load = tip(false);
  EXPECT_LT(load, -0.1);
  EXPECT_NEAR(tip(true), load, 3e-3 * std::abs(load));
}

SENTENCE("der",
         "a loop of rods joined to each other falls without losing its shape, and hinges of a loop may be joined twice") {
  Scene scene;
  const Vec3 corner[] = {Vec3::Zero(), Vec3::UnitX(), Vec3(0.5, 0.8, 0)};
  for (int i = 0; i < 3; ++i)
    scene.rods.push_back(rod_between(std::string(1, char('a' + i)), corner[i], corner[(i + 1) % 3], 6));
  scene.joints = {
      join(JointKind::rigid, on_rod("a", 1), on_rod("b", 0)), join(JointKind::rigid, on_rod("b", 1), on_rod("c", 0)),
      join(JointKind::ball, on_rod("c", 1), on_rod("a", 0)), join(JointKind::rigid, on_rod("c", 1), on_rod("a", 0))};
  scene.loads.push_back(GravityLoad{});
  const auto model = model_of(scene);
  Der der(model, {});
  EXPECT_EQ(der.joins()->plan().ties.size(), 3u);
  const double h = advised(*model);
  run(der, 0.3, h);
  const Frame f = frame_of(der);
  const double time = h * std::ceil(0.3 / h), fall = 0.5 * 9.81 * time * time;
  for (int n = 0; n < f.position.size(); ++n)
    EXPECT_LT((f.position[NodeIndex{n}] - model->initial.position[NodeIndex{n}] + Vec3(0, 0, fall)).norm(), 1e-9);
}

SENTENCE("der", "a driven body goes where a live input leads it, with the velocity of the input") {
  Scene scene = one_rod(line, 12);
  scene.bodies = {body_at("motor", Vec3::Zero(), 1, Vec3(1, 1, 1))};
  scene.bodies[0].kind = BodyKind::driven, scene.bodies[0].axis = Vec3::UnitX();
  scene.joints = {join(JointKind::rigid, on_rod("rod", 0), on_body("motor"))};
  Der der(model_of(scene), {});
  const double h = 1e-3;
  for (int i = 0; i < 400; ++i) {  // a quarter turn and 4 cm, evenly
    const double t = (i + 1) * h;
    Live live;
    live.paths.add({.move = Vec3(0, 0, 0.1 * t),
                    .turn = 1.25 * pi * t,
                    .body = 0,
                    .move_rate = Vec3(0, 0, 0.1),
                    .turn_rate = 1.25 * pi});
    ASSERT_EQ(der.step(i * h, h, live).outcome, Outcome::fine);
  }
  const Frame f = frame_of(der);
  EXPECT_NEAR((f.bodies[0].pose.position - Vec3(0, 0, 0.04)).norm(), 0, 1e-14);
  EXPECT_NEAR((f.bodies[0].motion.linear - Vec3(0, 0, 0.1)).norm(), 0, 1e-14);
  EXPECT_NEAR((f.bodies[0].motion.angular - Vec3(1.25 * pi, 0, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR(log_rotation(f.bodies[0].pose.orientation).x(), pi / 2, 1e-12);
  EXPECT_NEAR((f.position[NodeIndex{0}] - Vec3(0, 0, 0.04)).norm(), 0, 1e-6);
}

SENTENCE("der", "a driven body winds a rod through many turns, which stay, and a fixed one holds the other end") {
  Scene scene = one_rod(line, 12);
  scene.bodies = {body_at("motor", Vec3::Zero(), 1, Vec3(1, 1, 1)), body_at("rest", Vec3::UnitX(), 1, Vec3(1, 1, 1))};
  scene.bodies[0].kind = BodyKind::driven, scene.bodies[1].kind = BodyKind::fixed;
  scene.bodies[0].axis = Vec3::UnitX();
  scene.bodies[0].turn = ramp(-5);
  scene.joints = {join(JointKind::rigid, on_rod("rod", 0), on_body("motor")),
                  join(JointKind::rigid, on_rod("rod", 1), on_body("rest"))};
  const auto model = model_of(scene);
  for (const bool general : {false, true}) {
    Settings settings;
    settings.general = general;
    Der der(model, settings);
    run(der, 1, 1e-3);
    double twist = 0;
    for (const double t : frame_of(der).twist) twist += t;
    EXPECT_NEAR(twist * 12 / 11, 5 * 2 * pi, 1e-6);
  }
}

SENTENCE("der", "without twist stiffness a body spins freely on its rod and the twist is told, evenly spread") {
  Scene scene = one_rod(line, 12, plain_section(1, 1, 0));
  add_clamp(scene, 0);
  scene.bodies = {body_at("bob", Vec3::UnitX(), 1, Vec3(1, 1, 1))};
  scene.bodies[0].angular_velocity = Vec3(6, 0, 0);
  scene.joints = {join(JointKind::rigid, on_rod("rod", 1), on_body("bob"))};
  for (const bool general : {false, true}) {
    Settings settings;
    settings.general = general;
    Der der(model_of(scene), settings);
    run(der, 2, 1e-3);
    const Frame frame = frame_of(der);
    EXPECT_LT((frame.bodies[0].motion.angular - Vec3(6, 0, 0)).norm(), 1e-9);
    EXPECT_LT(frame.own_energy.twisting, 1e-90);
    if (general) continue;
    for (const double t : frame.twist) EXPECT_NEAR(t, 12.0 / 12, 1e-9);
  }
}

SENTENCE("der", "a guided body slides and turns about its axis only, whatever its rod does") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0.6, 0, -0.8)}, 10);
  scene.bodies = {body_at("slider", Vec3(0.6, 0, -0.8), 1, Vec3(0.02, 0.02, 0.02))};
  scene.bodies[0].kind = BodyKind::guided;
  scene.joints = {join(JointKind::rigid, on_rod("rod", 1), on_body("slider"))};
  scene.loads.push_back(GravityLoad{});
  add_clamp(scene, 0);
  const auto model = model_of(scene);
  Der der(model, {});
  run(der, 0.2, advised(*model));
  const BodyState now = frame_of(der).bodies[0];
  EXPECT_EQ(now.pose.position.head<2>(), Vec2(0.6, 0));
  EXPECT_GT(std::abs(now.motion.linear.z()), 1e-4);
  EXPECT_LT(log_rotation(now.pose.orientation).head<2>().norm(), 1e-12);
}

// T/sqrt(L/g) = 6.392568008 at 30 degrees.  [REFERENCES 6d]
SENTENCE(
    "der",
    "a heavy load on a light rod between two balls swings as a pendulum, with the conserving projection of second order") {
  StiffnessSection thread = plain_section(1e-6, 1e-6, 1e-6);
  thread.mass_per_length = 0.1;
  const auto period = [&](double h) {
    Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0.5, 0, -std::sqrt(0.75))}, 4, thread);
    scene.bodies = {body_at("load", Vec3(0.5, 0, -std::sqrt(0.75)), 10, Vec3(0.01, 0.01, 0.01))};
    scene.joints = {join(JointKind::ball, on_rod("rod", 1), on_body("load")),
                    join(JointKind::ball, on_rod("rod", 0), on_world())};
    scene.loads.push_back(GravityLoad{Vec3(0, 0, -1)});
    const auto model = model_of(scene);
    Settings settings;
    settings.push = Push::conserving;
    Der der(model, settings);
    double before = 0, first = 0;
    for (int i = 0; i * h < 10; ++i) {
      if (der.step(i * h, h, {}).outcome != Outcome::fine) return 0.0;
      const double x = frame_of(der).bodies[0].pose.position.x();
      if (before > 0 && x <= 0) {
        const double time = (i + before / (before - x)) * h;
        if (first > 0) return time - first;
        first = time;
      }
      before = x;
    }
    return 0.0;
  };
  // The thread, straight, with its mass at its nodes: T^2 goes with (M + 0.34375 m)/(M + m/2).
  const double thread_factor = std::sqrt((10 + 0.034375) / (10 + 0.05));
  // Steps that the tension does not divide.
  const double coarse = period(4e-3), fine = period(2e-3), finest = period(1e-3);
  EXPECT_NEAR(finest, thread_factor * 6.392568008, 3e-4);
  EXPECT_NEAR(std::log2((coarse - fine) / (fine - finest)), 2, 0.3) << coarse << " " << fine << " " << finest;
}

SENTENCE("der", "joints without bodies take steps without allocating, and a saved state goes on with the same bits") {
  Scene scene = everything();
  scene.loads.push_back(GravityLoad{});
  const auto model = model_of(scene);
  Der a(model, {}), b(model, {});
  const double h = advised(*model);
  run(a, 50 * h, h);
  StateWriter writer;
  a.visit_state(writer);
  StateReader reader(writer.buffer());
  b.visit_state(reader);
  EXPECT_TRUE(reader.at_end());
  for (int i = 0; i < 100; ++i) a.step(i * h, h, {}), b.step(i * h, h, {});
  StateWriter one, two;
  a.visit_state(one), b.visit_state(two);
  ASSERT_EQ(one.buffer().size(), two.buffer().size());
  EXPECT_EQ(std::memcmp(one.buffer().data(), two.buffer().data(), one.buffer().size()), 0);

  scene.bodies.clear();
  std::erase_if(scene.joints, [](const Joint& j) { return !j.a.body.empty() || !j.b.body.empty(); });
  const auto rods = model_of(scene);
  Der c(rods, {});
  run(c, 10 * h, h);
  const AllocationCount allocations;
  for (int i = 0; i < 20; ++i) c.step(i * h, h, {});
  EXPECT_EQ(allocations.count(), 0);
}

SENTENCE("der", "a body much lighter than its rod is warned of with the mass ratio, a clamp on a welded frame refused") {
  Scene scene = one_rod(line, 10);
  scene.bodies = {body_at("fly", Vec3::UnitX(), 0.01, Vec3(1e-4, 1e-4, 1e-4))};
  scene.joints = {join(JointKind::rigid, on_rod("rod", 1), on_body("fly"))};
  Problems problems;
  check_joins(*model_of(scene), problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].severity, Severity::warning);
  EXPECT_EQ(problems[0].field, "body[0].mass");
  EXPECT_EQ(problems[0].what, "is much lighter than rod rod: mass ratio 0.01");
  add_clamp(scene, 1);
  scene.bodies[0].mass = 1;
  problems.clear();
  check_joins(*model_of(scene), problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].what, "holds a frame that clamp clamp1 holds already");
}

}  // namespace
}  // namespace tendril::der
