// What acts on a rod and what holds it, as its problem takes them from the drive.
#include <algorithm>
#include <cmath>

#include "methods/galpha/problem.h"
#include "model/framing.h"

namespace tendril::galpha {

void RodProblem::set_drive(const Drive& drive, const LoadsNow& loads, const LateClamps& late,
                           std::span<const Motion> accelerations) {
  drive_ = &drive, loads_ = &loads;
  holds_.clear();
  for (std::size_t i = 0; i < model_.clamps.size(); ++i) {
    const ClampModel& clamp = model_.clamps[i];
    if (clamp.rod != rod_.number || !late.holds(i)) continue;
    // Several clamps may hold different things at one node.
    const int node = clamp.node.value - rod_.span.first_node;
    auto at = std::find_if(holds_.begin(), holds_.end(), [node](const NodeHold& h) { return h.node == node; });
    if (at == holds_.end()) at = holds_.insert(at, NodeHold{}), at->node = node;
    const ClampNow& now = drive.clamps[i];
    const Motion& acceleration = accelerations[i];
    if (clamp.position) {
      at->place = true, at->place_clamp = static_cast<int>(i);
      at->slides = clamp.slides, at->slide = clamp.slide;
      at->pose.position = now.pose.position;
      at->motion.linear = now.motion.linear, at->acceleration.linear = acceleration.linear;
    }
    if (!clamp.direction && !clamp.twist) continue;
    const bool both = (at->direction || clamp.direction) && (at->twist || clamp.twist);
    if (both && at->turn_clamp >= 0 && clamp.direction != clamp.twist) {
      // One holds the direction, another the twist: the frame with the direction of one, carried there from the other.
      const Quat &d = clamp.direction ? now.pose.orientation : at->pose.orientation,
                 &t = clamp.direction ? at->pose.orientation : now.pose.orientation;
      at->pose.orientation = carried_onto(t, director(d, 2));
    } else {
      at->pose.orientation = now.pose.orientation;
    }
    at->direction = at->direction || clamp.direction, at->twist = at->twist || clamp.twist;
    at->turn_clamp = static_cast<int>(i);
    at->motion.angular = now.motion.angular, at->acceleration.angular = acceleration.angular;
  }
  // Loads that depend on nothing.
  if (!rod_.plain_loads) return;
  const LoadedPoint<double> anywhere{{0, 0, 0}, {0, 0, 0}, identity3<double>()};
  for (int i = 0; i < rod_.nodes(); ++i) {
    const WrenchOf<double> load = load_on(i, anywhere);
    plain_[z(i)] = {to_eigen(load.force), to_eigen(load.moment)};
  }
}

LoadedPoint<double> RodProblem::point(int i) const {
  return {to_small(r_[z(i)]), to_small(v_[z(i)]), matrix_of(to_small(q_[z(i)]))};
}

// Half of each edge's load, and what stands at the node.
WrenchOf<double> RodProblem::load_on(int i, const LoadedPoint<double>& at) const {
  WrenchOf<double> sum = loads_->at_node(rod_.node(i), at);
  for (const int j : {i - 1, i}) {
    if (j < 0 || j >= rod_.edges()) continue;
    const WrenchOf<double> load = loads_->per_length(rod_.edge(j), at);
    sum.force += rod_.half_length[z(j)] * load.force, sum.moment += rod_.half_length[z(j)] * load.moment;
  }
  return sum;
}

RodProblem::Node RodProblem::given_loads(int i) const {
  const LoadedPoint<double> at = point(i);
  WrenchOf<double> sum = loads_->at_node(rod_.node(i), at);
  for (const int j : {i - 1, i}) {
    if (j < 0 || j >= rod_.edges()) continue;
    const WrenchOf<double> load = loads_->given_per_length(rod_.edge(j), at);
    sum.force += rod_.half_length[z(j)] * load.force, sum.moment += rod_.half_length[z(j)] * load.moment;
  }
  return {to_eigen(sum.force) - rod_.mass[z(i)] * drive_->gravity, to_eigen(sum.moment)};
}

// Rows of a hold: axes of which some are held, and how far the pose is from where it is held.
void RodProblem::find_hold_rows(NodeHold& hold) const {
  const std::size_t i = z(hold.node);
  PoseChain::HeldRows& rows = hold.rows;
  rows = {};
  hold.missing_place.setZero(), hold.missing_turn.setZero();
  const auto axes_about = [](const Vec3& first) {  // rows: the first one, and two perpendicular to it
    Mat3 axes;
    const Vec3 second = any_perpendicular(first);
    axes.row(0) = first, axes.row(1) = second, axes.row(2) = first.cross(second);
    return axes;
  };
  if (hold.place) {
    if (hold.slides) rows.place = axes_about(hold.slide);
    for (int k = 0; k < 3; ++k) rows.place_held[k] = k > 0 || !hold.slides;
    hold.missing_place = rows.place * (hold.pose.position - r_[i]);
  }
  const Vec3 d3 = q_[i] * Vec3::UnitZ(), held3 = hold.pose.orientation * Vec3::UnitZ();
  if (hold.direction && hold.twist) {
    for (bool& held : rows.turn_held) held = true;
    hold.missing_turn = log_rotation(Quat(hold.pose.orientation * q_[i].conjugate()));
  } else if (hold.direction) {
    // The smallest turn from the one direction to the other, about axes perpendicular to the held one.
    rows.turn = axes_about(held3);
    rows.turn_held[1] = rows.turn_held[2] = true;
    const Vec3 across = d3.cross(held3);
    const double sine = across.norm(), angle = std::atan2(sine, d3.dot(held3));
    hold.missing_turn = rows.turn * (sine > 1e-12 ? Vec3((angle / sine) * across) : across);
  } else if (hold.twist) {
    // Twist beyond parallel transport from the held frame: it changes by (d3 + held3) / (1 + d3 . held3) . turn.
    const Vec3 row = (d3 + held3) / std::max(1e-6, 1 + d3.dot(held3));
    rows.turn = axes_about(row.normalized());
    rows.turn_held[0] = true;
    hold.missing_turn[0] = -twist_between(hold.pose.orientation, q_[i], 0) / row.norm();
  }
}

void RodProblem::add_holds() {
  for (NodeHold& hold : holds_) find_hold_rows(hold);
}

Vec3 RodProblem::reaction_force(const NodeHold& hold) const {
  const Vec3 rows = hold.rows.place * rows_.r[z(hold.node)];
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (hold.rows.place_held[k]) sum += rows[k] * hold.rows.place.row(k);
  return sum;
}
Vec3 RodProblem::reaction_moment(const NodeHold& hold) const {
  const Vec3 rows = hold.rows.turn * rows_.q[z(hold.node)];
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (hold.rows.turn_held[k]) sum += rows[k] * hold.rows.turn.row(k);
  return sum;
}

}  // namespace tendril::galpha
