// Moments per length, against theory, for every method that has them.
#include <cmath>

#include "math/rotation.h"
#include "testing/for_each_method.h"
#include "testing/sentence.h"

namespace tendril {
namespace {

// Turn of the last segment of a cantilever along x against its first, in equilibrium under the moment m per length.
double turn_of_last(const MethodEntry& method, int segments, const Vec3& m, Axes axes) {
  Scene scene;
  scene.method = method.info.name, scene.time.mode = Mode::statics, scene.time.duration = 1;
  Rod rod;
  rod.name = "rod", rod.rest = StraightCurve{Vec3::Zero(), Vec3(2, 0, 0)}, rod.segments = segments, rod.d1 = Vec3::UnitY();
  rod.section = StiffnessSection{.EA = 1e4, .EI1 = 0.5, .EI2 = 0.5, .GJ = 0.3, .mass_per_length = 0.1, .radius = 0.005};
  scene.rods = {rod};
  scene.clamps.resize(1);
  scene.clamps[0].name = "wall", scene.clamps[0].rod = "rod";
  DistributedLoad load;
  load.rod = "rod", load.moment = m, load.axes = axes;
  scene.loads = {load};
  Checked<Simulation> simulation = Simulation::open(scene);
  if (!simulation) throw Misuse(to_text(simulation.problems()));
  const RunReport report = simulate(*simulation, {});
  EXPECT_EQ(report.outcome, Outcome::fine) << report.message;
  const Frame& frame = simulation->frame();
  const Quat before = frame.orientation[EdgeIndex(0)], after = frame.orientation[EdgeIndex(segments - 1)];
  return log_rotation(Quat(after * before.conjugate())).norm();
}

SENTENCE("run",
         "a moment m per length turns a clamped rod by m (L s - s^2/2) over its stiffness, about itself and sideways") {
  const double L = 2, size = 0.2;
  const int n = 50;
  for_each_method([&](const MethodEntry& method) {
    if (!method.info.can.equilibrium.has(Feature::line_moments)) return;
    const double first = 0.5 * L / n, last = L - first;
    const auto turn = [&](double s) { return size * (L * s - 0.5 * s * s); };
    const double twisted = (turn(last) - turn(first)) / 0.3, bent = (turn(last) - turn(first)) / 0.5;
    EXPECT_NEAR(turn_of_last(method, n, Vec3(size, 0, 0), Axes::world), twisted, 1e-3 * twisted) << method.info.name;
    EXPECT_NEAR(turn_of_last(method, n, Vec3(0, size, 0), Axes::world), bent, 1e-3 * bent) << method.info.name;
    EXPECT_NEAR(turn_of_last(method, n, Vec3(0, 0, size), Axes::material), twisted, 1e-3 * twisted) << method.info.name;
  });
}

}  // namespace
}  // namespace tendril
