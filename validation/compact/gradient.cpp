// Derivatives of probes of equilibria against differences of equilibria, for every kind of number a scene holds: moduli, stiffnesses, natural
// curvature, loads, weight, lengths, places of clamps; of rods held at one end and at both, with and without an energy of their loads.
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

std::vector<double> probes_with(const Scene& scene, const std::string& field, double value) {
  Scene changed = scene;
  if (has_errors(set_field(changed, field, fmt::format("{:.17g}", value)))) throw std::runtime_error(field);
  std::vector<double> all;
  const Simulation simulation = run_to_end(changed);
  for (const ProbeValue& probe : simulation.measures().probes) all.insert(all.end(), probe.value.begin(), probe.value.end());
  return all;
}
// Largest difference over the largest derivative, of all probes; each kind of probe by its own size. Richardson's rule on two widths.
double error_against_differences(const Scene& scene, const FieldGradient& gradient) {
  const double value = gradient.value, h = value != 0 ? 2e-3 * std::abs(value) : 1e-3;
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
  struct Case {
    const char* name;
    Scene scene;
  };
  for (const Case& c : {Case{"held at its start", curved_rod()}, Case{"held at both ends", held_at_both_ends()},
                        Case{"with a moment", bent_by_moment()}}) {
    const Checked<Gradient> gradient = differentiate(c.scene, everything);
    if (!gradient) throw std::runtime_error(to_text(gradient.problems()));
    double number = 0;
    for (const FieldGradient& field : gradient->fields) {
      const double error = error_against_differences(c.scene, field);
      checks.push_back(bound_check(fmt::format("{}, in {}", c.name, field.field), error, 1e-6));
      rows.push_back({number++, error});
    }
  }
  context.write_csv("errors", {"field", "error"}, rows);
  return checks;
}

}  // namespace tendril::experiments::compact_gradient
