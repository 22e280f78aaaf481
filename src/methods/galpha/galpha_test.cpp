#include "methods/galpha/galpha.h"

#include <cmath>

#include "math/number.h"
#include "run/check.h"
#include "run/open.h"
#include "run/statics_testing.h"
#include "testing/finite_difference.h"

namespace tendril::galpha {
namespace {

Scene beam(int segments) {
  Scene scene = one_rod(metre, segments, plain_section());
  scene.method = "galpha";
  add_clamp(scene, 0);
  scene.time.duration = 0.5, scene.time.frames_per_second = 10;
  return scene;
}

// The method is not among those that scenes may name yet: it is opened by its entry.
Problems problems_of(const Scene& scene) { return examine(scene, entry()).problems; }
Simulation at_its_end(const Scene& scene) {
  Simulation simulation = std::move(*open_with(scene, entry()));
  while (!simulation.finished() && simulation.advance().outcome == Outcome::fine) continue;
  return simulation;
}

SENTENCE("galpha",
         "triples in the printed range that grow are refused, and rho_infinity beyond 0.95 where nothing stretches") {
  Scene scene = beam(4);
  scene.options["galpha"]["scheme"] = std::string("triple");
  scene.options["galpha"]["alpha"] = -0.4, scene.options["galpha"]["beta"] = 0.4, scene.options["galpha"]["gamma"] = 0.6;
  EXPECT_NE(to_text(problems_of(scene)).find("alpha - beta + gamma"), std::string::npos) << to_text(problems_of(scene));
  scene = beam(4);
  scene.options["galpha"]["rho_infinity"] = 0.97;
  EXPECT_NE(to_text(problems_of(scene)).find("does not stretch"), std::string::npos) << to_text(problems_of(scene));
  scene.options["galpha"]["rho_infinity"] = 0.95;
  EXPECT_FALSE(has_errors(problems_of(scene)));
  // Grows as the linear test equation says: |amplification| above 1 exactly where the sum is below 1/2.
  for (const Triple& t : {Triple{0.3, 0, 0.7}, Triple::of_radius(0), Triple::of_radius(0.9)}) EXPECT_TRUE(t.stable());
  EXPECT_FALSE((Triple{0.2, 0.5, 0.6}.stable()));
  for (const double rho : {0.0, 0.3, 0.9}) EXPECT_NEAR(Triple::of_radius(rho).order_defect(), 0, 1e-15);
}

SENTENCE("galpha", "a rest shape that turns a segment too far is refused with the number of segments it needs") {
  Scene scene = beam(6);
  scene.rods[0].rest = HelixCurve{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), 0.1, 0.02, 4};
  scene.rods[0].follows = SectionFollows::curve;
  const std::string text = to_text(problems_of(scene));
  EXPECT_NE(text.find("rad"), std::string::npos) << text;
  EXPECT_NE(text.find("take at least 11 segments"), std::string::npos) << text;
}

SENTENCE("galpha",
         "a column is a minimum below Euler's load, has two unstable directions above it, and leaves them on request") {
  for (const double part : {0.98, 1.02, 1.152}) {
    for (const bool seek : {false, true}) {
      Scene scene = at_rest(metre, 40, "galpha");
      scene.options["galpha"]["seek_minimum"] = seek;
      add_clamp(scene, 0);
      push(scene, 1, Vec3(-part * math::pi * math::pi / 4, 0, 0));
      const Simulation simulation = at_its_end(scene);
      const Verdict& verdict = simulation.frame().report.verdict;
      EXPECT_EQ(verdict.unstable, part < 1 || seek ? 0 : 2) << part << ": " << to_text(verdict);
      // Elastica: the tip has turned by 60 degrees at 1.152 of Euler's load.
      if (part < 1.1) continue;
      EXPECT_NEAR(simulation.frame().position[NodeIndex(40)].x(), seek ? 0.741 : 1.0, seek ? 3e-3 : 1e-9);
    }
  }
}

SENTENCE("galpha",
         "the tangent of a step is that of finite differences: inertia, spin, loads that follow, drag, a hand, damping") {
  Scene scene = beam(5);
  scene.rods[0].damping = {0.7, 0.02};
  scene.loads.push_back(GravityLoad{});
  push(scene, 1, Vec3(0.3, 0.2, -0.5), Axes::material);
  turn(scene, 0.6, Vec3(0.1, 0.4, 0.2), Axes::material);
  DragLoad drag;
  drag.normal = 0.5, drag.tangential = 0.2;
  scene.loads.push_back(drag);
  Coupling hand;
  hand.name = "hand", hand.rod = "rod", hand.at = 0.8, hand.stiffness = 3, hand.damping = 0.4, hand.angular_stiffness = 0.6,
  hand.angular_damping = 0.2;
  scene.couplings.push_back(hand);
  const auto model = std::make_shared<const Model>(std::move(*build_model(scene)));
  const RodConstants rod = constants_of(*model, 0);
  RodState state = start_of(*model, rod);
  for (int i = 0; i < rod.nodes(); ++i) {
    state.place.dot[z(i)] = Vec3(0.3 * i, -0.2, 0.1 * i), state.turn.dot[z(i)] = Vec3(0.5, 0.3 * i, -1);
    state.place.rate = state.place.dot, state.turn.rate = state.turn.dot;
  }
  Drive drive;
  evaluate(*model, Live{}, 0.1, 1, drive);
  LateClamps late(*model);
  late.follow(*model, drive, [](const ClampModel&) { return Pose{}; });
  LoadsNow loads(*model);
  loads.update(drive);
  const std::vector<Motion> still(model->clamps.size());
  RodProblem problem(*model, rod, {});
  problem.set_drive(drive, loads, late, still);
  EXPECT_TRUE(problem.solve(state, {Triple::of_radius(0.6), 0.03}).converged);
  // The blocks as one matrix, of the rows before anything is held.
  const int nodes = rod.nodes(), size = 9 * nodes - 3;
  PoseChain& chain = problem.assemble();
  Eigen::MatrixXd given = Eigen::MatrixXd::Zero(size, size);
  for (int j = 0; j < nodes; ++j) {
    const int r = 9 * j, q = r + 3, n = r + 6;
    given.block<3, 3>(r, r) += chain.node(j).rr, given.block<3, 3>(r, q) += chain.node(j).rt;
    given.block<3, 3>(q, r) += chain.node(j).tr, given.block<3, 3>(q, q) += chain.node(j).tt;
    if (j + 1 == nodes) break;
    const PoseChain::Link& l = chain.link(j);
    given.block<3, 3>(r, n) -= Mat3::Identity(), given.block<3, 3>(r + 9, n) += Mat3::Identity();
    given.block<3, 3>(n, r) -= Mat3::Identity(), given.block<3, 3>(n, r + 9) += Mat3::Identity();
    given.block<3, 3>(q, q) += l.aa, given.block<3, 3>(q, q + 9) += l.ab, given.block<3, 3>(q, n) += l.ta;
    given.block<3, 3>(q + 9, q) += l.ba, given.block<3, 3>(q + 9, q + 9) += l.bb, given.block<3, 3>(q + 9, n) += l.tb;
    given.block<3, 3>(n, q) += l.pa, given.block<3, 3>(n, q + 9) += l.pb, given.block<3, 3>(n, n) -= l.give;
  }
  PoseChain::Column x;
  x.resize(nodes);
  problem.set_direction(x);
  const auto rows = [&](const Eigen::VectorXd& v) {
    const auto part = [&v](int first) { return Vec3(v.segment<3>(first)); };
    for (int j = 0; j < nodes; ++j) {
      x.r[z(j)] = part(9 * j), x.q[z(j)] = part(9 * j + 3);
      if (j + 1 < nodes) x.n[z(j)] = part(9 * j + 6);
    }
    problem.move(0);
    problem.set_direction(x);
    problem.move(1);
    std::ignore = problem.evaluate();
    Eigen::VectorXd out(size);
    for (int j = 0; j < nodes; ++j) {
      out.segment<3>(9 * j) = problem.rows().r[z(j)], out.segment<3>(9 * j + 3) = problem.rows().q[z(j)];
      if (j + 1 < nodes) out.segment<3>(9 * j + 6) = problem.rows().n[z(j)];
    }
    return out;
  };
  const auto result = compare_with_differences(rows, given, Eigen::VectorXd(Eigen::VectorXd::Zero(size)));
  EXPECT_TRUE(result.ok) << result.message;
}

// What a user of the README sees: a beam that is let go, with defaults.
SENTENCE("galpha",
         "energy is balanced within a percent by default: weight, damping, drag, a clamp that moves, one that lets go") {
  for (int number = 0; number < 5; ++number) {
    Scene scene = beam(20);
    scene.rods[0].section = StiffnessSection{500.0, 0.02, 0.02, 0.015, 0.2, 0.01};
    scene.time.duration = 1;
    scene.loads.push_back(GravityLoad{});
    if (number == 1) scene.rods[0].damping = {1, 0.01};
    if (number == 2) {
      DragLoad drag;
      drag.normal = 0.3;
      scene.loads.push_back(drag);
    }
    if (number == 3) scene.clamps[0].move.keys = {{0, Vec3::Zero()}, {0.3, Vec3(0, 0.1, 0)}, {0.6, Vec3::Zero()}};
    if (number == 4) add_clamp(scene, 1, pin).until = 0.2;
    Simulation simulation = std::move(*open_with(scene, entry()));
    const RunReport report = simulate(simulation, {});
    EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
    EXPECT_LT(std::abs(report.energy_error), 0.01) << number;
  }
}

}  // namespace
}  // namespace tendril::galpha
