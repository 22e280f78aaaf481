// What the tests of this folder share.
#pragma once

#include <cmath>
#include <memory>

#include "methods/galpha/paper/paper.h"
#include "testing/sentence.h"
#include "testing/small_rods.h"

namespace tendril::galpha::paper {

using namespace small_rods;

inline Frame frame_of(const Method& method) {
  Frame frame;
  method.write(frame);
  return frame;
}
// `count` steps, all of which must be fine; how many iterations they took.
inline int run(Method& method, double h, int count, int first = 0) {
  int iterations = 0;
  for (int k = 0; k < count; ++k) {
    const StepReport report = method.step((first + k) * h, h, {});
    EXPECT_EQ(report.outcome, Outcome::fine) << first + k << ": " << report.residual;
    if (report.outcome != Outcome::fine) break;
    iterations += report.iterations;
  }
  return iterations;
}
inline ForceLoad tip_force(const Vec3& value) {
  ForceLoad load;
  load.rod = "rod", load.at = 1, load.value = value;
  return load;
}
inline MomentLoad tip_moment(const Vec3& value) {
  MomentLoad load;
  load.rod = "rod", load.at = 1, load.value = value;
  return load;
}
inline GravityLoad gravity(const Vec3& acceleration) {
  GravityLoad load;
  load.acceleration = acceleration;
  return load;
}
inline Scene cantilever(int segments, const Load& load) {
  Scene scene = one_rod(line, segments);
  add_clamp(scene, 0);
  scene.loads.push_back(load);
  return scene;
}
inline Settings of(const Triple& triple, Space space = Space::products_of_means) {
  Settings settings;
  settings.triple = triple, settings.space = space;
  return settings;
}
inline double order(double coarse, double fine) { return std::log2(coarse / fine); }
// What is left of the energy balance since a rod at rest.
inline double energy_error(const Frame& start, const Frame& now) {
  return now.own_energy.total() - start.own_energy.total() - now.flow.work() + now.flow.dissipated();
}

}  // namespace tendril::galpha::paper
