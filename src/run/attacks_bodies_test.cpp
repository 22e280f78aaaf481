// Scenes that once gave silently wrong results, as files: fast turns, thin shelves, tiny bodies.
#include <cmath>
#include <filesystem>

#include "math/number.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

Scene attack(const std::string& name) {
  return *read_scene_file(std::filesystem::path(TENDRIL_SOURCE_DIR) / "testing" / "attacks" / (name + ".toml"));
}
RunReport run_to_end(Simulation& simulation) { return simulate(simulation, {}); }
std::vector<double> last_value(const RunReport& report, std::size_t probe) { return report.last.probes.at(probe).value; }

SENTENCE("run", "attack turn_aliasing: a hundred turns at 3000 rpm are a hundred turns, with the right sign") {
  for (const double turns : {100.0, 60.0, 120.0, -100.0}) {
    Scene scene = attack("turn_aliasing");
    scene.clamps[1].turn.keys[1].value = turns;
    Simulation simulation = *Simulation::open(scene);
    const RunReport report = run_to_end(simulation);
    EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
    EXPECT_EQ(report.retries, 0);
    // GJ 2 pi turns / L
    EXPECT_NEAR(last_value(report, 1)[0], 1e-4 * math::two_pi * turns, 1e-8 * std::abs(turns));
  }
}

SENTENCE("run", "equilibria wind up by all turns too, few frames or many, with clamps and with a coupling that turns") {
  for (const char* method : {"der", "strands"}) {
    Scene scene = attack("turn_aliasing");
    scene.method = method;
    scene.time.mode = Mode::quasistatic;
    scene.time.frames_per_second = 1;
    scene.clamps[1].turn.keys[1].value = 6;
    std::get<StiffnessSection>(scene.rods[0].section).EI1 = 1;  // stiff enough to stay straight
    std::get<StiffnessSection>(scene.rods[0].section).EI2 = 1;
    Simulation simulation = *Simulation::open(scene);
    const RunReport report = run_to_end(simulation);
    EXPECT_EQ(report.outcome, Outcome::fine) << method << report.message;
    EXPECT_NEAR(last_value(report, 1)[0], 1e-4 * math::two_pi * 6, 1e-9) << method;
  }
  Scene scene = attack("turn_aliasing");
  scene.method = "strands";
  scene.time.mode = Mode::statics;
  std::get<StiffnessSection>(scene.rods[0].section).EI1 = 1;
  std::get<StiffnessSection>(scene.rods[0].section).EI2 = 1;
  scene.clamps.resize(1);
  scene.probes.resize(1);
  Coupling key;
  key.name = "key", key.rod = "r", key.at = 1, key.stiffness = 1, key.angular_stiffness = 0.01;
  key.turn = {TimetableShape::linear, {{0, 0}, {2, 5}}};
  scene.couplings = {key};
  scene.probes[0] = {"moment", "", 0, "", Quantity::reaction_moment};
  scene.probes[0].coupling = "key";
  Simulation simulation = *Simulation::open(scene);
  const RunReport report = run_to_end(simulation);
  EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
  const double shared = 1 / (1 / 0.01 + 1 / 1e-4);  // spring and rod in a row
  EXPECT_NEAR(last_value(report, 0)[0], shared * math::two_pi * 5, 1e-7);
}

SENTENCE("run", "attack body_tunnels: a ball that falls on a shelf of 5 mm lies on it at any number of frames per second") {
  for (const double fps : {10.0, 30.0, 60.0, 120.0, 500.0}) {
    Scene scene = attack("body_tunnels");
    scene.time.frames_per_second = fps;
    Simulation simulation = *Simulation::open(scene);
    const RunReport report = run_to_end(simulation);
    EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
    EXPECT_NEAR(last_value(report, 0)[2], 0.0225, 0.001) << fps;
  }
}

SENTENCE("run", "attack ode_assertion_microbody: boxes of a micrometre stand on each other as those of a metre do") {
  Simulation simulation = *Simulation::open(attack("ode_assertion_microbody"));
  const RunReport report = run_to_end(simulation);
  EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
  const Frame& frame = simulation.frame();
  EXPECT_NEAR(frame.bodies[0].pose.position.z(), 0.5e-6, 1e-8);
  EXPECT_NEAR(frame.bodies[1].pose.position.z(), 1.5e-6, 1e-8);
}

