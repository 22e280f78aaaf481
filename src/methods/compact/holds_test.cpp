// Clamps that slide, and clamps that hold the twist alone.
#include <cmath>

#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

constexpr double pi_here = 3.14159265358979323846;

Frame written(const Method& method) {
  Frame frame;
  method.write(frame);
  return frame;
}
Frame settled(const Scene& scene, int increments = 1) {
  Compact method(model_of(scene), {});
  for (int k = 1; k <= increments; ++k) {
    const StepReport report = method.relax(double(k) / increments, 1, {});
    EXPECT_EQ(report.outcome, Outcome::fine) << k << ": " << report.residual;
  }
  return written(method);
}
void weigh(Scene& scene, const Vec3& acceleration) {
  GravityLoad load;
  load.acceleration = acceleration;
  scene.loads.push_back(load);
}
void push(Scene& scene, double at, const Vec3& value) {
  ForceLoad load;
  load.rod = "rod", load.at = at, load.value = value;
  scene.loads.push_back(load);
}

SENTENCE("compact", "a beam on a pin and a roller carries half its weight on each and sags by 5 w L^4 / 384 EI") {
  for (const bool rolls_at_start : {false, true}) {
    Scene scene = one_rod(line, 80);
    weigh(scene, Vec3(0, 0, -1e-2));
    add_clamp(scene, 0, {Hold::position}), add_clamp(scene, 1, {Hold::position});
    scene.clamps[rolls_at_start ? 0 : 1].slide = Vec3(2, 0, 0);
    const Frame frame = settled(scene);
    for (const Wrench& wrench : frame.reactions) EXPECT_LT((wrench.force - Vec3(0, 0, 0.5e-2)).norm(), 1e-9);
    EXPECT_NEAR(frame.position[NodeIndex(40)].z() / (-5.0 / 384 * 1e-2), 1, 1e-3);
    EXPECT_TRUE(frame.report.verdict.minimum()) << frame.report.verdict.unstable;
  }
}

SENTENCE("compact", "a column clamped below and guided in a chute above buckles at 20.1907 EI/L^2") {
  const auto verdict = [](double load) {
    Scene scene = one_rod(line, 100, plain_section(1, 1, 4));
    add_clamp(scene, 0), add_clamp(scene, 1, {Hold::position});
    scene.clamps[1].slide = Vec3::UnitX();
    push(scene, 1, Vec3(-load, 0, 0));
    return settled(scene).report.verdict;
  };
  EXPECT_TRUE(verdict(20.1907 * (1 - 1e-3)).minimum());
  EXPECT_EQ(verdict(20.1907 * (1 + 1e-3)).unstable, 2);
}

SENTENCE("compact", "a rod whose clamps all slide the same way is neutral along it") {
  Scene scene = one_rod(line, 20);
  add_clamp(scene, 0), add_clamp(scene, 1);
  scene.clamps[0].slide = scene.clamps[1].slide = Vec3(0, 1, 0);
  weigh(scene, Vec3(0, 0, -1e-3));
  const Verdict verdict = settled(scene).report.verdict;
  EXPECT_TRUE(verdict.minimum());
  EXPECT_EQ(verdict.neutral.count(), 1);
}

