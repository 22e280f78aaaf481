// Barriers store energy; nothing of it may become motion.
#include <cmath>

#include "contact/barrier.h"
#include "methods/compact/compact_testing.h"
#include "run/open.h"
#include "scene/scene_testing.h"
#include "tendril/simulate.h"
#include "testing/finite_difference.h"
#include "testing/sentence.h"

namespace tendril::compact {
namespace {

constexpr double down = 9.81, thick = 0.01;

// 0.5 m along x, radius 0.01, 25 g, its axis at the given height over a floor at z = 0.
Scene over_floor(double height, double EI, double friction = 0, double slope = 0) {
  StiffnessSection section = plain_section(EI, EI, 0.8 * EI);
  section.mass_per_length = 0.05;
  Scene scene = one_rod(StraightCurve{Vec3(0, 0, height), Vec3(0.5, 0, height)}, 20, section);
  scene.contact.enabled = true, scene.contact.friction = friction;
  add_shape(scene, HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()});
  scene.loads.push_back(GravityLoad{down * Vec3(std::sin(slope), 0, -std::cos(slope))});
  return scene;
}

struct Seen {
  RunReport report;
  Frame frame;
  double highest = 0, after = 0;  // of any node: ever, and after it was lowest
  explicit Seen(const Scene& scene) {
    Checked<Simulation> simulation = Simulation::open(scene);
    EXPECT_TRUE(simulation) << to_text(simulation.problems());
    if (!simulation) return;
    double lowest = 1e9;
    while (!simulation->finished()) {
      if (simulation->advance().outcome != Outcome::fine) break;
      double top = 0, middle = simulation->frame().position[NodeIndex{10}].z();
      for (const Vec3& x : simulation->frame().position) top = std::max(top, x.z());
      highest = std::max(highest, top);
      if (middle < lowest) lowest = middle, after = 0;
      after = std::max(after, top - lowest);
    }
    report = simulation->report(), frame = simulation->frame();
  }
};

SENTENCE("contact",
         "while a gap opens its barrier pushes less and never pulls, at rest as ever, by the slope of its energy") {
  const Barrier b{0.02, 3};
  for (const double before : {0.002, 0.01, 0.015})
    for (const double lambda : {0.7, 20.0}) {
      const auto since = [&](double gap) { return barrier_since(b, before, lambda, gap); };
      EXPECT_EQ(since(before).slope, barrier_at(b, before).slope);
      for (const double gap : {0.001, 0.9 * before, before * (1 + 0.1 / (1 + lambda)), before * (1 + 0.3 / (1 + lambda))}) {
        const double h = 1e-3 * gap / (1 + lambda);
        const auto first =
            compare_with_differences([&](double g) { return since(g).energy; }, since(gap).slope, gap, {.step = h});
        const auto second =
            compare_with_differences([&](double g) { return since(g).slope; }, since(gap).bend, gap, {.step = h});
        EXPECT_TRUE(first.ok) << first.message;
        EXPECT_TRUE(second.ok) << second.message;
        EXPECT_EQ(since(gap).slope > barrier_at(b, gap).slope, gap > before);
        EXPECT_EQ(since(gap).slope == barrier_at(b, gap).slope, gap < before);
      }
      EXPECT_EQ(since(before + b.reach / (1 + lambda)).slope, 0);
      EXPECT_EQ(since(before + b.reach / (1 + lambda)).energy, 0);
      EXPECT_NEAR(since(before * (1 + 1e-12)).energy, since(before).energy, 1e-9 * b.force * b.reach);
    }
}

SENTENCE("compact", "a rod that starts on the floor, or anywhere in a barrier's reach of it, stays where it is") {
  for (const double gap : {-5e-5, 0.0, 2e-5, 5e-5, 1e-4, 1.9e-4})
    for (const double step : {4e-4, 1e-4}) {
      Scene scene = over_floor(thick + gap, 10);
      scene.time.step = step, scene.time.duration = 0.1;
      const Seen seen(scene);
      ASSERT_EQ(seen.report.outcome, Outcome::fine) << seen.report.message;
      EXPECT_LT(seen.highest, thick + 2.5e-4) << gap;
      double fastest = 0;
      for (const Vec3& v : seen.frame.velocity) fastest = std::max(fastest, v.norm());
      EXPECT_LT(fastest, 1e-3) << gap;
      EXPECT_LT(std::abs(seen.report.energy_error), 0.05) << gap << " " << step;
    }
}

SENTENCE("compact",
         "a rod that falls flat comes to rest at once, whatever the step, and its energy is booked under impacts") {
  for (const double step : {2e-3, 1e-3, 1e-4}) {
    Scene scene = over_floor(2 * thick, 0.01, 0.3);
    scene.time.step = step, scene.time.duration = 0.1;
    const Seen seen(scene);
    ASSERT_EQ(seen.report.outcome, Outcome::fine) << seen.report.message;
    EXPECT_LT(seen.after, 3e-4) << step;
    EXPECT_LT(std::abs(seen.report.energy_error), 0.05) << step;
    const double fallen = 0.025 * down * thick;
    EXPECT_NEAR(seen.frame.flow.impacts, fallen, 0.1 * fallen) << step;
  }
}

SENTENCE("compact", "a rod that is laid down from just above the floor loses less than what makes a run suspect") {
  for (const double height : {3e-4, 1e-3, 3e-3})
    for (const double step : {3e-4, 1e-4}) {
      Scene scene = over_floor(thick + height, 0.008, 0.3);
      scene.time.step = step, scene.time.duration = 0.2;
      const Seen seen(scene);
      ASSERT_EQ(seen.report.outcome, Outcome::fine) << seen.report.message;
      EXPECT_LT(std::abs(seen.report.worst_energy_error), 0.05) << height << " " << step;
    }
}

SENTENCE("compact",
         "a rod on a slope sticks where friction is enough, wherever in a barrier's reach it starts, at any step") {
  for (const double gap : {0.0, 1e-4})
    for (const double step : {1e-3, 2e-4}) {
      Scene scene = over_floor(thick + gap, 0.01, 0.7, std::atan(0.577));
      scene.time.step = step, scene.time.duration = 0.2;
      const Seen seen(scene);
      ASSERT_EQ(seen.report.outcome, Outcome::fine) << seen.report.message;
      EXPECT_LT(std::abs(seen.frame.position[NodeIndex{10}].x() - 0.25), 2e-4) << gap << " " << step;
    }
}

// Its ends swing round the cylinder and hit it far harder than weight presses: pushes of 1e4 times the rod's stiffness, which a shift of the matrix
// has to match.
SENTENCE("compact", "a limp rope that falls over a cylinder wraps itself around it without a repeated step") {
  StiffnessSection limp = plain_section(1e-4, 1e-4, 1e-4);
  limp.mass_per_length = 0.05, limp.radius = 0.005;
  Scene scene = one_rod(StraightCurve{Vec3(-0.5, 0, 0.21), Vec3(0.5, 0, 0.21)}, 60, limp);
  scene.contact.enabled = true, scene.contact.friction = 0.3, scene.rods[0].damping.mass = 0.5;
  CylinderShape drum;
  drum.start = Vec3(0, -0.3, 0), drum.end = Vec3(0, 0.3, 0), drum.radius = 0.2;
  add_shape(scene, drum);
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -down)});
  scene.time.step = 6e-4, scene.time.duration = 0.32;
  const Seen seen(scene);
  EXPECT_EQ(seen.report.outcome, Outcome::fine) << seen.report.message;
  EXPECT_EQ(seen.report.retries, 0);
}

}  // namespace
}  // namespace tendril::compact
