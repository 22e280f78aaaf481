// What `compact` costs, per segment: factor and solve of the chain alone, and whole steps: a clamped helix under gravity at 3 ms (the
// paper's section, E = 0.1 MPa), a cantilever, a rod whose root is dragged, and whole runs of the paper's scenes with contact.
// `iterations` is Newton's, mean.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "benchmarks/benchmark.h"
#include "benchmarks/measure_time.h"
#include "linear/chain_ldlt.h"
#include "methods/compact/compact.h"
#include "validation/compact/run_cost.h"

namespace tendril {
namespace {

BenchmarkRow time_chain(int links) {
  ChainLDLT a;
  a.resize(links);
  a.hold_root(true);
  for (int i = 0; i < links; ++i) {
    auto& link = a.link(i);
    link.node.setIdentity(), link.turn = 0.1 * Mat3::Identity(), link.joint = 5 * Mat3::Identity();
    link.arm = Vec3(0.6, 0.8 * std::cos(0.1 * i), 0.8 * std::sin(0.1 * i)), link.half = Vec3(0.01, 0.02, 0.3);
  }
  std::vector<double> x(static_cast<std::size_t>(a.size()), 1.0);
  const int runs = std::max(1, 10000 / links);
  const double ns = measure_time({{}, [&] {
                                    for (int k = 0; k < runs; ++k) std::ignore = a.factor(), a.solve(x);
                                  }});
  return {ns / (1.0 * runs * links), 0};
}

enum class Kind { helix, cantilever, dragged, swing };

Scene bench_scene(Kind kind, int segments) {
  Scene scene;
  scene.method = "compact";
  Rod rod;
  rod.name = "rod";
  rod.segments = segments;
  rod.section =
      StiffnessSection{.EA = {}, .EI1 = 0.0636, .EI2 = 0.0636, .GJ = 0.05, .mass_per_length = 0.0028, .radius = 0.03};
  rod.rest = StraightCurve{Vec3::Zero(), Vec3::UnitX()};
  if (kind == Kind::helix) rod.rest = HelixCurve{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), 0.1, 0.05, 5};
  scene.rods.push_back(rod);
  Clamp wall;
  wall.name = "wall", wall.rod = "rod";
  if (kind == Kind::swing) wall.hold = {Hold::position};
  if (kind == Kind::dragged)
    for (int k = 0; k < 400; ++k) wall.move.keys.push_back({0.25 * k, Vec3(0, k % 2 == 0 ? 0.0 : 0.5, 0)});
  scene.clamps.push_back(wall);
  scene.loads.push_back(GravityLoad{});
  return scene;
}

BenchmarkRow time_step(Kind kind, const char* strain, int segments, double dt) {
  const auto model = std::make_shared<const Model>(*build_model(bench_scene(kind, segments)));
  compact::Settings settings;
  settings.strain = std::string_view(strain) == "sine" ? StrainKind::sine : StrainKind::angle;
  compact::Compact method(model, settings);
  double time = 0, iterations = 0, steps = 0;
  const auto step = [&] {
    const StepReport report = method.step(time, dt, {});
    time += dt, iterations += report.iterations, ++steps;
    if (time > 60) time -= 50;  // a whole number of the path's periods
  };
  for (int k = 0; k < 20; ++k) step();
  iterations = steps = 0;
  const int runs = std::max(1, 4000 / segments);
  const double ns = measure_time({{}, [&] {
                                    for (int k = 0; k < runs; ++k) step();
                                  }});
  return {ns / (1.0 * runs * segments), iterations / steps};
}

// The run of a scene, the least of three.
BenchmarkRow time_run(const char* scene, double until) {
  BenchmarkRow best{HUGE_VAL, 0};
  for (int k = 0; k < 3; ++k) {
    const RunCost cost = cost_of_run(stored_scene(scene), until, [](const Simulation&) {});
    best = {std::min(best.ns_per_segment_step, 1e6 * cost.mean / cost.segments), cost.iterations};
  }
  return best;
}

}  // namespace

void add_compact_benchmarks(std::vector<Benchmark>& all) {
  for (const int n : {20, 200, 2000, 10000})
    all.push_back({fmt::format("compact/factor-and-solve/chain/{}", n), [=] { return time_chain(n); }});
  for (const char* strain : {"angle", "sine"})
    for (const int n : {200, 10000})
      all.push_back(
          {fmt::format("compact/helix/{}/{}", strain, n), [=] { return time_step(Kind::helix, strain, n, 3e-3); }});
  for (const int n : {100, 1000, 10000})
    all.push_back({fmt::format("compact/swing/angle/{}", n), [=] { return time_step(Kind::swing, "angle", n, 3e-3); }});
  all.push_back({"compact/cantilever/angle/50", [] { return time_step(Kind::cantilever, "angle", 50, 1.0 / 60); }});
  all.push_back({"compact/drag-root/angle/20", [] { return time_step(Kind::dragged, "angle", 20, 0.03); }});
  all.push_back({"compact/cylinders/angle/200", [] { return time_run("three_cylinders", 5); }});
  all.push_back({"compact/plectoneme/angle/50", [] { return time_run("twisted_cable", 1.885); }});
  all.push_back({"compact/knot/angle/100", [] { return time_run("overhand_knot", 2.5); }});
}

}  // namespace tendril
