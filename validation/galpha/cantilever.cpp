// Clamped rods under dead loads against accurate solutions, the order of the mesh, the end of damped motion, and a scene that is turned.
#include <algorithm>

#include "validation/clamped_cases.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::galpha_cantilever {
namespace {

Vec3 tip_of(const Scene& scene) { return run_to_end(scene).frame().position[NodeIndex(*scene.rods[0].segments)]; }

Scene with_moment(Scene scene, double moment) {
  MomentLoad load;
  load.rod = "strand", load.value = Vec3(0, 0, moment);
  scene.loads.push_back(load);
  return scene;
}

// A beam that weight and a force let swing, damped, until it is where its equilibrium is.
double damped_end() {
  Scene scene =
      with_weight(clamped_at_rest("galpha", StraightCurve{Vec3::Zero(), Vec3::UnitX()},
                                  {.EA = {}, .EI1 = 1, .EI2 = 2, .GJ = 1, .mass_per_length = 1, .radius = 0.01}, 20),
                  Vec3(0, 1, -3));
  const Vec3 still = tip_of(scene);
  scene.time.mode = Mode::dynamics, scene.time.duration = 30, scene.time.step = 0.05, scene.time.frames_per_second = 1;
  scene.rods[0].damping.mass = 4;
  return (tip_of(scene) - still).norm();
}

// The same motion with everything turned about an axis.
double turned_scene() {
  const auto scene = [](const Quat& turn) {
    Scene s = with_weight(clamped_at_rest("galpha", StraightCurve{Vec3::Zero(), turn * Vec3::UnitX()},
                                          {.EA = {}, .EI1 = 1, .EI2 = 2, .GJ = 1, .mass_per_length = 1, .radius = 0.01}, 20),
                          turn * Vec3(0, 2, -5));
    s.rods[0].d1 = turn * Vec3::UnitY();
    s.time.mode = Mode::dynamics, s.time.duration = 2, s.time.step = 0.01, s.time.frames_per_second = 5;
    return tip_of(s);
  };
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(1, -2, 3).normalized()));
  return (scene(turn) - turn * scene(Quat::Identity())).norm();
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  double number = 0;
  std::vector<ClampedCase> cases = clamped_cases("galpha");
  for (const double part : {0.25}) {
    const reference::Tip t = reference::tip_moment(part);
    cases.push_back({fmt::format("end moment, {:g} of a circle", part),
                     [=](int n) {
                       return with_moment(
                           clamped_at_rest("galpha", StraightCurve{Vec3::Zero(), Vec3::UnitX()},
                                           {.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1, .radius = 0.01}, n),
                           math::two_pi * part);
                     },
                     Vec3(t.x, t.y, 0)});
  }
  for (const ClampedCase& c : cases) {
    if (c.name == "own weight 50") continue;  // to 10: beyond, the mesh of 40 segments does not resolve the wall
    const bool helix = c.name.starts_with("helix");
    const int n = helix ? 100 : 40;
    double error[2];
    for (const int k : {0, 1}) {
      error[k] = (tip_of(c.scene(n << k)) - c.tip).norm() / c.length;
      rows.push_back({number, 1.0 * (n << k), error[k]});
    }
    checks.push_back(
        bound_check(fmt::format("{}: tip at {} segments, part of the length", c.name, n), error[0], helix ? 3e-4 : 1e-4));
    if (error[1] > 1e-8)
      checks.push_back(absolute_check(c.name + ": order of the mesh", 2, std::log2(error[0] / error[1]), 0.05));
    ++number;
  }
  checks.push_back(bound_check("damped motion ends at the equilibrium, part of the length", damped_end(), 1e-8));
  checks.push_back(bound_check("a scene that is turned: difference to the turned result", turned_scene(), 1e-10));
  context.write_csv("errors", {"case", "segments", "error of the tip [L]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::galpha_cantilever
