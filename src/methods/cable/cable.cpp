// long: one step in the order in which it happens; steps in which things touch are in divided_step.cpp.
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
  s.pitched = options.flag("keep_pitch");
  s.geometric = options.flag("geometric");
  s.inertia_factor = options.number("inertia_factor");
  const std::string &joint = options.word("joint"), &solver = options.word("solver");
  if (joint == "paper") s.joint = options.word("twist") == "aligned" ? JointForm::paper_aligned : JointForm::paper;
  if (joint == "cosine_lock") s.joint = JointForm::cosine_lock;
  if (solver == "gauss_seidel") s.solver.kind = SolverKind::gauss_seidel;
  if (solver == "conjugate_directions") s.solver.kind = SolverKind::conjugate_directions;
  s.solver.iterations = static_cast<int>(options.number("iterations"));
  s.substeps = static_cast<int>(options.number("substeps"));
  s.bend_by_tension = options.number("bend_by_tension");
  s.adaptive = options.flag("adaptive");
  s.relax_tolerance = options.number("relax_tolerance");
  s.relax_iterations = static_cast<int>(options.number("relax_iterations"));
  return s;
}

Cable::Cable(std::shared_ptr<const Model> model, const Settings& settings)
    : model_(std::move(model)),
      settings_(settings),
      parts_(build_parts(*model_, settings.adaptive)),
      state_(start_state(*model_, parts_)),
      mesh_(*model_, settings.inertia_factor, parts_, state_),
      feed_(*model_, mesh_, settings.adaptive),
      adapt_(*model_, mesh_),
      switches_(*model_, parts_),
      reevings_(*model_, parts_),
      late_(*model_),
      loads_(*model_),
      flow_(*model_, parts_),
      workers_(settings.threads) {
  const std::size_t count = parts_.elements.size();
  for (Element& e : parts_.elements)
    if (e.kind == Element::Kind::segment && !parts_.chains[z(e.rod)].varies) e.inertia *= settings_.inertia_factor;
  for (std::size_t i = 0; i < count; ++i) state_.momentum[i] *= parts_.elements[i].edge >= 0 ? settings_.inertia_factor : 1;
  for (const NodeLoad& load : model_->node_loads) loaded_nodes_.push_back(load.node.value);
  std::sort(loaded_nodes_.begin(), loaded_nodes_.end());
  loaded_nodes_.erase(std::unique(loaded_nodes_.begin(), loaded_nodes_.end()), loaded_nodes_.end());
  for (auto* list : {&force_, &moment_, &given_force_, &given_moment_, &pull_, &turn_, &last_v_, &last_turn_})
    list->assign(count, Vec3::Zero());
  air_.assign(count, Mat3::Zero());
  stiffness_.resize(model_->bodies.size());
  response_.resize(count), new_tension_.assign(count, 0.0), led_.resize(count);
  rows_.resize(parts_.joints.size());
  reactions_.resize(model_->clamps.size());
  for (Joint& joint : parts_.joints) {
    if (!joint.holds_frame || joint.kind != StrainKind::angle || joint.span == 0) continue;
    joint.form = settings_.joint;
    if (joint.form == JointForm::paper || joint.form == JointForm::paper_aligned) joint.stiffness[1] = 0;  // one bend row
  }
  for (const Group& group : parts_.groups)
    solvers_.push_back(std::make_unique<GroupSolver>(parts_, group, settings_.solver));
  solved_.assign(solvers_.size(), 0);
  // Contacts keep to the elements there are: where segments come and go nothing touches (entry.cpp says so).
  if (Contacts::needed(*model_) && !mesh_.varies()) contacts_ = std::make_unique<Contacts>(*model_, parts_, &workers_);
  for (auto* list : {&ahead_.x, &ahead_.v, &ahead_.spin}) list->assign(count, Vec3::Zero());
  ahead_.q.assign(count, Quat::Identity());
  backup_ = state_;
  for (const RodModel& rod : model_->rods) reach_ = std::max(&rod == model_->rods.data() ? 0 : reach_, rod.length);
  drive_to(0, 1, Live{}, false);
  lead(0);
  switches_.take_step();
  reevings_.finish(state_);
  loads_.update(drive_);
  collect_loads();
  flow_.start(drive_, state_);
  feed_.start(drive_);
}

void Cable::drive_to(double time, double load_factor, const Live& live, bool still) {
  evaluate(*model_, live, time, load_factor, drive_);
  if (still) stand_still(drive_);
  late_.follow(*model_, drive_, [&](const ClampModel& clamp) { return pose_of(clamp); });
}

