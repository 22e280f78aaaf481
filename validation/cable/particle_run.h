// Runs of the paper's particle cables [Servin 2008, sec. III]: dropped from rest in horizontal position, light particles of 1 kg, links
// of 1 m (the paper names no length, ERRATA S7), g = 10 m/s^2, steps of 1/60 s for 30 s.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "math/elementary.h"
#include "methods/cable/particles/particle_cable.h"

namespace tendril {

using cable::particles::ParticleCable;
using cable::particles::ParticleCableDescription;
using cable::particles::ParticleModel;

struct ParticleCase {
  ParticleModel model = ParticleModel::chain;
  double stretch_compliance = 1e-8, extra_compliance = 1e-9;
};
inline constexpr double particle_step = 1.0 / 60, particle_duration = 30;

// `tilt` [rad]: a start not quite horizontal, to see how much the start matters.
inline ParticleCable dropped_cable(const ParticleCase& which, int links, double ratio, double tilt = 0) {
  ParticleCableDescription is = cable::particles::horizontal_cable(which.model, links, 1, ratio);
  is.stretch_compliance = which.stretch_compliance;
  is.extra_compliance = which.extra_compliance;
  if (tilt != 0) {
    for (Vec3& x : is.position) x = x.x() * Vec3(math::cos(tilt), 0, -math::sin(tilt));
  }
  return ParticleCable(is);
}

// The largest |phi_d| of any link on the way, part of the length of a link; infinite after overflow. Ends where it exceeds `limit`.
inline double largest_stretch(ParticleCable cable, double limit, double dt = particle_step) {
  double largest = 0;
  const int steps = int(std::lround(particle_duration / dt));
  for (int k = 0; k < steps && largest <= limit; ++k) {
    std::ignore = cable.step(dt);
    const double now = cable.largest_stretch();
    largest = std::isfinite(now) ? std::max(largest, now) : std::numeric_limits<double>::infinity();
  }
  return largest;
}
inline double largest_stretch(const ParticleCase& which, int links, double ratio, double limit) {
  return largest_stretch(dropped_cable(which, links, ratio), limit);
}

}  // namespace tendril
