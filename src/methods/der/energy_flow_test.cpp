// Each term of the energy balance in motion, against work and losses that are known.
#include <cmath>
#include <numbers>

#include "tendril/tendril.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

constexpr double g = 9.81;
constexpr double rod_length = 0.5, rod_mass = 0.1;  // [m], [kg]

// A straight rod along `along` from the origin, that nothing holds and nothing pulls.
Scene flow_scene(double duration, const Vec3& along = Vec3::UnitX()) {
  Scene scene;
  scene.time.duration = duration, scene.time.frames_per_second = 50;
  Rod rod;
  rod.name = "rod", rod.section = StiffnessSection{500.0, 0.02, 0.02, 0.015, rod_mass / rod_length, 0.01};
  rod.rest = StraightCurve{Vec3::Zero(), rod_length * along}, rod.segments = 10;
  scene.rods.push_back(rod);
  return scene;
}
Clamp flow_clamp(double at, std::vector<Hold> hold = {Hold::position, Hold::direction, Hold::twist}) {
  Clamp clamp;
  clamp.name = at == 0 ? "start" : "end", clamp.rod = "rod", clamp.at = at, clamp.hold = std::move(hold);
  return clamp;
}
Obstacle& flow_floor(Scene& scene, double height, double friction) {
  scene.contact.enabled = true, scene.contact.friction = friction;
  Obstacle floor;
  floor.name = "floor", floor.shape = HalfSpaceShape{Vec3(0, 0, height), Vec3::UnitZ()};
  scene.obstacles.push_back(floor);
  return scene.obstacles.back();
}

struct Flowed {
  RunReport report;
  EnergyFlow flow;
  Energy own;
};
Flowed let_flow(const Scene& scene, double until = -1) {
  Checked<Simulation> simulation = Simulation::open(scene);
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  while (!simulation->finished() && (until < 0 || simulation->time() < until - 1e-9)) simulation->advance();
  const RunReport report = simulation->report();
  EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
  return {report, simulation->frame().flow, simulation->frame().own_energy};
}
// Nothing but this term, and the balance closes.
void expect_only(const Flowed& end, double EnergyFlow::*term, double worst) {
  EnergyFlow others = end.flow;
  others.*term = 0;
  for_each_component(others, [](const char* name, double value) { EXPECT_EQ(value, 0) << name; });
  EXPECT_LT(std::abs(end.report.energy_error), worst) << end.report.last.energy_scale;
}

SENTENCE("der", "energy flow: a clamp that lifts a hanging rod does its weight times the height of work") {
  Scene scene = flow_scene(1.2, -Vec3::UnitZ());
  scene.loads.push_back(GravityLoad{});
  scene.clamps.push_back(flow_clamp(0));
  scene.clamps[0].move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, 0.3)}};
  const Flowed end = let_flow(scene);
  EXPECT_NEAR(end.flow.clamps, rod_mass * g * 0.3, 1e-5);
  expect_only(end, &EnergyFlow::clamps, 1e-4);
}

SENTENCE("der", "energy flow: a clamp that shakes a rod does the work that the rod has at any time") {
  Scene scene = flow_scene(1);
  scene.loads.push_back(GravityLoad{});
  scene.clamps.push_back(flow_clamp(0));
  scene.clamps[0].move.keys = {{0, Vec3::Zero()}, {0.2, Vec3(0, 0, 0.1)}, {0.4, Vec3(0.05, 0, 0)}, {0.7, Vec3(0, 0.1, 0)}};
  scene.clamps[0].turn.keys = {{0, 0}, {0.5, 0.2}};
  scene.clamps[0].axis = Vec3::UnitY();
  const Flowed end = let_flow(scene);
  EXPECT_GT(std::abs(end.flow.clamps), 0.05);
  expect_only(end, &EnergyFlow::clamps, 0.01);
  EXPECT_LT(std::abs(end.report.worst_energy_error), 0.02);
}

