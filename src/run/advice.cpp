#include "run/advice.h"

#include <fmt/format.h>

namespace tendril {
namespace {

const char* what_to_change(Cause cause) {
  switch (cause) {
    case Cause::none:
    case Cause::not_finite:
    case Cause::step_too_large:
      return "take a smaller time.step (`tendril check` prints the stable one) or step = \"auto\"";
    case Cause::projection:
      return "take a smaller time.step, or look whether clamps pull the rod longer than it is";
    case Cause::frame_update:
      return "take more segments where the rod twists most, or a smaller time.step";
    case Cause::folded_joint:
      return "take more segments: two neighbouring ones have folded back on each other";
    case Cause::newton:
      return "take more frames per second (smaller increments), more segments, or mode = \"dynamics\" with damping";
    case Cause::target:
      return "look at the paths of the clamps: one asks for what the rod cannot do";
    case Cause::contact:
      return "take a smaller time.step, or look whether clamps or obstacles press the rods into each other";
  }
  return "take a smaller time.step";
}

}  // namespace

std::string divergence_message(const StepReport& report, double time, const std::string& what_was_tried) {
  return fmt::format("stopped at t = {:.6g} s: {} ({}; last residual {:.3g} after {} iterations). What to change: {}.", time,
                     to_text(report.cause), what_was_tried, report.residual, report.iterations,
                     what_to_change(report.cause));
}

}  // namespace tendril
