// What the parts of a step cost, by the number of segments: rows of the joints, the Schur complement, its solution.
// [Servin 2008, Fig. 13]
#include <fmt/format.h>

#include <ctime>

#include "validation/cable/rope.h"
#include "validation/experiment.h"
#include "validation/machine_speed.h"

namespace tendril::experiments::cable_scaling {
namespace {

// Seconds of processor time of the quickest of `times` runs: other programs may run beside.
template <class Run>
double least_processor_seconds(int times, const Run& run) {
  double best = HUGE_VAL;
  for (int k = 0; k < times; ++k) {
    const std::clock_t start = std::clock();
    run();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

struct Cost {  // [s] per step
  double whole = 0, schur = 0, first = 0, iterations = 0, direct = 0;
};

Scene hanging(int segments) {
  StiffnessSection section{.EA = 1e6, .EI1 = 1, .EI2 = 1, .GJ = 0.8, .mass_per_length = 1, .radius = 0.01};
  const double length = 0.2 * segments;
  Scene scene = rope::straight(Vec3::Zero(), Vec3(0, 0, -length), segments, section, Give::elastic);
  rope::pin(scene, 0);
  rope::hang_load(scene, Vec3(0, 0, -length), 20);
  scene.loads = {GravityLoad{Vec3(0, 0, -10)}};
  return scene;
}

// Seconds of a step of the whole method, the least of several runs.
double step_cost(int segments, const cable::Settings& settings) {
  cable::Cable method(rope::model_of(hanging(segments)), settings);
  int at = 0;
  const auto step = [&] { std::ignore = method.step(at * rope::frame_step, rope::frame_step, {}), ++at; };
  std::ignore = method.relax(0, 1, {});  // at rest: while tensions grow steps are solved again
  for (int k = 0; k < 5; ++k) step();
  const int runs = std::max(1, 20000 / segments);
  return least_processor_seconds(5,
                                 [&] {
                                   for (int k = 0; k < runs; ++k) step();
                                 }) /
         runs;
}

// The linear system alone, of a rope at rest.
Cost split(int segments) {
  const auto model = rope::model_of(hanging(segments));
  cable::Cable method(model, {});
  const cable::Parts& parts = method.parts();
  const cable::State& s = method.state();
  const cable::StepSizes step{rope::frame_step, rope::frame_step, rope::frame_step};
  std::vector<cable::Response> elements(parts.elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const cable::Element& e = parts.elements[i];
    if (e.led) continue;
    elements[i].linear = Mat3::Identity() / e.mass, elements[i].angular = Mat3(e.inertia.cwiseInverse().asDiagonal());
    elements[i].y = Vec3(0, 0, -10 * rope::frame_step);
  }
  std::vector<cable::JointRows> rows(parts.joints.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const cable::Joint& joint = parts.joints[j];
    const std::size_t a = std::size_t(joint.a), b = std::size_t(joint.b);
    double twist = 0;
    cable::place_rows(joint, {s.x[a], s.x[b], s.q[a], s.q[b]}, 0, false, rows[j], twist);
    cable::weigh_rows(joint, joint.holds_point, joint.holds_frame, 0, 1, step, rows[j]);
  }
  const int runs = std::max(1, 20000 / segments);
  const auto time_of = [&](const auto& work) {
    return least_processor_seconds(5,
                                   [&] {
                                     for (int k = 0; k < runs; ++k) work();
                                   }) /
           runs;
  };
  const auto seconds = [&](const cable::SolverChoice& choice, bool only_assemble) {
    cable::GroupSolver solver(parts, parts.groups[0], choice);
    return time_of([&] {
      solver.assemble(rows, elements, step);
      if (!only_assemble) std::ignore = solver.solve_assembled();
    });
  };
  Cost cost;
  cost.schur = seconds({}, true);
  cost.direct = seconds({}, false) - cost.schur;
  cost.first = seconds({cable::SolverKind::gauss_seidel, 0, 0}, false) - cost.schur;
  cost.iterations = seconds({cable::SolverKind::gauss_seidel, 3, 0}, false) - cost.schur - cost.first;
  return cost;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  cable::Settings three;
  three.solver = {cable::SolverKind::gauss_seidel, 3, 0};
  const std::vector<int> sizes = {24, 50, 100, 1000, 10000};
  for (const int n : sizes) {
    const Cost cost = split(n);
    const double direct = step_cost(n, {}), iterated = step_cost(n, three);
    rows.push_back({1.0 * n, 1e6 * cost.schur, 1e6 * cost.first, 1e6 * cost.iterations, 1e6 * cost.direct, 1e6 * direct,
                    1e6 * iterated});
  }
  // A line through the logarithms, of the least of all measurements so far.
  std::vector<double> least(sizes.size(), HUGE_VAL);
  checks.push_back(clock_ratio_check("log-log slope of a step's cost from 24 to 10000 segments", 1.05, [&] {
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      least[i] = std::min(least[i], step_cost(sizes[i], {}));
      mx += std::log(1.0 * sizes[i]) / static_cast<double>(sizes.size());
      my += std::log(least[i]) / static_cast<double>(sizes.size());
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double x = std::log(1.0 * sizes[i]) - mx;
      xx += x * x, xy += x * (std::log(least[i]) - my);
    }
    return xy / xx;
  }));
  context.write_csv("costs",
                    {"segments", "Schur complement [us]", "first solution [us]", "3 iterations [us]", "direct solution [us]",
                     "whole step, direct [us]", "whole step, 3 iterations [us]"},
                    rows);
  return checks;
}

}  // namespace tendril::experiments::cable_scaling
