// A rope of 3 to 24 segments pulled by a weight: f = EA dL/L, whatever the number of segments.
#include <fmt/format.h>

#include "validation/cable/servin_rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_stretch {
namespace {

constexpr double g = 10;
constexpr double line_mass = 1e-3;  // [1/m] of the rope, over the load's mass

// [m] by which the rope is longer under the force; -1: no equilibrium was found.
double longer(double young, int segments, double force) {
  const double mass = force / g;
  Scene scene = rope::straight(Vec3::Zero(), Vec3(0, 0, -rope::servin_length), segments,
                               rope::servin_section(young, line_mass * mass), Give::elastic);
  rope::pin(scene, 0);
  rope::hang_load(scene, Vec3(0, 0, -rope::servin_length), mass);
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  cable::Cable method(rope::model_of(scene), {});
  if (method.relax(0, 1, {}).outcome != Outcome::fine) return -1;
  Frame frame;
  method.write(frame);
  return -frame.bodies[0].pose.position.z() - rope::servin_length;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  for (const rope::Material& material : rope::servin_materials) {
    const double EA = material.young * rope::servin_area;
    double worst = 0, least = HUGE_VAL, most = 0;
    for (const int n : rope::servin_segments) {
      for (const double part : {0.01, 0.1, 0.5, 1.0}) {
        const double force = part * std::min(1e7, 0.5 * EA),
                     exact = force * (1 + 0.5 * line_mass * rope::servin_length) * rope::servin_length / EA;
        const double found = longer(material.young, n, force);
        rows.push_back({material.young, 1.0 * n, force, found, exact});
        worst = std::max(worst, std::abs(found / exact - 1));
        if (part == 1) least = std::min(least, found), most = std::max(most, found);
      }
    }
    checks.push_back(bound_check(fmt::format("{}: worst elongation over f L/EA - 1", material.name), worst, 1e-3));
    checks.push_back(bound_check(fmt::format("{}: spread of the elongation over 3 to 24 segments", material.name),
                                 most / least - 1, 1e-3));
  }
  context.write_csv("stretch", {"E [Pa]", "segments", "force [N]", "elongation [m]", "f L/EA [m]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::cable_stretch