// Poses of what is led, at the end of the step; which joints stand.
void Cable::lead(double dt) {
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.kind == Element::Kind::clamp) {
      state_.x[i] = drive_.clamps[z(e.number)].pose.position, state_.q[i] = drive_.clamps[z(e.number)].pose.orientation;
    } else if (e.kind == Element::Kind::body && e.led) {
      state_.x[i] = drive_.bodies[z(e.number)].pose.position, state_.q[i] = drive_.bodies[z(e.number)].pose.orientation;
    }
  }
  switches_.follow(drive_, dt, state_, parts_);
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
    if (switches_.is_new(j)) state_.twist[j] = joint.rest[2];
    state_.point_on[j] = on && joint.holds_point && switches_.holds_point(j);
    state_.frame_on[j] = on && joint.holds_frame && switches_.holds_frame(j);
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
    if (joint.stretch != rigid) rows_[j].gap += joint.damping * joint.fed;  // dampers do not notice rope that runs
    double damper = 0, inertia = HUGE_VAL;
    for (const std::size_t e : {a, b})
      if (!parts_.elements[e].led) inertia = std::min(inertia, parts_.elements[e].inertia.x());
    if (step.geometric && !step.still && joint.inner >= 0) {
      const double tension = std::max(0.0, 0.25 * (state_.tension[a] + state_.tension[b]));
      const double length = 0.5 * (parts_.elements[a].length + parts_.elements[b].length);
      damper =
          step.dt * tension * length * need_of_damping(4 * tension / largest_tension(parts_.elements[a], step.dt, step.h));
    }
    if (settings_.bend_by_tension > 0 && joint.inner >= 0 && !step.still) follow_tension(step, j);
    weigh_rows(joint, state_.point_on[j] != 0, state_.frame_on[j] != 0, damper, inertia, step, rows_[j]);
    if (step.still && rows_[j].point_on && joint.stretch == rigid) hold_back(j);
    if (contacts_ && step.mend > step.dt) follow_led(j, step);
  }
}

// Iterations of an equilibrium: a hard row may repeat others (a rope just as long as its clamps are apart), and which of them carries what is
// then open. Its force changes little from one iteration to the next, give (lambda - lambda before): what is open stays zero, what is
// not is found all the same.
void Cable::hold_back(std::size_t j) {
  constexpr double little = 1e-9;  // of the rows' own answer
  double answer = 0;
  for (const int e : {parts_.joints[j].a, parts_.joints[j].b})
    if (!parts_.elements[z(e)].led) answer = std::max(answer, response_[z(e)].linear.trace());
  JointRows& rows = rows_[j];
  rows.give = little * answer;
  rows.gap -= (rows.give / rows.pull) * state_.force[j];
}

