// The heaviest load that a rope of light segments carries when its anchor is moved: the paper's scheme against the formula for explicit
// geometric stiffness, the paper's iterations, and implicit geometric stiffness.
// Segments of 1 kg, 10 m, a square section with A/I = beta; the load, and in the paper the top too, is a segment of mass M.
// [Servin 2008, Table II; ERRATA S19, S23, S24]
#include <fmt/format.h>

#include "math/number.h"
#include "validation/cable/rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_mass_ratio {
namespace {

constexpr double g = 10, length = 10, segment_mass = 1;

struct Row {
  double young, beta;  // [Pa], [1/m^2]
  int joints;
  double printed;  // largest M/m
};
// Two rows of the table cannot be read in print.
constexpr Row table[] = {{2e11, 1e7, 24, 10}, {2e11, 1e6, 24, 1e2}, {2e11, 1e4, 24, 1e3}, {2e11, 1e2, 24, 1e4},
                         {2e12, 10, 24, 1e5}, {2e11, 1e3, 6, 1e3},  {2e11, 1e2, 6, 1e4},  {2e12, 10, 6, 1e5}};

double step_of(const Row& row) { return length / (row.joints + 1); }  // [m] of a segment
StiffnessSection section_of(const Row& row) {
  const double area = 12 / row.beta, bending = row.young * area * area / 12;
  return {.EA = row.young * area,
          .EI1 = bending,
          .EI2 = bending,
          .GJ = row.young / 2.6 * 0.140577 * area * area,
          .mass_per_length = segment_mass / step_of(row),
          .radius = 0.5 * std::sqrt(area)};
}
// [-] T_max/(m g)
double formula(const Row& row) {
  const double l = step_of(row), EI = section_of(row).EI1, h = rope::frame_step;
  return std::max({segment_mass * l / (3 * h * h), 4 * std::sqrt(segment_mass * EI / l) / h,
                   math::pi * math::pi * EI / (length * length)}) /
         (segment_mass * g);
}

// How the anchor is disturbed.
struct Push {
  double way, time;  // [m], [s]
};
constexpr Push gentle{0.1, 0.5}, hard{1, 0.1};

// `ends`: the top segment is as heavy as the load.
Scene hanging(const Row& row, double ratio, bool ends, const Push& push) {
  const double l = step_of(row), mass = ratio * segment_mass;
  const Vec3 first(0, 0, ends ? -l : 0), last(0, 0, -length + l);
  Scene scene =
      rope::straight(first, last, row.joints + (ends ? -1 : 0), section_of(row), Give::elastic);  // without the end segments
  const auto add_end = [&](const char* name, const Vec3& centre, double at) {
    RigidBody body;
    body.name = name, body.mass = mass, body.position = centre;
    const double across = mass * l * l / 12, along = mass / (6 * row.beta) * 12;
    body.inertia = Vec3(across + 0.5 * along, across + 0.5 * along, along);
    scene.bodies.push_back(body);
    scene.joints.push_back({name, JointKind::rigid, {"rope", at}, {"", 0, name}, Vec3::UnitZ()});
  };
  add_end("load", Vec3(0, 0, -length + 0.5 * l), 1);
  Timetable<Vec3> move;
  move.keys = {{0, Vec3::Zero()}, {push.time, Vec3(push.way, 0, 0)}};
  if (ends) {
    add_end("top", Vec3(0, 0, -0.5 * l), 0);
    RigidBody anchor;
    anchor.name = "anchor", anchor.kind = BodyKind::driven, anchor.mass = 1, anchor.inertia = Vec3::Ones(),
    anchor.move = move;
    scene.bodies.push_back(anchor);
    Joint joint{"anchor", JointKind::ball, {"", 0, "top"}, {"", 0, "anchor"}, Vec3::UnitZ()};
    joint.point = Vec3::Zero();
    scene.joints.push_back(joint);
  } else {
    rope::pin(scene, 0);
    scene.clamps[0].move = move;
  }
  scene.rods[0].initial_noise = 1e-6;
  scene.loads = {GravityLoad{Vec3(0, 0, -g)}};
  return scene;
}

struct Held {
  bool all = false;
  double top = 0;  // [m] largest distance between the two topmost elements
};
Held holds(const Row& row, double ratio, bool ends, const Push& push, const cable::Settings& settings) {
  cable::Cable method(rope::model_of(hanging(row, ratio, ends, push)), settings);
  const double h = rope::frame_step;
  Held held;
  const cable::Joint* top = nullptr;
  for (const cable::Joint& joint : method.parts().joints)
    if (top == nullptr && joint.holds_point && (ends ? joint.inner < 0 && joint.node == 0 : joint.clamp >= 0)) top = &joint;
  for (int i = 0; i * h < 60; ++i) {
    if (method.step(i * h, h, {}).outcome != Outcome::fine) return held;
    const cable::State& s = method.state();
    const std::size_t a = std::size_t(top->a), b = std::size_t(top->b);
    held.top = std::max(held.top, (s.x[a] + s.q[a] * top->point_a - s.x[b] - s.q[b] * top->point_b).norm());
  }
  held.all = true;
  return held;
}

// The largest ratio that holds, to a tenth of a decade, between 1/30 and 30 times the guess.
double largest(const Row& row, double guess, const cable::Settings& settings) {
  double low = std::log10(guess) - 1.5, high = low + 3;
  if (holds(row, std::pow(10, high), false, gentle, settings).all) return std::pow(10, high);
  while (high - low > 0.1) {
    const double middle = 0.5 * (low + high);
    (holds(row, std::pow(10, middle), false, gentle, settings).all ? low : high) = middle;
  }
  return std::pow(10, low);
}

cable::Settings paper() {
  cable::Settings settings;
  settings.averaged = false, settings.geometric = false;
  return settings;
}
cable::Settings iterating(int iterations, cable::JointForm joint) {
  cable::Settings settings = paper();
  settings.joint = joint;
  settings.solver = {cable::SolverKind::gauss_seidel, iterations, 0};
  return settings;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  using cable::JointForm;
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < std::size(table); ++k) {
    const Row& row = table[k];
    const std::string name = fmt::format("E {:g} GPa, beta {:g}, {} joints", 1e-9 * row.young, row.beta, row.joints);
    const double expected = formula(row), found = largest(row, expected, paper());
    checks.push_back(at_most(name + ", light top: largest ratio and formula, the larger over the smaller", 3,
                             std::max(found / expected, expected / found)));
    const bool ends = holds(row, row.printed, true, gentle, paper()).all;
    if (k != 1) checks.push_back(at_least(name + ", heavy ends: printed ratio holds (1: yes)", 1, ends));
    // The paper's own joints and iterations, reported.
    std::vector<double> line = {row.young, row.beta, 1.0 * row.joints, row.printed, expected, found, 1.0 * ends};
    for (const int iterations : {3, 20})
      for (const JointForm joint : {JointForm::paper, JointForm::paper_aligned}) {
        const Held held = holds(row, row.printed, true, gentle, iterating(iterations, joint));
        line.push_back(held.all), line.push_back(held.top);
      }
    double light = 0;
    for (double ratio = 1; ratio <= 1e5; ratio *= 10)
      if (holds(row, ratio, false, gentle, iterating(20, JointForm::smooth)).all) light = ratio;
    line.push_back(light);
    checks.push_back(at_most(name + ", light top, 20 iterations: largest decade", 1e3, light));
    cable::Settings implicit;
    implicit.averaged = false;
    const bool far = holds(row, 100 * row.printed, false, hard, implicit).all;
    line.push_back(far);
    checks.push_back(at_least(name + ", geometric stiffness, 1 m in 0.1 s: 100 times the printed ratio holds", 1, far));
    rows.push_back(line);
  }
  context.write_csv("ratios",
                    {"E [Pa]", "beta [1/m^2]", "joints", "printed", "formula", "found", "heavy ends: printed holds", "3 its",
                     "3 its: top gap [m]", "3 its aligned", "3 its aligned: top gap [m]", "20 its", "20 its: top gap [m]",
                     "20 its aligned", "20 its aligned: top gap [m]", "20 its, light top", "geometric: 100 times printed"},
                    rows);
  return checks;
}

}  // namespace tendril::experiments::cable_mass_ratio
