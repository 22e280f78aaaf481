// How an equilibrium changes with its model, to first order, by one solution with the matrix at hand:
//   R(u, p) = 0  =>  A du = -dR/dp dp,     u: places and turns with the multipliers of rows
// R of two models, a little less and a little more, is evaluated at the same u; then u moves by half of du each way. What depends on p
// and u in whatever way (frames, forces, probes) is the difference of the two frames, free of errors of first and second order.
// Rods that touch or are joined are solved together, by the matrix of their island (coupled.h).
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

// A row of held points or of a ring gives by `give` times what it carries: what a direction has left of it.
void Problem::keep_what_rows_gave() {
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  for (int row = 0; row < chain_.rows(); ++row) {
    const bool turn = chain_.ring && row >= chain_.held_rows() + 3;
    violation_[z(row)] = row_on_[z(row)] && !turn ? row_give_ * direction_[z(size() + row)] : 0;
  }
}

void Joined::Change::add(const Change& more) {
  for (std::size_t i = 0; i < place.size(); ++i) place[i] += more.place[i];
  for (std::size_t i = 0; i < turn.size(); ++i) turn[i] += more.turn[i];
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += more.rows[i];
}
void Joined::keep_what_rows_gave() {
  clear_gradients();
  for (std::size_t t = 0; t < ties_.size() + turns_.size(); ++t)
    for (std::size_t k = 3 * t; k < 3 * t + 3; ++k) {
      const bool turn = t >= ties_.size();
      const double give = turn ? 1e-9 * give_ * length_ * length_ : ties_[t].pair >= 0 ? 0 : give_;
      violations_[k] = turn && static_cast<int>(k - 3 * t) >= turns_[t - ties_.size()].count ? 0 : give * row_direction_[k];
    }
}

std::vector<double> Coupled::read_residual() const {
  std::vector<double> all;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const Problem& problem = part(static_cast<int>(s)).problem;
    all.insert(all.end(), problem.gradient().begin(), problem.gradient().end());
    all.insert(all.end(), problem.violations().begin(), problem.violations().end());
  }
  if (joined_ == nullptr) return all;
  const Joined::Change change = joined_->residual();
  for (const auto* list : {&change.place, &change.turn})
    for (const Vec3& v : *list) all.insert(all.end(), {v.x(), v.y(), v.z()});
  all.insert(all.end(), change.rows.begin(), change.rows.end());
  return all;
}

bool Coupled::respond(std::span<const double> residual) {
  const Verdict verdict = judge();
  if (verdict.kind != Verdict::Kind::counted || verdict.unstable > 0) return false;
  if (touching_ != nullptr && verdict.neutral.count() > 0) return false;  // barriers leave nothing but rounding there
  if (factor(true, 0).negative != expected_negative_) return false;
  std::size_t at = 0;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    Problem& problem = part(static_cast<int>(s)).problem;
    const std::size_t unknowns = problem.gradient().size(), rows = problem.violations().size();
    problem.set_residual(residual.subspan(at, unknowns), residual.subspan(at + unknowns, rows));
    at += unknowns + rows;
  }
  Joined::Change sum;
  if (joined_ != nullptr) {
    Joined::Change r = joined_->residual();
    for (auto* list : {&r.place, &r.turn})
      for (Vec3& v : *list) v = Eigen::Map<const Vec3>(residual.data() + at), at += 3;
    for (double& v : r.rows) v = residual[at++];
    joined_->set_residual(r);
  }
  // Rows give a little; what they gave is taken back.
  std::vector<std::vector<double>> whole(rods_.size());
  for (int round = 0; round < 3; ++round) {
    solve_direction();
    for (std::size_t s = 0; s < rods_.size(); ++s) {
      Problem& problem = part(static_cast<int>(s)).problem;
      const std::span<double> d = problem.direction();
      whole[s].resize(d.size(), 0.0);
      for (std::size_t i = 0; i < d.size(); ++i) whole[s][i] += d[i];
      problem.keep_what_rows_gave();
    }
    if (joined_ == nullptr) continue;
    if (round == 0)
      sum = joined_->direction();
    else
      sum.add(joined_->direction());
    joined_->keep_what_rows_gave();
  }
  bool finite = true;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    part(static_cast<int>(s)).problem.set_direction(whole[s]);
    for (const double d : whole[s]) finite = finite && std::isfinite(d);
  }
  if (joined_ != nullptr) joined_->set_direction(sum);
  return finite;
}

void Coupled::take_directions_of(const Coupled& other) {
  for (std::size_t s = 0; s < rods_.size(); ++s)
    part(static_cast<int>(s)).problem.set_direction(other.part(static_cast<int>(s)).problem.direction());
  if (joined_ != nullptr) joined_->set_direction(other.joined_->direction());
}

