// The gantry crane: a trolley on its beam, a hook that hangs on two cables without mass which run from the trolley through its block
// and back, and a rope of rigid segments with a load of a thousand and of ten thousand segments, at 60 steps a second, without any
// factor on the segments' inertia. The crane raises, lowers and tilts the hook; then the load swings for 15 s.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/cable/rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_gantry_crane {
namespace {

constexpr double g = 10;                                               // [m/s^2], as in the paper
constexpr double cable_stiffness = 1e7;                                // [N/m] c_m
constexpr double stretch = 5e6, bend = 1e3, twist = 1e3;               // [N/m], [N m/rad] of a joint: c_s, c_b, c_t
constexpr double segment_mass = 0.3, length = 10, drop = 4, top = 20;  // [kg], [m]; the paper gives no lengths
constexpr int segments = 20;
constexpr double arm = 0.4;  // [m] of the hook: to each of its sheaves

Scene crane(double load_mass) {
  Scene scene;
  scene.title = "gantry crane", scene.method = "cable";
  RigidBody trolley, hook, load;
  trolley.name = "trolley", trolley.kind = BodyKind::driven, trolley.position = Vec3(0, 0, top);
  hook.name = "hook", hook.mass = 100, hook.inertia = Vec3(10, 10, 10), hook.position = Vec3(0, 0, top - drop - 0.2);
  load.name = "load", load.mass = load_mass, load.inertia = Vec3::Constant(0.1 * load_mass);
  const Vec3 tie(0, 0, top - drop - 0.4), end = tie - Vec3(0, 0, length);
  load.position = end;
  scene.bodies = {trolley, hook, load};
  for (const int side : {-1, 1}) {
    Rod rod;
    rod.name = side < 0 ? "left" : "right", rod.stretch = Give::elastic;
    rod.section = StiffnessSection{
        .EA = cable_stiffness * 2 * drop, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1e-6, .radius = 0.01};
    PolylineCurve line;
    line.points = {Vec3(side * arm, -0.3, top), Vec3(side * arm, 0, top - drop), Vec3(side * arm, 0.3, top)};
    rod.rest = line;
    scene.rods.push_back(rod);
    Reeving reeving;
    reeving.name = rod.name, reeving.rod = rod.name, reeving.points.resize(3);
    reeving.points[0].body = reeving.points[2].body = "trolley", reeving.points[1].body = "hook";
    scene.reevings.push_back(reeving);
    Winch winch;
    winch.name = rod.name, winch.rod = rod.name, winch.stored = 10, winch.acceleration = 1;
    scene.winches.push_back(winch);
  }
  const double l = length / segments;
  Rod rope;
  rope.name = "rope", rope.stretch = Give::elastic, rope.segments = segments;
  rope.section = StiffnessSection{.EA = stretch * l,
                                  .EI1 = bend * l,
                                  .EI2 = bend * l,
                                  .GJ = twist * l,
                                  .mass_per_length = segment_mass / l,
                                  .radius = 0.01};
  rope.rest = StraightCurve{tie, end};
  scene.rods.push_back(rope);
  scene.joints.push_back({"top", JointKind::ball, {"rope", 0}, {"", 0, "hook"}, Vec3::UnitZ()});
  scene.joints.push_back({"bottom", JointKind::ball, {"rope", 1}, {"", 0, "load"}, Vec3::UnitZ()});
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  return scene;
}
cable::Settings settings() {
  cable::Settings s;
  s.averaged = true, s.extra_damping = 0.1;
  return s;
}
double tilt_of(const Frame& frame) {
  const Vec3 across = frame.bodies[1].pose.orientation * Vec3::UnitX();
  return std::asin(across.z());
}

// Both cables shorter by 2 m, then longer again; one longer and the other shorter by 0.2 m.
void raise_and_tilt(double ratio, std::vector<Check>& checks) {
  Scene scene = crane(ratio * segment_mass);
  for (Winch& winch : scene.winches) {
    const double side = winch.name == "left" ? 1 : -1;
    winch.speed.keys = {{3, 0},  {4, -1}, {5, -1}, {6, 0},           {9, 0}, {10, 1},
                        {11, 1}, {12, 0}, {15, 0}, {16, side * 0.2}, {17, 0}};
    winch.speed.shape = TimetableShape::linear;
  }
  cable::Cable method(rope::model_of(scene), settings());
  Frame frame;
  double height[3] = {}, tilt = 0, held = 0;
  const double h = rope::frame_step;
  for (int i = 0; i < 22 * 60; ++i) {
    if (method.step(i * h, h, {}).outcome != Outcome::fine) break;
    held = (i + 1) * h;
    method.write(frame);
    const double z = frame.bodies[2].pose.position.z();
    if (i == 3 * 60 - 1) height[0] = z;  // its ropes have stretched
    if (i == 9 * 60 - 1) height[1] = z;
    if (i == 15 * 60 - 1) height[2] = z;
    if (i == 22 * 60 - 1) tilt = tilt_of(frame);
  }
  const std::string name = fmt::format("load of {:g} segments: ", ratio);
  checks.push_back(at_least(name + "crane works for [s]", 21.9, held));
  checks.push_back(absolute_check(name + "raised by half of what is reeled in [m]", 1, height[1] - height[0], 0.02));
  checks.push_back(absolute_check(name + "lowered again to where it was [m]", 0, height[2] - height[0], 0.02));
  // Each block end goes up or down by half of 0.2 m.
  checks.push_back(absolute_check(name + "tilt of the hook [rad]", std::asin(0.1 / arm), tilt, 0.01));
}

// The load hangs still; then the trolley goes 4 m along its beam in 2 s and stops, and the load swings on.
void swing(double ratio, ExperimentContext& context, std::vector<Check>& checks) {
  Scene scene = crane(ratio * segment_mass);
  scene.bodies[0].move.keys = {{4, Vec3::Zero()}, {6, Vec3(4, 0, 0)}};
  cable::Cable method(rope::model_of(scene), settings());
  Frame frame;
  std::vector<std::vector<double>> rows;
  double held = 0, rest = 0, start = 0, lost = 1, aside = 0;
  const double h = rope::frame_step;
  for (int i = 0; i < 22 * 60; ++i) {
    if (method.step(i * h, h, {}).outcome != Outcome::fine) break;
    held = (i + 1) * h;
    method.write(frame);
    const Energy& e = frame.own_energy;
    if (i == 4 * 60 - 1) rest = e.total();
    if (i == 7 * 60 - 1) start = e.total();
    const double x = frame.bodies[2].pose.position.x() - frame.bodies[0].pose.position.x();
    rows.push_back({held, e.total(), e.kinetic, e.gravity, e.elastic(), x});
    if (i < 7 * 60) continue;
    lost = (start - e.total()) / (start - rest), aside = std::max(aside, std::abs(x));
  }
  const std::string name = fmt::format("load of {:g} segments: ", ratio);
  checks.push_back(at_least(name + "swings for [s]", 21.9, held));
  checks.push_back(at_least(name + "swings by [m]", 3, aside));
  checks.push_back(at_most(name + "part of the swing lost in 15 s", 0.03, lost));
  checks.push_back(at_least(name + "part of the swing lost in 15 s, not gained", -0.01, lost));
  context.write_csv(fmt::format("energies_{:g}", ratio),
                    {"time [s]", "total [J]", "kinetic [J]", "gravity [J]", "elastic [J]", "load x [m]"}, rows);
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  for (const double ratio : {1e3, 1e4}) {
    raise_and_tilt(ratio, checks);
    swing(ratio, context, checks);
  }
  return checks;
}

}  // namespace tendril::experiments::cable_gantry_crane
