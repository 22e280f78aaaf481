// Equilibria with contact.
#include <cmath>

#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "run/open.h"
#include "scene/scene_testing.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

constexpr double earth = 9.81;

// Along x from the given height, radius 0.01, 1 kg/m; statics, without friction.
Scene resting(double height, double length, int segments, double EI) {
  Scene scene =
      one_rod(StraightCurve{Vec3(0, 0, height), Vec3(length, 0, height)}, segments, plain_section(EI, EI, 0.8 * EI));
  scene.contact.enabled = true, scene.contact.friction = 0;
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -earth)});
  scene.time.mode = Mode::statics;
  return scene;
}
CapsuleShape log_at(double x, double z, double radius) {
  return {Vec3(x, -1, z - radius), Vec3(x, 1, z - radius), radius};  // its top at z
}

struct Rest {
  RunReport report;
  Frame frame;
  explicit Rest(const Scene& scene) {
    Checked<Simulation> simulation = Simulation::open(scene);
    EXPECT_TRUE(simulation) << to_text(simulation.problems());
    if (!simulation) return;
    report = simulate(*simulation, {});
    frame = simulation->frame();
  }
  bool found() const { return report.outcome == Outcome::fine; }
  Vec3 force_of(int obstacle) const {
    Vec3 sum = Vec3::Zero();
    for (const ContactPoint& p : frame.contacts)
      if (p.obstacle_b == obstacle) sum += p.force;
    return sum;
  }
  double least_gap() const {
    double least = 1;
    for (const ContactPoint& p : frame.contacts) least = std::min(least, p.gap);
    return least;
  }
};

SENTENCE("compact", "in equilibrium a rod that lies across two logs puts half of its weight on each") {
  Scene scene = resting(0.05, 1, 40, 10);
  // Near its ends: where it sags between them it does not slide off.
  add_shape(scene, log_at(2.5 / 40, 0, 0.05)), add_shape(scene, log_at(37.5 / 40, 0, 0.05));
  const Rest rest(scene);
  ASSERT_TRUE(rest.found()) << rest.report.message;
  for (const int o : {0, 1}) EXPECT_NEAR(rest.force_of(o).z(), 0.5 * earth, 1e-7 * earth);
  EXPECT_NEAR((rest.force_of(0) + rest.force_of(1)).x(), 0, 1e-8 * earth);
  EXPECT_GT(rest.least_gap(), 0);
  // It may roll, and move along the logs. Turned about the vertical it would span more, and sag more: unstable without friction.
  EXPECT_EQ(rest.frame.report.verdict.neutral.count(), 2);
  EXPECT_EQ(rest.frame.report.verdict.unstable, 1);
}

SENTENCE("compact", "in equilibrium the force of a prop under the end of a beam is that of beam theory") {
  Scene scene = resting(0.0105, 1, 80, 100);
  add_clamp(scene, 0);
  add_shape(scene, log_at(1 - 0.5 / 80, 0, 0.02));  // the last node but a half
  const Rest rest(scene);
  ASSERT_TRUE(rest.found()) << rest.report.message;
  // 3 EI/a^3 times what a beam without prop would bend further there: w a^2 (6 L^2 - 4 a L + a^2) / (24 EI) less the bend.
  const double a = 1 - 0.5 / 80,
               bent = 0.0105 - 0.5 * (rest.frame.position[NodeIndex(79)] + rest.frame.position[NodeIndex(80)]).z();
  const double free = earth * a * a * (6 - 4 * a + a * a) / (24 * 100);
  const double expected = 3 * 100 / (a * a * a) * (free - bent);
  EXPECT_GT(expected, 1);
  EXPECT_NEAR(rest.force_of(0).z(), expected, 2e-3 * expected);
  EXPECT_TRUE(rest.frame.report.verdict.minimum());
}

