// A load a million times as heavy as the rope it hangs on, let go from the horizontal: when it passes the vertical, and what the rope
// then carries. The load is a mass at the last node of a chain: the method has no bodies yet.
#include "methods/compact/part.h"
#include "validation/experiment.h"

namespace tendril {
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
  ForceLoad weight;
  weight.rod = "rope", weight.value = Vec3(0, 0, -heavy * g);
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}, weight};
  return std::make_shared<const Model>(*build_model(scene));
}

}  // namespace

std::vector<Check> compact_heavy_load(ExperimentContext& context) {
  const auto model = rope_model();
  Part part(*model, 0, StrainKind::angle, {});
  part.chain.mass[z(part.chain.real())] += heavy;  // not yet seen by anyone
  Drive drive;
  LoadsNow loads(*model);
  constexpr double h = 5e-3;
  double time = 0, iterations = 0, steps = 0, vertical = 0, tension = 0;
  Vec3 before = Vec3::UnitX();
  std::vector<std::vector<double>> rows;
  for (double pulled = heavy * g; vertical == 0 && time < 2; time += h) {
    evaluate(*model, Live{}, time + h, 1, drive);
    loads.update(drive);
    part.solved = part.problem.solve(part.state, drive, loads, steps == 0 ? euler_stage(h) : bdf2_stage(h, h));
    if (!part.solved.fine) return {{"the step converges", 1, 0, 1, 0, false}};
    ++steps, iterations += part.solved.iterations;
    const Vec3 now = part.state.points.y[z(part.chain.real())];
    const double pulls = part.state.force.back().norm();
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

}  // namespace tendril
