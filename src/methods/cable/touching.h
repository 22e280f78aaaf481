// One contact of `cable`, see contacts.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "contact/touch.h"
#include "methods/cable/system.h"

namespace tendril::cable {

// Where velocities lead to in a step.
struct Ahead {
  std::vector<Vec3> x, v, spin;  // of elements
  std::vector<Quat> q;
};

struct Touching {
  enum class Mode : std::uint8_t { open, sticks, slides };
  int touch = -1;  // of a rod: number among the watch's touches; -1: of bodies, `body_contact` among those found
  int body_contact = -1;
  ContactKey key;        // of a rod
  int a = -1, b = -1;    // elements that move; b = -1: what is touched is led
  int other = -1;        // of bodies: what it touches, to know it again
  bool by_body = false;  // what is led is a driven body, not an obstacle
  // Where the motion leads to.
  Vec3 axis[3] = {Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY()};  // normal from b to a, tangents
  Vec3 arm_a = Vec3::Zero(), arm_b = Vec3::Zero();               // from the centres to the surface
  Vec3 surface = Vec3::Zero();                                   // velocity of what is led, there
  double gap = 0, rate = 0;                                      // [m], and u~ [m/s] along the normal
  double size = 0;                                               // [m] radius; of a body half of what is thinnest in it
  double friction = 0;
  double bounce = 0;     // [m/s] with which bodies part
  double stiffness = 0;  // k [N/m]
  // From the step before.
  double gap0 = 0, normal0 = 0, held[2] = {0, 0};
  double normal_before = 0;
  int age = 0;  // steps it has pressed
  // Of the last pass.
  Mode mode = Mode::open, should_be = Mode::open;
  bool slid = false;                          // it would slide on, if it presses
  double normal = 0, tangential[2] = {0, 0};  // forces [N]
  double limit = 0;                           // mu N, of the forces before; 0: it does not rub yet
  double way[2] = {1, 0}, trial = 0;          // q/|q|, |q|
  double gap_after = 0;
  bool is_passing = false,
       is_extra = false;  // extra: an end of a segment that would pass through; never in a part that is taken
  bool is_new = false, found_again = false;  // of looks within a part

  bool presses() const { return mode != Mode::open; }
  // Its force changed by more than half in the step: an impulse. The part of it that was there before goes on.
  bool jumped() const { return std::abs(normal - normal_before) > 0.5 * std::max(normal, normal_before); }
  double lasting_share() const { return jumped() ? std::min(normal, normal_before) / normal : 1; }
  Vec3 friction_force() const { return tangential[0] * axis[1] + tangential[1] * axis[2]; }
  Vec3 force() const { return normal * axis[0] + friction_force(); }
  // Of a's surface past b's.
  template <class Velocities>
  Vec3 slip(const Velocities& of) const {
    Vec3 u = of.linear(a) + of.angular(a).cross(arm_a) - surface;
    if (b >= 0) u -= of.linear(b) + of.angular(b).cross(arm_b);
    return u;
  }
};

// What is known of a contact from the step before.
struct TouchPast {
  Vec3 friction = Vec3::Zero();
  double normal_force = 0, gap = 0;
  int age = 0;
};

struct AheadVelocities {
  const Ahead& at;
  const Vec3& linear(int e) const { return at.v[z(e)]; }
  const Vec3& angular(int e) const { return at.spin[z(e)]; }
};
struct ResponseVelocities {
  const std::vector<Response>& at;
  const Vec3& linear(int e) const { return at[z(e)].v; }
  const Vec3& angular(int e) const { return at[z(e)].spin; }
};

// Tangents: the first as near to `along` as can be.
void set_tangents(const Vec3& along, Touching& c);
// Stiffness, forces to go on from, and whether it slides as it did. Everything else is set.
void go_on(const Parts& parts, const Ahead& ahead, const TouchPast& past, const StepSizes& step, Touching& c);
// A row of a contact in the answer of the element it acts on: f = b - D J v', J = (d, arm x d).
void add_row(const Vec3& d, const Vec3& arm, double D, double b, double h, Response& r);

constexpr double resting_overlap = 0.005;  // [1] of the size: at rest, so that contacts are found again

}  // namespace tendril::cable
