// What leaves the method: frames, reactions, the energy balance, saved states.
#include <algorithm>

#include "math/rotation.h"
#include "methods/cable/cable.h"
#include "model/bodies.h"
#include "model/check_drive.h"

namespace tendril::cable {
namespace {
struct AtNode {  // segments of a rod at one of its nodes; -1: none
  int before = -1, after = -1;
};
AtNode segments_at(const Chain& chain, int k) {
  const int count = static_cast<int>(chain.segments.size());
  return {k > 0 || chain.span.ring ? chain.segments[z((k + count - 1) % count)] : -1, k < count ? chain.segments[z(k)] : -1};
}
}  // namespace

Pose Cable::pose_at(int node) const {
  for (const RodModel& rod : model_->rods) {
    const int k = node - rod.span.first_node;
    if (k < 0 || k >= rod.span.nodes) continue;
    const AtNode at = segments_at(parts_.chains[static_cast<std::size_t>(&rod - model_->rods.data())], k);
    const auto end = [&](int e, double side) {
      return Vec3(state_.x[z(e)] + state_.q[z(e)] * Vec3(0, 0, side * 0.5 * parts_.elements[z(e)].length));
    };
    const Quat& node_frame = model_->rest_node_frame[NodeIndex(node)];
    const auto frame = [&](int e) {
      return Quat(state_.q[z(e)] * (model_->rest_frame[EdgeIndex(e)].conjugate() * node_frame));
    };
    if (at.before < 0) return {end(at.after, -1), frame(at.after)};
    if (at.after < 0) return {end(at.before, 1), frame(at.before)};
    const Quat a = state_.q[z(at.before)], b = state_.q[z(at.after)];
    return {0.5 * (end(at.before, 1) + end(at.after, -1)),
            (a * exp_quat(Vec3(0.5 * log_rotation(Quat(a.conjugate() * b))))).normalized()};
  }
  return {};
}

// Where the mesh changes nodes have other numbers: the rod's end, or the material point.
Pose Cable::pose_of(const ClampModel& clamp) const {
  const Chain& chain = parts_.chains[z(clamp.rod)];
  if (!chain.varies) return pose_at(clamp.node.value);
  const RodSpan& span = model_->rods[z(clamp.rod)].span;
  if (clamp.node.value == span.first_node) return end_pose(chain.segments.front(), 0);
  if (clamp.node.value == span.first_node + span.nodes - 1) return end_pose(chain.segments.back(), 1);
  const Mesh::Point point = mesh_.find(clamp.rod, clamp.material);
  return end_pose(point.element, point.share < 0.5 ? 0 : 1);
}
Pose Cable::end_pose(int element, int side) const {
  const std::size_t i = z(element);
  return {state_.x[i] + state_.q[i] * parts_.elements[i].end(side), state_.q[i]};
}

// Rows of a joint as things stand now.
JointRows Cable::present_rows(std::size_t j) const {
  const Joint& joint = parts_.joints[j];
  const std::size_t a = z(joint.a), b = z(joint.b);
  JointRows rows;
  double twist = 0;
  place_rows(joint, {state_.x[a], state_.x[b], state_.q[a], state_.q[b]}, state_.twist[j], !settings_.geometric, rows,
             twist);
  return rows;
}

// Joints to a clamp: what it does to the rod. Moments that act on a full clamp are borne by it.
void Cable::find_reactions(std::span<Wrench> out) const {
  for (Wrench& wrench : out) wrench = {};
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    if (joint.clamp < 0 || !drive_.clamps[z(joint.clamp)].active) continue;
    const double sign = joint.after == 1 ? 1 : -1;  // the rod is b, or a
    Wrench& wrench = out[z(joint.clamp)];
    wrench.force += sign * state_.force[j];
    wrench.moment += sign * (present_rows(j).turn.transpose() * state_.couple[j]);
  }
  for (std::size_t c = 0; c < model_->clamps.size(); ++c) {
    const ClampModel& clamp = model_->clamps[c];
    if (!drive_.clamps[c].active || !clamp.direction || !clamp.twist) continue;
    if (!std::binary_search(loaded_nodes_.begin(), loaded_nodes_.end(), clamp.node.value)) continue;
    const Mat3 frame = drive_.clamps[c].pose.orientation.toRotationMatrix();
    const LoadedPoint<double> at{{0, 0, 0}, {0, 0, 0}, to_small(frame)};
    out[c].moment -= to_eigen(loads_.at_node(clamp.node, at).moment);
  }
}

void Cable::find_led(std::vector<Wrench>& out) const {
  for (Wrench& wrench : out) wrench = {};
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    for (const int e : {joint.a, joint.b}) {
      const Element& element = parts_.elements[z(e)];
      if (!element.led || element.kind != Element::Kind::body) continue;
      const JointRows rows = present_rows(j);
      const double sign = e == joint.b ? 1 : -1;
      const Vec3& lever = e == joint.b ? rows.lever_b : rows.lever_a;
      out[z(e)].force += sign * state_.force[j];
      out[z(e)].moment += sign * (lever.cross(state_.force[j]) + rows.turn.transpose() * state_.couple[j]);
    }
  }
  reevings_.add_wrenches(out);
}

