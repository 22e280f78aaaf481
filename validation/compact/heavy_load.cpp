// A body a million times as heavy as the rope it hangs on, let go from the horizontal: when it passes the vertical, and what the rope
// then carries.
#include "methods/compact/compact.h"
#include "validation/experiment.h"

namespace tendril::experiments::compact_heavy_load {
namespace {

using namespace compact;

constexpr double g = 9.81, heavy = 1;  // [m/s^2], [kg]

std::shared_ptr<const Model> rope_model() {
  Scene scene;
  scene.title = "heavy load", scene.method = "compact";
  Rod rod;
  rod.name = "rope";
  rod.rest = StraightCurve{Vec3::Zero(), Vec3::UnitX()};
  rod.section =
      StiffnessSection{.EA = {}, .EI1 = 1e-9, .EI2 = 1e-9, .GJ = 1e-9, .mass_per_length = 1e-6 * heavy, .radius = 1e-4};
  rod.segments = 20;
  scene.rods.push_back(rod);
  Clamp pin;
  pin.name = "pin", pin.rod = "rope", pin.hold = {Hold::position};
  scene.clamps.push_back(pin);
  RigidBody load;
  load.name = "load", load.mass = heavy, load.inertia = Vec3::Constant(4e-4), load.position = Vec3::UnitX();
  scene.bodies.push_back(load);
  scene.joints.push_back({"hook", JointKind::ball, {"rope", 1}, {"", 0, "load"}, Vec3::UnitZ()});
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  return std::make_shared<const Model>(*build_model(scene));
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  Compact method(rope_model(), {});
  constexpr double h = 5e-3;
  double time = 0, iterations = 0, steps = 0, vertical = 0, tension = 0;
  Vec3 before = Vec3::UnitX();
  std::vector<std::vector<double>> rows;
  Frame frame;
  for (double pulled = 0; vertical == 0 && time < 2; time += h) {
    const StepReport report = method.step(time, h, {});
    if (report.outcome != Outcome::fine) return {{"the step converges", 1, 0, 1, 0, false}};
    ++steps, iterations += report.iterations;
    method.write(frame);
    const Vec3 now = frame.bodies[0].pose.position;
    const double pulls = frame.force[EdgeIndex(19)].norm();
    rows.push_back({time + h, now.x(), now.z(), pulls});
    if (now.x() < 0) {  // between the last level and this one
      const double share = before.x() / (before.x() - now.x());
      vertical = time + share * h, tension = (1 - share) * pulled + share * pulls;
    }
    before = now, pulled = pulls;
  }
  context.write_csv("motion", {"time [s]", "x [m]", "z [m]", "tension at the load [N]"}, rows);
  return {relative_check("time to the vertical over sqrt(L/g)", 1.854074677, vertical * std::sqrt(g), 1e-3),
          relative_check("tension there over the weight", 3, tension / (heavy * g), 5e-3),
          bound_check("Newton iterations per step, mean", iterations / steps, 3)};
}

}  // namespace tendril::experiments::compact_heavy_load
