#include "methods/strands/coupling.h"

#include <algorithm>
#include <cmath>

namespace tendril::strands {

void VirtualCoupling::begin(const Hand& hand, const State& tip, double stored) {
  active_ = true;
  hand_ = to_small(hand.pose.position), hand_q_ = to_small(hand.pose.orientation);
  place_ = next_place_ = hand_;
  tip_ = tip.r, tip_q_ = tip.q;
  // The budget starts with what is stored already: the energy of the strand and of the stretched spring.
  const V apart = hand_ - tip_, turned = log_of(Quaternion(conjugate(tip_q_) * hand_q_));
  first_ = stored_ =
      stored + 0.5 * hand.stiffness * squared_norm(apart) + 0.5 * hand.angular_stiffness * squared_norm(turned);
  work_ = corrected_ = peak_ = 0;
}

Spring VirtualCoupling::spring(const Hand& hand, double dt, int node, const V& root, double reach) {
  // A hand out of reach pulls from the nearest place in reach; `slide_` is how that place moves with the hand.
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
  if (hand.angular_stiffness > 0) s.turning.add({hand.angular_stiffness, q});
  // Where the end would be had it turned with the hand.
  if (gamma > 0) s.turning.add({gamma, normalized(q * conjugate(hand_q_) * tip_q_)});
  return s;
}

VirtualCoupling::Balance VirtualCoupling::balance(const Hand& hand, double dt, const State& tip, double elsewhere) const {
  Balance b;
  const V x = to_small(hand.pose.position);
  const Quaternion q = to_small(hand.pose.orientation);
  const double c = dt > 0 ? hand.damping / dt : 0, gamma = dt > 0 ? hand.angular_damping / dt : 0;
  // Force and moment on the hand: spring, damper by backward differences, and a spring for what is out of reach.
  const V stretched = next_place_ - tip.r, beyond = x - next_place_;
  const V pull = hand.stiffness * stretched + c * ((next_place_ - place_) - (tip.r - tip_));
  const V turned = log_of(Quaternion(conjugate(tip.q) * q));
  const V lagging = log_of(Quaternion(conjugate(tip.q) * normalized(q * conjugate(hand_q_) * tip_q_)));
  b.felt = {slide_ * pull + hand.stiffness * beyond, into_world(tip.q, hand.angular_stiffness * turned + gamma * lagging)};
  // Energy balance of the call: stored energy against the work that the hand has done. What is missing would come from
  // nowhere.
  b.stored = elsewhere + 0.5 * hand.stiffness * (squared_norm(stretched) + squared_norm(beyond)) +
             0.5 * hand.angular_stiffness * squared_norm(turned);
  b.moved = x - hand_, b.spun = log_of(Quaternion(q * conjugate(hand_q_)));
  b.done = dot(b.felt.force, b.moved) + dot(b.felt.moment, b.spun);
  b.missing = (b.stored - first_) - (work_ + b.done);
  // Size of the motion in one unit, with an arm that makes metres of radians.
  b.arm2 = hand.stiffness > 0 ? hand.angular_stiffness / hand.stiffness : 0;
  b.size = squared_norm(b.moved) + b.arm2 * squared_norm(b.spun);
  return b;
}

double VirtualCoupling::needed_drag(const Hand& hand, double dt, const State& tip, double elsewhere) const {
  const Balance b = balance(hand, dt, tip, elsewhere);
  if (b.missing <= 1e-10 * peak_) return 0;  // rounding; the next motion pays for it
  return b.size > 0 ? b.missing / std::sqrt(b.size) : HUGE_VAL;
}

VirtualCoupling::Felt VirtualCoupling::close(const Hand& hand, double dt, const State& tip, double elsewhere) {
  Balance b = balance(hand, dt, tip, elsewhere);
  if (b.missing > 0 && b.size > 0 && (b.missing > 1e-10 * peak_)) {
    // Passivity: a drag along the motion does exactly the missing work.
    b.felt.force += (b.missing / b.size) * b.moved;
    b.felt.moment += (b.missing * b.arm2 / b.size) * b.spun;
    b.done += b.missing;
    corrected_ += b.missing;
  }
  // The books are closed: this state is the start of the next call.
  work_ += b.done;
  stored_ = b.stored;
  peak_ = std::max(peak_, std::abs(stored_ - first_));
  hand_ = to_small(hand.pose.position), hand_q_ = to_small(hand.pose.orientation);
  place_ = next_place_, tip_ = tip.r, tip_q_ = tip.q;
  return b.felt;
}

}  // namespace tendril::strands
