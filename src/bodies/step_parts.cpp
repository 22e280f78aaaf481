#include "bodies/step_parts.h"

#include <algorithm>
#include <cmath>

#include "bodies/body_extents.h"

namespace tendril {

StepParts::StepParts(std::span<const BodyModel> bodies, std::span<const GroundPlane> grounds)
    : bodies_(bodies.begin(), bodies.end()), grounds_(grounds.begin(), grounds.end()), speed_(bodies.size()) {
  for (const BodyModel& body : bodies) {
    const bool collides = body.shape && body.collides;
    size_.push_back(collides ? Size{reach_of(*body.shape), thinnest_of(*body.shape)} : Size{});
  }
}

void StepParts::ignore_pair(int a, int b) { ignored_.push_back({std::min(a, b), std::max(a, b)}); }

// What the velocity at the start of the step leaves out: the change under the wrench, and the turn about the centre, by
// which only what sticks out of the ball inside moves towards others.
double StepParts::most(int i, double dt, std::span<const Wrench> wrenches, const BodyState& state) const {
  const auto k = static_cast<std::size_t>(i);
  const BodyModel& body = bodies_[k];
  double linear = 0, angular = state.motion.angular.norm();
  if (body.moves_freely()) {
    linear = dt * wrenches[k].force.norm() / body.mass;
    angular += dt * wrenches[k].moment.norm() / body.inertia.minCoeff();
  }
  return linear + angular * (size_[k].reach - size_[k].thin);
}

double StepParts::parts(double dt, std::span<const Wrench> wrenches, std::span<const BodyState> states) const {
  const int count = static_cast<int>(bodies_.size());
  for (int i = 0; i < count; ++i)
    speed_[static_cast<std::size_t>(i)] = most(i, dt, wrenches, states[static_cast<std::size_t>(i)]);
  double parts = 1;
  for (int i = 0; i < count; ++i) {
    const auto a = static_cast<std::size_t>(i);
    if (!(size_[a].reach > 0)) continue;
    // Every pair of which one can move, most of them too far apart to count.
    for (int j = i + 1; j < count; ++j) {
      const auto b = static_cast<std::size_t>(j);
      if (!(size_[b].reach > 0) || !(bodies_[a].moves_freely() || bodies_[b].moves_freely())) continue;
      const double travel = dt * ((states[a].motion.linear - states[b].motion.linear).norm() + speed_[a] + speed_[b]);
      const double thin = std::min(size_[a].thin, size_[b].thin);
      if (!(travel > parts * thin)) continue;
      const double near = size_[a].reach + size_[b].reach + travel;
      if ((states[a].pose.position - states[b].pose.position).squaredNorm() > near * near) continue;
      if (std::find(ignored_.begin(), ignored_.end(), std::array<int, 2>{i, j}) != ignored_.end()) continue;
      const double gap = least_gap(*bodies_[a].shape, states[a].pose, *bodies_[b].shape, states[b].pose);
      parts = std::max(parts, std::ceil(travel / (gap + thin)));
    }
    for (const GroundPlane& ground : grounds_) {
      if (!bodies_[a].moves_freely()) break;
      // The ground is thick: only the body's own thickness counts, so that it does not sink in far.
      const Vec3 n = ground.normal.normalized();
      const double down = dt * (speed_[a] - n.dot(states[a].motion.linear));
      if (!(down > parts * size_[a].thin)) continue;
      const double height = n.dot(states[a].pose.position - ground.point) -
                            extent_of(*bodies_[a].shape, states[a].pose.orientation.conjugate() * n);
      parts = std::max(parts, std::ceil(down / (std::max(0.0, height) + size_[a].thin)));
    }
  }
  return parts;
}

}  // namespace tendril
