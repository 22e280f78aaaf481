// What the tests of this folder share.
#pragma once

#include <memory>

#include "methods/der/der.h"
#include "model/model.h"
#include "testing/small_rods.h"

namespace tendril::der {

using namespace small_rods;

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

inline double advised(const Model& model) { return advise(model, Options(entry().info.options, {})).advised; }
// All rods stretch.
inline Scene stretching(Scene scene, bool stretch = true) {
  for (Rod& rod : scene.rods) rod.stretch = stretch ? Give::elastic : Give::none;
  return scene;
}

}  // namespace tendril::der
