#include "methods/cable/cable.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "model/bodies.h"

namespace tendril::cable {

Settings Settings::from(const Options& options) {
  Settings s;
  s.averaged = options.word("integrator") == "averaged";
  s.extra_damping = options.number("averaged_damping");
  s.geometric = options.flag("geometric");
  s.inertia_factor = options.number("inertia_factor");
  s.relax_tolerance = options.number("relax_tolerance");
  s.relax_iterations = static_cast<int>(options.number("relax_iterations"));
  return s;
}

Cable::Cable(std::shared_ptr<const Model> model, const Settings& settings)
    : model_(std::move(model)),
      settings_(settings),
      parts_(build_parts(*model_)),
      state_(start_state(*model_, parts_)),
      late_(*model_),
      loads_(*model_),
      flow_(*model_, parts_),
      workers_(settings.threads) {
  const std::size_t count = parts_.elements.size();
  for (Element& e : parts_.elements)
    if (e.kind == Element::Kind::segment) e.inertia *= settings_.inertia_factor;
  for (std::size_t i = 0; i < count; ++i) state_.momentum[i] *= parts_.elements[i].edge >= 0 ? settings_.inertia_factor : 1;
  for (const NodeLoad& load : model_->node_loads) loaded_nodes_.push_back(load.node.value);
  std::sort(loaded_nodes_.begin(), loaded_nodes_.end());
  loaded_nodes_.erase(std::unique(loaded_nodes_.begin(), loaded_nodes_.end()), loaded_nodes_.end());
  for (auto* list : {&force_, &moment_, &given_force_, &given_moment_, &pull_, &turn_}) list->assign(count, Vec3::Zero());
  air_.assign(count, Mat3::Zero());
  response_.resize(count), new_tension_.assign(count, 0.0), led_.resize(count);
  rows_.resize(parts_.joints.size());
  reactions_.resize(model_->clamps.size());
  for (const Group& group : parts_.groups) solvers_.push_back(std::make_unique<GroupSolver>(parts_, group));
  solved_.assign(solvers_.size(), 0);
  if (Contacts::needed(*model_)) contacts_ = std::make_unique<Contacts>(*model_, parts_, &workers_);
  for (auto* list : {&ahead_.x, &ahead_.v, &ahead_.spin}) list->assign(count, Vec3::Zero());
  ahead_.q.assign(count, Quat::Identity());
  backup_ = state_;
  for (const RodModel& rod : model_->rods) reach_ = std::max(&rod == model_->rods.data() ? 0 : reach_, rod.length);
  drive_to(0, 1, Live{}, false);
  lead();
  loads_.update(drive_);
  collect_loads();
  flow_.start(drive_, state_);
}

void Cable::drive_to(double time, double load_factor, const Live& live, bool still) {
  evaluate(*model_, live, time, load_factor, drive_);
  if (still) stand_still(drive_);
  late_.follow(*model_, drive_, [&](const ClampModel& clamp) { return pose_at(clamp.node.value); });
}

// Poses of what is led, at the end of the step; which joints stand.
void Cable::lead() {
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.kind == Element::Kind::clamp) {
      state_.x[i] = drive_.clamps[z(e.number)].pose.position, state_.q[i] = drive_.clamps[z(e.number)].pose.orientation;
    } else if (e.kind == Element::Kind::body && e.led) {
      state_.x[i] = drive_.bodies[z(e.number)].pose.position, state_.q[i] = drive_.bodies[z(e.number)].pose.orientation;
    }
  }
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    char on = 1;
    if (joint.clamp >= 0) {
      const ClampNow& clamp = drive_.clamps[z(joint.clamp)];
      on = clamp.active;
      // By the clamp's own count of turns, of which a pose shows less than one.
      if (clamp.active && state_.frame_on[j])
        state_.twist[j] += (joint.after == 1 ? -1 : 1) * (clamp.winding - state_.winding[j]);
      else
        state_.twist[j] = 0;
      state_.winding[j] = clamp.winding;
    }
    state_.point_on[j] = on && joint.holds_point, state_.frame_on[j] = on && joint.holds_frame;
  }
  // Inside a rod, what holds the node takes the place of the joint there.
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    for (const int other : parts_.replaced_by[j]) {
      const Joint& by = parts_.joints[z(other)];
      if (state_.point_on[z(other)]) state_.point_on[j] = 0;
      if (state_.frame_on[z(other)] && by.stiffness.head<2>() != Vec2::Zero() && by.kind == StrainKind::angle)
        state_.frame_on[j] = 0;
    }
  }
}

