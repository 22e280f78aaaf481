// Steps of rods whose mesh changes.
#include "math/rotation.h"
#include "methods/cable/cable.h"

namespace tendril::cable {
namespace {
struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double size = 1e-300, angular_size = 1e-300;  // of all parts', whatever their directions
};
// Of segments.
Momenta momenta_of(const Parts& parts, const State& state) {
  Momenta sum;
  for (std::size_t i = 0; i < parts.elements.size(); ++i) {
    const Element& e = parts.elements[i];
    if (e.kind != Element::Kind::segment) continue;
    const Vec3 linear = e.mass * state.v[i], angular = state.x[i].cross(linear) + state.momentum[i];
    sum.linear += linear, sum.angular += angular;
    sum.size += linear.norm(), sum.angular_size += angular.norm();
  }
  return sum;
}
}  // namespace

// Before the step: cuts and merges.
void Cable::change_mesh(double dt) {
  mesh_.begin_step();
  feed_.order(drive_, dt);
  const Momenta before = settings_.adaptive ? momenta_of(parts_, state_) : Momenta{};
  feed_.remesh();
  if (settings_.adaptive) adapt_.remesh({});
  if (!mesh_.is_changed()) return;
  mesh_events_.count += static_cast<long>(mesh_.changed().size());
  if (settings_.adaptive) {
    const Momenta after = momenta_of(parts_, state_);
    mesh_events_.momentum = std::max(mesh_events_.momentum, (after.linear - before.linear).norm() / before.size);
    mesh_events_.angular = std::max(mesh_events_.angular, (after.angular - before.angular).norm() / before.angular_size);
  }
  mesh_.settle();
  for (const auto& solver : solvers_) solver->reshape();
  for (const int e : mesh_.changed())
    if (!parts_.elements[z(e)].led) renew_loads(e);
  mesh_.forget_changes();
}

// Loads of the level before, on the segment as it is now.
void Cable::renew_loads(int element) {
  const std::size_t i = z(element);
  const double wind = wind_, drag = drag_;
  collect_load(i, flow_.gravity());
  add_node_loads(element);
  wind_ = wind, drag_ = drag;  // their powers are those of the whole rods, and hardly change
  flow_.renew(i, state_.x[i], given_force_[i], given_moment_[i]);
}

double Cable::energy_of(int element) const {
  const std::size_t i = z(element);
  const Element& e = parts_.elements[i];
  const Vec3 spin = state_.q[i].conjugate() * level_spin(i);
  return 0.5 * e.mass * level_velocity(i).squaredNorm() + 0.5 * spin.dot(e.inertia.cwiseProduct(spin)) -
         e.mass * flow_.gravity().dot(state_.x[i]);
}

bool Cable::solve_with_winches(const StepSizes& step) {
  paid_back_ = mesh_.pay(step.dt);
  if (!feed_.any()) return solve(step);
  feed_.begin();
  const auto add_energy = [&](double sign) {
    feed_.for_each_segment(
        [&](int element, bool clamp) { (clamp ? brought_clamps_ : brought_bodies_) += sign * energy_of(element); });
  };
  brought_clamps_ = brought_bodies_ = 0;
  add_energy(-1);
  const double clamps = brought_clamps_, bodies = brought_bodies_;
  feed_.grow(step.dt);
  for (;;) {
    brought_clamps_ = clamps, brought_bodies_ = bodies;
    add_energy(1);
    feed_.for_each_segment([&](int element, bool) { renew_loads(element); });
    if (!solve(step)) return false;
    if (!feed_.adjust(step.dt)) return true;
  }
}

void Cable::count_winches(double dt) {
  feed_.finish(dt, before_ == 0);
  const bool held = !model_->clamps.empty();  // what was owed and is paid back comes from what holds the rope
  flow_.add(feed_.clamps() + brought_clamps_ + (held ? paid_back_ : 0),
            feed_.bodies() + brought_bodies_ + (held ? 0 : paid_back_));
}

}  // namespace tendril::cable
