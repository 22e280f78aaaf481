// long: numbering, matrix, directions and search of one Newton method over many rods.
#include "methods/compact/coupled.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/compact/contacts.h"
#include "methods/compact/joined.h"

namespace tendril::compact {

namespace {
constexpr double most_turned = 1.5;  // [rad] of a link in one iteration
constexpr double most_moved = 0.25;  // of its length: a root in one iteration towards an equilibrium with contact
constexpr double softest_hold = 1e-7, stiffest_hold = 1;
constexpr double most_folded = 1e10;  // bending over inertia of a segment: what of the sixteen digits folding may take
}  // namespace

Coupled::Coupled(const Model& model, Parts& parts, const SolverSettings& settings)
    : model_(model), parts_(parts), settings_(settings), slot_(parts.size(), -1) {}

int Coupled::node_block(int rod, int k) const {
  const Place& at = at_[z(slot_[z(rod)])];
  if (at.root_held) return k == 0 ? -1 : at.nodes + k - 1;
  return at.nodes + k;
}

void Coupled::take(std::span<const int> rods, Touching* touching, Joined* joined, bool goes_on) {
  joined_ = joined;
  for (const int rod : rods_) slot_[z(rod)] = -1;
  rods_.assign(rods.begin(), rods.end());
  for (std::size_t i = 0; i < rods_.size(); ++i) slot_[z(rods_[i])] = static_cast<int>(i);
  touching_ = touching;
  fallbacks_ = 0, row_weight_ = 0;
  if (!goes_on) shift_ = 0, fraction_ = 1;
  number();
}

void Coupled::number() {
  at_.resize(rods_.size());
  rows_.clear();
  blocks_ = 0, expected_negative_ = 0;
  folded_ = may_fold();
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const Chain& chain = part(static_cast<int>(s)).chain;
    const Problem& problem = part(static_cast<int>(s)).problem;
    Place& at = at_[s];
    at.root_held = problem.root_is_held();
    at.nodes = blocks_, blocks_ += chain.nodes() - (at.root_held ? 1 : 0);
    at.turns = blocks_, blocks_ += chain.all();
    at.multipliers = blocks_, blocks_ += folded_ ? 0 : chain.real();
    at.rows = blocks_;
    expected_negative_ += (folded_ ? 1 : 3) * chain.real();
    const auto add = [&](int row, int first, int second, int held = -1) {
      if (!problem.row_holds(row)) return;
      rows_.push_back({static_cast<int>(s), row, first, second, held});
      ++blocks_, expected_negative_ += 3;
    };
    const int rod = rods_[s];
    for (std::size_t h = 0; h < chain.held.size(); ++h)
      add(3 * static_cast<int>(h), node_block(rod, chain.held[h].link + 1), -1, static_cast<int>(h));
    if (!chain.ring) continue;
    add(chain.held_rows(), node_block(rod, chain.real()), node_block(rod, 0));
    add(chain.held_rows() + 3, at.turns + chain.real(), at.turns);
  }
  if (joined_ != nullptr) {
    blocks_ = joined_->number(*this, blocks_);
    expected_negative_ += 3 * joined_->rows();
  }
  unknowns_.resize(3 * z(blocks_));
}

// ---- energy and gradient ---------------------------------------------------------------------------------------------------------
NewtonPoint Coupled::evaluate() {
  if (joined_ != nullptr) joined_->place_frames(), joined_->clear_gradients();
  for (std::size_t s = 0; s < rods_.size(); ++s) part(static_cast<int>(s)).problem.take_place();
  bool open = true;
  if (touching_ != nullptr) open = touching_->evaluate(joined_);
  NewtonPoint sum;
  double squares = 0;
  violation_ = 0;
  if (joined_ != nullptr) {
    sum = joined_->evaluate();
    squares = sum.residual, violation_ = joined_->violation();
  }
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    Problem& problem = part(static_cast<int>(s)).problem;
    const NewtonPoint own = problem.sum_up();
    sum.energy += own.energy, sum.energy_scale += own.energy_scale;
    squares += own.residual * own.residual;
    for (const double v : problem.violations()) violation_ += std::abs(v);
  }
  energy_ = sum.energy;
  sum.residual = std::sqrt(squares);
  sum.energy += row_weight_ * violation_;
  if (!open) sum.energy = std::nan("");  // something is closed, or would have passed on the way
  return sum;
}

