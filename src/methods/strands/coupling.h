// Virtual coupling: a hand's pose is tied to a strand's far end by a spring and damper in six directions. [Pai 2002, sec. 4;
// P14]
//
// Everything is in backward differences, so the damper is a second spring to where the end was: the strand meets one spring,
// and the step is a minimum of  strand energy + spring energy + dt/2 damping power. A hand beyond the strand's reach
// stretches the spring to the nearest place in reach only; the rest is a second spring between that place and the hand,
// which the hand alone feels.
//
// Passive: the work of the hand in a call is (force, moment) . (motion since the call before). For a convex energy the
// backward difference never gives back more than was stored; where a strand's energy is not convex, what would be missing is
// added to the force as a drag against the motion of this call, so that work - stored energy never falls below zero. A step
// downhill from the last shape, by a way d of the end, needs a drag of at most (stiffness + 2 damping/dt) d; a shape that
// needs more lies uphill and is not taken (haptic.cpp): so the force on the hand stays bounded however little it moves.
#pragma once

#include "methods/strands/strand.h"
#include "tendril/live.h"

namespace tendril::strands {

class VirtualCoupling {
 public:
  struct Felt {
    V force{0, 0, 0}, moment{0, 0, 0};  // by the hand on the coupling, world axes; the hand feels the opposite
  };
  bool active() const { return active_; }
  void begin(const Hand& hand, const State& tip, double stored);
  void end() { active_ = false; }
  // The spring that the strand's last node has in this call.
  Spring spring(const Hand& hand, double dt, int node, const V& root, double reach);
  // The drag that this shape of the strand would need to stay passive, as a force; `elsewhere`: energy stored in the strand
  // and its weight.
  double needed_drag(const Hand& hand, double dt, const State& tip, double elsewhere) const;
  // Forces once the strand lies.
  Felt close(const Hand& hand, double dt, const State& tip, double elsewhere);
  double stored() const { return stored_; }
  double work() const { return work_; }
  double corrected() const { return corrected_; }
  bool in_reach() const { return in_reach_; }

 private:
  bool active_ = false, in_reach_ = true;
  V hand_{0, 0, 0}, place_{0, 0, 0}, tip_{0, 0, 0};  // of the call before: hand, its place in reach, the strand's end
  Quaternion hand_q_{1, 0, 0, 0}, tip_q_{1, 0, 0, 0};
  V next_place_{0, 0, 0};
  M3<double> slide_ = identity3<double>();  // d place / d hand
  struct Balance {
    Felt felt;
    V moved{0, 0, 0}, spun{0, 0, 0};  // of the hand
    double arm2 = 0, size = 0;        // a turn counts as the arc of the coupling's own arm
    double stored = 0, done = 0, missing = 0;
  };
  Balance balance(const Hand& hand, double dt, const State& tip, double elsewhere) const;
  double peak_ = 0;
  double first_ = 0, stored_ = 0, work_ = 0, corrected_ = 0;
};

}  // namespace tendril::strands
