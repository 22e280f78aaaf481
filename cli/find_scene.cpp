#include "cli/find_scene.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "cli/clone_scenes.h"

namespace tendril::cli {
namespace fs = std::filesystem;
namespace {

Problems one_problem(std::string what, std::string remedy) {
  Problem problem;
  problem.what = std::move(what);
  problem.remedy = std::move(remedy);
  return {problem};
}

// "did you mean": a scene file in the folder of `word`, or a scene by name where a file of that name was meant.
std::string nearest_file(const fs::path& word, const std::vector<std::string>& names) {
  std::vector<std::string> files;
  std::error_code error;
  const fs::path folder = word.has_parent_path() ? word.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && files.size() < 1000;
       entry.increment(error))
    if (entry->path().extension() == ".toml")
      files.push_back(word.has_parent_path() ? entry->path().string() : entry->path().filename().string());
  const std::string here = did_you_mean(word.string(), files);
  return here.empty() && !word.has_parent_path() ? did_you_mean(word.stem().string(), names) : here;
}

Checked<fs::path> find_file(const std::string& word) {
  std::error_code ignored;
  if (fs::is_regular_file(word, ignored)) return fs::path(word);
  std::vector<std::string> names;
  for (const NamedScene& scene : all_scenes()) {
    if (scene.name == word || scene.file.filename() == word) return scene.file;
    names.push_back(scene.name);
  }
  if (fs::exists(word, ignored)) return fs::path(word);  // a folder or a device: the reader says what is wrong with it
  if (word.find_first_of("/.") == std::string::npos)
    return one_problem(fmt::format("there is no scene `{}`", word), suggest(word, names));
  const std::string nearest = nearest_file(word, names);
  return one_problem(fmt::format("there is no such file: `{}`", word),
                     nearest.empty() ? "give a file that exists, or a name from `tendril list scenes`" : nearest);
}

// The scenes that came with the program: installed beside it wherever that is now (PREFIX/bin, PREFIX/share), else those of the
// source tree that it was built from.
fs::path own_scenes() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = (program.parent_path() / "../share/tendril/scenes").lexically_normal();
  return !error && fs::is_directory(installed, error) ? installed : fs::path(clone_scenes());
}

}  // namespace

std::vector<NamedScene> all_scenes() {
  std::map<std::string, fs::path> found;
  const auto look_in = [&found](const fs::path& folder) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().extension() == ".toml") found.emplace(entry.path().stem().string(), entry.path());
  };
  if (const char* own = std::getenv("TENDRIL_SCENES_DIR")) look_in(own);
  look_in(own_scenes());
  std::vector<NamedScene> scenes;
  for (auto& [name, file] : found) scenes.push_back({name, file});
  return scenes;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& entry : all_method_infos()) names.push_back(entry.name);
  return names;
}

std::string scene_name(const std::string& word) {
  const std::string stem = fs::path(word).stem().string();
  return stem.empty() ? "scene" : stem;
}

Checked<Scene> load_scene(const SceneChoice& choice) {
  if (!choice.method.empty() && find_method_info(choice.method) == nullptr)
    return one_problem(fmt::format("there is no method `{}`", choice.method), suggest(choice.method, method_names()));
  const Checked<fs::path> file = find_file(choice.word);
  if (!file) return file.problems();
  Checked<Scene> scene = read_scene_file(*file);
  if (!scene) return scene;
  Problems problems = scene.problems();
  for (const std::string& set : choice.sets) {
    const auto equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      for (Problem& p :
           one_problem(fmt::format("--set {}: this is not path=value", set), "for example --set rod.beam.segments=100"))
        problems.push_back(std::move(p));
      continue;
    }
    for (Problem& p : set_field(*scene, std::string_view(set).substr(0, equals), std::string_view(set).substr(equals + 1)))
      problems.push_back(std::move(p));
  }
  if (!choice.method.empty()) scene->method = choice.method;
  if (has_errors(problems)) return problems;
  return Checked<Scene>(std::move(*scene), std::move(problems));
}

}  // namespace tendril::cli
