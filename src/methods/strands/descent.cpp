// Minimising: Newton's method with as much shift as makes the second variation positive on the constraints, and a line
// search.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "methods/strands/continuation.h"
#include "methods/strands/ends.h"
#include "methods/strands/energy.h"
#include "parallel/stop.h"

namespace tendril::strands {
namespace {
constexpr double max_shift = 1e7;                    // over EI/L^2 per length
constexpr double short_step = 0.1, long_step = 0.6;  // [rad]
}  // namespace

// A span that is pulled straight asks for nothing along itself: a little softness keeps its row a constraint.
double EnergyDescent::softness(const Strand& strand) const {
  return -1e-10 * scales_.length * scales_.length * scales_.length / strand.softest();
}

int EnergyDescent::factor(const Strand& strand, double shift) {
  // The shift adds EI/L^2 per length of strand to each free turn, so that it means the same on any mesh.
  const double unit = strand.softest() / (scales_.length * scales_.length);
  for (int node = 0; node < strand.nodes(); ++node) {
    double h = 0;
    if (node > 0) h += 0.5 * strand.segments[z(node - 1)].h;
    if (node < strand.last()) h += 0.5 * strand.segments[z(node)].h;
    for (int i = 0; i < 3; ++i) shift_[z(3 * node + i)] = fixed_[z(3 * node + i)] ? 0 : unit * h;
  }
  const PivotReport inner = matrix_.factor(shift, shift_);
  if (!inner.good()) return 1;
  const double soft = softness(strand);
  const PivotReport outer = border_.factor(matrix_, [soft](int) { return soft; });
  // Each constraint brings one negative pivot of its own; those beyond are directions in which the energy falls (Sylvester).
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
  // An exact penalty: with a weight above the constraint forces its minimum is that of the constrained problem.
  double sum = energy(strand);
  find_positions(strand, position_);
  for (const Support& support : supports_) {
    const V missing = position_[z(support.node)] - support.r;
    sum += support.softness > 0 ? 0.5 * squared_norm(missing) / support.softness : weight * norm(missing);
  }
  return sum;
}

// The smallest of a few shifts with which the second variation is positive on the constraints; the matrix is factored with
// it. Below zero: there is none.
double EnergyDescent::factor_positive(const Strand& strand) {
  double shift = least_shift_;
  if (factor(strand, shift) <= 0) return shift;
  for (shift = std::max({1e-5, 8 * shift, shift_used_ / 64}); factor(strand, shift) > 0; shift *= 8)
    if (shift > max_shift) return -1;
  return shift_used_ = shift;
}

void EnergyDescent::solve(std::vector<double>& x) const { border_.solve(matrix_, x); }

double EnergyDescent::max_turned(const std::vector<double>& x) const {
  double most = 0;
  for (int i = 0; i < matrix_.size(); ++i) most = std::abs(x[z(i)]) <= most ? most : std::abs(x[z(i)]);  // keeps NaN
  return most;
}

// Parts a step: along the softest mode, found by inverse iteration from the step itself, and across it. Where the energy
// hardly changes along a valley, as when a round strand swings into another plane, a step is nearly all soft: that part is
// shortened to `most`, and what leads to the valley's floor is not.
void EnergyDescent::part_step(double most) {
  const std::size_t n = z(matrix_.size());
  // One inverse iteration, K^-1 S step, turns the step towards the softest mode; then the step's share along it.
  for (std::size_t i = 0; i < soft_.size(); ++i) soft_[i] = i < n ? shift_[i] * step_[i] : 0;
  solve(soft_);
  double size = 0, along = 0;
  for (std::size_t i = 0; i < n; ++i) size += shift_[i] * soft_[i] * soft_[i], along += shift_[i] * soft_[i] * step_[i];
  if (!(size > 0)) return;
  for (std::size_t i = 0; i < soft_.size(); ++i) soft_[i] *= along / size, step_[i] -= soft_[i];
  // Each share is limited alone.
  const double far = max_turned(soft_), across = max_turned(step_);
  const double soft_part = far > most ? most / far : 1, part = across > most ? most / across : 1;
  for (std::size_t i = 0; i < soft_.size(); ++i) soft_[i] *= soft_part, step_[i] = part * step_[i] + soft_[i];
}

void EnergyDescent::move(const std::vector<double>& step, double part, const std::vector<Quaternion>& q,
                         const std::vector<V>& force) {
  // Orientations by the exponential map, forces of the spans (multipliers) linearly.
  for (std::size_t i = 0; i < q_.size(); ++i)
    q_[i] = normalized(q[i] * to_small(exp_quat(part * Vec3(step[3 * i], step[3 * i + 1], step[3 * i + 2]))));
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    const double* d = step.data() + matrix_.size() + 3 * static_cast<std::ptrdiff_t>(p);
    force_[p] = force[p] + part * V{d[0], d[1], d[2]};
  }
}

