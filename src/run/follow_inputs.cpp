#include "run/follow_inputs.h"

#include <algorithm>
#include <cmath>

#include "model/grips.h"

namespace tendril {
namespace {

bool same_point(const Hand& a, const Hand& b) {
  return a.rod == b.rod && a.body == b.body && a.material == b.material && (a.body < 0 || a.point == b.point);
}

const Hand* hand_of(const Live& live, const Hand& like) {
  for (const Hand& hand : live.hands)
    if (hand.id == like.id && same_point(hand, like)) return &hand;
  return nullptr;
}

PathInput path_of(const Live& live, const PathInput& like) {
  for (const PathInput& path : live.paths)
    if (path.same_owner(like)) return path;
  return {.clamp = like.clamp, .coupling = like.coupling, .body = like.body};
}

bool same_path(const PathInput& a, const PathInput& b) { return a.move == b.move && a.turn == b.turn; }

bool same_hand(const Hand& a, const Hand& b) {
  return a.id == b.id && same_point(a, b) && a.pose.position == b.pose.position &&
         a.pose.orientation.coeffs() == b.pose.orientation.coeffs() && a.stiffness == b.stiffness &&
         a.angular_stiffness == b.angular_stiffness;  // motion and damping do not count in equilibria
}

double length_of(const Model& model, const PathInput& path) {
  if (path.body >= 0) {  // has no length of its own: the longest rod
    double longest = 0;
    for (const RodModel& rod : model.rods) longest = std::max(longest, rod.length);
    return longest;
  }
  const int rod = path.clamp >= 0 ? model.clamps[static_cast<std::size_t>(path.clamp)].rod
                                  : model.couplings[static_cast<std::size_t>(path.coupling)].rod;
  return length_of(model, rod);
}

double relative_change(double a, double b) { return a == b ? 0 : std::abs(b - a) / std::max(a, b); }

}  // namespace

double length_of(const Model& model, int rod) {
  if (rod >= 0) return model.rods[static_cast<std::size_t>(rod)].length;
  double shortest = HUGE_VAL;
  for (const RodModel& r : model.rods) shortest = std::min(shortest, r.length);
  return shortest;
}

bool same_inputs(const Live& a, const Live& b) {
  if (a.gravity_scale != b.gravity_scale || a.hands.count != b.hands.count) return false;
  for (int i = 0; i < a.hands.count; ++i)
    if (!same_hand(a.hands.begin()[i], b.hands.begin()[i])) return false;
  for (const PathInput& path : a.paths)
    if (!same_path(path, path_of(b, path))) return false;
  for (const PathInput& path : b.paths)
    if (!same_path(path, path_of(a, path))) return false;
  return true;
}

double increments_between(const Model& model, const Live& a, const Live& b, double max_move, double max_turn,
                          double max_change) {
  // Gravity, paths of clamps, couplings and bodies, hands: each in what one increment allows; the largest counts.
  double worst = std::abs(b.gravity_scale - a.gravity_scale) / max_change;
  for (const PathInput& to : b.paths) {
    const PathInput from = path_of(a, to);
    worst = std::max(
        {worst, (to.move - from.move).norm() / (max_move * length_of(model, to)), std::abs(to.turn - from.turn) / max_turn});
  }
  for (const Hand& to : b.hands) {
    const Hand* from = hand_of(a, to);
    if (from == nullptr) continue;
    // Hands that hold the same point: distance, and relative change of stiffness; turning only if it pulls.
    const double length = length_of(model, to.rod);
    worst = std::max({worst, (to.pose.position - from->pose.position).norm() / (max_move * length),
                      relative_change(from->stiffness, to.stiffness) / max_change,
                      relative_change(from->angular_stiffness, to.angular_stiffness) / max_change});
    if (to.angular_stiffness > 0)
      worst = std::max(worst, from->pose.orientation.angularDistance(to.pose.orientation) / max_turn);
  }
  return worst;
}

void blend(const Live& a, const Live& b, double share, Live& out) {
  const auto mix = [share](const auto& x, const auto& y) { return ((1 - share) * x + share * y); };
  // All numbers linearly, orientations by slerp; hands that only one side has stay as in b.
  out = b;
  if (share >= 1) return;
  out.gravity_scale = mix(a.gravity_scale, b.gravity_scale);
  for (PathInput& path : out.paths) {
    const PathInput from = path_of(a, path);
    path.move = mix(from.move, path.move).eval();
    path.turn = mix(from.turn, path.turn);
  }
  for (Hand& hand : out.hands) {
    const Hand* from = hand_of(a, hand);
    if (from == nullptr) continue;
    hand.pose.position = mix(from->pose.position, hand.pose.position).eval();
    hand.pose.orientation = from->pose.orientation.slerp(share, hand.pose.orientation);
    hand.stiffness = mix(from->stiffness, hand.stiffness);
    hand.angular_stiffness = mix(from->angular_stiffness, hand.angular_stiffness);
  }
}

bool let_go(const Live& a, const Live& b, Live& out) {
  out = a;
  bool any = false;
  for (Hand& hand : out.hands) {
    // Hands that are not in b, or hold another point there: their springs go to zero.
    if (hand_of(b, hand) != nullptr) continue;
    any = any || hand.stiffness > 0 || hand.angular_stiffness > 0;
    hand.stiffness = hand.angular_stiffness = 0;
  }
  return any;
}

void take_hold(const Model& model, const Frame& frame, const Live& a, const Live& b, Live& out) {
  out = a;
  out.hands = b.hands;
  for (Hand& hand : out.hands) {
    // A hand that goes on keeps its pose; a new one starts at the point it holds, where its spring is not stretched.
    if (const Hand* held = hand_of(a, hand)) {
      hand = *held;
    } else if (hand.rod >= 0) {
      const auto rod = static_cast<std::size_t>(hand.rod);
      const PointOnNodes at = point_on_nodes(frame.rods[rod], frame.material, model.rods[rod].length, hand.material);
      hand.pose.position = (1 - at.share) * frame.position[at.a] + at.share * frame.position[at.b];
      hand.pose.orientation = frame.orientation[at.edge];
    } else if (hand.body >= 0) {
      const Pose& body = frame.bodies[static_cast<std::size_t>(hand.body)].pose;
      hand.pose = {body.position + body.orientation * hand.point, body.orientation};
    }
  }
}

}  // namespace tendril