void Coupled::renew(NewtonPoint& here) const { here.energy = base_energy_ + row_weight_ * base_violation_; }

// ---- matrix ----------------------------------------------------------------------------------------------------------------------
void Coupled::assemble_chain(int slot, bool exact, double shift) {
  const Chain& chain = part(slot).chain;
  Problem& problem = part(slot).problem;
  const ChainLDLT& m = problem.assembled(exact);
  const Place& at = at_[z(slot)];
  const int rod = rods_[z(slot)];
  const double more = problem.row_constants().tiny + shift * chain.stiffest;
  const double hold = stiffness_of_places(slot, shift);
  // In motion, where things touch, nodes are held a little with the turns: stiff contacts on what only its inertia holds would leave
  // nothing of that after rounding.
  const double still = touching_ != nullptr && !settles() ? shift * chain.stiffest / (chain.length * chain.length) : 0;
  const auto held = [&](int k) -> Mat3 { return (hold * chain.mass[z(k)] + still) * Mat3::Identity(); };
  if (!at.root_held) {
    const int root = node_block(rod, 0);
    matrix_.add(root, root, m.root() + held(0));
    // An equilibrium of a rod that nothing holds: forces cancel, so what holds its root carries nothing.
    if (touching_ == nullptr && joined_ == nullptr && problem.stage().still())
      matrix_.add(root, root, problem.row_constants().stiffness * Mat3::Identity());
    // Nothing may be on its diagonal but what others give it.
    if (settles() && !(joined_ != nullptr && joined_->is_joined(rod))) matrix_.put_last(root);
  }
  for (int i = 0; i < chain.real() && folded_; ++i)
    matrix_.fold(at.turns + i, node_block(rod, i), node_block(rod, i + 1), m.link(i).arm);
  for (int i = 0; i < chain.all(); ++i) {
    const auto& link = m.link(i);
    Mat3 turn = link.turn;
    turn.diagonal().array() += more;
    if (i > 0) turn += link.joint;
    if (i + 1 < chain.all()) turn += m.link(i + 1).joint;
    matrix_.add(at.turns + i, at.turns + i, turn);
    if (i > 0) matrix_.add(at.turns + i, at.turns + i - 1, -(link.joint + skew(link.half)));
    if (i >= chain.real()) continue;
    const int far = node_block(rod, i + 1), near = node_block(rod, i), multiplier = at.multipliers + i;
    matrix_.add(far, far, link.node + held(i + 1));
    if (folded_) continue;
    matrix_.add(multiplier, far, Mat3::Identity());
    if (near >= 0) matrix_.add(multiplier, near, -Mat3::Identity());
    matrix_.add(multiplier, at.turns + i, skew(link.arm));
    matrix_.pair(multiplier, far);
  }
}

bool Coupled::settles() const {
  return touching_ != nullptr && (rods_.empty() ? joined_->is_still() : part(0).problem.stage().still());
}

// Bending stiffness of places, over their inertia.
bool Coupled::may_fold() const {
  if (touching_ == nullptr || settles()) return false;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const Chain& chain = part(static_cast<int>(s)).chain;
    double shortest = chain.length;
    for (const Link& link : chain.links) shortest = std::min(shortest, link.length);
    const double inertia = part(static_cast<int>(s)).problem.stage().c * chain.total / chain.nodes();
    if (!(16 * chain.stiffest <= most_folded * inertia * shortest * shortest)) return false;
  }
  return true;
}

// Per mass [N/m/kg]: of `hold_`, and of a shift as turns have it.
double Coupled::stiffness_of_places(int slot, double shift) const {
  if (!settles()) return 0;
  const Chain& chain = part(slot).chain;
  const double held = hold_ * part(slot).problem.scale() / chain.length;
  return (held + shift * chain.stiffest / (chain.length * chain.length)) / chain.total;
}

