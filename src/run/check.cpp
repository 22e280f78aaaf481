#include "run/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "model/checks.h"
#include "run/check_contact.h"
#include "run/far_away.h"
#include "run/plausibility.h"
#include "run/start_from.h"
#include "scene/check_scene.h"

namespace tendril {
namespace {

std::span<const MethodInfo> methods_with(const MethodEntry& method) {
  const std::span<const MethodEntry> all = all_methods();
  const bool listed =
      !all.empty() && std::less_equal<>()(all.data(), &method) && std::less<>()(&method, all.data() + all.size());
  return listed ? all_method_infos() : std::span<const MethodInfo>(&method.info, 1);
}

OptionTable table_of(const Scene& scene, const std::string& method) {
  const auto found = scene.options.find(method);
  return found == scene.options.end() ? OptionTable{} : found->second;
}

void choose_step(const Scene& scene, Examined& examined) {
  const double frame_interval = 1 / scene.time.frames_per_second;
  const StepAdvice& advice = examined.advice;
  if (!scene.time.step) {
    examined.step_size = advice.advised > 0 ? advice.advised : frame_interval;
    return;
  }
  examined.step_size = *scene.time.step;
  // Too long a step gives a wrong shape that looks like one: only who says so gets it.
  if (scene.time.mode == Mode::dynamics && advice.stable > 0 && *scene.time.step > advice.stable * (1 + 1e-9))
    examined.problems.push_back({scene.time.allow_unstable ? Severity::warning : Severity::error, "", "time.step",
                                 fmt::format("got {:.4g} s", *scene.time.step),
                                 fmt::format("stable up to {:.4g} s ({})", advice.stable, advice.reason),
                                 fmt::format("take {:.4g} or \"auto\"", advice.advised) +
                                     (scene.time.allow_unstable ? "" : "; allow_unstable = true runs it all the same")});
}

// More than anybody waits for; beyond it counters would overflow.
void check_patience(const Scene& scene, Examined& examined) {
  constexpr double max_steps = 1e13, max_frames = 1e9;
  const double steps = scene.time.duration / examined.step_size, frames = scene.time.duration * scene.time.frames_per_second;
  if (scene.time.mode == Mode::dynamics && !(steps <= max_steps))
    examined.problems.push_back(
        {Severity::error, "", "time.step", fmt::format("got {:.4g} s, which makes {:.3g} steps", examined.step_size, steps),
         fmt::format("at most {:.0e} steps", max_steps), "take a longer step or a shorter duration"});
  if (!(frames <= max_frames))
    examined.problems.push_back({Severity::error, "", "time.frames_per_second", fmt::format("makes {:.3g} frames", frames),
                                 fmt::format("at most {:.0e} frames", max_frames), "take fewer frames per second"});
}

}  // namespace

std::string methods_that_can(Feature feature) {
  std::string names;
  for (const MethodEntry& method : all_methods())
    if (method.info.can.any(feature)) names += (names.empty() ? "" : ", ") + method.info.name;
  return names.empty() ? "no method can" : "methods that can: " + names;
}

Examined examine(const Scene& scene, const MethodEntry& method) {
  Examined out;
  const auto add = [&out](Problems more) {
    out.problems.insert(out.problems.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  // The scene by itself, then its model, then what the method and the run make of the model.
  add(check_scene(scene, methods_with(method)));
  if (!has_errors(out.problems)) {
    Checked<Model> model = build_model(scene);
    add(model.problems());
    if (model && !scene.start_from.empty()) add(take_start(scene, *model));
    if (model) out.model = std::make_shared<const Model>(std::move(*model));
  }
  if (out.model && !has_errors(out.problems)) add(check_far(*out.model));
  if (out.model && !has_errors(out.problems)) {
    out.options.emplace(method.info.options, table_of(scene, method.info.name));
    add(method.check(*out.model, *out.options));
    add(check_reach(*out.model));
    add(check_slack(*out.model, scene.time.mode == Mode::dynamics));
    if (scene.time.mode == Mode::dynamics) add(check_start(*out.model));
    add(check_fold(*out.model));
    add(check_overlap(*out.model));
    add(check_plausible(scene, *out.model));
  }
  if (out.model && !has_errors(out.problems)) {
    out.advice = method.advise(*out.model, *out.options);
    choose_step(scene, out);
    check_patience(scene, out);
    add(check_speed(*out.model, out.step_size));
    if (scene.time.mode == Mode::dynamics && !(out.step_size > 0 && std::isfinite(out.step_size)))
      out.problems.push_back({Severity::error, "", "time.step", fmt::format("the advised step is {} s", out.step_size), "",
                              "look at stiffness and mass, or give a step of your own"});
  }
  for (Problem& problem : out.problems)
    if (problem.where.empty()) problem.where = locate(scene, problem.field);
  return out;
}

Problems check(const Scene& scene) {
  if (const MethodEntry* method = find_method(scene.method)) return examine(scene, *method).problems;
  return check_scene(scene, all_method_infos());  // says that there is no such method
}

}  // namespace tendril
