// How the reader takes a value from a node, by the value's kind.
#include <algorithm>

#include "scene/reader.h"

namespace tendril::scene_detail {
namespace {

// Visits one struct and takes each field from the table.
class TableReader : public Describer {
 public:
  TableReader(Reader& reader, const toml::node& node, const std::string& path)
      : reader_(reader), node_(node), table_(node.as_table()), path_(path) {}

  void finish() {
    if (is_plain_) return;
    if (!table_) return reader_.wrong_type(node_, path_, Field{}, "a table { ... }", "allowed in it: " + join(known_));
    for (const auto& [key, node] : *table_)
      if (std::find(known_.begin(), known_.end(), key.str()) == known_.end()) reader_.unknown_key(key, path_, known_);
  }

 protected:
  void field(const Field& f, Value value) override {
    known_.emplace_back(f.name);
    const toml::node* found = table_ ? table_->get(f.name) : nullptr;
    if (found)
      reader_.read(*found, joined(path_, f.name), f, value);
    else if (table_ && f.required)
      reader_.missing(node_, joined(path_, f.name), f, kind_text(value.type()));
  }
  void plain(const Field& f, Value value) override {
    is_plain_ = true;
    reader_.read(node_, path_, f, value);
  }
  void named(const Field& f, Value items) override {
    known_.emplace_back(f.name);
    const toml::node* found = table_ ? table_->get(f.name) : nullptr;
    if (found) reader_.read_named(*found, joined(path_, f.name), items);
  }

 private:
  Reader& reader_;
  const toml::node& node_;
  const toml::table* table_;
  const std::string& path_;
  std::vector<std::string> known_;
  bool is_plain_ = false;
};

}  // namespace

void Reader::read_table(const toml::node& node, const std::string& path, Value value) {
  TableReader visitor(*this, node, path);
  value.describe(visitor);
  visitor.finish();
}

void Reader::read(const toml::node& node, const std::string& path, const Field& field, Value value) {
  if (value.kind() == Kind::optional) {
    const auto text = node.value_exact<std::string>();
    // Optional values may have a word that means none.
    if (field.word_for_none && text && *text == field.word_for_none) {
      note_place(path, node.source());
      return value.choose(0);
    }
    value.choose(1);
    return read(node, path, field, value.content());
  }
  note_place(path, node.source());
  if (is_leaf(value.kind())) return read_leaf(node, path, field, value);
  switch (value.kind()) {
    case Kind::list:
      return read_list(node, path, field, value);
    case Kind::choice:
      return read_choice(node, path, value);
    case Kind::options:
      return read_options(node, path, field, value.as<OptionTables>());
    case Kind::timetable:
      if (!node.is_table()) return wrong_type(node, path, field, "a timetable", "write { keys = [[0, START], [2, END]] }");
      unit_of_keys = field.unit;
      value.renew();
      read_table(node, path, value);
      unit_of_keys = "";
      return;
    case Kind::key:  // may be a pair [time, value] instead of a table
      if (!read_pair(node, path, value)) read_table(node, path, value);
      return;
    default:
      value.renew();
      read_table(node, path, value);
  }
}

void Reader::read_leaf(const toml::node& node, const std::string& path, const Field& field, Value value) {
  bool fits = false;
  switch (value.kind()) {
    case Kind::number:
      fits = read_quantity(node, field, value.as<double>());
      break;
    case Kind::whole:
      return read_whole(node, path, field, value.as<int>());
    case Kind::flag:
      if (const auto flag = node.value_exact<bool>()) value.as<bool>() = *flag, fits = true;
      break;
    case Kind::text:
      if (const auto text = node.value_exact<std::string>()) value.as<std::string>() = *text, fits = true;
      break;
    case Kind::word:
      return read_word(node, path, field, value);
    default: {  // a vector: exactly as many numbers as it has
      const toml::array* array = node.as_array();
      double numbers[3] = {};
      fits = array && array->size() == value.count();
      for (std::size_t i = 0; fits && i < array->size(); ++i) fits = read_quantity((*array)[i], field, numbers[i]);
      for (std::size_t i = 0; fits && i < array->size(); ++i) value.item(i).as<double>() = numbers[i];
    }
  }
  if (!fits) wrong_type(node, path, field, kind_text(value.type()));
}

void Reader::read_word(const toml::node& node, const std::string& path, const Field& field, Value value) {
  const std::vector<std::string> names = names_of(value.type().words);
  const auto text = node.value_exact<std::string>();
  if (!text) return wrong_type(node, path, field, "a word in quotes", "allowed here: " + join(names));
  const auto found = std::find(names.begin(), names.end(), *text);
  if (found != names.end())
    value.choose(static_cast<std::size_t>(found - names.begin()));
  else
    complain(node.source(), path, "got " + got_text(node), "must be one of: " + join(names), did_you_mean(*text, names));
}

void Reader::read_list(const toml::node& node, const std::string& path, const Field& field, Value value) {
  const toml::array* array = node.as_array();
  if (!array) {
    const bool header = node.is_table() && path.find_first_of(".[") == std::string::npos;
    return wrong_type(node, path, field, kind_text(value.type()),
                      header ? "write the header with two brackets: [[" + path + "]]" : "put it in brackets: [ ... ]");
  }
  value.choose(0);  // what was in it is not kept
  value.choose(array->size());
  for (std::size_t i = 0; i < array->size(); ++i)
    read((*array)[i], path + "[" + std::to_string(i) + "]", field, value.item(i));
}

void Reader::read_choice(const toml::node& node, const std::string& path, Value value) {
  const std::vector<std::string> names = names_of(value.type().words);
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
  value.choose(given[0]);
  const std::string inner = joined(path, names[given[0]]);
  const toml::node& child = *table->get(names[given[0]]);
  note_place(inner, child.source());
  read_table(child, inner, value.chosen());
}

bool Reader::read_pair(const toml::node& node, const std::string& path, Value key) {
  const toml::array* array = node.as_array();
  if (!array || array->size() != 2) return false;
  const Field time = describe_detail::make_field("time", "", unit("s")),
              its_value = describe_detail::make_field("value", "");
  read((*array)[0], path + "[0]", time, key.time());
  read((*array)[1], path + "[1]", its_value, key.value());
  return true;
}

void Reader::read_named(const toml::node& node, const std::string& path, Value items) {
  note_place(path, node.source());
  const toml::table* table = node.as_table();
  if (!table) return wrong_type(node, path, Field{}, "a table for each name", "write [" + path + ".NAME]");
  std::vector<std::pair<toml::source_position, const toml::key*>> keys;  // toml++ sorts by name; the file's order is kept
  for (const auto& [key, child] : *table) keys.emplace_back(key.source().begin, &key);
  std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [position, key] : keys) {
    const std::size_t last = items.count();
    items.choose(last + 1);
    items.item(last).name() = key->str();
    const std::string inner = joined(path, key->str());
    note_place(inner, key->source());
    read_table(*table->get(key->str()), inner, items.item(last));
  }
}

}  // namespace tendril::scene_detail