void Coupled::assemble(bool exact, double shift) {
  matrix_.begin(blocks_);
  for (std::size_t s = 0; s < rods_.size(); ++s) assemble_chain(static_cast<int>(s), exact, shift);
  int block = 0;
  std::size_t r = 0;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const Chain& chain = part(static_cast<int>(s)).chain;
    block = at_[s].rows;
    for (; r < rows_.size() && rows_[r].part == static_cast<int>(s); ++r, ++block) {
      const Row& row = rows_[r];
      const bool turn = chain.ring && row.row >= chain.held_rows() + 3;
      const double give = turn ? 0 : part(static_cast<int>(s)).problem.row_constants().give;
      Mat3 corner = -give * Mat3::Identity(), along = Mat3::Identity();
      if (row.held >= 0) along = chain.held[z(row.held)].axes.transpose();
      if (row.held >= 0 && chain.held[z(row.held)].slides) along.row(2).setZero(), corner(2, 2) = -1;  // stands for itself
      matrix_.add(block, row.first, along);
      if (row.second >= 0) matrix_.add(block, row.second, -Mat3::Identity());
      matrix_.add(block, block, corner);
      matrix_.put_last(block);
    }
  }
  if (touching_ != nullptr) touching_->assemble(*this, matrix_, exact);
  if (joined_ != nullptr) joined_->assemble(*this, matrix_, exact, shift, settles() ? hold_ + shift : 0);
}

PivotReport Coupled::factor(bool exact, double shift) {
  assemble(exact, shift);
  return matrix_.factor(1e-300);
}

bool Coupled::direct(bool exact, double shift) {
  const PivotReport report = factor(exact, shift);
  if (report.negative != expected_negative_) return false;
  solve_direction();
  return true;
}

void Coupled::solve_direction() {
  std::fill(unknowns_.begin(), unknowns_.end(), 0.0);
  const auto put = [&](int block, const double* v, double factor) {
    for (int k = 0; k < 3 && block >= 0; ++k) unknowns_[z(3 * block + k)] += factor * v[k];
  };
  std::size_t r = 0;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const Problem& problem = part(static_cast<int>(s)).problem;
    const double* g = problem.gradient().data();
    put(node_block(rods_[s], 0), g, -1);
    for (int i = 0; i < part(static_cast<int>(s)).chain.all(); ++i) put(at_[s].turns + i, g + 3 + 3 * i, -1);
    int block = at_[s].rows;
    for (; r < rows_.size() && rows_[r].part == static_cast<int>(s); ++r, ++block) {
      const double* violation = problem.violations().data() + rows_[r].row;
      put(block, violation, -1);
      // Rows of held points pull as springs too (problem.h).
      if (rows_[r].held < 0) continue;
      const Vec3 pull = part(static_cast<int>(s)).chain.held[z(rows_[r].held)].axes * Eigen::Map<const Vec3>(violation);
      put(rows_[r].first, pull.data(), -problem.row_constants().stiffness);
    }
  }
  if (joined_ != nullptr) joined_->put(unknowns_);
  matrix_.solve(unknowns_);
  if (joined_ != nullptr) joined_->get(unknowns_);
  r = 0;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const Chain& chain = part(static_cast<int>(s)).chain;
    const std::span<double> d = part(static_cast<int>(s)).problem.direction();
    std::fill(d.begin(), d.end(), 0.0);
    const auto get = [&](int block, double* v) {
      for (int k = 0; k < 3 && block >= 0; ++k) v[k] = unknowns_[z(3 * block + k)];
    };
    get(node_block(rods_[s], 0), d.data());
    for (int i = 0; i < chain.all(); ++i) get(at_[s].turns + i, d.data() + 3 + 3 * i);
    int block = at_[s].rows;
    for (; r < rows_.size() && rows_[r].part == static_cast<int>(s); ++r, ++block)
      get(block, d.data() + 3 + 3 * chain.all() + rows_[r].row);
  }
}

