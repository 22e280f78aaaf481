// Small scenes for the tests of this room.
#pragma once

#include <string>
#include <utility>

#include "model/model.h"

namespace tendril {

inline Scene one_rod(Curve rest, std::optional<int> segments) {
  Rod rod;
  rod.name = "rod";
  rod.section = StiffnessSection{std::nullopt, 1, 1, 0.8, 1, 0.01};
  rod.rest = std::move(rest);
  rod.segments = segments;
  Scene scene;
  scene.rods.push_back(rod);
  return scene;
}
inline Clamp clamp_at(double at) {
  Clamp clamp;
  clamp.rod = "rod";
  clamp.at = at;
  return clamp;
}

}  // namespace tendril
