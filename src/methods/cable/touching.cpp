#include "methods/cable/touching.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"

namespace tendril::cable {
namespace {
// w: how easily the element gives way at the end of the arm.
double inverse_mass_at(const Element& e, const Quat& q, const Vec3& arm, const Vec3& d) {
  const Vec3 turn = q.conjugate() * arm.cross(d);
  return 1 / e.mass + turn.dot(turn.cwiseQuotient(e.inertia));
}
}  // namespace

void set_tangents(const Vec3& along, Touching& c) {
  const Vec3& n = c.axis[0];
  const Vec3 flat = along - along.dot(n) * n;
  const double size = flat.norm();
  c.axis[1] = size > 1e-6 ? Vec3(flat / size) : any_perpendicular(n);
  c.axis[2] = n.cross(c.axis[1]);
}

void go_on(const Parts& parts, const Ahead& ahead, const TouchPast& past, const StepSizes& step, Touching& c) {
  constexpr double hardness = 1e3;   // k over what moves the lighter side by the whole way in one step
  constexpr double repair = 0.1;     // of what an overlap is more than it should be, in one step
  constexpr double slow = 0.02;      // [m/s] no faster: overlap must not become speed
  constexpr double yielding = 0.01;  // [1] of the size: the way within which a force that goes on is gone
  constexpr int young = 2;           // steps: the force of an impact does not go on
  c.rate = c.slip(AheadVelocities{ahead}).dot(c.axis[0]);
  double w = inverse_mass_at(parts.elements[z(c.a)], ahead.q[z(c.a)], c.arm_a, c.axis[0]);
  if (c.b >= 0) w += inverse_mass_at(parts.elements[z(c.b)], ahead.q[z(c.b)], c.arm_b, c.axis[0]);
  c.stiffness = hardness / (w * step.h * step.dt);
  c.age = past.age, c.normal_before = past.normal_force;
  const double target = -resting_overlap * c.size;
  c.normal0 = 0, c.held[0] = c.held[1] = 0;
  c.gap0 = target;
  if (!(past.normal_force > 0)) return;
  const double most = std::min(slow * step.dt, 0.05 * c.size);
  c.gap0 = past.gap + std::clamp(repair * (target - past.gap), -most, most);
  if (past.age >= young) {
    c.normal0 = past.normal_force;
    // No force reaches farther than a surface gives way: what carries a load by a light segment lets go where it parts.
    c.stiffness = std::max(c.stiffness, past.normal_force / (yielding * c.size));
    for (int k = 0; k < 2; ++k) c.held[k] = past.friction.dot(c.axis[k + 1]);
  }
  c.limit = c.friction * past.normal_force;
  const Vec3 slip = c.slip(AheadVelocities{ahead});
  double q[2];
  for (int k = 0; k < 2; ++k) q[k] = c.held[k] - c.stiffness * step.dt * slip.dot(c.axis[k + 1]);
  c.trial = std::hypot(q[0], q[1]);
  const double rubbed = past.friction.norm();  // none: it has had no time to stick
  c.slid = c.limit > 0 && c.trial > c.limit && (rubbed > 0.98 * c.limit || rubbed == 0);
  for (int k = 0; k < 2 && c.slid; ++k) c.way[k] = q[k] / c.trial;
}

void add_row(const Vec3& d, const Vec3& arm, double D, double b, double h, Response& r) {
  const Vec3 turn = arm.cross(d);
  if (!r.has_mixed) r.mixed.setZero(), r.has_mixed = true;
  const Vec3 by = r.linear * d + r.mixed * turn, turned = r.angular * turn + r.mixed.transpose() * d;
  const double give = d.dot(by) + turn.dot(turned), s = 1 + h * D * give;
  const double f = (b - D * (d.dot(r.y) + turn.dot(r.y_spin))) / s, c = h * D / s;
  r.y += (h * f) * by, r.y_spin += (h * f) * turned;
  r.linear.noalias() -= (c * by) * by.transpose();
  r.angular.noalias() -= (c * turned) * turned.transpose();
  r.mixed.noalias() -= (c * by) * turned.transpose();
}

}  // namespace tendril::cable
