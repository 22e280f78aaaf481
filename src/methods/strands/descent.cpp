// Minimising: Newton's method with as much shift as makes the second variation positive on the constraints, and a line
// search.
#include <algorithm>
#include <cmath>

#include "methods/strands/ends.h"
#include "methods/strands/energy.h"

namespace tendril::strands {
namespace {
// Directions whose second variation is below this part of EI/L^2 per length are neutral, such as spinning about a pin.
constexpr double neutral = 1e-6;
}  // namespace

int EnergyDescent::factor(const Strand& strand, double shift) {
  const double unit = strand.softest() / (scales_.length * scales_.length);
  for (int node = 0; node < strand.nodes(); ++node) {
    double h = 0;
    if (node > 0) h += 0.5 * strand.segments[z(node - 1)].h;
    if (node < strand.last()) h += 0.5 * strand.segments[z(node)].h;
    for (int i = 0; i < 3; ++i) shift_[z(3 * node + i)] = fixed_[z(3 * node + i)] ? 0 : unit * h;
  }
  const PivotReport inner = ldlt_.factor(matrix_, shift, shift_);
  if (!inner.good()) return 1;
  // A span that is pulled straight asks for nothing along itself: a little softness keeps its row a constraint.
  const double soft = -1e-10 * scales_.length * scales_.length * scales_.length / strand.softest();
  const PivotReport outer =
      border_.factor([this](double* x, int columns) { ldlt_.solve(x, columns); }, [soft](int) { return soft; });
  return inner.negative + outer.negative - border_.border();
}

double EnergyDescent::residual(const Scales& scales) const {
  double worst = 0;
  for (int i = 0; i < matrix_.size(); ++i) worst = std::max(worst, std::abs(gradient_[z(i)]) / scales.moment);
  for (const V& gap : gap_) worst = std::max(worst, norm(gap) / scales.length);
  return worst;
}

// Energy plus weight times what is missing of the held positions, plus the springs' energy.
double EnergyDescent::merit(const Strand& strand, double weight) const {
  double sum = energy(strand);
  find_positions(strand, position_);
  for (const Support& support : supports_) {
    const V missing = position_[z(support.node)] - support.r;
    sum += support.softness > 0 ? 0.5 * squared_norm(missing) / support.softness : weight * norm(missing);
  }
  return sum;
}

// A second-order correction: turns back by what the constraints' curvature made of the step, so that long steps along a
// valley are not refused.
void EnergyDescent::restore(const Strand& strand) {
  find_positions(strand, position_);
  std::fill(correction_.begin(), correction_.end(), 0.0);
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    const Support &a = supports_[p], &b = supports_[p + 1];
    const V missing = position_[z(b.node)] - position_[z(a.node)] - (b.r - a.r) - a.softness * support_force(p) +
                      b.softness * support_force(p + 1);
    for (int i = 0; i < 3; ++i) correction_[z(matrix_.size()) + 3 * p + z(i)] = missing[i];
  }
  border_.solve([this](double* x, int columns) { ldlt_.solve(x, columns); }, correction_.data());
  for (std::size_t i = 0; i < q_.size(); ++i)
    q_[i] = normalized(q_[i] * to_small(exp_quat(Vec3(correction_[3 * i], correction_[3 * i + 1], correction_[3 * i + 2]))));
}

