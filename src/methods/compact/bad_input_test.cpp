// What cannot be is named, and the last good state stays.
#include <cmath>

#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "methods/compact/entry.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

bool mentions(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

Obstacle plate(const std::string& name, double z, double to) {
  Obstacle o;
  BoxShape shape;
  shape.center = Vec3(0.5, 0, z), shape.size = Vec3(2, 2, 0.1);
  o.name = name, o.shape = shape;
  o.move.shape = TimetableShape::linear, o.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, to)}};
  return o;
}

SENTENCE("compact",
         "two plates driven into each other with a rod between stop the run, which names the rod and keeps its state") {
  Scene scene = one_rod(line, 6);
  scene.rods[0].name = "squeezed";
  Rod far = small_rod("far", StraightCurve{Vec3(0, 5, 0), Vec3(1, 5, 0)}, 6);
  scene.rods.insert(scene.rods.begin(), far);
  scene.contact.enabled = true;
  scene.obstacles = {plate("below", -0.08, 0.1), plate("above", 0.08, -0.1)};
  scene.time.duration = 1, scene.time.step = 0.02;
  Checked<Simulation> simulation = Simulation::open(scene);
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  while (!simulation->finished() && simulation->advance().outcome == Outcome::fine) {
  }
  const RunReport report = simulation->report();
  EXPECT_TRUE(mentions(report.message, "rod squeezed")) << report.message;
  // Faces start 0.03 m from the axis and move 0.1 m in a second: at 0.2 s they have the rod's 0.01 m left.
  EXPECT_GT(report.time, 0.15);
  EXPECT_LT(report.time, 0.21);
  for (int i = 7; i < 14; ++i) EXPECT_LT(std::abs(simulation->frame().position[NodeIndex{i}].z()), 0.01) << i;
  for (const ContactPoint& p : simulation->frame().contacts) EXPECT_GT(p.gap, 0);
}

SENTENCE("compact", "a clamp that points backwards along its rod is refused by name") {
  Scene scene = one_rod(line, 6);
  add_clamp(scene, 0).direction = -Vec3::UnitX();
  Checked<Simulation> refused = Simulation::open(scene);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(mentions(to_text(refused.problems()), "clamp[0].direction")) << to_text(refused.problems());
  scene.clamps[0].direction = Vec3(-1, 0.08, 0);  // 175 degrees
  refused = Simulation::open(scene);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(mentions(to_text(refused.problems()), "170 degrees")) << to_text(refused.problems());
}

SENTENCE("compact", "an equilibrium of a rod that nothing holds, and that loads pull away, says so") {
  Scene scene = one_rod(line, 6);
  scene.time.mode = Mode::statics;
  scene.loads.push_back(GravityLoad{});
  Checked<Simulation> simulation = Simulation::open(scene);
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  const RunReport report = simulate(*simulation, {});
  EXPECT_TRUE(mentions(report.message, "nothing holds it")) << report.message;
  EXPECT_TRUE(mentions(report.message, "hold it with a clamp")) << report.message;
}

SENTENCE("compact", "a rod held at every node, more rows than it has unknowns, stands; out of reach it is refused by name") {
  Scene scene = one_rod(line, 4);
  for (const double at : {0.0, 0.25, 0.5, 0.75, 1.0}) add_clamp(scene, at, {Hold::position});
  scene.time.duration = 0.1, scene.time.step = 0.01;
  Checked<Simulation> simulation = Simulation::open(scene);
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  while (!simulation->finished()) ASSERT_EQ(simulation->advance().outcome, Outcome::fine) << simulation->report().message;
  for (int i = 0; i < 5; ++i)
    EXPECT_LT((simulation->frame().position[NodeIndex{i}] - Vec3(0.25 * i, 0, 0)).norm(), 1e-12) << i;
  scene.clamps[3].move.keys = {{0, Vec3::Zero()}, {0.1, Vec3(0.05, 0, 0)}};
  Checked<Simulation> refused = Simulation::open(scene);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(mentions(to_text(refused.problems()), "clamp[3].move")) << to_text(refused.problems());
}

SENTENCE("compact", "a rod that folds onto itself between two segments says so by angle and proposes sine, which goes on") {
  for (const char* strain : {"angle", "sine"}) {
    Scene scene = one_rod(line, 2);
    // Limp, held at its start, its free half thrown back over the other one.
    StiffnessSection limp = plain_section(1e-6, 1e-6, 1e-6);
    scene.rods[0].section = limp;
    add_clamp(scene, 0);
    ForceLoad pull;
    pull.rod = "rod", pull.at = 1, pull.value = Vec3(-1, 0.05, 0);
    scene.loads.push_back(pull);
    scene.options["compact"]["strain"] = std::string(strain);
    scene.time.duration = 3, scene.time.step = 0.02;
    Checked<Simulation> simulation = Simulation::open(scene);
    ASSERT_TRUE(simulation) << to_text(simulation.problems());
    while (!simulation->finished() && simulation->advance().outcome == Outcome::fine) {
    }
    const RunReport report = simulation->report();
    if (std::string(strain) == "sine") {
      EXPECT_TRUE(simulation->finished()) << report.message;
      continue;
    }
    EXPECT_TRUE(mentions(report.message, "170 degrees") && mentions(report.message, "sine")) << report.message;
  }
}

