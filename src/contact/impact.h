// The time of impact: the first instant at which two moving things come too near, never later than it truly is.
//
// Conservative advancement. At an instant the closest points of two convex things span a slab of width d that separates
// them; its normal n is the direction between these points. Points of one approach those of the other along n with at most
// `approach`, so for a time (d - limit) / approach they stay further apart than `limit`. From there the same is repeated.
// Things that do not approach along n at all (sliding side by side, moving apart) are done in one step. (A bound by the
// speed alone would advance very slowly in such cases; the cubic of the four coplanar points has no solution for parallel
// motion and loses digits just where it matters.)
//
// Promise: on [0, time) the distance is above `limit`, but for rounding of the distance itself (1e-15 of the coordinates).
// When the steps run out (a hundred; three or four are usual) the time reached so far is given as a hit: too early, never
// too late.
#pragma once

#include <limits>

namespace tendril {

inline constexpr double never = std::numeric_limits<double>::infinity();

// look(time) gives an object with members distance and approach (the largest speed at which the two can approach each other
// along the line of their closest points at that time).
template <class Look>
double time_of_impact(const Look& look, double limit) {
  constexpr int max_steps = 100;
  constexpr double close_enough = 1.01;  // of the limit: the last percent would cost most of the steps
  double time = 0;
  for (int k = 0; k < max_steps; ++k) {
    const auto now = look(time);
    if (!(now.distance > close_enough * limit)) return time;
    if (!(now.approach > 0)) return never;
    time += (now.distance - limit) / now.approach;
    if (time >= 1) return never;
  }
  return time;
}

}  // namespace tendril
