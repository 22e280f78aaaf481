// Rods, bodies and joints for the tests of this folder.
#pragma once

#include "methods/der/der_testing.h"

namespace tendril::der {

inline Rod rod_between(const std::string& name, const Vec3& a, const Vec3& b, int segments) {
  Rod rod;
  rod.name = name;
  rod.section = plain_section();
  rod.rest = StraightCurve{a, b};
  rod.segments = segments;
  return rod;
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

}  // namespace tendril::der
