// What a step of Discrete Elastic Rods costs, per segment and on one thread, through the front door.
//
// All rods have segments of 20 mm, so the advised step, and with it what the projection has to do, is the same for every
// length. A cantilever falls under gravity from the horizontal and swings; each timed run starts from the same state, a
// tenth of a second after it was let go, so that the projection iterates as it does in a lively motion.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "benchmarks/benchmark.h"
#include "benchmarks/measure_time.h"
#include "tendril/simulate.h"
#include "validation/der/figure_scenes.h"
#include "validation/solve.h"

namespace tendril {
namespace {

constexpr double segment = 0.02;  // [m]
constexpr double warm_up = 0.1;   // [s]

Scene cantilever(int segments, bool extensible) {
  Scene scene;
  scene.title = "benchmark";
  scene.time.duration = 1e6;
  scene.time.frames_per_second = 1e-6;  // no frames between
  Rod rod;
  rod.name = "rod";
  rod.stretch = extensible ? Give::elastic : Give::none;
  rod.rest = StraightCurve{Vec3::Zero(), Vec3(segments * segment, 0, 0)};
  rod.section = StiffnessSection{.EA = 1e3, .EI1 = 1e-3, .EI2 = 1e-3, .GJ = 1e-3, .mass_per_length = 0.1, .radius = 0.01};
  rod.segments = segments;
  scene.rods.push_back(rod);
  Clamp wall;
  wall.name = "wall";
  wall.rod = "rod";
  scene.clamps.push_back(wall);
  scene.loads.push_back(GravityLoad{});
  return scene;
}
// Naturally curved and twisted, three times as stiff one way as the other.
Scene general(int segments, bool extensible) {
  Scene scene = cantilever(segments, extensible);
  Rod& rod = scene.rods.front();
  BentCurve rest;
  rest.length = segments * segment;
  rest.curvature = Vec2(1, 0.5);
  rest.twist = 0.5;
  rod.rest = rest;
  std::get<StiffnessSection>(*rod.section).EI2 = 3e-3;
  return scene;
}
// Both ends clamped, one turned: the holonomy forces of a twisted rod. A slack arc, so that it moves.
Scene twisted(int segments, bool extensible) {
  Scene scene = cantilever(segments, extensible);
  Rod& rod = scene.rods.front();
  const double length = segments * segment;
  rod.initial = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitZ(), length, 1.0};
  Clamp end = scene.clamps.front();
  end.name = "end";
  end.at = 1;
  scene.clamps.push_back(end);
  rod.initial_twist = 0.5;
  return scene;
}

// Runs of about 20 000 segment-steps each; taking up the same state again costs little beside them, and is not timed.
BenchmarkRow time_steps(const Scene& scene, int segments) {
  Simulation start = open_or_throw(scene);
  while (start.time() < warm_up) advance_or_throw(start);
  const int steps = std::max(20, 20000 / segments);
  std::optional<Simulation> simulation;
  double iterations = 0, runs = 0;
  const double ns = measure_time({[&] { simulation.emplace(start.fork()); },
                                  [&] {
                                    for (int k = 0; k < steps; ++k) iterations += step_or_throw(*simulation).iterations;
                                    ++runs;
                                  }});
  return {ns / (1.0 * steps * segments), iterations / (runs * steps)};
}

// A frame with everything in it, per segment.
BenchmarkRow time_writing(const Scene& scene, int segments) {
  Simulation simulation = open_or_throw(scene);
  while (simulation.time() < warm_up) advance_or_throw(simulation);
  const double ns = measure_time({[&] { advance_or_throw(simulation); }, [&] { simulation.frame(); }});
  return {ns / segments, 0};
}

// An equilibrium under gravity, per segment and Newton iteration. The rod is stiff enough to hang out a little.
BenchmarkRow time_relaxing(Scene scene, int segments) {
  scene.time = {};
  scene.time.mode = Mode::statics;
  const double length = segments * segment;
  const double stiffness = 0.1 * 9.81 * length * length * length / 5;  // w L^3/EI = 5
  scene.rods.front().section = StiffnessSection{
      .EA = {}, .EI1 = stiffness, .EI2 = stiffness, .GJ = stiffness, .mass_per_length = 0.1, .radius = 0.01};
  std::optional<Simulation> simulation;
  double iterations = 0, runs = 0;
  const double ns = measure_time({[&] { simulation.emplace(open_or_throw(scene)); },
                                  [&] {
                                    while (!simulation->finished()) iterations += step_or_throw(*simulation).iterations;
                                    ++runs;
                                  }});
  return {ns / (segments * iterations / runs), iterations / runs};
}

// A scene of the paper's Table 1; of its whole step, or of the search for contacts alone.
BenchmarkRow time_figure(int figure, int segments, bool finding) {
  const MeasuredCost m = measure_cost(figure_scene(figure));
  return {1e6 * (finding ? m.finding : m.cost.total) / segments, m.iterations};
}

}  // namespace

void add_der_benchmarks(std::vector<Benchmark>& all) {
  using Maker = Scene (*)(int, bool);
  struct Family {
    const char* rod;
    Maker make;
  };
  constexpr Family families[] = {{"isotropic", cantilever}, {"general", general}, {"isotropic-twisted", twisted}};
  for (const auto& [rod, make] : families) {
    for (const bool extensible : {true, false}) {
      for (const int n : {20, 100, 1000, 10000}) {
        all.push_back({fmt::format("der/{}/{}/{}", rod, extensible ? "extensible" : "projection", n),
                       [make, extensible, n] { return time_steps(make(n, extensible), n); }});
      }
    }
  }
  for (const int n : {100, 10000}) {
    all.push_back({fmt::format("der/isotropic/write/{}", n), [n] { return time_writing(cantilever(n, false), n); }});
    all.push_back({fmt::format("der/general/write/{}", n), [n] { return time_writing(general(n, false), n); }});
  }
  all.push_back({"der/knot/contact/59", [] { return time_figure(1, 59, false); }});
  all.push_back({"der/plectoneme/contact/274", [] { return time_figure(9, 274, false); }});
  all.push_back({"der/plectoneme/finding/274", [] { return time_figure(9, 274, true); }});
  all.push_back({"der/tree/wind/2037", [] { return time_figure(12, 2037, false); }});
  for (const int n : {100, 1000}) {
    all.push_back({fmt::format("der/isotropic/relax/{}", n), [n] { return time_relaxing(cantilever(n, false), n); }});
  }
}

}  // namespace tendril
