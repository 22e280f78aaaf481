// What every method promises: what it claims works, what it does not claim is refused, and its state is all of its state.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/grips.h"
#include "record/record_testing.h"
#include "run/open.h"
#include "testing/allocation_count.h"
#include "testing/for_each_method.h"
#include "testing/sanitized.h"

namespace tendril {
namespace {

Simulation open_or_fail(const Scene& scene) {
  Checked<Simulation> simulation = Simulation::open(scene);
  EXPECT_TRUE(simulation) << to_text(simulation.problems());
  return std::move(*simulation);
}

SENTENCE("run", "every method runs what it claims to do, in motion and in equilibrium") {
  for_each_method([](const MethodEntry& method) {
    for_each_request(method, [](const Request&, const Scene& scene, bool claimed) {
      if (!claimed) return;
      Simulation simulation = open_or_fail(scene);
      const RunReport report = simulate(simulation, {});
      EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
      EXPECT_EQ(report.time, scene.time.duration);
      EXPECT_TRUE(std::isfinite(report.last.energy.total()));
      for (const double v : report.last.probes.at(0).value) EXPECT_TRUE(std::isfinite(v));
    });
  });
}

SENTENCE("run", "what a method does not claim is refused by check, naming the method") {
  for_each_method([](const MethodEntry& method) {
    for_each_request(method, [&method](const Request&, const Scene& scene, bool claimed) {
      if (claimed) return;
      const Problems problems = check(scene);
      EXPECT_TRUE(has_errors(problems));
      EXPECT_NE(to_text(problems).find(method.info.name), std::string::npos) << to_text(problems);
      EXPECT_FALSE(Simulation::open(scene));
    });
  });
}

SENTENCE("run", "every feature of the table is asked for by a request, or is known not to be") {
  FeatureSet asked = not_asked_by_scenes;
  for (const Request& request : all_requests()) asked = asked.with(request.needs);
  for (std::size_t i = 0; i < all_features.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all_features[i].feature), i) << "rows stand in the order of the enumerators";
    EXPECT_TRUE(asked.has(all_features[i].feature)) << all_features[i].noun;
    for_each_method([i](const MethodEntry& method) {
      const Feature feature = all_features[i].feature;
      EXPECT_TRUE(method.info.can.moves() || !method.info.can.motion.has(feature)) << "claims motion without inertia";
      EXPECT_TRUE(method.info.can.relaxes() || !method.info.can.equilibrium.has(feature)) << "claims no equilibria";
    });
  }
}

SENTENCE("run", "a method that claims to judge equilibria gives a verdict, others give none") {
  for_each_method([](const MethodEntry& method) {
    if (!method.info.can.relaxes()) return;
    Scene scene = tiny_scene(method);
    scene.time.mode = Mode::statics;
    Simulation simulation = open_or_fail(scene);
    EXPECT_EQ(simulate(simulation, {}).outcome, Outcome::fine);
    const Verdict& verdict = simulation.frame().report.verdict;
    EXPECT_EQ(verdict.judged(), method.info.can.equilibrium.has(Feature::stability));
    EXPECT_EQ(verdict.minimum(), verdict.judged()) << verdict.unstable;
    EXPECT_EQ(verdict.softest > 0, verdict.judged()) << verdict.softest;
  });
}

// Where each rod's nodes are at the end of the run.
std::map<std::string, std::vector<Vec3>> ends_of(const Scene& scene) {
  Simulation simulation = open_or_fail(scene);
  EXPECT_EQ(simulate(simulation, {}).outcome, Outcome::fine);
  const Frame& frame = simulation.frame();
  std::map<std::string, std::vector<Vec3>> ends;
  for (std::size_t r = 0; r < scene.rods.size(); ++r) {
    const RodSpan& span = frame.rods[r];
    const auto first = frame.position.begin() + span.first_node;
    ends[scene.rods[r].name].assign(first, first + span.nodes);
  }
  return ends;
}

