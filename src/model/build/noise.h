// A small random sideways displacement of the start, which breaks symmetry.
#pragma once

#include "model/model.h"

namespace tendril {

// Smooth (eight low modes), the same for the same rod number, zero at nodes held in position or joined; the largest
// displacement is `size`. Frames are carried onto the new edges. Edge lengths change in second order of `size`: a rod held
// straight between two walls has no shape of the same length, so a method that is strict about length projects once at its
// start.
void add_noise(Model& model, int rod, double size);

}  // namespace tendril
