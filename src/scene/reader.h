// TOML nodes -> described values. Complains about unknown keys, wrong types and missing fields, and goes on: what can be
// read is read, so that every problem is found at once. Ranges and references are left to the checker, which sees C++ scenes
// as well.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "scene/described.h"
#include "scene/suggest.h"
#include "tendril/problem.h"

namespace tendril::scene_detail {

std::string joined(const std::string& path, std::string_view name);  // "rod[0]" + "name" -> "rod[0].name"
std::string got_text(const toml::node& node);                        // `"thick"`, "5", "a table"

class Reader {
 public:
  // `fixed_where` replaces line and column for values that do not come from the file (--set).
  Reader(SourceMap& source, Problems& problems, std::string fixed_where = {})
      : source_(source), problems_(problems), fixed_where_(std::move(fixed_where)) {}

  void read(const toml::node& node, const std::string& path, const Field& field, Value value);
  void read_table(const toml::node& node, const std::string& path, Value value);
  void read_named(const toml::node& node, const std::string& path, Value items);

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
  void read_leaf(const toml::node& node, const std::string& path, const Field& field, Value value);
  void read_word(const toml::node& node, const std::string& path, const Field& field, Value value);
  void read_list(const toml::node& node, const std::string& path, const Field& field, Value value);
  void read_choice(const toml::node& node, const std::string& path, Value value);
  bool read_pair(const toml::node& node, const std::string& path, Value key);
  void read_whole(const toml::node& node, const std::string& path, const Field& field, int& value);
  void read_options(const toml::node& node, const std::string& path, const Field& field, OptionTables& value);

  SourceMap& source_;
  Problems& problems_;
  std::string fixed_where_;
};

}  // namespace tendril::scene_detail
