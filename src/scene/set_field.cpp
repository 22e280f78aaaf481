// --set PATH=VALUE: walks the descriptions along the path, then lets the reader read the value there.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "scene/check_scene.h"
#include "scene/curve_file.h"
#include "scene/key_depth.h"
#include "scene/mesh_file.h"
#include "scene/reader.h"
#include "scene/write_value.h"
#include "tendril/simulate.h"

namespace tendril {
namespace {
using namespace scene_detail;

struct Step {
  std::string text;
  std::optional<std::size_t> index;  // of [3]
};

// rod.beam.segments, rod[0].segments, material."a name".density; none when it is not a path.
std::optional<std::vector<Step>> split(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    // An index in brackets, or a name up to the next dot or bracket.
    if (path[0] == '[') {
      const std::size_t end = path.find(']');
      if (end == std::string_view::npos) return std::nullopt;
      std::size_t index = 0;
      const auto result = std::from_chars(path.data() + 1, path.data() + end, index);
      if (result.ec != std::errc() || result.ptr != path.data() + end) return std::nullopt;
      steps.push_back({std::string(path.substr(0, end + 1)), index});
      path.remove_prefix(end + 1);
    } else {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      if (end == 0) return std::nullopt;
      steps.push_back({std::string(path.substr(0, end)), std::nullopt});
      path.remove_prefix(end);
    }
    if (path.empty() || path[0] == '[') continue;
    if (path[0] != '.' || path.size() == 1) return std::nullopt;
    path.remove_prefix(1);
  }
  if (steps.empty()) return std::nullopt;
  return steps;
}

// The value as TOML; a bare word is text.
toml::table parse_value(std::string_view text) {
  if (line_of_deep_key(text) != 0) return toml::table{{"value", std::string(text)}};
  try {
    toml::table table = toml::parse("value = " + std::string(text));
    if (table.size() == 1) return table;  // more: a line break smuggled in another key
  } catch (const toml::parse_error&) {
  }
  return toml::table{{"value", std::string(text)}};
}

class Setter {
 public:
  Setter(std::vector<Step> steps, std::string_view text, SourceMap& source, Problems& problems)
      : steps_(std::move(steps)), text_(text), source_(source), problems_(problems), reader_(source, problems, "--set") {
    const toml::table table = parse_value(text);
    value_ = table;
  }

  void set(const Field& f, Value value, std::size_t depth, const std::string& path);
  void set_in_table(Value value, std::size_t depth, const std::string& path);
  void set_in_named(Value items, std::size_t depth, const std::string& path);

  std::string path_set;  // with indices, once found

 private:
  bool at_end(std::size_t depth) const { return depth == steps_.size(); }
  const toml::node& node() const { return *value_.get("value"); }
  void refuse(const std::string& path, std::string what, std::string remedy) {
    problems_.push_back({Severity::error, "--set", path, std::move(what), {}, std::move(remedy)});
  }
  void arrive(const std::string& path) {
    path_set = path;
    std::erase_if(source_.places, [&path](const auto& place) {  // what stood below is replaced
      return place.first.size() > path.size() && place.first.compare(0, path.size(), path) == 0 &&
             (place.first[path.size()] == '.' || place.first[path.size()] == '[');
    });
  }
  void assign(const Field& f, Value value, const std::string& path);
  void set_in_list(const Field& f, Value items, std::size_t depth, const std::string& path);
  void set_in_choice(Value value, std::size_t depth, const std::string& path, bool was_empty);
  void set_option(OptionTables& tables, std::size_t depth, const std::string& path);

  std::vector<Step> steps_;
  std::string text_;
  SourceMap& source_;
  Problems& problems_;
  Reader reader_;
  toml::table value_;
};

// Finds the one field the path names.
class FieldFinder : public Describer {
 public:
  FieldFinder(Setter& setter, const Step& step, std::size_t depth, const std::string& path)
      : setter_(setter), step_(step), depth_(depth), path_(path) {}
  std::vector<std::string> known;
  bool found = false;