// Valleys are curved. After a long step along one, a few of Newton's steps across it, with the factors at hand, lead back to
// its floor, where energies can be compared.
void EnergyDescent::back_to_floor(const Strand& strand, double turned) {
  const std::size_t n = z(matrix_.size());
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) size += shift_[i] * soft_[i] * soft_[i];
  for (int rounds = 0; rounds < 4; ++rounds) {
    find_forces(strand);
    assemble_gradient(strand, false);
    // A simplified Newton step (old factors), without its share along the valley.
    for (std::size_t i = 0; i < correction_.size(); ++i) correction_[i] = -gradient_[i];
    solve(correction_);
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) along += shift_[i] * soft_[i] * correction_[i];
    for (std::size_t i = 0; size > 0 && i < soft_.size(); ++i) correction_[i] -= along / size * soft_[i];
    // Not smaller than the step before, or small enough: stop.
    const double most = max_turned(correction_);
    if (!(most < 0.75 * turned)) return;
    move(correction_, 1, q_, force_);
    if (most < 0.01 * turned) return;
  }
}

// One step of Newton's method with as much shift as it needs, shortened until the energy falls.
bool EnergyDescent::newton_step(const Strand& strand, bool with_energy) {
  // Modified Newton. A long or shifted step is split into its share along the valley and the rest.
  const double shift = factor_positive(strand);
  if (shift < 0) return false;
  for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -gradient_[i], soft_[i] = 0;
  solve(step_);
  if (!std::isfinite(max_turned(step_))) return false;
  const bool plain = shift == 0 && max_turned(step_) < short_step;
  if (!plain) part_step(long_step);
  kept_q_ = q_, kept_force_ = force_;
  // Without an energy there is nothing to compare.
  if (!with_energy) return move(step_, 1, kept_q_, kept_force_), true;
  // Weight of the penalty: above all forces of the spans, before and after the step.
  double weight = 0;
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    const double* d = step_.data() + matrix_.size() + 3 * static_cast<std::ptrdiff_t>(p);
    weight = std::max({weight, 1.2 * norm(kept_force_[p] + V{d[0], d[1], d[2]}), 1.2 * norm(kept_force_[p])});
  }
  // Line search by halving: the merit must not rise beyond rounding.
  const double before = merit(strand, weight), left = residual(scales_);
  const double allowed = before + 1e-12 * (std::abs(before) + scales_.moment);
  double part = 1;
  for (int halvings = 0; halvings < 6; ++halvings, part *= 0.5) {
    move(step_, part, kept_q_, kept_force_);
    if (plain &&
        part == 1) {  // near a minimum Newton's step is right, whatever the constraints' curvature does to the merit
      find_forces(strand);
      assemble_gradient(strand, false);
      if (residual(scales_) < 0.5 * left) return true;
    }
    back_to_floor(strand, part * max_turned(step_));
    if (merit(strand, weight) > allowed) continue;
    least_shift_ = least_shift_ > 1e-4 ? least_shift_ / 16 : 0;
    return true;
  }
  // No length of this step is good: back, and a larger shift next time, which turns it towards steepest descent.
  q_ = kept_q_, force_ = kept_force_;
  least_shift_ = std::max(1e-4, 16 * shift);
  return least_shift_ < max_shift;
}

