#include "run/far_away.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tendril {
namespace {

// Relative error of an edge's length by rounding. Below the first nothing is noticed: tolerances are 1e-8 and larger. Beyond the
// second a thousandth of the strain is noise, and no step can be solved.
constexpr double noticeable = 1e-10, hopeless = 1e-6;

struct Rounding {
  double distance = 0, position = 0, of_edge = 0;  // [m] from the origin, [m] of a position, relative to the shortest edge
};
Rounding rounding_of(const Model& model) {
  Rounding r;
  for (const Vec3& p : model.initial.position) r.distance = std::max(r.distance, p.lpNorm<Eigen::Infinity>());
  double shortest = std::numeric_limits<double>::infinity();
  for (const double length : model.rest_length) shortest = std::min(shortest, length);
  r.position = std::numeric_limits<double>::epsilon() * r.distance;
  r.of_edge = r.position / shortest;
  return r;
}
std::string sentence(const Rounding& r) {
  return fmt::format("the rods are {:.2g} m from the origin, where positions are rounded to {:.1g} m, {:.1g} of a segment",
                     r.distance, r.position, r.of_edge);
}

}  // namespace

std::string far_from_origin(const Model& model) {
  const Rounding r = rounding_of(model);
  return r.of_edge > noticeable ? sentence(r) : std::string();
}

Problems check_far(const Model& model) {
  const Rounding r = rounding_of(model);
  if (r.of_edge <= noticeable) return {};
  return {{r.of_edge > hopeless ? Severity::error : Severity::warning, "", "rod", sentence(r), "", far_remedy}};
}

}  // namespace tendril
