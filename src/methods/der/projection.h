// Inextensibility by fast manifold projection.  [Bergou 2008, sec. 8.1; Goldenthal 2007; ERRATA D17]
#pragma once

#include "methods/der/chain.h"

namespace tendril::der {

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
  Array3 e;
  Array diagonal, off, right;  // right: the constraints, then the multipliers
  Array pivot, lower, border;  // for rings
  bool has_rings = false;
};

// Moves the vertices onto | e | = rest length, velocities along with them by displacement/dt. Twins stay alike.
ProjectionReport project(Chain& chain, ProjectionWork& work, double dt, double tolerance, int most_iterations);

}  // namespace tendril::der
