#include "validation/experiment.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace tendril {

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
