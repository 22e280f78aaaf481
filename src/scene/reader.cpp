#include "scene/reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "scene/units.h"
#include "scene/write_value.h"

namespace tendril::scene_detail {

std::string joined(const std::string& path, std::string_view name) {
  if (path.empty()) return std::string(name);
  return path + (name.starts_with('[') ? "" : ".") + std::string(name);
}

std::string got_text(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list of " + std::to_string(node.as_array()->size());
  if (const auto text = node.value_exact<std::string>())
    return quote(text->size() > 40 ? text->substr(0, 37) + "..." : *text);
  if (const auto number = node.value_exact<double>()) return number_text(*number);
  std::ostringstream stream;
  node.visit([&stream](const auto& n) { stream << n; });
  return stream.str();
}

namespace {
// The text of the node, or the first text in a vector; empty: there is none.
std::string text_in(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  for (std::size_t i = 0; node.is_array() && i < std::min<std::size_t>(node.as_array()->size(), 3); ++i)
    if (const auto text = (*node.as_array())[i].value_exact<std::string>()) return *text;
  return {};
}
}  // namespace

void Reader::note_place(const std::string& path, const toml::source_region& at) {
  if (!fixed_where_.empty())
    source_.places[path] = {0, 0};  // line 0: not from the file
  else
    source_.places[path] = {static_cast<int>(at.begin.line), static_cast<int>(at.begin.column)};
}

void Reader::complain(const toml::source_region& at, const std::string& field, std::string what, std::string allowed,
                      std::string remedy) {
  std::string where = fixed_where_;
  if (where.empty()) where = source_.file + ":" + std::to_string(at.begin.line) + ":" + std::to_string(at.begin.column);
  problems_.push_back({Severity::error, std::move(where), field, std::move(what), std::move(allowed), std::move(remedy)});
}

void Reader::wrong_type(const toml::node& node, const std::string& path, const Field& field, const std::string& kind,
                        std::string remedy) {
  const std::string_view in = unit_of(field);
  std::string allowed = "must be " + kind;
  if (!in.empty()) allowed += " in " + std::string(in);
  // Somebody who wrote a text may have meant one with a unit.
  const std::string text = text_in(node);
  if (!text.empty() && is_readable_unit(in)) {
    allowed += ", or a text with a unit of that kind such as " + quote(unit_example(in));
    if (remedy.empty()) remedy = unit_complaint(text);
  }
  if (field.word_for_none) allowed += std::string(" or ") + quote(field.word_for_none);
  complain(node.source(), path, "got " + got_text(node), allowed, std::move(remedy));
}

void Reader::unknown_key(const toml::key& key, const std::string& path, const std::vector<std::string>& known) {
  complain(key.source(), joined(path, key.str()), "unknown key", {}, suggest(key.str(), known));
}

void Reader::missing(const toml::node& table, const std::string& path, const Field& field, const std::string& kind) {
  std::string remedy = "give " + kind;
  if (*field.unit) remedy += std::string(" in ") + field.unit;
  complain(table.source(), path, "is missing", {}, remedy + ": " + field.sentence);
}

bool Reader::read_number(const toml::node& node, double& value) {
  if (const auto whole = node.value_exact<std::int64_t>()) return value = static_cast<double>(*whole), true;
  if (const auto number = node.value_exact<double>()) return value = *number, true;
  return false;
}

bool Reader::read_quantity(const toml::node& node, const Field& field, double& value) const {
  if (read_number(node, value)) return true;
  const auto text = node.value_exact<std::string>();
  const std::optional<double> number = text ? number_in(*text, unit_of(field)) : std::nullopt;
  if (number) value = *number;
  return number.has_value();
}

void Reader::read_whole(const toml::node& node, const std::string& path, const Field& field, int& value) {
  double number = 0;
  if (!read_number(node, number) || number != std::floor(number))
    return wrong_type(node, path, field, kind_text(type_of<int>));
  // What an int cannot hold is out of any range we describe; 1e9 still fits and is left to the checker.
  if (std::abs(number) > std::numeric_limits<int>::max())
    return complain(node.source(), path, "got " + number_text(number), to_text(field.range));
  value = static_cast<int>(number);
}

bool Reader::read_option(const toml::node& node, const std::string& path, OptionValue& value) {
  note_place(path, node.source());
  double number = 0;
  if (const auto flag = node.value_exact<bool>()) return value = *flag, true;
  if (const auto text = node.value_exact<std::string>()) return value = *text, true;
  if (read_number(node, number)) return value = number, true;
  wrong_type(node, path, Field{}, "a number, true or false, or a word in quotes");
  return false;
}

void Reader::read_options(const toml::node& node, const std::string& path, const Field& field, OptionTables& value) {
  const toml::table* table = node.as_table();
  if (!table) return wrong_type(node, path, field, "a table for each method", "write [options.METHOD]");
  for (const auto& [method, child] : *table) {
    const std::string inner = joined(path, method.str());
    note_place(inner, method.source());
    const toml::table* entries = child.as_table();
    if (!entries) {
      wrong_type(child, inner, field, "a table for each method", "write [options.METHOD]");
      continue;
    }
    OptionTable& options = value[std::string(method.str())];
    for (const auto& [name, entry] : *entries) {
      OptionValue given;
      if (read_option(entry, joined(inner, name.str()), given)) options[std::string(name.str())] = given;
    }
  }
}

}  // namespace tendril::scene_detail
