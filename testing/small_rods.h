// Small rods, bodies and joints, for the tests of every method.
#pragma once

#include <memory>
#include <string>

#include "math/number.h"
#include "model/model.h"
#include "tendril/scene.h"

namespace tendril::small_rods {

inline StiffnessSection plain_section(double EI1 = 1, double EI2 = 1, double GJ = 0.8) {
  StiffnessSection s;
  s.EA = 1e4, s.EI1 = EI1, s.EI2 = EI2, s.GJ = GJ, s.mass_per_length = 1, s.radius = 0.01;
  return s;
}
inline const Curve line = StraightCurve{Vec3(0, 0, 0), Vec3(1, 0, 0)};
inline Rod small_rod(const std::string& name, const Curve& rest, int segments,
                     const CrossSection& section = plain_section()) {
  Rod rod;
  rod.name = name;
  rod.section = section;
  rod.rest = rest;
  rod.segments = segments;
  return rod;
}
inline Rod rod_between(const std::string& name, const Vec3& a, const Vec3& b, int segments) {
  return small_rod(name, StraightCurve{a, b}, segments);
}
inline Scene one_rod(const Curve& rest, int segments, const CrossSection& section = plain_section()) {
  Scene scene;
  scene.rods.push_back(small_rod("rod", rest, segments, section));
  return scene;
}
inline Clamp& add_clamp(Scene& scene, double at, std::vector<Hold> hold = {Hold::position, Hold::direction, Hold::twist}) {
  Clamp clamp;
  clamp.name = "clamp" + std::to_string(scene.clamps.size() + 1);
  clamp.rod = "rod";
  clamp.at = at;
  clamp.hold = std::move(hold);
  scene.clamps.push_back(clamp);
  return scene.clamps.back();
}
inline Obstacle& add_shape(Scene& scene, const ObstacleShape& shape) {
  Obstacle o;
  o.name = "obstacle" + std::to_string(scene.obstacles.size() + 1);
  o.shape = shape;
  scene.obstacles.push_back(o);
  return scene.obstacles.back();
}
inline std::shared_ptr<const Model> model_of(const Scene& scene) {
  Checked<Model> model = build_model(scene);
  return std::make_shared<const Model>(*model);
}

inline RigidBody body_at(const std::string& name, const Vec3& position, double mass, const Vec3& inertia) {
  RigidBody body;
  body.name = name, body.position = position, body.mass = mass, body.inertia = inertia;
  return body;
}
inline Joint join(JointKind kind, JointPlace a, JointPlace b, const Vec3& axis = Vec3::UnitZ()) {
  static int count = 0;
  Joint joint;
  joint.name = "joint" + std::to_string(++count);
  joint.kind = kind, joint.a = std::move(a), joint.b = std::move(b), joint.axis = axis;
  return joint;
}
inline JointPlace on_rod(const std::string& rod, double at) { return {rod, at}; }
inline JointPlace on_body(const std::string& body) { return {"", 0, body}; }
inline JointPlace on_world() { return {"", 0, "", true}; }

// A rod between two odd bodies, welded off their centres, a third rod hinged to its middle, a body on a ball below.
inline Scene everything() {
  Scene scene;
  scene.rods = {rod_between("rod", Vec3(0, 0, 0), Vec3(1, 0, 0), 8),
                rod_between("arm", Vec3(0.5, 0, 0), Vec3(0.5, 0.6, 0), 5),
                rod_between("leg", Vec3(0.5, 0.6, 0), Vec3(0.9, 0.6, 0.3), 4)};
  scene.bodies = {body_at("left", Vec3(-0.1, 0.05, 0.02), 1.3, Vec3(0.02, 0.03, 0.04)),
                  body_at("right", Vec3(1.1, -0.1, 0.1), 2.1, Vec3(0.05, 0.03, 0.045)),
                  body_at("pot", Vec3(0.9, 0.6, 0.2), 1.0, Vec3(0.02, 0.02, 0.03)),
                  body_at("lid", Vec3(0.9, 0.7, 0.25), 0.8, Vec3(0.01, 0.02, 0.02))};
  scene.bodies[0].orientation = Vec3(0.3, -0.2, 0.6);
  scene.bodies[1].orientation = Vec3(-0.5, 0.4, 0.1);
  scene.joints = {join(JointKind::rigid, on_body("left"), on_rod("rod", 0)),
                  join(JointKind::rigid, on_rod("rod", 1), on_body("right")),
                  join(JointKind::hinge, on_rod("rod", 0.5), on_rod("arm", 0), Vec3(0.2, 0.1, 1)),
                  join(JointKind::rigid, on_rod("arm", 1), on_rod("leg", 0)),
                  join(JointKind::ball, on_rod("leg", 1), on_body("pot")),
                  join(JointKind::rigid, on_body("pot"), on_body("lid"))};
  return scene;
}
// A body on a twisted rod of 1.2 m, welded to its end or to its start; the other is clamped.
inline Scene torsion_pendulum(bool at_end) {
  Scene scene = one_rod(StraightCurve{Vec3::Zero(), Vec3(1.2, 0, 0)}, 6, plain_section(0.6, 0.6, 0.5));
  scene.rods[0].initial_twist = 0.1 / (2 * math::pi);
  add_clamp(scene, at_end ? 0 : 1);
  scene.bodies = {body_at("bob", Vec3(at_end ? 1.2 : 0, 0, 0), 1, Vec3(0.02, 0.02, 0.02))};
  scene.joints = {join(JointKind::rigid, on_rod("rod", at_end ? 1 : 0), on_body("bob"))};
  return scene;
}

}  // namespace tendril::small_rods
