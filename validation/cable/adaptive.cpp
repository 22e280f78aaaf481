// A rope of 100 m whose resolution follows need. Taut, with 5 t that swing and are hoisted, it has few segments; its lower end lifted by 30 m, it
// hangs in a loop and has more of them there. Beside it the same rope as fine as the scene has it.
#include <fmt/format.h>

#include "model/material_point.h"
#include "validation/cable/rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_adaptive {
namespace {

constexpr double g = 9.81, length = 100, load = 5000, EA = 1.2e7;  // [m/s^2], [m], [kg], [N]
constexpr int segments = 200;

Scene rope_of(const Vec3& end) {
  StiffnessSection section{.EA = EA, .EI1 = 30, .EI2 = 30, .GJ = 20, .mass_per_length = 1, .radius = 0.008};
  Scene scene = rope::straight(Vec3::Zero(), end, segments, section, Give::elastic);
  scene.rods[0].damping.internal = 0.005;
  rope::pin(scene, 0);
  rope::hang_load(scene, end, load);
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  return scene;
}
// Swinging by 0.1 rad, and hoisted by 20 m.
Model hoist() {
  const Vec3 down(std::sin(0.1), 0, -std::cos(0.1));
  Scene scene = rope_of(length * down);
  Winch winch;
  winch.name = "hoist", winch.rod = "rope", winch.stored = 10, winch.acceleration = 1;
  winch.speed.shape = TimetableShape::smooth;
  winch.speed.keys = {{0, 0}, {5, 0}, {8, -2}, {15, -2}, {18, 0}};
  scene.winches.push_back(winch);
  Model model = *rope::model_of(scene);
  const double longer = 1 + load * g * std::cos(0.1) / EA;
  for (Vec3& place : model.initial.position) place *= longer;
  for (Vec3* place : {&model.initial.bodies[0].pose.position, &model.bodies[0].start.pose.position, &model.joints[0].point,
                      &model.joints[0].point_a, &model.joints[0].point_b})
    *place *= longer;
  return model;
}
// Its lower end is lifted by 30 m and brought back.
Model lifted() {
  Scene scene = rope_of(Vec3(0, 0, -length));
  scene.rods[0].damping.mass = 0.3;
  scene.bodies[0].kind = BodyKind::driven;
  scene.bodies[0].move.shape = TimetableShape::smooth;
  scene.bodies[0].move.keys = {{0, Vec3::Zero()}, {10, Vec3(3, 0, 30)}, {25, Vec3(3, 0, 30)}, {35, Vec3::Zero()}};
  return *rope::model_of(scene);
}

struct Run {
  std::vector<Vec3> load, middle;  // [m] step by step; the middle of the rope
  std::vector<int> count;          // of segments
  cable::Cable::MeshEvents events;
  double held = 0;
};
Run run(const Model& model, bool adaptive, double duration) {
  cable::Settings settings;
  settings.averaged = true, settings.extra_damping = 0.1, settings.adaptive = adaptive;
  cable::Cable method(std::make_shared<const Model>(model), settings);
  Run result;
  Frame frame;
  const double h = rope::frame_step;
  for (int i = 0; i * h < duration; ++i) {
    if (method.step(i * h, h, {}).outcome != Outcome::fine) break;
    result.held = (i + 1) * h;
    method.write(frame);
    result.load.push_back(frame.bodies[0].pose.position);
    result.middle.push_back(MaterialPoint(model, frame, 0, 0.7 * length).at_nodes(frame.position));
    result.count.push_back(frame.rods[0].edges);
  }
  result.events = method.mesh_events();
  return result;
}
double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}
// After the first two seconds, in which the mesh finds its size.
int most_segments(const Run& r) {
  return r.count.size() <= 120 ? 0 : *std::max_element(r.count.begin() + 120, r.count.end());
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const double taut_for = 25, slack_for = 35;
  const Model taut = hoist(), slack = lifted();
  const Run coarse = run(taut, true, taut_for), fine = run(taut, false, taut_for);
  const Run loop = run(slack, true, slack_for), fine_loop = run(slack, false, slack_for);
  for (const Run* r : {&coarse, &loop})
    for (std::size_t i = 0; i < r->count.size(); i += 6)
      rows.push_back({r == &loop ? 1.0 : 0.0, static_cast<double>(i + 1) * rope::frame_step,
                      static_cast<double>(r->count[i]), r->load[i].x(), r->load[i].z()});
  checks.push_back(at_least("taut: holds for [s]", taut_for - 0.1, coarse.held));
  checks.push_back(at_most("taut: segments", 15, most_segments(coarse)));
  checks.push_back(at_most("taut: load beside that of the fine rope [m]", 0.01, farthest(coarse.load, fine.load)));
  checks.push_back(at_least("slack: holds for [s]", slack_for - 0.1, loop.held));
  checks.push_back(at_most("slack: segments", 60, most_segments(loop)));
  checks.push_back(at_least("slack: more segments than taut", most_segments(coarse) + 5, most_segments(loop)));
  checks.push_back(at_most("taut again: segments", 15, loop.count.empty() ? 0 : loop.count.back()));
  checks.push_back(at_most("slack: a point of the rope at 70 m beside that of the fine rope [m]", 1,
                           farthest(loop.middle, fine_loop.middle)));
  checks.push_back(at_least("cuts and merges", 200, static_cast<double>(coarse.events.count + loop.events.count)));
  checks.push_back(at_most("momentum at cuts and merges, change over its size", 1e-12,
                           std::max(coarse.events.momentum, loop.events.momentum)));
  checks.push_back(at_most("angular momentum at cuts and merges, change over its size", 1e-12,
                           std::max(coarse.events.angular, loop.events.angular)));
  context.write_csv("segments", {"slack", "time [s]", "segments", "load x [m]", "load z [m]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::cable_adaptive
