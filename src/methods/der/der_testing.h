// Small rods for the tests of this folder.
#pragma once

#include <memory>

#include "methods/der/der.h"
#include "model/model.h"

namespace tendril::der {

inline StiffnessSection plain_section(double EI1 = 1, double EI2 = 1, double GJ = 0.8) {
  StiffnessSection s;
  s.EA = 1e4, s.EI1 = EI1, s.EI2 = EI2, s.GJ = GJ, s.mass_per_length = 1, s.radius = 0.01;
  return s;
}
inline Scene one_rod(const Curve& rest, int segments, const CrossSection& section = plain_section()) {
  Scene scene;
  Rod rod;
  rod.name = "rod";
  rod.section = section;
  rod.rest = rest;
  rod.segments = segments;
  scene.rods.push_back(rod);
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
inline std::shared_ptr<const Model> model_of(const Scene& scene) {
  Checked<Model> model = build_model(scene);
  return std::make_shared<const Model>(*model);
}
inline Frame frame_of(const Method& method) {
  Frame frame;
  method.write(frame);
  return frame;
}
inline Timetable<double> ramp(double to, double duration = 1) {
  Timetable<double> table;
  table.shape = TimetableShape::linear;
  table.keys = {{0, 0}, {duration, to}};
  return table;
}

inline const Curve line = StraightCurve{Vec3(0, 0, 0), Vec3(1, 0, 0)};
inline double advised(const Model& model) { return advise(model, Options(entry().info.options, {})).advised; }
// All rods stretch.
inline Scene stretching(Scene scene, bool stretch = true) {
  for (Rod& rod : scene.rods) rod.stretch = stretch ? Give::elastic : Give::none;
  return scene;
}

}  // namespace tendril::der
