#include "cli/scene_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tendril::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t max_picture_bytes = 8 << 20;

SceneOffer offer_of(const std::string& name, const Checked<Scene>& scene) {
  if (!scene) return {name, name, fmt::format("It cannot be read: tendril check {}", name), ""};
  return {name, scene->title.empty() ? name : scene->title, scene->about, scene->method};
}

Checked<Scene> read_offered(const std::vector<NamedScene>& scenes, const std::string& name) {
  std::vector<std::string> names;
  for (const NamedScene& scene : scenes) {
    if (scene.name == name) return read_scene_file(scene.file);
    names.push_back(scene.name);
  }
  Problem problem;
  problem.what = fmt::format("there is no scene `{}`", name);
  problem.remedy = suggest(name, names);
  return Problems{problem};
}

}  // namespace

SceneSource scene_source(const std::optional<SceneChoice>& chosen) {
  SceneSource source;
  const std::vector<NamedScene> scenes = all_scenes();
  const std::string own = chosen ? scene_name(chosen->word) : std::string();
  for (const NamedScene& scene : scenes)
    if (scene.name != own) source.offers.push_back(offer_of(scene.name, read_scene_file(scene.file)));
  if (chosen) source.offers.push_back(offer_of(own, load_scene(*chosen)));
  std::sort(source.offers.begin(), source.offers.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  source.read = [scenes, chosen, own](const std::string& name) {
    return chosen && name == own ? load_scene(*chosen) : read_offered(scenes, name);
  };
  return source;
}

std::optional<std::string> scene_picture(std::string_view path) {
  constexpr std::string_view folder = "picture/", ending = ".png";
  if (!path.starts_with(folder) || !path.ends_with(ending) || path.size() < folder.size() + ending.size())
    return std::nullopt;
  const std::string_view name = path.substr(folder.size(), path.size() - folder.size() - ending.size());
  for (const NamedScene& scene : all_scenes()) {
    if (scene.name != name) continue;
    const fs::path file = fs::path(scene.file).replace_extension(".png");
    std::error_code error;
    if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > max_picture_bytes) return std::nullopt;
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return std::move(bytes).str();
  }
  return std::nullopt;
}

}  // namespace tendril::cli
