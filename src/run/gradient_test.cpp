#include "tendril/gradient.h"

#include "scene/scene_testing.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

// A stiff horizontal rod with a force at its tip: deflection F L^3/3 EI, to first order.
Scene beam() {
  Scene scene;
  scene.title = "beam", scene.method = "compact", scene.time.mode = Mode::statics;
  Rod rod;
  rod.name = "beam", rod.segments = 40;
  rod.rest = StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)};
  rod.section = StiffnessSection{.EA = {}, .EI1 = 1e6, .EI2 = 1e6, .GJ = 1e6, .mass_per_length = 1, .radius = 0.01};
  scene.rods = {rod};
  Clamp wall;
  wall.name = "wall", wall.rod = "beam";
  scene.clamps = {wall};
  ForceLoad force;
  force.rod = "beam", force.value = Vec3(0, 0, -3);
  scene.loads = {force};
  scene.probes = {{"tip", "beam", 1, "", Quantity::position}};
  return scene;
}
double down(const FieldGradient& field) { return field.derivative[0].value[2]; }

SENTENCE("run", "the tip of a beam changes with force, stiffness and length as the beam's formula says") {
  const Checked<Gradient> g = differentiate(beam(), {"load[0].force.value[2]", "rod.beam.section.stiffness.EI2",
                                                     "rod[0].rest.straight.end[0]", "rod.beam.section.stiffness.EI1"});
  ASSERT_TRUE(bool(g)) << to_text(g.problems());
  const double F = -3, L = 2, EI = 1e6;
  EXPECT_NEAR(g->probes[0].value[2], F * L * L * L / (3 * EI), 1e-8);
  EXPECT_NEAR(down(g->fields[0]) * 3 * EI / (L * L * L), 1, 1e-3);
  const double by_stiffness = down(g->fields[1]) + down(g->fields[3]);  // it bends about one of its axes
  EXPECT_NEAR(by_stiffness * 3 * EI * EI / (-F * L * L * L), 1, 1e-3);
  EXPECT_NEAR(down(g->fields[2]) * EI / (F * L * L), 1, 1e-3);
  EXPECT_NEAR(g->fields[2].derivative[0].value[0], 1, 1e-6);
}

SENTENCE("run", "derivatives that cannot be had are refused by name") {
  EXPECT_CONTAINS(to_text(differentiate(beam(), {"rod.beam.name"}).problems()),
                  "rod.beam.name: is not a number that stands in the scene");
  EXPECT_CONTAINS(to_text(differentiate(beam(), {"rod.beam.segments"}).problems()), "must be a whole number");
  Scene moving = beam();
  moving.time.mode = Mode::dynamics, moving.time.duration = 1;
  EXPECT_CONTAINS(to_text(differentiate(moving, {"load[0].force.value[2]"}).problems()), "time.mode");
  Scene other = beam();
  other.method = "strands";
  EXPECT_CONTAINS(to_text(differentiate(other, {"load[0].force.value[2]"}).problems()),
                  "method `strands` has no derivatives of its equilibria");
  Scene unstable = beam();  // pushed along its axis, far above Euler's load
  std::get<ForceLoad>(unstable.loads[0]).value = Vec3(-1e7, 0, 0);
  EXPECT_CONTAINS(to_text(differentiate(unstable, {"load[0].force.value[0]"}).problems()), "does not change smoothly");
}

}  // namespace
}  // namespace tendril