SENTENCE("compact", "in tilted chutes a rod slides down as a block does, and they bear what is across") {
  const Vec3 down = Vec3(0, 1, -1).normalized();
  for (const Scheme scheme : {Scheme::bdf2, Scheme::trbdf2}) {
    // Bent: a straight rod exactly as long as its chutes are apart would carry no load across it.
    Scene scene = one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3(0, 1, 1), 0.5, 1.1}, 12, plain_section(100, 100, 80));
    weigh(scene, Vec3(0, 0, -10));
    add_clamp(scene, 0), add_clamp(scene, 1);
    scene.clamps[0].slide = scene.clamps[1].slide = down;
    Settings settings;
    settings.scheme = scheme;
    Compact method(model_of(scene), settings);
    const Frame start = written(method);
    const double h = 0.005;
    for (int k = 0; k < 100; ++k) ASSERT_EQ(method.step(k * h, h, {}).outcome, Outcome::fine) << k;
    const Frame frame = written(method);
    const double fallen = 0.5 * 10 / std::sqrt(2.0) * 0.25;
    for (const int k : {0, 12}) {
      const Vec3 moved = frame.position[NodeIndex(k)] - start.position[NodeIndex(k)];
      EXPECT_NEAR(moved.dot(down), fallen, 0.01 * fallen);
      EXPECT_LT((moved - moved.dot(down) * down).norm(), 1e-12);
    }
    for (const Wrench& wrench : frame.reactions) EXPECT_LT(std::abs(wrench.force.dot(down)), 1e-9);
    EXPECT_LT(std::abs(frame.own_energy.total() - start.own_energy.total()), 0.01 * 10 * 0.55 * fallen);
    EXPECT_EQ(frame.flow.work(), 0);
  }
}

SENTENCE("compact", "a chute that moves takes the rod along and does the work that the rod gains") {
  Scene scene = one_rod(line, 20);
  scene.rods[0].damping.mass = 1;
  add_clamp(scene, 0, {Hold::position, Hold::direction}), add_clamp(scene, 1, {Hold::position});
  scene.clamps[1].slide = Vec3::UnitX();
  scene.clamps[1].move.shape = TimetableShape::smooth;
  scene.clamps[1].move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, 0.3)}};
  Compact method(model_of(scene), {});
  const double h = 0.002;
  for (int k = 0; k < 500; ++k) ASSERT_EQ(method.step(k * h, h, {}).outcome, Outcome::fine) << k;
  const Frame frame = written(method);
  EXPECT_NEAR(frame.position[NodeIndex(20)].z(), 0.3, 1e-12);
  EXPECT_LT(frame.position[NodeIndex(20)].x(), 0.96);  // it slid towards the wall, by what lifting it costs
  EXPECT_GT(frame.position[NodeIndex(20)].x(), 0.9);
  const double gained = frame.own_energy.total(), given = frame.flow.clamps - frame.flow.damping;
  EXPECT_NEAR(gained, given, 0.01 * frame.flow.clamps);
}

SENTENCE("compact", "a clamp that holds the twist alone twists a rod and lets its end point where it likes") {
  Scene scene = one_rod(line, 40, plain_section(1, 1, 0.5));
  add_clamp(scene, 0), add_clamp(scene, 1, {Hold::twist});
  scene.clamps[1].turn.keys = {{0, 0}, {1, 0.25}};
  const double torque = 0.5 * 0.5 * pi_here;
  Frame frame = settled(scene, 5);
  EXPECT_NEAR(frame.reactions[1].moment.x(), torque, 1e-9);
  EXPECT_LT(frame.reactions[1].force.norm(), 1e-12);
  // Pushed aside the end turns; what the clamp gives stays of that size, and what it does not hold carries nothing.
  push(scene, 1, Vec3(0, 0, -0.3));
  frame = settled(scene, 5);
  const Vec3 tangent = frame.orientation[EdgeIndex(39)] * Vec3::UnitZ();
  EXPECT_LT(tangent.z(), -0.1);
  EXPECT_NEAR(frame.reactions[1].moment.dot(tangent), torque, 0.05 * torque);
  EXPECT_LT((frame.reactions[0].force - Vec3(0, 0, 0.3)).norm(), 1e-8);
  Vec3 moments = frame.reactions[0].moment + frame.reactions[1].moment;
  moments += frame.position[NodeIndex(40)].cross(Vec3(0, 0, -0.3));
  EXPECT_LT(moments.norm(), 1e-7);
}

SENTENCE("compact", "a clamp inside a rod that holds the twist without the direction is refused by name") {
  Scene scene = one_rod(line, 10);
  add_clamp(scene, 0.5, {Hold::position, Hold::twist});
  const auto model = model_of(scene);
  const Problems problems = entry().check(*model, Options(entry().info.options, {}));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].field, "clamp[0].hold");
}

}  // namespace
}  // namespace tendril::compact
