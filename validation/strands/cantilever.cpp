// Clamped strands under dead loads against accurate solutions: tip load, own weight, a bent arc loaded across its plane, and
// a hanging helix, with the sweeps of order 2 and 4 at 100 points, and the orders they converge with.
#include <fmt/format.h>

#include "validation/clamped_cases.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::strands_cantilever {
namespace {

double error_of(const ClampedCase& c, int order, int segments) {
  Scene scene = c.scene(segments);
  scene.options["strands"]["order"] = std::to_string(order);
  const Simulation simulation = run_to_end(scene);
  return (simulation.frame().position[NodeIndex(segments)] - c.tip).norm() / c.length;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  double number = 0;
  for (const ClampedCase& c : clamped_cases("strands")) {
    for (const auto& [order, bound] : {std::pair{2, 3e-4}, {4, 1e-5}}) {
      std::array<double, 3> error{};
      for (std::size_t k = 0; k < 3; ++k) {
        const int n = 50 << k;
        error[k] = error_of(c, order, n);
        rows.push_back({number, 1.0 * order, 1.0 * n, error[k]});
      }
      checks.push_back(
          bound_check(fmt::format("{}, order {}: tip at 100 points, part of the length", c.name, order), error[1], bound));
      // Below the accuracy of the references, and near rounding, there is no order to see.
      if (error[2] > 2e-8)
        checks.push_back({fmt::format("{}, order {}: observed order, at least", c.name, order), 1.0 * order,
                          std::log2(error[1] / error[2]), 0, 0.25, std::log2(error[1] / error[2]) > order - 0.25});
    }
    ++number;
  }
  context.write_csv("errors", {"case", "order", "segments", "error of the tip [L]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::strands_cantilever
