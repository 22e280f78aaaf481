#include "validation/der/figure_scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "math/number.h"
#include "methods/der/der.h"
#include "validation/der/chain_scene.h"
#include "validation/der/overhand_knot.h"
#include "validation/der/tree_scene.h"

namespace tendril {
namespace {

using math::pi;

Rod rod_of(const StiffnessSection& section, const Curve& rest, int segments) {
  Rod rod;
  rod.name = "rod";
  rod.section = section;
  rod.rest = rest;
  rod.segments = segments;
  return rod;
}
Clamp clamp_at(const char* name, double at) {
  Clamp clamp;
  clamp.name = name, clamp.rod = "rod", clamp.at = at;
  return clamp;
}
Scene between_clamps(const Rod& rod) {
  Scene scene;
  scene.rods = {rod};
  scene.clamps = {clamp_at("left", 0), clamp_at("right", 1)};
  return scene;
}

Scene knot() {
  Scene scene = overhand_scene({.loop = 1, .radius = 0.06, .tail = 3}, 59, 0.7);
  scene.rods[0].damping.mass = 2;
  scene.clamps[1].turn.keys = {{0, 0.0}, {20, 2.0}};
  return scene;
}
Scene bent_strip() {
  const double c = 0.5 * std::sqrt(0.5);
  Rod rod = rod_of({.EA = {}, .EI1 = 0.05, .EI2 = 0.5, .GJ = 1, .mass_per_length = 1, .radius = 0.01},
                   PolylineCurve{{Vec3(-c, 0, 0), Vec3(0, -c, 0), Vec3(c, 0, 0)}, "", false}, 48);
  rod.d1 = Vec3::UnitZ();
  rod.damping.mass = 1;
  Scene scene = between_clamps(rod);
  scene.clamps[1].turn = {TimetableShape::linear, {{0, 0.0}, {10, 10.0}}};
  scene.contact.enabled = true;
  return scene;
}
Scene transducer() {
  Scene scene;
  scene.rods = {rod_of({.EA = {}, .EI1 = 0.6, .EI2 = 0.6, .GJ = 0.5, .mass_per_length = 0.02, .radius = 0.01},
                       StraightCurve{Vec3::Zero(), Vec3(1.2, 0, 0)}, 199)};
  constexpr double bow = 1.5, angle = 1.2 / bow;  // bent, so that lengths have to be kept
  scene.rods[0].initial = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), bow, angle};
  scene.rods[0].initial_twist = 1 / (2 * pi);
  for (const bool heavy : {false, true}) {
    RigidBody body;
    body.name = heavy ? "heavy" : "light";
    body.mass = heavy ? 15.0 : 1.0;
    body.inertia = Vec3::Constant(heavy ? 0.3 : 0.02);
    if (heavy) body.position = Vec3(bow * std::sin(angle), bow * (1 - std::cos(angle)), 0);
    scene.bodies.push_back(body);
    scene.joints.push_back({body.name, JointKind::rigid, {"rod", heavy ? 1.0 : 0.0}, {"", 0, body.name}, Vec3::UnitZ()});
  }
  scene.contact.enabled = true;
  return scene;
}
Scene plectoneme() {
  Rod rod = rod_of({.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 0.7, .mass_per_length = 0.1, .radius = 0.04},
                   StraightCurve{Vec3::Zero(), Vec3(13.7, 0, 0)}, 274);
  rod.initial = ParabolaCurve{Vec3::Zero(), Vec3(8, 0, 0), -Vec3::UnitZ(), 5.179873};
  rod.initial_noise = 1e-3;
  rod.damping.mass = 1;
  Scene scene = between_clamps(rod);
  scene.clamps[1].turn = {TimetableShape::linear, {{0, 0.0}, {6, 12.0}}};
  scene.loads = {GravityLoad{Vec3(0, 0, -0.5)}};
  scene.contact.enabled = true;
  return scene;
}
Scene helical_buckling() {
  Rod rod = rod_of({.EA = {}, .EI1 = 1.345, .EI2 = 1.345, .GJ = 0.789, .mass_per_length = 1, .radius = 0.01},
                   StraightCurve{Vec3::Zero(), Vec3(9.29, 0, 0)}, 74);
  rod.initial = ParabolaCurve{Vec3::Zero(), Vec3(8.99, 0, 0), Vec3::UnitY(), 1.020501};
  rod.initial_twist = 27;
  rod.damping.mass = 1;
  return between_clamps(rod);
}
Scene twisted_ring() {
  constexpr int n = 67;
  PolylineCurve circle;
  circle.closed = true;
  for (int k = 0; k < n; ++k)
    circle.points.emplace_back(std::cos(2 * pi * k / n), std::sin(2 * pi * k / n), 1e-3 * std::cos(4 * pi * k / n));
  Scene scene;
  scene.rods = {rod_of({.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1, .radius = 0.01},
                       StraightCurve{Vec3::Zero(), Vec3(2 * n * std::sin(pi / n), 0, 0)}, n)};
  scene.rods[0].initial = circle;
  scene.rods[0].initial_twist = 2;
  return scene;
}
Scene chain() { return chain_scene(); }
Scene wilberforce() {
  Scene scene;
  HelixCurve helix;
  helix.radius = 0.015, helix.pitch = 0.005, helix.turns = 2;
  scene.rods = {
      rod_of({.EA = {}, .EI1 = 0.01, .EI2 = 0.01, .GJ = 0.0078, .mass_per_length = 0.006, .radius = 0.0005}, helix, 19)};
  scene.clamps = {clamp_at("top", 0)};
  RigidBody body;
  body.name = "body", body.mass = 0.25, body.inertia = Vec3::Constant(7e-5);
  body.position = Vec3(0.015, 0, -0.01);
  scene.bodies = {body};
  scene.joints = {{"weld", JointKind::rigid, {"rod", 1}, {"", 0, "body"}, Vec3::UnitZ()}};
  scene.loads = {GravityLoad{}};
  return scene;
}
Scene tree() { return tree_scene(); }

