#include "model/drive.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/rotation.h"
#include "math/transport.h"
#include "model/material_point.h"
#include "model/timetable.h"

namespace tendril {

using math::two_pi;

namespace {

// A step asks for its end: one that ends when something lets go is still held, one that ends when it takes hold is not yet.
template <class Held>
bool holds_at(double time, const Held& held) {
  return (time > held.from || held.from <= 0) && time <= held.until;
}

void evaluate_clamp(const ClampModel& clamp, double time, double load_factor, ClampNow& now) {
  now.active = holds_at(time, clamp);
  if (clamp.move.keys.empty() && clamp.turn.keys.empty()) {  // most clamps stand still, and this is asked in every step
    now.pose.position = clamp.start.position;
    now.turn = now.winding = 0;
    now.motion = {};
    return;
  }
  const auto move = at_time<Vec3>(clamp.move, time, Vec3::Zero(), Vec3::Zero());
  const auto turn = at_time<double>(clamp.turn, time, 0.0, 0.0);
  now.pose.position = clamp.start.position + load_factor * move.value;
  now.turn = two_pi * load_factor * turn.value;
  now.motion.linear = load_factor * move.rate;
  now.motion.angular = (two_pi * load_factor * turn.rate) * clamp.axis;
}

void evaluate_obstacle(const ObstacleModel& obstacle, double time, double load_factor, ObstacleNow& now) {
  now.pose = obstacle.start;
  now.motion = {};
  if (obstacle.move.keys.empty() && obstacle.turn.keys.empty()) return;
  const auto move = at_time<Vec3>(obstacle.move, time, Vec3::Zero(), Vec3::Zero());
  const auto turn = at_time<double>(obstacle.turn, time, 0.0, 0.0);
  const Quat rotation = exp_quat(Vec3((two_pi * load_factor * turn.value) * obstacle.axis));
  const Vec3 arm = rotation * (obstacle.start.position - obstacle.pivot);
  now.pose.position = obstacle.pivot + load_factor * move.value + arm;
  now.pose.orientation = rotation * obstacle.start.orientation;
  now.motion.angular = (two_pi * load_factor * turn.rate) * obstacle.axis;
  now.motion.linear = load_factor * move.rate + now.motion.angular.cross(arm);
}

template <class Placed>
void evaluate_factors(const std::vector<Placed>& loads, double time, double load_factor, std::vector<double>& out) {
  out.resize(loads.size());
  for (std::size_t i = 0; i < loads.size(); ++i)
    out[i] = load_factor * at_time<double>(loads[i].factor, time, 1.0, 0.0).value;
}

// What a user adds to a path by hand: to its pose, turned about `axis`, and to its motion.
void add_path(const PathInput& path, const Vec3& axis, Pose& pose, Motion& motion) {
  pose.position += path.move;
  pose.orientation = exp_quat(Vec3(path.turn * axis)) * pose.orientation;
  motion.linear += path.move_rate;
  motion.angular += path.turn_rate * axis;
}

void evaluate_body(const BodyModel& body, double time, double load_factor, BodyState& now, double& turned) {
  now = body.start;
  turned = 0;
  if (body.kind != BodyKind::driven) return;
  const auto move = at_time<Vec3>(body.move, time, Vec3::Zero(), Vec3::Zero());
  const auto turn = at_time<double>(body.turn, time, 0.0, 0.0);
  now.pose.position += load_factor * move.value;
  turned = two_pi * load_factor * turn.value;
  now.pose.orientation = exp_quat(Vec3(turned * body.axis)) * body.start.pose.orientation;
  now.motion.linear = load_factor * move.rate;
  now.motion.angular = (two_pi * load_factor * turn.rate) * body.axis;
}

// At load factor 0 the place is where the point starts, whatever `position` says: the spring pulls as little as it can.
void evaluate_coupling(const CouplingModel& coupling, double time, double load_factor, Grip& grip) {
  const auto move = at_time<Vec3>(coupling.move, time, Vec3::Zero(), Vec3::Zero());
  const auto turn = at_time<double>(coupling.turn, time, 0.0, 0.0);
  grip.pose.position = coupling.start.position + load_factor * (coupling.away + move.value);
  grip.motion.linear = load_factor * move.rate;
  grip.turn = two_pi * load_factor * turn.value;
  grip.pose.orientation = exp_quat(Vec3(grip.turn * coupling.axis)) * coupling.start.orientation;
  grip.motion.angular = (two_pi * load_factor * turn.rate) * coupling.axis;
  grip.stiffness = coupling.stiffness, grip.damping = coupling.damping;
  grip.angular_stiffness = coupling.angular_stiffness, grip.angular_damping = coupling.angular_damping;
}

void evaluate_grips(const Model& model, const Live& live, double time, double load_factor, std::vector<Grip>& out) {
  out.clear();
  out.reserve(model.couplings.size() + live.hands.items.size());
  for (std::size_t i = 0; i < model.couplings.size(); ++i) {
    // Couplings of the scene, while they act, moved by their timetable and by hand.
    const CouplingModel& coupling = model.couplings[i];
    if (!holds_at(time, coupling)) continue;
    Grip grip = grip_at(model, coupling.rod, coupling.material);
    grip.coupling = static_cast<int>(i);
    evaluate_coupling(coupling, time, load_factor, grip);
    for (const PathInput& path : live.paths) {
      if (path.coupling != grip.coupling) continue;
      add_path(path, coupling.axis, grip.pose, grip.motion);
      grip.turn += path.turn;
    }
    out.push_back(grip);
  }
  for (const Hand& hand : live.hands) {
    // Hands on rods and on bodies; one that holds nothing is left out.
    const bool body = hand.rod < 0 && hand.body >= 0 && hand.body < static_cast<int>(model.bodies.size());
    if (!body && (hand.rod < 0 || hand.rod >= static_cast<int>(model.rods.size()))) continue;
    Grip grip;
    if (body)
      grip.body = hand.body, grip.point = hand.point;
    else
      grip = grip_at(model, hand.rod, hand.material);
    grip.hand = hand.id;
    grip.pose = hand.pose;
    grip.motion = hand.motion;
    grip.stiffness = hand.stiffness, grip.damping = hand.damping;
    grip.angular_stiffness = hand.angular_stiffness, grip.angular_damping = hand.angular_damping;
    out.push_back(grip);
  }
}

}  // namespace

LateClamps::LateClamps(const Model& model) : shift_(model.clamps.size()), holds_(model.clamps.size(), 0) {}

void LateClamps::take_hold(std::size_t clamp, const Pose& path, const Pose& rod) {
  shift_[clamp].position = rod.position - path.position;
  shift_[clamp].orientation = (rod.orientation * path.orientation.conjugate()).normalized();
}

void LateClamps::shift(std::size_t clamp, ClampNow& now) const {
  now.pose.position += shift_[clamp].position;
  now.pose.orientation = shift_[clamp].orientation * now.pose.orientation;
  now.motion.angular = shift_[clamp].orientation * now.motion.angular;
}

void LateClamps::visit_state(StateArchive& archive) {
  archive.fixed(holds_);
  archive.fixed(shift_);
}

void evaluate(const Model& model, const Live& live, double time, double load_factor, Drive& out) {
  out.time = time;
  out.load_factor = load_factor;
  // Gravity: constant, and by timetables.
  out.gravity = (load_factor * live.gravity_scale) * model.gravity;
  for (const ChangingGravity& g : model.changing_gravity)
    out.gravity += (load_factor * live.gravity_scale * at_time<double>(g.factor, time, 1.0, 0.0).value) * g.acceleration;
  // Clamps: timetable, live path, and at last the orientation from the whole turn, so that many turns lose no precision.
  out.clamps.resize(model.clamps.size());
  for (std::size_t i = 0; i < model.clamps.size(); ++i) evaluate_clamp(model.clamps[i], time, load_factor, out.clamps[i]);
  for (const PathInput& path : live.paths) {  // those of bodies: below, of couplings: evaluate_grips
    if (path.clamp < 0 || path.clamp >= static_cast<int>(out.clamps.size())) continue;
    ClampNow& now = out.clamps[static_cast<std::size_t>(path.clamp)];
    now.pose.position += path.move;
    now.turn += path.turn;
    now.motion.linear += path.move_rate;
    now.motion.angular += path.turn_rate * model.clamps[static_cast<std::size_t>(path.clamp)].axis;
  }
  for (std::size_t i = 0; i < model.clamps.size(); ++i) {
    ClampNow& now = out.clamps[i];
    const Quat& start = model.clamps[i].start.orientation;
    now.pose.orientation = now.turn == 0 ? start : exp_quat(Vec3(now.turn * model.clamps[i].axis)) * start;
    // The angle between axis and held direction does not change while it turns: the winding is a number too.
    now.winding = now.turn == 0 ? 0 : now.turn * model.clamps[i].axis.dot(start * Vec3::UnitZ());
  }
  // Bodies: driven ones follow timetable and live path.
  out.bodies.resize(model.bodies.size());
  out.body_turn.resize(model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    evaluate_body(model.bodies[i], time, load_factor, out.bodies[i], out.body_turn[i]);
  for (const PathInput& path : live.paths) {
    if (path.body < 0 || path.body >= static_cast<int>(out.bodies.size())) continue;
    const BodyModel& body = model.bodies[static_cast<std::size_t>(path.body)];
    BodyState& now = out.bodies[static_cast<std::size_t>(path.body)];
    if (body.kind != BodyKind::driven) continue;
    add_path(path, body.axis, now.pose, now.motion);
    out.body_turn[static_cast<std::size_t>(path.body)] += path.turn;
  }
  // Joints hold between their times, unless a user has switched them.
  out.joints.resize(model.joints.size());
  for (std::size_t i = 0; i < model.joints.size(); ++i) out.joints[i] = holds_at(time, model.joints[i]);
  for (const JointSwitch& joint : live.joints)
    if (joint.joint >= 0 && joint.joint < static_cast<int>(out.joints.size()))
      out.joints[static_cast<std::size_t>(joint.joint)] = joint.on;
  // Winches: what the timetable asks for and what a user adds, as far as the winch goes.
  out.winches.resize(model.winches.size());
  for (std::size_t i = 0; i < model.winches.size(); ++i) {
    const WinchModel& winch = model.winches[i];
    double speed = at_time<double>(winch.speed, time, 0.0, 0.0).value;
    for (const WinchOrder& order : live.winches)
      if (order.winch == static_cast<int>(i)) speed += order.speed;
    out.winches[i] = {std::clamp(speed, -winch.top_speed, winch.top_speed),
                      at_time<double>(winch.force, time, 0.0, 0.0).value};
  }
  // Factors of loads and winds, obstacles, hands and couplings.
  evaluate_factors(model.node_loads, time, load_factor, out.node_factor);
  evaluate_factors(model.line_loads, time, load_factor, out.line_factor);
  out.wind_factor.resize(model.winds.size());
  for (std::size_t i = 0; i < model.winds.size(); ++i)
    out.wind_factor[i] = load_factor * at_time<double>(model.winds[i].law.factor, time, 1.0, 0.0).value;
  out.obstacles.resize(model.obstacles.size());
  for (std::size_t i = 0; i < model.obstacles.size(); ++i)
    evaluate_obstacle(model.obstacles[i], time, load_factor, out.obstacles[i]);
  evaluate_grips(model, live, time, load_factor, out.grips);
}

void stand_still(Drive& drive) {
  for (ClampNow& clamp : drive.clamps) clamp.motion = {};
  for (BodyState& body : drive.bodies) body.motion = {};
  for (ObstacleNow& obstacle : drive.obstacles) obstacle.motion = {};
  for (Grip& grip : drive.grips) grip.motion = {};
  for (WinchNow& winch : drive.winches) winch.speed = 0;
}

namespace {
Pull pull_of(const Model& model, const Frame& frame, const Grip& grip) {
  Pull pull;
  pull.coupling = grip.coupling, pull.hand = grip.hand;
  pull.rod = grip.rod, pull.body = grip.body;
  pull.material = grip.material;
  pull.from = grip.pose.position;
  if (grip.rod >= 0) {
    // Force and moment by the law of the grip, from where its point is in the frame.
    const MaterialPoint at(model, frame, grip.rod, grip.material);
    pull.point = at.at_nodes(frame.position);
    pull.force = grip_force(grip, pull.point, at.at_nodes(frame.velocity));
    pull.moment = grip_moment(grip, at.orientation(), at.at_edges(frame.spin));
  } else {
    const BodyState& body = frame.bodies[static_cast<std::size_t>(grip.body)];
    const Vec3 arm = body.pose.orientation * grip.point;
    pull.point = body.pose.position + arm;
    pull.force = grip_force(grip, pull.point, body.motion.linear + body.motion.angular.cross(arm));
    pull.moment = grip_moment(grip, body.pose.orientation, body.motion.angular);
  }
  return pull;
}
}  // namespace

void take_shape(const Model& model, Frame& frame) {
  if (frame.position.size() == model.initial.position.size() && frame.reactions.size() == model.clamps.size()) return;
  // A frame of another model, or a new one: all arrays from the start, time and step kept.
  const double time = frame.time;
  const std::int64_t step = frame.step;
  frame = model.initial;
  frame.time = time, frame.step = step;
}

void write_drive(const Model& model, const Drive& drive, Frame& frame) {
  frame.gravity = drive.gravity;
  frame.load_factor = drive.load_factor;
  frame.clamps.clear();
  for (const ClampNow& clamp : drive.clamps) frame.clamps.push_back(clamp.pose);
  frame.obstacles.clear();
  for (const ObstacleNow& obstacle : drive.obstacles) frame.obstacles.push_back(obstacle.pose);
  frame.pulls.clear();
  for (const Grip& grip : drive.grips)
    if (grip.rod >= 0 || static_cast<std::size_t>(grip.body) < frame.bodies.size())
      frame.pulls.push_back(pull_of(model, frame, grip));
}

void visit_state(StateArchive& archive, Drive& drive) {
  archive(drive.time, drive.load_factor, drive.gravity);
  archive.fixed(drive.clamps);
  archive.fixed(drive.bodies);
  archive.fixed(drive.body_turn);
  archive.fixed(drive.node_factor);
  archive.fixed(drive.line_factor);
  archive.fixed(drive.wind_factor);
  archive.fixed(drive.obstacles);
  archive.fixed(drive.joints);
  archive.fixed(drive.winches);
  archive(drive.grips);
}

}  // namespace tendril
