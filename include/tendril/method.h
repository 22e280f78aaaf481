// One published method behind a handful of functions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/feature.h"
#include "tendril/frame.h"
#include "tendril/live.h"
#include "tendril/options.h"
#include "tendril/problem.h"
#include "tendril/state.h"

namespace tendril {

struct Model;  // src/model/model.h

// What a simulation may use. Results do not depend on it.
struct Resources {
  int threads = 1;
};

class Method {
 public:
  virtual ~Method() = default;
  [[nodiscard]] virtual StepReport step(double time, double dt, const Live& live) = 0;  // from time to time + step_taken
  // Equilibrium, where claimed.
  [[nodiscard]] virtual StepReport relax(double time, double load_factor, const Live& live) = 0;
  // Everything but time and step; a frame that was used before keeps its storage.
  virtual void write(Frame& frame) const = 0;
  virtual void visit_state(StateArchive& archive) = 0;  // every changing value, once: saved, or loaded
};

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
struct MethodEntry {
  MethodInfo info;
  Problems (*check)(const Model& model, const Options& options);
  StepAdvice (*advise)(const Model& model, const Options& options);
  // Starts at model->initial.
  std::unique_ptr<Method> (*make)(std::shared_ptr<const Model> model, const Options& options, const Resources& resources);
};
std::span<const FailureInfo> common_failures();                        // from Cause::none on
const FailureInfo& failure_of(Cause cause, const MethodInfo& method);  // src/run/words.cpp

std::span<const MethodEntry> all_methods();  // explicit list, src/methods/registry.cpp
const MethodEntry* find_method(std::string_view name);

}  // namespace tendril
