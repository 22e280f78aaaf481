// Rods that are driven against things, and what barriers do to those that press harder than their scene says.
#include <cmath>

#include "methods/compact/compact.h"
#include "methods/compact/compact_testing.h"
#include "scene/scene_testing.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

// 1 m along x, no weight, its start driven by 0.3 m towards what stands before its end.
Scene pushed() {
  StiffnessSection section = plain_section(0.01, 0.01, 0.01);
  section.mass_per_length = 0.1, section.radius = 0.01;
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3::UnitX()}, 40, section);
  scene.contact.enabled = true;
  add_clamp(scene, 0).move.keys = {{0, Vec3::Zero()}, {1, Vec3(0.3, 0, 0)}};
  scene.time.step = 4e-3, scene.time.duration = 1;
  return scene;
}

SENTENCE("compact", "a straight rod that is pushed end-on against a wall, a rod or the end of a rod gives way to a side") {
  for (int before_it = 0; before_it < 3; ++before_it) {
    Scene scene = pushed();
    if (before_it == 0) {
      add_shape(scene, HalfSpaceShape{Vec3(1.03, 0, 0), -Vec3::UnitX()});
    } else {
      Rod other = scene.rods[0];
      other.name = "other";
      other.rest = before_it == 1 ? StraightCurve{Vec3(1.04, -0.5, 0), Vec3(1.04, 0.5, 0)}
                                  : StraightCurve{Vec3(2.04, 0, 0), Vec3(1.04, 0, 0)};
      scene.rods.push_back(other);
      add_clamp(scene, 0).rod = "other";
      if (before_it == 1) add_clamp(scene, 1).rod = "other";
    }
    Checked<Simulation> simulation = Simulation::open(scene);
    ASSERT_TRUE(simulation) << to_text(simulation.problems());
    double furthest = 0, bent = 0;
    while (!simulation->finished()) {
      ASSERT_EQ(simulation->advance().outcome, Outcome::fine) << before_it << simulation->report().message;
      for (int i = 0; i <= 40; ++i) {
        const Vec3& x = simulation->frame().position[NodeIndex{i}];
        furthest = std::max(furthest, x.x()), bent = std::max(bent, std::hypot(x.y(), x.z()));
      }
      for (const ContactPoint& p : simulation->frame().contacts) EXPECT_GT(p.gap, 0);
    }
    EXPECT_EQ(simulation->report().retries, 0) << before_it;
    EXPECT_GT(bent, 0.1) << before_it;
    EXPECT_LT(furthest, before_it == 0 ? 1.02 : 2.1);
  }
}

// A slap of the tip while the clamp goes on: as a driven obstacle does, the clamp pushes the rod ahead of itself.
SENTENCE("compact", "a clamped rod that is lowered to a floor lands on it, without a repeated step") {
  StiffnessSection rubber = plain_section(7.85e-3, 7.85e-3, 5.27e-3);
  rubber.mass_per_length = 0.3456, rubber.radius = 0.01;
  Scene scene = one_rod(StraightCurve{Vec3(-0.2, 0, 0.1), Vec3(0.2, 0, 0.1)}, 20, rubber);
  scene.contact.enabled = true, scene.contact.friction = 0.3;
  add_clamp(scene, 0).move.keys = {{0, Vec3::Zero()}, {0.4, Vec3(0, 0, -0.08)}};
  add_shape(scene, HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()});
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -9.81)});
  scene.time.step = 1.9e-4, scene.time.duration = 0.5;
  Checked<Simulation> simulation = Simulation::open(scene);
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  const RunReport report = simulate(*simulation, {});
  EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
  EXPECT_EQ(report.retries, 0);
  double up = 0;
  for (const ContactPoint& p : simulation->frame().contacts) up += p.force.z();
  EXPECT_GT(up, 0.5 * 0.4 * 0.3456 * 9.81);
}

