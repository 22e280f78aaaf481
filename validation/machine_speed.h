// How slow this machine is at the moment, so that what is judged by the clock is judged alike on a slow or busy one.
#pragma once

#include <string>

#include "validation/experiment.h"

namespace tendril {

// Time of a fixed piece of arithmetic now, over its time on a core of about 2.8 GHz; more than 1 on a slower one.
double machine_slowness();
// `target`: what is asked for on an idle core; it is shown beside the result. A clock proves no more than its machine lets it:
// the check fails beyond three times the target, and that times the machine's slowness where it is slower.
Check clock_check(std::string name, double target, double result);

}  // namespace tendril
