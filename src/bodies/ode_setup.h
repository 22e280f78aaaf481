// The Open Dynamics Engine, ready for this thread, and silent.
#pragma once

#include "tendril/types.h"

namespace tendril {

// What ODE says when its own checks fail, in its words. Thrown through its code, so the world in which it happened must not be
// used any more.
struct OdeFailure : Misuse {
  using Misuse::Misuse;
};

void set_up_ode();

}  // namespace tendril
