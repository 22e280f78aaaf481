// One published method behind a handful of functions.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tendril/live.h"
#include "tendril/method.h"
#include "tendril/modes.h"
#include "tendril/state.h"

namespace tendril {

struct Model;  // src/model/model.h

class Method {
 public:
  virtual ~Method() = default;
  [[nodiscard]] virtual StepReport step(double time, double dt, const Live& live) = 0;  // from time to time + step_taken
  // Equilibrium, where claimed.
  [[nodiscard]] virtual StepReport relax(double time, double load_factor, const Live& live) = 0;
  // Everything but time and step; a frame that was used before keeps its storage.
  virtual void write(Frame& frame) const = 0;
  virtual void visit_state(StateArchive& archive) = 0;  // every changing value, once: saved, or loaded
  // The lowest natural modes about the equilibrium it stands in, where claimed (Feature::modes).
  virtual Checked<std::vector<NaturalMode>> modes(double /*time*/, double /*load_factor*/, int /*count*/) {
    return Problems{{Severity::error, "", "method", "finds no natural frequencies", "", ""}};
  }
};

struct MethodEntry {
  MethodInfo info;
  Problems (*check)(const Model& model, const Options& options);
  StepAdvice (*advise)(const Model& model, const Options& options);
  // Starts at model->initial.
  std::unique_ptr<Method> (*make)(std::shared_ptr<const Model> model, const Options& options, const Resources& resources);
};

// What `make` is for a method that is made of a model and its settings.
template <class M, class Settings>
std::unique_ptr<Method> make_method(std::shared_ptr<const Model> model, const Options& options, const Resources& resources) {
  Settings settings = Settings::from(options);
  settings.threads = resources.threads;
  return std::make_unique<M>(std::move(model), settings);
}

std::span<const MethodEntry> all_methods();  // explicit list, registry.cpp
const MethodEntry* find_method(std::string_view name);

}  // namespace tendril
