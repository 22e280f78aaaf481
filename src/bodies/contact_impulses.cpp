#include "bodies/contact_impulses.h"

#include <algorithm>
#include <cmath>

#include "contact/contact_sweeps.h"

namespace tendril {
namespace {
constexpr double settled = 1e-7;  // [1] of the largest error at the start: change of a velocity in the last sweep
constexpr int sweeps_at_least = 40, sweeps_per_body = 8;  // at most; what is left over then is repaired as overlap
}  // namespace

double ContactImpulses::speed_along(const Rows& rows, int k, std::span<const Motion> motion) {
  Vec3 v = Vec3::Zero();
  for (int s = 0; s < 2; ++s) {
    const Side& side = rows.side[s];
    if (side.body < 0) continue;
    const Motion& m = motion[static_cast<std::size_t>(side.body)];
    v += (s == 0 ? 1 : -1) * (m.linear + m.angular.cross(side.arm));
  }
  return rows.direction[k].dot(v);
}

struct ContactImpulses::System {
  std::span<Motion> motion;

  double value(const Rows& rows, int k) const { return speed_along(rows, k, motion) + rows.softness * rows.row[k].impulse; }
  void push(Rows& rows, int k, double impulse) const {
    rows.row[k].impulse += impulse;
    for (int s = 0; s < 2; ++s) {
      const Side& side = rows.side[s];
      if (side.body < 0) continue;
      Motion& m = motion[static_cast<std::size_t>(side.body)];
      m.linear += impulse * side.linear[k];
      m.angular += impulse * side.angular[k];
    }
  }
};

ContactImpulses::Rows ContactImpulses::rows_of(const BodyContact& contact, double dt, const ContactConstants& constants,
                                               std::span<const BodyModel> bodies, std::span<const BodyState> states,
                                               std::span<const Motion> motion) const {
  Rows rows;
  rows.friction = contact.friction;
  rows.direction[0] = contact.normal;
  rows.direction[1] = contact.normal.unitOrthogonal();
  rows.direction[2] = contact.normal.cross(rows.direction[1]);
  double inverse = 0;
  for (int s = 0; s < 2; ++s) {
    // Each side's answer to the three impulses.
    Side& side = rows.side[s];
    side.body = s == 0 ? contact.a : contact.b;
    if (side.body < 0) continue;
    const auto i = static_cast<std::size_t>(side.body);
    const double sign = s == 0 ? 1 : -1;
    side.arm = contact.point - states[i].pose.position;
    const Mat3 mass = inverse_mass(bodies[i]), inertia = inverse_inertia(bodies[i], states[i].pose.orientation);
    if (bodies[i].moves_freely()) inverse += 1 / bodies[i].mass;
    for (int k = 0; k < 3; ++k) {
      const Vec3 turn = side.arm.cross(rows.direction[k]);
      side.linear[k] = sign * (mass * rows.direction[k]);
      side.angular[k] = sign * (inertia * turn);
      rows.row[k].inverse_effective_mass += sign * (rows.direction[k].dot(side.linear[k]) + turn.dot(side.angular[k]));
    }
  }
  rows.softness = constants.softness * inverse;
  for (ContactRow& row : rows.row) row.inverse_effective_mass += rows.softness;
  // What the normal velocity has to be: overlap is given back slowly, fast impacts bounce.
  const double approach = -speed_along(rows, 0, motion);
  double& bound = rows.row[0].lower_bound;
  bound = std::min(constants.repair * std::max(0.0, -contact.gap) / dt, constants.fastest_repair);
  if (contact.restitution > 0 && approach > constants.slowest_bounce)
    bound = std::max(bound, contact.restitution * approach);
  return rows;
}

Vec3 ContactImpulses::impulse(std::size_t contact) const {
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 3; ++k) sum += rows_[contact].row[k].impulse * rows_[contact].direction[k];
  return sum;
}

void ContactImpulses::solve(double dt, const ContactConstants& constants, std::span<const BodyModel> bodies,
                            std::span<const Wrench> wrenches, std::span<const BodyState> states,
                            std::span<const BodyContact> contacts, std::span<Motion> motion) {
  // Rows at the velocities before the step; then wrenches, once for each body.
  rows_.clear();
  pushed_.assign(bodies.size(), 0);
  for (const BodyContact& contact : contacts) rows_.push_back(rows_of(contact, dt, constants, bodies, states, motion));
  int moved = 0;
  for (const Rows& rows : rows_)
    for (const Side& side : rows.side) {
      if (side.body < 0) continue;
      const auto i = static_cast<std::size_t>(side.body);
      if (pushed_[i] || !bodies[i].moves_freely()) continue;
      pushed_[i] = 1, ++moved;
      motion[i].linear += dt * (inverse_mass(bodies[i]) * wrenches[i].force);
      motion[i].angular += dt * (inverse_inertia(bodies[i], states[i].pose.orientation) * wrenches[i].moment);
    }
  System system{motion};
  double largest = 0;
  for (const Rows& rows : rows_) largest = std::max(largest, rows.row[0].lower_bound - system.value(rows, 0));
  if (!(largest > 0)) return;
  for (Rows& rows : rows_) rows.radius = largest;
  // Sweeps, forwards and backwards in turn, which carry a weight from the top of a stack to its foot in one go, and conjugate
  // directions between them.  [Silcowitz 2010]
  double change2 = 0;
  for (int k = 0; k < sweeps_at_least + sweeps_per_body * moved; ++k) {
    if (sweep(rows_, k % 2 == 0, system) <= settled) return;
    accelerate(rows_, k == 0, change2, system);
  }
}

}  // namespace tendril
