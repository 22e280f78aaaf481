#include "bodies/model_world.h"

#include <algorithm>

#include "math/rotation.h"
#include "model/obstacles.h"

namespace tendril {

CollidingBodies::CollidingBodies(const Model& model) : bodies(model.bodies) {
  for (std::size_t o = 0; o < model.obstacles.size(); ++o) {
    const std::optional<BodyShape> shape = body_shape(model.obstacles[o].shape);
    if (!shape) continue;
    BodyModel body;
    body.name = model.obstacles[o].name;
    body.kind = BodyKind::driven;
    body.shape = shape;
    body.friction = model.obstacles[o].friction;
    body.restitution = 1;  // of a pair the smaller one counts: that of the body
    obstacles.push_back(static_cast<int>(o));
    bodies.push_back(std::move(body));
  }
  for (const JointModel& j : model.joints)
    if (j.body_a >= 0 && j.body_b >= 0) ignored.push_back({j.body_a, j.body_b});
}

namespace {
int obstacle_among(const CollidingBodies& all, int body) {
  const int own = static_cast<int>(all.bodies.size() - all.obstacles.size());
  return body < own ? -1 : all.obstacles[static_cast<std::size_t>(body - own)];
}
}  // namespace

namespace {
double largest_gravity(const Model& model) {
  double sum = model.gravity.norm();
  for (const ChangingGravity& g : model.changing_gravity) sum += g.acceleration.norm();
  return sum;
}
}  // namespace

ModelWorld::ModelWorld(const Model& model)
    : model_(model), all_(model), world_(make_ode_world(all_.bodies, model.grounds, largest_gravity(model))) {
  for (const auto& [a, b] : all_.ignored) world_->ignore_pair(a, b);
  states_.resize(all_.bodies.size());
  wrenches_.resize(all_.bodies.size());
}

bool ModelWorld::step(const Drive& drive, double dt, std::int64_t number, std::span<const Wrench> wrenches,
                      std::span<BodyState> bodies) {
  std::copy(bodies.begin(), bodies.end(), states_.begin());
  std::copy(wrenches.begin(), wrenches.end(), wrenches_.begin());
  // The drive says where obstacles will be: they are there less a step of their motion.
  for (std::size_t i = 0; i < all_.obstacles.size(); ++i) {
    const auto o = static_cast<std::size_t>(all_.obstacles[i]);
    const ObstacleNow& now = drive.obstacles[o];
    Pose before = now.pose;
    if (model_.obstacles[o].moves()) {
      before.position -= dt * now.motion.linear;
      before.orientation = (exp_quat(Vec3(-dt * now.motion.angular)) * before.orientation).normalized();
    }
    states_[bodies.size() + i] = {before, now.motion};
  }
  if (!world_->step(dt, number, wrenches_, states_)) return false;
  std::copy_n(states_.begin(), bodies.size(), bodies.begin());
  return true;
}

double ModelWorld::work_of(bool obstacles) const {
  double sum = 0;
  const std::vector<double>& all = world_->work().of_driven;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((i >= model_.bodies.size()) == obstacles) sum += all[i];
  return sum;
}

int ModelWorld::obstacle_of(int body) const { return obstacle_among(all_, body); }

std::unique_ptr<ModelWorld> make_world(const Model& model) {
  return model.bodies.empty() ? nullptr : std::make_unique<ModelWorld>(model);
}

ModelCollisions::ModelCollisions(const Model& model) : all_(model), collisions_(all_.bodies, model.grounds) {
  for (const auto& [a, b] : all_.ignored) collisions_.ignore_pair(a, b);
  states_.resize(all_.bodies.size());
}

void ModelCollisions::find(std::span<const BodyState> bodies, std::span<const ObstacleNow> obstacles,
                           std::vector<BodyContact>& out, double margin) {
  std::copy(bodies.begin(), bodies.end(), states_.begin());
  for (std::size_t i = 0; i < all_.obstacles.size(); ++i) {
    const ObstacleNow& now = obstacles[static_cast<std::size_t>(all_.obstacles[i])];
    states_[bodies.size() + i] = {now.pose, now.motion};
  }
  collisions_.find(states_, out, margin);
}

int ModelCollisions::obstacle_of(int body) const { return obstacle_among(all_, body); }

}  // namespace tendril
