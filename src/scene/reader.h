// TOML nodes -> described values. Complains about unknown keys, wrong types and missing fields, and goes on: what can be
// read is read, so that every problem is found at once. Ranges and references are left to the checker, which sees C++ scenes
// as well.
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scene/describe_scene.h"
#include "scene/suggest.h"
#include "scene/traits.h"
#include "tendril/problem.h"

namespace tendril::scene_detail {

std::string joined(const std::string& path, std::string_view name);  // "rod[0]" + "name" -> "rod[0].name"
std::string got_text(const toml::node& node);                        // `"thick"`, "5", "a table"

class Reader {
 public:
  // `fixed_where` replaces line and column for values that do not come from the file (--set).
  Reader(SourceMap& source, Problems& problems, std::string fixed_where = {})
      : source_(source), problems_(problems), fixed_where_(std::move(fixed_where)) {}

  template <class T>
  void read(const toml::node& node, const std::string& path, const Field& field, T& value);
  template <class T>
  void read_struct(const toml::node& node, const std::string& path, T& value);
  template <class T>
  void read_named(const toml::node& node, const std::string& path, std::vector<T>& items);

  void complain(const toml::source_region& at, const std::string& field, std::string what, std::string allowed = {},
                std::string remedy = {});
  void wrong_type(const toml::node& node, const std::string& path, const Field& field, const std::string& kind,
                  std::string remedy = {});
  void unknown_key(const toml::key& key, const std::string& path, const std::vector<std::string>& known);
  void missing(const toml::node& table, const std::string& path, const Field& field, const std::string& kind);
  bool read_option(const toml::node& node, const std::string& path, OptionValue& value);

  const char* unit_of_keys = "";  // inside a timetable: the unit of the field whose timetable it is

 private:
  void note_place(const std::string& path, const toml::source_region& at);
  static bool read_number(const toml::node& node, double& value);
  // A number, or a text with a unit of the field's kind.
  bool read_quantity(const toml::node& node, const Field& field, double& value) const;
  // A key's `value` is described without a unit: it has that of the field.
  const char* unit_of(const Field& field) const {
    return *field.unit || std::string_view(field.name) != "value" ? field.unit : unit_of_keys;
  }
  template <class T>
  void read_leaf(const toml::node& node, const std::string& path, const Field& field, T& value);
  template <class T>
  void read_list(const toml::node& node, const std::string& path, const Field& field, std::vector<T>& value);
  template <class T>
  void read_variant(const toml::node& node, const std::string& path, T& value);
  template <class T>
  void read_word(const toml::node& node, const std::string& path, const Field& field, T& value);
  template <class T>
  bool read_pair(const toml::node& node, const std::string& path, T& key);
  void read_whole(const toml::node& node, const std::string& path, const Field& field, int& value);
  void read_options(const toml::node& node, const std::string& path, const Field& field, OptionTables& value);

  SourceMap& source_;
  Problems& problems_;
  std::string fixed_where_;
};

// Visits one struct and takes each field from the table.
class StructReader : public Describer<StructReader> {
 public:
  StructReader(Reader& reader, const toml::node& node, const std::string& path)
      : reader_(reader), node_(node), table_(node.as_table()), path_(path) {}

  template <class T>
  void field(const Field& f, T& value) {
    known_.emplace_back(f.name);
    const toml::node* found = table_ ? table_->get(f.name) : nullptr;
    if (found)
      reader_.read(*found, joined(path_, f.name), f, value);
    else if (table_ && f.required)
      reader_.missing(node_, joined(path_, f.name), f, kind_of<T>());
  }
  template <class T>
  void plain(const Field& f, T& value) {
    is_plain_ = true;
    reader_.read(node_, path_, f, value);
  }
  template <class T>
  void named(const Field& f, std::vector<T>& items) {
    known_.emplace_back(f.name);
    const toml::node* found = table_ ? table_->get(f.name) : nullptr;
    if (found) reader_.read_named(*found, joined(path_, f.name), items);
  }
  void finish() {
    if (is_plain_) return;
    if (!table_) return reader_.wrong_type(node_, path_, Field{}, "a table { ... }", "allowed in it: " + join(known_));
    for (const auto& [key, node] : *table_)
      if (std::find(known_.begin(), known_.end(), key.str()) == known_.end()) reader_.unknown_key(key, path_, known_);
  }

