#include "methods/strands/strands.h"

#include <cmath>

#include "run/check.h"
#include "run/open.h"
#include "tendril/tendril.h"
#include "testing/reactions_of.h"
#include "testing/sentence.h"

namespace tendril::strands {
namespace {

Scene one_strand(const Curve& rest, int segments, std::optional<double> EA = {}) {
  Scene scene;
  scene.title = "strand";
  scene.method = "strands";
  scene.time.mode = Mode::statics;
  Rod rod;
  rod.name = "strand";
  rod.rest = rest;
  rod.section = StiffnessSection{.EA = EA, .EI1 = 1, .EI2 = 0.7, .GJ = 0.5, .mass_per_length = 1, .radius = 0.01};
  rod.segments = segments;
  scene.rods.push_back(rod);
  Clamp wall;
  wall.name = "wall";
  wall.rod = "strand";
  scene.clamps.push_back(wall);
  return scene;
}
Clamp& add_end(Scene& scene) {
  Clamp end = scene.clamps.front();
  end.name = "end";
  end.at = 1;
  scene.clamps.push_back(end);
  return scene.clamps.back();
}
Simulation finished(const Scene& scene) {
  Checked<Simulation> simulation = Simulation::open(scene);
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  while (!simulation->finished()) simulation->advance();
  EXPECT_EQ(simulation->report().outcome, Outcome::fine) << simulation->report().message;
  return std::move(*simulation);
}
const StraightCurve line{Vec3::Zero(), Vec3::UnitX()};

SENTENCE("strands", "a curved and twisted rod has no energy and no stress at rest, whatever its curve") {
  const HelixCurve helix{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), 0.3, 0.2, 2};
  const SineCurve sine{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1, 0.2, 2};
  for (const Curve& curve : {Curve(helix), Curve(sine)}) {
    Scene scene = one_strand(curve, 60);
    scene.rods[0].natural_twist = 3;
    const Simulation simulation = finished(scene);
    EXPECT_LT(simulation.frame().own_energy.total(), 1e-18);
    for (int i = 0; i <= 60; ++i)
      EXPECT_LT((simulation.frame().position[NodeIndex(i)] - model_of(simulation).rest_position[NodeIndex(i)]).norm(), 1e-9);
  }
}

SENTENCE("strands", "clamps balance weight, point loads and loads along the rod") {
  Scene scene = one_strand(line, 40);
  add_end(scene).move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.2, 0.1, 0)}};
  Clamp middle = scene.clamps[0];
  middle.name = "middle", middle.at = 0.5, middle.hold = {tendril::Hold::position};
  middle.move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.08, 0.12, 0.05)}};
  scene.clamps.push_back(middle);
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -2)});
  ForceLoad force;
  force.rod = "strand", force.at = 0.25, force.value = Vec3(0.5, 1, 0);
  scene.loads.push_back(force);
  DistributedLoad along;
  along.rod = "strand", along.from = 0.5, along.to = 1, along.force = Vec3(0, 1, 0);
  scene.loads.push_back(along);
  const Simulation simulation = finished(scene);
  Vec3 sum = Vec3(0, 0, -2) + force.value + Vec3(0, 0.5, 0);
  for (const Wrench& w : simulation.reactions()) sum += w.force;
  EXPECT_LT(sum.norm(), 1e-8);
  EXPECT_LT(simulation.reactions()[2].moment.norm(), 1e-12);  // a pin
}

SENTENCE("strands", "thirty turns stay thirty turns on twenty segments, which are cut into parts") {
  Scene scene = one_strand(line, 20);
  scene.time.mode = Mode::quasistatic;
  scene.time.frames_per_second = 4;
  scene.rods[0].section = StiffnessSection{.EA = {}, .EI1 = 50, .EI2 = 50, .GJ = 0.5, .mass_per_length = 1, .radius = 0.01};
  add_end(scene).turn.keys = {{0, 0.0}, {1, 30.0}};
  const Simulation simulation = finished(scene);
  double twist = 0;
  for (const double t : simulation.frame().twist) twist += t;
  EXPECT_NEAR(twist * 20 / 19, 60 * math::pi, 1e-6);  // the half edges at the walls hold the rest
  EXPECT_NEAR(simulation.reactions()[1].moment.x(), 0.5 * 60 * math::pi, 1e-6);
}