void Coupled::limit_direction() {
  double largest = 0;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const double* d = part(static_cast<int>(s)).problem.direction().data();
    for (int i = 0; i < part(static_cast<int>(s)).chain.all(); ++i)
      largest = std::max(largest, Eigen::Map<const Vec3>(d + 3 + 3 * i).squaredNorm());
  }
  if (joined_ != nullptr) largest = std::max(largest, joined_->largest_turn() * joined_->largest_turn());
  double over = std::sqrt(largest) / most_turned;
  for (std::size_t s = 0; s < rods_.size() && settles(); ++s)
    over = std::max(over, Eigen::Map<const Vec3>(part(static_cast<int>(s)).problem.direction().data()).norm() /
                              (most_moved * part(static_cast<int>(s)).chain.length));
  if (settles() && joined_ != nullptr) over = std::max(over, joined_->largest_move() / most_moved);
  if (!(over > 1)) return;
  const double factor = 1 / over;
  if (joined_ != nullptr) joined_->scale_direction(factor);
  for (std::size_t s = 0; s < rods_.size(); ++s)
    for (double& d : part(static_cast<int>(s)).problem.direction()) d *= factor;
}

// ---- Newton's method -------------------------------------------------------------------------------------------------------------
// Exact; with a shift, which grows; then the positive one.
bool Coupled::direct_alone() {
  bool found = direct(true, 0);
  if (found) {
    shift_ = 0;
    return true;
  }
  ++fallbacks_;
  for (double shift = std::max(1e-5, 0.1 * shift_); !found && shift < 0.2; shift *= 10) {
    shift_ = shift;
    found = direct(true, shift);
  }
  return found || direct(false, 0);
}

// Where things touch, the shift follows what could be taken of the last direction, as the multiplier of a trust region would: a direction
// does not know of what it will meet on its way, and one that is cut to a hundredth by the first pair it meets is worth little.
// From `large` to twice that the positive matrix has its turn, fifty times; then the exact one with any shift. With
// bodies it stays: a ball shot at a rod gets on by it, and not by shifts that hold it back.
bool Coupled::direct_in_reach() {
  constexpr double cut = 0.25, ratio = 4, least = 1e-6, first = 1e-3, large = 1e4, most = 1e10;
  const double slowly = joined_ == nullptr ? 1.014 : 1;
  const auto is_positive = [](double shift) { return shift >= large && shift < 2 * large; };
  double shift = fraction_ < cut ? std::max(first, (is_positive(shift_) ? slowly : ratio) * shift_) : shift_ / ratio;
  if (shift_ < large) shift = std::min(shift, large);
  if (shift < least) shift = 0;
  if (shift > 0) ++fallbacks_;
  while (shift < most && !is_positive(shift)) {
    shift_ = shift;
    if (direct(true, shift)) return true;
    shift = shift < large ? std::clamp(ratio * shift, 10 * least, large) : ratio * shift;
  }
  shift_ = std::min(shift, most);
  for (shift = 1e-4; shift < 1e3 * most; shift *= 100)
    if (direct(false, shift)) return true;
  return false;
}

double Coupled::direction() {
  if (!(touching_ != nullptr && !settles() ? direct_in_reach() : direct_alone())) return std::nan("");
  limit_direction();
  base_energy_ = energy_, base_violation_ = violation_;
  const double slope = slope_of_energy();
  if (!find_fraction()) return std::nan("");
  double largest = joined_ != nullptr ? joined_->largest_multiplier() : 0;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const Problem& problem = part(static_cast<int>(s)).problem;
    const auto rows = part(static_cast<int>(s)).problem.direction().subspan(problem.gradient().size());
    for (std::size_t k = 0; k < rows.size(); ++k) largest = std::max(largest, std::abs(problem.multipliers()[k] + rows[k]));
  }
  row_weight_ = std::max(row_weight_, 1.1 * largest);
  return slope - row_weight_ * base_violation_;
}

// The gradient has the multipliers in it, the energy has not.
double Coupled::slope_of_energy() const {
  double slope = joined_ != nullptr ? joined_->slope() : 0;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const Problem& problem = part(static_cast<int>(s)).problem;
    const std::span<double> d = parts_[z(rods_[s])]->problem.direction();
    const auto g = problem.gradient();
    for (std::size_t i = 0; i < g.size(); ++i) slope += g[i] * d[i];
    for (std::size_t k = 0; k < problem.violations().size(); ++k)
      slope += problem.multipliers()[k] * problem.violations()[k];
  }
  return slope;
}

