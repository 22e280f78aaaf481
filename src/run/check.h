// Everything that can be said about a scene before it runs.
#pragma once

#include <memory>
#include <optional>

#include "methods/method.h"
#include "model/model.h"
#include "tendril/simulate.h"

namespace tendril {

struct Examined {
  Problems problems;                   // of all rooms; located in the text
  std::shared_ptr<const Model> model;  // where it could be built
  std::optional<Options> options;      // where the method's table could be read
  StepAdvice advice;
  double step_size = 0;  // [s] nominal: the scene's, or the advised one
};
Examined examine(const Scene& scene, const MethodEntry& method);

// A request that cannot be met, as the only problem.
inline Problems one_error(const std::string& field, const std::string& what, const std::string& allowed,
                          const std::string& remedy) {
  return {{Severity::error, "", field, what, allowed, remedy}};
}
std::string methods_that_can(Feature feature);  // "methods that can: compact, galpha", or that there are none

}  // namespace tendril