Vec3 Cable::spin_of(std::size_t i) const {
  const Element& e = parts_.elements[i];
  if (e.led) return Vec3::Zero();
  if (e.kind == Element::Kind::body) return inverse_inertia(model_->bodies[z(e.number)], state_.q[i]) * state_.momentum[i];
  return state_.q[i] * (state_.q[i].conjugate() * state_.momentum[i]).cwiseQuotient(e.inertia);
}

// ---- joints -----------------------------------------------------------------------------------------------------------------------
void Cable::make_rows(const StepSizes& step) {
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    const std::size_t a = z(joint.a), b = z(joint.b);
    double twist = state_.twist[j];
    place_rows(joint, {state_.x[a], state_.x[b], state_.q[a], state_.q[b]}, state_.twist[j], !step.geometric, rows_[j],
               twist);
    if (joint.holds_frame && joint.kind == StrainKind::angle) state_.twist[j] = twist;
    double damper = 0, inertia = HUGE_VAL;
    for (const std::size_t e : {a, b})
      if (!parts_.elements[e].led) inertia = std::min(inertia, parts_.elements[e].inertia.x());
    if (step.geometric && !step.still && joint.inner >= 0) {
      const double tension = std::max(0.0, 0.25 * (state_.tension[a] + state_.tension[b]));
      const double length = 0.5 * (parts_.elements[a].length + parts_.elements[b].length);
      damper =
          step.dt * tension * length * need_of_damping(4 * tension / largest_tension(parts_.elements[a], step.dt, step.h));
    }
    weigh_rows(joint, state_.point_on[j] != 0, state_.frame_on[j] != 0, damper, inertia, step, rows_[j]);
  }
}

void Cable::take_multipliers() {
  for (const auto& solver : solvers_) {
    const Group& group = solver->group();
    for (std::size_t i = 0; i < group.joints.size(); ++i) {
      const double* lambda = solver->multiplier(i);
      const std::size_t j = z(group.joints[i]);
      state_.force[j] = Vec3(lambda[0], lambda[1], lambda[2]), state_.couple[j] = Vec3(lambda[3], lambda[4], lambda[5]);
    }
  }
}

// Sum of the tensions at both ends of each segment, along it.
void Cable::tensions(std::vector<double>& out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    if (!state_.point_on[j]) continue;
    const Joint& joint = parts_.joints[j];
    const auto add = [&](int e, const Vec3& point, const Vec3& force) {
      if (parts_.elements[z(e)].kind != Element::Kind::segment) return;
      const Vec3 outward = state_.q[z(e)] * Vec3(0, 0, point.z() < 0 ? -1 : 1);
      out[z(e)] += force.dot(outward);
    };
    add(joint.a, joint.point_a, -state_.force[j]);
    add(joint.b, joint.point_b, state_.force[j]);
  }
}

bool Cable::solve_once(const StepSizes& step) {
  respond(step);
  make_rows(step);
  workers_.for_each_chunk(static_cast<int>(solvers_.size()),
                          [&](int g) { solved_[z(g)] = solvers_[z(g)]->solve(rows_, response_, step); });
  ++report_.iterations;
  if (std::find(solved_.begin(), solved_.end(), 0) != solved_.end()) return false;
  if (contacts_ && !step.still && !contacts_->solve_pairs(solvers_, rows_, response_, step)) return false;
  take_multipliers();
  return true;
}

// Geometric stiffness is that of the tensions before. Where one grows by more than half, again with the new ones.
bool Cable::tensions_grew(const StepSizes& step) {
  if (!step.geometric) return false;
  tensions(new_tension_);
  bool grown = false;
  for (std::size_t i = 0; i < new_tension_.size() && !grown; ++i) {
    const Element& e = parts_.elements[i];
    if (e.kind != Element::Kind::segment) continue;
    const double matters = 0.1 * e.inertia.x() / (step.dt * step.h * 0.5 * e.length);
    grown = new_tension_[i] > matters && new_tension_[i] > 1.5 * std::max(0.0, state_.tension[i]);
  }
  std::swap(state_.tension, new_tension_);
  return grown;
}

bool Cable::solve(const StepSizes& step) {
  constexpr int most_passes = 4;
  for (int pass = 0; pass < most_passes; ++pass) {
    if (!solve_once(step)) return false;
    if (!tensions_grew(step)) return true;
  }
  return true;
}