DescentReport EnergyDescent::settle(const Strand& strand, double tolerance, int max_iterations) {
  DescentReport report;
  // Newton's method until moments and distances are small.
  const bool has = has_energy(strand);
  hold_orientations(strand);
  find_spans(strand);
  least_shift_ = 0;
  for (;; ++report.iterations) {
    find_forces(strand);
    assemble(strand, false);
    report.residual = residual(scales_);
    if (report.residual <= tolerance) return report.fine = true, report;
    if (!std::isfinite(report.residual) || report.iterations >= max_iterations || asked_to_stop()) return report;
    if (!newton_step(strand, has)) return report;
  }
}

// Moves along the direction in which the energy falls most, found by inverse iteration with a shift that is just enough.
void EnergyDescent::leave_saddle(const Strand& strand) {
  hold_orientations(strand);
  assemble(strand, false);
  // Just above the most negative eigenvalue, the shifted matrix is softest along its mode.
  double shift = 1e-5;
  while (factor(strand, shift) > 0 && shift < 1e7) shift *= 2;
  for (std::size_t i = 0; i < step_.size(); ++i)
    step_[i] = math::sin(1.3 * static_cast<double>(i % 7) + 0.1 * static_cast<double>(i));
  double largest = 1;
  for (int rounds = 0; rounds < 4; ++rounds) {
    for (std::size_t i = 0; i < step_.size(); ++i)
      step_[i] = i < z(matrix_.size()) && !fixed_[i] ? step_[i] * shift_[i] / largest : 0;
    solve(step_);
    largest = max_turned(step_);
  }
  if (!(largest > 0)) return;
  // Move by 0.3 rad at most: far enough to leave, near enough to stay in the same valley.
  const double size = 0.3 / largest;
  const auto turned = [&](double by) {
    for (std::size_t i = 0; i < q_.size(); ++i)
      q_[i] = normalized(kept_q_[i] * to_small(exp_quat(by * Vec3(step_[3 * i], step_[3 * i + 1], step_[3 * i + 2]))));
    hold_orientations(strand);
    return energy(strand);
  };
  // The mode has no sign: to the side that is lower.
  kept_q_ = q_;
  if (turned(-size) < turned(size)) std::ignore = turned(-size);
}

DescentReport EnergyDescent::minimise(const Strand& strand, const DescentSettings& settings, std::vector<State>& states) {
  scales_ = Scales::of(strand);
  // Leave what is no minimum, or what cannot be shortened, before the first Newton step.
  shift_used_ = 1;
  load(strand, states);
  if (settings.disturbed)
    leave_saddle(strand);
  else
    bend_straight_spans(strand);
  // How far each hold is from where the strand is: the steps in which it is brought there.
  moving_ = strand;
  start_ = states;
  double far = 0;
  for (const HeldNode& hold : strand.holds) {
    const State& at = start_[z(hold.node)];
    if (hold.position) far = std::max(far, norm(hold.r - at.r) / (0.1 * scales_.length));
    if (hold.direction) far = std::max(far, norm(log_of(Quaternion(conjugate(at.q) * held_orientation(hold, at.q)))) / 0.4);
  }
  const int steps = continuation_steps(far);
  DescentReport report;
  for (int k = 1; k <= steps; ++k) {
    // Continuation: holds between the start and where they are wanted, turned about one axis.
    const double t = static_cast<double>(k) / steps;
    for (std::size_t i = 0; i < strand.holds.size(); ++i) {
      const HeldNode& target = strand.holds[i];
      HeldNode& hold = moving_.holds[i];
      const State& at = start_[z(target.node)];
      hold.r = (1 - t) * at.r + t * target.r;
      if (!target.direction) continue;
      const V turn = t * log_of(Quaternion(conjugate(at.q) * held_orientation(target, at.q)));
      hold.q = k == steps ? target.q : at.q * to_small(exp_quat(to_eigen(turn)));
    }
    // In between a rough equilibrium is enough; only the last has to be good.
    const bool last = k == steps;
    const int left = settings.max_iterations - report.iterations;
    const DescentReport part = settle(moving_, last ? settings.tolerance : 1e-3, last ? left : std::min(left, 30));
    report.iterations += part.iterations;
    report.residual = part.residual;
    report.fine = part.fine;
  }
  write(strand, states, false);
  return report;
}

