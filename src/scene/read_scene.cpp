// TOML text -> Scene, with every problem at once.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "scene/check_scene.h"
#include "scene/curve_file.h"
#include "scene/key_depth.h"
#include "scene/mesh_file.h"
#include "scene/reader.h"
#include "scene/text_file.h"
#include "tendril/simulate.h"

namespace tendril {
namespace {

constexpr std::uintmax_t max_scene_bytes = 16 << 20;  // toml++ needs 16 s and 1.6 GB for 75 MB

Problems one_error(std::string where, std::string what, std::string allowed, std::string remedy) {
  return {{Severity::error, std::move(where), {}, std::move(what), std::move(allowed), std::move(remedy)}};
}

std::string line_of(std::string_view text, std::size_t line) {
  for (std::size_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return std::string(text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 60)));
}

Problems syntax_error(const toml::parse_error& error, std::string_view text, const std::string& file) {
  const toml::source_position at = error.source().begin;
  const std::string line = line_of(text, at.line);
  return one_error(file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column),
                   "not valid TOML: " + std::string(error.description()), {},
                   line.empty() ? "reading stopped here" : "reading stopped in the line `" + line + "`");
}

template <class T>
void name_unnamed(std::vector<T>& items, const char* kind) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].name.empty()) items[i].name = kind + std::to_string(i + 1);
}

// "scene.toml:12:9" -> (12, 9), for sorting.
std::pair<int, int> position_of(const Problem& problem, const std::string& file) {
  int line = 0, column = 0;
  if (problem.where.size() > file.size() && problem.where.compare(0, file.size(), file) == 0)
    std::sscanf(problem.where.c_str() + file.size(), ":%d:%d", &line, &column);
  return {line, column};
}

}  // namespace

Checked<Scene> read_scene(std::string_view text, std::string_view file_name) {
  const std::string file(file_name);
  if (text.find('\0') != std::string_view::npos)
    return one_error(file, "is a binary file", "must be text (TOML)", "a scene is described in docs/scene_format.md");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return one_error(file, "is empty", "must hold at least one [[rod]]", "a first scene stands in docs/scene_format.md");
  if (const std::size_t line = scene_detail::line_of_deep_key(text))
    return one_error(file + ":" + std::to_string(line), "a key has too many parts",
                     "must be at most " + std::to_string(scene_detail::max_key_parts) + " names with dots between them",
                     "a scene is described in docs/scene_format.md");
  toml::table table;
  try {
    table = toml::parse(text, file_name);
  } catch (const toml::parse_error& error) {
    return syntax_error(error, text, file);
  }
  Scene scene;
  Problems problems;
  scene.source.file = file;
  scene_detail::Reader reader(scene.source, problems);
  reader.read_table(table, "", scene_detail::described_scene(scene));
  name_unnamed(scene.rods, "rod");
  name_unnamed(scene.clamps, "clamp");
  name_unnamed(scene.bodies, "body");
  name_unnamed(scene.couplings, "coupling");
  name_unnamed(scene.joints, "joint");
  name_unnamed(scene.winches, "winch");
  name_unnamed(scene.reevings, "reeving");
  name_unnamed(scene.tresses, "tress");
  name_unnamed(scene.obstacles, "obstacle");
  name_unnamed(scene.probes, "probe");
  load_curve_files(scene, problems);
  load_mesh_files(scene, problems);
  if (!has_errors(problems)) return Checked<Scene>(std::move(scene), std::move(problems));
  // The text is wrong, so that nobody will check the values: what is wrong with them is shown together with it.
  add_independent(problems, check_values(scene));
  std::stable_sort(problems.begin(), problems.end(),
                   [&file](const Problem& a, const Problem& b) { return position_of(a, file) < position_of(b, file); });
  shorten(problems);
  return problems;
}

Checked<Scene> read_scene_file(const std::filesystem::path& file) {
  Problems problems;
  const std::string shown = file.string();
  if (!is_plain_file(file, shown, "", max_scene_bytes,
                     "long curves belong in a CSV file: rest = { polyline = { file = \"curve.csv\" } }", problems))
    return problems;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (std::filesystem::file_size(file) > 0) text << stream.rdbuf();
  if (!stream.good() && !stream.eof()) return one_error(shown, "cannot be read to its end", {}, {});
  return read_scene(text.str(), shown);
}

}  // namespace tendril