// A straight rod and an arc, held at their starts, and a twisted ring that falls where the method moves rods.
Scene scene_of_rods(const MethodEntry& method, int segments) {
  Scene scene = tiny_scene(method);
  scene.probes.clear();
  scene.time.duration = unless_sanitized(0.05, 0.0025);
  if (method.info.can.moves()) scene.time.step = 5e-5;  // twist waves of the ring too are resolved: no method loses energy
  scene.rods[0].segments = segments;
  const auto add = [&scene](const char* name, const Curve& rest, const Vec3& d1) {
    scene.rods.push_back(scene.rods[0]);
    scene.rods.back().name = name, scene.rods.back().rest = rest, scene.rods.back().d1 = d1;
  };
  const auto hold = [&scene](const char* name) {
    scene.clamps.push_back(scene.clamps[0]);
    scene.clamps.back().name = scene.clamps.back().rod = name;
  };
  if (method.info.can.any(Feature::rest_curvature)) {
    add("arc", ArcCurve{Vec3(0, 1, 0), Vec3(1, 1, 0), Vec3::UnitY(), 0.5, 1.1}, Vec3::UnitZ());
    hold("arc");
  }
  if (method.info.can.any(Feature::ring)) {
    add("ring", CircleCurve{Vec3(0, 0, 1), Vec3(0.1, 0, 1), 0.2}, Vec3::UnitZ());
    scene.rods.back().initial_twist = 1.5;
    if (!method.info.can.moves()) hold("ring");
  }
  return scene;
}

SENTENCE("run", "of every method rods that do not meet move as if each were alone, in whatever order they stand") {
  for_each_method([](const MethodEntry& method) {
    for (int segments = 8; segments < 12; ++segments) {  // however they fill packs of numbers
      Scene scene = scene_of_rods(method, segments);
      std::map<std::string, std::vector<Vec3>> alone;
      for (const Rod& rod : scene.rods) {
        Scene one = scene;
        one.rods = {rod};
        std::erase_if(one.clamps, [&](const Clamp& clamp) { return clamp.rod != rod.name; });
        alone.merge(ends_of(one));
      }
      const auto by_name = [](const Rod& a, const Rod& b) { return a.name < b.name; };
      std::sort(scene.rods.begin(), scene.rods.end(), by_name);
      do {
        for (const auto& [name, nodes] : ends_of(scene)) {
          double apart = 0;
          for (std::size_t i = 0; i < nodes.size(); ++i) apart = std::max(apart, (nodes[i] - alone.at(name)[i]).norm());
          EXPECT_LT(apart, 1e-9) << name << " behind " << scene.rods[0].name << ", " << segments << " segments";
        }
      } while (std::next_permutation(scene.rods.begin(), scene.rods.end(), by_name));
    }
  });
}

SENTENCE("run", "of every method a fork goes on with the same bits as a rerun") {
  for_each_method([](const MethodEntry& method) {
    for_each_request(method, [](const Request&, const Scene& scene, bool claimed) {
      if (!claimed) return;
      Simulation a = open_or_fail(scene), b = open_or_fail(scene);
      for (int i = 0; i < 5 && !a.finished(); ++i) a.advance(), b.advance();
      Simulation c = a.fork();
      while (!a.finished()) a.advance();
      while (!b.finished()) b.advance();
      while (!c.finished()) c.advance();
      EXPECT_TRUE(same_frame(a.frame(), b.frame())) << "rerun";
      EXPECT_TRUE(same_frame(a.frame(), c.frame())) << "fork";
    });
  });
}

SENTENCE("run", "of every method an interrupted run, resumed from its files, equals an uninterrupted one in every bit") {
  for_each_method([](const MethodEntry& method) {
    for (const bool bodies : {false, true}) {
      if (bodies && !method.info.can.any(Feature::bodies)) continue;
      TemporaryFolder folder;
      Scene scene = tiny_scene(method);
      scene.clamps[0].turn.keys = {{0, 0}, {0.1, 1.0 / 8}};
      for (const Request& request : all_requests())
        if (bodies && std::string_view(request.name) == "bodies") request.ask(scene);
      {
        Simulation whole = open_or_fail(scene);
        RunFolder run(folder / "whole");
        Sink* sinks[] = {&run};
        simulate(whole, sinks);
      }
      {
        Simulation cut = open_or_fail(scene);
        RunFolder run(folder / "cut");
        Sink* sinks[] = {&run};
        int asked = 0;
        simulate(cut, sinks, [&asked] { return ++asked == 2; });
      }
      EXPECT_FALSE(look_at_run(folder / "cut").complete);
      Simulation resumed = open_or_fail(scene);
      const auto run = RunFolder::resume(folder / "cut", resumed);
      Sink* sinks[] = {run.get()};
      simulate(resumed, sinks);
      expect_same_runs(folder / "whole", folder / "cut");
    }
  });
}

