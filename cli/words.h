// Lists of values as text (not fmt::join: g++ 12 warns inside it), and what a run reports, for the screen and for run.log.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tendril/simulate.h"

namespace tendril::cli {

inline std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}
inline std::string joined(const std::vector<double>& values, int digits) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + fmt::format("{:.{}g}", value, digits);
  return text;
}

std::string short_number(double value);  // two digits: 1e-8, not 1e-08
// "solver: residual 1e-8 (4 iterations), length error 5e-9, no step retried; energy error 0.3 %"; and of contacts, where there were any.
std::vector<std::string> solver_lines(const RunReport& report);
// "work done on rods and bodies by clamps 2.1 J; taken by damping 0.3 J"; none where nothing went in or out.
std::vector<std::string> energy_lines(const RunReport& report, const EnergyFlow& flow);
// "the last equilibrium is a minimum of the energy"; where it is not, with what may lead away from it.
std::string verdict_line(const Verdict& verdict, const std::string& method);
// "tip at t = 2 s: 0.69, 0, -0.63 m", one line per probe.
std::vector<std::string> probe_lines(const RunReport& report, const Scene& scene);

}  // namespace tendril::cli
