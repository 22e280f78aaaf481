// The only thing that leaves a method: one snapshot, with the same meaning for all methods, flat over all rods.
// Consumers use the Frame's own counts, never the Model's: a winch or an adaptive mesh changes them.
#pragma once

#include <cstdint>
#include <vector>

#include "tendril/placed.h"
#include "tendril/types.h"

namespace tendril {

struct Energy {  // [J]
  double kinetic = 0, bending = 0, twisting = 0, stretching = 0, gravity = 0, contact = 0, shearing = 0;
  double elastic() const { return bending + twisting + stretching + shearing; }
  double total() const { return kinetic + bending + twisting + stretching + gravity + contact + shearing; }
};
// The components with their names, in the order of files and displays: f("kinetic", e.kinetic), ...
template <class E, class F>
void for_each_component(E&& e, F&& f) {
  f("kinetic", e.kinetic), f("bending", e.bending), f("twisting", e.twisting), f("stretching", e.stretching);
  f("gravity", e.gravity), f("contact", e.contact), f("shearing", e.shearing);
}

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
  int edge_a = -1, edge_b = -1;  // flat edge numbers; -1: not a rod
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
  Energy own_energy;  // the energy the scheme itself conserves
  StepReport report;
};

}  // namespace tendril
