// Clamped strands under dead loads against accurate solutions: tip load, own weight, a bent arc loaded across its plane, and
// a hanging helix, with the sweeps of order 2 and 4 at 100 points, and the orders they converge with.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "validation/clamped.h"
#include "validation/experiment.h"
#include "validation/references.h"
#include "validation/solve.h"

namespace tendril::experiments::strands_cantilever {
namespace {

struct Case {
  std::string name;
  std::function<Scene(int)> scene;
  Vec3 tip;
  double length = 1;
};

Scene clamped(const Curve& rest, const StiffnessSection& section, int segments) {
  Scene scene = clamped_rod("strands", "strand", rest, section, segments);
  scene.time.mode = Mode::statics;
  return scene;
}
Scene with_force(Scene scene, const Vec3& force) {
  ForceLoad load;
  load.rod = "strand";
  load.value = force;
  scene.loads.push_back(load);
  return scene;
}
Scene with_weight(Scene scene, const Vec3& acceleration) {
  scene.loads.push_back(GravityLoad{acceleration});
  return scene;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const StraightCurve line{Vec3::Zero(), Vec3::UnitX()};
  const StiffnessSection unit{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1, .radius = 0.01};
  for (const reference::Tip& t : reference::tip_load)
    cases.push_back({fmt::format("tip load {:g}", t.load),
                     [=](int n) { return with_force(clamped(line, unit, n), Vec3(0, t.load, 0)); }, Vec3(t.x, t.y, 0)});
  for (const reference::Tip& t : reference::self_weight)
    cases.push_back({fmt::format("own weight {:g}", t.load),
                     [=](int n) { return with_weight(clamped(line, unit, n), Vec3(0, -t.load, 0)); }, Vec3(t.x, t.y, 0)});
  const double EI = 1e7 / 12, arc_length = 100 * math::pi / 4;
  const ArcCurve arc{Vec3::Zero(), Vec3::UnitY(), Vec3::UnitX(), 100, math::pi / 4};
  const StiffnessSection square{.EA = 1e7, .EI1 = EI, .EI2 = EI, .GJ = EI, .mass_per_length = 1, .radius = 0.5};
  for (const reference::SpatialTip& t : reference::bend_45)
    cases.push_back({fmt::format("45-degree bend {:g}", t.load),
                     [=](int n) { return with_force(clamped(arc, square, n), Vec3(0, 0, t.load)); }, Vec3(t.x, t.y, t.z),
                     arc_length});
  const reference::SpatialTip& stretched = reference::bend_45_extensible;
  cases.push_back({fmt::format("45-degree bend {:g}, extensible and shearable", stretched.load),
                   [=](int n) {
                     StiffnessSection soft = square;
                     soft.GA1 = soft.GA2 = 0.5 * *square.EA;
                     Scene scene = with_force(clamped(arc, soft, n), Vec3(0, 0, stretched.load));
                     scene.rods.front().stretch = scene.rods.front().shear = Give::elastic;
                     return scene;
                   },
                   Vec3(stretched.x, stretched.y, stretched.z), arc_length});
  const HelixCurve helix{Vec3::Zero(), Vec3(0, 0, -1), Vec3::UnitX(), 1, 0.6, 3};
  const StiffnessSection wire{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 0.8, .mass_per_length = 1, .radius = 0.05};
  for (const reference::SpatialTip& t : reference::hanging_helix) {
    const double length = 6 * math::pi * std::hypot(1.0, 0.6 / math::two_pi);
    cases.push_back(
        {t.weight > 0 ? fmt::format("helix, weight {:g}", t.weight) : fmt::format("helix, tip load {:g}", t.load),
         [=](int n) {
           Scene scene = clamped(helix, wire, n);
           scene.rods.front().follows = SectionFollows::curve;  // frames that repeat from segment to segment
           return t.weight > 0 ? with_weight(scene, Vec3(0, 0, -t.weight)) : with_force(scene, Vec3(0, 0, -t.load));
         },
         Vec3(t.x, t.y, t.z), length});
  }
  return cases;
}

double error_of(const Case& c, int order, int segments) {
  Scene scene = c.scene(segments);
  scene.options["strands"]["order"] = std::to_string(order);
  const Simulation simulation = run_to_end(scene);
  return (simulation.frame().position[NodeIndex(segments)] - c.tip).norm() / c.length;
}

}  // namespace

std::vector<Check> experiment(ExperimentContext& context) {
  std::vector<Check> checks;
  std::vector<std::vector<double>> rows;
  double number = 0;
  for (const Case& c : all_cases()) {
    for (const auto& [order, bound] : {std::pair{2, 3e-4}, {4, 1e-5}}) {
      std::array<double, 3> error{};
      for (std::size_t k = 0; k < 3; ++k) {
        const int n = 50 << k;
        error[k] = error_of(c, order, n);
        rows.push_back({number, 1.0 * order, 1.0 * n, error[k]});
      }
      checks.push_back(
          bound_check(fmt::format("{}, order {}: tip at 100 points, part of the length", c.name, order), error[1], bound));
      // Below the accuracy of the references, and near rounding, there is no order to see.
      if (error[2] > 2e-8)
        checks.push_back({fmt::format("{}, order {}: observed order, at least", c.name, order), 1.0 * order,
                          std::log2(error[1] / error[2]), 0, 0.25, std::log2(error[1] / error[2]) > order - 0.25});
    }
    ++number;
  }
  context.write_csv("errors", {"case", "order", "segments", "error of the tip [L]"}, rows);
  return checks;
}

}  // namespace tendril::experiments::strands_cantilever
