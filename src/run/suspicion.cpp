#include "run/suspicion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tendril {
namespace {

std::string about_energy(const RunFigures& run) {
  if (run.jumped) return {};
  // The worse of the end and of all recorded times. A gain is never right; a loss is, where the scene asks for a scheme that loses.
  const double end = std::isnan(run.energy_error) ? 0 : run.energy_error;
  const double worst = std::isnan(run.worst_energy_error) ? 0 : run.worst_energy_error;
  const double gain = std::max({end, worst, run.worst_gain}), loss = -std::min(end, worst);
  if (gain > max_energy_error)
    return fmt::format("{:.0f} % of its energy came from nowhere; take a smaller time.step", 100 * gain);
  if (loss > max_energy_error && run.lossy.empty())
    return fmt::format("{:.0f} % of its energy was lost by the computation; take a smaller time.step", 100 * loss);
  return {};
}

}  // namespace

std::string suspicion(const RunFigures& run) {
  if (run.mode != Mode::dynamics) return {};
  std::string why;
  const double steps = static_cast<double>(std::max<std::int64_t>(run.steps, 1));
  if (run.retries > few_retries && run.retries > few_retries_share * steps)
    why = fmt::format(
        "steps failed and were taken again with half their size, {} times in {} steps; take a smaller time.step (step = "
        "\"auto\" takes a stable one)",
        run.retries, run.steps);
  const std::string energy = about_energy(run);
  if (!why.empty() && !energy.empty()) why += "; ";
  return why + energy;
}

std::string sudden_clamp(const Scene& scene) {
  const auto jerks = [](const auto& table) { return table.keys.size() > 1 && table.shape != TimetableShape::smooth; };
  for (const Clamp& clamp : scene.clamps)
    if (clamp.from > 0 || jerks(clamp.move) || jerks(clamp.turn)) return "clamp " + clamp.name;
  return {};
}

std::string lossy_choice(const Scene& scene, const MethodInfo& method) {
  const auto table = scene.options.find(method.name);
  if (table == scene.options.end()) return {};
  for (const OptionInfo& info : method.options) {
    const auto given = table->second.find(info.name);
    if (given == table->second.end()) continue;
    const auto* word = std::get_if<std::string>(&given->second);
    if (word != nullptr && std::find(info.lossy.begin(), info.lossy.end(), *word) != info.lossy.end())
      return fmt::format("{} = \"{}\"", info.name, *word);
  }
  return {};
}

}  // namespace tendril