SENTENCE("der", "energy flow: a clamp that turns a straight rod does GJ angle^2 / 2 L of work") {
  Scene scene = flow_scene(1.1);
  scene.clamps = {flow_clamp(0), flow_clamp(1)};
  scene.clamps[1].turn.keys = {{0, 0}, {1, 0.4}};
  const Flowed end = let_flow(scene);
  const double angle = 0.4 * 2 * std::numbers::pi;
  EXPECT_NEAR(end.flow.clamps, 0.015 * angle * angle / (2 * rod_length), 1e-5);
  expect_only(end, &EnergyFlow::clamps, 1e-4);
}

SENTENCE("der", "energy flow: a force that pulls a free rod along itself does (F t)^2 / 2 m of work") {
  Scene scene = flow_scene(0.5);
  ForceLoad load;
  load.rod = "rod", load.value = Vec3(0.2, 0, 0);
  for (const Axes axes : {Axes::world, Axes::material}) {  // a follower force too, on a straight rod
    load.axes = axes, load.value = axes == Axes::world ? Vec3(0.2, 0, 0) : Vec3(0, 0, 0.2);
    scene.loads = {load};
    const Flowed end = let_flow(scene);
    EXPECT_NEAR(end.flow.loads, std::pow(0.2 * 0.5, 2) / (2 * rod_mass), 1e-4 * end.flow.loads);
    expect_only(end, &EnergyFlow::loads, 1e-4);
  }
}

SENTENCE("der",
         "energy flow: a clamp that holds position and twist, and turns about an axis across the rod, does the work the rod "
         "gets") {
  Scene scene = flow_scene(1);
  scene.rods[0].damping.mass = 2;
  scene.clamps = {flow_clamp(0), flow_clamp(1, {Hold::position, Hold::twist})};
  scene.clamps[1].axis = Vec3(0.6, 0.8, 0);
  scene.clamps[1].turn.keys = {{0, 0}, {0.8, 0.7}};
  scene.clamps[1].move.keys = {{0, Vec3::Zero()}, {0.8, Vec3(-0.1, 0, 0.05)}};
  const Flowed end = let_flow(scene);
  EXPECT_GT(end.flow.clamps, 0.05);
  EXPECT_LT(std::abs(end.report.worst_energy_error), 0.02);
}

SENTENCE("der", "energy flow: line loads do the work of a weight, and gravity that comes and goes its own") {
  Scene scene = flow_scene(0.5);
  DistributedLoad load;
  load.rod = "rod", load.force = Vec3(0, 0, -rod_mass * g / rod_length);
  scene.loads = {load};
  const Flowed pushed = let_flow(scene);
  EXPECT_NEAR(pushed.flow.loads, rod_mass * g * 0.5 * g * 0.25, 1e-4);
  expect_only(pushed, &EnergyFlow::loads, 1e-4);
  // Gravity is switched off when the rod has fallen by h: its height above any zero is worth nothing any more.
  ChangingGravityLoad gravity;
  gravity.factor.shape = TimetableShape::hold, gravity.factor.keys = {{0, 1}, {0.2, 0}};
  scene.loads = {gravity};
  const Flowed fallen = let_flow(scene);
  EXPECT_NEAR(fallen.flow.gravity, rod_mass * g * 0.5 * g * 0.04, 0.02 * fallen.flow.gravity);
  expect_only(fallen, &EnergyFlow::gravity, 0.02);
}

