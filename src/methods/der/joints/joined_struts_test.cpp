// Straight rods that are pushed together through joints and by driven bodies.
#include "methods/der/der_testing.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

using namespace tendril;
using namespace tendril::der;

namespace {

constexpr double shortening = 0.05;  // [m] of one metre, within a second
Timetable<Vec3> together() {
  Timetable<Vec3> move;
  move.keys = {{0, Vec3::Zero()}, {1, Vec3(-shortening, 0, 0)}};
  return move;
}
Clamp clamp_on(const std::string& rod, double at, std::vector<Hold> hold) {
  Clamp clamp;
  clamp.rod = rod, clamp.at = at;
  clamp.hold = std::move(hold);
  return clamp;
}
const std::vector<Hold> grip = {Hold::position, Hold::direction, Hold::twist}, pin = {Hold::position};

// A metre of rod between two clamps that come together, in as many pieces as `ends` says.
Scene strut_of(const std::vector<double>& ends, const std::vector<Hold>& hold, bool backwards = false) {
  Scene scene;
  double from = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const int segments = static_cast<int>(std::lround(20 * (ends[i] - from)));
    const Vec3 a(from, 0, 0), b(ends[i], 0, 0);
    const bool turned = backwards && i % 2 == 1;
    scene.rods.push_back(rod_between("rod" + std::to_string(i), turned ? b : a, turned ? a : b, segments));
    if (i > 0)
      scene.joints.push_back(join(JointKind::rigid, on_rod("rod" + std::to_string(i - 1), backwards && i % 2 == 0 ? 0 : 1),
                                  on_rod("rod" + std::to_string(i), turned ? 1 : 0)));
    from = ends[i];
  }
  const bool last_turned = backwards && ends.size() % 2 == 0;
  scene.clamps = {clamp_on("rod0", 0, hold), clamp_on("rod" + std::to_string(ends.size() - 1), last_turned ? 0 : 1, hold)};
  scene.clamps[0].name = "still", scene.clamps[1].name = "moving";
  scene.clamps[1].move = together();
  return scene;
}
// The same between a fixed and a driven body.
Scene strut_between_bodies(JointKind kind) {
  Scene scene;
  scene.rods = {rod_between("rod0", Vec3::Zero(), Vec3(1, 0, 0), 20)};
  scene.bodies = {body_at("wall", Vec3(-0.1, 0, 0), 1, Vec3(1, 1, 1)), body_at("ram", Vec3(1.1, 0, 0), 1, Vec3(1, 1, 1))};
  scene.bodies[0].kind = BodyKind::fixed, scene.bodies[1].kind = BodyKind::driven;
  scene.bodies[1].move = together();
  scene.joints = {join(kind, on_body("wall"), on_rod("rod0", 0)), join(kind, on_rod("rod0", 1), on_body("ram"))};
  return scene;
}

struct Rest {
  double farthest = 0, energy = 0, error = 0;
  int retries = 0;
};
Rest pushed_together(Scene scene) {
  for (Rod& rod : scene.rods) rod.damping.mass = 5;
  scene.time.duration = 6;
  scene.time.frames_per_second = 10;
  Checked<Simulation> run = Simulation::open(scene);
  EXPECT_TRUE(run) << to_text(run.problems());
  Rest rest;
  if (!run) return rest;
  while (!run->finished()) {
    const StepReport report = run->advance();
    EXPECT_EQ(report.outcome, Outcome::fine) << run->time();
    if (report.outcome != Outcome::fine) return rest;
  }
  for (const Vec3& x : run->frame().position) rest.farthest = std::max(rest.farthest, std::hypot(x.y(), x.z()));
  rest.energy = run->frame().own_energy.bending;
  rest.error = run->report().worst_energy_error, rest.retries = run->report().retries;
  return rest;
}

}  // namespace

SENTENCE("der",
         "a straight strut of joined rods, and one between bodies, is pushed together and rests where a single rod does") {
  const Rest one = pushed_together(strut_of({1}, grip)), pinned = pushed_together(strut_of({1}, pin));
  EXPECT_NEAR(one.energy, 2.0, 0.1);  // 4 pi^2 EI/L^2 times the shortening, a little more
  EXPECT_NEAR(pinned.energy, 0.5, 0.03);
  struct Case {
    const char* what;
    Scene scene;
    const Rest& same;
  };
  const Case cases[] = {{"two rods", strut_of({0.5, 1}, grip), one},
                        {"two rods, the second backwards", strut_of({0.4, 1}, grip, true), one},
                        {"three rods between pins", strut_of({0.3, 0.6, 1}, pin), pinned},
                        {"a rod welded to bodies", strut_between_bodies(JointKind::rigid), one},
                        {"a rod on balls between bodies", strut_between_bodies(JointKind::ball), pinned}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const Rest rest = pushed_together(c.scene);
    EXPECT_NEAR(rest.energy, c.same.energy, 0.01 * c.same.energy);
    EXPECT_NEAR(rest.farthest, c.same.farthest, 0.01 * c.same.farthest);
    // The bend has no velocity of its own, and the blow that gives it one loses energy: 4 % where balls let the ends turn.
    EXPECT_LT(std::abs(rest.error), c.scene.bodies.empty() ? 0.02 : 0.05);
    EXPECT_EQ(rest.retries, 0);
  }
}

SENTENCE("der", "a joined rod whose ends stand still is not bent, and neither are branches and free ends") {
  Scene still = strut_of({0.4, 1}, grip);
  still.clamps[1].move = {};
  Scene free = strut_of({0.4, 1}, grip);
  free.clamps.pop_back();
  free.clamps[0].move = together();
  Scene branch = strut_of({0.4, 1}, grip);
  branch.clamps.pop_back();
  branch.rods.push_back(rod_between("twig", Vec3(0.4, 0, 0), Vec3(0.4, 0.5, 0), 8));
  branch.joints.push_back(join(JointKind::rigid, on_rod("rod0", 1), on_rod("twig", 0)));
  branch.clamps[0].move = together();
  for (Scene& scene : {std::ref(still), std::ref(free), std::ref(branch)}) {
    scene.time.duration = 0.1;
    Simulation run = std::move(*Simulation::open(scene));
    while (!run.finished()) ASSERT_EQ(run.advance().outcome, Outcome::fine);
    for (const Vec3& x : run.frame().position) EXPECT_LT(std::abs(x.z()), 1e-12);
    EXPECT_LT(std::abs(run.report().worst_energy_error), 0.01);
  }
}
