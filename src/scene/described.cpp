#include "scene/described.h"

#include "scene/describe_scene.h"

namespace tendril::scene_detail {

Value described_scene(Scene& scene) { return described(scene); }

std::vector<std::string> names_of(std::span<const Word> words) {
  std::vector<std::string> names;
  for (const Word& w : words) names.emplace_back(w.name);
  return names;
}

std::string kind_text(const Type& type) {
  switch (type.kind) {
    case Kind::number:
      return "a number";
    case Kind::whole:
      return "a whole number";
    case Kind::flag:
      return "true or false";
    case Kind::text:
      return "text in quotes";
    case Kind::word:
      return "a word in quotes";
    case Kind::vector:
      return type.count(nullptr) == 2 ? "two numbers [x, y]" : "three numbers [x, y, z]";
    case Kind::optional:
      return kind_text(*type.item);
    case Kind::list:
      return "a list [...] of " + kind_text(*type.item);
    default:
      return "a table { ... }";
  }
}

}  // namespace tendril::scene_detail
