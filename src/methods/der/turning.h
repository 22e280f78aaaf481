// How fast things turn that a step has to follow: for the advice on steps.
#pragma once

#include <string>

#include "model/model.h"

namespace tendril::der {

struct TurnBound {
  double rate = 0;     // [rad/s], the largest one
  std::string reason;  // what turns so fast
};
// Walls whose direction swings, by timetables or by the spin that a body starts with: a step must not be longer than
// max_swing / rate. Turns about the rod's own direction do not count: they are numbers (Wall::winding).
TurnBound swinging_walls(const Model& model);
// What a step should not turn far, though nothing fails when it does: rods that start spinning, and obstacles that are not
// round about the axis they turn about, which come by in jumps.
TurnBound turning_things(const Model& model);

}  // namespace tendril::der
