// Second derivatives of the energy, verdicts on equilibria, Newton's method.
#include "math/rotation.h"
#include "methods/cable/cable.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::cable::stability_test {
namespace {

using namespace small_rods;

SENTENCE("cable", "the tangent is the second derivative of the energy of joints, along any motion") {
  for (const Give give : {Give::none, Give::elastic}) {
    Scene scene = one_rod(ArcCurve{}, 5, plain_section(1, 2, 0.7));
    scene.rods[0].stretch = give;
    add_clamp(scene, 0), add_clamp(scene, 1, {Hold::position, Hold::direction});
    const auto model = model_of(scene);
    const Parts parts = build_parts(*model);
    State state = start_state(*model, parts);
    Random random(11);
    for (std::size_t i = 0; i < state.x.size(); ++i) {
      if (parts.elements[i].led) continue;
      state.x[i] += random.vector(0.05), state.q[i] = exp_quat(random.vector(0.3)) * state.q[i];
    }
    std::fill(state.point_on.begin(), state.point_on.end(), char(1));
    std::fill(state.frame_on.begin(), state.frame_on.end(), char(1));
    for (Vec3& force : state.force) force = random.vector(2);
    std::vector<Vec3> none(state.x.size(), Vec3::Zero()), pull, turn;
    joint_wrenches(parts, state, pull = none, turn = none);  // couples of the strains
    Tangent tangent(parts);
    tangent.assemble(state, std::vector<Mat3>(state.x.size(), Mat3::Zero()), 1, 1);
    for (int direction = 0; direction < 4; ++direction) {
      std::vector<Vec3> way = none, spin = none;
      for (std::size_t i = 0; i < way.size(); ++i)
        if (!parts.elements[i].led) way[i] = random.vector(1), spin[i] = random.vector(1);
      // Down the energy: spins are constant along exp(s theta) q.
      const auto slope = [&](double s) {
        State there = state;
        for (std::size_t i = 0; i < way.size(); ++i)
          there.x[i] += s * way[i], there.q[i] = exp_quat(Vec3(s * spin[i])) * there.q[i];
        joint_wrenches(parts, there, pull = none, turn = none);
        double sum = 0;
        for (std::size_t i = 0; i < way.size(); ++i) sum -= pull[i].dot(way[i]) + turn[i].dot(spin[i]);
        return sum;
      };
      const auto r = compare_with_differences(slope, tangent.bend_of(way, spin), 0.0);
      EXPECT_TRUE(r.ok) << r.message;
    }
  }
}

ForceLoad pull(const Vec3& force) {  // at the end
  ForceLoad load;
  load.rod = "rod", load.value = force;
  return load;
}
HelixCurve coil() {
  HelixCurve helix;
  helix.radius = 0.02, helix.pitch = 0.005, helix.turns = 10;
  return helix;
}
// A column of 1 m, clamped at its foot, under `part` of Euler's load pi^2 EI/4 L^2.
Scene column(double part) {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0, 0, 1)}, 40);
  add_clamp(scene, 0);
  scene.loads = {pull(Vec3(0, 0, -part * math::pi * math::pi / 4))};
  return scene;
}
Vec3 tip_of(const Cable& method) {
  Frame frame;
  method.write(frame);
  return frame.position[NodeIndex(40)];
}

SENTENCE("cable",
         "a column below Euler's load stands at a minimum; above it the verdict names both directions in which it falls") {
  Settings stay;
  stay.seek_minimum = false;
  Cable below(model_of(column(0.95)), stay), above(model_of(column(1.05)), stay);
  const StepReport stands = below.relax(0, 1, {}), stood = above.relax(0, 1, {});
  ASSERT_EQ(stands.outcome, Outcome::fine);
  ASSERT_EQ(stood.outcome, Outcome::fine);
  EXPECT_TRUE(stands.verdict.minimum());
  EXPECT_GT(stands.verdict.softest, 0);
  EXPECT_EQ(stood.verdict.unstable, 2);
  EXPECT_LT(stood.verdict.softest, 0);
  EXPECT_NEAR(tip_of(above).z(), 1, 1e-9);
}

SENTENCE("cable", "a column above Euler's load is found buckled, as the elastica is") {
  // [elastica: tip angle 60 degrees at P/Pcr = 1.152, x/L = 0.593, z/L = 0.741; 20 degrees: 1.015, 0.220, 0.970]
  for (const auto& [part, x, z] : {std::array{1.0154, 0.2194, 0.9697}, std::array{1.1517, 0.5932, 0.7410}}) {
    Cable method(model_of(column(part)), {});
    const StepReport report = method.relax(0, 1, {});
    ASSERT_EQ(report.outcome, Outcome::fine) << part;
    EXPECT_EQ(report.verdict.unstable, 0) << part;
    EXPECT_EQ(report.verdict.neutral.count(), 1) << part;  // it may lean to any side
    const Vec3 tip = tip_of(method);
    EXPECT_NEAR(std::hypot(tip.x(), tip.y()), x, 0.02) << part;
    EXPECT_NEAR(tip.z(), z, 0.02) << part;
  }
}

SENTENCE("cable", "a coil of many segments is found at rest by Newton's method, within few solves") {
  StiffnessSection wire = plain_section(0.157, 0.157, 0.1208);
  wire.radius = 0.001, wire.mass_per_length = 0.0247;
  Scene scene = one_rod(coil(), 400, wire);
  add_clamp(scene, 0);
  scene.loads = {pull(Vec3(0, 0, -5))};
  Cable method(model_of(scene), {});
  int solves = 0;
  for (const double load : {0.25, 0.5, 0.75, 1.0}) {
    const StepReport report = method.relax(0, load, {});
    ASSERT_EQ(report.outcome, Outcome::fine) << load << ' ' << report.residual;
    solves += report.iterations;
  }
  EXPECT_LT(solves, 4 * 60);
  Frame frame;
  method.write(frame);
  EXPECT_NEAR(frame.position[NodeIndex(400)].z(), -0.0775, 0.001);  // der: -0.0774, compact: -0.0776
}

SENTENCE("cable", "a rod exactly as long as its clamps are apart is named when a load acts across it") {
  Scene scene = one_rod(line, 10);
  add_clamp(scene, 0), add_clamp(scene, 1);
  Cable idle(model_of(scene), {});
  EXPECT_EQ(idle.relax(0, 1, {}).outcome, Outcome::fine);  // nothing acts
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  Cable loaded(model_of(scene), {});
  EXPECT_EQ(loaded.relax(0, 1, {}).cause, Cause::taut);
  // In motion: 5 km of rope that comes apart in the first step.
  Scene rope = one_rod(StraightCurve{Vec3::Zero(), Vec3(5000, 0, 0)}, 50, plain_section(2.5e4, 2.5e4, 2e4));
  add_clamp(rope, 0, {Hold::position}), add_clamp(rope, 1, {Hold::position});
  rope.clamps[1].move.keys = {{0, Vec3::Zero()}, {10, Vec3(-500, 0, 0)}};
  rope.loads = {GravityLoad{Vec3(0, 0, -9.81)}};
  EXPECT_EQ(Cable(model_of(rope), {}).step(0, 1 / 60.0, {}).cause, Cause::taut);
}

}  // namespace
}  // namespace tendril::cable::stability_test
