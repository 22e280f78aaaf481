#include "model/grips.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/rotation.h"

namespace tendril {

PointOnNodes point_on_nodes(const RodSpan& rod, const OnNodes<double>& material, double length, double s) {
  const double* first = material.data() + rod.first_node;
  if (rod.ring) s -= length * std::floor(s / length);
  // The last of the edges that begin at or before the point.
  const auto after = std::upper_bound(first + 1, first + rod.edges, s);
  const int k = static_cast<int>(after - first) - 1;
  const bool round = k + 1 == rod.nodes;  // the last edge of a ring
  const double end = round ? length : first[k + 1];
  return {EdgeIndex(rod.first_edge + k), NodeIndex(rod.first_node + k), NodeIndex(rod.first_node + (round ? 0 : k + 1)),
          std::clamp((s - first[k]) / (end - first[k]), 0.0, 1.0)};
}

Grip grip_at(const Model& model, int rod, double material) {
  const RodModel& r = model.rods[static_cast<std::size_t>(rod)];
  const PointOnNodes at = point_on_nodes(r.span, model.material, r.length, material);
  Grip grip;
  grip.rod = rod;
  grip.material = material;
  grip.edge = at.edge, grip.a = at.a, grip.b = at.b, grip.share = at.share;
  return grip;
}

Vec3 grip_moment(const Grip& grip, const Quat& orientation, const Vec3& spin) {
  const Quat turn = grip.pose.orientation * orientation.conjugate();
  return grip.angular_stiffness * log_rotation(turn) + grip.angular_damping * (grip.motion.angular - spin);
}

// k/2 |p - h|^2 with p = sum w_i x_i:   gradient k w_i (p - h),   Hessian k w_i w_j
SpringEnergy spring_energy_with_derivatives(double stiffness, double share, const Vec3& a, const Vec3& b,
                                            const Vec3& place) {
  const double w[2] = {1 - share, share};
  const Vec3 away = w[0] * a + w[1] * b - place;
  SpringEnergy spring;
  spring.energy = 0.5 * stiffness * away.squaredNorm();
  for (int i = 0; i < 2; ++i) {
    spring.gradient.segment<3>(3 * i) = stiffness * w[i] * away;
    for (int j = 0; j < 2; ++j) spring.hessian.block<3, 3>(3 * i, 3 * j) = stiffness * w[i] * w[j] * Mat3::Identity();
  }
  return spring;
}

namespace {
constexpr double firm = 30, quick = 10;  // [1], [rad/s]

double size_of(const BodyModel& body) {
  if (!body.shape) return body.mass > 0 ? 2 * std::sqrt(body.inertia.maxCoeff() / body.mass) : 1;
  if (const auto* b = std::get_if<BoxBody>(&*body.shape)) return b->size.maxCoeff();
  if (const auto* s = std::get_if<SphereBody>(&*body.shape)) return 2 * s->radius;
  if (const auto* c = std::get_if<CylinderBody>(&*body.shape)) return std::max(c->length, 2 * c->radius);
  const auto& c = std::get<CapsuleBody>(*body.shape);
  return c.length + 2 * c.radius;
}
}  // namespace

Hand suggested_hand(const Model& model, int body, const Vec3& point) {
  const BodyModel& b = model.bodies[static_cast<std::size_t>(body)];
  double mass = b.mass;
  Hand hand;
  hand.body = body;
  hand.point = point;
  hand.stiffness = firm * b.mass * model.gravity.norm() / size_of(b) + quick * quick * b.mass;
  for (const JointModel& joint : model.joints)
    for (const auto& [rod, other] : {std::pair(joint.rod_a, joint.body_b), std::pair(joint.rod_b, joint.body_a)}) {
      if (rod < 0 || other != body) continue;
      hand.stiffness += suggested_hand(model, rod, 0.0).stiffness;
      mass += mass_of(model, model.rods[static_cast<std::size_t>(rod)]) / 3;
    }
  hand.damping = 2 * std::sqrt(hand.stiffness * mass);
  hand.pose = {b.start.pose.position + b.start.pose.orientation * point, b.start.pose.orientation};
  return hand;
}

Hand suggested_hand(const Model& model, int rod, double material) {
  const RodModel& r = model.rods[static_cast<std::size_t>(rod)];
  const double mass = mass_of(model, r);
  double compliance = 0;
  for (int k = 0; k < r.span.edges; ++k) {
    const EdgeIndex e(r.span.first_edge + k);
    const Section& s = model.section[e];
    compliance += model.rest_length[e] / (r.length * std::min(s.EI1, s.EI2));
  }
  // Firm against what the rod answers with: 3 EI/L^3 of its end and its weight per length. Thirty times that still moves the
  // middle of a rod held at both ends, which is 64 times as stiff. Where neither is there, against its inertia: it follows
  // within a tenth of a second.
  const double bending = 3 / (compliance * math::cube(r.length)), weight = mass * model.gravity.norm() / r.length;
  Hand hand;
  hand.rod = rod;
  hand.material = material;
  hand.stiffness = firm * (bending + weight) + quick * quick * mass;
  hand.damping = 2 * std::sqrt(hand.stiffness * mass / 3);  // critical for the third of the mass that an end drags along
  const Grip grip = grip_at(model, rod, material);
  hand.pose.position = (1 - grip.share) * model.initial.position[grip.a] + grip.share * model.initial.position[grip.b];
  hand.pose.orientation = model.initial.orientation[grip.edge];
  return hand;
}

}  // namespace tendril
