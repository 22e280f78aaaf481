// Equilibria by the same matrix: from rest, velocities set to zero after each solve, with steps that grow.
#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "methods/cable/cable.h"

namespace tendril::cable {

// What forces are measured by: all that acts, what joints carry, and a little stiffness.
double Cable::load_scale() const {
  double acting = 0, carried = 0, stiff = 0;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.led) continue;
    acting += force_[i].norm();
    if (e.length > 0) acting = std::max(acting, moment_[i].norm() / model_->rods[z(e.rod)].length);
  }
  for (const Vec3& force : state_.force) carried = std::max(carried, force.norm());
  for (const Vec3& couple : state_.couple) carried = std::max(carried, couple.norm() / reach_);
  for (const Joint& joint : parts_.joints) {
    if (joint.inner < 0) continue;
    const double length = model_->rods[z(parts_.elements[z(joint.a)].rod)].length;
    stiff = std::max(stiff, joint.stiffness.maxCoeff() * parts_.elements[z(joint.a)].length / (length * length));
  }
  return acting + carried + 1e-6 * stiff;
}

// The largest force and moment that is not balanced where everything is now, moments over the length: with the multipliers of the last
// solve, which are known better than what strains say of them. `astray` [rad]: by how much strains differ from what belongs to them
// (gaps: worst_gap).
double Cable::imbalance(double& astray) {
  astray = 0;
  for (std::size_t i = 0; i < force_.size(); ++i) pull_[i] = force_[i], turn_[i] = moment_[i];
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    const JointRows rows = present_rows(j);
    const Vec3 force = state_.point_on[j] ? state_.force[j] : Vec3::Zero();
    const Vec3 moment = state_.frame_on[j] ? Vec3(rows.turn.transpose() * state_.couple[j]) : Vec3::Zero();
    for (int k = 0; k < 3 && state_.frame_on[j]; ++k)
      if (rows.stiffness[k] > 0)
        astray = std::max(astray, std::abs(state_.couple[j][k] / rows.stiffness[k] + rows.moment_strain[k]));
    pull_[z(joint.a)] -= force, turn_[z(joint.a)] -= rows.lever_a.cross(force) + moment;
    pull_[z(joint.b)] += force, turn_[z(joint.b)] += rows.lever_b.cross(force) + moment;
  }
  for (const Grip& grip : drive_.grips) {
    const std::size_t i = grip_element(grip);
    const Vec3 arm = grip_arm(grip), force = grip_force(grip, state_.x[i] + arm, Vec3::Zero());
    pull_[i] += force, turn_[i] += arm.cross(force) + grip_moment(grip, state_.q[i], Vec3::Zero());
  }
  double worst = 0;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.led) continue;
    const double length = e.rod >= 0 ? model_->rods[z(e.rod)].length : reach_;
    double force = pull_[i].norm(), moment = turn_[i].norm();
    if (e.kind == Element::Kind::body && model_->bodies[z(e.number)].kind == BodyKind::guided)
      force = std::abs(pull_[i].dot(model_->bodies[z(e.number)].axis)),
      moment = std::abs(turn_[i].dot(model_->bodies[z(e.number)].axis));
    if (e.kind == Element::Kind::junction) force = 0;
    worst = std::max({worst, force, moment / length});
  }
  return worst;
}

// How far the last solve moves anything, in lengths and radians.
double Cable::way(const StepSizes& step) const {
  double most = 0;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.led) continue;
    const double length = e.rod >= 0 ? model_->rods[z(e.rod)].length : reach_;
    most = std::max({most, step.dt * response_[i].v.norm() / length, step.dt * response_[i].spin.norm()});
  }
  return most;
}

