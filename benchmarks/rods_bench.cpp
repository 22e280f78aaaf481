// Many rods at once, on one thread and on two, by the clock on the wall.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "benchmarks/benchmark.h"
#include "tendril/simulate.h"

namespace tendril {
namespace {

// A field of clamped rods of 20 mm segments that fall under gravity and do not touch.
Scene field(int rods, int segments) {
  Scene scene;
  scene.title = "benchmark";
  scene.time.duration = 1e6;
  scene.time.frames_per_second = 1e-6;  // no frames between
  scene.loads.push_back(GravityLoad{});
  for (int i = 0; i < rods; ++i) {
    Rod rod;
    rod.name = fmt::format("rod{}", i);
    const Vec3 root(0, 0.05 * (i % 100), 0.05 * (i / 100));
    rod.rest = StraightCurve{root, root + Vec3(0.02 * segments, 0, 0)};
    rod.section = StiffnessSection{.EA = 1e3, .EI1 = 1e-3, .EI2 = 1e-3, .GJ = 1e-3, .mass_per_length = 0.1, .radius = 0.01};
    rod.segments = segments;
    scene.rods.push_back(rod);
    Clamp wall;
    wall.name = fmt::format("wall{}", i), wall.rod = rod.name;
    scene.clamps.push_back(wall);
  }
  return scene;
}

// Median of five, each of about two million segment-steps.
BenchmarkRow time_field(int rods, int segments, int threads) {
  Checked<Simulation> simulation = Simulation::open(field(rods, segments), {.threads = threads});
  if (!simulation) throw std::runtime_error(to_text(simulation.problems()));
  const double each = 1.0 * rods * segments;
  const int steps = std::max(4, static_cast<int>(2e6 / each));
  std::array<double, 5> ns{};
  double iterations = 0;
  for (int k = 0; k < steps; ++k) static_cast<void>(simulation->advance());  // warm
  for (double& one : ns) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < steps; ++k) {
      const StepReport report = simulation->advance();
      if (report.outcome != Outcome::fine) throw std::runtime_error(simulation->report().message);
      iterations += report.iterations;
    }
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - start;
    one = passed.count() / (steps * each);
  }
  std::sort(ns.begin(), ns.end());
  return {ns[2], iterations / (5.0 * steps)};
}

}  // namespace

void add_rods_benchmarks(std::vector<Benchmark>& all) {
  constexpr std::array<std::array<int, 2>, 2> sizes{{{1000, 20}, {10000, 50}}};
  for (const auto& [rods, segments] : sizes)
    for (const int threads : {1, 2})
      all.push_back({fmt::format("der/{}-rods-{}-threads/projection/{}", rods, threads, segments),
                     [rods, segments, threads] { return time_field(rods, segments, threads); }});
}

}  // namespace tendril
