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
  for (const Joint& joint : parts_.joints) {
    if (joint.inner < 0) continue;
    const double length = model_->rods[z(parts_.elements[z(joint.a)].rod)].length;
    stiff = std::max(stiff, joint.stiffness.maxCoeff() * parts_.elements[z(joint.a)].length / (length * length));
  }
  return acting + carried + 1e-6 * stiff;
}

// The largest force and moment that inertia had to balance in the last solve, over the scale; how far anything moved, over its rod.
double Cable::imbalance(const StepSizes& step, double& moved) const {
  double worst = 0;
  moved = 0;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.led) continue;
    const Response& r = response_[i];
    const double length = e.rod >= 0 ? model_->rods[z(e.rod)].length : 1;
    const Vec3 spin = state_.q[i].conjugate() * r.spin;
    worst = std::max({worst, e.mass * r.v.norm() / step.h, e.inertia.cwiseProduct(spin).norm() / (step.h * length)});
    moved = std::max({moved, step.dt * r.v.norm() / length, step.dt * r.spin.norm()});
  }
  return worst;
}

StepReport Cable::relax(double time, double load_factor, const Live& live) {
  constexpr double farthest = 0.3;  // [rad] and lengths, in one iteration
  constexpr double stands_still = 1e-9;
  report_ = {};
  drive_to(time, load_factor, live, true);
  lead();
  loads_.update(drive_);
  before_ = 0;
  // Begins with a fraction of the slowest swing.
  double slow = 0;
  for (const RodModel& rod : model_->rods) {
    const Section& s = model_->section[EdgeIndex(rod.span.first_edge)];
    const double stiff = std::max({s.EI1, s.EI2, 1e-12});
    slow = std::max(slow, std::sqrt(s.line_mass * math::cube(rod.length) * rod.length / stiff));
  }
  const auto rest = [&] {
    for (auto* list : {&state_.v, &state_.momentum, &state_.a, &state_.turn})
      std::fill(list->begin(), list->end(), Vec3::Zero());
  };
  double dt = 0.1 * (slow > 0 ? slow : 1), last = HUGE_VAL;
  rest();
  for (int i = 0; i < settings_.relax_iterations; ++i) {
    collect_loads();
    StepSizes step{dt, dt, 0, false, 0, settings_.geometric, true};
    if (!solve(step)) break;
    double moved = 0;
    const double worst = imbalance(step, moved), scale = load_scale();
    report_.residual = worst / scale;
    if (!std::isfinite(moved)) break;
    // A long way is gone in part.
    const double share = moved > farthest ? farthest / moved : 1;
    for (Response& r : response_) r.v *= share, r.spin *= share;
    move(step);
    rest();
    report_.iterations = i + 1;
    if (share == 1 && report_.residual < settings_.relax_tolerance && moved < stands_still && worst_gap() < 1e-9) {
      loads_.update(drive_);
      collect_loads();
      return report_;
    }
    if (share == 1) dt *= worst < last ? 4 : 1.5;
    last = worst;
    dt = std::min(dt, 30 * slow);  // longer ones lose digits: places are found to rounding times dt^2 force over mass
  }
  report_.outcome = std::isfinite(report_.residual) ? Outcome::not_converged : Outcome::diverged;
  report_.cause = report_.outcome == Outcome::diverged ? Cause::not_finite : Cause::no_equilibrium;
  return report_;
}

}  // namespace tendril::cable
