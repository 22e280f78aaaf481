// Linear solvers on the paper's helix under gravity: conjugate gradients with three preconditioners, the full matrix, and the exact solver
// in linear time; over segments and Young's modulus. Iterations are those of whole steps (backward Euler, the paper's matrix, at most
// five Newton iterations, residual 1e-7 of the right-hand side); times are the quickest of many, of the last matrix of such a run.
//
// The paper gives no geometry: radius 0.1 m, pitch 0.05 m, five turns; section and density are those of its Fig. 11.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "methods/compact/compact.h"
#include "validation/clamped.h"
#include "validation/experiment.h"
#include "validation/machine_speed.h"

namespace tendril::experiments::compact_preconditioners {
namespace {

using namespace compact;

struct Helix {
  int segments = 400;
  double E = 1e6, density = 1, radius = 0.03;
};
std::shared_ptr<const Model> helix_model(const Helix& h) {
  const double area = math::pi * h.radius * h.radius, I = 0.25 * area * h.radius * h.radius;
  Scene scene = clamped_rod("compact", "helix", HelixCurve{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), 0.1, 0.05, 5},
                            StiffnessSection{.EA = {},
                                             .EI1 = h.E * I,
                                             .EI2 = h.E * I,
                                             .GJ = 2 * h.E * I,
                                             .mass_per_length = h.density * area,
                                             .radius = h.radius},
                            h.segments);
  scene.loads.push_back(GravityLoad{});
  return std::make_shared<const Model>(*build_model(scene));
}
Settings paper_settings(LinearKind kind, ChainPreconditioning preconditioning) {
  Settings s;
  s.scheme = Scheme::euler, s.strain = StrainKind::sine;
  s.solver.tolerance = 1e-5, s.solver.iterations = 5, s.solver.accept_unfinished = true;
  s.solver.matrix = NewtonMatrix::paper;
  s.solver.linear = {kind, preconditioning, 1e-7};
  return s;
}
constexpr double helix_step = 3e-3;

// Mean over all linear systems of the steps.
double iterations_of(const Helix& helix, ChainPreconditioning kind, int steps) {
  Compact method(helix_model(helix), paper_settings(LinearKind::pcg, kind));
  double iterations = 0, solves = 0;
  for (int k = 0; k < steps; ++k) {
    if (method.step(k * helix_step, helix_step, {}).outcome != Outcome::fine) return std::nan("");
    iterations += method.part(0).solved.inner_iterations, solves += method.part(0).solved.solves;
  }
  return iterations / solves;
}

// The least of as many runs as take a tenth of a second, of three at least and 200 at most.
double least_time(const auto& run) {
  const double once = least_seconds(3, run);
  return std::min(once, least_seconds(std::clamp(static_cast<int>(0.1 / once), 1, 197), run));
}
struct Times {
  double construction = 0, solution = 0, iteration = 0;  // [s]; iteration: of conjugate gradients
};
// Of the matrix of the tenth step, with the weight as right-hand side.
Times times_of(const Helix& helix, LinearKind kind, ChainPreconditioning preconditioning) {
  Compact method(helix_model(helix), paper_settings(LinearKind::exact, preconditioning));
  for (int k = 0; k < 10; ++k) std::ignore = method.step(k * helix_step, helix_step, {});
  ChainLDLT matrix = method.part(0).problem.factored();
  std::vector<double> right(z(matrix.size())), x = right;
  double beyond = 0;
  for (int i = matrix.links() - 1; i >= 0; --i) {
    beyond += matrix.link(i).node(0, 0);
    const Vec3 moment = matrix.link(i).arm.cross(Vec3(0, 0, beyond));
    for (int c = 0; c < 3; ++c) right[z(3 + 3 * i + c)] = moment[c];
  }
  Times t;
  if (kind == LinearKind::exact) {
    t.construction = least_time([&] { std::ignore = matrix.factor(); });
    t.solution = least_time([&] { x = right, matrix.solve(x); });
    return t;
  }
  IterativeSolver solver;
  solver.resize({kind, preconditioning, 1e-7}, matrix.links());
  t.construction = least_time([&] { std::ignore = solver.prepare(matrix); });
  t.solution = least_time([&] { solver.start(), x = right, solver.solve(x); });
  t.iteration = t.solution / std::max(1, solver.iterations());
  return t;
}
double slope(double from, double to, double ratio) { return std::log(to / from) / std::log(ratio); }

using enum ChainPreconditioning;

double exact_time(int n) {
  const Times t = times_of({n}, LinearKind::exact, hybrid);
  return t.construction + t.solution;
}
// The least of all that was measured so far: a busy machine disturbs now one solver, now another.
class LeastTimes {
 public:
  Times of(int n, LinearKind kind, ChainPreconditioning preconditioning) {
    const Times t = times_of({n}, kind, preconditioning);
    Times& least = least_.try_emplace({n, kind, preconditioning}, t).first->second;
    least.construction = std::min(least.construction, t.construction);
    least.solution = std::min(least.solution, t.solution), least.iteration = std::min(least.iteration, t.iteration);
    return least;
  }

