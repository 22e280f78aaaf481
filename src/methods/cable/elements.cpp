// What acts on elements alone: loads, air, hands, and how an element answers.
#include <algorithm>
#include <array>
#include <cmath>

#include "math/rotation.h"
#include "methods/cable/cable.h"
#include "model/bodies.h"

namespace tendril::cable {

void Cable::collect_loads() {
  wind_ = drag_ = 0;
  for (std::size_t i = 0; i < parts_.elements.size(); ++i)
    if (!parts_.elements[i].led) collect_load(i, drive_.gravity);
  add_node_loads();
}

void Cable::collect_load(std::size_t i, const Vec3& gravity) {
  const Element& e = parts_.elements[i];
  force_[i] = e.mass * gravity, moment_[i].setZero();
  given_force_[i].setZero(), given_moment_[i].setZero();
  if (e.kind != Element::Kind::segment) return;
  const Mat3 frame = state_.q[i].toRotationMatrix();
  const LoadedPoint<double> at{to_small(state_.x[i]), to_small(level_velocity(i)), to_small(frame)};
  const EdgeIndex edge(e.edge);
  const WrenchOf<double> given = loads_.given_per_length(edge, at);
  if (!parts_.chains[z(e.rod)].varies) {
    given_force_[i] = e.length * to_eigen(given.force) - force_[i];
    given_moment_[i] = e.length * to_eigen(given.moment);
  } else {
    mesh_.for_each_edge_under(i, [&](EdgeIndex under, double length) {
      const WrenchOf<double> there = loads_.given_per_length(under, at);
      given_force_[i] += length * (to_eigen(there.force) - model_->section[under].line_mass * gravity);
      given_moment_[i] += length * to_eigen(there.moment);
    });
  }
  force_[i] += given_force_[i], moment_[i] = given_moment_[i];
  if (model_->drags.empty() && model_->winds.empty()) return;
  const auto load = [&](const auto& point) { return loads_.per_length(edge, point); };
  air_[i] = e.length * load_tangent(load, at).velocity.topRows<3>();
  force_[i] += e.length * to_eigen(load(at).force - given.force) - air_[i] * level_velocity(i);
  const LoadsNow::AirPower power = loads_.air_power(edge, at);
  wind_ += e.length * power.wind, drag_ += e.length * power.drag;
}

// A load at a node acts on the segments there, on each with its share; the frame is the node's, as the segment sees it.
void Cable::add_node_loads(int only) {
  for (const int node : loaded_nodes_) {
    if (mesh_.varies() && mesh_.rod_that_varies(node) >= 0) {
      add_varying_node_load(node, only);
      continue;
    }
    if (only >= 0) continue;
    const auto edges = [&] {
      for (const RodModel& rod : model_->rods) {
        const int k = node - rod.span.first_node;
        if (k >= 0 && k < rod.span.nodes)
          return std::array<int, 2>{
              k > 0 || rod.span.ring ? rod.span.first_edge + (k + rod.span.edges - 1) % rod.span.edges : -1,
              k < rod.span.edges ? rod.span.first_edge + k : -1};
      }
      return std::array<int, 2>{-1, -1};
    }();
    const double share = edges[0] >= 0 && edges[1] >= 0 ? 0.5 : 1;
    const bool borne = std::any_of(model_->clamps.begin(), model_->clamps.end(), [&](const ClampModel& c) {
      return c.node.value == node && c.direction && c.twist &&
             drive_.clamps[static_cast<std::size_t>(&c - model_->clamps.data())].active;
    });
    for (int side = 0; side < 2; ++side) {
      if (edges[z(side)] < 0) continue;
      const std::size_t i = z(edges[z(side)]);
      const Quat own = model_->rest_frame[EdgeIndex(edges[z(side)])];
      const Mat3 frame = (state_.q[i] * (own.conjugate() * model_->rest_node_frame[NodeIndex(node)])).toRotationMatrix();
      const Vec3 arm = state_.q[i] * Vec3(0, 0, (side == 0 ? 0.5 : -0.5) * parts_.elements[i].length);
      const LoadedPoint<double> at{to_small(Vec3(state_.x[i] + arm)), to_small(state_.v[i]), to_small(frame)};
      const WrenchOf<double> load = loads_.at_node(NodeIndex(node), at);
      const Vec3 force = share * to_eigen(load.force);
      const Vec3 moment = arm.cross(force) + (borne ? Vec3::Zero() : Vec3(share * to_eigen(load.moment)));
      force_[i] += force, moment_[i] += moment;
      given_force_[i] += force, given_moment_[i] += moment;
    }
  }
}

// Where the mesh changes: on the segment at which its material point lies, unless that is on a drum.
void Cable::add_varying_node_load(int node, int only) {
  const int rod = mesh_.rod_that_varies(node);
  const Mesh::Point point = mesh_.find(rod, model_->material[NodeIndex(node)]);
  if (!point.out || (only >= 0 && point.element != only)) return;
  const std::size_t i = z(point.element);
  const Vec3 arm = state_.q[i] * Vec3(0, 0, (point.share - 0.5) * parts_.elements[i].length);
  const Mat3 frame = state_.q[i].toRotationMatrix();
  const LoadedPoint<double> at{to_small(Vec3(state_.x[i] + arm)), to_small(state_.v[i]), to_small(frame)};
  const WrenchOf<double> load = loads_.at_node(NodeIndex(node), at);
  const Vec3 force = to_eigen(load.force), moment = arm.cross(force) + to_eigen(load.moment);
  force_[i] += force, moment_[i] += moment;
  given_force_[i] += force, given_moment_[i] += moment;
}

void Cable::respond_segment(std::size_t i, const StepSizes& step) {
  const Element& e = parts_.elements[i];
  Response& r = response_[i];
  const double damped = 1 + e.damping * step.h;
  const Mat3 frame = state_.q[i].toRotationMatrix();
  r.v = state_.v[i];
  if (air_[i].isZero(0)) {
    r.linear = Mat3::Identity() / (e.mass * damped);
    r.y = (r.v + (step.h / e.mass) * force_[i]) / damped;  // without m v/m, whose rounding adds up
  } else {
    r.linear = (e.mass * damped * Mat3::Identity() - step.h * air_[i]).inverse();
    r.y.noalias() = r.linear * (e.mass * r.v + step.h * force_[i]);
  }
  const double tension = step.geometric ? std::max(0.0, 0.5 * state_.tension[i]) : 0;
  // Only as much of the stiffness is implicit as an explicit scheme would not hold: at most an eighth of the largest tension stays
  // explicit, and what is well resolved keeps its pitch, which implicit stiffness lowers by (w dt)^2/2.
  const double need = need_of_damping(4 * tension / largest_tension(e, step.dt, step.h));
  // The largest tension is that of even meshes: where long segments stand beside short ones all of it is implicit.
  const bool whole = step.still || parts_.chains[z(e.rod)].varies;
  const double stiff = step.dt * step.h * tension * e.length * (whole ? 1 : need), kept = 1 - 0.05 * need;
  const Vec3 own = frame.transpose() * state_.momentum[i], extra(stiff, stiff, 0);
  const Vec3 spin = own.cwiseQuotient(e.inertia);
  const Vec3 give = (damped * e.inertia + extra).cwiseInverse();
  r.spin = frame * spin;
  r.angular.noalias() = frame * give.asDiagonal() * frame.transpose();
  r.y_spin = frame * give.cwiseProduct(own + kept * extra.cwiseProduct(spin)) + step.h * (r.angular * moment_[i]);
  r.has_mixed = false;
}

void Cable::respond_body(std::size_t i, const StepSizes& step) {
  const Element& e = parts_.elements[i];
  Response& r = response_[i];
  const double damped = 1 + e.damping * step.h;
  if (e.kind == Element::Kind::junction) {
    r.linear.setZero(), r.y.setZero(), r.v.setZero();
    r.angular = Mat3::Identity() / (e.inertia.x() * damped);
    r.spin = state_.momentum[i] / e.inertia.x();
  } else {
    const BodyModel& body = model_->bodies[z(e.number)];
    r.v = state_.v[i];
    r.linear = inverse_mass(body) / damped;
    r.y = r.linear * (e.mass * r.v + step.h * force_[i]);
    r.angular = inverse_inertia(body, state_.q[i]) / damped;
    r.spin = damped * (r.angular * state_.momentum[i]);
  }
  r.y_spin = r.angular * (state_.momentum[i] + step.h * moment_[i]);
  r.has_mixed = false;
}

void Cable::respond(const StepSizes& step) {
  for (std::size_t i = 0; i < parts_.elements.size(); ++i) {
    if (parts_.elements[i].led) continue;
    if (parts_.elements[i].kind == Element::Kind::segment)
      respond_segment(i, step);
    else
      respond_body(i, step);
  }
  add_grips(step);
  if (contacts_ && !step.still) contacts_->add_to(response_, step);
}

std::size_t Cable::grip_element(const Grip& grip) const {
  if (grip.body >= 0) return z(parts_.first_body + grip.body);
  return parts_.chains[z(grip.rod)].varies ? z(mesh_.find(grip.rod, grip.material).element) : z(grip.edge.value);
}
Vec3 Cable::grip_arm(const Grip& grip) const {
  const std::size_t i = grip_element(grip);
  if (grip.body >= 0) return state_.q[i] * grip.point;
  const double share = parts_.chains[z(grip.rod)].varies ? mesh_.find(grip.rod, grip.material).share : grip.share;
  return state_.q[i] * Vec3(0, 0, (share - 0.5) * parts_.elements[i].length);
}

// A spring and damper at a point, implicit: M + h (k dt + c) J^T J, J = (1, -[arm]); so it is stable for any hand.
void Cable::add_grips(const StepSizes& step) {
  for (const Grip& grip : drive_.grips) {
    const std::size_t i = grip_element(grip);
    if (parts_.elements[i].led) continue;
    const Vec3 arm = grip_arm(grip);
    const double k = step.h * (grip.stiffness * step.dt + grip.damping),
                 turn = step.h * (grip.angular_stiffness * step.dt + grip.angular_damping);
    // What acts besides the springs' and dampers' share of the new velocity.
    const Vec3 force = grip.stiffness * (grip.pose.position - (state_.x[i] + arm)) + grip.damping * grip.motion.linear;
    Vec3 moment = arm.cross(force);
    if (grip.angular_stiffness > 0 || grip.angular_damping > 0) moment += grip_moment(grip, state_.q[i], Vec3::Zero());
    Eigen::Matrix<double, 6, 1> push;
    push.head<3>() = step.h * force, push.tail<3>() = step.h * moment;
    Eigen::Matrix<double, 6, 6> added = Eigen::Matrix<double, 6, 6>::Zero();
    const Mat3 cross = skew(arm);
    added.topLeftCorner<3, 3>() = k * Mat3::Identity();
    added.topRightCorner<3, 3>() = -k * cross, added.bottomLeftCorner<3, 3>() = k * cross;
    added.bottomRightCorner<3, 3>() = -k * cross * cross + turn * Mat3::Identity();
    load_response(i, added, push);
  }
}

// M + A instead of M, and an impulse more. (W^-1 + A)^-1 = (1 + W A)^-1 W: W may be singular, of a guided body.
void Cable::load_response(std::size_t i, const Eigen::Matrix<double, 6, 6>& added, const Eigen::Matrix<double, 6, 1>& push) {
  Response& r = response_[i];
  Eigen::Matrix<double, 6, 6> w;
  w << r.linear, r.mixed, r.mixed.transpose(), r.angular;
  if (!r.has_mixed) w.topRightCorner<3, 3>().setZero(), w.bottomLeftCorner<3, 3>().setZero();
  Eigen::Matrix<double, 6, 1> y;
  y.head<3>() = r.y, y.tail<3>() = r.y_spin;
  const Eigen::Matrix<double, 6, 6> one = Eigen::Matrix<double, 6, 6>::Identity() + w * added;
  SmallLU<6> lu;
  std::ignore = lu.factor(one);
  SmallLU<6>::Block now = w;
  Eigen::Matrix<double, 6, 1> yy = y + w * push;
  lu.solve(now);
  lu.solve(yy);
  r.linear = now.topLeftCorner<3, 3>(), r.angular = now.bottomRightCorner<3, 3>(), r.mixed = now.topRightCorner<3, 3>();
  r.has_mixed = true;
  r.y = yy.head<3>(), r.y_spin = yy.tail<3>();
}

}  // namespace tendril::cable