bool Meeting::stand_there(const Drive& drive, const LoadsNow& loads) {
  stage_ = first_order_ = Stage{};
  std::fill(impact_.begin(), impact_.end(), 0);
  begin(drive, loads);
  if (field_.missing_radius > 0 || field_.list(poses_, target_) != Found::fine) return false;
  find_islands();
  for (int k = 0; k < islands_; ++k) {
    Island& island = *island_[z(k)];
    begin_island(island);
    if (island.progress < 1) return false;
    island.touching.set_on_way(false, 0, 0);
    island.coupled.take(island.rods, &island.touching, joined_to(island));
    if (!std::isfinite(island.coupled.evaluate().energy) || island.touching.may_rub()) return false;
    for (const int r : island.rods)
      if (!parts_[z(r)]->problem.has_potential()) return false;
  }
  return true;
}

bool Compact::stand_there() {
  if (meeting_) return meeting_->stand_there(drive_, loads_);
  if (!joined_) return true;
  if (!begin_joined(Stage{})) return false;
  coupled_.take(joined_->rods(), nullptr, joined_.get());
  std::ignore = coupled_.evaluate();
  return true;
}

// One rod that nothing else has to do with.
bool Compact::respond_alone(int rod, Compact& less, Compact& more) {
  Part& here = *parts_[z(rod)];
  const auto evaluate_at = [rod](Compact& method) {
    Part& part = *method.parts_[z(rod)];
    part.problem.begin(part.state, method.drive_, method.loads_, Stage{});
    std::ignore = part.problem.evaluate();
  };
  std::vector<double> gradient(z(here.problem.size()), 0.0), violation(z(here.chain.rows()), 0.0);
  for (Compact* side : {&less, &more}) {
    const Part& part = *side->parts_[z(rod)];
    if (part.chain.all() != here.chain.all() || part.chain.rows() != here.chain.rows()) return false;
    evaluate_at(*side);
    const double sign = side == &less ? -1 : 1;
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += sign * part.problem.gradient()[i];
    for (std::size_t i = 0; i < violation.size(); ++i) violation[i] += sign * part.problem.violations()[i];
  }
  evaluate_at(*this);
  if (!here.problem.respond(gradient, violation)) return false;
  for (Compact* side : {&less, &more}) {
    Part& part = *side->parts_[z(rod)];
    part.problem.set_direction(here.problem.direction());
    part.problem.move(side == &less ? -0.5 : 0.5);
    std::ignore = part.problem.evaluate();
    if (!meeting_) part.problem.finish();
  }
  return true;
}

// Rods that touch or are joined; all three stand there.
bool Compact::respond_together(Coupled& here, Coupled& less, Coupled& more) {
  // The second round takes what the first one left, by whatever the matrix is not exact.
  for (int round = 0; round < 2; ++round) {
    std::vector<double> change = more.read_residual();
    const std::vector<double> before = less.read_residual();
    if (change.size() != before.size() || change.size() != here.read_residual().size()) return false;
    for (std::size_t i = 0; i < change.size(); ++i) change[i] -= before[i];
    if (!here.respond(change)) return false;
    for (Coupled* side : {&less, &more}) {
      side->take_directions_of(here);
      side->move(side == &less ? -0.5 : 0.5);
      if (!std::isfinite(side->evaluate().energy)) return false;
      side->accept();
    }
  }
  return true;
}

bool Compact::respond(Compact& less, Compact& more) {
  for (Compact* method : {&less, this, &more})
    if (!method->stand_there()) return false;
  if (meeting_) {
    for (Compact* side : {&less, &more})
      if (side->meeting_->islands() != meeting_->islands()) return false;
    for (int k = 0; k < meeting_->islands(); ++k)
      if (!respond_together(meeting_->island(k), less.meeting_->island(k), more.meeting_->island(k))) return false;
    for (const int rod : meeting_->rods_alone())
      if (!respond_alone(rod, less, more)) return false;
    return true;
  }
  if (joined_ && !respond_together(coupled_, less.coupled_, more.coupled_)) return false;
  for (int rod = 0; rod < static_cast<int>(parts_.size()); ++rod)
    if ((!joined_ || !joined_->is_joined(rod)) && !respond_alone(rod, less, more)) return false;
  return true;
}

void Compact::finish_there() {
  if (meeting_) return meeting_->finish_there();
  if (!joined_) return;
  for (const int r : joined_->rods()) parts_[z(r)]->problem.finish();
  joined_->finish();
}

bool Compact::nearby(const std::shared_ptr<const Model>& less, const std::shared_ptr<const Model>& more, double time,
                     double load_factor, Frame& frame_less, Frame& frame_more) {
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
  const bool known = respond(*beside[0], *beside[1]);
  if (known) {
    beside[0]->finish_there(), beside[1]->finish_there();
    beside[0]->write(frame_less), beside[1]->write(frame_more);
  }
  StateReader reader(saved.buffer());  // as if nothing had been asked
  visit_state(reader);
  return known;
}

}  // namespace tendril::compact