SENTENCE("strands", "an adaptive mesh puts its parts where the strand bends, and meets its tolerance") {
  const auto tip = [](const char* order, int segments, double tolerance, int& most, int& least) {
    Scene scene = one_strand(line, segments);
    ForceLoad load;
    load.rod = "strand", load.value = Vec3(0, 80, 0);
    scene.loads.push_back(load);
    scene.options["strands"] = {{"order", std::string(order)}, {"mesh_tolerance", tolerance}};
    Checked<Simulation> simulation = Simulation::open(scene);
    EXPECT_TRUE(simulation);
    const Checked<Model> model = build_model(scene);
    Strands method(std::make_shared<const Model>(*model),
                   Settings::from(Options(entry().info.options, scene.options["strands"])));
    for (const double factor : {0.1, 0.3, 1.0}) EXPECT_EQ(method.relax(1, factor, {}).outcome, Outcome::fine);
    const std::vector<int>& parts = method.line(0).mesh.parts;
    most = parts.front(), least = parts.back();
    return method.line(0).solver.states().back().r;
  };
  int most = 0, least = 0, none = 0;
  const V exact = tip("4", 400, 0, none, none), plain = tip("2", 20, 0, none, none);
  for (const double tolerance : {1e-3, 1e-5}) {
    const V found = tip("2", 20, tolerance, most, least);
    EXPECT_LT(norm(found - exact), tolerance);
    EXPECT_GT(most, 2 * least);  // the wall's boundary layer
  }
  EXPECT_GT(norm(plain - exact), 1e-3);
}

SENTENCE("strands", "velocities, dynamics, rings and twist without direction are refused, naming who can") {
  const auto told = [](const Scene& scene) { return to_text(check(scene)); };
  Scene moving = one_strand(line, 20);
  moving.rods[0].velocity = Vec3(0, 1, 0);
  EXPECT_NE(told(moving).find("methods that can: der"), std::string::npos) << told(moving);
  Scene dynamic = one_strand(line, 20);
  dynamic.time.mode = Mode::dynamics;
  EXPECT_NE(told(dynamic).find("computes equilibria only"), std::string::npos);
  Scene pinned = one_strand(line, 20);
  pinned.clamps[0].hold = {tendril::Hold::position, tendril::Hold::twist};
  EXPECT_NE(told(pinned).find("clamp[0].hold: method `strands` holds the twist only together with the direction, but clamp "
                              "`wall` holds the twist alone; methods that can: der"),
            std::string::npos)
      << told(pinned);
  Scene free = one_strand(line, 20);
  free.clamps.clear();
  EXPECT_TRUE(has_errors(check(free))) << told(free);
  Scene limp = one_strand(line, 20);
  limp.rods[0].section = StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 0, .mass_per_length = 1, .radius = 0.01};
  EXPECT_NE(
      told(limp).find("section.stiffness.GJ: method `strands` needs a torsional stiffness GJ > 0, but rod `strand` has "
                      "none; methods that can: der"),
      std::string::npos)
      << told(limp);
  Scene late = one_strand(line, 20);
  late.clamps[0].from = 0.5;
  EXPECT_NE(told(late).find("no clamp holds the position of rod strand"), std::string::npos) << told(late);
  Scene far = one_strand(line, 20);
  add_end(far).move.keys = {{0, Vec3::Zero()}, {1, Vec3(0.5, 0, 0)}};
  EXPECT_NE(told(far).find("are 1.5 m apart at t = 1 s but the rod between them is 1 m long"), std::string::npos)
      << told(far);
  Scene soft = one_strand(line, 20);
  soft.rods[0].stretch = soft.rods[0].shear = Give::elastic;
  EXPECT_NE(told(soft).find("stiffness.EA: not given"), std::string::npos) << told(soft);
  EXPECT_NE(told(soft).find("stiffness.GA2: not given"), std::string::npos) << told(soft);
}

SENTENCE("strands", "a beam that shears gives way by P L/GA more at its tip, and its shearing energy is half of that work") {
  const double P = 1e-3, L = 1, GA = 2;
  double tip[2];
  for (const bool shears : {false, true}) {
    Scene scene = one_strand(line, 200);
    scene.rods[0].section =
        StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1, .radius = 0, .GA1 = GA, .GA2 = GA};
    scene.rods[0].shear = shears ? Give::elastic : Give::none;
    ForceLoad force;
    force.rod = "strand", force.value = Vec3(0, P, 0);
    scene.loads = {force};
    const Simulation simulation = finished(scene);
    tip[shears] = simulation.frame().position[NodeIndex(200)].y();
    const double shearing = shears ? 0.5 * P * P * L / GA : 0;
    EXPECT_NEAR(simulation.frame().own_energy.shearing, shearing, 1e-5 * shearing);
    EXPECT_NEAR(simulation.measures().energy.shearing, shearing, 1e-5 * shearing);
    EXPECT_EQ(simulation.frame().own_energy.stretching, 0);
  }
  EXPECT_NEAR(tip[0], P * L * L * L / 3, 1e-4 * tip[0]);
  EXPECT_NEAR(tip[1] - tip[0], P * L / GA, 1e-4 * tip[1]);
}

