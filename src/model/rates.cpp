#include "model/rates.h"

#include <algorithm>
#include <cmath>

namespace tendril {

double bending_rate(const Model& model, const RodModel& rod, double swing) {
  double gravity = model.gravity.norm();
  for (const ChangingGravity& g : model.changing_gravity) gravity = std::max(gravity, g.acceleration.norm());
  double EI = 0, light = HUGE_VAL, heavy = 0, segment = HUGE_VAL;
  for (int k = 0; k < rod.span.edges; ++k) {
    const EdgeIndex e(rod.span.first_edge + k);
    const Section& s = model.section[e];
    EI = std::max({EI, s.EI1, s.EI2});
    light = std::min(light, s.line_mass), heavy = std::max(heavy, s.line_mass);
    segment = std::min(segment, model.rest_length[e]);
  }
  const double swinging = swing * std::sqrt(gravity / segment);
  if (EI == 0) return swinging;
  const double wave = std::sqrt(EI / light);  // [m^2/s]
  const double length = gravity > 0 ? std::min(rod.length, std::cbrt(EI / (heavy * gravity))) : rod.length;
  const double third = 61.7 * wave / (length * length), shortest = 4 * wave / (segment * segment);  // of a cantilever
  return std::max(std::min(third, shortest), swinging);
}

}  // namespace tendril
