// The paper's Table 1, its columns and ours beside them: what a step costs, part by part, mean over a run. Times are means of processor time as
// found, on whatever machine this is; the paper's are of a Ryzen 7 3800X at 3.9 GHz. Figures with contact are whole runs of scenes/; the
// parts of their steps are not measured apart.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

#include "methods/compact/compact.h"
#include "validation/compact/run_cost.h"
#include "validation/experiment.h"
#include "validation/machine_speed.h"

namespace tendril::experiments::compact_table_1 {
namespace {

using namespace compact;

struct PaperRow {
  const char* figure;
  double vertices, pairs, systems, evaluation, precomputation, solution, total;  // costs in ms
};
constexpr PaperRow paper_rows[] = {{"Fig. 6", 201, 0, 1, 2.22, 0.264, 1.333, 5.917},
                                   {"Fig. 11", 21, 0, 0, 0.561, 0.048, 1.386, 2.843}};
struct TouchingRow {
  PaperRow paper;
  const char* scene;
};
constexpr TouchingRow touching_rows[] = {{{"Fig. 14", 333, 16, 7, 4.421, 0.947, 40, 52.69}, "strand_through_springs"},
                                         {{"Fig. 15", 100, 15, 8, 2.037, 0.287, 38, 43}, "overhand_knot"},
                                         {{"Fig. 16", 51, 8, 7, 2.392, 0.375, 13.089, 20.160}, "twisted_cable"},
                                         {{"Fig. 17", 201, 46, 6, 1.5613, 1.56, 12.172, 36.888}, "three_cylinders"}};

std::shared_ptr<const Model> row_model(int row) {
  Scene scene;
  scene.title = paper_rows[row].figure, scene.method = "compact";
  const bool helix = row == 0;
  const double r = 0.03, area = math::pi * r * r, I = 0.25 * area * r * r, E = helix ? 1e5 : 2e5, G = 1e5;
  Rod rod;
  rod.name = "rod";
  rod.segments = static_cast<int>(paper_rows[row].vertices) - 1;
  rod.section =
      StiffnessSection{.EA = {}, .EI1 = E * I, .EI2 = E * I, .GJ = 2 * G * I, .mass_per_length = area, .radius = r};
  if (helix)
    rod.rest = HelixCurve{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), 0.1, 0.05, 5};
  else
    rod.rest = StraightCurve{Vec3::Zero(), Vec3(0, 0, -1)};
  scene.rods.push_back(rod);
  Clamp hand;
  hand.name = "hand", hand.rod = "rod";
  for (int k = 0; k < 400 && !helix; ++k)
    hand.move.keys.push_back({0.25 * k, Vec3(k % 2 == 0 ? 0.0 : k % 4 == 1 ? 0.5 : -0.5, 0, 0)});
  scene.clamps.push_back(hand);
  scene.loads.push_back(GravityLoad{});
  return std::make_shared<const Model>(*build_model(scene));
}

// Of one of `times`, the least of several batches.
double milliseconds(const auto& run, int times) {
  constexpr int batches = 10;
  return 1e3 * batches / times * least_seconds(batches, [&] {
           for (int k = 0; k < times / batches; ++k) run();
         });
}

struct OurRow {
  double iterations = 0, evaluation = 0, factor = 0, solution = 0, total = 0;  // costs in ms
};
OurRow measured_row(int row) {
  constexpr int steps = 200, times = 2000;
  const double h = row == 0 ? 3e-3 : 30e-3;
  const auto model = row_model(row);
  Compact method(model, {});
  OurRow out;
  double time = 0;
  out.total = milliseconds([&] { out.iterations += method.step(time, h, {}).iterations, time += h; }, steps);
  out.iterations /= steps;
  // The parts, each by itself, at the place where the run has come to; a step has as many of each as it has iterations.
  Part part(*model, 0, StrainKind::angle, {});
  Drive drive;
  LoadsNow loads(*model);
  evaluate(*model, Live{}, h, 1, drive);
  loads.update(drive);
  part.problem.begin(part.state, drive, loads, euler_stage(h));
  const double values = milliseconds([&] { std::ignore = part.problem.evaluate(); }, times);
  const double both = milliseconds([&] { std::ignore = part.problem.factor_exact(0); }, times);
  ChainLDLT matrix = part.problem.factored();
  const double factor = milliseconds([&] { std::ignore = matrix.factor(); }, times);
  std::vector<double> x(z(matrix.size()), 1.0);
  out.solution = out.iterations * milliseconds([&] { matrix.solve(x); }, times);
  out.evaluation = out.iterations * (values + std::max(0.0, both - factor));
  out.factor = out.iterations * factor;
  return out;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  constexpr double apart = std::numeric_limits<double>::quiet_NaN();  // not measured apart
  for (int row = 0; row < 2; ++row) {
    const PaperRow& p = paper_rows[row];
    OurRow ours;
    checks.push_back(clock_check(fmt::format("{}: ms per step, a tenth of the paper's", p.figure), 0.1 * p.total, [&] {
      const OurRow now = measured_row(row);
      if (ours.total == 0 || now.total < ours.total) ours = now;
      return now.total;
    }));
    rows.push_back({p.vertices, p.pairs, p.systems, p.evaluation, p.precomputation, p.solution, p.total, 0, ours.iterations,
                    ours.evaluation, ours.factor, ours.solution, ours.total, apart});
  }
  for (const TouchingRow& row : touching_rows) {
    const PaperRow& p = row.paper;
    RunCost ours;
    checks.push_back(clock_check(fmt::format("{} ({}): ms per step, the paper's", p.figure, row.scene), p.total, [&] {
      const RunCost now = cost_of_run(stored_scene(row.scene), HUGE_VAL, [](const Simulation&) {});
      if (ours.steps == 0 || now.mean < ours.mean) ours = now;
      return now.mean;
    }));
    rows.push_back({p.vertices, p.pairs, p.systems, p.evaluation, p.precomputation, p.solution, p.total, ours.contacts,
                    ours.iterations, apart, apart, apart, ours.mean, ours.worst});
  }
  context.write_csv(
      "table_1",
      {"vertices", "collision pairs", "KKT systems", "paper: gradient and Hessian [ms]", "paper: precomputation [ms]",
       "paper: solving [ms]", "paper: total [ms]", "contacts", "Newton iterations", "gradient and Hessian [ms]",
       "factor [ms]", "solving [ms]", "total [ms]", "worst step [ms]"},
      rows);
  return checks;
}

}  // namespace tendril::experiments::compact_table_1
