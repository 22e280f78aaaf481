// A rod that is clamped at its start: what many experiments begin with.
#pragma once

#include <string>

#include "tendril/scene.h"

namespace tendril {

inline Scene clamped_rod(const std::string& method, const std::string& name, const Curve& rest, const CrossSection& section,
                         int segments) {
  Scene scene;
  scene.title = name;
  scene.method = method;
  Rod rod;
  rod.name = name;
  rod.rest = rest;
  rod.section = section;
  rod.segments = segments;
  scene.rods.push_back(rod);
  Clamp wall;
  wall.name = "wall", wall.rod = name;
  scene.clamps.push_back(wall);
  return scene;
}

// Length, stiffnesses and mass are one.
inline Scene unit_beam(const std::string& method, int segments) {
  return clamped_rod(method, "beam", StraightCurve{Vec3::Zero(), Vec3::UnitX()},
                     StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1, .radius = 0.01},
                     segments);
}

}  // namespace tendril
