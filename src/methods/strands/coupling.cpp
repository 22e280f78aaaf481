#include "methods/strands/coupling.h"

#include <algorithm>
#include <cmath>

namespace tendril::strands {

void Coupling::begin(const Hand& hand, const State& tip, double stored) {
  active_ = true;
  hand_ = to_small(hand.pose.position), hand_q_ = to_small(hand.pose.orientation);
  place_ = next_place_ = hand_;
  tip_ = tip.r, tip_q_ = tip.q;
  const V apart = hand_ - tip_, turned = log_of(Quaternion(conjugate(tip_q_) * hand_q_));
  first_ = stored_ =
      stored + 0.5 * hand.stiffness * squared_norm(apart) + 0.5 * hand.angular_stiffness * squared_norm(turned);
  work_ = corrected_ = 0;
}

Spring Coupling::spring(const Hand& hand, double dt, int node, const V& root, double reach) {
  const V x = to_small(hand.pose.position), from_root = x - root;
  const double distance = norm(from_root);
  in_reach_ = distance <= reach;
  next_place_ = in_reach_ ? x : root + (reach / distance) * from_root;
  slide_ = identity3<double>();
  if (!in_reach_) {
    const V t = (1 / distance) * from_root;
    slide_ = (reach / distance) * (identity3<double>() - outer(t, t));
  }
  // k (x - r) + c ((x - x_old) - (r - r_old))/dt = (k + c/dt) (x* - r)
  const double c = dt > 0 ? hand.damping / dt : 0, gamma = dt > 0 ? hand.angular_damping / dt : 0;
  Spring s;
  s.node = node;
  s.k = hand.stiffness + c;
  if (s.k > 0) s.r = (1 / s.k) * (hand.stiffness * next_place_ + c * (next_place_ - place_ + tip_));
  const Quaternion q = to_small(hand.pose.orientation);
  if (hand.angular_stiffness > 0) s.turning.push({hand.angular_stiffness, q});
  // Where the end would be had it turned with the hand.
  if (gamma > 0) s.turning.push({gamma, normalized(q * conjugate(hand_q_) * tip_q_)});
  return s;
}

Coupling::Felt Coupling::close(const Hand& hand, double dt, const State& tip, double elsewhere) {
  const V x = to_small(hand.pose.position);
  const Quaternion q = to_small(hand.pose.orientation);
  const double c = dt > 0 ? hand.damping / dt : 0, gamma = dt > 0 ? hand.angular_damping / dt : 0;
  const V stretched = next_place_ - tip.r, beyond = x - next_place_;
  const V pull = hand.stiffness * stretched + c * ((next_place_ - place_) - (tip.r - tip_));
  const V turned = log_of(Quaternion(conjugate(tip.q) * q));
  const V lagging = log_of(Quaternion(conjugate(tip.q) * normalized(q * conjugate(hand_q_) * tip_q_)));
  Felt felt{slide_ * pull + hand.stiffness * beyond, into_world(tip.q, hand.angular_stiffness * turned + gamma * lagging)};
  const double stored = elsewhere + 0.5 * hand.stiffness * (squared_norm(stretched) + squared_norm(beyond)) +
                        0.5 * hand.angular_stiffness * squared_norm(turned);
  const V moved = x - hand_, spun = log_of(Quaternion(q * conjugate(hand_q_)));
  double done = dot(felt.force, moved) + dot(felt.moment, spun);
  const double missing = (stored - first_) - (work_ + done);
  // In the units of stored energy: a turn counts as the arc of the coupling's own arm.
  const double arm2 = hand.stiffness > 0 ? hand.angular_stiffness / hand.stiffness : 0;
  const double size = squared_norm(moved) + arm2 * squared_norm(spun);
  if (missing > 0 && size > 0) {
    felt.force += (missing / size) * moved;
    felt.moment += (missing * arm2 / size) * spun;
    done += missing;
    corrected_ += missing;
  }
  work_ += done;
  stored_ = stored;
  hand_ = x, hand_q_ = q, place_ = next_place_, tip_ = tip.r, tip_q_ = tip.q;
  return felt;
}

}  // namespace tendril::strands
