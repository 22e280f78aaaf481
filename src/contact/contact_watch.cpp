#include "contact/contact_watch.h"

#include <algorithm>
#include <cmath>

#include "contact/body_obstacles.h"
#include "math/elementary.h"

namespace tendril {

ContactWatch::ContactWatch(const Model& model) : geometry_(model), obstacles_(static_cast<int>(model.obstacles.size())) {
  has_friction_ = model.contact.friction > 0;
  for (const ObstacleModel& o : model.obstacles) has_friction_ = has_friction_ || o.friction > 0;
  body_of_ = add_bodies(model, geometry_);
  for (const int b : body_of_) has_friction_ = has_friction_ || model.bodies[static_cast<std::size_t>(b)].friction > 0;
  poses_before_.resize(first_body() + body_of_.size());
  for (std::size_t o = 0; o < model.obstacles.size(); ++o) poses_before_[o] = model.obstacles[o].start;
  poses_after_ = poses_before_;
  set_sizes();
}

void ContactWatch::rebuild(const Model& model, const Frame& frame) {
  geometry_.rebuild(model, frame);
  set_sizes();
}

void ContactWatch::set_sizes() {
  before_.assign(static_cast<std::size_t>(geometry_.nodes()), Vec3::Zero());
  after_ = before_;
  leeway_ = geometry_.margin();
  for (int e = 0; e < geometry_.edges(); ++e) leeway_ = std::min(leeway_, geometry_.radius(e));
}

// Contacts are looked for along straight lines in the axes of what turns (find_contacts.h).
bool ContactWatch::turns_too_far() const {
  constexpr double largest_turn = 0.5;  // [rad]
  for (std::size_t o = 0; o < poses_after_.size(); ++o) {
    const Pose &from = poses_before_[o], &to = poses_after_[o];
    if (std::abs(from.orientation.dot(to.orientation)) > math::cos(0.5 * largest_turn)) continue;
    // It turns far: is any segment near it, wherever the two go in this step?
    const double near = geometry_.obstacles()[o].reach + (to.position - from.position).norm();
    for (int e = 0; e < geometry_.edges(); ++e) {
      const auto i = static_cast<std::size_t>(geometry_.ends(e)[0]), j = static_cast<std::size_t>(geometry_.ends(e)[1]);
      const Vec3 &p = before_[i], &q = after_[i];
      const double around = (before_[j] - p).norm() + (q - p).norm() + (after_[j] - before_[j]).norm();
      if ((p - from.position).norm() < near + around + geometry_.radius(e)) return true;
    }
  }
  return false;
}

void ContactWatch::set_nodes(const Touch& touch, ContactRows& rows) const {
  const int edge[2] = {touch.edge_a, touch.edge_b >= 0 ? touch.edge_b : touch.edge_a};
  for (int i = 0; i < 4; ++i) rows.node[i] = geometry_.ends(edge[i / 2])[static_cast<std::size_t>(i % 2)];
}

ContactMotion ContactWatch::motion_of(const Touch& touch, const ContactRows& rows) const {
  ContactMotion motion;
  for (int i = 0; i < 4; ++i) motion.before[i] = to_small(before_[static_cast<std::size_t>(rows.node[i])]);
  if (touch.obstacle >= 0) {
    const auto o = static_cast<std::size_t>(touch.obstacle);
    motion.surface_after = to_small(point_on(poses_after_[o], touch.local));
    motion.surface_before = to_small(point_on(poses_before_[o], touch.local));
  }
  return motion;
}

void ContactWatch::visit_state(StateArchive& archive) { archive.fixed(poses_after_); }

}  // namespace tendril