 protected:
  void field(const Field& f, Value value) override {
    known.emplace_back(f.name);
    if (step_.index || step_.text != f.name) return;
    found = true;
    setter_.set(f, value, depth_ + 1, joined(path_, f.name));
  }
  void plain(const Field& f, Value value) override {
    found = true;
    setter_.set(f, value, depth_, path_);
  }
  void named(const Field& f, Value items) override {
    known.emplace_back(f.name);
    if (step_.index || step_.text != f.name) return;
    found = true;
    setter_.set_in_named(items, depth_ + 1, joined(path_, f.name));
  }

 private:
  Setter& setter_;
  const Step& step_;
  std::size_t depth_;
  const std::string& path_;
};

void Setter::assign(const Field& f, Value value, const std::string& path) {
  arrive(path);
  const bool wants_text = value.kind() == Kind::text || value.kind() == Kind::word;
  if (wants_text && !node().is_string()) value_.insert_or_assign("value", text_);
  reader_.read(node(), path, f, value);
}

void Setter::set(const Field& f, Value value, std::size_t depth, const std::string& path) {
  if (at_end(depth)) return assign(f, value, path);
  const Step& step = steps_[depth];
  if (value.kind() == Kind::timetable) reader_.unit_of_keys = f.unit;
  if (value.kind() == Kind::optional) {
    // By the kind of value: optional values are made first; the others are entered by the next step of the path.
    const bool was_empty = value.count() == 0;
    if (was_empty) value.choose(1);
    if (value.content().kind() == Kind::choice)
      set_in_choice(value.content(), depth, path, was_empty);
    else
      set(f, value.content(), depth, path);
  } else if (value.kind() == Kind::vector) {
    if (step.index && *step.index < value.count() && at_end(depth + 1))
      return assign(f, value.item(*step.index), path + step.text);
    refuse(joined(path, step.text), "there is no such place", fmt::format("[0] to [{}] are", value.count() - 1));
  } else if (is_leaf(value.kind())) {
    refuse(joined(path, step.text), path + " is " + kind_text(value.type()) + ", nothing is inside it", {});
  } else if (value.kind() == Kind::list) {
    set_in_list(f, value, depth, path);
  } else if (value.kind() == Kind::choice) {
    set_in_choice(value, depth, path, false);
  } else if (value.kind() == Kind::options) {
    set_option(value.as<OptionTables>(), depth, path);
  } else {
    set_in_table(value, depth, path);
  }
}

void Setter::set_in_table(Value value, std::size_t depth, const std::string& path) {
  FieldFinder finder(*this, steps_[depth], depth, path);
  value.describe(finder);
  if (!finder.found)
    refuse(joined(path, steps_[depth].text), "there is no such field", suggest(steps_[depth].text, finder.known));
}

void Setter::set_in_list(const Field& f, Value items, std::size_t depth, const std::string& path) {
  const Step& step = steps_[depth];
  // By index, by name, or for loads by kind.
  const auto enter = [&](std::size_t i, std::size_t next) {
    set(f, items.item(i), next, path + "[" + std::to_string(i) + "]");
  };
  if (step.index && *step.index < items.count()) return enter(*step.index, depth + 1);
  if (step.index)
    return refuse(path + step.text, fmt::format("there {} {}", items.count() == 1 ? "is" : "are", items.count()),
                  "the first is [0]");
  std::vector<std::string> names;
  if (items.type().item->name) {
    for (std::size_t i = 0; i < items.count(); ++i) {
      if (items.item(i).name() == step.text) return enter(i, depth + 1);
      names.push_back(items.item(i).name());
    }
  } else if (items.type().item->kind == Kind::choice) {  // load.gravity is the load of that kind, when there is one of it
    std::size_t count = 0, which = 0;
    for (std::size_t i = 0; i < items.count(); ++i) {
      names.emplace_back(items.item(i).word());
      if (names.back() == step.text) ++count, which = i;
    }
    if (count == 1) return enter(which, depth);
    if (count > 1)
      return refuse(joined(path, step.text), fmt::format("there are {} of that kind", count),
                    "name one by its index: [0], [1], ...");
  }
  refuse(joined(path, step.text), "there is none of that name",
         items.count() == 0 ? "the list is empty" : suggest(step.text, names));
}

void Setter::set_in_named(Value items, std::size_t depth, const std::string& path) {
  if (at_end(depth)) return refuse(path, "is a table for each name", "name one: " + path + ".NAME.FIELD");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < items.count(); ++i) {
    const Value item = items.item(i);
    names.push_back(item.name());
    if (item.name() != steps_[depth].text) continue;
    if (at_end(depth + 1)) return refuse(joined(path, item.name()), "is a table", "name a field in it");
    return set_in_table(item, depth + 1, joined(path, item.name()));
  }
  refuse(joined(path, steps_[depth].text), "there is none of that name", suggest(steps_[depth].text, names));
}