// Moments at the nodes are the derivatives of the segments behind them.
void EnergyDescent::write(const Strand& strand, std::vector<State>& states, bool give) const {
  const int n = strand.last();
  find_positions(strand, position_, give);
  // Positions, then force and moment at the near end of every segment; at the last node those of its far end.
  for (int j = 0; j <= n; ++j) states[z(j)].r = position_[z(j)];
  for (int j = 0; j < n; ++j) {
    const Segment& s = strand.segments[z(j)];
    const V beyond = force_beyond(j);
    const SegmentGradient d = segment_gradient(s, strand.law, q_[z(j)], q_[z(j + 1)]);
    const auto stretched = [&](const V& force) { return give ? s.v_rest + scaled(s.give, force) : s.v_rest; };
    State& at = states[z(j)];
    at.q = q_[z(j)];
    at.x.n = into_material(at.q, near_force_[z(j)] + beyond);
    at.x.m = -d.near + (0.5 * s.h) * cross(stretched(at.x.n), at.x.n);
    if (j < n - 1) continue;
    State& last = states[z(n)];
    last.q = q_[z(n)];
    last.x.n = into_material(last.q, far_force_[z(j)] + beyond);
    last.x.m = d.far - (0.5 * s.h) * cross(stretched(last.x.n), last.x.n);
  }
}

// Newton's method without shift or line search, also to saddles: it has to halve the residual each time, or gives up.
DescentReport EnergyDescent::settle_near(const Strand& strand, double tolerance, int max_iterations) {
  DescentReport report;
  for (double before = HUGE_VAL;; before = report.residual, ++report.iterations) {
    find_forces(strand);
    assemble(strand, true);
    report.residual = residual(scales_);
    if (report.residual <= tolerance) return report.fine = true, report;
    if (!(report.residual < 0.5 * before) || report.iterations >= max_iterations) return report;
    factor(strand, neutral);
    for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -gradient_[i];
    solve(step_);
    if (!(max_turned(step_) < long_step)) return report;
    move(step_, 1, q_, force_);
  }
}

DescentReport EnergyDescent::polish(const Strand& strand, double tolerance, int max_iterations, std::vector<State>& states) {
  scales_ = Scales::of(strand);
  load(strand, states);
  hold_orientations(strand);
  const DescentReport report = settle_near(strand, tolerance, max_iterations);
  if (report.fine) write(strand, states, true);
  return report;
}

// Loads that turn with the strand do work that depends on the path, and so do moments, unless what they act on is held: a
// force where the position is held does none, a moment where the direction is held turns about one axis only.
bool has_energy(const Strand& strand) {
  for (const Segment& s : strand.segments)
    if (s.loaded_material) return false;
  return std::all_of(strand.loads.begin(), strand.loads.end(), [&](const StrandLoad& load) {
    const HeldNode* hold = strand.hold_at(load.node);
    const bool turns = squared_norm(load.world_moment) + squared_norm(load.material_moment) > 0;
    return (squared_norm(load.material_force) == 0 || (hold && hold->position)) && (!turns || (hold && hold->direction));
  });
}

}  // namespace tendril::strands
