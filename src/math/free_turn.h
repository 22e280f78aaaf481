// How a rigid body turns that nothing turns: its angular momentum stays, its spin follows from where it stands.
#pragma once

#include <algorithm>
#include <cmath>

#include "math/rotation.h"

namespace tendril {

// The orientation after dt; `inertia` about the own axes, all positive, `spin` in world axes. A body with an axis of symmetry k
// (inertia i = j) turns about its momentum and about that axis, each at a constant rate:
//   q' = exp(dt L/I_j) q exp(dt (1/I_k - 1/I_j) P_k e_k),   L: momentum in world axes, P: in its own
// What its third inertia adds, P_i^2 (1/I_i - 1/I_j)/2 to the energy, turns it about e_i, half of it before and half of it after.
// Each part keeps L, so that rounding alone changes it; the energy of a body without symmetry swings about its value by
// the square of the angle in a part and does not drift, as symplectic schemes do.
inline Quat turn_freely(const Quat& start, const Vec3& inertia, const Vec3& spin, double dt) {
  constexpr double longest_part = 0.05;  // [rad]
  constexpr double most_parts = 1000;    // of a step: what turns further has no place in time any more
  const Vec3 momentum = start * inertia.cwiseProduct(start.conjugate() * spin);
  // The two that differ least are the symmetric pair.
  int k = 2;
  for (const int other : {0, 1}) {
    const auto apart = [&](int axis) {
      return std::abs(inertia[(axis + 1) % 3] - inertia[(axis + 2) % 3]) / inertia[(axis + 1) % 3];
    };
    if (apart(other) < 0.5 * apart(k)) k = other;
  }
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const double rest = 1 / inertia[i] - 1 / inertia[j], about_k = 1 / inertia[k] - 1 / inertia[j];
  const double angle = std::abs(dt) * spin.norm() * std::sqrt(std::abs(rest) * inertia[j]);
  const int parts = static_cast<int>(std::clamp(std::ceil(angle / longest_part), 1.0, most_parts));
  const double part = dt / parts;
  const auto own = [&](const Quat& q, int axis, double rate, double time) {
    Vec3 turn = Vec3::Zero();
    turn[axis] = time * rate * (q.conjugate() * momentum)[axis];
    return exp_quat(turn);
  };
  const Quat whole = exp_quat(Vec3(part / inertia[j] * momentum));
  Quat q = start;
  for (int n = 0; n < parts; ++n) {
    if (rest != 0) q = q * own(q, i, rest, 0.5 * part);
    q = whole * q * own(q, k, about_k, part);
    if (rest != 0) q = q * own(q, i, rest, 0.5 * part);
    q.normalize();
  }
  return q;
}

}  // namespace tendril
