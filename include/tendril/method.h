// One published method behind a handful of functions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/frame.h"
#include "tendril/live.h"
#include "tendril/options.h"
#include "tendril/problem.h"
#include "tendril/state.h"

namespace tendril {

struct Model;  // src/model/model.h

class Method {
 public:
  virtual ~Method() = default;
  virtual StepReport step(double time, double dt, const Live& live) = 0;            // from time to time + step_taken
  virtual StepReport relax(double time, double load_factor, const Live& live) = 0;  // equilibrium, where claimed
  virtual void write(Frame& frame) const = 0;
  virtual void reactions(std::span<Wrench> at_clamps) const = 0;  // what each clamp exerts on the rod, at its node
  virtual void save(StateWriter& writer) const = 0;
  virtual void load(StateReader& reader) = 0;
};

enum class Support : std::uint8_t { none, partial, full };
struct Capability {
  bool inertia = false, statics = false, stretch = false, anisotropic = false, rest_curvature = false, ring = false;
  bool joints = false, follower_loads = false, drag = false, damping = false, winch = false, varying_nodes = false;
  bool stability = false;
  bool coupling = false, angular_coupling = false;          // springs that pull a point, that turn it; hands too
  Support contact = Support::none, bodies = Support::none;  // partial: in motion only
  bool hold_position = false, hold_direction = false, hold_twist = false, hold_inside = false;
  bool shear = false, stiffening = false, line_moments = false, sliding_clamps = false, switched_joints = false;
  int fewest_edges = 1;
};

struct StepAdvice {
  double stable = 0;   // [s] largest step that is expected to stay stable; 0: not limited
  double advised = 0;  // [s] what step = "auto" uses
  std::string reason;  // what limits it
};

struct MethodInfo {
  std::string name, title, paper, summary;
  Capability can;
  std::vector<OptionInfo> options;
};
struct MethodEntry {
  MethodInfo info;
  Problems (*check)(const Model& model, const Options& options);
  StepAdvice (*advise)(const Model& model, const Options& options);
  std::unique_ptr<Method> (*make)(std::shared_ptr<const Model> model, const Options& options);  // starts at model->initial
};
std::span<const MethodEntry> all_methods();  // explicit list, src/methods/registry.cpp
const MethodEntry* find_method(std::string_view name);

}  // namespace tendril