// A beam that leaves the floor with its clamped end at height h: w s^4 = 72 EI h, and at the end of the lifted length s the floor
// pushes with w s/3.
SENTENCE("compact", "in equilibrium a beam lifted at one end leaves the floor over the length of beam theory") {
  const double EI = 0.1, lifted = 0.005;
  Scene scene = resting(0.01 + 1e-4 + lifted, 1, 150, EI);
  add_clamp(scene, 0);
  add_shape(scene, HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()});
  const Rest rest(scene);
  ASSERT_TRUE(rest.found()) << rest.report.message;
  const double floor = rest.frame.position[NodeIndex(140)].z(), h = 0.01 + 1e-4 + lifted - floor;
  const double s = std::pow(72 * EI * h / earth, 0.25);
  EXPECT_NEAR(rest.force_of(0).z(), earth * (1 - 2 * s / 3), 5e-3 * earth);
  double touched = 1, most = 0;
  for (const ContactPoint& p : rest.frame.contacts)
    if (p.force.z() > most) most = p.force.z(), touched = p.position.x();
  EXPECT_NEAR(touched, s, 2.0 / 150);
  EXPECT_TRUE(rest.frame.report.verdict.minimum());
}

SENTENCE("compact", "in equilibrium a rod that nothing holds comes down to the floor, where it may slide, turn and roll") {
  Scene scene = resting(0.4, 1, 20, 1);
  add_shape(scene, HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()});
  const Rest rest(scene);
  ASSERT_TRUE(rest.found()) << rest.report.message;
  EXPECT_NEAR(rest.force_of(0).z(), earth, 1e-7 * earth);
  const Verdict& verdict = rest.frame.report.verdict;
  EXPECT_TRUE(verdict.minimum()) << to_text(verdict);
  EXPECT_EQ(verdict.neutral.count(), 4) << to_text(verdict);  // two ways to slide, about the vertical, about itself
}

SENTENCE("compact", "in equilibrium a rod that lies on the floor, or sticks to a slope, is a minimum that may only roll") {
  for (const double slope : {0.0, 0.5})
    for (const double EI : {0.01, 1.0}) {
      Scene scene = resting(0.0105, 0.5, 20, EI);
      scene.contact.friction = 0.7;
      scene.loads = {GravityLoad{earth * Vec3(std::sin(slope), 0, -std::cos(slope))}};
      add_shape(scene, HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()});
      const Rest rest(scene);
      ASSERT_TRUE(rest.found()) << rest.report.message;
      const Verdict& verdict = rest.frame.report.verdict;
      EXPECT_TRUE(verdict.minimum()) << to_text(verdict) << " " << slope << " " << EI;
      EXPECT_EQ(verdict.neutral.count(), 1) << to_text(verdict);
    }
}

SENTENCE("compact", "in equilibrium a rod with nothing below it ends with its cause") {
  Scene scene = resting(0.4, 1, 20, 1);
  add_shape(scene, log_at(3, 0, 0.05));
  const Rest rest(scene);
  EXPECT_FALSE(rest.found());
  EXPECT_CONTAINS(rest.report.message, "equilibrium");
}

SENTENCE("compact", "in equilibrium a rod that hangs over a log is where its motion comes to rest") {
  Scene scene = resting(0.0, 1, 24, 0.05);
  add_clamp(scene, 0);
  add_shape(scene, log_at(0.5, -0.1, 0.05));
  const Rest rest(scene);
  ASSERT_TRUE(rest.found()) << rest.report.message;
  ASSERT_FALSE(rest.frame.contacts.empty());
  EXPECT_TRUE(rest.frame.report.verdict.minimum());
  Scene moving = scene;
  moving.time.mode = Mode::dynamics, moving.time.step = 0.01, moving.time.duration = 20;
  moving.rods[0].damping.mass = 4;
  const Rest moved(moving);
  ASSERT_TRUE(moved.found()) << moved.report.message;
  for (int i = 0; i <= 24; ++i)
    EXPECT_LT((moved.frame.position[NodeIndex(i)] - rest.frame.position[NodeIndex(i)]).norm(), 1e-5) << i;
  EXPECT_NEAR(moved.force_of(0).norm(), rest.force_of(0).norm(), 1e-4 * earth);
}

