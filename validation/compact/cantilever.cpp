// Clamped rods under a tip load, their own weight and a tip moment against accurate solutions: error at 80 segments, order of
// convergence, and a motion that comes to rest where the equilibrium is.
#include <fmt/format.h>

#include <functional>

#include "validation/clamped.h"
#include "validation/experiment.h"
#include "validation/references.h"
#include "validation/solve.h"

namespace tendril::experiments::compact_cantilever {
namespace {

Scene clamped_beam(int segments) {
  Scene scene = unit_beam("compact", segments);
  scene.time.mode = Mode::statics;
  return scene;
}
Scene bent_by_force(int segments, double load) {
  Scene scene = clamped_beam(segments);
  ForceLoad force;
  force.rod = "beam", force.value = Vec3(0, load, 0);
  scene.loads.push_back(force);
  return scene;
}
Scene bent_by_weight(int segments, double load) {
  Scene scene = clamped_beam(segments);
  scene.loads.push_back(GravityLoad{Vec3(0, -load, 0)});
  return scene;
}
Scene bent_by_moment(int segments, const char* strain) {
  Scene scene = clamped_beam(segments);
  MomentLoad moment;
  moment.rod = "beam", moment.value = Vec3(0, 0, math::two_pi);
  scene.loads.push_back(moment);
  scene.options["compact"]["strain"] = std::string(strain);
  return scene;
}
Vec3 tip_of(const Scene& scene) { return run_to_end(scene).frame().position[NodeIndex(*scene.rods[0].segments)]; }

void add_case(const std::string& name, const reference::Tip& tip, const std::function<Scene(int)>& scene,
              std::vector<Check>& checks, std::vector<std::vector<double>>& rows) {
  std::array<double, 3> error{};
  for (std::size_t k = 0; k < 3; ++k) {
    const int n = 40 << k;
    error[k] = (tip_of(scene(n)) - Vec3(tip.x, tip.y, 0)).norm();
    rows.push_back({tip.load, 1.0 * n, error[k]});
  }
  checks.push_back(bound_check(name + ": tip at 80 segments, part of the length", error[1], 2e-4));
  checks.push_back(absolute_check(name + ": observed order", 2, std::log2(error[1] / error[2]), 0.1));
}

// Heavily damped, in large steps, until it rests.
Vec3 resting_tip(double load) {
  Scene scene = bent_by_weight(40, load);
  scene.time.mode = Mode::dynamics;
  scene.time.duration = 60, scene.time.step = 0.05, scene.time.frames_per_second = 1;
  scene.rods[0].damping.mass = 2;
  scene.options["compact"]["tolerance"] = 1e-10;
  return tip_of(scene);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  for (const reference::Tip& t : reference::tip_load)
    add_case(
        fmt::format("tip load {:g}", t.load), t, [&](int n) { return bent_by_force(n, t.load); }, checks, rows);
  for (const reference::Tip& t : reference::self_weight)
    add_case(
        fmt::format("own weight {:g}", t.load), t, [&](int n) { return bent_by_weight(n, t.load); }, checks, rows);
  checks.push_back(bound_check("whole circle by a moment, angle: gap", tip_of(bent_by_moment(80, "angle")).norm(), 1e-9));
  checks.push_back(bound_check("whole circle by a moment, sine: gap", tip_of(bent_by_moment(80, "sine")).norm(), 1.2e-3));
  for (const double load : {1.0, 10.0})
    checks.push_back(bound_check(fmt::format("own weight {:g}: motion to rest against equilibrium", load),
                                 (resting_tip(load) - tip_of(bent_by_weight(40, load))).norm(), 1e-6));
  context.write_csv("errors", {"load", "segments", "error of the tip [L]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::compact_cantilever
