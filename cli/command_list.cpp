#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/find_scene.h"
#include "cli/words.h"

namespace tendril::cli {
namespace {

std::string capabilities(const Capability& can) {
  std::vector<std::string> words;
  const auto add = [&words](bool yes, const char* word) {
    if (yes) words.emplace_back(word);
  };
  add(can.inertia, "dynamics"), add(can.statics, "statics"), add(can.stretch, "stretch"),
      add(can.anisotropic, "anisotropic sections");
  add(can.rest_curvature, "natural curvature"), add(can.ring, "rings"), add(can.joints, "joints");
  add(can.follower_loads, "follower loads"), add(can.drag, "drag and wind"), add(can.damping, "damping"),
      add(can.winch, "winches");
  add(can.stability, "stability"), add(can.contact != Support::none, "contact"),
      add(can.bodies != Support::none, "rigid bodies");
  return joined(words);
}

void list_methods() {
  for (const MethodEntry& m : all_methods()) {
    fmt::print("{}: {}\n  {}\n  {}\n  can: {}\n", m.info.name, m.info.title, m.info.paper, m.info.summary,
               capabilities(m.info.can));
    for (const OptionInfo& o : m.info.options)
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
      fmt::print("{:<{}}  cannot be read: tendril check {}\n", s.name, width, s.name);
      continue;
    }
    fmt::print("{:<{}}  {}\n", s.name, width, scene->title);
    if (!scene->about.empty()) fmt::print("{:<{}}  {}\n", "", width, first_sentence(scene->about));
  }
}

}  // namespace

int command_list(const ListArguments& a) {
  if (a.what == "methods") return list_methods(), fine;
  if (a.what == "scenes") return list_scenes(), fine;
  if (a.what == "scene-format") return fmt::print("{}", scene_format_manual()), fine;
  if (a.what == "schema") return fmt::print("{}\n", scene_json_schema()), fine;
  fmt::print(stderr, "cannot list `{}`; {}\n", a.what,
             suggest(a.what, {"methods", "scenes", "experiments", "scene-format", "schema"}));
  return bad_input;
}

}  // namespace tendril::cli
