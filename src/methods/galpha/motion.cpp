#include "methods/galpha/motion.h"

#include <algorithm>
#include <cmath>

namespace tendril::galpha {

RodMotion::RodMotion(const Model& model, int rod, const MotionSettings& settings)
    : model_(model),
      rod_(constants_of(model, rod)),
      settings_(settings),
      problem_(model_, rod_, settings.newton),
      state_(start_of(model, rod_)),
      kept_(state_) {
  books_.loads.resize(z(rod_.nodes())), books_.holds.resize(z(rod_.nodes()));
  kept_books_ = books_;
  soft_r_.assign(z(rod_.nodes()), Vec3::Zero()), soft_q_ = soft_r_;
}

bool RodMotion::start() {
  const RodState before = state_;
  const bool fine = problem_.project_poses(state_);
  if (!fine) state_ = before;
  problem_.look_at(state_);
  books_.gravity = gravity_;
  return fine;
}

void RodMotion::restart(double dt, bool clamps_jump) {
  problem_.look_at(state_);
  const double before = energy().kinetic;
  kept_ = state_;
  if (!problem_.project_velocities(state_, dt)) state_ = kept_;
  const double change = energy().kinetic - before;
  (clamps_jump ? books_.flow.clamps : books_.flow.impacts) += clamps_jump ? change : -change;
  kept_ = state_;
  if (!problem_.find_accelerations(state_, dt)) {
    state_ = kept_;
    problem_.look_at(state_);
  }
  state_.dt = 0;
  note(false, 0, state_);
}

// The scheme's rates belong to another instant than the true ones: where steps change their length they are taken along. At a start they are the
// true ones.
void RodMotion::set_rates(const Stage& stage) {
  const double now = stage.lead() * stage.dt;
  const bool starts = state_.dt == 0;
  const double ratio = starts ? 0 : state_.lead != 0 ? now / state_.lead : 1;
  state_.lead = now;
  if (!starts && ratio == 1) return;
  for (Level* level : {&state_.place, &state_.turn, &state_.velocity, &state_.spin, &state_.strain})
    for (std::size_t i = 0; i < level->dot.size(); ++i)
      level->rate[i] = level->dot[i] + ratio * (level->rate[i] - level->dot[i]);
}

Energy RodMotion::energy() const {
  Energy e;
  for (int i = 0; i < rod_.nodes(); ++i) {
    const std::size_t k = z(i);
    e.kinetic += 0.5 * rod_.mass[k] * state_.place.dot[k].squaredNorm();
    e.kinetic += 0.5 * state_.turn.dot[k].dot(rod_.inertia[k].cwiseProduct(state_.turn.dot[k]));
    e.gravity -= rod_.mass[k] * gravity_.dot(state_.r[k]);
  }
  for (int j = 0; j < rod_.edges(); ++j) {
    const SegmentEnergy s = energy_of(rod_.segments[z(j)], rod_.law, problem_.segments()[z(j)]);
    e.bending += s.bending, e.twisting += s.twisting, e.stretching += s.stretching, e.shearing += s.shearing;
  }
  return e;
}

// Works by the trapezoidal rule, of second order as the scheme is. `count` false: where they are counted from.
void RodMotion::note(bool count, double dt, const RodState& before) {
  EnergyFlow& flow = books_.flow;
  double hands = 0, wind = 0, drag = 0, damping = 0;
  Vec3 weighed = Vec3::Zero();
  const auto turned = [&](std::size_t k) { return Vec3(before.q[k] * turn_between(before.q[k], state_.q[k])); };
  const auto work = [&](const RodProblem::Node& a, const RodProblem::Node& b, std::size_t k) {
    return 0.5 * ((a.force + b.force).dot(state_.r[k] - before.r[k]) + (a.moment + b.moment).dot(turned(k)));
  };
  for (int i = 0; i < rod_.nodes(); ++i) {
    const std::size_t k = z(i);
    const RodProblem::Node load = problem_.given_loads(i), grip = problem_.grip_loads(i);
    if (count) flow.loads += work(load, books_.loads[k], k);
    books_.loads[k] = load;
    hands += grip.force.dot(state_.place.dot[k]) + grip.moment.dot(state_.spin_of(i));
    const Vec3 momentum = rod_.inertia[k].cwiseProduct(state_.turn.dot[k]);
    damping += rod_.damping.mass * (rod_.mass[k] * state_.place.dot[k].squaredNorm() + momentum.dot(state_.turn.dot[k]));
    weighed += rod_.mass[k] * state_.r[k];
    // Drag and wind at both ends of the edges.
    for (const int j : {i - 1, i}) {
      if (rod_.plain_loads || j < 0 || j >= rod_.edges()) continue;
      const LoadsNow::AirPower power = problem_.air_power(i, j);
      wind += rod_.half_length[z(j)] * power.wind, drag += rod_.half_length[z(j)] * power.drag;
    }
  }
  for (std::size_t j = 0; j < state_.strain.dot.size(); ++j) {
    const SegmentRest& s = rod_.segments[j];
    damping += s.damping / s.h * s.stiffness.dot(state_.strain.dot[j].cwiseAbs2());
  }
  for (const NodeHold& hold : problem_.holds()) {
    const std::size_t k = z(hold.node);
    const RodProblem::Node reaction{problem_.reaction_force(hold), problem_.reaction_moment(hold)};
    if (count) flow.clamps += work(reaction, books_.holds[k], k);
    books_.holds[k] = reaction;
  }
  flow.gravity -= (gravity_ - books_.gravity).dot(count ? Vec3(0.5 * (weighed + books_.weighed)) : weighed);
  if (count) {
    flow.hands += 0.5 * dt * (hands + books_.hands), flow.wind += 0.5 * dt * (wind + books_.wind);
    flow.drag += 0.5 * dt * (drag + books_.drag), flow.damping += 0.5 * dt * (damping + books_.damping);
  }
  books_.gravity = gravity_, books_.weighed = weighed;
  books_.hands = hands, books_.wind = wind, books_.drag = drag, books_.damping = damping;
}

StepResult RodMotion::solve_step(const Stage& stage) {
  const NewtonReport newton = problem_.solve(state_, stage);
  StepResult result{newton.converged, Cause::none, newton.iterations, newton.residual};
  if (newton.converged) {
    problem_.finish(state_);
    return result;
  }
  result.cause = problem_.turned_too_far()        ? segment_turned
                 : std::isfinite(newton.residual) ? Cause::step_too_large
                                                  : Cause::not_finite;
  state_ = kept_;
  return result;
}

// The first step after a start is taken twice: how accelerations change is known only after it. Then rates are set to the instant they belong
// to, unless accelerations change so much that the step does not resolve the motion at all.
StepResult RodMotion::attempt(double dt, const Triple& triple) {
  constexpr double resolved = 0.5;
  const Stage stage{triple, dt};
  kept_ = state_;
  const bool starts = state_.dt == 0;
  set_rates(stage);
  const StepResult first = solve_step(stage);
  if (!starts || !first.fine || stage.lead() == 0) return first;
  double change = 0, size = 0;
  for (std::size_t i = 0; i < soft_r_.size(); ++i) {
    soft_r_[i] = state_.velocity.dot[i] - kept_.velocity.dot[i], soft_q_[i] = state_.spin.dot[i] - kept_.spin.dot[i];
    change += rod_.mass[i] * soft_r_[i].squaredNorm(), size += rod_.mass[i] * kept_.velocity.dot[i].squaredNorm();
  }
  if (!(change <= resolved * resolved * size)) return first;
  state_ = kept_;
  set_rates(stage);
  const double lead = stage.lead();
  for (std::size_t i = 0; i < state_.r.size(); ++i) {
    state_.place.rate[i] += lead * dt * state_.velocity.dot[i], state_.turn.rate[i] += lead * dt * state_.spin.dot[i];
    state_.velocity.rate[i] += lead * soft_r_[i], state_.spin.rate[i] += lead * soft_q_[i];
  }
  StepResult second = solve_step(stage);
  second.iterations += first.iterations;
  return second;
}

double RodMotion::energy_less_work(double& scale) const {
  const Energy e = energy();
  scale = e.kinetic + e.elastic();
  return e.total() - books_.flow.work() + books_.flow.dissipated();
}

// Energy less work is held against its lowest value so far: a step that ends too far above it is taken again with the scheme that damps most,
// and if that gains too, refused.  [ERRATA B6, B18]
StepResult RodMotion::step(double dt, bool guarded) {
  constexpr double most =
      0.01;  // of the largest kinetic and elastic energy so far: of the present one it would be nothing where a swing turns
  double scale = 0;
  if (!books_.has_lowest) books_.lowest = energy_less_work(scale), books_.has_lowest = true;
  kept_books_ = books_;
  StepResult result;
  for (const bool again : {false, true}) {
    const int before = result.iterations;
    result = attempt(dt, again ? Triple::of_radius(0) : settings_.triple);
    result.iterations += before;
    if (!result.fine) return result;
    note(true, dt, kept_);
    const double now = energy_less_work(scale);
    const double rounding = 1e-12 * std::abs(energy().gravity);
    books_.largest = std::max(books_.largest, scale);
    if (!guarded || !settings_.guard || now <= books_.lowest + most * books_.largest + rounding) {
      books_.lowest = std::min(books_.lowest, now);
      return result;
    }
    ++guarded_;
    state_ = kept_, books_ = kept_books_;
  }
  result.fine = false, result.cause = energy_gained;
  return result;
}

Vec3 RodMotion::reaction_force(int clamp) const {
  for (const NodeHold& hold : problem_.holds())
    if (hold.place && hold.place_clamp == clamp) return problem_.reaction_force(hold);
  return Vec3::Zero();
}
Vec3 RodMotion::reaction_moment(int clamp) const {
  for (const NodeHold& hold : problem_.holds())
    if (hold.turn_clamp == clamp) return problem_.reaction_moment(hold);
  return Vec3::Zero();
}

void RodMotion::Books::visit_state(StateArchive& archive) {
  archive(flow, gravity, weighed, hands, wind, drag, damping, lowest, largest, has_lowest);
  for (auto* list : {&loads, &holds})
    for (RodProblem::Node& node : *list) archive(node.force, node.moment);
}

void RodMotion::visit_state(StateArchive& archive) { archive(state_, books_, gravity_, guarded_); }

}  // namespace tendril::galpha