bool EnergyDescent::newton_step(const Strand& strand, bool has_energy) {
  double shift = 0;
  int unstable = factor(strand, 0);
  if (unstable > 0) {
    shift = std::max(1e-5, shift_used_ / 64);
    while ((unstable = factor(strand, shift)) > 0 && shift < 1e7) shift *= 8;
    shift_used_ = shift;
  }
  if (unstable > 0) return false;
  for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -gradient_[i];
  border_.solve([this](double* x, int columns) { ldlt_.solve(x, columns); }, step_.data());
  double largest = 0, weight = 0;
  for (int i = 0; i < matrix_.size(); ++i) largest = std::max(largest, std::abs(step_[z(i)]));
  if (!std::isfinite(largest)) return false;
  trial_q_ = q_, trial_force_ = force_;
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    const double* d = step_.data() + matrix_.size() + 3 * static_cast<std::ptrdiff_t>(p);
    weight = std::max({weight, 1.2 * norm(trial_force_[p] + V{d[0], d[1], d[2]}), 1.2 * norm(trial_force_[p])});
  }
  const double before = has_energy ? merit(strand, weight) : 0, left = residual(scales_);
  double part = largest > 0.5 ? 0.5 / largest : 1;
  for (int halvings = 0; halvings < 10; ++halvings, part *= 0.5) {
    for (std::size_t i = 0; i < q_.size(); ++i)
      q_[i] = normalized(trial_q_[i] * to_small(exp_quat(part * Vec3(step_[3 * i], step_[3 * i + 1], step_[3 * i + 2]))));
    for (std::size_t p = 0; p < spans_.size(); ++p) {
      const double* d = step_.data() + matrix_.size() + 3 * static_cast<std::ptrdiff_t>(p);
      force_[p] = trial_force_[p] + part * V{d[0], d[1], d[2]};
    }
    if (!has_energy) return true;
    if (shift == 0 &&
        part == 1) {  // near a minimum Newton's step is right, whatever the constraints' curvature does to the merit
      find_forces(strand);
      assemble(strand, false);
      assembled_ = true;
      if (residual(scales_) < 0.5 * left) return true;
      assembled_ = false;
    }
    const double noise = 1e-12 * (std::abs(before) + scales_.moment);
    if (merit(strand, weight) <= before + noise) return true;
    if (halvings > 0 || spans_.empty()) continue;
    for (int rounds = 0; rounds < 3; ++rounds) restore(strand);
    if (merit(strand, weight) <= before + noise) return true;
  }
  return true;  // the shortest of them: it moves on, and the next one has another shift
}

DescentReport EnergyDescent::settle(const Strand& strand, double tolerance, int most_iterations) {
  DescentReport report;
  bool has_energy = !strand.follower_loads;
  for (const PointLoad& load : strand.loads) has_energy = has_energy && squared_norm(load.world_moment) == 0;
  for (const Spring& spring : strand.springs) has_energy = has_energy && squared_norm(spring.moment) == 0;
  hold_orientations(strand);
  find_spans(strand);
  assembled_ = false;
  for (;; ++report.iterations) {
    if (!assembled_) {
      find_forces(strand);
      assemble(strand, false);
    }
    assembled_ = false;
    report.residual = residual(scales_);
    if (report.residual <= tolerance) return report.fine = true, report;
    if (!std::isfinite(report.residual) || report.iterations >= most_iterations) return report;
    if (!newton_step(strand, has_energy)) return report;
  }
}

// A straight span can not be shortened to first order: it is bent a little first, as between two clamps, towards where its
// end is asked to go sideways: a round strand has no other preference.
void EnergyDescent::bend_straight_spans(const Strand& strand) {
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    const Span& span = spans_[p];
    V reached{0, 0, 0};
    double length = 0;
    for (int j = span.from; j < span.to; ++j) {
      const Segment& s = strand.segments[z(j)];
      reached += (0.5 * s.h) * (into_world(q_[z(j)], s.v_rest) + into_world(q_[z(j + 1)], s.v_rest));
      length += s.h;
    }
    if (norm(reached) < (1 - 1e-4) * length) continue;
    const V t = (1 / norm(reached)) * reached, wanted = supports_[p + 1].r - supports_[p].r,
            aside = wanted - dot(wanted, t) * t;
    const bool prefers = norm(aside) > 1e-9 * length;
    double along = 0;
    for (int j = span.from; j <= span.to; ++j) {
      const double a = 0.1 * math::sin(math::two_pi * along / length);
      const V axis = prefers ? into_material(q_[z(j)], (1 / norm(aside)) * cross(t, aside)) : V{0.8, 0.6, 0};
      q_[z(j)] = q_[z(j)] * to_small(exp_quat(to_eigen(a * axis)));
      if (j < span.to) along += strand.segments[z(j)].h;
    }
  }
}