// Where a spin leads to: it follows from the momentum, which nothing but moments changes; the turn is that of the middle of the step.
// [ERRATA S25]
Quat Cable::turned(std::size_t i, const Vec3& spin, double dt) const {
  const Element& e = parts_.elements[i];
  const Quat& q = state_.q[i];
  if (e.kind == Element::Kind::body && model_->bodies[z(e.number)].kind == BodyKind::guided)
    return (exp_quat(Vec3(dt * spin)) * q).normalized();
  const Vec3 momentum = q * e.inertia.cwiseProduct(q.conjugate() * spin);
  const Quat half = (Quat(1, 0.25 * dt * spin.x(), 0.25 * dt * spin.y(), 0.25 * dt * spin.z()) * q).normalized();
  const Vec3 middle = half * (half.conjugate() * momentum).cwiseQuotient(e.inertia);
  return (exp_quat(Vec3(dt * middle)) * q).normalized();
}

void Cable::move(const StepSizes& step) {
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.led) continue;
    const Response& r = response_[i];
    const Vec3 spin_before = spin_of(i);
    // What forces that jump did is no acceleration that goes on.
    if (!contacts_ || step.still || !contacts_->was_hit(i)) {
      state_.a_before[i] = step.before > 0 ? state_.a[i] : Vec3::Zero();
      state_.turn_before[i] = step.before > 0 ? state_.turn[i] : Vec3::Zero();
      state_.a[i] = (r.v - state_.v[i]) / step.h, state_.turn[i] = (r.spin - spin_before) / step.h;
    }
    state_.v[i] = r.v;
    state_.x[i] += step.dt * r.v;
    Quat& q = state_.q[i];
    const bool guided = e.kind == Element::Kind::body && model_->bodies[z(e.number)].kind == BodyKind::guided;
    state_.momentum[i] = guided ? Vec3(world_inertia(model_->bodies[z(e.number)], q) * r.spin)
                                : Vec3(q * e.inertia.cwiseProduct(q.conjugate() * r.spin));
    q = turned(i, r.spin, step.dt);
  }
  find_twists();
}

// Twists at the new level, unwrapped from those before.
void Cable::find_twists() {
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    if (!joint.holds_frame || joint.kind != StrainKind::angle) continue;
    const Quat between = (state_.q[z(joint.a)] * joint.frame_a).conjugate() * (state_.q[z(joint.b)] * joint.frame_b);
    state_.twist[j] = strain_point(joint.kind, between, state_.twist[j]).strain[2];
  }
}

// The largest gap beyond the elastic one, over the length of the segment.
double Cable::worst_gap() const {
  double worst = 0;
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    if (!state_.point_on[j] || joint.node < 0) continue;
    const std::size_t a = z(joint.a), b = z(joint.b);
    const Vec3 gap = state_.x[b] + state_.q[b] * joint.point_b - state_.x[a] - state_.q[a] * joint.point_a;
    const Vec3 elastic = joint.stretch == rigid ? Vec3::Zero() : Vec3(-state_.force[j] / joint.stretch);
    const double length = std::max(parts_.elements[a].length, parts_.elements[b].length);
    const double open = (gap - elastic).norm() / length;
    if (!(open <= worst)) worst = open;
  }
  return worst;
}

bool Cable::is_diverged() const {
  for (const auto* list : {&state_.x, &state_.v, &state_.momentum})
    for (const Vec3& value : *list)
      if (!value.allFinite()) return true;
  return false;
}

StepSizes Cable::sizes(double dt) const {
  return {dt, 0.5 * (before_ + dt), before_, settings_.averaged, settings_.extra_damping * dt, settings_.geometric};
}

void Cable::finish(const StepSizes& step) {
  constexpr double apart = 0.1;  // of a segment
  move(step);
  before_ = step.dt;
  if (is_diverged()) {
    report_.outcome = Outcome::diverged, report_.cause = Cause::not_finite;
    return;
  }
  report_.residual = std::max(report_.residual, worst_gap());
  loads_.update(drive_);
  collect_loads();
  count_flow(step);
  if (report_.residual > apart) report_.outcome = Outcome::diverged, report_.cause = joint_apart;
}

StepReport Cable::step(double time, double dt, const Live& live) {
  report_ = {};
  report_.step_taken = dt;
  if (contacts_) {
    step_in_parts(time, dt, live);
    return report_;
  }
  drive_to(time + dt, 1, live, false);
  flow_.begin(state_);
  lead();
  const StepSizes step = sizes(dt);
  if (!solve(step)) {
    report_.outcome = Outcome::diverged, report_.cause = Cause::not_finite;
    return report_;
  }
  finish(step);
  return report_;
}

}  // namespace tendril::cable
