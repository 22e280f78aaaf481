// Damped Newton with a backtracking line search (Armijo's rule) that knows nothing of the unknowns: the problem moves
// itself, so they may live on manifolds and in any storage, and nothing is allocated here.
//
// A problem P offers
//   p.evaluate()       -> NewtonPoint at the present place (energy is used by newton_minimise only)
//   p.direction()      -> the Newton direction at the present place, kept by p;
//                         newton_minimise: double, the slope (gradient . direction), must be negative; NaN when there
//                                          is no direction
//                         newton_solve:    bool, false when there is no direction
//   p.move(fraction)   -> present place = base + fraction * direction
//   p.accept()         -> base = present place
// and may offer
//   p.renew(here)      -> after a direction: the energy at the base, where its weights have changed with the direction (a merit)
//   p.first_fraction() -> how much of the direction the search begins with; 1 where it is not offered
// evaluate is called once before the first direction, and after every move; direction only after evaluate at the same place.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace tendril {

struct NewtonPoint {
  double energy = 0;
  double residual = 0;      // norm of gradient or residual, in whatever norm the caller measures
  double energy_scale = 0;  // size of the terms the energy is summed from; 0: |energy|
};
struct NewtonOptions {
  int max_iterations = 50;
  double tolerance = 1e-10;         // on the residual
  double acceptable = 0;            // a search that stalls below this residual counts as converged (0: never)
  double smallest_step = 1e-6;      // least fraction of the direction the search tries
  double shrink = 0.5;              // fraction after a refused trial, at most
  double armijo = 1e-4;             // part of the predicted decrease that is asked for
  double rounding = 1e-14;          // energy differences below this part of the scale are rounding
  double largest_residual = 1e300;  // beyond: counts as a refused trial
  double residual_suffices =
      0;  // minimise: a trial whose residual falls to this part of it is accepted, whatever its energy
};
enum class NewtonEnd { converged, iteration_limit, stalled, no_direction, not_finite };
struct NewtonReport {
  bool converged = false;
  NewtonEnd end = NewtonEnd::iteration_limit;
  int iterations = 0;  // directions computed
  int evaluations = 0;
  int line_search_cuts = 0;
  double residual = 0;
  double energy = 0;
  double last_fraction = 1;  // of the last accepted step
};

namespace newton_detail {

inline bool usable(const NewtonPoint& point, const NewtonOptions& options) {
  return std::isfinite(point.energy) && std::isfinite(point.residual) && point.residual <= options.largest_residual;
}

// Next fraction: the minimum of the parabola through value, slope and trial, kept within a tenth and `shrink` of the old.
inline double shorter(double fraction, double value, double slope, double trial, double shrink) {
  const double bend = trial - value - slope * fraction;
  const double best = bend > 0 ? -slope * fraction * fraction / (2 * bend) : fraction;
  return std::isfinite(best) ? std::clamp(best, 0.1 * fraction, shrink * fraction) : shrink * fraction;
}

// The loop both variants share. `direct` computes the direction and the slope of the merit along it (false: none);
// `enough` says whether a trial is accepted; `merit` is what the parabola is laid through.
template <class P, class Direct, class Enough, class Merit>
NewtonReport iterate(P& problem, const NewtonOptions& options, const Direct& direct, const Enough& enough,
                     const Merit& merit) {
  NewtonReport report;
  NewtonPoint here = problem.evaluate();
  ++report.evaluations;
  const auto finish = [&](NewtonEnd end) {
    report.end = end;
    report.residual = here.residual;
    report.energy = here.energy;
    report.converged = end == NewtonEnd::converged || (end == NewtonEnd::stalled && here.residual <= options.acceptable);
    return report;
  };
  if (!usable(here, options)) return finish(NewtonEnd::not_finite);
  while (true) {
    if (here.residual <= options.tolerance) return finish(NewtonEnd::converged);
    if (report.iterations == options.max_iterations) return finish(NewtonEnd::iteration_limit);
    ++report.iterations;
    double slope = 0;
    if (!direct(here, slope)) return finish(NewtonEnd::no_direction);
    if constexpr (requires { problem.renew(here); }) problem.renew(here);
    double fraction = 1;
    if constexpr (requires { problem.first_fraction(); }) fraction = problem.first_fraction();
    while (true) {
      problem.move(fraction);
      const NewtonPoint trial = problem.evaluate();
      ++report.evaluations;
      if (usable(trial, options) && enough(here, trial, fraction, slope)) {
        problem.accept();
        here = trial;
        report.last_fraction = fraction;
        break;
      }
      ++report.line_search_cuts;
      fraction =
          usable(trial, options) ? shorter(fraction, merit(here), slope, merit(trial), options.shrink) : 0.1 * fraction;
      if (fraction < options.smallest_step) {
        problem.move(0);
        here = problem.evaluate();  // leave the problem at the last accepted place, with everything computed there
        ++report.evaluations;
        return finish(NewtonEnd::stalled);
      }
    }
  }
}

}  // namespace newton_detail

// Minimum of an energy: Armijo's rule on the energy. Where the difference of energies is lost in rounding, a smaller
// gradient decides instead, so that the last digits of the minimum can be reached.
template <class P>
NewtonReport newton_minimise(P& problem, const NewtonOptions& options = {}) {
  return newton_detail::iterate(
      problem, options,
      [&](const NewtonPoint&, double& slope) {
        slope = problem.direction();
        return slope < 0;  // false for NaN too
      },
      [&](const NewtonPoint& here, const NewtonPoint& trial, double fraction, double slope) {
        if (trial.energy <= here.energy + options.armijo * fraction * slope && trial.energy < here.energy) return true;
        if (trial.residual <= options.residual_suffices * here.residual) return true;
        const double scale =
            std::max({std::abs(here.energy), std::abs(trial.energy), here.energy_scale, trial.energy_scale});
        return std::abs(trial.energy - here.energy) <= options.rounding * scale && trial.residual < here.residual;
      },
      [](const NewtonPoint& point) { return point.energy; });
}

// Root of a residual: its norm must go down. The full Newton step would bring it to zero, so the slope is minus the norm.
template <class P>
NewtonReport newton_solve(P& problem, const NewtonOptions& options = {}) {
  return newton_detail::iterate(
      problem, options,
      [&](const NewtonPoint& here, double& slope) {
        slope = -here.residual;
        return bool(problem.direction());
      },
      [&](const NewtonPoint& here, const NewtonPoint& trial, double fraction, double) {
        return trial.residual <= (1 - options.armijo * fraction) * here.residual;
      },
      [](const NewtonPoint& point) { return point.residual; });
}

}  // namespace tendril
