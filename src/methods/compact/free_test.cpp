// Equilibria of rods that nothing holds in place.
#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

ForceLoad end_force(double at, const Vec3& value) {
  ForceLoad load;
  load.rod = "rod", load.at = at, load.value = value;
  return load;
}
Frame settled(const Scene& scene, StepReport& report) {
  const std::shared_ptr<const Model> model = model_of(scene);
  Compact method(model, {});
  report = method.relax(0, 1, {});
  Frame frame = model->initial;
  method.write(frame);
  return frame;
}

SENTENCE("compact", "a rod that nothing holds goes back to its natural shape, where it may move and turn for nothing") {
  Scene scene = one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3(0, 1, 1), 0.5, 1.1}, 30, plain_section(1, 2, 0.7));
  scene.rods[0].initial = StraightCurve{Vec3(1, 2, 3), Vec3(1.55, 2, 3)};
  StepReport report;
  const Frame frame = settled(scene, report);
  EXPECT_EQ(report.outcome, Outcome::fine);
  EXPECT_LT(frame.own_energy.total(), 1e-20);
  EXPECT_LT((frame.position[NodeIndex(0)] - Vec3(1, 2, 3)).norm(), 1e-15);
  EXPECT_EQ(report.verdict.unstable, 0);
  EXPECT_EQ(report.verdict.neutral.count(), 6);
  EXPECT_EQ(report.verdict.neutral.moving, 6);
  EXPECT_LT(report.iterations, 30);
}

SENTENCE("compact", "a rod pulled at both ends with opposite forces turns into their line, and pushed it is not stable") {
  for (const double pull : {1.0, -1.0}) {
    Scene scene = one_rod(line, 20);
    if (pull > 0) scene.rods[0].initial = StraightCurve{Vec3::Zero(), Vec3(0.8, 0.6, 0)};
    scene.loads.push_back(end_force(0, Vec3(-pull, 0, 0)));
    scene.loads.push_back(end_force(1, Vec3(pull, 0, 0)));
    StepReport report;
    const Frame frame = settled(scene, report);
    EXPECT_EQ(report.outcome, Outcome::fine);
    EXPECT_NEAR((frame.position[NodeIndex(20)] - frame.position[NodeIndex(0)]).x(), 1, 1e-12);
    EXPECT_NEAR(frame.force[EdgeIndex(10)].x(), pull, 1e-9);
    EXPECT_EQ(report.verdict.unstable, pull > 0 ? 0 : 2);
    EXPECT_EQ(report.verdict.neutral.count(), 4);  // three moves, one turn about itself
    EXPECT_EQ(report.verdict.neutral.turning, 1);
  }
}

SENTENCE("compact", "a rod that nothing holds and whose loads do not cancel has no equilibrium, which is said at once") {
  Scene scene = one_rod(line, 20);
  scene.loads.push_back(end_force(0.5, Vec3(0, 0, 1e-3)));
  StepReport report;
  std::ignore = settled(scene, report);
  EXPECT_EQ(report.outcome, Outcome::not_converged);
  EXPECT_EQ(report.cause, Cause::no_equilibrium);
  EXPECT_EQ(report.iterations, 0);
}

SENTENCE("compact", "a free ring of a straight rod is a circle") {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(6.2, 0, 0)}, 40, plain_section(1, 1, 1));
  scene.rods[0].initial = CircleCurve{Vec3(0, 0, 5), Vec3(0, 0.2, 1), 6.2 / (2 * math::pi)};
  StepReport report;
  const Frame frame = settled(scene, report);
  EXPECT_EQ(report.outcome, Outcome::fine);
  // Each joint bends by a fortieth of a turn: EI/2 (2 pi/n)^2 n/l
  EXPECT_NEAR(frame.own_energy.bending, 0.5 * math::two_pi * math::two_pi / 6.2, 1e-9);
}

}  // namespace
}  // namespace tendril::compact
