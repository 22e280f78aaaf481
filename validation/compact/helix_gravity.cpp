// A hanging helix of three turns under a load at its tip and under its own weight, against accurate solutions: as an equilibrium, and as
// a damped motion that comes to rest. The paper gives no numbers for its helix; these are those of docs/references.md, case 3.
#include <fmt/format.h>

#include <array>

#include "validation/experiment.h"
#include "validation/references.h"
#include "validation/solve.h"

namespace tendril::experiments::compact_helix_gravity {
namespace {

const double helix_length = 6 * math::pi * std::hypot(1.0, 0.6 / math::two_pi);
constexpr double line_mass = 0.01;  // [kg/m] light, so that it comes to rest soon; weights are given per length

Scene hanging_helix_scene(const reference::SpatialTip& t, int segments, const char* strain) {
  Scene scene;
  scene.title = "hanging helix";
  scene.method = "compact";
  scene.time.mode = Mode::statics;
  Rod rod;
  rod.name = "helix";
  rod.rest = HelixCurve{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), 1, 0.6, 3};
  rod.section = StiffnessSection{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 0.8, .mass_per_length = line_mass, .radius = 0.05};
  rod.segments = segments;
  rod.follows = SectionFollows::curve;
  scene.rods.push_back(rod);
  Clamp wall;
  wall.name = "wall", wall.rod = "helix";
  scene.clamps.push_back(wall);
  if (t.weight > 0) {
    scene.loads.push_back(GravityLoad{Vec3(0, 0, -t.weight / line_mass)});
  } else {
    ForceLoad force;
    force.rod = "helix", force.value = Vec3(0, 0, -t.load);
    scene.loads.push_back(force);
  }
  scene.options["compact"]["strain"] = std::string(strain);
  return scene;
}
// Damped by the air alone, so to say: every mode creeps or swings to rest within some tens of seconds.
Scene moving_helix_scene(const reference::SpatialTip& t, int segments) {
  Scene scene = hanging_helix_scene(t, segments, "angle");
  scene.time.mode = Mode::dynamics;
  scene.time.duration = 600, scene.time.step = 0.25, scene.time.frames_per_second = 0.01;
  scene.rods[0].damping.mass = 0.7;
  scene.options["compact"]["tolerance"] = 1e-10;
  return scene;
}
Vec3 helix_tip(const Scene& scene) { return run_to_end(scene).frame().position[NodeIndex(*scene.rods[0].segments)]; }

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  for (const reference::SpatialTip& t : reference::hanging_helix) {
    const std::string load = t.weight > 0 ? fmt::format("weight {:g}", t.weight) : fmt::format("tip load {:g}", t.load);
    const Vec3 wanted(t.x, t.y, t.z);
    for (const char* strain : {"angle", "sine"}) {
      std::array<double, 3> error{};
      for (std::size_t k = 0; k < 3; ++k) {
        const int n = 100 << k;
        error[k] = (helix_tip(hanging_helix_scene(t, n, strain)) - wanted).norm() / helix_length;
        rows.push_back({t.load, t.weight, strain[0] == 'a' ? 0.0 : 1.0, 1.0 * n, error[k]});
      }
      checks.push_back(
          bound_check(fmt::format("{}, {}: tip at 200 segments, part of the length", load, strain), error[1], 3e-4));
      checks.push_back(
          absolute_check(fmt::format("{}, {}: observed order", load, strain), 2, std::log2(error[1] / error[2]), 0.1));
    }
    const Vec3 rest = helix_tip(moving_helix_scene(t, 200));
    checks.push_back(bound_check(fmt::format("{}: motion to rest, tip, part of the length", load),
                                 (rest - wanted).norm() / helix_length, 3e-4));
    checks.push_back(bound_check(fmt::format("{}: motion to rest against equilibrium, part of the length", load),
                                 (rest - helix_tip(hanging_helix_scene(t, 200, "angle"))).norm() / helix_length, 1e-6));
  }
  context.write_csv("errors",
                    {"tip load [N]", "weight [N/m]", "strain (0 angle, 1 sine)", "segments", "error of the tip [L]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::compact_helix_gravity
