// How a step of `der` may fail, beyond what is everybody's (tendril::Cause).
#pragma once

#include <vector>

#include "tendril/method.h"

namespace tendril::der {

inline constexpr Cause lengths_lost = own_cause(0), frame_lost = own_cause(1), joint_folded = own_cause(2);

// In the order of the numbers above.
inline std::vector<FailureInfo> failures() {
  return {
      {"the edges could not be brought back to their lengths",
       "take a smaller time.step, or look whether clamps pull the rod longer than it is"},
      {"the material frame found no equilibrium", "take more segments where the rod twists most, or a smaller time.step"},
      {"two neighbouring segments folded onto each other",
       "take more segments: two neighbouring ones have folded back on each other"}};
}

}  // namespace tendril::der
