// Tresses: fibres that are drawn about guides.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scene/complaints.h"
#include "scene/describe_scene.h"

namespace tendril {
namespace {
using scene_detail::quote;

constexpr double max_points = 8e6;  // of all fibres: more than a browser can draw

class TressChecker : public Complaints {
 public:
  using Complaints::Complaints;

  void check_tress(const Tress& t, const std::string& path) {
    if (t.guides.empty())
      error(path + ".guides", "is empty: fibres have nothing to follow", "must name at least one rod",
            scene_.rods.empty() ? "" : "write guides = [" + quote(scene_.rods.front().name) + "]");
    if (t.fill == TressFill::between && t.guides.size() == 1)
      error(path + ".fill", "\"between\", but there is one guide", "needs at least two guides",
            "name more rods in `guides`, or write fill = \"follow\"");
    // Fibres of a guide that all lie on it.
    if (t.fill == TressFill::follow && t.fibres > 1 && t.spread == 0 && t.tip_spread.value_or(0) == 0)
      error(path + ".spread", "is 0, so that all fibres of a guide lie on it", "must be > 0", "write spread = \"5 mm\"");
    points_ += static_cast<double>(t.fibres) * static_cast<double>(t.guides.size()) * t.points;
    if (points_ > max_points)
      error(path + ".fibres", fmt::format("all fibres together have {:.3g} points", points_),
            fmt::format("must be at most {:.0f}", max_points), "fewer fibres, or fewer `points` of each");
    for (std::size_t k = 0; k < t.guides.size(); ++k)
      if (const auto [known, is_new] = guide_of_.emplace(t.guides[k], t.name); !is_new)
        error(fmt::format("{}.guides[{}]", path, k),
              "rod " + quote(t.guides[k]) + " guides tress " + quote(known->second) + " already",
              "a rod guides one tress, once", "remove it here");
  }

 private:
  double points_ = 0;
  std::map<std::string, std::string> guide_of_;
};

}  // namespace

Problems check_tresses(const Scene& scene) {
  TressChecker checker(scene);
  for (std::size_t i = 0; i < scene.tresses.size(); ++i) checker.check_tress(scene.tresses[i], fmt::format("tress[{}]", i));
  return std::move(checker.problems);
}

}  // namespace tendril
