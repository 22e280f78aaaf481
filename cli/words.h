// Lists of values as text. Not fmt::join: g++ 12 warns inside it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

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

}  // namespace tendril::cli
