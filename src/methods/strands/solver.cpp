#include "methods/strands/solver.h"

#include <algorithm>
#include <cmath>

#include "methods/strands/continuation.h"
#include "methods/strands/ends.h"

namespace tendril::strands {
namespace {

// Errors grow by about exp(L sqrt(n/EI)) along a piece: pieces of at most three of these lengths, eight segments or more.
int sensible_pieces(const Strand& strand, const std::vector<State>& states) {
  double sum = 0;
  for (int j = 0; j < strand.last(); ++j) {
    const Segment& s = strand.segments[z(j)];
    sum += s.h * std::sqrt(norm(states[z(j)].x.n) * std::max(s.compliance.x, s.compliance.y));
  }
  return std::clamp(static_cast<int>(std::ceil(sum / 3)), 8, std::max(8, strand.last() / 2));
}

bool fully_held(const Strand& strand, int node) {
  const HeldNode* hold = strand.hold_at(node);
  return hold && hold->all();
}

}  // namespace

void Solver::start(const Strand& strand, const SolverSettings& given, const std::vector<State>& states) {
  settings = given;
  guess_ = underway_ = states;
  set_states(strand, states);
  restart(strand);
}

void Solver::restart(const Strand& strand) {
  inner_holds_ = false;
  for (const HeldNode& hold : strand.holds) inner_holds_ = inner_holds_ || (hold.node > 0 && hold.node < strand.last());
  descent_.resize(strand);
  set_end(strand);
  descending_ = false;
  last_way_ = Way::none;
}

void Solver::get(SolverState& out) const {
  out.states = states_, out.underway = underway_;
  out.end = end_;
  out.descending = descending_, out.last_way = last_way_;
}

void Solver::set(const Strand& strand, const SolverState& state) {
  start(strand, settings, state.states);
  underway_ = state.underway;
  end_ = state.end;
  descending_ = state.descending, last_way_ = state.last_way;
}

void Solver::reserve(const Strand& strand) {
  moving_ = strand;
  kept_ = states_;
  // Each solver runs once and gives its workspace the size it needs, so that nothing is allocated in a haptic loop.
  std::vector<State> states = states_;
  FarEnd end = end_;
  single_.solve(strand, {0, 1, 3}, end, states);
  states = states_;
  multiple_.cut(strand, settings.pieces);
  multiple_.solve(strand, {0, 1, 1}, states);
  states = states_;
  descent_.minimise(strand, {0, 1, false}, states);
  standard_.solve(strand, states_[0].r, states_[0].q, {{0, 0, 0}, {0, 0, 0}});
}

void Solver::set_states(const Strand& strand, const std::vector<State>& states) {
  states_ = states;
  set_end(strand);
}

// What lies beyond the loads and springs of the last node.
void Solver::set_end(const Strand& strand) {
  // The far end's own stress: that behind the last node less what loads and springs apply there.
  const State& tip = states_.back();
  State applied{tip.r, tip.q, {{0, 0, 0}, {0, 0, 0}}};
  cross_node(strand, strand.last(), applied);
  end_ = {tip.r, tip.q, {tip.x.m - applied.x.m, tip.x.n - applied.x.n}};
}

Stress<double> Solver::far_reaction() const { return {into_world(end_.q, end_.x.m), into_world(end_.q, end_.x.n)}; }

void Solver::take(const Strand& strand, Answer& answer, Way way, int iterations, int sweeps, double residual) {
  answer.fine = true;
  answer.way = way;
  answer.iterations += iterations;
  answer.sweeps += sweeps;
  answer.residual = residual;
  std::swap(states_, guess_);
  set_end(strand);
}

// Where nothing has to be searched for: the standard problem with loads that turn with the strand, or, when asked for, dead
// loads by repeated sweeps.
bool Solver::by_sweeps(const Strand& strand, Answer& answer) {
  if (inner_holds_ || !strand.springs.empty() || !fully_held(strand, 0) || strand.hold_at(strand.last())) return false;
  if (strand.world_loads && !settings.fixed_point) return false;
  // Loads in material axes only: the standard problem, exact in two sweeps.
  const HeldNode& wall = *strand.hold_at(0);
  guess_ = states_;
  if (!strand.world_loads) {
    standard_.solve(strand, wall.r, wall.q, {{0, 0, 0}, {0, 0, 0}});
    std::copy(standard_.states().begin(), standard_.states().end(), guess_.begin());
    take(strand, answer, Way::sweeps, 1, 2, 0);
    return true;
  }
  // Dead loads: sweeps with the loads turned as in the last shape, repeated until it stays.
  const FixedPointReport r =
      solve_fixed_point(standard_, strand, wall.r, wall.q, guess_, settings.tolerance, 10 * settings.max_iterations);
  if (r.fine) take(strand, answer, Way::fixed_point, r.iterations, 2 * r.iterations, r.change);
  return r.fine;
}

bool Solver::by_single(const Strand& strand, Answer& answer) {
  if (inner_holds_ || !settings.single) return false;
  FarEnd end = end_;
  guess_.resize(states_.size());
  const ShootingReport r = single_.solve(strand, shooting(), end, guess_);
  answer.residual = r.residual;
  if (r.fine) {
    take(strand, answer, Way::single, r.iterations, r.sweeps, r.residual);
  } else {
    answer.iterations += r.iterations, answer.sweeps += r.sweeps;
  }
  return r.fine;
}

bool Solver::by_multiple(const Strand& strand, Answer& answer, int max_iterations) {
  // Pieces as asked for, or as many as the tension needs.
  multiple_.cut(strand, settings.pieces > 0 ? settings.pieces : sensible_pieces(strand, guess_));
  ShootingSettings how = shooting();
  how.max_iterations = std::min(how.max_iterations, max_iterations);
  const ShootingReport r = multiple_.solve(strand, how, guess_);
  answer.residual = r.residual;
  if (r.fine) {
    take(strand, answer, Way::multiple, r.iterations, r.sweeps, r.residual);
  } else {
    answer.iterations += r.iterations, answer.sweeps += r.sweeps;
  }
  return r.fine;
}

// Goes on where the last call had to stop.
bool Solver::by_descent(const Strand& strand, Answer& answer, bool disturbed) {
  // From where the last call stopped, or from the last equilibrium.
  guess_ = descending_ ? underway_ : states_;
  DescentSettings how;
  how.max_iterations = settings.descent_iterations;
  how.disturbed = disturbed && !descending_;
  const DescentReport r = descent_.minimise(strand, how, guess_);
  answer.iterations += r.iterations;
  descending_ = !r.fine;
  if (descending_) underway_ = guess_;
  // Close to a minimum: shooting makes it exact; where shooting has no solution, the energy itself.
  if (!r.fine && !(r.residual < DescentSettings::close)) return false;
  if (by_multiple(strand, answer, settings.max_iterations)) {
    answer.way = Way::descent;
    return true;
  }
  return r.fine && by_energy(strand, answer);
}

// Takes the equilibrium of the discrete energy near `guess_` itself. A round strand that is twisted between ends which share
// an axis lies in any plane equally well. Its discrete energy knows that; the sweeps keep force and moment exactly but the
// twisting moment only to their order, so that shooting has residuals of that order everywhere and no answer.
bool Solver::by_energy(const Strand& strand, Answer& answer) {
  if (!has_energy(strand)) return false;
  const DescentReport r = descent_.polish(strand, settings.tolerance, settings.max_iterations, guess_);
  answer.iterations += r.iterations;
  answer.residual = r.residual;
  if (r.fine) take(strand, answer, Way::energy, 0, 0, r.residual);
  return r.fine;
}

double Solver::far_away(const Strand& strand) const {
  double far = 0;
  const double length = strand.length();
  for (const HeldNode& hold : strand.holds) {
    const State& at = states_[z(hold.node)];
    // One step of continuation is a tenth of the length, or half a radian.
    if (hold.position) far = std::max(far, norm(hold.r - at.r) / (0.1 * length));
    if (hold.direction) far = std::max(far, norm(turned_from(hold, at.q)) / 0.5);
  }
  return far;
}

// A far end that is asked to jump goes there in moderate steps; each is an equilibrium.
bool Solver::by_continuation(const Strand& strand, Answer& answer) {
  const double far = far_away(strand);
  if (far <= 1) return false;
  const int steps = continuation_steps(far);
  moving_ = strand;
  kept_ = states_;
  const FarEnd end = end_;
  for (int k = 1; k <= steps; ++k) {
    // Holds on the straight line, turned about one axis, from where the strand is to where they are asked to be.
    const double t = static_cast<double>(k) / steps;
    for (std::size_t i = 0; i < strand.holds.size(); ++i) {
      const HeldNode& target = strand.holds[i];
      const State& at = kept_[z(target.node)];
      moving_.holds[i].r = (1 - t) * at.r + t * target.r;
      const Quaternion held = target.direction ? held_orientation(target, at.q) : at.q;
      moving_.holds[i].q = at.q * to_small(exp_quat(to_eigen(V(t * log_of(Quaternion(conjugate(at.q) * held))))));
    }
    // One in between was not found: back to the start, for the next attempt.
    if (by_single(k == steps ? strand : moving_, answer)) continue;
    states_ = kept_, end_ = end;
    answer.fine = false;
    return false;
  }
  return true;
}

bool Solver::found(const Strand& strand, Answer& answer) {
  // From cheap to expensive; each starts from the last equilibrium. First what needs no search.
  if (by_sweeps(strand, answer)) return true;
  const bool near = far_away(strand) <= 1;
  if (near && last_way_ == Way::energy) {  // the strand was where sweeps have no answer: is it still there?
    guess_ = states_;
    const DescentReport r = descent_.polish(strand, 1e-6, settings.max_iterations, guess_);
    answer.iterations += r.iterations;
    if (r.fine && (by_multiple(strand, answer, 4) || by_energy(strand, answer))) return true;
  }
  // Straight and pushed together: to the side that the energy prefers, before shooting takes any.
  if (settings.may_descend && descent_.lies_straight_but_shortened(strand, states_) && by_descent(strand, answer, false))
    return true;
  // Pulled taut: the discrete energy finds the tension in a step or two, which shooting then starts from.
  if (near && descent_.pulled_longer(strand)) {
    guess_ = states_;
    const DescentReport r = descent_.polish(strand, 1e-6, settings.max_iterations, guess_);
    answer.iterations += r.iterations;
    if (r.fine && (by_multiple(strand, answer, settings.max_iterations) || by_energy(strand, answer))) return true;
  }
  // Newton's method on six unknowns, directly or in steps.
  if ((near && by_single(strand, answer)) || by_continuation(strand, answer)) return true;
  // Stiff or tightly held strands: multiple shooting.
  if (near) {
    guess_ = states_;
    if (by_multiple(strand, answer, settings.max_iterations)) return true;
  }
  // At last by minimising the energy, which needs no good guess.
  return settings.may_descend && by_descent(strand, answer, false);
}

void Solver::judge(const Strand& strand, Answer& answer) {
  answer.verdict = descent_.judge(strand, states_, settings.softest);
  if (settings.softest && answer.verdict.kind == Verdict::Kind::counted) answer.verdict.softest = descent_.softest();
  answer.imbalance = equilibrium_error(strand, states_);
}

Answer Solver::solve(const Strand& strand) {
  Answer answer;
  // An equilibrium, and whether it is stable.
  answer.fine = found(strand, answer);
  if (!answer.fine) {
    answer.taut = descent_.pushed_while_taut(strand, states_);
    return answer;
  }
  last_way_ = answer.way;
  if (settings.verdict) judge(strand, answer);
  if (answer.verdict.unstable == 0 || !settings.seek_minimum || !settings.may_descend) {
    descending_ = false;
    return answer;
  }
  kept_ = states_;
  // A saddle: go down from there. What is found counts only if it has fewer unstable directions.
  const FarEnd kept_end = end_;
  Answer lower = answer;
  if (by_descent(strand, lower, true)) {
    judge(strand, lower);
    if (lower.verdict.unstable < answer.verdict.unstable) {
      last_way_ = lower.way;
      return lower;
    }
  }
  states_ = kept_, end_ = kept_end;
  return answer;
}

}  // namespace tendril::strands
