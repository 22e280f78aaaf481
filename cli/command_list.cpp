#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/find_scene.h"
#include "cli/words.h"

namespace tendril::cli {
namespace {

std::string nouns(const FeatureSet& features) {
  std::vector<std::string> words;
  for (const FeatureInfo& info : all_features)
    if (features.has(info.feature)) words.emplace_back(info.noun);
  return joined(words);
}

void list_methods() {
  for (const MethodInfo& m : all_method_infos()) {
    fmt::print("{}: {}\n  {}\n  {}\n", m.name, m.title, m.paper, m.summary);
    if (m.can.moves()) fmt::print("  in motion: {}\n", nouns(m.can.motion));
    if (m.can.relaxes()) fmt::print("  in equilibrium: {}\n", nouns(m.can.equilibrium));
    for (const OptionInfo& o : m.options)
      fmt::print("  option {}{}: {}\n", o.name, o.unit.empty() ? "" : " [" + o.unit + "]", o.sentence);
  }
}

std::string first_sentence(const std::string& text) {
  const auto end = text.find(". ");
  std::string sentence = text.substr(0, end == std::string::npos ? end : end + 1);
  for (char& c : sentence)
    if (c == '\n') c = ' ';
  return sentence;
}

void list_scenes() {
  std::size_t width = 0;
  const std::vector<NamedScene> scenes = all_scenes();
  for (const NamedScene& s : scenes) width = std::max(width, s.name.size());
  for (const NamedScene& s : scenes) {
    const Checked<Scene> scene = read_scene_file(s.file);
    if (!scene) {
      fmt::print("{:<{}}  cannot be read: tendril check {}\n", printable(s.name), width, printable(s.name));
      continue;
    }
    fmt::print("{:<{}}  {}\n", s.name, width, printable(scene->title));
    if (!scene->about.empty()) fmt::print("{:<{}}  {}\n", "", width, printable(first_sentence(scene->about)));
  }
}

}  // namespace

int command_list(const ListArguments& a) {
  if (a.what == "methods") return list_methods(), fine;
  if (a.what == "scenes") return list_scenes(), fine;
  if (a.what == "scene-format") return fmt::print("{}", scene_format_manual(all_method_infos())), fine;
  if (a.what == "features") return fmt::print("{}", capability_table(all_method_infos())), fine;
  if (a.what == "schema") return fmt::print("{}", scene_json_schema(all_method_infos())), fine;
  fmt::print(stderr, "cannot list `{}`; {}\n", a.what,
             suggest(a.what, {"methods", "scenes", "experiments", "features", "scene-format", "schema"}));
  return bad_input;
}

}  // namespace tendril::cli
