// Wilberforce's pendulum of REFERENCES 6c: a body on a helical spring of steel wire.
#pragma once

#include "tendril/scene.h"

namespace tendril::wilberforce {

inline constexpr double radius = 0.015, pitch = 0.005, turns = 12, body_mass = 0.25, body_inertia = 6.9668e-5, g = 9.81;
inline constexpr double wire_density = 7850;

// The wire: steel, 0.5 mm in radius, a right-handed helix about -z that starts at (radius, 0, 0), where it is clamped.
inline Scene spring(int segments) {
  Scene scene;
  Material steel;
  steel.name = "steel", steel.density = wire_density, steel.young_modulus = 200e9, steel.poisson_ratio = 0.29;
  scene.materials.push_back(steel);
  Rod rod;
  rod.name = "spring";
  rod.material = "steel";
  rod.section = CircleSection{0.5e-3};
  HelixCurve helix;
  helix.radius = radius, helix.pitch = pitch, helix.turns = turns;
  rod.rest = helix;
  rod.segments = segments;
  scene.rods.push_back(rod);
  Clamp top;
  top.name = "top", top.rod = "spring";
  scene.clamps.push_back(top);
  return scene;
}

// With the body at its lower end, guided along z, and its weight.
inline Scene guided(int segments) {
  Scene scene = spring(segments);
  scene.title = "guided Wilberforce pendulum";
  RigidBody body;
  body.name = "body", body.kind = BodyKind::guided, body.mass = body_mass;
  body.inertia = Vec3::Constant(body_inertia), body.position = Vec3(0, 0, -pitch * turns);
  scene.bodies.push_back(body);
  scene.joints.push_back({"weld", JointKind::rigid, {"spring", 1}, {"", 0, "body"}, Vec3::UnitZ()});
  scene.loads.push_back(GravityLoad{Vec3(0, 0, -g)});
  return scene;
}

}  // namespace tendril::wilberforce
