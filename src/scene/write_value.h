// Values as TOML text on one line, through their descriptions. Used for saved scenes, messages and the manual's defaults.
#pragma once

#include <string>
#include <vector>

#include "scene/described.h"

namespace tendril::scene_detail {

std::string number_text(double value);        // shortest text that reads back to the same bits
std::string quote(std::string_view text);     // "text" with TOML's escapes
std::string key_text(std::string_view name);  // bare where TOML allows it, else quoted
std::string option_text(const OptionValue& value);

template <class Enum>
const char* word(Enum value) {
  return Words<Enum>::list[static_cast<std::size_t>(value)].name;
}

// Empty for an absent optional or timetable. Only reads the value; a Value is changeable by its nature.
std::string text_of(Value value);
template <class T>
std::string value_text(const T& value) {
  return text_of(described(const_cast<T&>(value)));
}

// Each field of a struct as text.
struct FieldText {
  Field field;
  std::string text;
};
class FieldTexts : public Describer {
 public:
  std::vector<FieldText> list;
  std::string plain_text;  // set when the struct is written as its only value

 protected:
  void field(const Field& f, Value value) override { list.push_back({f, text_of(value)}); }
  void plain(const Field&, Value value) override { plain_text = text_of(value); }
  void named(const Field&, Value) override {}
};
FieldTexts fresh_texts(const Type& type);  // of a new struct
FieldTexts worth_writing(Value value);     // the fields that are required, or different from those of a new struct

}  // namespace tendril::scene_detail
