// A rope turned at one end: the torque is GJ angle/L for 37 turns where it is guided; unguided it buckles where Greenhill says. What
// direction cosines make of it.
#include <fmt/format.h>

#include "math/elementary.h"
#include "math/number.h"
#include "validation/cable/servin_rope.h"
#include "validation/experiment.h"

namespace tendril::experiments::cable_twist {
namespace {

constexpr double turns = 37;  // 233 rad, the paper's
const std::vector<Hold> whole = {Hold::position, Hold::direction, Hold::twist};

Scene turned(double young, int segments, double how_far, bool guided) {
  Scene scene = rope::straight(Vec3::Zero(), Vec3(rope::servin_length, 0, 0), segments, rope::servin_section(young, 10),
                               Give::elastic);
  rope::pin(scene, 0, whole), rope::pin(scene, 1, whole);
  scene.clamps[1].turn.shape = TimetableShape::linear;
  scene.clamps[1].turn.keys = {{0, 0}, {1, how_far}};
  // Eyes that the rope is led through keep it straight.
  for (int k = 1; k < segments && guided; ++k) rope::pin(scene, 1.0 * k / segments);
  return scene;
}

struct Curve {
  double worst = 0;  // torque over GJ angle/L - 1
  double held = 0;   // [turns]
  double least = 1;  // torque over GJ angle/L
};
Curve torque_curve(double young, int segments, double how_far, cable::JointForm form,
                   std::vector<std::vector<double>>& rows) {
  const Scene scene = turned(young, segments, how_far, true);
  cable::Settings settings;
  settings.joint = form;
  cable::Cable method(rope::model_of(scene), settings);
  const double GJ = rope::servin_section(young, 1).GJ;
  Curve curve;
  Frame frame;
  const int increments = static_cast<int>(std::lround(16 * how_far));
  for (int k = 1; k <= increments; ++k) {
    if (method.relax(1, 1.0 * k / increments, {}).outcome != Outcome::fine) break;
    method.write(frame);
    const double angle = math::two_pi * how_far * k / increments, linear = GJ * angle / rope::servin_length;
    const double torque = frame.reactions[1].moment.x();
    curve.worst = std::max(curve.worst, std::abs(torque / linear - 1));
    curve.least = std::min(curve.least, torque / linear);
    curve.held = how_far * k / increments;
    if (k % 16 == 0) rows.push_back({young, 1.0 * segments, angle, torque, linear});
  }
  return curve;
}

// The same in motion: 37 turns in 10 s at 60 steps a second, steel, then torque over GJ angle/L; 0: it fell apart.
double in_motion(double young, int segments) {
  Scene scene = turned(young, segments, turns, true);
  scene.clamps[1].turn.shape = TimetableShape::smooth;
  scene.clamps[1].turn.keys = {{0, 0}, {10, turns}};
  scene.rods[0].damping.mass = 2;
  cable::Settings settings;
  settings.averaged = false;
  cable::Cable method(rope::model_of(scene), settings);
  for (int i = 0; i < 900; ++i)
    if (method.step(i * rope::frame_step, rope::frame_step, {}).outcome != Outcome::fine) return 0;
  Frame frame;
  method.write(frame);
  return frame.reactions[1].moment.x() * rope::servin_length / (rope::servin_section(young, 1).GJ * math::two_pi * turns);
}

// Torque over EI/L at which an unguided rope of 24 segments leaves its axis: under a hundred-thousandth of the weight that would bend it
// visibly, its deflection passes a thousandth of its length.
double buckles(double young) {
  constexpr int segments = 24;
  const StiffnessSection section = rope::servin_section(young, 10);
  const double limit = 8.986819 * section.EI1 / section.GJ / math::two_pi;  // [turns]
  Scene scene = turned(young, segments, 1.2 * limit, false);
  const double weight = 1e-3 * section.EI1 / math::cube(rope::servin_length);  // [N/m]
  scene.loads = {GravityLoad{Vec3(0, 0, -weight / 10)}};
  cable::Settings patient;
  patient.relax_iterations = 20000;  // next to the limit next to nothing holds it
  cable::Cable method(rope::model_of(scene), patient);
  Frame frame;
  double before = 0, torque_before = 0;
  const int increments = 300;
  for (int k = 1; k <= increments; ++k) {
    // The load is there from the start, the turn grows: time runs at full load.
    if (method.relax(1.0 * k / increments, 1, {}).outcome != Outcome::fine) return 0;
    method.write(frame);
    double aside = 0;
    for (int i = 0; i <= segments; ++i)
      aside = std::max(aside, frame.position[NodeIndex(i)].tail<2>().norm() / rope::servin_length);
    const double torque = frame.reactions[1].moment.x() * rope::servin_length / section.EI1;
    if (aside > 1e-3) return torque_before + (torque - torque_before) * (1e-3 - before) / (aside - before);
    before = aside, torque_before = torque;
  }
  return 0;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  for (const rope::Material& material : rope::servin_materials) {
    double worst = 0, held = turns;
    for (const int n : rope::servin_segments) {
      const Curve curve = torque_curve(material.young, n, turns, cable::JointForm::smooth, rows);
      worst = std::max(worst, curve.worst), held = std::min(held, curve.held);
    }
    checks.push_back(
        at_least(fmt::format("{}, guided: turns that hold (steel in the paper: 2.4)", material.name), turns, held));
    checks.push_back(bound_check(fmt::format("{}, guided: worst torque over GJ angle/L - 1", material.name), worst, 5e-3));
  }
  checks.push_back(
      relative_check("steel in motion, 37 turns in 10 s at 1/60 s: torque over GJ angle/L", 1, in_motion(2e11, 24), 5e-3));
  checks.push_back(
      relative_check("nylon, unguided: torque over EI/L at which it leaves its axis", 8.986819, buckles(2e9), 0.05));
  // Three segments: three joints of which each passes half a turn below two turns of the end.
  const Curve lock = torque_curve(2e9, 3, 2.5, cable::JointForm::cosine_lock, rows);
  const Curve smooth = torque_curve(2e9, 3, 2.5, cable::JointForm::smooth, rows);
  checks.push_back(at_most("direction cosines: least torque over GJ angle/L in 2.5 turns (the force flips)", 0, lock.least));
  checks.push_back(at_least("angles: the same", 0.995, smooth.least));
  context.write_csv("twist", {"E [Pa]", "segments", "angle [rad]", "torque [N m]", "GJ angle/L [N m]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::cable_twist