void Setter::set_in_choice(Value value, std::size_t depth, const std::string& path, bool was_empty) {
  const std::vector<std::string> names = names_of(value.type().words);
  const auto found = std::find(names.begin(), names.end(), steps_[depth].text);
  const std::string inner = joined(path, steps_[depth].text);
  if (found == names.end()) return refuse(inner, "there is no such kind", suggest(steps_[depth].text, names));
  // Another kind may be set as a whole, but not one field of it: the others would be missing.
  const auto index = static_cast<std::size_t>(found - names.begin());
  const bool whole = at_end(depth + 1);
  if (index != value.count() && !whole && !was_empty)
    return refuse(inner, fmt::format("the scene has `{}` here", value.word()),
                  fmt::format("set {}, or give all of {} = {{ ... }}", joined(path, value.word()), inner));
  if (whole || was_empty) value.choose(index);
  if (!whole) return set_in_table(value.chosen(), depth + 1, inner);
  arrive(inner);
  source_.places[inner] = {0, 0};
  reader_.read_table(node(), inner, value.chosen());
}

void Setter::set_option(OptionTables& tables, std::size_t depth, const std::string& path) {
  if (steps_.size() != depth + 2)
    return refuse(path, "is a table for each method", "name an option: " + path + ".METHOD.OPTION");
  // Whether the method has such an option is checked later, with all others.
  const std::string& method = steps_[depth].text;
  const std::string& name = steps_[depth + 1].text;
  const std::string inner = joined(joined(path, method), name);
  arrive(inner);
  if (!tables.contains(method)) source_.places[joined(path, method)] = {0, 0};
  OptionValue given;
  if (reader_.read_option(node(), inner, given)) tables[method][name] = given;
}

// A file set afterwards replaces the points or triangles that were read before.
void reload_files(Scene& scene, Problems& problems) {
  const auto forget = [](Curve& curve) {
    auto* p = std::get_if<PolylineCurve>(&curve);
    if (p && !p->file.empty()) p->points.clear();
  };
  for (Rod& rod : scene.rods) {
    forget(rod.rest);
    if (rod.initial) forget(*rod.initial);
  }
  for (Obstacle& obstacle : scene.obstacles)
    if (auto* mesh = std::get_if<MeshShape>(&obstacle.shape); mesh && !mesh->file.empty())
      mesh->vertices.clear(), mesh->triangles.clear();
  load_curve_files(scene, problems);
  load_mesh_files(scene, problems);
}

}  // namespace

Problems set_field(Scene& scene, std::string_view path, std::string_view value) {
  const auto steps = split(path);
  if (!steps)
    return {{Severity::error,
             "--set",
             std::string(path),
             "is not a path",
             {},
             "write it like rod.beam.segments=100 or rod[0].segments=100"}};
  if (!is_utf8(value))
    return {{Severity::error, "--set", std::string(path), "got bytes that are not UTF-8", "must be text in UTF-8", {}}};
  // On a copy: a value that is wrong changes nothing.
  Scene changed = scene;
  Problems problems;
  Setter setter(*steps, value, changed.source, problems);
  setter.set_in_table(described_scene(changed), 0, "");
  if (has_errors(problems)) return problems;
  reload_files(changed, problems);
  if (!has_errors(problems)) scene = std::move(changed);
  return problems;
}

}  // namespace tendril
