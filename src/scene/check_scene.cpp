#include "scene/check_scene.h"

#include <fmt/format.h>

#include <set>

namespace tendril {

void add_independent(Problems& problems, Problems more) {
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
  for (Problem& p : more)
    if (!follows(p.field)) problems.push_back(std::move(p));
}

void shorten(Problems& problems) {
  constexpr std::size_t most = 100;
  if (problems.size() <= most + 1) return;
  const Problems cut(problems.begin() + most, problems.end());
  problems.resize(most);
  problems.push_back(
      {has_errors(cut) ? Severity::error : Severity::warning, {}, {}, fmt::format("and {} more", cut.size()), {}, {}});
}

Problems check_values(const Scene& scene) {
  Problems problems = check_fields(scene);
  Problems across = check_references(scene);
  const auto append = [&across](Problems more) { across.insert(across.end(), more.begin(), more.end()); };
  append(check_geometry(scene));
  append(check_drive(scene));
  append(check_obstacles(scene));
  append(check_bodies(scene));
  append(check_ropes(scene));
  append(check_tresses(scene));
  add_independent(problems, std::move(across));
  return problems;
}

Problems check_scene(const Scene& scene, std::span<const MethodInfo> methods) {
  Problems problems = check_values(scene);
  Problems of_method = check_options(scene, methods);
  for (Problem& p : check_capability(scene, methods)) of_method.push_back(std::move(p));
  add_independent(problems, std::move(of_method));
  shorten(problems);
  return problems;
}

}  // namespace tendril
