// What the experiments of `cable` share.
#pragma once

#include <memory>
#include <string>

#include "methods/cable/cable.h"
#include "tendril/scene.h"

namespace tendril::rope {

inline constexpr double frame_step = 1.0 / 60;  // [s] what simulators step by

inline std::shared_ptr<const Model> model_of(const Scene& scene) {
  Checked<Model> model = build_model(scene);
  TENDRIL_REQUIRE(bool(model), "the experiment's scene must be right");
  return std::make_shared<const Model>(*model);
}

// A straight rope from `a` to `b`.
inline Scene straight(const Vec3& a, const Vec3& b, int segments, const StiffnessSection& section,
                      Give stretch = Give::none) {
  Scene scene;
  scene.title = "rope", scene.method = "cable";
  Rod rod;
  rod.name = "rope", rod.rest = StraightCurve{a, b}, rod.section = section, rod.segments = segments, rod.stretch = stretch;
  scene.rods.push_back(rod);
  return scene;
}
inline void pin(Scene& scene, double at, std::vector<Hold> hold = {Hold::position}) {
  Clamp clamp;
  clamp.name = "pin" + std::to_string(scene.clamps.size() + 1), clamp.rod = "rope", clamp.at = at,
  clamp.hold = std::move(hold);
  scene.clamps.push_back(clamp);
}
inline void hang_load(Scene& scene, const Vec3& place, double mass) {
  RigidBody load;
  load.name = "load", load.mass = mass, load.inertia = Vec3::Constant(0.4 * mass * 0.01), load.position = place;
  scene.bodies.push_back(load);
  scene.joints.push_back({"hook", JointKind::ball, {"rope", 1}, {"", 0, "load"}, Vec3::UnitZ()});
}

}  // namespace tendril::rope
