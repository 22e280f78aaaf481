// The only thing that leaves a method: one snapshot, with the same meaning for all methods, flat over all rods.
// Consumers use the Frame's own counts, never the Model's: a winch or an adaptive mesh changes them.
#pragma once

#include <cstdint>
#include <vector>

#include "tendril/placed.h"
#include "tendril/types.h"

namespace tendril {

struct Energy {  // [J]
  double kinetic = 0, bending = 0, twisting = 0, stretching = 0, gravity = 0, contact = 0;
  double total() const { return kinetic + bending + twisting + stretching + gravity + contact; }
};

enum class Outcome : std::uint8_t { fine, not_converged, diverged };
enum class Cause : std::uint8_t {
  none,
  not_finite,
  projection,
  frame_update,
  folded_joint,
  newton,
  target,
  step_too_large,
  contact
};
const char* to_text(Cause cause);  // a sentence
// In the place of a count of unstable directions: the loads have no potential, so that there is nothing to be a minimum of.
inline constexpr int no_energy = -2;
const char* stability_text(int negative_pivots);  // "a minimum of the energy"

struct StepReport {
  Outcome outcome = Outcome::fine;
  Cause cause = Cause::none;
  int iterations = 0;        // of the solver that limits: projection, Newton
  double residual = 0;       // of that solver, in its own scale
  double step_taken = 0;     // [s]
  double penetration = 0;    // deepest overlap at the end of the step, over the radius
  int negative_pivots = -1;  // directions in which an equilibrium is not a minimum; -1: not asked; no_energy
  int contacts = 0;          // that carry force
};

// One rod's part of the flat arrays. Edge k of a rod runs from its node k to its node k+1 (the last edge of a ring ends at node 0).
// Inner node j of an open rod is its node j+1; inner node j of a ring is its node j (between edges j-1 and j).
struct RodSpan {
  int first_node = 0, nodes = 0;
  int first_edge = 0, edges = 0;
  int first_inner = 0, inner = 0;
  bool ring = false;
};

struct BodyState {
  Pose pose;
  Motion motion;
};
struct ContactPoint {
  Vec3 position = Vec3::Zero();  // [m]
  Vec3 normal = Vec3::Zero();    // from b to a
  Vec3 force = Vec3::Zero();     // on a [N]
  double gap = 0;                // [m], < 0: overlap
  int edge_a = -1, edge_b = -1;  // flat edge numbers of this frame; -1: not a rod
  int obstacle_b = -1;           // what b is when it is no rod: an obstacle of the scene,
  int body_b = -1;               // or a body
};

// A spring and damper that holds a point of a rod or of a body: a coupling of the scene, or a user's hand.
struct Pull {
  int coupling = -1;           // number in the scene; -1: a hand
  int hand = 0;                // its id; 0: a coupling
  int rod = -1, body = -1;     // which it holds
  double material = 0;         // of a rod: where, arc length in the rest rod [m]
  Vec3 from = Vec3::Zero();    // where the hand or coupling itself is [m]
  Vec3 point = Vec3::Zero();   // where the point is that it holds [m]
  Vec3 force = Vec3::Zero();   // on the rod or body [N]
  Vec3 moment = Vec3::Zero();  // likewise [N m]
};

struct Frame {
  double time = 0;  // [s]
  std::int64_t step = 0;
  std::vector<RodSpan> rods;
  OnNodes<double> material;  // arc length along the rest rod [m]
  OnNodes<Vec3> position;    // [m]
  OnNodes<Vec3> velocity;    // [m/s]
  OnNodes<Vec3> moment;  // internal moment, action of s+ on s-, world axes [N m]; zero at free ends, the wall's at held ends
  OnEdges<Quat> orientation;   // material frame: columns d1, d2, d3 = tangent
  OnEdges<Vec3> spin;          // angular velocity, world axes [rad/s]
  OnEdges<Vec3> force;         // internal force, action of s+ on s-, world axes [N]
  OnInnerNodes<double> twist;  // of the frame beyond parallel transport, unwrapped [rad]: 27 turns stay 27 turns
  std::vector<BodyState> bodies;
  std::vector<ContactPoint> contacts;
  std::vector<Wrench> reactions;  // per clamp: what it exerts on the rod, at its node; zero while it does not hold
  // What acted: the drive that the method evaluated for this time.
  Vec3 gravity = Vec3::Zero();  // [m/s^2]
  double load_factor = 1;       // of a statics ramp
  std::vector<Pose> obstacles;  // per obstacle: where it is
  std::vector<Pull> pulls;      // of couplings and hands that hold now
  Energy own_energy;            // the energy the scheme itself conserves
  StepReport report;
};

}  // namespace tendril
