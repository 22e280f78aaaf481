#include <algorithm>
#include <cmath>

#include "methods/strands/ends.h"
#include "methods/strands/shooting.h"
#include "parallel/stop.h"

namespace tendril::strands {

FarEnd SingleShooting::moved(const Strand& strand, const Scales& scales, const FarEnd& end, const Six& step, double part) {
  FarEnd next = end;
  const Freedom free = freedom_at(strand, strand.last());
  const auto entry = [&](int i) { return part * step[z(i)]; };
  const V a{entry(0), entry(1), entry(2)}, b{entry(3), entry(4), entry(5)};
  // Of each pair (position, force) and (angle, moment) one is held; the other one is the unknown.
  if (free.position)
    next.r += scales.length * a;
  else
    next.x.n += scales.force * a;
  V turn{0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    if (free.rotation[z(i)])
      turn[i] = b[i];
    else
      next.x.m[i] += scales.moment * b[i];
  }
  next.q = normalized(next.q * to_small(exp_quat(to_eigen(turn))));
  return next;
}

Six SingleShooting::residual(const Strand& strand, const FarEnd& end, std::vector<State>* states) {
  scales_ = Scales::of(strand);
  // Sweep from far to near; what is missing of the near end's conditions is the residual.
  State at = started<double>(strand, scales_, end);
  if (states) states->back() = at;
  sweep_back(strand, strand.last(), 0, at, states ? states->data() : nullptr);
  Six result;
  const auto rows = near_residual(strand, scales_, at);
  for (std::size_t i = 0; i < 6; ++i) result[i] = rows[i];
  return result;
}

void SingleShooting::linearise(const Strand& strand, const FarEnd& end, Six& residual, SmallLU<6>::Block& jacobian) {
  scales_ = Scales::of(strand);
  // Forward-mode differentiation: one sweep of jets gives residual and Jacobian.
  Slice<Jet> at = started<Jet>(strand, scales_, end);
  sweep_back(strand, strand.last(), 0, at);
  const auto rows = near_residual(strand, scales_, at);
  for (int i = 0; i < 6; ++i) {
    residual[z(i)] = rows[z(i)].value;
    for (int j = 0; j < 6; ++j) jacobian(i, j) = rows[z(i)].slope(j);
  }
}

namespace {
double largest(const Six& six) {
  double most = 0;
  for (const double v : six) most = std::abs(v) <= most ? most : std::abs(v);  // keeps NaN
  return most;
}
}  // namespace

// Backtracking along a step; angles of the far end turn by at most a radian.
bool SingleShooting::search(const Strand& strand, const ShootingSettings& settings, const Eigen::Matrix<double, 6, 1>& step,
                            int max_halvings, FarEnd& here, ShootingReport& report) {
  const Freedom free = freedom_at(strand, strand.last());
  double part = 1;
  for (int i = 0; i < 3; ++i)
    if (free.rotation[z(i)] && std::abs(step[3 + i]) * part > 1) part = 1 / std::abs(step[3 + i]);
  // Backtracking: the largest residual has to fall by a quarter of what the linear model promises (Armijo's rule).
  Six delta;
  for (int i = 0; i < 6; ++i) delta[z(i)] = step[i];
  for (int halvings = 0; halvings < max_halvings && report.sweeps < settings.max_sweeps; ++halvings, part *= 0.5) {
    const FarEnd next = moved(strand, scales_, here, delta, part);
    const double size = largest(residual(strand, next, &trial_));
    ++report.sweeps;
    if (!(size <= settings.tolerance || size < (1 - 0.25 * part) * report.residual)) continue;
    here = next, report.residual = size;
    return true;
  }
  return false;
}

ShootingReport SingleShooting::solve(const Strand& strand, const ShootingSettings& settings, FarEnd& end,
                                     std::vector<State>& states) {
  ShootingReport report;
  trial_.resize(z(strand.nodes()));
  settle_far_end(strand, end);
  SmallLU<6>::Block jacobian;
  Six now;
  FarEnd here = end;
  for (;;) {
    // Residual and Jacobian at the present guess.
    linearise(strand, here, now, jacobian);
    report.residual = largest(now);
    ++report.sweeps;
    if (!std::isfinite(report.residual) || report.iterations >= settings.max_iterations || asked_to_stop()) return report;
    ++report.iterations;
    // Newton's step with a line search.
    bool better = false;
    if (lu_.factor(jacobian).good()) {
      Eigen::Matrix<double, 6, 1> step;
      for (int i = 0; i < 6; ++i) step[i] = -now[z(i)];
      lu_.solve(step);
      better = search(strand, settings, step, 8, here, report);
    }
    // Round strands in round places lie in any plane equally well, and others nearly so: where Newton's step goes astray
    // along such a valley, Levenberg's and Marquardt's stays near.
    for (double damping = 1e-10; !better && damping < 1; damping *= 100) {
      SmallLU<6>::Block square = jacobian.transpose() * jacobian;
      square.diagonal().array() += damping * square.diagonal().maxCoeff();
      if (!lu_.factor(square).good()) continue;
      Eigen::Matrix<double, 6, 1> step;
      for (int i = 0; i < 6; ++i) step[i] = -now[z(i)];
      step = (jacobian.transpose() * step).eval();
      lu_.solve(step);
      better = search(strand, settings, step, 2, here, report);
    }
    if (!better) return report;
    if (report.residual <= settings.tolerance) break;
  }
  report.fine = true;
  end = here;
  std::swap(states, trial_);
  return report;
}

}  // namespace tendril::strands