SENTENCE("strands", "a rod that stiffens is bent by a moment as its law says, and the yardstick knows its energy") {
  const double M = 3, k = 2;
  Scene scene = one_strand(line, 100);
  scene.rods[0].section = StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1, .radius = 0};
  scene.rods[0].stiffening_strain = k;
  MomentLoad moment;
  moment.rod = "strand", moment.value = Vec3(0, 0, M);
  scene.loads = {moment};
  const Simulation simulation = finished(scene);
  const double strain = strain_of(Law{k}, 1, M).value;
  const Vec3 direction = director(simulation.frame().orientation[EdgeIndex(99)], 2);
  EXPECT_NEAR(std::atan2(direction.y(), direction.x()), strain * 0.995, 1e-6);
  EXPECT_NEAR(simulation.measures().energy.bending, energy_of(Law{k}, 1, strain), 1e-4);
  EXPECT_NEAR(simulation.frame().own_energy.bending, energy_of(Law{k}, 1, strain), 1e-6);
}

SENTENCE("strands",
         "a clamp driven out of reach while it runs is held at the nearest place in reach, and that is reported") {
  Scene scene = one_strand(line, 40);
  add_end(scene).move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.2, 0, 0)}};
  const Checked<Model> model = build_model(scene);
  Strands method(std::make_shared<const Model>(*model), Settings::from(Options(entry().info.options, {})));
  for (const double factor : {0.25, 0.5, 0.75, 1.0}) ASSERT_EQ(method.relax(1, factor, {}).outcome, Outcome::fine);
  Live live;
  PathInput path;
  path.clamp = 1, path.move = Vec3(0.4, 0.3, 0);
  live.paths.add(path);
  const StepReport report = method.relax(1, 1, live);
  EXPECT_EQ(report.outcome, Outcome::fine);
  EXPECT_EQ(report.cause, Cause::clamp_out_of_reach);
  const V tip = method.line(0).solver.states().back().r;
  EXPECT_NEAR(norm(tip), 0.995, 1e-6);
  EXPECT_NEAR(tip.y / tip.x, 0.3 / 1.2, 1e-6);
}

SENTENCE("strands", "a hand holds a node inside the strand by its spring") {
  Scene scene = one_strand(line, 40);
  const Checked<Model> model = build_model(scene);
  Strands method(std::make_shared<const Model>(*model), Settings::from(Options(entry().info.options, {})));
  Live live;
  Hand hand;
  hand.rod = 0, hand.material = 0.5, hand.stiffness = 100, hand.pose.position = Vec3(0.4, 0.2, 0);
  live.hands.add(hand);
  ASSERT_EQ(method.relax(0, 1, live).outcome, Outcome::fine);
  const V held = method.line(0).solver.states()[20].r;
  const std::vector<Wrench> wall = reactions_of(method);
  EXPECT_LT((wall[0].force + 100 * (hand.pose.position - to_eigen(held))).norm(), 1e-8);
  EXPECT_GT(held.y, 0.15);
}

SENTENCE("strands", "contact and bodies are refused, naming the methods that can") {
  Scene touching = one_strand(line, 20);
  touching.contact.enabled = true;
  EXPECT_NE(to_text(check(touching)).find("has no contact, but the scene asks for it; methods that can: compact"),
            std::string::npos)
      << to_text(check(touching));
  Scene weighted = one_strand(line, 20);
  RigidBody weight;
  weight.name = "weight", weight.shape = SphereBody{0.1}, weight.mass = 1;
  weighted.bodies.push_back(weight);
  EXPECT_NE(to_text(check(weighted)).find("method `strands` has no bodies"), std::string::npos) << to_text(check(weighted));
  EXPECT_NE(to_text(check(weighted)).find("methods that can: compact"), std::string::npos) << to_text(check(weighted));
}