// Iterations that follow each other in one direction, each shorter by a factor: what is left of them is gone at once, as a geometric series
// tells (Aitken). So it is where one soft motion, a rope that swings, is all that is left.
double Cable::stride() {
  double here = 0, both = 0, before = 0;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.led) continue;
    const Vec3 &v = response_[i].v, turn = reach_ * response_[i].spin;
    here += v.squaredNorm() + turn.squaredNorm(), before += last_v_[i].squaredNorm() + last_turn_[i].squaredNorm();
    both += v.dot(last_v_[i]) + turn.dot(last_turn_[i]);
    last_v_[i] = v, last_turn_[i] = turn;
  }
  if (!(both > 0.99 * std::sqrt(here * before))) return 1;
  const double factor = std::sqrt(here / before);
  if (factor < 0.3 || factor > 0.998) return 1;
  for (auto* list : {&last_v_, &last_turn_}) std::fill(list->begin(), list->end(), Vec3::Zero());  // a new series begins
  return 1 / (1 - factor);
}

void Cable::come_to_rest() {
  for (auto* list : {&state_.v, &state_.momentum, &state_.a, &state_.turn})
    std::fill(list->begin(), list->end(), Vec3::Zero());
  reevings_.come_to_rest();
}

// [s] The slowest motion: bending over the whole length, or falling through it.
double Cable::slowest() const {
  double slow = 0;
  for (const RodModel& rod : model_->rods) {
    const Section& s = model_->section[EdgeIndex(rod.span.first_edge)];
    const double stiff = std::max({s.EI1, s.EI2, 1e-300}), gravity = drive_.gravity.norm();
    const double bending = std::sqrt(s.line_mass * math::cube(rod.length) * rod.length / stiff);
    slow = std::max(slow, gravity > 0 ? std::min(bending, std::sqrt(rod.length / gravity)) : bending);
  }
  return slow > 0 ? slow : 1;
}

StepReport Cable::relax(double time, double load_factor, const Live& live) {
  constexpr double farthest = 0.3;  // [rad] and lengths, in one iteration
  report_ = {};
  drive_to(time, load_factor, live, true);
  lead(0);
  loads_.update(drive_);
  before_ = 0;
  const double slow = slowest();
  double dt = 0.1 * slow, last = HUGE_VAL, steady = 0;
  come_to_rest();
  collect_loads();
  for (int i = 0; i < settings_.relax_iterations; ++i) {
    backup_ = state_;
    const StepSizes step{dt, dt, 0, false, 0, settings_.geometric, true};
    reevings_.begin(drive_, state_, step);
    if (!solve(step)) break;
    const double most = farthest / way(step), longer = stride();
    const double share = most < 1 ? most : std::min(most, steady == step.dt ? longer : 1);  // a long way is gone in part
    steady = step.dt;
    for (Response& r : response_) r.v *= share, r.spin *= share;
    move(step);
    come_to_rest();
    collect_loads();
    double astray = 0;
    const double worst = imbalance(astray), gap = worst_gap();
    report_.residual = worst / load_scale(), report_.iterations = i + 1;
    if (!std::isfinite(worst + gap)) break;
    const bool balanced = report_.residual < settings_.relax_tolerance;
    if (balanced && gap < 1e-9 && astray < 1e-9) return report_;
    // Away from the equilibrium: the matrix leaves out what bends and compresses. A shorter step follows the motion more closely.
    if (worst > 4 * last && dt > 1e-6 * slow) {
      std::swap(state_, backup_);
      collect_loads();
      dt *= 0.2;
      continue;
    }
    // Long steps lose digits: places are found to rounding times dt^2 force over mass.
    if (balanced)
      dt = std::max(0.3 * dt, 1e-4 * slow);
    else if (share >= 1)
      dt *= worst < 0.5 * last ? 4 : 1.5;
    dt = std::min(dt, slow);
    last = worst;
  }
  report_.outcome = std::isfinite(report_.residual) ? Outcome::not_converged : Outcome::diverged;
  report_.cause = report_.outcome == Outcome::diverged ? Cause::not_finite : Cause::no_equilibrium;
  return report_;
}

}  // namespace tendril::cable
