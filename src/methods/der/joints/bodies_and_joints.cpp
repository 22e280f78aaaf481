#include "methods/der/joints/bodies_and_joints.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/der/rod/frames.h"
#include "model/bodies.h"

namespace tendril::der {

BodiesAndJoints::BodiesAndJoints(const Model& model)
    : model_(model), plan_(model), world_(make_world(model)), nodes_(model.rest_position.size()) {
  for (const BodyModel& b : model.bodies) bodies_.push_back(b.start);
  wrenches_.resize(bodies_.size());
  contact_impulse_.resize(bodies_.size());
  body_turn_.assign(bodies_.size(), 0);
  junction_turn_.assign(plan_.junctions.size(), Quat::Identity());
  junction_spin_.assign(plan_.junctions.size(), Vec3::Zero());
  junction_moment_ = junction_spin_;
  walls_.resize(plan_.walls.size());
}

Quat BodiesAndJoints::orientation(int carrier) const {
  if (carrier < 0) return Quat::Identity();
  return carrier < plan_.bodies ? bodies_[z(carrier)].pose.orientation : junction_turn_[z(carrier - plan_.bodies)];
}

// Driven bodies turn by numbers, as clamps do; what moves freely is known by its orientation alone (turns_too_far).
WallPose BodiesAndJoints::pose_of(const WallPlan& wall) const {
  WallPose pose{orientation(wall.carrier) * wall.local};
  if (wall.carrier < plan_.bodies) {
    pose.turn = body_turn_[z(wall.carrier)];
    pose.winding = pose.turn * model_.bodies[z(wall.carrier)].axis.dot(pose.orientation * Vec3::UnitZ());
  }
  return pose;
}

std::span<const CarriedWall> BodiesAndJoints::walls() {
  for (std::size_t i = 0; i < walls_.size(); ++i) {
    const WallPlan& plan = plan_.walls[i];
    walls_[i] = {plan.node, plan.carrier, pose_of(plan)};
  }
  return walls_;
}

bool BodiesAndJoints::turns_too_far(const Chain& c, double dt) const {
  for (std::size_t w = 0; w < c.walls.size(); ++w) {
    if (plan_of_wall_[w] < 0) continue;
    const WallPlan& plan = plan_.walls[z(plan_of_wall_[w])];
    const bool body = plan.carrier < plan_.bodies;
    const bool free = !body || model_.bodies[z(plan.carrier)].moves_freely();
    const double spin =
        body ? bodies_[z(plan.carrier)].motion.angular.norm() : junction_spin_[z(plan.carrier - plan_.bodies)].norm();
    if ((free ? spin * dt : swing_to(c.walls[w], pose_of(plan))) > max_swing) return true;
  }
  return false;
}

void BodiesAndJoints::set_walls(Chain& c) const {
  for (std::size_t w = 0; w < c.walls.size(); ++w) {
    if (plan_of_wall_[w] < 0) continue;
    const WallPlan& plan = plan_.walls[z(plan_of_wall_[w])];
    WallPose now = pose_of(plan);
    now.orientation.normalize();
    set_wall(c, c.walls[w], now);
  }
}

// What the rod does to its walls is minus what the walls do to the rod; about the edge it is the torque of the material
// frame.
//   at a rod's start  +beta (theta^n - theta^0)/L t,   at its end  the opposite        [Bergou 2008, sec. 8.2; ERRATA D15]
bool BodiesAndJoints::step(const Chain& c, const Drive& drive, StepTimes step) {
  // Gravity and damping of bodies, implicit in the velocity.
  const double dt = step.dt, kick = step.kick;
  remember_levers(c);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyModel& body = model_.bodies[i];
    BodyState& now = bodies_[i];
    if (body.kind == BodyKind::driven) now.motion = drive.bodies[i].motion;
    const double slow = body.damping / (1 + kick * body.damping);
    wrenches_[i] = {body.mass * (drive.gravity - slow * now.motion.linear), Vec3::Zero()};
    if (slow > 0) wrenches_[i].moment = -slow * (world_inertia(body, now.pose.orientation) * now.motion.angular);
  }
  // The moments of the rods at their walls.
  for (Vec3& moment : junction_moment_) moment.setZero();
  wall_work_ = 0;
  for (const Wall& wall : c.walls) {
    if (wall.carrier() < 0) continue;
    const Vec3 felt = to_eigen(c.moment.get(wall.slot + 1) - c.moment.get(wall.slot));
    const bool body = wall.carrier() < plan_.bodies;
    if (body && model_.bodies[z(wall.carrier())].kind == BodyKind::driven)
      wall_work_ -= dt * felt.dot(bodies_[z(wall.carrier())].motion.angular);
    (body ? wrenches_[z(wall.carrier())].moment : junction_moment_[z(wall.carrier() - plan_.bodies)]) += felt;
  }
  // The library lets forces act over the time in which things move.
  if (kick != dt) {
    for (Wrench& wrench : wrenches_) wrench = {(kick / dt) * wrench.force, (kick / dt) * wrench.moment};
  }
  // Bodies by the library, contact among them included; driven ones stand where the drive says.
  if (world_) {
    note_momentum(-1, dt);
    if (!world_->step(drive, dt, steps_, wrenches_, bodies_)) return false;
    note_momentum(1, 0);
  }
  ++steps_;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (!model_.bodies[i].moves_freely()) bodies_[i] = drive.bodies[i], body_turn_[i] = drive.body_turn[i];
  // Junctions: rotors, by symplectic Euler.
  for (std::size_t i = 0; i < plan_.junctions.size(); ++i) {
    const Junction& junction = plan_.junctions[i];
    if (junction.fixed) continue;
    Vec3& spin = junction_spin_[i];
    spin = (spin + (kick / junction.inertia) * junction_moment_[i]) / (1 + kick * junction.damping);
    junction_turn_[i] = (exp_quat(Vec3(dt * spin)) * junction_turn_[i]).normalized();
  }
  return true;
}

