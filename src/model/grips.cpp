#include "model/grips.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"

namespace tendril {

Grip grip_at(const Model& model, int rod, double material) {
  const RodModel& r = model.rods[static_cast<std::size_t>(rod)];
  const double* first = model.material.data() + r.span.first_node;
  if (r.span.ring) material -= r.length * std::floor(material / r.length);
  // The last of the edges that begin at or before the point.
  const auto after = std::upper_bound(first + 1, first + r.span.edges, material);
  const int k = static_cast<int>(after - first) - 1;
  Grip grip;
  grip.rod = rod;
  grip.edge = EdgeIndex(r.span.first_edge + k);
  grip.a = NodeIndex(r.span.first_node + k);
  grip.b = NodeIndex(r.span.first_node + (k + 1 == r.span.nodes ? 0 : k + 1));
  grip.share = std::clamp((material - first[k]) / model.rest_length[grip.edge], 0.0, 1.0);
  return grip;
}

Vec3 grip_moment(const Grip& grip, const Quat& orientation, const Vec3& spin) {
  const Quat turn = grip.pose.orientation * orientation.conjugate();
  return grip.angular_stiffness * log_rotation(turn) + grip.angular_damping * (grip.motion.angular - spin);
}

Hand suggested_hand(const Model& model, int rod, double material) {
  const RodModel& r = model.rods[static_cast<std::size_t>(rod)];
  double mass = 0, compliance = 0;
  for (int k = 0; k < r.span.edges; ++k) {
    const EdgeIndex e(r.span.first_edge + k);
    const Section& s = model.section[e];
    mass += s.line_mass * model.rest_length[e];
    compliance += model.rest_length[e] / (r.length * std::min(s.EI1, s.EI2));
  }
  // Firm against what the rod answers with: 3 EI/L^3 of its end and its weight per length. Thirty times that still moves the
  // middle of a rod held at both ends, which is 64 times as stiff. Where neither is there, against its inertia: it follows
  // within a tenth of a second.
  constexpr double firm = 30, quick = 10;  // [1], [rad/s]
  const double bending = 3 / (compliance * std::pow(r.length, 3)), weight = mass * model.gravity.norm() / r.length;
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
