#include <algorithm>
#include <cmath>

#include "methods/strands/ends.h"
#include "methods/strands/shooting.h"
#include "parallel/stop.h"

namespace tendril::strands {

void MultipleShooting::cut(const Strand& strand, int pieces) {
  const int n = strand.last();
  // Nothing to do where the cuts would be the same.
  bool same = asked_.size() == strand.holds.size() + 2 && asked_[0] == n && asked_[1] == pieces;
  for (std::size_t i = 0; same && i < strand.holds.size(); ++i) same = asked_[i + 2] == strand.holds[i].node;
  if (same) return;
  asked_ = {n, pieces};
  cuts_.clear();
  cuts_.push_back(0), cuts_.push_back(n);
  for (const HeldNode& hold : strand.holds) cuts_.push_back(hold.node), asked_.push_back(hold.node);
  // Cuts at both ends, at all holds, and in equal distances along the strand.
  const double step = strand.length() / std::max(1, pieces);
  double along = 0, next = step;
  for (int j = 1; j < n; ++j) {
    along += strand.segments[z(j - 1)].h;
    if (along < next - 1e-9 * step) continue;
    cuts_.push_back(j);
    while (next <= along + 1e-9 * step) next += step;
  }
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
  // Twelve unknowns per piece; rows of neighbouring cuts only, so a band matrix.
  const int size = 12 * this->pieces();
  lu_.resize(size, 17, 17);
  rows_.assign(z(size), 0), step_ = soft_ = trial_rows_ = rows_;
  at_.assign(cuts_.size(), State{}), trial_at_ = at_;
  trial_.assign(z(strand.nodes()), State{});
}

// Unknowns: the slices just before each cut but the first, the far end's first; twelve each: r, turn, n, m. Rows: six of the
// far end, twelve of each inner cut from far to near, six of the near end.
namespace {

template <class T>
Slice<T> varied(const State& at, const Scales& scales, bool stress) {  // directions 0..5: pose, or stress
  Slice<T> x{constant<T>(at.r), constant<T>(at.q), {constant<T>(at.x.m), constant<T>(at.x.n)}};
  if (stress) {
    x.x.n = unknown<T>(at.x.n, scales.force, 0);
    x.x.m = unknown<T>(at.x.m, scales.moment, 3);
  } else {
    x.r = unknown<T>(at.r, scales.length, 0);
    x.q = turned_by(at.q, unknown<T>(V{0, 0, 0}, 1.0, 3));
  }
  return x;
}

Slice<Jet> constant_slice(const State& at) {
  return {constant<Jet>(at.r), constant<Jet>(at.q), {constant<Jet>(at.x.m), constant<Jet>(at.x.n)}};
}

// Twelve rows of an inner cut: where held, both sides lie on the hold; where free, pose and stress go on. `behind` is the
// slice that arrives from the far side, `before` the unknown of this cut.
template <class T>
std::array<T, 12> cut_rows(const Strand& strand, const Scales& scales, int node, Slice<T> behind, const Slice<T>& before) {
  cross_node(strand, node, behind);
  const HeldNode* hold = strand.hold_at(node);
  const bool position = hold && hold->position, direction = hold && hold->direction, twist = direction && hold->twist;
  const double per_length = 1 / scales.length;
  // Position and force: continuous where free; where held, both sides have the held position and the force may jump.
  V3<T> first = per_length * (behind.r - before.r), second = (1 / scales.force) * (before.x.n - behind.x.n);
  if (position) {
    first = per_length * (behind.r - constant<T>(hold->r));
    second = per_length * (before.r - constant<T>(hold->r));
  }
  // Orientation and moment likewise, component by component.
  V3<T> third = log_of(Q<T>(conjugate(before.q) * behind.q)), fourth = (1 / scales.moment) * (before.x.m - behind.x.m);
  if (direction) {
    const V3<T> a = turned_from(*hold, behind.q), b = turned_from(*hold, before.q);
    third.x = a.x, third.y = a.y, fourth.x = b.x, fourth.y = b.y;
    if (twist) third.z = a.z, fourth.z = b.z;
  }
  std::array<T, 12> rows;
  for (int i = 0; i < 3; ++i)
    rows[z(i)] = first[i], rows[z(3 + i)] = third[i], rows[z(6 + i)] = second[i], rows[z(9 + i)] = fourth[i];
  return rows;
}

// Six rows of the far end: where held, the pose; where free, the stress less springs and loads.
template <class T>
std::array<T, 6> far_rows(const Strand& strand, const Scales& scales, const Slice<T>& before) {
  const int last = strand.last();
  const HeldNode* hold = strand.hold_at(last);
  const bool position = hold && hold->position, direction = hold && hold->direction, twist = direction && hold->twist;
  // What loads and springs of the last node apply.
  Slice<T> applied{before.r, before.q, {zero3<T>(), zero3<T>()}};
  cross_node(strand, last, applied);
  const V3<T> a =
      position ? (1 / scales.length) * (before.r - constant<T>(hold->r)) : (1 / scales.force) * (before.x.n - applied.x.n);
  V3<T> b = (1 / scales.moment) * (before.x.m - applied.x.m);
  if (direction) {
    const V3<T> turn = turned_from(*hold, before.q);
    b.x = turn.x, b.y = turn.y;
    if (twist) b.z = turn.z;
  }
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}

}  // namespace

// Piece p runs from cut p + 1 back to cut p; its unknown is column block K - 1 - p.
void MultipleShooting::fill_tangent(const Strand& strand, int piece, const State& start) {
  const int K = pieces(), column = 12 * (K - 1 - piece), row = 6 + column;
  for (const int half : {0, 1}) {
    // A jet carries eight derivatives, so the twelve unknowns go in two halves: pose, then stress.
    const Slice<Jet> from = varied<Jet>(start, scales_, half == 1);
    const auto put = [&](int i, int c, const Jet& value) {
      for (int d = 0; d < 6; ++d) lu_.at(i, c + 6 * half + d) = value.slope(d);
    };
    if (piece == K - 1) {
      const auto rows = far_rows(strand, scales_, from);
      for (int i = 0; i < 6; ++i) put(i, column, rows[z(i)]);
    }
    // Back to the near cut of the piece, derivatives carried along.
    Slice<Jet> arrived = from;
    sweep_back(strand, cuts_[z(piece + 1)], cuts_[z(piece)], arrived);
    if (piece == 0) {
      const auto rows = near_residual(strand, scales_, arrived);
      for (int i = 0; i < 6; ++i) put(row + i, column, rows[z(i)]);
      continue;
    }
    const State& next = at_[z(piece)];
    // The unknowns of the far cut and of this one in turn: their directions must not mix.
    const State behind{value_of(arrived.r), value_of(arrived.q), {value_of(arrived.x.m), value_of(arrived.x.n)}};
    const auto from_far = cut_rows(strand, scales_, cuts_[z(piece)], arrived, constant_slice(next));
    const auto from_here =
        cut_rows(strand, scales_, cuts_[z(piece)], constant_slice(behind), varied<Jet>(next, scales_, half == 1));
    for (int i = 0; i < 12; ++i) {
      put(row + i, column, from_far[z(i)]);
      put(row + i, column + 12, from_here[z(i)]);
    }
  }
}

double MultipleShooting::residuals(const Strand& strand, const std::vector<State>& at, std::vector<double>& rows,
                                   bool with_tangent) {
  const int K = pieces();
  if (with_tangent) lu_.set_zero();
  const auto far = far_rows<double>(strand, scales_, at[z(K)]);
  std::copy(far.begin(), far.end(), rows.begin());
  // Pieces from far to near; the states along the strand are kept in trial_.
  trial_.back() = at[z(K)];
  for (int p = K - 1; p >= 0; --p) {
    State arrived = at[z(p + 1)];
    sweep_back(strand, cuts_[z(p + 1)], cuts_[z(p)], arrived, trial_.data());
    const int row = 6 + 12 * (K - 1 - p);
    if (p == 0) {
      const auto near = near_residual<double>(strand, scales_, arrived);
      std::copy(near.begin(), near.end(), rows.begin() + row);
    } else {
      const auto inner = cut_rows<double>(strand, scales_, cuts_[z(p)], arrived, at[z(p)]);
      std::copy(inner.begin(), inner.end(), rows.begin() + row);
    }
    if (with_tangent) fill_tangent(strand, p, at[z(p + 1)]);
  }
  // Largest residual; a comparison that keeps NaN.
  double most = 0;
  for (const double r : rows) most = std::abs(r) <= most ? most : std::abs(r);
  return most;
}

void MultipleShooting::moved(const std::vector<State>& from, const std::vector<double>& step, double part,
                             std::vector<State>& to) const {
  const int K = pieces();
  for (int c = K; c >= 1; --c) {
    const double* d = step.data() + 12 * (K - c);
    const State& a = from[z(c)];
    State& b = to[z(c)];
    // Scaled unknowns back to metres, radians, N and N m.
    b.r = a.r + (part * scales_.length) * V{d[0], d[1], d[2]};
    b.q = normalized(a.q * to_small(exp_quat(part * Vec3(d[3], d[4], d[5]))));
    b.x.n = a.x.n + (part * scales_.force) * V{d[6], d[7], d[8]};
    b.x.m = a.x.m + (part * scales_.moment) * V{d[9], d[10], d[11]};
  }
}

// Backtracking along step_; no cut turns by more than a radian.
bool MultipleShooting::search(const Strand& strand, const ShootingSettings& settings, int max_halvings,
                              ShootingReport& report) {
  double part = 1;
  for (std::size_t i = 0; i < step_.size(); ++i)
    if (i % 12 >= 3 && i % 12 < 6 && std::abs(step_[i]) * part > 1) part = 1 / std::abs(step_[i]);
  for (int halvings = 0; halvings < max_halvings && report.sweeps < settings.max_sweeps; ++halvings, part *= 0.5) {
    // Armijo's rule for the largest residual, which falls by at least a quarter of what the linear model promises.
    moved(at_, step_, part, trial_at_);
    const double size = residuals(strand, trial_at_, trial_rows_, false);
    ++report.sweeps;
    if (size <= settings.tolerance || size < (1 - 0.25 * part) * report.residual) return true;
  }
  return false;
}

// A round strand between ends that share an axis lies in any plane equally well: its tangent is singular, and Newton's step
// goes astray along the swing. Solving once more finds that direction; it is taken out of the step.
void MultipleShooting::leave_out_softest() {
  // One inverse iteration with the factors at hand, scaled against overflow, then projected out.
  soft_ = step_;
  lu_.solve(soft_);
  double size = 0, along = 0;
  for (std::size_t i = 0; i < soft_.size(); ++i) size = std::max(size, std::abs(soft_[i]));
  double square = 0;
  for (double& v : soft_) v /= size, square += v * v;
  for (std::size_t i = 0; i < soft_.size(); ++i) along += soft_[i] * step_[i];
  if (!std::isfinite(along / square)) return;
  for (std::size_t i = 0; i < soft_.size(); ++i) step_[i] -= along / square * soft_[i];
}

ShootingReport MultipleShooting::solve(const Strand& strand, const ShootingSettings& settings, std::vector<State>& states) {
  ShootingReport report;
  scales_ = Scales::of(strand);
  for (std::size_t c = 1; c < cuts_.size(); ++c) {  // the guess is behind each node; the unknown is before it
    at_[c] = states[z(cuts_[c])];
    if (c + 1 < cuts_.size()) cross_node(strand, cuts_[c], at_[c]);
  }
  report.residual = residuals(strand, at_, rows_, true);
  bool singular = false;
  while (std::isfinite(report.residual) && report.residual > settings.tolerance) {
    // Newton's step; where it leads nowhere the tangent is taken as singular from here on.
    if (report.iterations >= settings.max_iterations || asked_to_stop() || !lu_.factor().good()) return report;
    ++report.iterations;
    for (std::size_t i = 0; i < rows_.size(); ++i) step_[i] = -rows_[i];
    lu_.solve(step_);
    if (singular) leave_out_softest();
    if (!search(strand, settings, singular ? 12 : 5, report)) {
      if (singular) return report;
      singular = true;
      leave_out_softest();
      if (!search(strand, settings, 12, report)) return report;
    }
    std::swap(at_, trial_at_);
    report.residual = residuals(strand, at_, rows_, true);
  }
  if (!(report.residual <= settings.tolerance)) return report;
  report.fine = true;
  // Once more for the states between the cuts.
  residuals(strand, at_, rows_, false);
  states = trial_;
  return report;
}

}  // namespace tendril::strands