 private:
  std::map<std::tuple<int, LinearKind, ChainPreconditioning>, Times> least_;
};
// Figs. 3a, 3c, with rows for them: the exact solver's time over the least of 6 iterations with the hybrid preconditioner, of a whole
// solution with the other two, and of the full matrix, at any n. (Six iterations with a diagonal one, which needs hundreds, take 0.9 to 1.3
// times the exact solver's time.)
double exact_over_others(bool all, LeastTimes& times, std::vector<std::vector<double>>& rows) {
  double least = HUGE_VAL;
  for (const int n : {50, 100, 200, 400, 800}) {
    const Times exact = times.of(n, LinearKind::exact, hybrid);
    const double whole = exact.construction + exact.solution;
    rows.push_back({1.0 * n, 0, 1e6 * exact.construction, 1e6 * exact.solution, 0});
    for (const ChainPreconditioning kind : {hybrid, block_diagonal, diagonal}) {
      if (n > 400 && kind != hybrid && !all) continue;
      const Times t = times.of(n, LinearKind::pcg, kind);
      rows.push_back({1.0 * n, 1.0 + static_cast<double>(kind), 1e6 * t.construction, 1e6 * t.solution, 1e6 * t.iteration});
      least = std::min(least, (t.construction + (kind == hybrid ? 6 * t.iteration : t.solution)) / whole);
    }
    if (n > (all ? 800 : 100)) continue;
    const Times t = times.of(n, LinearKind::dense, hybrid);
    rows.push_back({1.0 * n, 4, 1e6 * t.construction, 1e6 * t.solution, 0});
    least = std::min(least, (t.construction + t.solution) / whole);
  }
  return 1 / least;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  const int steps = context.full() ? 100 : 10;
  std::vector<Check> checks;
  std::vector<std::vector<double>> counts, times;
  LeastTimes least_times;
  // Figs. 3b, 4: over segments; Fig. 5: over Young's modulus.
  std::map<std::pair<int, double>, std::array<double, 3>> count;
  const auto take = [&](int n, double E) {
    if (n == 800 && !context.full()) return;
    std::array<double, 3>& c = count[{n, E}];
    for (const ChainPreconditioning kind : {hybrid, block_diagonal, diagonal})
      c[static_cast<std::size_t>(kind)] = iterations_of({n, E}, kind, kind == hybrid ? steps : std::max(3, steps / 5));
    counts.push_back({1.0 * n, E, c[0], c[1], c[2]});
  };
  const std::vector<int> sizes =
      context.full() ? std::vector<int>{50, 100, 200, 400, 800} : std::vector<int>{50, 100, 200, 400};
  for (const int n : sizes) take(n, 1e6);
  for (const double E : {1e5, 1e7, 1e8, 1e9}) take(400, E);
  // The whole of Fig. 5: every length with every modulus.
  for (const int n : {50, 100, 200, 800})
    for (const double E : {1e5, 1e7, 1e8, 1e9})
      if (context.full()) take(n, E);
  for (const double E : {1e6, 1e7, 1e8, 1e9})
    checks.push_back(at_least(fmt::format("400 segments, E = {:g} Pa: block-diagonal over hybrid, iterations", E), 30,
                              count[{400, E}][1] / count[{400, E}][0]));
  double rises = HUGE_VAL;
  for (std::size_t k = 1; k < sizes.size(); ++k)
    rises = std::min(rises, count[{sizes[k - 1], 1e6}][0] / count[{sizes[k], 1e6}][0]);
  checks.push_back(at_least("hybrid: iterations with n over those with 2 n segments, least", 1, rises));
  double falls = HUGE_VAL;
  for (double E = 1e5; E < 5e8; E *= 10) falls = std::min(falls, count[{400, E}][0] / count[{400, 10 * E}][0]);
  checks.push_back(at_least("hybrid: iterations at E over those at 10 E, least", 1, falls));
  checks.push_back(absolute_check("block-diagonal: iterations rise as n to the power", 1,
                                  slope(count[{50, 1e6}][1], count[{400, 1e6}][1], 8), 0.15));
  // Where bending does not dominate, nothing is gained.
  const Helix rubber{400, 1e6, 1000, 0.002};
  const double soft_hybrid = iterations_of(rubber, hybrid, 3), soft_block = iterations_of(rubber, block_diagonal, 3);
  checks.push_back(
      absolute_check("rubber of 2 mm: hybrid over block-diagonal, iterations", 1, soft_hybrid / soft_block, 0.2));
  counts.push_back({400, 1e6, soft_hybrid, soft_block, 0});
  checks.push_back(clock_ratio_check("exact solver over 6 iterations of the hybrid, or a solution by any other, time", 1,
                                     [&] { return times.clear(), exact_over_others(context.full(), least_times, times); }));
  checks.push_back(clock_ratio_check("exact solver: time rises as n to the power", 1.1,
                                     [] { return slope(exact_time(100), exact_time(800), 8); }));
  context.write_csv("iterations", {"segments", "E [Pa]", "hybrid", "block-diagonal", "diagonal"}, counts);
  context.write_csv("times",
                    {"segments", "solver (0 exact, 1 hybrid, 2 block-diagonal, 3 diagonal, 4 full)", "construction [us]",
                     "solution [us]", "iteration [us]"},
                    times);
  return checks;
}

}  // namespace tendril::experiments::compact_preconditioners
