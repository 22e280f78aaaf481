// Inextensibility by manifold projection: fast projection pushes along the edges' new directions, which loses energy and
// turns the rod a little [Bergou 2008, sec. 8.1; Goldenthal 2007; ERRATA D17]; the conserving one pushes along the
// directions the edges had before the step, as SHAKE does [Ryckaert 1977], which keeps angular momentum and, but for bounded
// swings, energy.
#pragma once

#include "methods/der/chain/chain.h"

namespace tendril::der {

// A step: positions move over `dt`, forces act over `kick`; see Der::kick_of.
struct StepTimes {
  double dt = 0, kick = 0;  // [s]
};

struct ProjectionReport {
  bool fine = true;
  int iterations = 0;
  double residual = 0;  // largest | |e|^2/rest^2 - 1 |
};

struct ProjectionWork {
  explicit ProjectionWork(const Chain& chain);
  void refresh(const Chain& chain);   // when masses or constraints change
  Array weight_diagonal, weight_off;  // sums of inverse masses, 0 where there is no constraint
  Array unit;                         // 1 where there is no constraint
  Array inverse_rest2;
  Array3 along;                // directions of the push
  Array diagonal, off, right;  // right: the constraints, then the multipliers
  Array upper, compact_upper;  // conserving: the matrix is not symmetric
  Array pivot, lower, border;  // for rings
  Array3 free_x, free_v;       // as they were before a projection that may fail
  Array tension_before;
  bool has_rings = false;
  std::vector<int> rows;  // of rods with walls whose node may move: their edges alone, in order
};

enum class Push { fast, conserving };

// Moves the vertices of a chunk onto | e | = rest length, velocities along with them by displacement/dt. Twins stay alike.
// Tangents and lengths must still be those of before the step for the conserving push. `again`: tensions add to those of a
// projection before in the same step.
ProjectionReport project(Chain& chain, const Chunk& chunk, ProjectionWork& work, StepTimes step, double tolerance,
                         int max_iterations, Push push = Push::fast, bool again = false);
// The same by the conserving push, and by the fast one where that finds no way: a straight rod that is pushed together can
// only give way across the directions its edges had.
ProjectionReport project_or_fast(Chain& chain, const Chunk& chunk, ProjectionWork& work, StepTimes step, double tolerance,
                                 int max_iterations, bool again);
// Takes from the velocities of a chunk what would change lengths, e . (dv) = 0 for every edge, as RATTLE does
// [Andersen 1983]. What does so in the time `kick` is added to the tensions.
void project_velocities(Chain& chain, const Chunk& chunk, ProjectionWork& work, double kick);

}  // namespace tendril::der
