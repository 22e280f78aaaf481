// How finely a step has to be divided where lengths are kept by the conserving projection.
//
// That projection is explicit in the tension: waves of a taut rod are stable only below dt omega = 2, and an edge that turns
// far in a step is pushed along a direction it has long left. The advised step knows of neither; both show in the state.
#pragma once

#include "methods/der/chain/chain.h"

namespace tendril::der {

struct Pace {
  double turning2 = 0;  // [rad^2/s^2] the fastest turn of an edge, squared
  double tension2 = 0;  // [rad^2/s^2] the fastest wave of one segment's length in a taut rod: omega^2 = 4 T/(m l)
};

// Over the edges of a chunk whose length is kept, from tangents, velocities and tensions.
Pace pace_of(const Chain& chain, const Chunk& chunk);

// What of it counts from step to step, and how many equal parts a step takes. Parts are powers of two and are given up
// slowly: every change of the step costs some of the energy that a steady step keeps, always in the same direction, because
// steps become shorter where the motion is fastest.
class Parts {
 public:
  // `lasting`: nothing but the step can lose energy, so a fast turn is remembered long.
  void note(const Pace& pace, bool lasting);
  int count(double dt) const;
  template <class Archive>
  void visit_state(Archive& archive) {
    archive(turning_, waves_);
  }

 private:
  double turning_ = 0, waves_ = 0;  // [rad/s], of the steps so far, fading
};

}  // namespace tendril::der
