// Scenes that once gave silently wrong results, as files: fast turns, thin shelves, tiny bodies.
#include <malloc.h>
#include <tendril_paths.h>

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
Simulation attacked(const Scene& scene) { return std::move(*Simulation::open(scene)); }
RunReport run_to_end(Simulation& simulation) { return simulate(simulation, {}); }
std::vector<double> last_value(const RunReport& report, std::size_t probe) { return report.last.probes.at(probe).value; }

SENTENCE("run", "attack turn_aliasing: a hundred turns at 3000 rpm are a hundred turns, with the right sign") {
  for (const double turns : {100.0, 60.0, 120.0, -100.0}) {
    Scene scene = attack("turn_aliasing");
    scene.clamps[1].turn.keys[1].value = turns;
    Simulation simulation = attacked(scene);
    const RunReport report = run_to_end(simulation);
    EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
    EXPECT_EQ(report.retries, 0);
    // GJ 2 pi turns / L
    EXPECT_NEAR(last_value(report, 1)[0], 1e-4 * math::two_pi * turns, 1e-8 * std::abs(turns));
  }
}

SENTENCE("run", "equilibria wind up by all turns of a clamp too, however few frames there are, with every method") {
  for (const char* method : {"der", "strands"}) {
    Scene scene = attack("turn_aliasing");
    scene.method = method;
    scene.time.mode = Mode::quasistatic;
    scene.time.frames_per_second = 1;
    scene.clamps[1].turn.keys[1].value = 6;
    std::get<StiffnessSection>(*scene.rods[0].section).EI1 = 1e-3;  // stiff enough to stay straight
    std::get<StiffnessSection>(*scene.rods[0].section).EI2 = 1e-3;
    Simulation simulation = attacked(scene);
    const RunReport report = run_to_end(simulation);
    EXPECT_EQ(report.outcome, Outcome::fine) << method << report.message;
    EXPECT_NEAR(last_value(report, 1)[0], 1e-4 * math::two_pi * 6, 1e-9) << method;
  }
}

SENTENCE("run", "attack body_tunnels: a ball that falls on a shelf of 5 mm lies on it at any number of frames per second") {
  for (const double fps : {10.0, 30.0, 60.0, 120.0, 500.0}) {
    Scene scene = attack("body_tunnels");
    scene.time.frames_per_second = fps;
    Simulation simulation = attacked(scene);
    const RunReport report = run_to_end(simulation);
    EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
    EXPECT_NEAR(last_value(report, 0)[2], 0.0225, 0.001) << fps;
  }
}

SENTENCE("run", "attack ode_assertion_microbody: boxes of a micrometre stand on each other as those of a metre do") {
  Simulation simulation = attacked(attack("ode_assertion_microbody"));
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
  Simulation simulation = attacked(scene);
  const RunReport report = run_to_end(simulation);
  EXPECT_EQ(report.outcome, Outcome::diverged);
  EXPECT_NE(report.message.find("the rigid bodies could not be moved"), std::string::npos) << report.message;
  EXPECT_TRUE(std::isfinite(simulation.frame().bodies[0].pose.position.sum()));
}

// A ball on a rope swings against a shelf on which a box lies; all numbers in units of length, mass and time.
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
  hook.name = "hook", hook.rod = "rope", hook.at = 0, hook.hold = {Hold::position};
  scene.clamps = {hook};
  const auto body = [&](const char* name, const BodyShape& shape, const Vec3& at, double mass) {
    RigidBody b;
    b.name = name, b.shape = shape, b.position = L * at, b.mass = mass * M, b.friction = 0.4;
    scene.bodies.push_back(b);
  };
  body("ball", SphereBody{0.06 * L}, Vec3(0.66, 0, 0.9), 0.6);
  body("box", BoxBody{L * Vec3(0.12, 0.12, 0.12)}, Vec3(-0.1, 0, 0.3701), 0.3);
  Joint weld;
  weld.name = "weld", weld.kind = JointKind::rigid, weld.a = {"rope", 1}, weld.b = {"", 0, "ball"};
  scene.joints = {weld};
  Obstacle shelf;
  shelf.name = "shelf", shelf.shape = BoxShape{L * Vec3(0, 0, 0.3), L * Vec3(0.5, 0.5, 0.02)};
  scene.obstacles = {shelf};
  scene.loads = {GravityLoad{L / (T * T) * Vec3(0, 0, -9.81)}};
  return scene;
}

SENTENCE("run", "scenes with ropes, bodies and contact, scaled by powers of two in length, mass and time, go the same way") {
  const auto end_of = [](const Scene& scene) {
    Simulation simulation = attacked(scene);
    const RunReport report = run_to_end(simulation);
    EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
    return simulation.frame();
  };
  const Frame usual = end_of(scaled_scene(1, 1, 1));
  EXPECT_NEAR((usual.bodies[1].pose.position - Vec3(-0.1, 0, 0.3701)).norm(), 1e-4, 1e-5) << "the box lies on the shelf";
  for (const auto& [l, m, t] :
       {std::array{-10, 0, 0}, {-30, 0, 0}, {10, 0, 0}, {0, -40, 0}, {0, 40, 0}, {0, 0, -30}, {0, 0, 10}}) {
    const double L = std::ldexp(1, l);
    const Frame scaled = end_of(scaled_scene(L, std::ldexp(1, m), std::ldexp(1, t)));
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ((scaled.bodies[i].pose.position / L - usual.bodies[i].pose.position).norm(), 0) << l << " " << m << " " << t;
    for (int n = 0; n < usual.position.size(); ++n)
      EXPECT_EQ((scaled.position[NodeIndex{n}] / L - usual.position[NodeIndex{n}]).norm(), 0) << l << " " << m << " " << t;
  }
}

// What a frame says of forces and energies, at the start and after a few steps, with the allocator filling memory by `fill`.
std::vector<double> felt_with_memory(int fill) {
  mallopt(M_PERTURB, fill);
  std::vector<double> felt;
  Simulation simulation = attacked(scaled_scene(1, 1, 1));
  for (int step = 0; step < 4; ++step) {
    const Frame& frame = simulation.frame();
    for (const Wrench& w : frame.reactions) felt.insert(felt.end(), {w.force.x(), w.force.y(), w.force.z(), w.moment.x()});
    for (const Vec3& f : frame.force) felt.insert(felt.end(), {f.x(), f.y(), f.z()});
    for (const Vec3& m : frame.moment) felt.insert(felt.end(), {m.x(), m.y(), m.z()});
    for_each_component(frame.own_energy, [&](const char*, double e) { felt.push_back(e); });
    simulation.advance();
  }
  mallopt(M_PERTURB, 0);
  return felt;
}

SENTENCE("run",
         "forces of the first frames do not depend on what lay in memory, with contact, friction, bodies and joints") {
  const std::vector<double> usual = felt_with_memory(0);
  EXPECT_EQ(felt_with_memory(165), usual);
  EXPECT_EQ(felt_with_memory(90), usual);
}

}  // namespace
}  // namespace tendril
