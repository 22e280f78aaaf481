// Dynamics: equal steps from one recording time to the next; after a failure the last kept state is taken up again with half
// the step, and later steps grow back to the nominal one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/inside.h"

namespace tendril {
namespace {
constexpr std::int64_t steps_between_keeps = 64;  // saving a state costs about a tenth of a step
}  // namespace

void Simulation::Inside::begin_stretch(double limit) {
  const double frame_interval = 1 / scene.time.frames_per_second;
  // To the next recording time, or to where the caller wants to stop.
  place.from = place.time;
  place.to = std::min(frame_time(place.next_frame), limit);
  // A whole interval counts as 1/fps, not as the difference of two rounded times: every step has the same bits.
  const double interval = place.to - place.from;
  const bool whole = !place.off_grid && std::abs(interval - frame_interval) < 1e-9 * frame_interval;
  const double length = whole ? frame_interval : interval;
  // As many equal steps as keep each at most the nominal size; 1e-9 against one more step by rounding.
  place.substeps = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(length / step_size - 1e-9)));
  place.nominal = length / static_cast<double>(place.substeps);
  place.at = place.part = 0;
  keep_due = true;
}

// One part of a step: from place.time over nominal / 2^level.
StepReport Simulation::Inside::take_part() {
  const double dt = std::ldexp(place.nominal, -place.level);
  double done = 0;
  StepReport report;
  do {  // a method may take less than it was asked for
    const double ask = dt - done;
    report = method->step(place.time + done, ask, live);
    if (report.outcome != Outcome::fine) return report;
    note(report);
    done += report.step_taken > 0 ? std::min(report.step_taken, ask) : ask;
  } while (done < dt * (1 - 1e-12));
  // Time from counters, not by adding up: it depends on no history of retries and ends exactly on the recording time.
  if (++place.part == std::int64_t{1} << place.level) place.part = 0, ++place.at;
  const double steps = static_cast<double>(place.at) + std::ldexp(static_cast<double>(place.part), -place.level);
  place.time = place.at == place.substeps ? place.to : place.from + steps * place.nominal;
  place.off_grid = true;
  return report;
}

bool Simulation::Inside::retry_with_half_steps() {
  // Step rejection: back to the kept state, whose position in the stretch is counted in the new, smaller parts.
  const int level = place.level + 1;
  if (level > max_halvings) return false;
  come_back();
  place.part = kept.part << (level - kept.level);
  place.level = level;
  ++retries;
  return true;
}

StepReport Simulation::Inside::advance_dynamics(double limit) {
  for (;;) {
    // The last stretch is done, or ends later than the caller wants.
    if (place.at == place.substeps || place.to > limit) begin_stretch(limit);
    if (keep_due || (place.part == 0 && place.at - kept.at >= steps_between_keeps)) {
      if (place.part == 0 && place.level > 0) --place.level;  // the last steps went well: try longer ones again
      keep();
    }
    // One part; at a recording time the frame is written, and a frame that is not finite counts as a failed step.
    StepReport report = take_part();
    if (report.outcome == Outcome::fine && place.at == place.substeps && place.time == frame_time(place.next_frame) &&
        !arrive()) {
      report.outcome = Outcome::diverged;
      report.cause = Cause::not_finite;
    }
    if (report.outcome == Outcome::fine) return report;
    if (!retry_with_half_steps())
      return give_up(report, fmt::format("the step was halved {} times, from {:.3g} s to {:.3g} s", max_halvings,
                                         place.nominal, std::ldexp(place.nominal, -max_halvings)));
  }
}

}  // namespace tendril
