// A barrier that keeps a gap open: an energy of the gap g that begins at the reach G, twice differentiable, and goes to infinity where
// things touch.  [Li 2020, eq. (6)]
//
//   b(g) = f G B(g/G),   B(y) = -(1 - y)^2 ln y     for 0 < y < 1, and 0 beyond
// f is a force: the push is f at about 0.4 G, 12 f at 0.1 G, and goes on as f G/g.
#pragma once

#include <limits>

#include "math/logarithm.h"

namespace tendril {

struct Barrier {
  double reach = 0;  // G [m]
  double force = 0;  // f [N]
};
struct BarrierValue {
  double energy = 0, slope = 0, bend = 0;  // [J]; by the gap: [N], [N/m]. The push is -slope
};

// Where the gap is closed the energy is infinite.
inline BarrierValue barrier_at(const Barrier& b, double gap) {
  if (!(gap < b.reach)) return {};
  if (!(gap > 0)) return {std::numeric_limits<double>::infinity(), 0, 0};
  const double y = gap / b.reach, rest = 1 - y, over = rest / y, log = math::log(y);
  return {b.force * b.reach * (-rest * rest * log), b.force * (2 * rest * log - rest * over),
          b.force / b.reach * (-2 * log + (4 + over) * over)};
}

// The same in a step of length h, from the gap g' at the last level on: what a closing gap has stored is not given back. While the gap
// opens, the push is that of one that opens 1 + lambda times as far, f(g + T g.) with lambda = T/h: things part with G/T at most, the push
// never pulls, and at rest it is the barrier's. Convex like it; the energy is continuous and ends at 0.
inline BarrierValue barrier_since(const Barrier& b, double before, double lambda, double gap) {
  if (!(lambda > 0) || !(before < b.reach)) return barrier_at(b, gap);
  if (gap <= before) {
    BarrierValue v = barrier_at(b, gap);
    v.energy -= lambda / (1 + lambda) * barrier_at(b, before).energy;
    return v;
  }
  BarrierValue v = barrier_at(b, before + (1 + lambda) * (gap - before));
  v.energy /= 1 + lambda, v.bend *= 1 + lambda;
  return v;
}

}  // namespace tendril