SENTENCE("der",
         "energy flow: a moment that grows at the end of a rod does M^2 L / 2 GJ of work about it, M^2 L / 2 EI across it") {
  for (const bool about : {true, false}) {
    Scene scene = flow_scene(3);
    scene.clamps = {flow_clamp(0)};
    scene.rods[0].damping.mass = 4;
    MomentLoad load;
    load.rod = "rod", load.value = about ? Vec3(0.01, 0, 0) : Vec3(0, 0.005, 0), load.factor.keys = {{0, 0}, {2, 1}};
    scene.loads = {load};
    const Flowed end = let_flow(scene);
    const double stored = load.value.squaredNorm() * rod_length / (2 * (about ? 0.015 : 0.02));
    EXPECT_NEAR(end.flow.loads - end.flow.damping, stored, 0.08 * stored) << about;  // half a segment of ten at the ends
    EXPECT_LT(std::abs(end.report.energy_error), 0.01) << about;
  }
}

SENTENCE("der", "energy flow: a spring that pulls a rod along itself does k (d0^2 - d^2) / 2 of work; its damper takes") {
  for (const double damping : {0.0, 0.3}) {
    Scene scene = flow_scene(1.7);
    scene.time.step = 1e-4;  // springs are implicit: they lose k h^2/2m of their energy in every step
    Coupling spring;
    spring.name = "spring", spring.rod = "rod", spring.position = Vec3(rod_length + 0.1, 0, 0), spring.stiffness = 2;
    spring.damping = damping;
    scene.couplings = {spring};
    scene.probes.push_back({"end", "rod", 1, "", Quantity::position});
    const Flowed end = let_flow(scene);
    const double d = rod_length + 0.1 - end.report.last.probes[0].value[0];
    const double spring_work = 0.5 * 2 * (0.01 - d * d);
    if (damping == 0) {
      EXPECT_NEAR(end.flow.hands, spring_work, 0.01 * 0.01);
    } else {
      EXPECT_LT(end.flow.hands, spring_work - 1e-3);
    }
    expect_only(end, &EnergyFlow::hands, 0.02);
  }
}

SENTENCE("der", "energy flow: at terminal velocity drag takes weight times speed") {
  Scene scene = flow_scene(2);
  scene.loads = {GravityLoad{}, DragLoad{"", 2.0, 0.5}};
  const double speed = rod_mass * g / (2.0 * rod_length);
  const Flowed early = let_flow(scene, 1), late = let_flow(scene, 2);
  EXPECT_NEAR(late.flow.drag - early.flow.drag, rod_mass * g * speed, 1e-3 * rod_mass * g * speed);
  expect_only(late, &EnergyFlow::drag, 2e-3);
}

SENTENCE("der", "energy flow: wind on a rod that is held does force times its speed of work, and drag takes it all") {
  Scene scene = flow_scene(1);
  scene.rods[0].section = StiffnessSection{500.0, 0.5, 0.5, 0.5, rod_mass / rod_length, 0.01};
  scene.clamps = {flow_clamp(0)};
  WindLoad wind;
  wind.velocity = Vec3(0, 3, 0);
  scene.loads = {wind};
  const Flowed end = let_flow(scene);
  const double force = 0.5 * 1.2 * 1.2 * 0.02 * 9 * rod_length * 0.95;  // half a segment of ten is held
  EXPECT_NEAR(end.flow.wind, force * 3, 0.02 * force * 3);
  EXPECT_NEAR(end.flow.drag, end.flow.wind, 0.01 * end.flow.wind);
  EXPECT_LT(std::abs(end.report.energy_error), 1e-3);
}

SENTENCE("der", "energy flow: mass damping takes what a rod loses that flies freely, kinetic energy times 1 - exp(-2 c t)") {
  Scene scene = flow_scene(0.5);
  scene.rods[0].velocity = Vec3(1, 2, 0), scene.rods[0].damping.mass = 1.5;
  const Flowed end = let_flow(scene);
  EXPECT_NEAR(end.flow.damping, 0.5 * rod_mass * 5 * (1 - std::exp(-2 * 1.5 * 0.5)), 2e-3 * end.flow.damping);
  expect_only(end, &EnergyFlow::damping, 1e-3);
}

