// The Open Dynamics Engine, ready for this thread, and silent.
#pragma once

namespace tendril {

void set_up_ode();

}  // namespace tendril
