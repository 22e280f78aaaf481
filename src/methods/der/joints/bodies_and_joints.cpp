#include "methods/der/joints/bodies_and_joints.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/der/rod/frames.h"
#include "model/bodies.h"
#include "model/obstacles.h"

namespace tendril::der {

BodiesAndJoints::BodiesAndJoints(const Model& model) : model_(model), plan_(model), nodes_(model.rest_position.size()) {
  std::vector<BodyProperties> properties;
  std::vector<BodyGround> grounds;
  for (const BodyModel& b : model.bodies) {
    properties.push_back(
        {b.kind, b.mass, b.inertia, b.collides ? b.shape : std::nullopt, b.axis, b.friction, b.restitution});
    bodies_.push_back(b.start);
  }
  for (const GroundPlane& g : model.grounds) grounds.push_back({g.point, g.normal, g.friction, g.restitution});
  for (std::size_t o = 0; o < model.obstacles.size(); ++o) {
    const std::optional<BodyShape> shape = body_shape(model.obstacles[o].shape);
    if (!shape || bodies_.empty()) continue;
    obstacles_.push_back(static_cast<int>(o));
    properties.push_back({BodyKind::driven, 0, Vec3::Zero(), shape, Vec3::UnitZ(), model.obstacles[o].friction, 1});
  }
  if (!bodies_.empty()) world_ = make_ode_world(properties, grounds);
  for (const JointModel& j : model.joints)
    if (j.body_a >= 0 && j.body_b >= 0) world_->ignore_pair(j.body_a, j.body_b);
  wrenches_.resize(properties.size());
  world_states_.resize(properties.size());
  junction_turn_.assign(plan_.junctions.size(), Quat::Identity());
  junction_spin_.assign(plan_.junctions.size(), Vec3::Zero());
  junction_moment_ = junction_spin_;
  walls_.resize(plan_.walls.size());
}

Quat BodiesAndJoints::orientation(int carrier) const {
  if (carrier < 0) return Quat::Identity();
  return carrier < plan_.bodies ? bodies_[z(carrier)].pose.orientation : junction_turn_[z(carrier - plan_.bodies)];
}

std::span<const CarriedWall> BodiesAndJoints::walls() {
  for (std::size_t i = 0; i < walls_.size(); ++i) {
    const WallPlan& plan = plan_.walls[i];
    walls_[i] = {plan.node, plan.carrier, orientation(plan.carrier) * plan.local};
  }
  return walls_;
}

void BodiesAndJoints::set_walls(Chain& c) const {
  for (std::size_t w = 0; w < c.walls.size(); ++w) {
    if (plan_of_wall_[w] < 0) continue;
    const WallPlan& plan = plan_.walls[z(plan_of_wall_[w])];
    set_wall(c, c.walls[w], (orientation(plan.carrier) * plan.local).normalized());
  }
}

// What the rod does to its walls is minus what the walls do to the rod; about the edge it is the torque of the material
// frame.
//   at a rod's start  +beta (theta^n - theta^0)/L t,   at its end  the opposite        [Bergou 2008, sec. 8.2; ERRATA D15]
void BodiesAndJoints::step(const Chain& c, const Drive& drive, double dt) {
  remember_levers(c);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyModel& body = model_.bodies[i];
    BodyState& now = bodies_[i];
    if (body.kind == BodyKind::driven) now.motion = drive.bodies[i].motion;
    const double slow = body.damping / (1 + dt * body.damping);
    wrenches_[i] = {body.mass * (drive.gravity - slow * now.motion.linear), Vec3::Zero()};
    if (slow > 0) wrenches_[i].moment = -slow * (world_inertia(body, now.pose.orientation) * now.motion.angular);
  }
  for (Vec3& moment : junction_moment_) moment.setZero();
  for (const Wall& wall : c.walls) {
    if (wall.carrier() < 0) continue;
    const Vec3 felt = to_eigen(c.moment.get(wall.slot + 1) - c.moment.get(wall.slot));
    const bool body = wall.carrier() < plan_.bodies;
    (body ? wrenches_[z(wall.carrier())].moment : junction_moment_[z(wall.carrier() - plan_.bodies)]) += felt;
  }
  if (world_) step_world(drive, dt);
  ++steps_;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (!model_.bodies[i].moves_freely()) bodies_[i] = drive.bodies[i];
  for (std::size_t i = 0; i < plan_.junctions.size(); ++i) {
    const Junction& junction = plan_.junctions[i];
    if (junction.fixed) continue;
    Vec3& spin = junction_spin_[i];
    spin = (spin + (dt / junction.inertia) * junction_moment_[i]) / (1 + dt * junction.damping);
    junction_turn_[i] = (exp_quat(Vec3(dt * spin)) * junction_turn_[i]).normalized();
  }
}

// Obstacles are where they will be less a step of their motion.
void BodiesAndJoints::step_world(const Drive& drive, double dt) {
  std::copy(bodies_.begin(), bodies_.end(), world_states_.begin());
  for (std::size_t i = 0; i < obstacles_.size(); ++i) {
    const ObstacleNow& now = drive.obstacles[z(obstacles_[i])];
    Pose before = now.pose;
    if (model_.obstacles[z(obstacles_[i])].moves()) {
      before.position -= dt * now.motion.linear;
      before.orientation = (exp_quat(Vec3(-dt * now.motion.angular)) * before.orientation).normalized();
    }
    world_states_[bodies_.size() + i] = {before, now.motion};
  }
  world_->step(dt, steps_, wrenches_, world_states_);
  std::copy_n(world_states_.begin(), bodies_.size(), bodies_.begin());
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
  archive.fixed(junction_turn_);
  archive.fixed(junction_spin_);
  archive.fixed(node_force_);
}

}  // namespace tendril::der
