// From a word on the command line to a Scene.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tendril/simulate.h"

namespace tendril::cli {

struct SceneChoice {
  std::string word;               // a file, or the name of one in a scenes folder
  std::string method;             // empty: the scene's
  std::vector<std::string> sets;  // "path=value"
};
Checked<Scene> load_scene(const SceneChoice& choice);
std::string scene_name(const std::string& word);  // "cantilever" for "scenes/cantilever.toml"

struct NamedScene {
  std::string name;
  std::filesystem::path file;
};
std::vector<NamedScene> all_scenes();  // by name; those of TENDRIL_SCENES_DIR hide the program's own

std::vector<std::string> method_names();

}  // namespace tendril::cli
