#include "scene/number_at.h"

#include <toml++/toml.h>

#include <charconv>

#include "tendril/simulate.h"

namespace tendril {
namespace {

// The element of a list of tables whose `name` this is.
const toml::node* named_element(const toml::array& list, std::string_view name) {
  for (const toml::node& item : list) {
    const toml::table* table = item.as_table();
    if (table != nullptr && (*table)["name"].value<std::string_view>() == name) return &item;
  }
  return nullptr;
}

}  // namespace

// By the scene's own text, which holds every value that is not a default.
std::optional<double> number_at(const Scene& scene, std::string_view path) {
  toml::table table;
  try {
    table = toml::parse(write_scene(scene));
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
  const toml::node* here = &table;
  while (!path.empty() && here != nullptr) {
    if (path[0] == '[') {
      std::size_t index = 0;
      const std::size_t end = std::min(path.find(']'), path.size() - 1);
      const auto read = std::from_chars(path.data() + 1, path.data() + end, index);
      const toml::array* list = here->as_array();
      if (read.ptr != path.data() + end || list == nullptr || index >= list->size()) return std::nullopt;
      here = list->get(index);
      path.remove_prefix(end + 1);
    } else {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      const std::string_view word = path.substr(0, end);
      if (const toml::array* list = here->as_array())
        here = named_element(*list, word);
      else
        here = here->is_table() ? here->as_table()->get(word) : nullptr;
      path.remove_prefix(end);
    }
    if (!path.empty() && path[0] == '.') path.remove_prefix(1);
  }
  return here != nullptr ? here->value<double>() : std::nullopt;
}

}  // namespace tendril
