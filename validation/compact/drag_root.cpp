// The root of a hanging rod is dragged to and fro as a sine of 0.5 m, half of the rod's length, once a second: the paper's rod, rubber of
// 2 mm and steel of 1 mm, in steps from 1 ms to a minute. No step is repeated, nothing flies away. And what a step of 20 segments costs.
// All runs last a minute, those in steps of a minute 40; those in steps of 1 ms only with --full, else 2 s.
//
// In steps of a minute a sine of 1 Hz would stand still; there it has 1 + 1/240 Hz, a quarter of a period from step to step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "methods/compact/compact.h"
#include "validation/experiment.h"
#include "validation/machine_speed.h"
#include "validation/solve.h"

namespace tendril::experiments::compact_drag_root {
namespace {

struct DraggedRod {
  const char* name;
  double E, G, density, radius;
  int segments;
};
constexpr DraggedRod dragged_rods[] = {{"the paper's rod", 1e6, 1e6, 1, 0.03, 200},
                                       {"rubber, 2 mm", 1e6, 3.3e5, 1000, 0.002, 200},
                                       {"steel, 1 mm", 2e11, 8e10, 7800, 0.001, 200}};
constexpr DraggedRod short_rod{"20 segments", 2e5, 1e5, 1, 0.03, 20};

// Hanging, its root on a sine; keys so close that straight lines between them are one.
Scene dragged_scene(const DraggedRod& rod, const char* scheme, double step, int steps) {
  Scene scene;
  scene.title = rod.name;
  scene.method = "compact";
  scene.time.step = step, scene.time.duration = step * steps, scene.time.frames_per_second = 1 / (step * steps);
  const double area = math::pi * rod.radius * rod.radius, I = 0.25 * area * rod.radius * rod.radius;
  Rod r;
  r.name = "rod";
  r.rest = StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)};
  r.section = StiffnessSection{.EA = {},
                               .EI1 = rod.E * I,
                               .EI2 = rod.E * I,
                               .GJ = 2 * rod.G * I,
                               .mass_per_length = rod.density * area,
                               .radius = rod.radius};
  r.segments = rod.segments;
  scene.rods.push_back(r);
  Clamp hand;
  hand.name = "hand", hand.rod = "rod";
  hand.move.shape = TimetableShape::linear;
  const double frequency = step < 1 ? 1 : 1 + 1.0 / 240, apart = step < 1 ? std::min(step, 1.0 / 96) : step;
  for (int k = 0; k * apart < step * (steps + 1); ++k)
    hand.move.keys.push_back({k * apart, Vec3(0.5 * math::sin(math::two_pi * frequency * k * apart), 0, 0)});
  scene.clamps.push_back(hand);
  scene.loads.push_back(GravityLoad{});
  scene.options["compact"]["scheme"] = std::string(scheme);
  scene.options["compact"]["iterations"] = 3000.0;           // limp rubber in long steps takes hundreds
  scene.options["compact"]["strain"] = std::string("sine");  // the paper's; rubber cracks like a whip and folds
  return scene;
}

struct Dragged {
  double fastest = 0;  // [m/s]
  int retries = 0, worst_iterations = 0;
  double mean_iterations = 0;
};
Dragged drag(const Scene& scene) {
  Simulation simulation = open_or_throw(scene);
  Dragged d;
  double steps = 0;
  while (!simulation.finished()) {
    d.mean_iterations += step_or_throw(simulation).iterations, ++steps;
    const Frame& frame = simulation.frame();
    for (int k = 0; k < frame.position.size(); ++k) d.fastest = std::max(d.fastest, frame.velocity[NodeIndex(k)].norm());
  }
  d.retries = simulation.report().retries, d.worst_iterations = simulation.report().worst_iterations;
  d.mean_iterations /= steps;
  return d;
}

double seconds_per_step() {
  const auto model = std::make_shared<const Model>(*build_model(dragged_scene(short_rod, "bdf2", 0.03, 2000)));
  compact::Compact method(model, {});
  double time = 0;
  return least_seconds(100,
                       [&] {
                         for (int k = 0; k < 20; ++k, time += 0.03) std::ignore = method.step(time, 0.03, {});
                       }) /
         20;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  double number = 0;
  for (const DraggedRod& rod : dragged_rods) {
    for (const char* scheme : {"euler", "bdf2"}) {
      for (const auto& [step, steps] :
           {std::pair{1e-3, context.full() ? 60000 : 2000}, {0.03, 2000}, {0.25, 240}, {60.0, 40}}) {
        if (rod.radius > 0.01 && step != 0.25) continue;  // of the paper's rod the paper's step
        const Dragged d = drag(dragged_scene(rod, scheme, step, steps));
        const std::string name = fmt::format("{}, {}, {:g} s", rod.name, scheme, step);
        checks.push_back(absolute_check(name + ": steps repeated", 0, d.retries, 0));
        checks.push_back(bound_check(name + ": fastest node [m/s]", d.fastest, 100));
        rows.push_back({number, scheme[0] == 'e' ? 1.0 : 2.0, step, d.fastest, d.mean_iterations, 1.0 * d.worst_iterations});
      }
    }
    ++number;
  }
  context.write_csv("runs", {"rod", "order", "dt [s]", "fastest node [m/s]", "iterations, mean", "iterations, most"}, rows);
  checks.push_back(clock_check("20 segments at 30 ms: ms per step, 30000 steps in a second", 1.0 / 30,
                               [] { return 1e3 * seconds_per_step(); }));
  context.write_csv("speed", {"steps per second"}, {{1e3 / checks.back().result}});
  return checks;
}

}  // namespace tendril::experiments::compact_drag_root
