// A long soft strand: pulled between two clamps that look away from the line between them, it bends only near its ends, over
// the length sqrt(EI/n). Errors grow by exp(L sqrt(n/EI)) along a single sweep, and by that of one piece where the strand is
// cut.
#include <fmt/format.h>

#include "methods/strands/solver.h"
#include "methods/strands/uniform.h"
#include "validation/experiment.h"

namespace tendril::experiments::strands_multiple_shooting {
namespace {

using namespace strands;

struct Try {
  bool single = false, multiple = false;
  double sensitivity = 0, residual = 1;  // L sqrt(n/EI)
};

// The shape is led there from slack by multiple shooting; then each method is asked for it from a guess that is a thousandth
// off.
Try solve_at(double slack, int n) {
  Strand strand = uniform_strand({.length = 1, .segments = n, .stiffness = {1, 1, 1}, .u_rest = {}, .give = {}, .order = 4});
  const Quaternion a = along_x() * to_small(exp_quat(Vec3(0, 0.5, 0))),
                   b = along_x() * to_small(exp_quat(Vec3(0.3, -0.4, 0.2)));
  Solver solver;
  SolverSettings settings;
  settings.single = false;
  Try out;
  double now = 0.3;
  strand.holds = {held(0, {0, 0, 0}, a), held(n, {1 - now, 0, 0}, b)};
  solver.start(strand, settings, rest_states(strand, {0, 0, 0}, a));
  for (bool last = false; !last;) {
    last = now <= slack;
    strand.holds[1].r = {1 - now, 0, 0};
    const Answer answer = solver.solve(strand);
    if (!answer.fine) return out;
    out.residual = answer.residual;
    now = std::max(slack, 0.8 * now);
  }
  const std::vector<State> exact = solver.states();
  out.sensitivity = std::sqrt(norm(exact[z(n / 2)].x.n));
  const FarEnd end = solver.end();
  FarEnd off = end;
  off.x.m = 1.001 * off.x.m, off.x.n = 1.001 * off.x.n;
  std::vector<State> states = exact;
  SingleShooting single;
  out.single = single.solve(strand, {1e-8, 60, 600}, off, states).fine;
  states = exact;
  for (State& s : states) s.x.m = 1.001 * s.x.m, s.x.n = 1.001 * s.x.n;
  MultipleShooting multiple;
  multiple.cut(strand, std::max(8, static_cast<int>(out.sensitivity / 2)));
  const ShootingReport r = multiple.solve(strand, {1e-8, 60, 600}, states);
  out.multiple = r.fine;
  return out;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  double longest = 0, single_up_to = 0, multiple_up_to = 0;
  for (const double slack : {0.1, 0.03, 0.012, 0.006, 0.004, 0.003, 0.0023}) {
    const Try t = solve_at(slack, 400);
    rows.push_back({slack, t.sensitivity, 1.0 * t.single, 1.0 * t.multiple, t.residual});
    longest = std::max(longest, t.sensitivity);
    if (t.single) single_up_to = std::max(single_up_to, t.sensitivity);
    if (t.multiple) multiple_up_to = std::max(multiple_up_to, t.sensitivity);
  }
  checks.push_back({"longest strand tried, L sqrt(n/EI), at least", 50, longest, 0, 0, longest >= 50});
  checks.push_back(
      {"multiple shooting solves up to L sqrt(n/EI) of at least", 50, multiple_up_to, 0, 0, multiple_up_to >= 50});
  checks.push_back({"single shooting fails before L sqrt(n/EI) of", 50, single_up_to, 0, 0, single_up_to < 50});
  context.write_csv("solved", {"slack [L]", "L sqrt(n/EI)", "single shooting", "multiple shooting", "residual"}, rows);
  return checks;
}

}  // namespace tendril::experiments::strands_multiple_shooting
