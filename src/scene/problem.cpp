#include "tendril/problem.h"

#include <algorithm>

namespace tendril {

std::string to_text(const Problem& problem) {
  std::string text;
  const auto begin_with = [&text](const std::string& part) {
    if (!part.empty()) text += part + ": ";
  };
  begin_with(problem.where);
  if (problem.severity == Severity::warning) text += "warning: ";
  if (problem.severity == Severity::note) text += "note: ";
  begin_with(problem.field);
  text += problem.what;
  if (!problem.allowed.empty()) text += ", " + problem.allowed;
  if (!problem.remedy.empty()) text += "; " + problem.remedy;
  return text;
}

std::string to_text(const Problems& problems) {
  std::string text;
  for (const Problem& p : problems) text += to_text(p) + "\n";
  return text;
}

bool has_errors(const Problems& problems) {
  return std::any_of(problems.begin(), problems.end(), [](const Problem& p) { return p.severity == Severity::error; });
}

}  // namespace tendril
