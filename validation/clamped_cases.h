// Clamped rods under dead loads with accurate solutions, for every method with equilibria: tip load, own weight, a bent arc loaded across its
// plane with and without stretch and shear, and a hanging helix.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "math/number.h"
#include "validation/clamped.h"
#include "validation/references.h"

namespace tendril {

struct ClampedCase {
  std::string name;
  std::function<Scene(int)> scene;
  Vec3 tip;
  double length = 1;
};

inline Scene clamped_at_rest(const std::string& method, const Curve& rest, const StiffnessSection& section, int segments) {
  Scene scene = clamped_rod(method, "strand", rest, section, segments);
  scene.time.mode = Mode::statics;
  return scene;
}
inline Scene with_force(Scene scene, const Vec3& force) {
  ForceLoad load;
  load.rod = "strand";
  load.value = force;
  scene.loads.push_back(load);
  return scene;
}
inline Scene with_weight(Scene scene, const Vec3& acceleration) {
  scene.loads.push_back(GravityLoad{acceleration});
  return scene;
}

inline std::vector<ClampedCase> clamped_cases(const std::string& method) {
  std::vector<ClampedCase> cases;
  const StraightCurve line{Vec3::Zero(), Vec3::UnitX()};
  const StiffnessSection unit{.EA = {}, .EI1 = 1, .EI2 = 1, .GJ = 1, .mass_per_length = 1, .radius = 0.01};
  for (const reference::Tip& t : reference::tip_load)
    cases.push_back({fmt::format("tip load {:g}", t.load),
                     [=](int n) { return with_force(clamped_at_rest(method, line, unit, n), Vec3(0, t.load, 0)); },
                     Vec3(t.x, t.y, 0)});
  for (const reference::Tip& t : reference::self_weight)
    cases.push_back({fmt::format("own weight {:g}", t.load),
                     [=](int n) { return with_weight(clamped_at_rest(method, line, unit, n), Vec3(0, -t.load, 0)); },
                     Vec3(t.x, t.y, 0)});
  const double EI = 1e7 / 12, arc_length = 100 * math::pi / 4;
  const ArcCurve arc{Vec3::Zero(), Vec3::UnitY(), Vec3::UnitX(), 100, math::pi / 4};
  const StiffnessSection square{.EA = 1e7, .EI1 = EI, .EI2 = EI, .GJ = EI, .mass_per_length = 1, .radius = 0.5};
  for (const reference::SpatialTip& t : reference::bend_45)
    cases.push_back({fmt::format("45-degree bend {:g}", t.load),
                     [=](int n) { return with_force(clamped_at_rest(method, arc, square, n), Vec3(0, 0, t.load)); },
                     Vec3(t.x, t.y, t.z), arc_length});
  const reference::SpatialTip& stretched = reference::bend_45_extensible;
  cases.push_back({fmt::format("45-degree bend {:g}, extensible and shearable", stretched.load),
                   [=](int n) {
                     StiffnessSection soft = square;
                     soft.GA1 = soft.GA2 = 0.5 * *square.EA;
                     Scene scene = with_force(clamped_at_rest(method, arc, soft, n), Vec3(0, 0, stretched.load));
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
           Scene scene = clamped_at_rest(method, helix, wire, n);
           scene.rods.front().follows = SectionFollows::curve;  // frames that repeat from segment to segment
           return t.weight > 0 ? with_weight(scene, Vec3(0, 0, -t.weight)) : with_force(scene, Vec3(0, 0, -t.load));
         },
         Vec3(t.x, t.y, t.z), length});
  }
  return cases;
}

}  // namespace tendril
