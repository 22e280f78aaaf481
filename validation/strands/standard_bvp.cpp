// The standard problem, pose at one end and stress at the other, by two sweeps: orders of the three schemes and the closed
// circle.
#include <fmt/format.h>

#include "methods/strands/uniform.h"
#include "validation/experiment.h"

namespace tendril::experiments::strands_standard_bvp {
namespace {

using namespace strands;

// Anisotropic, naturally bent and twisted; a follower wrench at the tip and a follower load along it.
V tip_of(int segments, int order) {
  Strand strand = uniform_strand({.length = 1,
                                  .segments = segments,
                                  .stiffness = {1, 0.5, 0.4},
                                  .u_rest = {0.6, -0.5, 2},
                                  .give = {0, 0, 0},
                                  .order = order});
  for (Segment& s : strand.segments) s.material_force = {0.5, 0.3, -0.2};
  strand.note_loads();
  Standard standard;
  standard.solve(strand, {0, 0, 0}, along_x(), {{0.4, -0.9, 0.7}, {2, 1, -1.5}});
  return standard.states().back().r;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const V exact = tip_of(20480, 4);
  for (const int order : {1, 2, 4}) {
    std::array<double, 4> error{};
    for (std::size_t k = 0; k < error.size(); ++k) {
      error[k] = norm(tip_of(50 << k, order) - exact);
      rows.push_back({1.0 * order, 1.0 * (50 << k), error[k]});
    }
    for (std::size_t k = 1; k < error.size(); ++k)
      checks.push_back(
          absolute_check(fmt::format("order {}: observed order, {} to {} segments", order, 50 << (k - 1), 50 << k), order,
                         std::log2(error[k - 1] / error[k]), 0.15));
  }
  for (const int order : {1, 2, 4}) {
    Strand strand =
        uniform_strand({.length = 1, .segments = 100, .stiffness = {1, 1, 1}, .u_rest = {}, .give = {}, .order = order});
    Standard standard;
    standard.solve(strand, {0, 0, 0}, along_x(), {{0, math::two_pi, 0}, {0, 0, 0}});
    checks.push_back(bound_check(fmt::format("order {}: the circle of a tip moment closes, part of L", order),
                                 norm(standard.states().back().r), 1e-7));
  }
  context.write_csv("errors", {"order", "segments", "error of the tip [L]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::strands_standard_bvp
