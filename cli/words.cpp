#include "cli/words.h"

#include <cmath>

namespace tendril::cli {
namespace {

// "x [m]": m; "[J]": J; "w [1]": none.
std::string unit_of(const std::string& column) {
  const std::size_t open = column.find('['), close = column.rfind(']');
  const std::string unit = column.substr(open + 1, close - open - 1);
  return unit == "1" ? "" : " " + unit;
}

}  // namespace

std::string short_number(double value) {
  std::string text = fmt::format("{:.2g}", value);
  for (const char* power : {"e-0", "e+0"})
    if (const std::size_t at = text.find(power); at != std::string::npos) text.erase(at + 2, 1);
  return text;
}

std::vector<std::string> solver_lines(const RunReport& r) {
  std::string line = fmt::format("solver: residual {} ({} iterations), length error {}, ", short_number(r.worst_residual),
                                 r.worst_iterations, short_number(r.worst_length_error));
  line += r.retries == 0 ? "no step retried" : fmt::format("{} steps retried with half the size", r.retries);
  if (std::isfinite(r.energy_error)) line += "; energy error " + percent_text(r.energy_error);
  std::vector<std::string> lines{line};
  if (r.max_contacts > 0)
    lines.push_back(fmt::format("contact: at most {} at once, deepest overlap {} of the radius", r.max_contacts,
                                percent_text(r.worst_penetration)));
  return lines;
}

std::vector<std::string> energy_lines(const RunReport& r, const EnergyFlow& flow) {
  if (!std::isfinite(r.energy_error)) return {};
  // Terms below the last digit of the error are as good as none.
  const double least = 1e-6 * r.last.energy_scale;
  std::vector<std::string> works, losses;
  int part = 0;
  for_each_component(flow, [&](const char* name, double value) {
    std::vector<std::string>& list = part++ < works_of_flow ? works : losses;
    if (std::abs(value) > least) list.push_back(fmt::format("{} {} J", name, short_number(value)));
  });
  std::string text;
  if (!works.empty()) text = "work done on rods and bodies by " + joined(works);
  if (!losses.empty()) text += (text.empty() ? "energy taken by " : "; taken by ") + joined(losses);
  return text.empty() ? std::vector<std::string>{} : std::vector<std::string>{text};
}

std::string verdict_line(const Verdict& verdict, const std::string& method) {
  std::string line = "the last equilibrium is " + to_text(verdict);
  if (verdict.unstable == 0) return line;
  const MethodInfo* info = find_method_info(method);
  for (std::size_t i = 0; info != nullptr && i < info->options.size(); ++i)
    if (info->options[i].name == "seek_minimum")
      return line + fmt::format("; options.{}.seek_minimum = true leaves it for one that is", method);
  return line + "; a start with a little initial_noise may lead to one that is";
}

std::vector<std::string> probe_lines(const RunReport& r, const Scene& scene) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < r.last.probes.size(); ++i) {
    const ProbeValue& probe = r.last.probes[i];
    const std::vector<std::string> columns = probe_columns(scene.probes[i].quantity);
    lines.push_back(fmt::format("{}{}: {}{}", probe.name,
                                scene.time.mode == Mode::statics ? "" : fmt::format(" at t = {:.6g} s", r.time),
                                joined(probe.value, 6), columns.empty() ? "" : unit_of(columns[0])));
  }
  return lines;
}

}  // namespace tendril::cli