// What dampers of masses and joints took in the step.
double Cable::damping_loss(const StepSizes& step) const {
  double lost = 0;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.led || e.damping == 0) continue;
    const Vec3 spin = state_.q[i].conjugate() * response_[i].spin;
    lost += step.dt * e.damping * (e.mass * state_.v[i].squaredNorm() + spin.dot(e.inertia.cwiseProduct(spin)));
  }
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    if (joint.damping == 0) continue;
    const Response &a = response_[z(joint.a)], &b = response_[z(joint.b)];
    if (state_.frame_on[j]) {
      const Vec3 rate = rows_[j].turn * (b.spin - a.spin);
      for (int k = 0; k < 3; ++k)
        if (rows_[j].on[k] && joint.stiffness[k] != rigid)
          lost += step.dt * joint.damping * rows_[j].stiffness[k] * rate[k] * rate[k];
    }
    if (state_.point_on[j] && joint.stretch != rigid) {
      const Vec3 rate = b.v + b.spin.cross(rows_[j].lever_b) - a.v - a.spin.cross(rows_[j].lever_a) + joint.fed;
      lost += step.dt * joint.damping * joint.stretch * rate.squaredNorm();
    }
  }
  return lost;
}

void Cable::count_flow(const StepSizes& step) {
  find_reactions(reactions_);
  find_led(led_);
  hands_ = 0;
  for (const Grip& grip : drive_.grips) {
    const std::size_t i = grip_element(grip);
    if (parts_.elements[i].led) continue;
    const Vec3 arm = grip_arm(grip);
    const Vec3 spin = level_spin(i), velocity = level_velocity(i) + spin.cross(arm);
    hands_ += grip_force(grip, state_.x[i] + arm, velocity).dot(velocity);
    if (grip.angular_stiffness > 0 || grip.angular_damping > 0) hands_ += grip_moment(grip, state_.q[i], spin).dot(spin);
  }
  const Reevings::Flow ropes = reevings_.flow(step);
  flow_.count(drive_, state_,
              {&given_force_, &given_moment_, &reactions_, &led_, hands_, wind_, drag_, damping_loss(step) + ropes.damping,
               ropes.winches, switches_.work(), ropes.friction, impact_},
              step.dt);
}

// A force in a segment is the mean of those at its ends, which weight tells apart: half of each joint's, and of loads at its nodes.
void Cable::write_rod(std::size_t r, Frame& frame) const {
  const Chain& chain = parts_.chains[r];
  const RodSpan& span = chain.span;
  for (int k = 0; k < span.nodes; ++k) {
    const AtNode at = segments_at(chain, k);
    const NodeIndex node(span.first_node + k);
    Vec3 place = Vec3::Zero(), velocity = Vec3::Zero();
    int sides = 0;
    for (const int e : {at.before, at.after}) {
      if (e < 0) continue;
      const Vec3 arm = state_.q[z(e)] * parts_.elements[z(e)].end(e == at.before ? 1 : 0);
      place += state_.x[z(e)] + arm;
      velocity += level_velocity(z(e)) + level_spin(z(e)).cross(arm);
      ++sides;
    }
    frame.position[node] = place / sides, frame.velocity[node] = velocity / sides;
    frame.moment[node].setZero();
  }
  for (int k = 0; k < span.edges; ++k) {
    const EdgeIndex e(span.first_edge + k);
    const std::size_t i = z(chain.segments[z(k)]);
    frame.orientation[e] = state_.q[i];
    frame.spin[e] = level_spin(i);
    frame.force[e].setZero();
  }
  write_node_loads(r, frame);
}

void Cable::write_node_loads(std::size_t r, Frame& frame) const {
  const Chain& chain = parts_.chains[r];
  const RodSpan& span = model_->rods[r].span;
  for (const int node : loaded_nodes_) {
    const int k = node - span.first_node;
    if (k < 0 || k >= span.nodes) continue;
    AtNode at;
    double share = 1;
    if (chain.varies) {
      // Where a load lies inside a segment, its ends carry it both.
      const Mesh::Point point = mesh_.find(static_cast<int>(r), model_->material[NodeIndex(node)]);
      if (point.out && point.share == 1) at.before = point.element;
      if (point.out && point.share == 0) at.after = point.element;
    } else {
      at = segments_at(chain, k);
      share = at.before >= 0 && at.after >= 0 ? 0.5 : 1;
    }
    if (at.before < 0 && at.after < 0) continue;
    const Mat3 axes =
        (chain.varies ? state_.q[z(std::max(at.before, at.after))] : pose_at(node).orientation).toRotationMatrix();
    const Vec3 place =
        chain.varies ? state_.x[z(std::max(at.before, at.after))] : frame.position[NodeIndex(chain.span.first_node + k)];
    const LoadedPoint<double> point{to_small(place), {0, 0, 0}, to_small(axes)};
    const Vec3 force = share * to_eigen(loads_.at_node(NodeIndex(node), point).force);
    if (at.before >= 0) frame.force[EdgeIndex(parts_.elements[z(at.before)].edge_now)] += 0.5 * force;
    if (at.after >= 0) frame.force[EdgeIndex(parts_.elements[z(at.after)].edge_now)] -= 0.5 * force;
  }
}

