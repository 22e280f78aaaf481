// Straight ropes that are pressed lengthwise.
//
// A column gives way sideways because nothing is exactly straight. A rope that hung taut is, to rounding: rigid segments in one line then carry
// any force, or come apart where their ends are driven together. Such a stretch of segments gets a bow of some milliradians, its
// softest shape, when the force in it is well beyond what it could bear (Euler's load); the motion does the rest.
#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/rotation.h"
#include "methods/cable/cable.h"

namespace tendril::cable {
namespace {
constexpr double straight = 1e-3;                    // [rad] of the turn of the whole stretch
constexpr double least_bow = 2e-3, most_bow = 0.03;  // [rad] at its ends
constexpr double beyond = 4;                         // times Euler's load, at least
}  // namespace

// Runs of neighbours that are all pressed, by the forces of the last step.
bool Cable::bow_pressed_rods(double dt) {
  bool any = false;
  for (std::size_t r = 0; r < parts_.chains.size(); ++r) {
    const Chain& chain = parts_.chains[r];
    if (reevings_.owns(r) || chain.span.ring) continue;
    const int count = static_cast<int>(chain.segments.size());
    const auto pressed = [&](int k) { return state_.tension[z(chain.segments[z(k)])] < 0; };
    for (int first = 0; first < count; ++first) {
      if (!pressed(first)) continue;
      int last = first;
      while (last + 1 < count && pressed(last + 1)) ++last;
      if (last > first) any = bow_run(chain, first, last, dt) || any;
      first = last;
    }
  }
  return any;
}

bool Cable::bow_run(const Chain& chain, int first, int last, double dt) {
  const auto element = [&](int k) { return z(chain.segments[z(k)]); };
  const Vec3 along = state_.q[element(first)] * Vec3::UnitZ();
  double length = 0, force = 0, EI = 0, weight = 0, speed = 0;
  for (int k = first; k <= last; ++k) {
    const std::size_t i = element(k);
    if ((state_.q[i] * Vec3::UnitZ() - along).norm() > straight) return false;
    length += parts_.elements[i].length, weight += force_[i].norm();
    speed = std::max(speed, std::abs(state_.v[i].dot(along)));
    force = std::max(force, -0.5 * state_.tension[i]), EI = std::max(EI, parts_.elements[i].EI);
  }
  if (!(force > beyond * (math::pi * math::pi * EI / (length * length) + weight))) return false;
  // Half of what a way of speed times dt needs: a bow of b is shorter by b^2 L/4.
  const double bow = std::clamp(std::sqrt(2 * speed * dt / length), least_bow, most_bow);
  // y = (bow L/pi) sin(pi s/L): ends of the run stay where they are.
  const Vec3 aside = any_perpendicular(along), axis = along.cross(aside);
  double at = 0;
  for (int k = first; k <= last; ++k) {
    const std::size_t i = element(k);
    const double phase = math::pi * (at + 0.5 * parts_.elements[i].length) / length;
    state_.x[i] += (bow * length / math::pi * math::sin(phase)) * aside;
    const Quat turn = exp_quat(Vec3(bow * math::cos(phase) * axis));
    state_.q[i] = (turn * state_.q[i]).normalized(), state_.momentum[i] = turn * state_.momentum[i];
    at += parts_.elements[i].length;
  }
  find_twists();
  return true;
}

}  // namespace tendril::cable