// How much of the direction is free; false where it leaves the boxes that contacts were looked for in.
bool Coupled::find_fraction() {
  fraction_ = 1;
  if (touching_ == nullptr) return true;
  for (int k = 0; k < 40; ++k) {
    move(fraction_);
    for (std::size_t s = 0; s < rods_.size(); ++s) part(static_cast<int>(s)).problem.find_places();
    const double free = touching_->free_fraction();
    if (free >= 1) break;
    fraction_ *= std::max(0.1, 0.9 * free);
  }
  if (touching_->stays_inside()) return true;
  move(0);
  std::ignore = evaluate();
  return false;
}

void Coupled::move(double fraction) {
  taken_fraction_ = fraction;
  if (joined_ != nullptr) joined_->move(fraction);
  for (std::size_t s = 0; s < rods_.size(); ++s) part(static_cast<int>(s)).problem.move(fraction);
}

void Coupled::accept() {
  if (joined_ != nullptr) joined_->accept();
  for (std::size_t s = 0; s < rods_.size(); ++s) part(static_cast<int>(s)).problem.accept();
  if (touching_ != nullptr) touching_->accept();
  const double change = taken_fraction_ > 0.5 ? 0.1 : taken_fraction_ < 0.05 ? 4 : 1;
  hold_ = std::clamp(change * hold_, softest_hold, stiffest_hold);
}

Solved Coupled::iterate() {
  NewtonOptions options;
  options.max_iterations = settings_.iterations;
  options.smallest_step = 1e-9, options.tolerance = 0;
  const bool has_rows = !rows_.empty() || (joined_ != nullptr && joined_->rows() > 0);
  options.residual_suffices = has_rows ? 0.7 : 0;
  if (joined_ != nullptr) options.tolerance = joined_->tolerance(), options.acceptable = 10 * options.tolerance;
  for (std::size_t s = 0; s < rods_.size(); ++s) {
    const Problem& problem = part(static_cast<int>(s)).problem;
    if (problem.stretch() > 1 + 1e-9) return {false, Cause::clamp_out_of_reach};
    const Problem::Accuracy asked = problem.accuracy();
    options.tolerance = std::max(options.tolerance, asked.tolerance);
    options.acceptable = std::max(options.acceptable, asked.acceptable);
  }
  // With rows, a search that counts a smaller residual as well may go round where a gap turns from closing to opening: then by the merit alone.
  constexpr int patience = 100;
  const bool may_go_round = has_rows && touching_ != nullptr && settings_.iterations > patience;
  if (may_go_round) options.max_iterations = patience;
  NewtonReport report = newton_minimise(*this, options);
  if (may_go_round && report.end == NewtonEnd::iteration_limit) {
    options.residual_suffices = 0, options.max_iterations = settings_.iterations - patience;
    report = newton_minimise(*this, options);
    report.iterations += patience;
  }
  // Gaps are known to the rounding of places only, and so are the forces of barriers.
  if (settles() && !rods_.empty())
    options.acceptable = std::max(options.acceptable, 10 * touching_->rounding() / part(0).problem.scale());
  // One that has only used up its iterations is to be repeated in halves.
  const bool rounds = options.acceptable > 10 * options.tolerance;
  double left = options.acceptable;
  if (report.end == NewtonEnd::iteration_limit && !rounds && !settles()) left = options.tolerance;
  const bool converged = report.converged || (report.end != NewtonEnd::not_finite && report.residual <= left);
  Solved solved{converged, Cause::none, report.iterations, fallbacks_, report.residual};
  if (converged) return solved;
  if (touching_ != nullptr && touching_->outgrown()) return solved;  // to go on in larger boxes
  solved.cause = cause_of(report.end, rods_.empty() ? joined_->is_still() : part(0).problem.stage().still());
  return solved;
}

}  // namespace tendril::compact