// The frame's own counts: those of the rods as they are now.
void Cable::shape_frame(Frame& frame) const {
  if (!mesh_.varies()) return take_shape(*model_, frame);
  frame.rods.resize(parts_.chains.size());
  for (std::size_t r = 0; r < parts_.chains.size(); ++r) frame.rods[r] = parts_.chains[r].span;
  const RodSpan& last = frame.rods.back();
  const int nodes = last.first_node + last.nodes, edges = last.first_edge + last.edges;
  frame.material.resize(nodes), frame.position.resize(nodes), frame.velocity.resize(nodes), frame.moment.resize(nodes);
  frame.orientation.resize(edges), frame.spin.resize(edges), frame.force.resize(edges);
  frame.twist.resize(last.first_inner + last.inner);
  for (const Chain& chain : parts_.chains)
    for (int k = 0; k < chain.span.nodes; ++k) frame.material[NodeIndex(chain.span.first_node + k)] = chain.material[z(k)];
  frame.reactions.resize(model_->clamps.size());
}

void Cable::write(Frame& frame) const {
  shape_frame(frame);
  frame.own_energy = {};
  Energy& energy = frame.own_energy;
  for (std::size_t r = 0; r < model_->rods.size(); ++r)
    if (!reevings_.owns(r)) write_rod(r, frame);
  frame.bodies.resize(model_->bodies.size());
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    const Element& e = parts_.elements[i];
    if (e.kind == Element::Kind::body) {
      frame.bodies[z(e.number)].pose = {state_.x[i], state_.q[i]};
      frame.bodies[z(e.number)].motion =
          e.led ? drive_.bodies[z(e.number)].motion : Motion{level_velocity(i), level_spin(i)};
    }
    if (e.led) continue;
    const Vec3 spin = state_.q[i].conjugate() * level_spin(i);
    energy.kinetic += 0.5 * e.mass * level_velocity(i).squaredNorm() + 0.5 * spin.dot(e.inertia.cwiseProduct(spin));
    energy.gravity -= e.mass * drive_.gravity.dot(state_.x[i]);
  }
  write_joints(frame);
  reevings_.write(frame);
  reevings_.add_energy(before_, energy);
  frame.contacts.clear();
  if (contacts_) frame.contacts.assign(contacts_->points().begin(), contacts_->points().end());
  frame.flow = flow_.flow();
  frame.report = report_;
  find_reactions(frame.reactions);
  write_drive(*model_, drive_, frame);
}

// Internal forces and moments, clamped nodes, elastic energy.
void Cable::write_joints(Frame& frame) const {
  Energy& energy = frame.own_energy;
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const Joint& joint = parts_.joints[j];
    const JointRows rows = present_rows(j);
    for (const int e : {joint.a, joint.b}) {
      if (!state_.point_on[j] || parts_.elements[z(e)].kind != Element::Kind::segment || joint.node < 0) continue;
      const bool as_rod = (e == joint.b) == ((e == joint.b ? joint.point_b : joint.point_a).z() < 0);
      frame.force[EdgeIndex(parts_.elements[z(e)].edge_now)] -= (as_rod ? 0.5 : -0.5) * state_.force[j];
    }
    if (joint.inner >= 0) frame.twist[InnerNodeIndex(joint.inner_now)] = state_.twist[j] + joint.weld;
    if (state_.point_on[j] && joint.clamp >= 0)
      frame.position[NodeIndex(joint.node_now)] = state_.x[z(parts_.first_clamp + joint.clamp)];
    if (state_.point_on[j] && joint.stretch != rigid) energy.stretching += 0.5 * joint.stretch * rows.gap.squaredNorm();
    if (!state_.frame_on[j]) continue;
    const Vec3 moment = -(rows.turn.transpose() * state_.couple[j]);
    if (joint.node >= 0) frame.moment[NodeIndex(joint.node_now)] += joint.share * moment;
    for (int k = 0; k < 3; ++k) {
      if (joint.stiffness[k] == rigid || joint.stiffness[k] == 0) continue;
      (k < 2 ? energy.bending : energy.twisting) +=
          joint.law.is_linear()
              ? 0.5 * joint.stiffness[k] * rows.strain[k] * rows.strain[k]
              : joint.span * tendril::energy_of(joint.law, joint.stiffness[k] * joint.span, rows.strain[k] / joint.span);
    }
  }
}

void Cable::visit_state(StateArchive& archive) {
  archive(late_, drive_, report_, before_, flow_, state_, mesh_, feed_, reevings_);
  switches_.visit_state(archive, parts_);
  if (contacts_) archive(*contacts_, level_);
  if (!archive.reading()) return;
  if (mesh_.varies())
    for (const auto& solver : solvers_) solver->reshape();
  reevings_.finish(state_);
  check_loaded(*model_, drive_);
  loads_.update(drive_);
  collect_loads();
}

}  // namespace tendril::cable
