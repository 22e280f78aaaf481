// Scenes at rest, for tests of equilibria.
#pragma once

#include "methods/der/der_testing.h"
#include "tendril/simulate.h"
#include "testing/sentence.h"

namespace tendril {

using der::add_clamp, der::one_rod, der::plain_section;

inline const std::vector<Hold> pin = {Hold::position}, grip = {Hold::position, Hold::direction, Hold::twist};

inline Scene at_rest(const Curve& rest, int segments, const char* method, const CrossSection& section = plain_section()) {
  Scene scene = one_rod(rest, segments, section);
  scene.method = method;
  scene.time.mode = Mode::statics;
  scene.time.duration = 1;
  return scene;
}
inline void approach(Clamp& clamp, double way) {  // its rod runs along x
  clamp.move.shape = TimetableShape::linear;
  clamp.move.keys = {{0, Vec3::Zero()}, {1, Vec3(-way, 0, 0)}};
}
inline void push(Scene& scene, double at, const Vec3& value, Axes axes = Axes::world) {
  ForceLoad load;
  load.rod = "rod", load.at = at, load.value = value, load.axes = axes;
  scene.loads.push_back(load);
}
inline void turn(Scene& scene, double at, const Vec3& value, Axes axes) {
  MomentLoad load;
  load.rod = "rod", load.at = at, load.value = value, load.axes = axes;
  scene.loads.push_back(load);
}
inline Simulation ended(const Scene& scene) {
  Simulation simulation = std::move(*Simulation::open(scene));
  const RunReport report = simulate(simulation, {});
  EXPECT_EQ(report.outcome, Outcome::fine) << scene.method << ": " << report.message;
  return simulation;
}
inline Verdict verdict_of(const Scene& scene) { return ended(scene).frame().report.verdict; }
inline const Curve metre = StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)};

}  // namespace tendril