// Moves along the direction in which the energy falls most, found by inverse iteration with a shift that is just enough.
void EnergyDescent::leave_saddle(const Strand& strand) {
  hold_orientations(strand);
  assemble(strand, false);
  double shift = 1e-5;
  while (factor(strand, shift) > 0 && shift < 1e7) shift *= 2;
  for (std::size_t i = 0; i < step_.size(); ++i)
    step_[i] = math::sin(1.3 * static_cast<double>(i % 7) + 0.1 * static_cast<double>(i));
  double largest = 1;
  for (int rounds = 0; rounds < 4; ++rounds) {
    for (std::size_t i = 0; i < step_.size(); ++i)
      step_[i] = i < z(matrix_.size()) && !fixed_[i] ? step_[i] * shift_[i] / largest : 0;
    border_.solve([this](double* x, int columns) { ldlt_.solve(x, columns); }, step_.data());
    largest = 0;
    for (int i = 0; i < matrix_.size(); ++i) largest = std::max(largest, std::abs(step_[z(i)]));
  }
  if (!(largest > 0)) return;
  const double size = 0.3 / largest;
  for (std::size_t i = 0; i < q_.size(); ++i)
    q_[i] = normalized(q_[i] * to_small(exp_quat(size * Vec3(step_[3 * i], step_[3 * i + 1], step_[3 * i + 2]))));
}

DescentReport EnergyDescent::minimise(const Strand& strand, const DescentSettings& settings, std::vector<State>& states) {
  scales_ = Scales::of(strand);
  load(strand, states);
  if (settings.disturbed)
    leave_saddle(strand);
  else
    bend_straight_spans(strand);
  // How far each hold is from where the strand is: the steps in which it is brought there.
  moving_ = strand;
  start_ = states;
  double far = 0;
  for (const Hold& hold : strand.holds) {
    const State& at = start_[z(hold.node)];
    if (hold.position) far = std::max(far, norm(hold.r - at.r) / (0.1 * scales_.length));
    if (hold.direction) far = std::max(far, norm(log_of(Quaternion(conjugate(at.q) * held_orientation(hold, at.q)))) / 0.4);
  }
  const int steps = std::max(1, static_cast<int>(std::ceil(far)));
  DescentReport report;
  for (int k = 1; k <= steps; ++k) {
    const double t = static_cast<double>(k) / steps;
    for (std::size_t i = 0; i < strand.holds.size(); ++i) {
      const Hold& target = strand.holds[i];
      Hold& hold = moving_.holds[i];
      const State& at = start_[z(target.node)];
      hold.r = (1 - t) * at.r + t * target.r;
      if (!target.direction) continue;
      const V turn = t * log_of(Quaternion(conjugate(at.q) * held_orientation(target, at.q)));
      hold.q = k == steps ? target.q : at.q * to_small(exp_quat(to_eigen(turn)));
    }
    const bool last = k == steps;
    const DescentReport part = settle(moving_, last ? settings.tolerance : 1e-3, last ? settings.most_iterations : 30);
    report.iterations += part.iterations;
    report.residual = part.residual;
    report.fine = part.fine;
  }
  if (report.fine || report.residual < DescentSettings::close) write(strand, states);
  return report;
}

// Moments at the nodes are the derivatives of the segments behind them.
void EnergyDescent::write(const Strand& strand, std::vector<State>& states) const {
  const int n = strand.last();
  find_positions(strand, position_);
  for (int j = 0; j <= n; ++j) states[z(j)].r = position_[z(j)];
  for (int j = 0; j < n; ++j) {
    const Segment& s = strand.segments[z(j)];
    const int span = span_of_[z(j)];
    const V extra = span >= 0 ? force_[z(span)] : (j < first_held_ ? before_ : V{0, 0, 0});
    const SegmentDerivatives d = segment_derivatives(s, strand.law, q_[z(j)], q_[z(j + 1)]);
    states[z(j)].q = q_[z(j)];
    states[z(j)].x.n = into_material(q_[z(j)], near_force_[z(j)] + extra);
    states[z(j)].x.m = -V{d.gradient[0], d.gradient[1], d.gradient[2]} + (0.5 * s.h) * cross(s.v_rest, states[z(j)].x.n);
    if (j < n - 1) continue;
    states[z(n)].q = q_[z(n)];
    states[z(n)].x.n = into_material(q_[z(n)], far_force_[z(j)] + extra);
    states[z(n)].x.m = V{d.gradient[3], d.gradient[4], d.gradient[5]} - (0.5 * s.h) * cross(s.v_rest, states[z(n)].x.n);
  }
}

int EnergyDescent::unstable_directions(const Strand& strand, const std::vector<State>& states) {
  if (strand.follower_loads) return -1;
  for (const PointLoad& load : strand.loads)
    if (squared_norm(load.world_moment) > 0) return -1;
  scales_ = Scales::of(strand);
  load(strand, states);
  hold_orientations(strand);
  assemble(strand, true);
  return factor(strand, neutral);
}

}  // namespace tendril::strands
