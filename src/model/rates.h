// How fast a rod moves, for the advice of implicit methods, which follow accuracy.
#pragma once

#include "model/model.h"

namespace tendril {

// [rad/s] What a rod does quickly are its first bending modes over its length, or, where it is so limp that its weight bends it sooner,
// over (EI/w)^(1/3): there a falling rod cracks like a whip. Not quicker than a segment can bend, not slower than `swing` times
// the rate at which a segment swings.
double bending_rate(const Model& model, const RodModel& rod, double swing);

}  // namespace tendril
