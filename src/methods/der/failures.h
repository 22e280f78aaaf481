// How a step of `der` may fail, beyond what is everybody's (tendril::Cause).
#pragma once

#include <vector>

#include "tendril/method.h"

namespace tendril::der {

inline constexpr Cause lengths_lost = own_cause(0), frame_lost = own_cause(1), joint_folded = own_cause(2),
                       turned_too_far = own_cause(3), bodies_lost = own_cause(4);

// In the order of the numbers above.
inline std::vector<FailureInfo> failures() {
  return {
      {"the edges could not be brought back to their lengths",
       "take a smaller time.step, or look whether clamps pull the rod longer than it is"},
      {"the material frame found no equilibrium", "take more segments where the rod twists most, or a smaller time.step"},
      {"two neighbouring segments folded onto each other",
       "take more segments: two neighbouring ones have folded back on each other"},
      {"a clamp or body turned the direction of a rod's end by more than a quarter turn in one step",
       "take a smaller time.step, or turn it more slowly; only turns about the rod's own direction may be fast"},
      {"the rigid bodies could not be moved: their equations have no solution (Open Dynamics Engine)",
       "take a smaller time.step, or look for bodies of extreme mass or size"}};
}

}  // namespace tendril::der
