#include "methods/cable/particles/particle_rope.h"

#include <cmath>

#include "math/index.h"
#include "methods/cable/cable.h"
#include "model/framing.h"

namespace tendril::cable::particles {

std::optional<ParticleModel> particle_model(std::string_view word) {
  using enum ParticleModel;
  constexpr ParticleModel models[] = {chain, total_length, load_link, total_length_cut, angles};
  if (word.size() != 11 || !word.starts_with("particles_")) return std::nullopt;
  return models[word.back() - 'a'];
}

Problems check_particles(const Model& model, const std::string& word) {
  Problems problems;
  const auto refuse = [&](const std::string& field, const std::string& what, const std::string& allowed) {
    problems.push_back({Severity::error, "", field, what, "options.cable.model = \"" + word + "\" " + allowed,
                        "take options.cable.model = \"segments\""});
  };
  if (model.rods.size() != 1) refuse("rod", "there are " + std::to_string(model.rods.size()), "is one rod alone");
  const RodModel& rod = model.rods[0];
  if (rod.span.ring) refuse("rod[0].ring", "is closed", "has two ends");
  if (!rod.law.is_linear()) refuse("rod[0].stiffening_strain", "stiffens", "is linear");
  if (rod.damping.mass != 0) refuse("rod[0].damping", "damps masses", "has internal damping only");
  for (int k = 1; k < rod.span.edges; ++k) {
    const double l = model.rest_length[EdgeIndex(k)];
    if (std::abs(l / model.rest_length[EdgeIndex(0)] - 1) > 1e-9) {
      refuse("rod[0]", "has segments of several lengths", "has links of one length");
      break;
    }
  }
  const bool pinned = model.clamps.size() == 1 && model.clamps[0].node.value == 0 && model.clamps[0].position &&
                      !model.clamps[0].direction && !model.clamps[0].twist && model.clamps[0].from <= 0 &&
                      model.clamps[0].until == forever;
  if (!pinned) refuse("clamp", "holds other than the position of the rod's start, always", "hangs on its start");
  if (!model.node_loads.empty() || !model.line_loads.empty() || !model.drags.empty() || !model.winds.empty())
    refuse("load", "is more than gravity", "knows gravity alone");
  if (!model.couplings.empty()) refuse("coupling", "pulls at the rod", "has no couplings");
  if (model.contact.enabled) refuse("contact.enabled", "got true", "touches nothing");
  const bool load = model.bodies.size() == 1 && model.joints.size() == 1 && model.joints[0].kind == JointKind::ball &&
                    model.bodies[0].kind == BodyKind::dynamic &&
                    (model.joints[0].rod_a == 0 ? model.joints[0].node_a : model.joints[0].node_b).value == rod.span.edges &&
                    (model.bodies[0].start.pose.position - model.initial.position[NodeIndex(rod.span.edges)]).norm() < 1e-9;
  if (!load && !(model.bodies.empty() && model.joints.empty()))
    refuse("body", "is not a dynamic load in a ball joint at the rod's end, centred there", "carries one load at its end");
  return problems;
}

// Compliances are those of the material: links l/EA, bend angles l/EI, the whole cable L/EA; 1e-12 m/N where the rod does not stretch.
ParticleCableDescription ParticleRope::describe(const Model& model, ParticleModel which) {
  const RodModel& rod = model.rods[0];
  const Section& section = model.section[EdgeIndex(0)];
  ParticleCableDescription is;
  is.model = which;
  is.link_length = model.rest_length[EdgeIndex(0)];
  is.anchor = model.initial.position[NodeIndex(0)];
  for (int k = 1; k <= rod.span.edges; ++k) {
    is.position.push_back(model.initial.position[NodeIndex(k)]);
    is.mass.push_back(section.line_mass * is.link_length * (k == rod.span.edges ? 0.5 : 1));
  }
  if (!model.bodies.empty()) is.mass.back() += model.bodies[0].mass;
  constexpr double stiff = 1e-12;
  is.stretch_compliance = rod.stretches ? is.link_length / section.EA : stiff;
  is.extra_compliance = which == ParticleModel::angles ? is.link_length / std::max(section.EI1, 1e-300)
                                                       : rod.span.edges * is.stretch_compliance;
  is.damping = rod.damping.internal;
  return is;
}

ParticleRope::ParticleRope(std::shared_ptr<const Model> model, ParticleModel which)
    : model_(std::move(model)), cable_(describe(*model_, which)) {
  const ParticleCableDescription is = describe(*model_, which);
  mass_ = is.mass;
  mass_.insert(mass_.begin(), 0.5 * is.link_length * model_->section[EdgeIndex(0)].line_mass);
  for (int k = 1; k <= cable_.links(); ++k) cable_.set_velocity(k, model_->initial.velocity[NodeIndex(k)]);
  for (int k = 0; k < cable_.links(); ++k) frame_.push_back(model_->initial.orientation[EdgeIndex(k)]);
  before_.assign(mass_.size(), Vec3::Zero());
  evaluate(*model_, {}, 0, 1, drive_);
}

StepReport ParticleRope::step(double time, double dt, const Live& live) {
  const Vec3 gravity = drive_.gravity;
  evaluate(*model_, live, time + dt, 1, drive_);
  if (drive_.gravity != gravity)
    for (std::size_t i = 0; i < mass_.size(); ++i)
      flow_.gravity -= mass_[i] * (drive_.gravity - gravity).dot(cable_.positions()[i]);
  cable_.set_gravity(drive_.gravity);
  const Vec3 anchor = cable_.positions()[0];
  cable_.lead_anchor(drive_.clamps[0].pose.position, dt);
  std::copy(cable_.velocities().begin(), cable_.velocities().end(), before_.begin());
  const PivotReport pivots = cable_.step(dt);
  report_ = {};
  report_.step_taken = dt, report_.iterations = 1;
  report_.residual = cable_.largest_stretch() / model_->rest_length[EdgeIndex(0)];
  const bool finite = std::isfinite(pivots.smallest) && std::isfinite(report_.residual);
  if (!finite) report_.outcome = Outcome::diverged, report_.cause = Cause::not_finite;
  // The anchor's force by what momentum gained beyond weight.
  reaction_ = -mass_[0] * drive_.gravity;
  for (std::size_t i = 1; i < mass_.size(); ++i)
    reaction_ += mass_[i] * ((cable_.velocities()[i] - before_[i]) / dt - drive_.gravity);
  flow_.clamps += reaction_.dot(drive_.clamps[0].pose.position - anchor);
  follow_tangents();
  // As of segments: a link is wrong by a tenth of its length.
  if (finite && report_.residual > 0.1 && !model_->rods[0].stretches)
    report_.outcome = Outcome::diverged, report_.cause = joint_apart;
  return report_;
}

StepReport ParticleRope::relax(double, double, const Live&) {
  report_ = {};
  report_.outcome = Outcome::diverged, report_.cause = particles_only_move;
  return report_;
}

void ParticleRope::follow_tangents() {
  for (std::size_t k = 0; k < frame_.size(); ++k) {
    const Vec3 edge = cable_.positions()[k + 1] - cable_.positions()[k];
    if (!(edge.norm() > 0)) continue;
    frame_[k] = carried_onto(frame_[k], edge.normalized());
  }
}

void ParticleRope::write(Frame& frame) const {
  take_shape(*model_, frame);
  const int n = cable_.links();
  frame.own_energy = {};
  for (int k = 0; k <= n; ++k) {
    const Vec3 &x = cable_.positions()[z(k)], &v = cable_.velocities()[z(k)];
    frame.position[NodeIndex(k)] = x, frame.velocity[NodeIndex(k)] = v, frame.moment[NodeIndex(k)].setZero();
    frame.own_energy.kinetic += 0.5 * mass_[z(k)] * v.squaredNorm();
    frame.own_energy.gravity -= mass_[z(k)] * drive_.gravity.dot(x);
  }
  frame.own_energy.stretching = cable_.elastic_energy();
  // What a link carries holds all below it: from the load upwards.
  Vec3 below = Vec3::Zero();
  for (int k = n - 1; k >= 0; --k) {
    const std::size_t lower = z(k + 1);
    const Vec3 rate =
        report_.step_taken > 0 ? Vec3((cable_.velocities()[lower] - before_[lower]) / report_.step_taken) : Vec3::Zero();
    below += mass_[lower] * (drive_.gravity - rate);
    const Vec3 edge = cable_.positions()[lower] - cable_.positions()[lower - 1];
    frame.force[EdgeIndex(k)] = report_.step_taken > 0 ? below : Vec3::Zero();
    frame.orientation[EdgeIndex(k)] = frame_[z(k)];
    frame.spin[EdgeIndex(k)] = edge.cross(cable_.velocities()[lower] - cable_.velocities()[lower - 1]) / edge.squaredNorm();
  }
  for (int i = 0; i + 1 < n; ++i) frame.twist[InnerNodeIndex(i)] = twist_between(frame_[z(i)], frame_[z(i + 1)], 0);
  frame.bodies.resize(model_->bodies.size());
  for (BodyState& body : frame.bodies) {
    body = model_->bodies[0].start;
    body.pose.position = cable_.positions().back(), body.motion.linear = cable_.velocities().back();
  }
  frame.contacts.clear();
  frame.reactions.resize(1);
  frame.reactions[0] = {reaction_, Vec3::Zero()};
  frame.flow = flow_, frame.report = report_;
  write_drive(*model_, drive_, frame);
}

void ParticleRope::visit_state(StateArchive& archive) {
  archive(drive_, report_, flow_, reaction_, cable_);
  archive.fixed(frame_), archive.fixed(before_);
}

}  // namespace tendril::cable::particles