constexpr FigureScene scenes[] = {
    {1, 60, 1, 3, knot, {0.026, 0.05, 0.021, 0.21, 0.31}},
    {5, 49, 1, 0.5, bent_strip, {0.025, 0.018, 0.021, 0.12, 0.18}},
    {6, 200, 1, 0.02, transducer, {0.072, 0.09, 0.064, 0.81, 1.0}},
    {9, 275, 1, 6, plectoneme, {0.13, 0.19, 0.17, 0.42, 0.92}},
    {7, 75, 1, 2, helical_buckling, {0.043, 0, 0.1, 0.2, 0.34}},
    {8, 67, 1, 2, twisted_ring, {0.039, 0, 0.096, 0.28, 0.42}},
    {10, 31, 8, 2, chain, {0.016, 0, 0.13, 0.13, 0.2}},  // [ERRATA D25: does not add up]
    {11, 20, 1, 0.1, wilberforce, {0.0036, 0, 0.0043, 0.019, 0.027}},
    {12, 2158, 1, 0.3, tree, {0.87, 0, 0.64, 21, 22}},
};

}  // namespace

std::span<const FigureScene> figure_scenes() { return scenes; }
const FigureScene& figure_scene(int figure) {
  return *std::find_if(std::begin(scenes), std::end(scenes), [figure](const FigureScene& s) { return s.figure == figure; });
}

MeasuredCost measure_cost(const FigureScene& scene) {
  const Checked<Model> built = build_model(scene.make());
  if (!built) throw std::runtime_error(to_text(built.problems()));
  const auto model = std::make_shared<const Model>(*built);
  const Options options(der::entry().info.options, {});
  const double dt = der::advise(*model, options).advised;
  if (model->material.size() != scene.vertices * scene.copies)
    throw std::runtime_error(fmt::format("the scene of figure {} has {} vertices", scene.figure, model->material.size()));
  der::Der der(model, der::Settings::from(options));
  int steps = 0;
  const auto step = [&] {
    const StepReport report = der.step(steps * dt, dt, {});
    if (report.outcome != Outcome::fine)
      throw std::runtime_error(fmt::format("figure {} at {} s: {}", scene.figure, steps * dt,
                                           failure_of(report.cause, der::entry().info).sentence));
    ++steps;
    return report;
  };
  while (steps * dt < scene.warm_up) (void)step();

  MeasuredCost best;
  constexpr int runs = 60;
  const int length = std::max(2, 6000 / model->material.size());
  for (int run = 0; run < runs; ++run) {
    der::StepClock clock;
    der.set_clock(&clock);
    for (int k = 0; k < length; ++k) {
      const StepReport report = step();
      best.contacts += report.contacts / static_cast<double>(runs * length);
      best.iterations += report.iterations / static_cast<double>(runs * length);
    }
    der.set_clock(nullptr);
    const double scale = 1e3 / (length * scene.copies);
    if (run > 0 && scale * clock.total() >= best.cost.total) continue;
    using der::Part;
    best.finding = scale * clock.seconds(Part::finding);
    best.cost = {scale * clock.seconds(Part::forces), best.finding + scale * clock.seconds(Part::contact),
                 scale * clock.seconds(Part::frames), scale * clock.seconds(Part::projection), scale * clock.total()};
  }
  best.step = 1e3 * dt;
  return best;
}

}  // namespace tendril
