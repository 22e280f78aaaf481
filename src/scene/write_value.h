// Values as TOML text on one line, through their descriptions. Used for saved scenes, messages and the manual's defaults.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scene/describe_scene.h"
#include "scene/traits.h"

namespace tendril::scene_detail {

std::string number_text(double value);        // shortest text that reads back to the same bits
std::string quote(std::string_view text);     // "text" with TOML's escapes
std::string key_text(std::string_view name);  // bare where TOML allows it, else quoted
std::string option_text(const OptionValue& value);

template <class T>
std::string value_text(const T& value);

// Each field of a struct as text; the text of an absent optional or timetable is empty.
struct FieldText {
  Field field;
  std::string text;
};
class FieldTexts : public Describer<FieldTexts> {
 public:
  template <class T>
  void field(const Field& f, T& value) {
    list.push_back({f, value_text(value)});
  }
  template <class T>
  void plain(const Field&, T& value) {
    plain_text = value_text(value);
  }
  template <class T>
  void named(const Field&, std::vector<T>&) {}

  std::vector<FieldText> list;
  std::string plain_text;  // set when the struct is written as its only value
};

// The fields worth writing: required, or different from a default-constructed struct.
template <class T>
FieldTexts worth_writing(const T& value) {
  static const FieldTexts defaults = [] {
    T fresh{};
    FieldTexts texts;
    describe(texts, fresh);
    return texts;
  }();
  FieldTexts texts;
  describe(texts, const_cast<T&>(value));  // FieldTexts only reads; descriptions exist for changeable values only
  std::vector<FieldText> kept;
  for (std::size_t i = 0; i < texts.list.size(); ++i) {
    FieldText& t = texts.list[i];
    if (!t.text.empty() && (t.field.required || t.text != defaults.list[i].text)) kept.push_back(std::move(t));
  }
  texts.list = std::move(kept);
  return texts;
}

template <class T>
std::string struct_text(const T& value) {
  const FieldTexts texts = worth_writing(value);
  if (!texts.plain_text.empty()) return texts.plain_text;
  std::string text;
  for (const FieldText& t : texts.list) text += (text.empty() ? " " : ", ") + key_text(t.field.name) + " = " + t.text;
  return "{" + text + " }";
}

template <class T>
std::string list_text(const std::vector<T>& values) {
  std::string text;
  for (const T& v : values) text += (text.empty() ? "" : ", ") + value_text(v);
  return "[" + text + "]";
}

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, double>)
    return number_text(value);
  else if constexpr (std::is_same_v<T, int>)
    return std::to_string(value);
  else if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, std::string>)
    return quote(value);
  else if constexpr (std::is_enum_v<T>)
    return quote(word(value));
  else if constexpr (is_vector<T>) {
    std::string text;
    for (const double x : value) text += (text.empty() ? "" : ", ") + number_text(x);
    return "[" + text + "]";
  } else if constexpr (is_optional<T>)
    return value ? value_text(*value) : std::string();
  else if constexpr (is_list<T>)
    return list_text(value);
  else if constexpr (is_variant<T>) {
    const char* key = Choices<T>::list[value.index()].name;
    return std::visit([key](const auto& v) { return std::string("{ ") + key + " = " + struct_text(v) + " }"; }, value);
  } else if constexpr (is_timetable<T>)
    return value.keys.empty() ? std::string() : struct_text(value);
  else if constexpr (is_key<T>)
    return "[" + number_text(value.time) + ", " + value_text(value.value) + "]";
  else if constexpr (is_options<T>)
    return {};  // written under its own headers
  else
    return struct_text(value);
}

}  // namespace tendril::scene_detail
