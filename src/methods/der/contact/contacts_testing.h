// Rods that touch something, for the tests of this folder.
#pragma once

#include "methods/der/der_testing.h"
#include "testing/sentence.h"

namespace tendril::der {

constexpr double g = 9.81;

inline Scene touching(Scene scene, double friction = 0) {
  scene.contact.enabled = true;
  scene.contact.friction = friction;
  return scene;
}
inline Obstacle& add_obstacle(Scene& scene, const ObstacleShape& shape) {
  Obstacle o;
  o.name = "obstacle" + std::to_string(scene.obstacles.size() + 1);
  o.shape = shape;
  scene.obstacles.push_back(o);
  return scene.obstacles.back();
}
// The upper half of the world: the floor is at z = 0.
inline Obstacle& add_floor(Scene& scene) { return add_obstacle(scene, HalfSpaceShape{Vec3::Zero(), Vec3::UnitZ()}); }
// Gravity as on a slope that falls towards x.
inline void add_slope(Scene& scene, double angle) {
  scene.loads.push_back(GravityLoad{g * Vec3(std::sin(angle), 0, -std::cos(angle))});
}
// A rod that lies along x on the floor, radius 0.01, mass 1.
inline Scene lying(int segments, double friction, const StiffnessSection& section = plain_section()) {
  Scene scene =
      touching(one_rod(StraightCurve{Vec3(0, 0, section.radius), Vec3(1, 0, section.radius)}, segments, section), friction);
  add_floor(scene);
  return scene;
}

inline double mass_of(const Der& rod, int node) {
  return rod.chain().mass[static_cast<std::size_t>(rod.chain().vertex_of_node[static_cast<std::size_t>(node)])];
}
struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};
inline Momenta momenta_of(const Der& rod, const Frame& frame) {
  Momenta sum;
  for (int i = 0; i < frame.position.size(); ++i) {
    const Vec3 p = mass_of(rod, i) * frame.velocity[NodeIndex{i}];
    sum.linear += p;
    sum.angular += frame.position[NodeIndex{i}].cross(p);
  }
  const Chain& c = rod.chain();
  for (int s = c.begin; s < c.end; ++s) sum.angular += c.roll_inertia[z(s)] * c.roll[z(s)] * to_eigen(c.t.get(s));
  return sum;
}
inline Vec3 centre_of(const Der& rod, const Frame& frame) {
  Vec3 sum = Vec3::Zero();
  double mass = 0;
  for (int i = 0; i < frame.position.size(); ++i)
    sum += mass_of(rod, i) * frame.position[NodeIndex{i}], mass += mass_of(rod, i);
  return sum / mass;
}
inline Vec3 contact_force(const Frame& frame) {
  Vec3 sum = Vec3::Zero();
  for (const ContactPoint& c : frame.contacts) sum += c.force;
  return sum;
}

// Steps from `time` until `until`, and notes the worst overlap on the way.
struct Ride {
  double time = 0, step = 0, penetration = 0;
  int contacts = 0;
  bool fine = true;
  void go(Der& rod, double until) {
    for (; fine && time < until - 0.5 * step; time += step) {
      const StepReport report = rod.step(time, step, {});
      fine = report.outcome == Outcome::fine;
      penetration = std::max(penetration, report.penetration);
      contacts = std::max(contacts, report.contacts);
    }
  }
};

struct Started {
  std::shared_ptr<const Model> model;
  Der rod;
  Ride ride;
};
inline Started started(const Scene& scene, const Settings& settings = {}) {  // with the advised step
  const auto model = model_of(scene);
  Ride ride;
  ride.step = advised(*model);
  return {model, Der(model, settings), ride};
}

}  // namespace tendril::der