SENTENCE("run", "a run whose bodies cannot be moved ends as diverged with a sentence, and keeps its last good state") {
  Scene scene = attack("body_tunnels");
  scene.time.step = 1e-3;
  scene.bodies[0].velocity = Vec3(0, 0, -1e12);  // through the shelf in less than any part of a step
  Simulation simulation = *Simulation::open(scene);
  const RunReport report = run_to_end(simulation);
  EXPECT_EQ(report.outcome, Outcome::diverged);
  EXPECT_NE(report.message.find("the rigid bodies could not be moved"), std::string::npos) << report.message;
  EXPECT_TRUE(std::isfinite(simulation.frame().bodies[0].pose.position.sum()));
}

// A ball on a rope strikes a box on a shelf; all numbers in units of length, mass and time.
Scene scaled_scene(double L, double M, double T) {
  const double force = M * L / (T * T);
  Scene scene;
  scene.time.duration = 1 * T, scene.time.frames_per_second = 64 / T;
  scene.contact.enabled = true, scene.contact.friction = 0.3;
  Rod rope;
  rope.name = "rope";
  StiffnessSection section;
  section.EI1 = section.EI2 = section.GJ = 2e-4 * force * L * L;
  section.mass_per_length = 0.1 * M / L, section.radius = 0.006 * L;
  rope.section = section;
  rope.rest = StraightCurve{L * Vec3(0, 0, 0.9), L * Vec3(0.6, 0, 0.9)};
  rope.segments = 12;
  rope.damping.mass = 0.1 / T;
  scene.rods = {rope};
  Clamp hook;
  hook.rod = "rope", hook.at = 0, hook.hold = {Hold::position};
  scene.clamps = {hook};
  const auto body = [&](const char* name, const BodyShape& shape, const Vec3& at, double mass) {
    RigidBody b;
    b.name = name, b.shape = shape, b.position = L * at, b.mass = mass * M, b.friction = 0.4;
    scene.bodies.push_back(b);
  };
  body("ball", SphereBody{0.06 * L}, Vec3(0.66, 0, 0.9), 0.6);
  body("box", BoxBody{L * Vec3(0.12, 0.12, 0.12)}, Vec3(-0.1, 0, 0.3701), 0.3);
  Joint weld;
  weld.kind = JointKind::rigid, weld.a = {"rope", 1}, weld.b = {"", 0, "ball"};
  scene.joints = {weld};
  Obstacle shelf;
  shelf.shape = BoxShape{L * Vec3(0, 0, 0.3), L * Vec3(0.5, 0.5, 0.02)};
  scene.obstacles = {shelf};
  scene.loads = {GravityLoad{L / (T * T) * Vec3(0, 0, -9.81)}};
  return scene;
}

SENTENCE("run", "scenes with ropes, bodies and contact, scaled by powers of two in length, mass and time, go the same way") {
  const auto end_of = [](const Scene& scene) {
    Simulation simulation = *Simulation::open(scene);
    const RunReport report = run_to_end(simulation);
    EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
    return simulation.frame();
  };
  const Frame usual = end_of(scaled_scene(1, 1, 1));
  EXPECT_GT((usual.bodies[1].pose.position - Vec3(-0.1, 0, 0.3701)).norm(), 0.02) << "the ball strikes the box";
  for (const auto& [l, m, t] : {std::array{-10, 0, 0}, {-30, 0, 0}, {10, 0, 0}, {0, -40, 0}, {0, 40, 0}, {0, 0, -30}, {0, 0, 10}}) {
    const double L = std::ldexp(1, l);
    const Frame scaled = end_of(scaled_scene(L, std::ldexp(1, m), std::ldexp(1, t)));
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ((scaled.bodies[i].pose.position / L - usual.bodies[i].pose.position).norm(), 0) << l << " " << m << " " << t;
    for (int n = 0; n < usual.position.size(); ++n)
      EXPECT_EQ((scaled.position[NodeIndex{n}] / L - usual.position[NodeIndex{n}]).norm(), 0) << l << " " << m << " " << t;
  }
}

}  // namespace
}  // namespace tendril
