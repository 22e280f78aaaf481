#include "methods/cable/body_touches.h"

#include <algorithm>
#include <cmath>

#include "bodies/body_extents.h"
#include "contact/contact_memory.h"
#include "math/rotation.h"

namespace tendril::cable {

bool BodyTouches::needed(const Model& model) {
  const auto collides = [](const BodyModel& b) { return b.shape && b.collides; };
  if (std::none_of(model.bodies.begin(), model.bodies.end(),
                   [&](const BodyModel& b) { return collides(b) && b.moves_freely(); }))
    return false;
  return !model.obstacles.empty() || std::count_if(model.bodies.begin(), model.bodies.end(), collides) > 1;
}

BodyTouches::BodyTouches(const Model& model, const Parts& parts)
    : model_(model), parts_(parts), all_(model), collisions_(model), step_parts_(all_.bodies, model.grounds) {
  for (const auto& [a, b] : all_.ignored) step_parts_.ignore_pair(a, b);
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < all_.bodies.size(); ++i) {
    const auto& shape = all_.bodies[i].shape;
    thin_.push_back(shape ? thinnest_of(*shape) : 0), reach_.push_back(shape ? reach_of(*shape) : 0);
    if (shape && i < model.bodies.size()) least = std::min(least, thin_.back());
  }
  margin_ = 0.02 * least;
  everything_.resize(all_.bodies.size()), wrenches_.resize(all_.bodies.size());
  states_.resize(model.bodies.size()), looked_at_ = states_;
}

void BodyTouches::begin(std::span<const BodyState> states) { std::copy(states.begin(), states.end(), states_.begin()); }

void BodyTouches::look(std::span<const BodyState> states, const Drive& drive) {
  std::copy(states.begin(), states.end(), looked_at_.begin());
  collisions_.find(states, drive.obstacles, found_, margin_);
}

bool BodyTouches::is_outdated(std::span<const BodyState> states) const {
  constexpr double far = 0.02;  // [1] of what is thinnest
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!model_.bodies[i].shape || !model_.bodies[i].collides) continue;
    const Pose &now = states[i].pose, &then = looked_at_[i].pose;
    const double turned = 2 * (now.orientation.coeffs() - then.orientation.coeffs()).norm();
    if ((now.position - then.position).norm() + turned * reach_[i] > far * thin_[i]) return true;
  }
  return false;
}

Touching BodyTouches::contact(int i, const Ahead& ahead, const Ahead& start, const Drive& drive,
                              const StepSizes& step) const {
  constexpr double slow = 0.05;  // [m/s] too slow to bounce
  const BodyContact& found = found_[z(i)];
  Touching c;
  c.body_contact = i;
  const bool turned = !moves(found.a);  // the one that moves is the second
  const int a = turned ? found.b : found.a, b = turned ? found.a : found.b;
  c.a = element(a);
  c.axis[0] = turned ? Vec3(-found.normal) : found.normal;
  c.other = b >= 0 ? b : -1 - found.ground;
  c.arm_a = found.point - ahead.x[z(c.a)];
  c.size = thin_[z(a)];
  if (b >= 0) {
    c.size = std::min(c.size, thin_[z(b)]);
    if (moves(b)) {
      c.b = element(b), c.arm_b = found.point - ahead.x[z(c.b)];
    } else {
      const int obstacle = collisions_.obstacle_of(b);
      const Motion& motion = obstacle >= 0 ? drive.obstacles[z(obstacle)].motion : drive.bodies[z(b)].motion;
      const Vec3& place = obstacle >= 0 ? drive.obstacles[z(obstacle)].pose.position : drive.bodies[z(b)].pose.position;
      c.surface = motion.linear + motion.angular.cross(found.point - place);
      c.by_body = obstacle < 0;
    }
  }
  c.gap = found.gap, c.friction = found.friction;
  set_tangents(c.axis[0].cross(Vec3::UnitX()), c);
  // The nearest that is known of the same two.
  TouchPast past;
  const Vec3 local = ahead.q[z(c.a)].conjugate() * c.arm_a;
  double nearest = c.size;
  for (const Record& r : records_) {
    const double away = (r.local - local).norm();
    if (r.a != a || r.other != c.other || !(away < nearest) || r.normal.dot(c.axis[0]) < 0.5) continue;
    nearest = away;
    past = {turned_with_normal(r.friction, r.normal, c.axis[0]), r.normal_force, r.gap, r.age + 1};
  }
  go_on(parts_, ahead, past, step, c);
  const double approach = -c.slip(AheadVelocities{start}).dot(c.axis[0]);
  if (found.restitution > 0 && !(past.normal_force > 0) && approach > slow) c.bounce = found.restitution * approach;
  return c;
}

double BodyTouches::step_parts(const Drive& drive, std::span<const Vec3> force, double dt) {
  std::copy(states_.begin(), states_.end(), everything_.begin());
  for (std::size_t i = 0; i < all_.obstacles.size(); ++i) {
    const ObstacleNow& now = drive.obstacles[z(all_.obstacles[i])];
    everything_[model_.bodies.size() + i] = {now.pose, now.motion};
  }
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) wrenches_[i].force = force[z(element(static_cast<int>(i)))];
  return step_parts_.parts(dt, wrenches_, everything_);
}

void BodyTouches::accept(std::span<const Touching> list, const Ahead& ahead) {
  records_.clear();
  for (const Touching& c : list) {
    if (c.body_contact < 0 || !c.presses()) continue;
    records_.push_back({c.a - parts_.first_body, c.other, c.age, ahead.q[z(c.a)].conjugate() * c.arm_a, c.axis[0],
                        c.friction_force(), c.normal, c.gap_after});
  }
}

}  // namespace tendril::cable
