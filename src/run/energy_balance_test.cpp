// The energy balance of equilibria, of every method that finds them, against work that is known.
#include <cmath>
#include <numbers>

#include "record/record_testing.h"
#include "testing/fake_method.h"
#include "testing/for_each_method.h"

namespace tendril {
namespace {

constexpr double pi = std::numbers::pi;

// A rod without weight, clamped at its start, followed through equilibria for a second.
Scene slow_scene(const MethodEntry& method) {
  Scene scene = tiny_scene(method);
  scene.time = {.duration = 1, .mode = Mode::quasistatic, .step = {}, .frames_per_second = 40};
  scene.loads.clear();
  scene.rods[0].segments = 32;
  return scene;
}
struct Ended {
  RunReport report;
  Frame frame;
};
Ended followed_to_the_end(const Scene& scene) {
  Checked<Simulation> simulation = Simulation::open(scene);
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  RunReport report = simulate(*simulation, {});
  EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
  return {std::move(report), simulation->frame()};
}
void for_each_that_relaxes(FeatureSet needs, const std::function<void(const MethodEntry&)>& ask) {
  for_each_method([&](const MethodEntry& method) {
    if (method.info.can.relaxes() && needs.without(method.info.can.equilibrium).empty()) ask(method);
  });
}

SENTENCE("run", "equilibria: a clamp that lifts a hanging rod does its weight times the height of work") {
  for_each_that_relaxes({}, [](const MethodEntry& method) {
    Scene scene = slow_scene(method);
    scene.loads.push_back(GravityLoad{});
    scene.rods[0].rest = StraightCurve{Vec3::Zero(), Vec3(0, 0, -0.5)};
    scene.clamps[0].move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0, 0.3)}};
    const Ended end = followed_to_the_end(scene);
    const double weight = 0.2 * 0.5 * 9.81;
    EXPECT_NEAR(end.frame.flow.clamps, weight * 0.3, 1e-9);
    EXPECT_LT(std::abs(end.report.energy_error), 1e-8);
    EXPECT_EQ(end.frame.flow.work(), end.frame.flow.clamps);
  });
}

SENTENCE("run", "equilibria: a clamp that turns a straight rod does GJ angle^2 / 2 L of work") {
  for_each_that_relaxes({Feature::hold_twist}, [](const MethodEntry& method) {
    Scene scene = slow_scene(method);
    Clamp other = scene.clamps[0];
    other.name = "other", other.at = 1;
    other.turn.keys = {{0, 0}, {1, 0.6}};
    scene.clamps.push_back(other);
    const Ended end = followed_to_the_end(scene);
    const double angle = 0.6 * 2 * pi;
    EXPECT_NEAR(end.frame.flow.clamps, 0.015 * angle * angle / (2 * 0.5), 1e-8);
    EXPECT_LT(std::abs(end.report.energy_error), 1e-8);
  });
}

SENTENCE("run", "equilibria: a force that grows at the tip of a cantilever does half of force times deflection of work") {
  for_each_that_relaxes({}, [](const MethodEntry& method) {
    Scene scene = slow_scene(method);
    ForceLoad load;
    load.rod = "rod", load.value = Vec3(0, 0, 1e-3), load.factor.keys = {{0, 0}, {1, 1}};
    scene.loads.push_back(load);
    const Ended end = followed_to_the_end(scene);
    const double deflection = 1e-3 * std::pow(0.5, 3) / (3 * 0.02);
    EXPECT_NEAR(end.frame.flow.loads, 0.5 * 1e-3 * deflection, 2e-3 * 0.5 * 1e-3 * deflection);
    EXPECT_LT(std::abs(end.report.energy_error), 1e-3);  // strands' own energy is a trapezoidal sum over 32 edges
  });
}