// Bending stiffness that follows the load: at least what explicit geometric stiffness needs to hold the tension, 4 sqrt(m k)/dt = T.
// [Servin 2008, sec. VII-D; ERRATA S23]
void Cable::follow_tension(const StepSizes& step, std::size_t j) {
  const std::size_t a = z(parts_.joints[j].a), b = z(parts_.joints[j].b);
  const double tension = std::max(0.0, 0.25 * (state_.tension[a] + state_.tension[b]));
  const double mass = std::min(parts_.elements[a].mass, parts_.elements[b].mass);
  const double needed = settings_.bend_by_tension * tension * tension * step.dt * step.h / (16 * mass);
  JointRows& rows = rows_[j];
  for (int i = 0; i < 2; ++i) {
    if (rows.stiffness[i] == 0 || rows.stiffness[i] >= needed) continue;
    rows.moment_strain[i] = rows.strain[i], rows.stiffness[i] = needed;
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

void Cable::begin_with_last() {
  for (const auto& solver : solvers_) {
    const Group& group = solver->group();
    for (std::size_t i = 0; i < group.joints.size(); ++i)
      solver->begin_with(i, state_.force[z(group.joints[i])], state_.couple[z(group.joints[i])]);
  }
}

bool Cable::solve_once(const StepSizes& step) {
  respond(step);
  if (step.geometric) stiffen_bodies(step);
  make_rows(step);
  if (settings_.solver.kind != SolverKind::direct) begin_with_last();
  workers_.for_each_chunk(static_cast<int>(solvers_.size()),
                          [&](int g) { solved_[z(g)] = solvers_[z(g)]->solve(rows_, response_, step); });
  solver_residual_ = 0;
  int rounds = 1;
  for (const auto& solver : solvers_)
    rounds = std::max(rounds, solver->iterations()), solver_residual_ = std::max(solver_residual_, solver->residual());
  report_.iterations += rounds;
  if (std::find(solved_.begin(), solved_.end(), 0) != solved_.end()) return false;
  if (!reevings_.empty() && !reevings_.solve(solvers_, rows_, step, response_)) return false;
  if (contacts_ && !step.still && !contacts_->solve_pairs(solvers_, rows_, response_, step)) return false;
  take_multipliers();
  return true;
}

// Geometric stiffness, and bending that follows the load, are those of the tensions before. Where one grows by more than half, again with
// the new ones.
bool Cable::tensions_grew(const StepSizes& step) {
  if (!step.geometric && settings_.bend_by_tension == 0) return false;
  tensions(new_tension_);
  bool grown = reevings_.has_grown(step, response_);
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
    note_acceleration(i, step);
    state_.v[i] = r.v;
    state_.x[i] += step.dt * r.v;
    Quat& q = state_.q[i];
    const bool guided = e.kind == Element::Kind::body && model_->bodies[z(e.number)].kind == BodyKind::guided;
    state_.momentum[i] = guided ? Vec3(world_inertia(model_->bodies[z(e.number)], q) * r.spin)
                                : Vec3(q * e.inertia.cwiseProduct(q.conjugate() * r.spin));
    q = turned(i, r.spin, step.dt);
  }
  switches_.take_step();
  reevings_.move(step);
  reevings_.finish(state_);
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
double Cable::worst_gap(std::size_t* where) const {
  double worst = 0;
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    if (!state_.point_on[j] || joint.node < 0 || switches_.draws(j)) continue;
    const std::size_t a = z(joint.a), b = z(joint.b);
    const Vec3 gap = state_.x[b] + state_.q[b] * joint.point_b - state_.x[a] - state_.q[a] * joint.point_a;
    const Vec3 elastic = joint.stretch == rigid ? Vec3::Zero() : Vec3(-state_.force[j] / joint.stretch);
    const double length = std::max(parts_.elements[a].length, parts_.elements[b].length);
    const double open = (gap - elastic).norm() / length;
    if (open <= worst) continue;
    worst = open;
    if (where != nullptr) *where = j;
  }
  const double fall = reevings_.worst_gap();
  return fall <= worst ? worst : fall;
}

bool Cable::is_diverged() const {
  for (const auto* list : {&state_.x, &state_.v, &state_.momentum})
    for (const Vec3& value : *list)
      if (!value.allFinite()) return true;
  return false;
}

StepReport Cable::step(double time, double dt, const Live& live) {
  if (settings_.substeps <= 1) return step_once(time, dt, live);
  StepReport all;
  const double part = dt / settings_.substeps;
  for (int k = 0; k < settings_.substeps; ++k) {
    const StepReport one = step_once(time + k * part, part, live);
    all.iterations += one.iterations, all.residual = std::max(all.residual, one.residual);
    all.penetration = std::max(all.penetration, one.penetration), all.contacts = one.contacts;
    all.outcome = one.outcome, all.cause = one.cause;
    if (one.outcome != Outcome::fine) break;
  }
  all.step_taken = dt;
  return report_ = all;
}

StepSizes Cable::sizes(double dt) const {
  return {dt,
          0.5 * (before_ + dt),
          before_,
          settings_.averaged,
          settings_.extra_damping * dt,
          settings_.geometric,
          false,
          settings_.averaged && settings_.pitched};
}

StepReport Cable::step_once(double time, double dt, const Live& live) {
  report_ = {};
  report_.step_taken = dt;
  if (contacts_) {
    step_in_parts(time, dt, live);
    return report_;
  }
  drive_to(time + dt, 1, live, false);
  if (mesh_.varies()) change_mesh(dt);
  if (feed_.any()) bow_pressed_rods(dt);  // a winch may pay out to an end that is held
  flow_.begin(state_);
  lead(dt);
  const StepSizes step = sizes(dt);
  reevings_.begin(drive_, state_, step);
  if (!(mesh_.varies() ? solve_with_winches(step) : solve(step))) {
    report_.outcome = Outcome::diverged, report_.cause = Cause::not_finite;
    return report_;
  }
  finish(step);
  return report_;
}

void Cable::finish(const StepSizes& step) {
  constexpr double apart = 0.1;  // of a segment
  impact_ = impact_loss(step);
  move(step);
  if (mesh_.varies()) count_winches(step.dt);
  before_ = step.dt;
  if (is_diverged()) {
    report_.outcome = Outcome::diverged, report_.cause = Cause::not_finite;
    return;
  }
  const double gap = worst_gap();
  report_.residual = std::max({report_.residual, gap, solver_residual_});
  loads_.update(drive_);
  collect_loads();
  count_flow(step);
  if (gap > apart) {
    report_.outcome = Outcome::diverged, report_.cause = joint_apart;
    note_failure(step.dt);
  }
  if (reevings_.shortest_fall() < 1) report_.outcome = Outcome::diverged, report_.cause = blocks_met;
}

}  // namespace tendril::cable
