// Tresses: which rods are guides, and which of them start near each other.
#include <fmt/format.h>

#include <algorithm>

#include "model/build/places.h"

namespace tendril {
namespace {

using Size = std::size_t;

// Of each guide the two others that start nearest to it; the first of two that are equally near. With two guides the other one, twice.
std::vector<std::array<int, 2>> nearest_guides(const TressModel& tress, const Model& model) {
  const auto start = [&](Size g) {
    return model.initial.position[NodeIndex(model.rods[static_cast<Size>(tress.guides[g])].span.first_node)];
  };
  std::vector<std::array<int, 2>> near;
  for (Size g = 0; g < tress.guides.size(); ++g) {
    std::array<int, 2> two = {-1, -1};
    std::array<double, 2> away = {forever, forever};
    for (Size other = 0; other < tress.guides.size(); ++other) {
      const double distance = (start(other) - start(g)).norm();
      if (other == g || !(distance < away[1])) continue;
      const bool first = distance < away[0];
      if (first) two[1] = two[0], away[1] = away[0];
      two[first ? 0 : 1] = static_cast<int>(other), away[first ? 0 : 1] = distance;
    }
    near.push_back({two[0], two[1] < 0 ? two[0] : two[1]});
  }
  return near;
}

}  // namespace

void place_tresses(const Scene& scene, Model& model, Problems& problems) {
  for (Size i = 0; i < scene.tresses.size(); ++i) {
    const Tress& t = scene.tresses[i];
    TressModel made;
    made.name = t.name.empty() ? fmt::format("tress{}", i + 1) : t.name;
    for (const std::string& guide : t.guides) made.guides.push_back(find_rod(scene, guide));
    made.fibres = t.fibres, made.points = t.points, made.seed = static_cast<std::uint32_t>(t.seed);
    made.spread = t.spread, made.tip_spread = t.tip_spread.value_or(t.spread), made.radius = t.radius.value_or(0);
    if (t.fill == TressFill::between) made.near = nearest_guides(made, model);
    // Most likely millimetres that were written as metres.
    for (const int guide : made.guides)
      if (const RodModel& rod = model.rods[static_cast<Size>(guide)]; std::max(made.spread, made.tip_spread) > rod.length) {
        problems.push_back({Severity::warning, "", fmt::format("tress[{}].spread", i),
                            fmt::format("got {} m, but rod {} is only {:.3g} m long", std::max(made.spread, made.tip_spread),
                                        rod.name, rod.length),
                            "", "is it in metres?"});
        break;
      }
    model.tresses.push_back(std::move(made));
  }
}

}  // namespace tendril
