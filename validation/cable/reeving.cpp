// A tackle of four falls hoists at full speed: the tensions of its falls, its hook's speed, and how steady they are.
//
// Friction in the bearings lets each fall pull less than the one before it, e = (1 - f)/(1 + f) at a sheave:
//   T_k = W e^k/(1 + e + e^2 + e^3),   k = 0 at the drum
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/cable/rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_reeving {
namespace {

constexpr double g = 9.81, rope_speed = 10, depth = 60;  // [m/s^2], [m/s], [m]

struct Tackle {
  double mass = 5000;       // [kg] of hook and load
  double bearing = 0.01;    // f
  double sheave_mass = 20;  // [kg] I/R^2
  double EA = 1.2e7;        // [N]
};

Scene tackle(const Tackle& t) {
  Scene scene;
  scene.title = "tackle", scene.method = "cable";
  Rod rope;
  rope.name = "rope", rope.stretch = Give::elastic;
  rope.section = StiffnessSection{.EA = t.EA, .EI1 = 30, .EI2 = 30, .GJ = 20, .mass_per_length = 1, .radius = 0.008};
  PolylineCurve line;
  line.points = {Vec3(-0.3, 0, 0), Vec3(-0.2, 0, -depth), Vec3(0, 0, 0), Vec3(0.2, 0, -depth), Vec3(0.3, 0, 0)};
  rope.rest = line;
  scene.rods = {rope};
  RigidBody hook;
  hook.name = "hook", hook.mass = t.mass, hook.inertia = Vec3::Constant(0.1 * t.mass),
  hook.position = Vec3(0, 0, -depth - 0.5);
  scene.bodies = {hook};
  Reeving reeving;
  reeving.name = "tackle", reeving.rod = "rope", reeving.points.resize(5);
  for (Sheave& sheave : reeving.points)
    sheave.radius = 0.25, sheave.inertia = t.sheave_mass * 0.25 * 0.25, sheave.bearing = t.bearing;
  reeving.points[1].body = reeving.points[3].body = "hook";
  reeving.slack = -4 * depth * (0.25 * t.mass * g / t.EA);  // it hangs on its rope from the start
  scene.reevings = {reeving};
  Winch winch;
  winch.name = "drum", winch.rod = "rope", winch.top_speed = rope_speed, winch.acceleration = 2.5;
  winch.speed.keys = {{0, 0}, {4, -rope_speed}};
  winch.speed.shape = TimetableShape::linear;
  scene.winches = {winch};
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  return scene;
}

struct Steady {
  double tension[4] = {}, ripple[4] = {};  // mean; (largest - smallest)/mean
  double second = 0;                       // largest second difference at the drum, over the mean
  double hook = 0;                         // [m/s]
};
Steady hoist(const Tackle& t, std::vector<std::vector<double>>& rows) {
  constexpr double from = 10, until = 20;  // [s] at full speed, when the start has died away
  cable::Settings settings;
  settings.averaged = true, settings.extra_damping = 0.1;
  cable::Cable method(rope::model_of(tackle(t)), settings);
  Steady result;
  double least[4], most[4], last[2] = {}, start = 0;
  std::fill_n(least, 4, HUGE_VAL), std::fill_n(most, 4, 0.0);
  Frame frame;
  const double h = rope::frame_step;
  int count = 0;
  for (int i = 0; (i + 1) * h < until + 0.5 * h; ++i) {
    if (method.step(i * h, h, {}).outcome != Outcome::fine) return {};
    const double time = (i + 1) * h;
    method.write(frame);
    double now[4];
    for (int k = 0; k < 4; ++k) now[k] = frame.force[EdgeIndex(k)].norm();
    rows.push_back({time, now[0], now[1], now[2], now[3], frame.bodies[0].motion.linear.z()});
    if (time < from - 0.5 * h) continue;
    if (count == 0) start = frame.bodies[0].pose.position.z();
    for (int k = 0; k < 4; ++k) {
      result.tension[k] += now[k];
      least[k] = std::min(least[k], now[k]), most[k] = std::max(most[k], now[k]);
    }
    if (count >= 2) result.second = std::max(result.second, std::abs(now[0] - 2 * last[1] + last[0]));
    last[0] = last[1], last[1] = now[0];
    result.hook = count > 0 ? (frame.bodies[0].pose.position.z() - start) / (count * h) : 0;
    ++count;
  }
  for (int k = 0; k < 4; ++k) result.tension[k] /= count, result.ripple[k] = (most[k] - least[k]) / result.tension[k];
  result.second /= result.tension[0];
  return result;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  struct Case {
    const char* name;
    Tackle tackle;
  };
  const Case cases[] = {{"5 t, f = 0.01", {}},
                        {"5 t, no friction", {.bearing = 0}},
                        {"5 t, f = 0.05", {.bearing = 0.05}},
                        {"5 t, f = 0.01, light sheaves", {.sheave_mass = 0.1}},
                        {"550 t, f = 0.01", {.mass = 550e3, .EA = 1e9}}};
  std::vector<Check> checks;
  int number = 0;
  for (const Case& c : cases) {
    std::vector<std::vector<double>> rows;
    const Steady s = hoist(c.tackle, rows);
    const double f = c.tackle.bearing, e = (1 - f) / (1 + f), weight = c.tackle.mass * g;
    for (int k = 0; k < 4; ++k)
      checks.push_back(relative_check(fmt::format("{}: tension of fall {} from the drum [N]", c.name, k + 1),
                                      weight * std::pow(e, k) / (1 + e + e * e + e * e * e), s.tension[k], 0.005));
    checks.push_back(relative_check(fmt::format("{}: speed of the hook [m/s]", c.name), 0.25 * rope_speed, s.hook, 0.005));
    // With large friction the hook block still sways from its start, once in 3 s: that is no ripple.
    if (f < 0.02)
      checks.push_back(
          at_most(fmt::format("{}: ripple of the tensions", c.name), 0.02, *std::max_element(s.ripple, s.ripple + 4)));
    checks.push_back(at_most(fmt::format("{}: second difference of the drum's tension", c.name), 0.02, s.second));
    context.write_csv(fmt::format("tensions_{}", ++number),
                      {"time [s]", "T1 [N]", "T2 [N]", "T3 [N]", "T4 [N]", "hook [m/s]"}, rows);
  }
  return checks;
}

}  // namespace tendril::experiments::cable_reeving
