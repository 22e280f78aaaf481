// The sine by which a straight rod bends when its ends come nearer than it is long.
#pragma once

#include <algorithm>
#include <cmath>

#include "math/elementary.h"

namespace tendril {

struct SineBend {
  double rest = 0, chord = 0;  // length, and how far its ends are apart [m]
  bool clamped = false;        // an end keeps its direction: sin^2 instead of sin
  // integral of y'^2/2 = rest - chord for y = a sin^2(pi s/L), and for y = a sin(pi s/L) alike
  double amplitude() const { return 2 / math::pi * std::sqrt(rest * std::max(0.0, rest - chord)); }
  double share(double s) const {  // of the amplitude, at the arc length s
    const double sine = math::sin(math::pi * s / rest);
    return clamped ? sine * sine : sine;
  }
};

}  // namespace tendril
