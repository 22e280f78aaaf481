// What is known of a method before it runs: what it can do, its options, the step it advises, the ways it fails.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/feature.h"
#include "tendril/frame.h"
#include "tendril/options.h"
#include "tendril/problem.h"

namespace tendril {

struct StepAdvice {
  double stable = 0;   // [s] largest step that is expected to stay stable; 0: not limited
  double advised = 0;  // [s] what step = "auto" uses
  std::string reason;  // what limits it
};

// A way to fail, in a user's words.
struct FailureInfo {
  std::string sentence;        // "the edges could not be brought back to their lengths"
  std::string what_to_change;  // "take a smaller time.step"
};

struct MethodInfo {
  std::string name, title, paper, summary;
  Capability can;
  std::vector<OptionInfo> options;
  std::vector<FailureInfo> failures;  // its own, beyond common_failures
};
std::span<const FailureInfo> common_failures();                        // from Cause::none on
const FailureInfo& failure_of(Cause cause, const MethodInfo& method);  // src/run/words.cpp

std::span<const MethodInfo> all_method_infos();  // of every method there is
const MethodInfo* find_method_info(std::string_view name);

}  // namespace tendril
