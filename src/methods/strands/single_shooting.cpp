#include <algorithm>
#include <cmath>

#include "methods/strands/ends.h"
#include "methods/strands/shooting.h"

namespace tendril::strands {

FarEnd SingleShooting::moved(const Strand& strand, const Scales& scales, const FarEnd& end, const Six& step, double part) {
  FarEnd next = end;
  const Freedom free = freedom_at(strand, strand.last());
  const auto entry = [&](int i) { return part * step[z(i)]; };
  const V a{entry(0), entry(1), entry(2)}, b{entry(3), entry(4), entry(5)};
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

ShootingReport SingleShooting::solve(const Strand& strand, const ShootingSettings& settings, FarEnd& end,
                                     std::vector<State>& states) {
  ShootingReport report;
  trial_.resize(z(strand.nodes()));
  settle_far_end(strand, end);
  SmallLU<6>::Block jacobian;
  Six now;
  FarEnd here = end;
  for (;;) {
    linearise(strand, here, now, jacobian);
    report.residual = largest(now);
    ++report.sweeps;
    if (!std::isfinite(report.residual) || report.iterations >= settings.most_iterations) return report;
    ++report.iterations;
    if (!lu_.factor(jacobian)) {  // free to spin or turn: the smallest step that helps
      SmallLU<6>::Block square = jacobian.transpose() * jacobian;
      const double shift = 1e-10 * square.diagonal().maxCoeff();
      square.diagonal().array() += shift;
      Eigen::Map<Eigen::Matrix<double, 6, 1>> rows(now.data());
      rows = (jacobian.transpose() * rows).eval();
      if (!lu_.factor(square)) return report;
    }
    Eigen::Matrix<double, 6, 1> step;
    for (int i = 0; i < 6; ++i) step[i] = -now[z(i)];
    lu_.solve(step);
    Six delta;
    for (int i = 0; i < 6; ++i) delta[z(i)] = step[i];
    // Angles and lengths of the far end do not jump further than this in one step.
    double part = 1;
    for (int i = 0; i < 6; ++i) {
      const bool turns = i >= 3 && freedom_at(strand, strand.last()).rotation[z(i - 3)];
      if (turns && std::abs(delta[z(i)]) * part > 1) part = 1 / std::abs(delta[z(i)]);
    }
    bool better = false;
    for (int halvings = 0; halvings < 12 && report.sweeps < settings.most_sweeps; ++halvings, part *= 0.5) {
      const FarEnd next = moved(strand, scales_, here, delta, part);
      const double size = largest(residual(strand, next, &trial_));
      ++report.sweeps;
      if (size <= settings.tolerance || size < (1 - 0.25 * part) * report.residual) {
        here = next, report.residual = size, better = true;
        break;
      }
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