SENTENCE("der", "energy flow: internal damping takes what a bent rod loses that rings") {
  Scene scene = flow_scene(1);
  scene.clamps = {flow_clamp(0)};
  scene.rods[0].damping.internal = 0.01;
  scene.loads = {GravityLoad{}};
  const Flowed end = let_flow(scene);
  EXPECT_GT(end.flow.damping, 0.01);
  expect_only(end, &EnergyFlow::damping, 0.03);
}

SENTENCE("der", "energy flow: friction of a rod that slides takes mu times weight times distance") {
  Scene scene = flow_scene(0.6);
  flow_floor(scene, -0.01, 0.2);
  scene.rods[0].velocity = Vec3(1, 0, 0);
  scene.loads = {GravityLoad{}};
  scene.probes.push_back({"end", "rod", 0, "", Quantity::position});
  const Flowed moving = let_flow(scene, 0.3);
  EXPECT_NEAR(moving.flow.friction, 0.2 * rod_mass * g * moving.report.last.probes[0].value[0], 0.01 * moving.flow.friction);
  const Flowed end = let_flow(scene);  // it stops after 0.51 s
  EXPECT_NEAR(end.flow.friction, 0.5 * rod_mass, 0.01 * 0.5 * rod_mass);
  EXPECT_LT(std::abs(end.flow.impacts), 0.01 * end.flow.friction);
  EXPECT_LT(std::abs(end.report.energy_error), 0.01);
}

SENTENCE("der", "energy flow: an impact takes what a rod had that falls flat on the floor and stays there") {
  Scene scene = flow_scene(0.5);
  flow_floor(scene, -0.21, 0);
  scene.loads = {GravityLoad{}};
  const Flowed end = let_flow(scene);
  EXPECT_NEAR(end.flow.impacts, rod_mass * g * 0.2, 0.02 * rod_mass * g * 0.2);
  EXPECT_LT(std::abs(end.report.energy_error), 0.02);
}

SENTENCE("der", "energy flow: a floor that rises under a rod does its weight times the height of work") {
  Scene scene = flow_scene(1.2);
  flow_floor(scene, -0.01, 0).move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, 0.2)}};
  scene.loads = {GravityLoad{}};
  const Flowed end = let_flow(scene);
  EXPECT_NEAR(end.flow.obstacles, rod_mass * g * 0.2, 0.01 * rod_mass * g * 0.2);
  EXPECT_LT(std::abs(end.report.energy_error), 0.01);
}

SENTENCE("der", "energy flow: a floor that slides under a rod drags it along, and friction takes as much as the rod gets") {
  Scene scene = flow_scene(1);
  Obstacle& floor = flow_floor(scene, -0.01, 0.2);
  floor.move.shape = TimetableShape::linear, floor.move.keys = {{0, Vec3::Zero()}, {10, Vec3(10, 0, 0)}};
  scene.loads = {GravityLoad{}};
  const Flowed end = let_flow(scene);  // as fast as the floor after 0.51 s
  EXPECT_NEAR(end.flow.obstacles, rod_mass, 0.02 * rod_mass);
  EXPECT_NEAR(end.flow.friction, 0.5 * rod_mass, 0.02 * 0.5 * rod_mass);
  EXPECT_LT(std::abs(end.report.energy_error), 0.02);
}

SENTENCE("der", "energy flow: a driven body that lifts a rod does its weight times the height of work") {
  for (const JointKind kind : {JointKind::ball, JointKind::rigid}) {
    Scene scene = flow_scene(1.2, -Vec3::UnitZ());
    scene.loads = {GravityLoad{}};
    RigidBody body;
    body.name = "crane", body.kind = BodyKind::driven, body.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, 0.3)}};
    scene.bodies = {body};
    scene.joints.push_back({"hook", kind, {"rod", 0}, {"", 0, "crane"}, Vec3::UnitZ()});
    const Flowed end = let_flow(scene);
    EXPECT_NEAR(end.flow.bodies, rod_mass * g * 0.3, 0.01 * rod_mass * g * 0.3);
    expect_only(end, &EnergyFlow::bodies, 0.01);
  }
}