SENTENCE("compact",
         "in a slow ramp a ball pressed into the middle of a beam needs the force of beam theory, and lets it go again") {
  Scene scene = resting(0, 1, 60, 10);
  scene.loads.clear();
  add_clamp(scene, 0, {Hold::position});
  add_clamp(scene, 1, {Hold::position}).slide = Vec3::UnitX();
  Obstacle& ball = add_shape(scene, SphereShape{Vec3(0.5, 0, 0.0301), 0.02});
  ball.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, -0.01)}, {2, Vec3(0, 0, 0.001)}};
  scene.time.mode = Mode::quasistatic, scene.time.duration = 1, scene.time.frames_per_second = 4;
  const Rest pressed(scene);
  ASSERT_TRUE(pressed.found()) << pressed.report.message;
  const double bent = -pressed.frame.position[NodeIndex(30)].z(), expected = 48 * 10 * bent;
  EXPECT_GT(bent, 0.009);
  EXPECT_NEAR(-pressed.force_of(0).z(), expected, 3e-3 * expected);
  scene.time.duration = 2;
  const Rest let_go(scene);
  ASSERT_TRUE(let_go.found()) << let_go.report.message;
  EXPECT_TRUE(let_go.frame.contacts.empty());
  EXPECT_LT(std::abs(let_go.frame.position[NodeIndex(30)].z()), 1e-9);
}

// A pendulum far away beside a rod that falls on a log, or not.
SENTENCE("compact", "a rod that swings far away keeps its scheme, and its bits, while others crash") {
  const auto swing = [](bool crash, double* impacts) {
    Scene scene = one_rod(StraightCurve{Vec3(20, 0, 0), Vec3(21, 0, 0)}, 12);
    add_clamp(scene, 0, {Hold::position});
    scene.contact.enabled = true;
    scene.loads.push_back(GravityLoad{Vec3(0, 0, -earth)});
    add_shape(scene, log_at(0.4, -0.2, 0.05));
    if (crash) {
      scene.rods.push_back(scene.rods[0]);
      scene.rods.back().name = "falls", scene.rods.back().rest = StraightCurve{Vec3(0, 0, 0), Vec3(1, 0, 0)};
    }
    scene.time.step = 5e-3, scene.time.duration = 0.6;
    const Rest rest(scene);
    EXPECT_TRUE(rest.found()) << rest.report.message;
    if (impacts != nullptr) *impacts = rest.frame.flow.impacts;
    std::vector<Vec3> nodes;
    for (int i = 0; i <= 12; ++i) nodes.push_back(rest.frame.position[NodeIndex(i)]);
    return nodes;
  };
  double impacts = 0;
  const auto alone = swing(false, nullptr), beside = swing(true, &impacts);
  EXPECT_GT(impacts, 0);
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i], beside[i]) << i;
}

// 1e6 N/m times the rounding of places is more than 1e-11 of what the rod weighs.
SENTENCE("compact", "an equilibrium with a spring a million times as stiff as the rod is found to its rounding") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0.5, 0, 0)}, 40, plain_section(0.01, 0.01, 0.01));
  scene.time.mode = Mode::statics;
  add_clamp(scene, 0);
  Coupling hand;
  hand.name = "hand", hand.rod = "rod", hand.stiffness = 1e6;
  hand.move.keys = {{0, Vec3::Zero()}, {0.5, Vec3(-0.2, 0, 0.1)}};
  scene.couplings.push_back(hand);
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -0.05 * earth)});
  const Rest rest(scene);
  ASSERT_TRUE(rest.found()) << rest.report.message;
  EXPECT_LT((rest.frame.position[NodeIndex{40}] - Vec3(0.3, 0, 0.1)).norm(), 1e-5);
}

SENTENCE("compact", "between equilibria friction takes what a rope that is drawn along the floor loses to it") {
  constexpr double mu = 0.3, drawn = 0.05;
  Scene scene = resting(0.0101, 1, 10, 1);
  scene.contact.friction = mu;
  add_shape(scene, HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()});
  add_clamp(scene, 1, {Hold::position}).move.keys = {{0, Vec3::Zero()}, {1, Vec3(drawn, 0, 0)}};
  scene.time = {.duration = 1, .mode = Mode::quasistatic, .step = {}, .frames_per_second = 20};
  const Rest rest(scene);
  ASSERT_TRUE(rest.found()) << rest.report.message;
  // The clamp holds its end at the height of the start, a little below where the rest lies on its barriers: it presses, too.
  EXPECT_GT(rest.frame.flow.friction, 0.99 * mu * earth * drawn);
  EXPECT_LT(rest.frame.flow.friction, 1.3 * mu * earth * drawn);
  EXPECT_NEAR(rest.frame.flow.clamps, rest.frame.flow.friction, 0.02 * mu * earth * drawn);
  EXPECT_LT(std::abs(rest.report.energy_error), 0.02);
}

}  // namespace
}  // namespace tendril::compact
