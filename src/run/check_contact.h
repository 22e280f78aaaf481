// Rods that start inside each other, inside an obstacle or inside a body they are not joined to; bodies inside each other or
// inside an obstacle.
#pragma once

#include "model/model.h"

namespace tendril {

// Which segments, how deep. Segments are counted from 0 along their rod; the worst of each pair of rods, or rod and
// obstacle, is named. An overlap below a hundredth of the radius is left to the method.
Problems check_overlap(const Model& model);

}  // namespace tendril