// Rods enough for several chunks: hairs in two rows, with a ring and a curved rod between, some of them touching where that is
// claimed.
Scene many_rods(const MethodEntry& method, bool contact) {
  Scene scene = tiny_scene(method);
  const Rod rod = scene.rods[0];
  const Clamp wall = scene.clamps[0];
  scene.rods.clear(), scene.clamps.clear();
  for (int i = 0; i < 240; ++i) {
    Rod hair = rod;
    hair.name = "hair" + std::to_string(i);
    const Vec3 root(0, 0.021 * (i % 120), i < 120 ? 0.0 : 0.03);
    hair.rest = StraightCurve{root, root + Vec3(0.5, 0, 0)};
    if (i % 7 == 3) hair.section = StiffnessSection{500.0, 0.02, 0.03, 0.015, 0.2, 0.01};
    if (i % 11 == 5 && method.info.can.any(Feature::stretch)) hair.stretch = Give::elastic;
    hair.segments = 12 + i % 5;
    scene.rods.push_back(hair);
    Clamp clamp = wall;
    clamp.name = "wall" + std::to_string(i), clamp.rod = hair.name;
    scene.clamps.push_back(clamp);
  }
  scene.probes.clear();
  scene.contact.enabled = contact, scene.contact.friction = 0.3;
  if (contact) {
    Obstacle bar;
    bar.name = "bar", bar.shape = CapsuleShape{Vec3(0.3, -1, -0.0252), Vec3(0.3, 4, -0.0252), 0.015};  // 0.2 mm below
    scene.obstacles = {bar};
  }
  return scene;
}

SENTENCE("run", "of every method a run has the same bits on one to eight threads") {
  for_each_method([](const MethodEntry& method) {
    for (const bool contact : {false, true}) {
      if (contact && !(method.info.can.moves() && method.info.can.motion.has(Feature::contact))) continue;
      SCOPED_TRACE(contact ? "contact" : "rods alone");
      Scene scene = many_rods(method, contact);
      if (!method.info.can.moves()) scene.rods.resize(12), scene.clamps.resize(12);  // an equilibrium of each
      scene.time.duration = contact ? 0.012 : 0.03;
      std::optional<Frame> one;
      for (int threads = 1; threads <= 8; threads += unless_sanitized(1, 3)) {  // sanitized: 1, 4, 7
        Checked<Simulation> simulation = Simulation::open(scene, {.threads = threads});
        ASSERT_TRUE(simulation) << to_text(simulation.problems());
        const RunReport report = simulate(*simulation, {});
        EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
        if (!one) one = simulation->frame();
        EXPECT_TRUE(same_frame(*one, simulation->frame())) << threads << " threads";
        EXPECT_EQ(one->contacts.empty(), !contact);
      }
    }
  });
}

SENTENCE("run", "of every method a step allocates nothing") {
  for_each_method([](const MethodEntry& method) {
    if (!method.info.can.moves()) return;
    Scene scene = tiny_scene(method);
    scene.time.duration = 100;
    scene.time.frames_per_second = 1;
    Simulation simulation = open_or_fail(scene);
    scene.time.step = simulation.step_size() / 10;
    simulation = open_or_fail(scene);
    for (int i = 0; i < 100; ++i) simulation.advance();
    const AllocationCount allocations;
    for (int i = 0; i < 100; ++i) simulation.advance();
    const long count = allocations.count();
    EXPECT_EQ(count, 0);
  });
}

Vec3 vector_of(const Simulation& simulation, std::size_t probe) {
  const std::vector<double>& v = simulation.measures().probes.at(probe).value;
  return Vec3(v.at(0), v.at(1), v.at(2));
}
Coupling end_spring(double stiffness, double damping) {
  Coupling coupling;
  coupling.name = "hand", coupling.rod = "rod", coupling.at = 1;
  coupling.stiffness = stiffness, coupling.damping = damping;
  return coupling;
}
Probe pull_of_hand() {
  Probe probe;
  probe.name = "pull", probe.coupling = "hand", probe.quantity = Quantity::reaction_force;
  return probe;
}