// Neither weight nor load says what will press: EI/L^2 is a thousandth of what a loop that closes presses with.
SENTENCE("compact", "a rod that clamps wind up, without weight, closes a loop on itself and goes on") {
  StiffnessSection rubber = plain_section(6.36e-5, 6.36e-5, 4.27e-5);
  rubber.mass_per_length = 0.0311, rubber.radius = 0.003;
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(0.6, 0, 0)}, 60, rubber);
  scene.contact.enabled = true, scene.contact.friction = 0.3;
  scene.rods[0].damping.mass = 2;
  add_clamp(scene, 0);
  Clamp& turned = add_clamp(scene, 1);
  turned.move.keys = {{0, Vec3::Zero()}, {3, Vec3(-0.2, 0, 0)}};
  turned.turn.keys = {{0, 0}, {3, 6}};
  scene.time.step = 3e-3, scene.time.duration = 2.5;
  Checked<Simulation> simulation = Simulation::open(scene);
  ASSERT_TRUE(simulation) << to_text(simulation.problems());
  const RunReport report = simulate(*simulation, {});
  EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
  EXPECT_FALSE(simulation->frame().contacts.empty());
  for (const ContactPoint& p : simulation->frame().contacts) EXPECT_GT(p.gap, 0);
}

// What backward Euler takes from a rod that nothing touches: 1/2 m |dv|^2 and what turning takes, to the last digit.
SENTENCE("compact",
         "a step of backward Euler loses by velocities and by turning links, joints and walls, and by nothing else") {
  for (const bool held : {false, true}) {
    Scene scene = one_rod(ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitZ(), 0.5, 1.2}, 9, plain_section(0.3, 0.2, 0.1));
    if (held) add_clamp(scene, 0);
    SolverSettings exact;
    exact.tolerance = 1e-13;
    Instant at(scene, StrainKind::angle, exact);
    Random random(held ? 5 : 4);
    // A step that is taken makes places and velocities fit each other, and bends it.
    for (Vec3& v : at.state.points.v) v = random.vector(0.3);
    ASSERT_TRUE(at.solve(euler_stage(0.02)).fine);
    const auto energy = [&] {
      double sum = 0;
      for (std::size_t i = 0; i < at.chain.mass.size(); ++i)
        sum += 0.5 * at.chain.mass[i] * at.state.points.v[i].squaredNorm();
      for (std::size_t i = 1; i < at.chain.joints.size(); ++i) {
        const StrainPoint p = strain_point(
            at.chain.joints[i].kind, joint_quaternion(at.chain.joints[i], at.state.q, at.drive.clamps), at.state.twist[i]);
        sum += 0.5 * at.chain.joints[i].kappa.dot((p.strain - at.chain.joints[i].rest).cwiseAbs2());
      }
      for (std::size_t w = 0; w < at.chain.walls.size(); ++w) {
        const StrainPoint p =
            strain_point(at.chain.walls[w].kind, joint_quaternion(at.chain.walls[w], at.state.q, at.drive.clamps),
                         at.state.wall_twist[w]);
        sum += 0.5 * at.chain.walls[w].kappa.dot((p.strain - at.chain.walls[w].rest).cwiseAbs2());
      }
      return sum;
    };
    const double before = energy();
    at.problem.begin(at.state, at.drive, at.loads, euler_stage(0.02));
    ASSERT_TRUE(at.problem.iterate().fine);
    const double turning = at.problem.lost_in_turning();
    at.problem.finish();
    double moving = 0;
    for (std::size_t i = 0; i < at.chain.mass.size(); ++i)
      moving += 0.5 * at.chain.mass[i] * (at.state.points.v[i] - at.state.points.v_before[i]).squaredNorm();
    EXPECT_GT(turning, 1e-4 * before);
    EXPECT_NEAR(before - energy(), moving + turning, 1e-8 * before) << held << " " << turning;
  }
}

}  // namespace
}  // namespace tendril::compact
