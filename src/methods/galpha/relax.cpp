// Equilibria: the same equations without time.
#include <algorithm>
#include <cmath>

#include "methods/galpha/motion.h"
#include "parallel/stop.h"

namespace tendril::galpha {
namespace {
constexpr double still = 1e-11;  // residual of an equilibrium
}  // namespace

double RodMotion::still_residual() { return problem_.residual_at(state_, still); }

// Steps of a gradient flow, each an implicit one, longer and longer: the energy falls until nothing is left to fall. Where a direction is
// neutral the flow does not mind, and where the start is far away it does not lose its way, as Newton's method alone would.
// Where a saddle is left, `least` is kept for a while: a step longer than the energy falls in would lead back to it.
bool RodMotion::settle(StepResult& result, double least) {
  constexpr int most = 400, leaving = 60;
  const double rate = rod_.EI / (rod_.total * rod_.length * rod_.length * rod_.length) + gravity_.norm() / rod_.length;
  const double weakest = 1e-12 * rate;
  double pull = std::max(least, 0.1 * rate);
  for (int k = 0; k < most && !asked_to_stop(); ++k) {
    const NewtonReport newton = problem_.solve_still(state_, pull, std::max(still, 1e-9));
    result.iterations += newton.iterations;
    if (!newton.converged) {
      if ((pull *= 8) > 1e9 * rate) return false;
      continue;
    }
    problem_.finish(state_);
    result.residual = still_residual();
    if (result.residual <= still && !(least > 0 && k < 8)) return true;
    pull = std::max(weakest, pull * (newton.iterations <= 4 ? 0.15 : newton.iterations <= 7 ? 0.5 : 1.5));
    if (least > 0 && k < leaving) pull = std::max(pull, least);
    if ((least > 0 && k < leaving) || pull > 1e-3 * rate || k % 4 != 3) continue;
    // Near enough for Newton's method itself?
    const NewtonReport last = problem_.solve_still(state_, 0, still);
    result.iterations += last.iterations;
    if (!last.converged) continue;
    problem_.finish(state_);
    result.residual = last.residual;
    return true;
  }
  return false;
}

void RodMotion::leave_saddle() {
  constexpr double turn = 0.05;  // [rad]
  double largest = 0;
  for (const Vec3& q : soft_q_) largest = std::max(largest, q.norm());
  if (!(largest > 0)) return;
  for (std::size_t i = 0; i < state_.r.size(); ++i) {
    state_.r[i] += turn / largest * soft_r_[i];
    state_.q[i] = exp_quat(Vec3(turn / largest * soft_q_[i])) * state_.q[i];
  }
}

StepResult RodMotion::relax(Verdict& verdict) {
  StepResult result;
  kept_ = state_;
  for (Level* level : {&state_.place, &state_.turn, &state_.velocity, &state_.spin, &state_.strain})
    for (auto* list : {&level->dot, &level->rate}) std::fill(list->begin(), list->end(), Vec3::Zero());
  state_.dt = 0;
  const NewtonReport newton = problem_.solve_still(state_, 0, still);
  result.iterations = newton.iterations, result.residual = newton.residual;
  result.fine = newton.converged;
  if (newton.converged)
    problem_.finish(state_);
  else
    result.fine = settle(result, 0);
  verdict = {};
  for (int tries = 0; result.fine && tries < 4; ++tries) {
    verdict = judge();
    if (!settings_.seek_minimum || verdict.unstable == 0) break;
    const RodState saddle = state_;
    leave_saddle();
    if (settle(result, 2 * fall_)) continue;
    state_ = saddle;
    break;
  }
  if (!result.fine) {
    state_ = kept_;
    result.cause = problem_.turned_too_far() ? segment_turned : Cause::no_equilibrium;
  }
  problem_.look_at(state_);
  books_.gravity = gravity_;
  return result;
}

}  // namespace tendril::galpha
