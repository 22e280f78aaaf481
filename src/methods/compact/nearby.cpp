// How an equilibrium changes with its model, to first order, by one solution with the matrix at hand:
//   R(u, p) = 0  =>  A du = -dR/dp dp,     u: places and turns with the multipliers of rows
// R of two models, a little less and a little more, is evaluated at the same u; then u moves by half of du each way. What depends on p
// and u in whatever way (frames, forces, probes) is the difference of the two frames, free of errors of first and second order.
#include <algorithm>
#include <cmath>

#include "methods/compact/compact.h"

namespace tendril::compact {

// Solves for the change of the unknowns when the residual changes by `gradient` and `violation`. The problem stands at an equilibrium.
bool Problem::respond(std::span<const double> gradient, std::span<const double> violation) {
  if (!std::isfinite(gradient_norm_)) return false;
  std::copy(gradient.begin(), gradient.end(), gradient_.begin());
  std::copy(violation.begin(), violation.end(), violation_.begin());
  // Rows give a little; what they gave is taken back.
  std::vector<double> whole(direction_.size(), 0.0);
  for (int round = 0; round < (active_rows_ > 0 ? 3 : 1); ++round) {
    if (!(potential_ ? direct_symmetric(true) : direct_general())) return false;
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] += direction_[i];
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    for (int row = 0; row < chain_.rows(); ++row)
      for (int i = 0; i < size() && row_on_[z(row)]; ++i)
        violation_[z(row)] += (potential_ ? border_.column(i, row) : general_border_.column(i, row)) * direction_[z(i)];
  }
  std::copy(whole.begin(), whole.end(), direction_.begin());
  return std::all_of(whole.begin(), whole.end(), [](double d) { return std::isfinite(d); });
}

bool Compact::nearby(const std::shared_ptr<const Model>& less, const std::shared_ptr<const Model>& more, double time,
                     double load_factor, Frame& frame_less, Frame& frame_more) {
  if (joined_ || (meeting_ && meeting_->touching() > 0)) return false;  // by the matrix of an island: not done
  StateWriter saved;
  visit_state(saved);
  drive_to(time, load_factor, {}, true);
  std::unique_ptr<Compact> beside[2];
  for (int side = 0; side < 2; ++side) {
    beside[side] = std::make_unique<Compact>(side == 0 ? less : more, settings_);
    StateReader reader(saved.buffer());
    beside[side]->visit_state(reader);
    beside[side]->drive_to(time, load_factor, {}, true);
  }
  for (std::size_t rod = 0; rod < parts_.size(); ++rod) {
    Part& here = *parts_[rod];
    const auto evaluate_at = [](Compact& method, Part& part) {
      part.problem.begin(part.state, method.drive_, method.loads_, Stage{});
      std::ignore = part.problem.evaluate();
    };
    std::vector<double> gradient(z(here.problem.size()), 0.0), violation(z(here.chain.rows()), 0.0);
    for (int side = 0; side < 2; ++side) {
      Part& part = *beside[side]->parts_[rod];
      if (part.chain.all() != here.chain.all() || part.chain.rows() != here.chain.rows()) return false;
      evaluate_at(*beside[side], part);
      const double sign = side == 0 ? -1 : 1;
      for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += sign * part.problem.gradient()[i];
      for (std::size_t i = 0; i < violation.size(); ++i) violation[i] += sign * part.problem.violations()[i];
    }
    evaluate_at(*this, here);
    if (!here.problem.respond(gradient, violation)) return false;
    for (int side = 0; side < 2; ++side) {
      Part& part = *beside[side]->parts_[rod];
      part.problem.set_direction(here.problem.direction());
      part.problem.move(side == 0 ? -0.5 : 0.5);
      std::ignore = part.problem.evaluate();
      part.problem.finish();
    }
  }
  beside[0]->write(frame_less), beside[1]->write(frame_more);
  StateReader reader(saved.buffer());  // as if nothing had been asked
  visit_state(reader);
  return true;
}

}  // namespace tendril::compact