SENTENCE("run", "equilibria: moments, line loads, couplings, and gravity that comes and goes balance what is stored") {
  using Add = void (*)(Scene&);
  struct Case {
    const char* name;
    FeatureSet needs;
    Add add;
    double EnergyFlow::*term;
    double max_error = 2e-3;
  };
  static const Case cases[] = {
      {"moment",
       {Feature::follower_loads},
       [](Scene& s) {
         MomentLoad load;
         load.rod = "rod", load.value = Vec3(0, 0.02, 0.01), load.axes = Axes::material, load.factor.keys = {{0, 0}, {1, 1}};
         s.loads.push_back(load);
       },
       &EnergyFlow::loads,
       0.02},  // der lets it act on the last of 32 edges, which turns by 1/64 less than the end
      {"line load",
       {},
       [](Scene& s) {
         DistributedLoad load;
         load.rod = "rod", load.force = Vec3(0, 0.2, 0.1), load.from = 0.25, load.factor.keys = {{0, 0}, {1, 1}};
         s.loads.push_back(load);
       },
       &EnergyFlow::loads},
      {"coupling",
       {Feature::couplings},
       [](Scene& s) {
         Coupling one;
         one.name = "spring", one.rod = "rod", one.stiffness = 3,
         one.move.keys = {{0, Vec3::Zero()}, {1, Vec3(0, 0.1, 0.1)}};
         s.couplings.push_back(one);
       },
       &EnergyFlow::hands},
      {"changing gravity",
       {},
       [](Scene& s) {
         ChangingGravityLoad load;
         load.factor.keys = {{0, 0}, {1, 0.3}};
         s.loads.push_back(load);
         s.rods[0].rest = StraightCurve{Vec3(100, 0, 100), Vec3(100.5, 0, 100)};
       },
       &EnergyFlow::gravity,
       5e-3},  // weight at the middles of edges here, along them in strands
  };
  for (const Case& one : cases) {
    for_each_that_relaxes(one.needs, [&one](const MethodEntry& method) {
      SCOPED_TRACE(one.name);
      Scene scene = slow_scene(method);
      one.add(scene);
      const Ended end = followed_to_the_end(scene);
      EXPECT_NE(end.frame.flow.*one.term, 0);
      EXPECT_NEAR(end.frame.flow.work(), end.frame.flow.*one.term, 1e-9 * std::abs(end.frame.flow.*one.term))
          << "nothing else does work";
      EXPECT_LT(std::abs(end.report.energy_error), one.max_error) << end.frame.flow.work();
    });
  }
}

SENTENCE("run", "equilibria: a hand that pulls a rod aside and puts it back has done no work in all") {
  for_each_that_relaxes({Feature::couplings}, [](const MethodEntry& method) {
    Scene scene = slow_scene(method);
    Checked<Simulation> opened = Simulation::open(scene);
    ASSERT_TRUE(opened);
    Simulation& simulation = *opened;
    simulation.go_on_forever();
    std::ignore = simulation.advance();
    Hand hand;
    hand.rod = 0, hand.material = 0.5, hand.pose.position = Vec3(0.5, 0, 0), hand.stiffness = 5;
    const auto pull = [&](double z) {
      hand.pose.position.z() = z;
      simulation.set_input("hand.1", hand);
      for (int i = 0; i < 10; ++i) simulation.advance();
      return simulation.frame().flow.hands;
    };
    pull(0);
    const double out = pull(0.2);
    EXPECT_GT(out, 0.005);
    EXPECT_NEAR(out, simulation.measures().energy.elastic(), 0.01 * out);
    EXPECT_NEAR(pull(0), 0, 0.01 * out);
    EXPECT_LT(std::abs(simulation.measures().energy_error), 0.01);
  });
}

SENTENCE("run", "statics has no energy balance, and says so: NaN, null in summary.json") {
  for_each_that_relaxes({}, [](const MethodEntry& method) {
    Scene scene = slow_scene(method);
    scene.loads.push_back(GravityLoad{});
    scene.time.mode = Mode::statics;
    Checked<Simulation> simulation = Simulation::open(scene);
    const RunReport report = simulate(*simulation, {});
    EXPECT_TRUE(std::isnan(report.energy_error) && std::isnan(report.worst_energy_error));
    EXPECT_NE(summary_json(*simulation, report).find("\"error\": null"), std::string::npos);
  });
}

SENTENCE("run", "of every method the energy balance closes in motion, whatever a scene asks for") {
  for_each_method([](const MethodEntry& method) {
    for_each_request(method, [](const Request&, Scene scene, bool claimed) {
      if (!claimed || scene.time.mode != Mode::dynamics) return;
      scene.time.step = 1e-4;  // what is tested is that nothing is forgotten, not the error of large steps
      Checked<Simulation> simulation = Simulation::open(scene);
      ASSERT_TRUE(simulation) << to_text(simulation.problems());
      const RunReport report = simulate(*simulation, {});
      EXPECT_LT(std::abs(report.worst_energy_error), 0.02) << report.last.energy_scale;
    });
  });
}

}  // namespace
}  // namespace tendril
