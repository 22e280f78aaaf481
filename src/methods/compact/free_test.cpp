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
  EXPECT_EQ(report.cause, nothing_holds);
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

Scene twisted_ring(double turns, const CrossSection& section = plain_section(1, 1, 1)) {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(6.2, 0, 0)}, 40, section);
  scene.rods[0].initial = CircleCurve{Vec3(0, 0, 5), Vec3(0, 0.2, 1), 6.2 / (2 * math::pi)};
  scene.rods[0].initial_twist = turns;
  return scene;
}

SENTENCE("compact", "a ring joined after any part of a turn has that twist, the same everywhere, held or not") {
  for (const char* strain : {"angle", "sine"}) {
    for (const double turns : {0.25, 0.5, 0.73, 1.0, 1.5}) {
      for (const int held : {0, 1, 2, 3}) {
        Scene scene = twisted_ring(turns);
        if (held == 1) add_clamp(scene, 0, {Hold::position});
        if (held == 2) add_clamp(scene, 0.3, {Hold::position});
        if (held == 3) add_clamp(scene, 0);
        const std::shared_ptr<const Model> model = model_of(scene);
        Settings settings;
        settings.strain = std::string(strain) == "sine" ? StrainKind::sine : StrainKind::angle;
        Compact method(model, settings);
        const StepReport report = method.relax(0, 1, {});
        Frame frame = model->initial;
        method.write(frame);
        EXPECT_EQ(report.outcome, Outcome::fine);
        EXPECT_LT(report.iterations, 10);
        for (int i = 0; i < 40; ++i)
          // Beside a wall segments are halved: the polygon is not quite regular, and sines of half angles are less soft.
          EXPECT_NEAR(frame.twist[InnerNodeIndex(i)] - model->rest_twist[InnerNodeIndex(i)], math::two_pi * turns / 40,
                      held < 3 ? 1e-9 : 0.02 * math::two_pi * turns / 40)
              << strain << " " << turns << " turns, held " << held << ", joint " << i;
      }
    }
  }
}

SENTENCE("compact",
         "the step that a ring was joined with is no strain: a section turned by it carries what the plain one carries") {
  // Naturally curved, softer over one axis; joined after half a turn its two ends bend to opposite sides there.
  Scene scene = one_rod(CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 0.2}, 30, plain_section(1, 2, 0.7));
  scene.rods[0].initial_twist = 0.5;
  Instant at(scene);
  const Joint& weld = at.chain.joints.back();
  EXPECT_NEAR(std::abs(weld.weld), math::pi, 1e-9);
  EXPECT_NEAR(weld.rest.head<2>().norm(), 0, 1e-12);
  EXPECT_NEAR(weld.kappa.x(), 2 * at.chain.joints[1].kappa.x(),
              1e-9);  // halves turned by a quarter each way: axes exchanged
  EXPECT_NEAR(weld.kappa.y(), 0.5 * at.chain.joints[1].kappa.y(), 1e-9);
}

SENTENCE(
    "compact",
    "a ring that nothing holds may move, turn and roll about its own line for nothing, and buckles at Michell's twist") {
  // C_40 between those of 50 and of the circle (docs/references.md 4c): 11.0 to 11.1
  for (const double turns : {0.0, 0.4, 1.0, 1.7}) {
    StepReport report;
    std::ignore = settled(twisted_ring(turns), report);
    EXPECT_EQ(report.outcome, Outcome::fine);
    EXPECT_EQ(report.verdict.unstable, 0) << turns;
    EXPECT_EQ(report.verdict.neutral.moving, 6) << turns;
    EXPECT_EQ(report.verdict.neutral.turning, 1) << turns;
    EXPECT_EQ(report.verdict.neutral.other, 0) << turns;
  }
  for (const double turns : {1.8, 2.0}) {
    StepReport report;
    std::ignore = settled(twisted_ring(turns), report);
    EXPECT_EQ(report.outcome, Outcome::fine);
    EXPECT_EQ(report.verdict.unstable, 2) << turns;
  }
  // Held at a point it swings about it for nothing.
  Scene held = twisted_ring(1);
  add_clamp(held, 0.3, {Hold::position});
  StepReport swings;
  std::ignore = settled(held, swings);
  EXPECT_EQ(swings.verdict.unstable, 0);
  EXPECT_EQ(swings.verdict.neutral.swinging, 3);
  EXPECT_EQ(swings.verdict.neutral.turning, 1);
  EXPECT_EQ(swings.verdict.neutral.other, 0);
  // Bent over its softer axis it cannot roll for nothing.
  StepReport report;
  std::ignore = settled(twisted_ring(0, plain_section(1, 2, 1)), report);
  EXPECT_EQ(report.outcome, Outcome::fine);
  EXPECT_EQ(report.verdict.unstable, 0);
  EXPECT_EQ(report.verdict.neutral.moving, 6);
  EXPECT_EQ(report.verdict.neutral.turning, 0);
  EXPECT_GT(report.verdict.softest, 10);
}

// By its residual alone Newton's method ran into a place that is no equilibrium.
SENTENCE("compact", "a free ring that was wound up by three turns finds an equilibrium") {
  Scene scene = one_rod(CircleCurve{Vec3::Zero(), Vec3::UnitZ(), 1}, 100, plain_section(1, 1, 0.8));
  scene.rods[0].initial_twist = 3, scene.rods[0].initial_noise = 1e-4;
  StepReport report;
  const Frame frame = settled(scene, report);
  EXPECT_EQ(report.outcome, Outcome::fine);
  EXPECT_LT(report.residual, 1e-9);
  // It has writhed: flat it would keep all of the twist, GJ/2 (3 turns)^2 / (2 pi).
  EXPECT_LT(frame.own_energy.twisting + frame.own_energy.bending, 0.9 * 0.4 * 9 * math::two_pi);
}

}  // namespace
}  // namespace tendril::compact
