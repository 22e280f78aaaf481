#include "methods/cable/particles/particle_kernels.h"

#include <cmath>

#include "math/elementary.h"

namespace tendril::cable::particles {

Distance distance(const Vec3& first, const Vec3& second) {
  const Vec3 d = second - first;
  const double length = d.norm();
  return {length, length > 0 ? Vec3(d / length) : Vec3(Vec3::Zero())};
}

// differs from the paper: eqs. (14)-(16) collapse to n x d/|d|^2 with n = d_x/|d_x| [ERRATA S14 shows it for segments]. The
// same numbers without the products that cancel, which matters where angles of 1e-16 rad are held.
// Straight links have no n: the row is zero there and eps_a > 0 keeps the matrix regular [ERRATA S6]. Nearly straight ones
// keep their unit vector, noise or not: a fade-out of 1e-12 would let the stiffest cables of Table I go.
BendAngle bend_angle(const Vec3& x0, const Vec3& x1, const Vec3& x2) {
  const Vec3 d0 = x1 - x0, d1 = x2 - x1, dx = d0.cross(d1);
  const double size = dx.norm();
  BendAngle bend;
  bend.angle = math::atan2(size, d0.dot(d1));
  if (!(size > 0)) return bend;
  const Vec3 n = dx / size;
  bend.gradient[0] = n.cross(d0) / d0.squaredNorm();
  bend.gradient[2] = n.cross(d1) / d1.squaredNorm();
  bend.gradient[1] = -(bend.gradient[0] + bend.gradient[2]);
  return bend;
}

double cable_length(std::span<const Vec3> x, std::span<Vec3> gradient) {
  TENDRIL_REQUIRE(!x.empty() && gradient.size() == x.size(), "every point needs a gradient");
  double sum = 0;
  gradient[0].setZero();
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const Distance link = distance(x[i], x[i + 1]);
    sum += link.length;
    gradient[i] -= link.direction;
    gradient[i + 1] = link.direction;
  }
  return sum;
}

}  // namespace tendril::cable::particles
