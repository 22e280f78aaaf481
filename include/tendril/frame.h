// The only thing that leaves a method: one snapshot, with the same meaning for all methods, flat over all rods.
// Consumers use the Frame's own counts, never those of the start: a winch or an adaptive mesh changes them.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
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
requires std::same_as<std::remove_cvref_t<E>, Energy>
void for_each_component(E&& e, F&& f) {
  f("kinetic", e.kinetic), f("bending", e.bending), f("twisting", e.twisting), f("stretching", e.stretching);
  f("gravity", e.gravity), f("contact", e.contact), f("shearing", e.shearing);
}

// What went into the rods and free bodies from outside, and what was taken out of them for good, since the start [J]. A method adds it
// up while it steps. With the energy that its scheme conserves, own_energy, it is a balance:
//   own_energy now - own_energy at the start - work() + dissipated() = energy error
struct EnergyFlow {
  // Work done on them; negative where they do work.
  double clamps = 0;     // that move or turn
  double loads = 0;      // forces and moments, at points and along rods
  double gravity = 0;    // by a change of gravity: -mass . change . place
  double hands = 0;      // and couplings: by what they pull with, springs and dampers
  double wind = 0;       // the air's force along the air's velocity
  double obstacles = 0;  // that move: their push and their friction, along their own velocity
  double bodies = 0;     // driven ones, likewise, and by their joints
  // Taken from them.
  double damping = 0;   // of masses and inside of rods
  double drag = 0;      // the air's force along the velocity against the air
  double friction = 0;  // where things slide on each other
  double impacts = 0;   // where things that meet stay together
  double work() const { return clamps + loads + gravity + hands + wind + obstacles + bodies; }
  double dissipated() const { return damping + drag + friction + impacts; }
};
// The components with their names, in the order of files and displays: f("clamps", e.clamps), ...; first the works, then what is taken.
inline constexpr int works_of_flow = 7, parts_of_flow = 11;
template <class E, class F>
requires std::same_as<std::remove_cvref_t<E>, EnergyFlow>
void for_each_component(E&& e, F&& f) {
  f("clamps", e.clamps), f("loads", e.loads), f("gravity", e.gravity), f("hands", e.hands);
  f("wind", e.wind), f("obstacles", e.obstacles), f("bodies", e.bodies);
  f("damping", e.damping), f("drag", e.drag), f("friction", e.friction), f("impacts", e.impacts);
}

enum class Outcome : std::uint8_t { fine, not_converged, diverged, suspect };  // suspect: of whole runs only, see RunReport
// Why a step failed. The first ones are everybody's; from `own` on they are the method's, numbered as MethodInfo::failures.
// The words are given by failure_of (method.h).
enum class Cause : std::uint8_t {
  none,
  not_finite,
  step_too_large,
  no_equilibrium,
  clamp_out_of_reach,
  contact,
  taut,
  own = 16
};
constexpr Cause own_cause(int number) { return static_cast<Cause>(static_cast<int>(Cause::own) + number); }

// Is an equilibrium a minimum of the energy?
struct Verdict {
  enum class Kind : std::uint8_t { not_asked, no_energy, counted };  // no_energy: a load has no potential to be a minimum of
  Kind kind = Kind::not_asked;
  int unstable = 0;  // counted: directions in which the energy falls
  // Counted: neutral directions, in which nothing changes to second order. They do not make an equilibrium unstable.
  struct Neutral {
    int moving = 0;    // a rod that nothing holds, as a whole
    int swinging = 0;  // as a whole about the points or the line that hold it
    int turning = 0;   // about itself
    int other = 0;     // softer than rounding can tell: at a threshold, or a pattern that slides along the rod
    int count() const { return moving + swinging + turning + other; }
    bool operator==(const Neutral&) const = default;
  };
  Neutral neutral = {};
  // Eigenvalue of the softest mode that is not neutral, the one nearest to zero, over the method's own unit of stiffness;
  // NaN: not known.
  double softest = std::numeric_limits<double>::quiet_NaN();

  bool minimum() const { return kind == Kind::counted && unstable == 0; }
  bool judged() const { return kind != Kind::not_asked; }
  void add(const Verdict& rod);  // of one more rod that does not depend on the others
};
std::string to_text(const Verdict& verdict);  // "a minimum of the energy; neutral: the rod turning about itself"
const char* to_text(Outcome outcome);  // "fine", "not_converged", "diverged", "suspect": as in summary.json and run.h5

struct [[nodiscard]] StepReport {
  Outcome outcome = Outcome::fine;
  Cause cause = Cause::none;
  int iterations = 0;      // of the solver that limits: projection, Newton
  double residual = 0;     // of that solver, in its own scale
  double step_taken = 0;   // [s]
  double penetration = 0;  // deepest overlap at the end of the step, over the radius
  Verdict verdict;         // of an equilibrium
  int contacts = 0;        // that carry force
  int rod = -1;            // that a failed step is about; -1: not known
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
  std::vector<Pose> clamps;     // per clamp: where it is, as it holds or would hold
  std::vector<Pose> obstacles;  // per obstacle: where it is
  std::vector<Pull> pulls;      // of couplings and hands that hold now
  Energy own_energy;            // the energy the scheme itself conserves
  EnergyFlow flow;              // what went in and out since the start; of equilibria `run` adds it up
  StepReport report;
};

}  // namespace tendril
