#include "validation/experiment.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include <fstream>
#include <stdexcept>

namespace tendril {

Check relative_check(std::string name, double target, double result, double tolerance) {
  const double error = std::abs(result - target) / std::abs(target);
  return {std::move(name), target, result, error, tolerance, error <= tolerance};
}
Check absolute_check(std::string name, double target, double result, double tolerance) {
  const double error = std::abs(result - target);
  return {std::move(name), target, result, error, tolerance, error <= tolerance};
}
Check bound_check(std::string name, double result, double bound) {
  return absolute_check(std::move(name), 0, result, bound);
}
Check at_least(std::string name, double bound, double result) {
  return {std::move(name), bound, result, std::max(0.0, bound - result), 0, result >= bound};
}
Check at_most(std::string name, double bound, double result) {
  return {std::move(name), bound, result, std::max(0.0, result - bound), 0, result <= bound};
}

void ExperimentContext::write_csv(const std::string& name, const std::vector<std::string>& head,
                                  const std::vector<std::vector<double>>& rows) {
  std::filesystem::create_directories(folder_);
  const std::filesystem::path file = folder_ / (name + ".csv");
  std::ofstream out(file);
  for (std::size_t i = 0; i < head.size(); ++i) out << (i == 0 ? "" : ",") << head[i];
  out << "\n";
  for (const std::vector<double>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out << (i == 0 ? "" : ",") << fmt::format("{}", row[i]);
    out << "\n";
  }
  out.flush();
  if (!out) throw std::runtime_error(file.string() + ": could not write the figure data");
}

}  // namespace tendril
