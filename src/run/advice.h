// What to tell a user whose run stopped.
#pragma once

#include <string>

#include "tendril/method.h"

namespace tendril {

std::string divergence_message(const StepReport& report, const MethodInfo& method, double time,
                               const std::string& what_was_tried, const std::string& deeper_cause = {});

}  // namespace tendril
