// Contacts of many bodies that all hang together, by sweeps: the cost of one is linear in the contacts, and it takes about as
// many as there are bodies on top of each other, where a direct solution (ODE's) costs their third power.
//   normal     relative velocity after the step >= lower bound (what repairs overlap, or bounces), impulse >= 0
//   tangents   Coulomb's cone
#pragma once

#include <span>
#include <vector>

#include "bodies/body_collisions.h"
#include "contact/contact_rows.h"

namespace tendril {

// What all contacts of a world have in common, the same for both ways to solve them.
struct ContactConstants {
  double repair = 0.2;        // [1] of an overlap, given back in one step (Baumgarte stabilisation, ODE's ERP)
  double fastest_repair = 0;  // [m/s]: overlap must not become speed
  double slowest_bounce = 0;  // [m/s]: slower impacts do not bounce
  double softness = 1e-4;     // [1] of the inverse masses: contacts that repeat each other still have one solution (CFM)
};

class ContactImpulses {
 public:
  // Velocities after a step of dt: those that `motion` has, changed by wrenches and by these contacts. Bodies that have none of
  // the contacts are left alone.
  void solve(double dt, const ContactConstants& constants, std::span<const BodyModel> bodies,
             std::span<const Wrench> wrenches, std::span<const BodyState> states, std::span<const BodyContact> contacts,
             std::span<Motion> motion);
  Vec3 impulse(std::size_t contact) const;  // [N s] on the first body, of the contacts just solved

 private:
  struct Side {
    int body = -1;  // -1: the ground, or what nothing moves
    Vec3 arm = Vec3::Zero();
    Vec3 linear[3], angular[3];  // per row: how its velocities answer to an impulse
  };
  struct Rows {
    ContactRow row[3];  // c: relative velocity along normal and tangents [m/s]; p: impulse [N s]
    Vec3 direction[3];
    double friction = 0, softness = 0;
    double radius = 1;  // [m/s] the unit of changes
    Side side[2];       // the impulse acts on the first, its opposite on the second
  };
  struct System;
  static double speed_along(const Rows& rows, int k, std::span<const Motion> motion);  // of the first side, off the second
  Rows rows_of(const BodyContact& contact, double dt, const ContactConstants& constants, std::span<const BodyModel> bodies,
               std::span<const BodyState> states, std::span<const Motion> motion) const;

  std::vector<Rows> rows_;
  std::vector<char> pushed_;  // per body: its wrench has acted
};

}  // namespace tendril