SENTENCE("der", "energy flow: a body that falls on the ground and stays there loses what it had to impacts") {
  Scene scene = flow_scene(0.6);
  scene.clamps = {flow_clamp(0)};
  scene.rods[0].section = StiffnessSection{500.0, 0.02, 0.02, 0.015, 1e-3, 0.001};
  scene.time.step = 1e-4;
  RigidBody body;
  body.name = "box", body.mass = 1, body.shape = BoxBody{Vec3(0.1, 0.1, 0.1)}, body.position = Vec3(2, 0, 0.35);
  scene.bodies = {body};
  Obstacle floor;
  floor.name = "floor", floor.shape = HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()};
  scene.obstacles = {floor};
  scene.loads = {GravityLoad{}};
  const Flowed end = let_flow(scene);
  EXPECT_NEAR(end.flow.impacts, g * 0.3, 0.02 * g * 0.3);
  EXPECT_LT(std::abs(end.report.energy_error), 0.02);
}

SENTENCE("der", "energy flow: a run that is saved and loaded goes on with the same work and losses") {
  Scene scene = flow_scene(0.4);
  scene.clamps = {flow_clamp(0)};
  scene.clamps[0].move.keys = {{0, Vec3::Zero()}, {0.3, Vec3(0, 0.1, 0.1)}};
  scene.rods[0].damping.mass = 1;
  scene.loads = {GravityLoad{}, DragLoad{"", 0.1, 0.1}};
  Checked<Simulation> whole = Simulation::open(scene);
  while (whole->time() < 0.2 - 1e-9) whole->advance();
  Simulation fork = whole->fork();
  while (!whole->finished()) whole->advance();
  while (!fork.finished()) fork.advance();
  EXPECT_EQ(whole->frame().flow.clamps, fork.frame().flow.clamps);
  EXPECT_EQ(whole->frame().flow.drag, fork.frame().flow.drag);
  EXPECT_EQ(whole->report().worst_energy_error, fork.report().worst_energy_error);
}

SENTENCE("der",
         "energy flow: an obstacle that lifts a body does its weight times the height, and a body that slides to rest loses "
         "to friction") {
  Scene scene = flow_scene(1, -Vec3::UnitZ());
  scene.clamps.push_back(flow_clamp(0));
  scene.rods[0].rest = StraightCurve{Vec3(5, 0, 1), Vec3(5, 0, 0.5)};
  scene.loads.push_back(GravityLoad{});
  scene.contact.enabled = true, scene.contact.friction = 0.3;
  RigidBody box;
  box.name = "box", box.mass = 1, box.shape = BoxBody{Vec3(0.2, 0.2, 0.2)}, box.position = Vec3(0, 0, 0.1),
  box.friction = 0.3;
  scene.bodies = {box};
  Obstacle plate;
  plate.name = "plate", plate.shape = BoxShape{.center = Vec3(0, 0, -0.05), .size = Vec3(4, 1, 0.1)};
  scene.obstacles = {plate};
  Scene lift = scene, slide = scene;
  lift.obstacles[0].move.keys = {{0, Vec3::Zero()}, {0.8, Vec3(0, 0, 0.5)}};
  const Flowed lifted = let_flow(lift);
  EXPECT_NEAR(lifted.flow.obstacles, g * 0.5, 0.01 * g);
  EXPECT_LT(std::abs(lifted.flow.impacts), 0.01 * g);
  EXPECT_LT(std::abs(lifted.report.energy_error), 0.01);
  slide.bodies[0].velocity = Vec3(1.5, 0, 0);
  const Flowed slid = let_flow(slide);
  EXPECT_NEAR(slid.flow.friction, 0.5 * 1.5 * 1.5, 0.02);
  EXPECT_LT(std::abs(slid.flow.impacts), 0.02);
}

}  // namespace
}  // namespace tendril
