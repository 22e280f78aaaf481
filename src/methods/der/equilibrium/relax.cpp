#include "methods/der/equilibrium/relax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "methods/der/equilibrium/rod_problem.h"
#include "parallel/stop.h"

namespace tendril::der {

namespace {
constexpr int half_band = 11;  // x, theta, x, theta, x of one joint, and a wall's theta between: 12 unknowns in a row
}  // namespace

Relaxer::Relaxer(const Chain& c) {
  // State that steps are measured from, per slot.
  const int n = static_cast<int>(c.kind.size());
  for (Array3* a : {&base_x_, &base_t_, &base_m1_}) a->assign(n, {0, 0, 0});
  for (Array* a : {&base_twist_, &turned_, &twist_, &multiplier_, &stiffness_}) a->assign(z(n), 0);
  for (const ChainRod& rod : c.rods) {
    // Number the unknowns of one rod in the order vertex, angle, vertex, angle: the Hessian is then a band.
    RodNumbers numbers;
    numbers.ring = rod.ring;
    numbers.x.assign(z(rod.slots + 1), -1);
    numbers.theta.assign(z(rod.slots), -1);
    int next = 0;
    for (int i = 0; i <= rod.slots; ++i) {
      // Three for a position; vertices that are the same node share them.
      const int v = rod.first + i, primary = c.vertex_of_node[z(c.node[z(v)])];
      if (primary == v) {
        numbers.x[z(i)] = next;
        next += 3;
      } else {
        numbers.x[z(i)] = numbers.x[z(primary - rod.first)];
      }
      // One for an angle; the wrap slot of a ring turns with its first edge.
      if (i == rod.slots) break;
      if (c.kind[z(v)] == SlotKind::wrap) {
        numbers.theta[z(i)] = numbers.theta[0];
      } else {
        numbers.theta[z(i)] = next++;
      }
    }
    // What clamps hold: positions of vertices and angles of walls.
    numbers.size = next;
    numbers.fixed.assign(z(next), 0);
    for (int i = 0; i <= rod.slots; ++i) {
      if (c.held[z(rod.first + i)]) std::fill_n(numbers.fixed.begin() + numbers.x[z(i)], 3, 1);
    }
    for (const Wall& wall : c.walls) {
      if (wall.twist && &c.rods[z(wall.rod)] == &rod) numbers.fixed[z(numbers.theta[z(wall.slot - rod.first)])] = 1;
    }
    // Matrix and vectors. The closing joint of a ring lies outside the band, in a border.
    if (rod.ring) {
      numbers.cyclic.resize(next, half_band);
    } else {
      numbers.band.resize(next, half_band);
    }
    for (auto* a : {&numbers.gradient, &numbers.direction, &numbers.scale, &numbers.stiff}) a->assign(z(next), 0);
    numbers_.push_back(std::move(numbers));
  }
}

namespace {
// The problem for Newton's method, which has no direction any more once somebody wants it to end.
struct Minimum {
  RodProblem& problem;
  NewtonPoint evaluate() { return problem.evaluate(); }
  double direction() { return asked_to_stop() ? std::numeric_limits<double>::quiet_NaN() : problem.direction(); }
  void move(double fraction) { problem.move(fraction); }
  void accept() { problem.accept(); }
};
struct FullTangent {  // the same for newton_solve
  RodProblem& problem;
  NewtonPoint evaluate() { return problem.evaluate(); }
  bool direction() { return !asked_to_stop() && problem.full_direction(); }
  void move(double fraction) { problem.move(fraction); }
  void accept() { problem.accept(); }
};
}  // namespace

bool Relaxer::relax_rod(RodProblem& problem, const RelaxOptions& options, RelaxReport& report) {
  NewtonOptions newton;
  bool fine = false;
  double residual = 0;
  // Lengths and multipliers are improved with every Newton step, not in an iteration of their own: at fixed multipliers a
  // pattern that can slide along the rod for nothing gains by leaving the place the multipliers belong to, by (change of
  // tension)^2/(2 stiffness), and runs away. Loads that follow the rod have no energy to compare; their steps are judged
  // by the residual, of which lengths are a part.
  const bool together = problem.conservative() && problem.inextensible();
  if (!problem.conservative() && problem.inextensible()) problem.move_multipliers();
  const int start = report.iterations;
  for (int outer = 0; outer < 40 + options.max_iterations && !fine && report.iterations - start < options.max_iterations;
       ++outer) {
    // Newton's method: for the energy where there is one, otherwise for the residual.
    newton.max_iterations = together ? 1 : options.max_iterations - (report.iterations - start);
    newton.tolerance = options.tolerance;
    newton.acceptable = 1e4 * options.tolerance;
    Minimum minimum{problem};
    FullTangent full{problem};
    const NewtonReport inner = problem.conservative() ? newton_minimise(minimum, newton) : newton_solve(full, newton);
    report.iterations += inner.iterations;
    residual = inner.residual;
    // One step was taken: the multipliers take the same fraction of theirs.
    if (inner.end == NewtonEnd::iteration_limit && together) {
      problem.follow_multipliers(inner.last_fraction);
      continue;
    }
    // In equilibrium at these multipliers. Where lengths are not met yet, the classical update of the augmented
    // Lagrangian.
    if (!inner.converged) break;
    fine = problem.worst_length() <= options.length_tolerance;
    if (!fine) problem.update_multipliers();
  }
  report.residual = std::max(report.residual, residual);
  return fine;
}

// From a saddle down the mode in which the energy falls most. What is found counts only if it has fewer unstable directions.
void Relaxer::seek_minimum(Chain& c, int rod, const Drive& drive, Loads& loads, const RelaxOptions& options,
                           RelaxReport& report, Verdict& verdict) {
  constexpr int max_tries = 4;  // each leaves at least one unstable direction behind
  for (int tries = 0; tries < max_tries && verdict.unstable > 0; ++tries) {
    const Chain kept = c;
    RodProblem problem(*this, c, rod, drive, loads);
    problem.leave_saddle();
    const bool fine = relax_rod(problem, options, report);
    problem.finish();
    const Verdict found = fine ? problem.judge() : verdict;
    if (!fine || found.unstable >= verdict.unstable) {
      c = kept;
      return;
    }
    verdict = found;
  }
}

RelaxReport Relaxer::relax(Chain& c, const Drive& drive, Loads& loads, const RelaxOptions& options) {
  RelaxReport report;
  report.fine = true;
  for (int r = 0; r < static_cast<int>(c.rods.size()); ++r) {
    // Rods do not touch in equilibria, so each is solved alone.
    RodProblem problem(*this, c, r, drive, loads);
    if (problem.pushed_while_taut()) {
      report.fine = false, report.taut = true;
      continue;
    }
    problem.bend_straight_spans();
    const bool fine = relax_rod(problem, options, report);
    // The chain gets frames and tensions; only an equilibrium has a verdict.
    problem.finish();
    report.fine = report.fine && fine;
    if (!fine) continue;
    Verdict verdict = problem.judge();
    if (options.seek_minimum) seek_minimum(c, r, drive, loads, options, report, verdict);
    report.verdict.add(verdict);
  }
  return report;
}

int Relaxer::negative_pivots(Chain& c, const Drive& drive, Loads& loads, double below) {
  int count = 0;
  for (int r = 0; r < static_cast<int>(c.rods.size()); ++r)
    count += RodProblem(*this, c, r, drive, loads).negative_pivots(below);
  return count;
}

}  // namespace tendril::der
