// Constraints of cables of particles: values and gradients [Servin 2008, sec. III], pure functions.
//   x_i    position of particle i; x_0 is the anchor          d_i = x_(i+1) - x_i, u_i = d_i/|d_i|
//   phi_d  stretch of a link                                  phi_m, phi_le  stretch of the whole, along it and across it
//   phi_a  bend angle between two links
#pragma once

#include <array>
#include <span>

#include "tendril/types.h"

namespace tendril::cable::particles {

// A distance and its gradient with respect to the second point; the first point's is the opposite [eq. (12)].
struct Distance {
  double length = 0;
  Vec3 direction = Vec3::Zero();  // zero where the points coincide
};
Distance distance(const Vec3& first, const Vec3& second);

// The angle between two links, 0 to pi, and its gradients with respect to their three points [eqs. (14)-(16)].
struct BendAngle {
  double angle = 0;
  std::array<Vec3, 3> gradient = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
};
BendAngle bend_angle(const Vec3& x0, const Vec3& x1, const Vec3& x2);

// Sum of |d_i| over all links and, in `gradient`, its derivative with respect to each point [eq. (13), ERRATA S4, S5].
double cable_length(std::span<const Vec3> x, std::span<Vec3> gradient);

}  // namespace tendril::cable::particles
