#include "bodies/body_extents.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"

namespace tendril {
namespace {

struct ReachOf {
  double operator()(const BoxBody& b) const { return 0.5 * b.size.norm(); }
  double operator()(const SphereBody& s) const { return s.radius; }
  double operator()(const CylinderBody& c) const { return math::hypot(c.radius, 0.5 * c.length); }
  double operator()(const CapsuleBody& c) const { return c.radius + 0.5 * c.length; }
};
struct ThinnestOf {
  double operator()(const BoxBody& b) const { return 0.5 * b.size.minCoeff(); }
  double operator()(const SphereBody& s) const { return s.radius; }
  double operator()(const CylinderBody& c) const { return std::min(c.radius, 0.5 * c.length); }
  double operator()(const CapsuleBody& c) const { return c.radius; }
};
struct ExtentOf {
  const Vec3& u;
  double operator()(const BoxBody& b) const { return 0.5 * u.cwiseAbs().dot(b.size); }
  double operator()(const SphereBody& s) const { return s.radius; }
  double operator()(const CylinderBody& c) const {
    return 0.5 * c.length * std::abs(u.z()) + c.radius * math::hypot(u.x(), u.y());
  }
  double operator()(const CapsuleBody& c) const { return 0.5 * c.length * std::abs(u.z()) + c.radius; }
};

}  // namespace

double reach_of(const BodyShape& shape) { return std::visit(ReachOf{}, shape); }
double thinnest_of(const BodyShape& shape) { return std::visit(ThinnestOf{}, shape); }
double extent_of(const BodyShape& shape, const Vec3& direction) { return std::visit(ExtentOf{direction}, shape); }

double least_gap(const BodyShape& a, const Pose& at_a, const BodyShape& b, const Pose& at_b) {
  const Vec3 apart = at_a.position - at_b.position;
  double gap = 0;
  const auto try_direction = [&](const Vec3& u) {
    gap = std::max(gap, std::abs(u.dot(apart)) - extent_of(a, at_a.orientation.conjugate() * u) -
                            extent_of(b, at_b.orientation.conjugate() * u));
  };
  if (const double distance = apart.norm(); distance > 0) try_direction(apart / distance);
  for (const Quat* q : {&at_a.orientation, &at_b.orientation})
    for (int k = 0; k < 3; ++k) try_direction(*q * Vec3::Unit(k));
  return gap;
}

double power_of_two_near(double x) { return x > 0 && std::isfinite(x) ? std::ldexp(1.0, std::ilogb(x)) : 1; }

BodyUnits units_of(std::span<const BodyModel> bodies) {
  double size = 0, mass = 0;
  int sizes = 0, masses = 0;
  for (const BodyModel& body : bodies) {
    if (!body.moves_freely()) continue;
    mass += body.mass, ++masses;
    // Without a shape: the size of a body that has such an inertia.
    const double own = body.shape ? reach_of(*body.shape) : std::sqrt(body.inertia.maxCoeff() / body.mass);
    if (own > 0) size += own, ++sizes;
  }
  return {power_of_two_near(sizes > 0 ? size / sizes : 0), power_of_two_near(masses > 0 ? mass / masses : 0)};
}

}  // namespace tendril