SENTENCE("compact", "with sines, twist of more than half a radian per joint is warned of") {
  Scene scene = one_rod(line, 10);
  add_clamp(scene, 0);
  scene.rods[0].initial_twist = 2;  // turns: 1.26 rad per joint
  scene.options["compact"]["strain"] = std::string("sine");
  Checked<Simulation> simulation = Simulation::open(scene);
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  EXPECT_TRUE(mentions(to_text(simulation.problems()), "half a radian")) << to_text(simulation.problems());
  // Wound up by a clamp instead.
  scene.rods[0].initial_twist = 0;
  add_clamp(scene, 1).turn.keys = {{0, 0}, {1, 2}};
  Checked<Simulation> wound = Simulation::open(scene);
  ASSERT_TRUE(wound) << to_text(wound.problems());
  EXPECT_TRUE(mentions(to_text(wound.problems()), "clamp[1].turn")) << to_text(wound.problems());
  scene.clamps[0].turn = scene.clamps[1].turn;  // both together
  EXPECT_FALSE(mentions(to_text(Simulation::open(scene).problems()), "half a radian"));
}

SENTENCE("compact", "noise on a rod that two clamps hold exactly straight is refused before the run, as by der") {
  for (const char* method : {"compact", "der"}) {
    Scene scene = one_rod(line, 10);
    scene.method = method;
    add_clamp(scene, 0), add_clamp(scene, 1);
    scene.rods[0].initial_noise = 1e-3;
    Checked<Simulation> refused = Simulation::open(scene);
    ASSERT_FALSE(refused) << method;
    EXPECT_TRUE(mentions(to_text(refused.problems()), "initial_noise has no room to act")) << to_text(refused.problems());
    scene.clamps[1].from = 0.1;  // until then it moves
    EXPECT_TRUE(Simulation::open(scene)) << method;
  }
}

// Two rods in a row, or a rod and a driven body, pulled beyond their whole length.
SENTENCE(
    "compact",
    "what pulls rods through their joints further than they reach is named with the rod, and the last good state stays") {
  for (const bool body : {false, true}) {
    Scene scene = one_rod(line, 6);
    add_clamp(scene, 0);
    if (body) {
      RigidBody hand = body_at("hand", Vec3(1, 0, 0), 1, Vec3::Ones());
      hand.kind = BodyKind::driven, hand.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0.2, 0, 0)}};
      scene.bodies = {hand};
      scene.joints = {join(JointKind::ball, on_rod("rod", 1), on_body("hand"))};
    } else {
      scene.rods.push_back(rod_between("second", Vec3(1, 0, 0), Vec3(2, 0, 0), 6));
      Clamp& end = add_clamp(scene, 1, {Hold::position});
      end.rod = "second", end.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0.2, 0, 0)}};
      scene.joints = {join(JointKind::ball, on_rod("rod", 1), on_rod("second", 0))};
    }
    scene.time.duration = 1, scene.time.step = 0.02;
    Checked<Simulation> simulation = Simulation::open(scene);
    ASSERT_TRUE(simulation) << to_text(simulation.problems());
    while (!simulation->finished() && simulation->advance().outcome == Outcome::fine) {
    }
    EXPECT_TRUE(mentions(simulation->report().message, "further apart than all that lies between"))
        << simulation->report().message;
    // Of a single rod everybody knows the name.
    EXPECT_EQ(mentions(simulation->report().message, "rod rod:"), !body) << simulation->report().message;
    for (int i = 0; i <= 6; ++i) EXPECT_LT((simulation->frame().position[NodeIndex{i}] - Vec3(i / 6.0, 0, 0)).norm(), 1e-6);
  }
}

SENTENCE("compact", "clamps at both ends of one segment that do not keep its length are refused by name") {
  Scene scene = one_rod(line, 10);
  add_clamp(scene, 0);
  add_clamp(scene, 0.1, {Hold::position}).move.keys = {{0, Vec3::Zero()}, {1, Vec3(-0.05, 0, 0)}};
  Checked<Simulation> refused = Simulation::open(scene);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(mentions(to_text(refused.problems()), "hold both ends of one segment")) << to_text(refused.problems());
  scene.clamps[0].move = scene.clamps[1].move;  // both alike
  EXPECT_TRUE(Simulation::open(scene));
}

SENTENCE("compact", "a step that has used up its iterations says so, and not that a point moved too far") {
  Scene scene = one_rod(line, 10);
  add_clamp(scene, 0);
  scene.loads.push_back(GravityLoad{});
  Settings settings;
  settings.solver.iterations = 1;
  Compact method(model_of(scene), settings);
  const StepReport report = method.step(0, 0.1, {});
  EXPECT_EQ(report.outcome, Outcome::not_converged);
  EXPECT_EQ(report.cause, iterations_used_up);
}

SENTENCE(
    "compact",
    "the advised step sees loads and winding clamps where nothing weighs, and that what hangs still is not bent by weight") {
  const auto advised = [](const Scene& scene) {
    Scene with = scene;
    with.time.step.reset();
    return advise(*model_of(with), Options(entry().info.options, {})).advised;
  };
  Scene scene = one_rod(line, 40, plain_section(1e-3, 1e-3, 8e-4));
  add_clamp(scene, 0);
  const double free = advised(scene);
  Scene pulled = scene;
  ForceLoad force;
  force.rod = "rod", force.at = 1, force.value = Vec3(200, 0, 0);
  pulled.loads.push_back(force);
  EXPECT_LT(advised(pulled), 0.1 * free);
  Scene wound = scene;
  add_clamp(wound, 1).turn.keys = {{0, 0}, {2, 6}};
  EXPECT_LT(advised(wound), 0.1 * free);
  Scene hanging = scene;
  hanging.rods[0].rest = StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)};
  hanging.loads.push_back(GravityLoad{});
  Scene let_go = scene;
  let_go.loads.push_back(GravityLoad{});
  EXPECT_GT(advised(hanging), 2 * advised(let_go));
}

}  // namespace
}  // namespace tendril::compact
