#include "run/advice.h"

#include <fmt/format.h>

namespace tendril {
std::string divergence_message(const StepReport& report, const MethodInfo& method, double time,
                               const std::string& what_was_tried, const std::string& deeper_cause, const std::string& rod) {
  const FailureInfo& failure = failure_of(report.cause, method);
  const std::string& change = deeper_cause.empty() ? failure.what_to_change : deeper_cause;
  return fmt::format("stopped at t = {:.6g} s: {}{} ({}; last residual {:.3g} after {} iterations). What to change: {}.",
                     time, rod.empty() ? std::string() : "rod " + rod + ": ", failure.sentence, what_was_tried,
                     report.residual, report.iterations, change);
}

}  // namespace tendril
