// A rope without any stiffness against bending, inextensible, with a load from 1 to 1e9 segments, let go from the horizontal at 60
// steps a second. Time to the vertical and tension there are those of a pendulum where the load is heavy.
#include <fmt/format.h>

#include "validation/cable/rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_limp_rope {
namespace {

constexpr double g = 9.81, length = 10, segment_mass = 0.1;  // [m/s^2], [m], [kg]
constexpr int segments = 24;

Scene limp(double ratio) {
  StiffnessSection section{.EA = {},
                           .EI1 = 1e-12,
                           .EI2 = 1e-12,
                           .GJ = 1e-12,
                           .mass_per_length = segment_mass * segments / length,
                           .radius = 0.005};
  Scene scene = rope::straight(Vec3::Zero(), Vec3(length, 0, 0), segments, section);
  rope::pin(scene, 0);
  rope::hang_load(scene, Vec3(length, 0, 0), ratio * segment_mass);
  scene.rods[0].initial_noise = 1e-4;
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  return scene;
}

struct Swing {
  double vertical = 0;  // [s]
  double tension = 0;   // [N] at the load, there
  double gap = 0;       // [segments]
  double lost = 0;      // part of m g L, in ten seconds
  double held = 0;      // [s]
};
Swing swing(double ratio, bool geometric, double duration) {
  cable::Settings settings;
  settings.averaged = true, settings.extra_damping = 0.1, settings.geometric = geometric;
  cable::Cable method(rope::model_of(limp(ratio)), settings);
  Swing result;
  Frame frame;
  method.write(frame);
  const double start = frame.own_energy.total();
  const double h = rope::frame_step;
  Vec3 before = frame.bodies[0].pose.position;
  double pulled = 0;
  for (int i = 0; i * h < duration; ++i) {
    const StepReport report = method.step(i * h, h, {});
    result.gap = std::max(result.gap, report.residual);
    if (report.outcome != Outcome::fine) break;
    result.held = (i + 1) * h;
    method.write(frame);
    const Vec3 now = frame.bodies[0].pose.position;
    const double pulls = frame.force[EdgeIndex(segments - 1)].norm();
    if (now.x() < 0 && result.vertical == 0) {
      const double share = before.x() / (before.x() - now.x());
      result.vertical = (i + share) * h, result.tension = (1 - share) * pulled + share * pulls;
    }
    before = now, pulled = pulls;
    if (i + 1 == 600) result.lost = (start - frame.own_energy.total()) / (ratio * segment_mass * g * length);
  }
  return result;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const double duration = 60;
  for (const double ratio : {1e2, 1e3, 1e4, 1e6, 1e9}) {
    const Swing s = swing(ratio, true, duration);
    const double weight = ratio * segment_mass * g, quarter = s.vertical * std::sqrt(g / length);
    rows.push_back({ratio, s.held, s.gap, quarter, s.tension / weight, s.lost});
    checks.push_back(at_least(fmt::format("load {:g} segments: holds for [s]", ratio), duration - 0.1, s.held));
    checks.push_back(at_most(fmt::format("load {:g} segments: largest gap, part of a segment", ratio), 0.1, s.gap));
    if (ratio < 1e4) continue;
    checks.push_back(relative_check(fmt::format("load {:g} segments: time to the vertical over sqrt(L/g)", ratio),
                                    1.854074677, quarter, 1e-2));
    checks.push_back(relative_check(fmt::format("load {:g} segments: tension there over the weight", ratio), 3,
                                    s.tension / weight, 2e-2));
    checks.push_back(at_most(fmt::format("load {:g} segments: energy lost in 10 s, part of M g L", ratio), 0.03, s.lost));
  }
  for (const double ratio : {1e2, 1e4, 1e9}) {
    const Swing s = swing(ratio, false, 10);
    checks.push_back(
        at_most(fmt::format("load {:g} segments, explicit geometric stiffness: holds for [s]", ratio), 2, s.held));
  }
  context.write_csv(
      "loads",
      {"load [segments]", "held [s]", "gap [segments]", "time to the vertical", "tension over weight", "energy lost"}, rows);
  return checks;
}

}  // namespace tendril::experiments::cable_limp_rope