JoinedNodes BodiesAndJoints::joined_nodes() const {
  JoinedNodes nodes{std::vector<int>(z(nodes_), JoinedNodes::free), std::vector<char>(z(nodes_), 0)};
  const auto join = [&](int node, int to) {
    int& now = nodes.joined_to[z(node)];
    if (now >= 0) nodes.joined_to[z(now)] = JoinedNodes::branch;
    now = now == JoinedNodes::free ? to : JoinedNodes::branch;
  };
  for (const Tie& tie : plan_.ties) {
    if (tie.a.node < 0) continue;
    if (tie.b.node >= 0) {
      const bool both_free =
          nodes.joined_to[z(tie.a.node)] == JoinedNodes::free && nodes.joined_to[z(tie.b.node)] == JoinedNodes::free;
      join(tie.a.node, both_free ? tie.b.node : JoinedNodes::branch);
      join(tie.b.node, both_free ? tie.a.node : JoinedNodes::branch);
    } else if (tie.b.body >= 0 && model_.bodies[z(tie.b.body)].moves_freely()) {
      join(tie.a.node, JoinedNodes::branch);
    } else {
      nodes.led[z(tie.a.node)] = 1;
    }
  }
  return nodes;
}

void BodiesAndJoints::swap_led_poses(std::span<BodyState> poses) {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (!model_.bodies[i].moves_freely()) std::swap(bodies_[i].pose, poses[i].pose);
}

bool BodiesAndJoints::finite() const {
  double sum = 0;
  for (const BodyState& b : bodies_)
    sum += b.pose.position.sum() + b.pose.orientation.coeffs().sum() + b.motion.linear.sum() + b.motion.angular.sum();
  for (const Vec3& spin : junction_spin_) sum += spin.sum();
  return std::isfinite(sum);
}

double BodiesAndJoints::junction_energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < plan_.junctions.size(); ++i)
    sum += 0.5 * plan_.junctions[i].inertia * junction_spin_[i].squaredNorm();
  return sum;
}
Vec3 BodiesAndJoints::junction_momentum() const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < plan_.junctions.size(); ++i) sum += plan_.junctions[i].inertia * junction_spin_[i];
  return sum;
}

void BodiesAndJoints::visit_state(StateArchive& archive) {
  archive(steps_);
  archive.fixed(bodies_);
  archive.fixed(body_turn_);
  archive.fixed(junction_turn_);
  archive.fixed(junction_spin_);
  archive.fixed(node_force_);
  if (!archive.reading()) return;
  // The library that moves bodies ends the program over what is no rotation.
  for (const BodyState& body : bodies_)
    TENDRIL_REQUIRE(body.pose.position.allFinite() && std::abs(body.pose.orientation.norm() - 1) < 0.1 &&
                        body.motion.linear.allFinite() && body.motion.angular.allFinite(),
                    "the state is damaged: a body is nowhere");
}

}  // namespace tendril::der