SENTENCE("run", "of every method that has couplings a coupling leads the rod on its path, by scene as by input") {
  for_each_method([](const MethodEntry& method) {
    if (!method.info.can.motion.has(Feature::couplings)) return;
    Scene scene = tiny_scene(method);
    scene.time.duration = 1;
    scene.loads.clear();
    scene.rods[0].damping.mass = method.info.can.any(Feature::damping) ? 10 : 0;
    scene.couplings = {end_spring(50, 2)};
    scene.probes.push_back(pull_of_hand());
    Simulation still = open_or_fail(scene);
    simulate(still, {});
    EXPECT_LT((vector_of(still, 0) - Vec3(0.5, 0, 0)).norm(), 1e-9);  // its place is where the point is
    EXPECT_LT(vector_of(still, 1).norm(), 1e-6);
    scene.couplings[0].move.keys = {{0, Vec3::Zero()}, {0.5, Vec3(-0.1, 0.2, 0)}};
    Simulation led = open_or_fail(scene);
    simulate(led, {});
    EXPECT_GT(vector_of(led, 0).y(), 0.1);
    EXPECT_LT(vector_of(led, 0).x(), 0.5);
    EXPECT_LT((vector_of(led, 1) - 50 * (Vec3(0.4, 0.2, 0) - vector_of(led, 0))).norm(), 1e-2 * vector_of(led, 1).norm());
    scene.couplings[0].move.keys.clear();
    Simulation pushed = open_or_fail(scene);
    pushed.set_input("coupling.hand.move", Vec3(-0.1, 0.2, 0));
    simulate(pushed, {});
    EXPECT_GT(vector_of(pushed, 0).y(), 0.1);
  });
}

SENTENCE("run", "of every method that has couplings a hand drags any point of the rod its way and lets it return") {
  for_each_method([](const MethodEntry& method) {
    if (!method.info.can.motion.has(Feature::couplings)) return;
    for (const double material : {0.5, 0.33}) {
      Scene scene = tiny_scene(method);
      scene.time.duration = 4;
      scene.rods[0].damping.mass = method.info.can.any(Feature::damping) ? 10 : 0;
      Simulation simulation = open_or_fail(scene);
      std::ignore = simulation.advance_to(1.5);
      const Vec3 hanging = vector_of(simulation, 0);
      Hand hand = suggested_hand(model_of(simulation), 0, material);
      hand.pose.position = hanging + Vec3(0, 0.25, 0);
      simulation.set_input("hand.1", hand);
      std::ignore = simulation.advance_to(2.5);
      EXPECT_GT(vector_of(simulation, 0).y() - hanging.y(), 0.1) << material;
      simulation.set_input("hand.1", Hand{});
      std::ignore = simulation.advance_to(4);
      if (method.info.can.any(Feature::damping)) {
        EXPECT_LT(std::abs(vector_of(simulation, 0).y() - hanging.y()), 0.05);
      }
    }
  });
}

SENTENCE("run", "of every method with statics and couplings a cantilever with a spring at its end is where the beam says") {
  // Small, so that the linear beam holds: the end goes k/(k + 3 EI/L^3) of the way to the place; the spring feels the rest.
  for_each_method([](const MethodEntry& method) {
    if (!method.info.can.equilibrium.has(Feature::couplings)) return;
    Scene scene = tiny_scene(method);
    scene.time.mode = Mode::statics;
    scene.loads.clear();
    scene.rods[0].segments = 40;
    const double k = 1.5, beam = 3 * 0.02 / std::pow(0.5, 3), d = 1e-5;
    scene.couplings = {end_spring(k, 0)};
    scene.couplings[0].position = Vec3(0.5, 0, d);
    scene.probes.push_back(pull_of_hand());
    Simulation simulation = open_or_fail(scene);
    EXPECT_EQ(simulate(simulation, {}).outcome, Outcome::fine);
    const double tip = d * k / (k + beam);
    EXPECT_NEAR(vector_of(simulation, 0).z(), tip, 2e-3 * tip);
    EXPECT_NEAR(vector_of(simulation, 1).z(), beam * tip, 4e-3 * beam * tip);
    EXPECT_NEAR(simulation.reactions()[0].force.z(), -beam * tip, 4e-3 * beam * tip);
  });
}

}  // namespace
}  // namespace tendril
