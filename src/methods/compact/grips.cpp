// Couplings and hands on one rod: springs and dampers that pull at a point and turn the links beside it.
#include "math/rotation.h"
#include "methods/compact/problem.h"

namespace tendril::compact {

Problem::Held Problem::held_by(const Grip& grip) const {
  Held held;
  const RodSpan& span = model_.rods[z(chain_.rod)].span;
  const int k = grip.edge.value - span.first_edge;
  held.link = chain_.link_of_edge[z(k)];
  held.far = chain_.reversed ? 1 - grip.share : grip.share;
  const int other = grip.share == 0 ? k - 1 : grip.share == 1 ? k + 1 : -1;
  if (grip.share != 0 && grip.share != 1) return held;
  if (chain_.ring)
    held.neighbour = chain_.link_of_edge[z((other + span.edges) % span.edges)];
  else if (other >= 0 && other < span.edges)
    held.neighbour = chain_.link_of_edge[z(other)];
  return held;
}

// A damper that turns is a spring of stiffness damping/h to where the link would be if it had turned with the hand.
Grip Problem::turning_part(const Grip& grip, int link, double share) const {
  Grip part = grip;
  part.angular_stiffness *= share;
  part.angular_damping *= share;
  if (stage_.still() || part.angular_damping == 0) return part.angular_damping = 0, part;
  const double more = part.angular_damping / stage_.h;
  const Quat& before = state_->q[z(link)];
  const Quat led = exp_quat(Vec3(stage_.h * grip.motion.angular)) * before;
  // Two springs as one: between both places, as far as their stiffnesses say.
  const Vec3 between = log_rotation(Quat(led * grip.pose.orientation.conjugate()));
  const double all = part.angular_stiffness + more;
  part.pose.orientation = exp_quat(Vec3((more / all) * between)) * grip.pose.orientation;
  part.angular_stiffness = all;
  part.angular_damping = 0;
  return part;
}

void Problem::add_grips() {
  for (const Grip& grip : drive_->grips) {
    if (grip.rod != chain_.rod) continue;
    const Held held = held_by(grip);
    const auto at = [&](const auto& value) {
      return Vec3((1 - held.far) * value(held.link) + held.far * value(held.link + 1));
    };
    const Vec3 p = at([this](int k) { return x_[z(k)]; });
    const Vec3 v = stage_.still() ? Vec3(Vec3::Zero()) : at([this](int k) { return velocity(k); });
    const Vec3 force = grip_force(grip, p, v);
    node_gradient_[z(held.link)] -= (1 - held.far) * force;
    node_gradient_[z(held.link + 1)] -= held.far * force;
    energy_ += 0.5 * grip.stiffness * (grip.pose.position - p).squaredNorm();
    if (!stage_.still()) energy_ += 0.5 * grip.damping / stage_.gamma * (grip.motion.linear - v).squaredNorm();
    if (grip.angular_stiffness == 0 && grip.angular_damping == 0) continue;
    const double share = held.neighbour >= 0 ? 0.5 : 1;
    for (const int link : {held.link, held.neighbour}) {
      if (link < 0) continue;
      const Grip part = turning_part(grip, link, share);
      link_gradient_[z(link)] -= grip_moment(part, q_[z(link)], Vec3::Zero());
      energy_ +=
          0.5 * part.angular_stiffness * log_rotation(Quat(part.pose.orientation * q_[z(link)].conjugate())).squaredNorm();
    }
  }
}

// What they do along the velocities of the new level.
void Problem::measure_grips() {
  grip_power_ = 0;
  const Levels& l = state_->points;
  for (const Grip& grip : drive_->grips) {
    if (grip.rod != chain_.rod) continue;
    const Held held = held_by(grip);
    const auto at = [&](const std::vector<Vec3>& y) {
      return Vec3((1 - held.far) * y[z(held.link)] + held.far * y[z(held.link + 1)]);
    };
    grip_power_ += grip_force(grip, at(l.y), at(l.v)).dot(at(l.v));
    if (grip.angular_stiffness == 0 && grip.angular_damping == 0) continue;
    for (const int link : {held.link, held.neighbour}) {
      if (link < 0) continue;
      const Grip part = turning_part(grip, link, held.neighbour >= 0 ? 0.5 : 1);
      const Vec3 turned = log_rotation(Quat(q_[z(link)] * state_->q[z(link)].conjugate()));
      grip_power_ += grip_moment(part, q_[z(link)], Vec3::Zero()).dot(turned) / stage_.h;
    }
  }
}

}  // namespace tendril::compact
