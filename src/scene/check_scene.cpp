#include "scene/check_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tendril {

void add_new_problems(Problems& problems, Problems more) {
  std::set<std::string> reported;
  for (const Problem& p : problems)
    if (!p.field.empty() && p.severity == Severity::error) reported.insert(p.field);
  const auto follows = [&reported](std::string field) {
    while (!field.empty()) {
      if (reported.count(field)) return true;
      const std::size_t cut = field.find_last_of(".[");
      field.resize(cut == std::string::npos ? 0 : cut);
    }
    return false;
  };
  const auto known = [&problems](const Problem& p) {
    return std::any_of(problems.begin(), problems.end(), [&p](const Problem& q) {
      return q.severity == p.severity && q.field == p.field && q.what == p.what;
    });
  };
  for (Problem& p : more)
    if (!follows(p.field) && !known(p)) problems.push_back(std::move(p));
}

void shorten(Problems& problems) {
  constexpr std::size_t most = 100;
  if (problems.size() <= most + 1) return;
  const Problems cut(problems.begin() + most, problems.end());
  problems.resize(most);
  problems.push_back(
      {has_errors(cut) ? Severity::error : Severity::warning, {}, {}, fmt::format("and {} more", cut.size()), {}, {}});
}

Problems check_all(const Scene& scene, std::span<const MethodEntry> methods) {
  Problems problems = check_fields(scene);
  Problems across = check_references(scene);
  const auto append = [&across](Problems more) { across.insert(across.end(), more.begin(), more.end()); };
  append(check_geometry(scene));
  append(check_drive(scene));
  append(check_obstacles(scene));
  append(check_bodies(scene));
  append(check_options(scene, methods));
  append(check_capability(scene, methods));
  add_new_problems(problems, std::move(across));
  return problems;
}

Problems check_scene(const Scene& scene, std::span<const MethodEntry> methods) {
  Problems problems = check_all(scene, methods);
  shorten(problems);
  return problems;
}

}  // namespace tendril