 private:
  Reader& reader_;
  const toml::node& node_;
  const toml::table* table_;
  const std::string& path_;
  std::vector<std::string> known_;
  bool is_plain_ = false;
};

template <class T>
void Reader::read_struct(const toml::node& node, const std::string& path, T& value) {
  StructReader visitor(*this, node, path);
  describe(visitor, value);
  visitor.finish();
}

template <class T>
void Reader::read(const toml::node& node, const std::string& path, const Field& field, T& value) {
  if constexpr (is_optional<T>) {
    const auto text = node.value_exact<std::string>();
    // Optional values may have a word that means none.
    if (field.word_for_none && text && *text == field.word_for_none) {
      note_place(path, node.source());
      value.reset();
      return;
    }
    read(node, path, field, value.emplace());
  } else {
    note_place(path, node.source());
    // By kind. A key of a timetable may be a pair [time, value] instead of a table.
    if constexpr (is_leaf<T>)
      read_leaf(node, path, field, value);
    else if constexpr (is_list<T>)
      read_list(node, path, field, value);
    else if constexpr (is_variant<T>)
      read_variant(node, path, value);
    else if constexpr (is_options<T>)
      read_options(node, path, field, value);
    else if constexpr (is_timetable<T>) {
      if (!node.is_table()) return wrong_type(node, path, field, "a timetable", "write { keys = [[0, START], [2, END]] }");
      unit_of_keys = field.unit;
      read_struct(node, path, value = T{});
      unit_of_keys = "";
    } else if constexpr (is_key<T>) {
      if (!read_pair(node, path, value)) read_struct(node, path, value);
    } else
      read_struct(node, path, value = T{});
  }
}

template <class T>
void Reader::read_leaf(const toml::node& node, const std::string& path, const Field& field, T& value) {
  bool fits = false;
  if constexpr (std::is_same_v<T, double>) {
    fits = read_quantity(node, field, value);
  } else if constexpr (std::is_same_v<T, int>) {
    return read_whole(node, path, field, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (const auto flag = node.value_exact<bool>()) value = *flag, fits = true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (const auto text = node.value_exact<std::string>()) value = *text, fits = true;
  } else if constexpr (std::is_enum_v<T>) {
    return read_word(node, path, field, value);
  } else {
    const toml::array* array = node.as_array();
    // A vector: exactly as many numbers as it has.
    T numbers = T::Zero();
    fits = array && array->size() == static_cast<std::size_t>(numbers.size());
    for (std::size_t i = 0; fits && i < array->size(); ++i)
      fits = read_quantity((*array)[i], field, numbers[static_cast<long>(i)]);
    if (fits) value = numbers;
  }
  if (!fits) wrong_type(node, path, field, kind_of<T>());
}

template <class T>
void Reader::read_word(const toml::node& node, const std::string& path, const Field& field, T& value) {
  const std::vector<std::string> names = names_of<Words<T>>();
  const auto text = node.value_exact<std::string>();
  if (!text) return wrong_type(node, path, field, "a word in quotes", "allowed here: " + join(names));
  const auto found = std::find(names.begin(), names.end(), *text);
  if (found != names.end())
    value = static_cast<T>(found - names.begin());
  else
    complain(node.source(), path, "got " + got_text(node), "must be one of: " + join(names), did_you_mean(*text, names));
}

template <class T>
void Reader::read_list(const toml::node& node, const std::string& path, const Field& field, std::vector<T>& value) {
  const toml::array* array = node.as_array();
  if (!array) {
    const bool header = node.is_table() && path.find_first_of(".[") == std::string::npos;
    return wrong_type(node, path, field, kind_of<std::vector<T>>(),
                      header ? "write the header with two brackets: [[" + path + "]]" : "put it in brackets: [ ... ]");
  }
  value.clear();
  value.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i)
    read((*array)[i], path + "[" + std::to_string(i) + "]", field, value.emplace_back());
}

template <class T>
void Reader::read_variant(const toml::node& node, const std::string& path, T& value) {
  const std::vector<std::string> names = names_of<Choices<T>>();
  const toml::table* table = node.as_table();
  if (!table) {
    const auto text = node.value_exact<std::string>();
    return wrong_type(node, path, Field{}, "a table { ... }",
                      "write { " + (text ? *text : names.front()) + " = { ... } }; allowed: " + join(names));
  }
  // Exactly one of the kinds, and nothing else in the table.
  std::vector<std::size_t> given;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (table->contains(names[i])) given.push_back(i);
  for (const auto& [key, child] : *table)
    if (std::find(names.begin(), names.end(), key.str()) == names.end()) unknown_key(key, path, names);
  if (given.size() > 1)
    complain(node.source(), path, "got both " + names[given[0]] + " and " + names[given[1]],
             "must be exactly one of: " + join(names));
  if (given.empty() && table->empty()) complain(node.source(), path, "is empty", "must be exactly one of: " + join(names));
  if (given.empty()) return;
  // Read that one, also when there were others: its own problems are found at once.
  choose(value, given[0]);
  const std::string inner = joined(path, names[given[0]]);
  const toml::node& child = *table->get(names[given[0]]);
  note_place(inner, child.source());
  std::visit([&](auto& v) { read_struct(child, inner, v); }, value);
}

template <class T>
bool Reader::read_pair(const toml::node& node, const std::string& path, T& key) {
  const toml::array* array = node.as_array();
  if (!array || array->size() != 2) return false;
  const Field time = describe_detail::make_field("time", "", unit("s")),
              its_value = describe_detail::make_field("value", "");
  read((*array)[0], path + "[0]", time, key.time);
  read((*array)[1], path + "[1]", its_value, key.value);
  return true;
}

template <class T>
void Reader::read_named(const toml::node& node, const std::string& path, std::vector<T>& items) {
  note_place(path, node.source());
  const toml::table* table = node.as_table();
  if (!table) return wrong_type(node, path, Field{}, "a table for each name", "write [" + path + ".NAME]");
  std::vector<std::pair<toml::source_position, const toml::key*>> keys;  // toml++ sorts by name; the file's order is kept
  for (const auto& [key, child] : *table) keys.emplace_back(key.source().begin, &key);
  std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [position, key] : keys) {
    T item;
    item.name = key->str();
    const std::string inner = joined(path, key->str());
    note_place(inner, key->source());
    read_struct(*table->get(key->str()), inner, item);
    items.push_back(std::move(item));
  }
}

}  // namespace tendril::scene_detail
