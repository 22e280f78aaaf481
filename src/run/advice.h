// What to tell a user whose run stopped.
#pragma once

#include <string>

#include "tendril/method.h"

namespace tendril {

// deeper_cause: known to the run, instead of the method's advice; rod: the one that the failure is about. Both may be empty.
std::string divergence_message(const StepReport& report, const MethodInfo& method, double time,
                               const std::string& what_was_tried, const std::string& deeper_cause = {},
                               const std::string& rod = {});

}  // namespace tendril