SENTENCE("strands", "a coupling of the scene pulls and turns the strand's end as a spring in six directions") {
  Scene scene = one_strand(line, 40);
  scene.time.mode = Mode::quasistatic;
  scene.time.duration = 1, scene.time.frames_per_second = 10;
  Coupling hand;
  hand.name = "hand", hand.rod = "strand", hand.at = 1;
  hand.stiffness = 20, hand.damping = 3, hand.angular_stiffness = 2, hand.angular_damping = 1;
  hand.move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.3, 0.2, 0.1)}};
  hand.turn.keys = {{0, 0.0}, {1, 0.3}};
  scene.couplings.push_back(hand);
  for (const Quantity q : {Quantity::reaction_force, Quantity::reaction_moment}) {
    Probe probe;
    probe.name = q == Quantity::reaction_force ? "force" : "moment", probe.coupling = "hand", probe.quantity = q;
    scene.probes.push_back(probe);
  }
  EXPECT_EQ(to_text(check(scene)), "");
  const Simulation simulation = finished(scene);
  EXPECT_TRUE(simulation.frame().report.verdict.minimum());
  const auto& probes = simulation.report().last.probes;
  const Vec3 force(probes[0].value[0], probes[0].value[1], probes[0].value[2]);
  const Vec3 moment(probes[1].value[0], probes[1].value[1], probes[1].value[2]);
  const Vec3 tip = simulation.frame().position[NodeIndex(40)];
  EXPECT_LT((force - 20 * (Vec3(0.7, 0.2, 0.1) - tip)).norm(),
            1e-9);  // the spring alone: in equilibrium dampers carry nothing
  const Wrench wall = simulation.reactions()[0];
  EXPECT_LT((wall.force + force).norm(), 1e-8);
  EXPECT_LT((wall.moment + moment + tip.cross(force)).norm(), 2e-3);  // the probe's frame is extrapolated from edges
  EXPECT_GT(std::abs(moment.x()), 0.2);
  Scene crowded = scene;
  for (int k = 0; k < 4; ++k) crowded.couplings.push_back(hand), crowded.couplings.back().name += std::to_string(k);
  EXPECT_NE(to_text(check(crowded)).find("at most 4 turn one point"), std::string::npos) << to_text(check(crowded));
}

SENTENCE("strands", "a run with a load that turns with the rod says that its equilibrium has no energy") {
  Scene scene = one_strand(line, 20);
  ForceLoad load;
  load.rod = "strand", load.value = Vec3(0, 0.3, 0);
  scene.loads.push_back(load);
  EXPECT_TRUE(finished(scene).frame().report.verdict.minimum());
  load.axes = Axes::material;
  scene.loads.back() = load;
  const Verdict verdict = finished(scene).frame().report.verdict;
  EXPECT_EQ(verdict.kind, Verdict::Kind::no_energy);
  EXPECT_NE(to_text(verdict).find("has no energy"), std::string::npos);
}

SENTENCE("strands", "a strand that is saved while its descent is under way goes on with the same bits") {
  const auto make = [](const Scene& scene) {
    const Checked<Model> model = build_model(scene);
    return std::make_unique<Strands>(std::make_shared<const Model>(*model),
                                     Settings::from(Options(entry().info.options, {})));
  };
  Scene scene = one_strand(line, 40);
  scene.rods[0].section = StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 0.75, .mass_per_length = 1, .radius = 0.01};
  Clamp& end = add_end(scene);
  end.move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.3, 0, 0)}};
  end.turn.keys = {{0, 0.0}, {1, 0.5}};
  const auto first = make(scene), second = make(scene);
  for (const double factor : {0.2, 0.4, 0.6}) ASSERT_EQ(first->relax(1, factor, {}).outcome, Outcome::fine);
  StateWriter writer;
  first->visit_state(writer);
  StateReader reader(writer.buffer());
  second->visit_state(reader);
  for (const double factor : {0.7, 0.8, 0.9, 1.0}) {
    ASSERT_EQ(first->relax(1, factor, {}).outcome, Outcome::fine);
    ASSERT_EQ(second->relax(1, factor, {}).outcome, Outcome::fine);
    StateWriter a, b;
    first->visit_state(a), second->visit_state(b);
    ASSERT_EQ(a.buffer().size(), b.buffer().size());
    EXPECT_TRUE(std::equal(a.buffer().begin(), a.buffer().end(), b.buffer().begin())) << factor;
  }
}

}  // namespace
}  // namespace tendril::strands
