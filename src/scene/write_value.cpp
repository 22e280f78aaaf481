#include "scene/write_value.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace tendril::scene_detail {

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";  // the integer -0 would lose its sign
  return fmt::format("{}", value);
}

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
          result += c;
    }
  }
  return result + "\"";
}

std::string key_text(std::string_view name) {
  const auto is_bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  for (const char c : name)
    if (!is_bare(c)) return quote(name);
  return name.empty() ? "\"\"" : std::string(name);
}

std::string option_text(const OptionValue& value) {
  return std::visit([](const auto& v) { return value_text(v); }, value);
}

FieldTexts fresh_texts(const Type& type) {
  FieldTexts texts;
  type.describe(texts, type.fresh());
  return texts;
}

FieldTexts worth_writing(Value value) {
  thread_local std::map<const Type*, FieldTexts> known;  // a scene may have thousands of rods
  const auto found = known.find(&value.type());
  const FieldTexts& defaults = found != known.end() ? found->second : known[&value.type()] = fresh_texts(value.type());
  FieldTexts texts;
  value.describe(texts);
  std::vector<FieldText> kept;
  for (std::size_t i = 0; i < texts.list.size(); ++i) {
    FieldText& t = texts.list[i];
    if (!t.text.empty() && (t.field.required || t.text != defaults.list[i].text)) kept.push_back(std::move(t));
  }
  texts.list = std::move(kept);
  return texts;
}

namespace {

std::string table_text(Value value) {
  const FieldTexts texts = worth_writing(value);
  if (!texts.plain_text.empty()) return texts.plain_text;
  std::string text;
  for (const FieldText& t : texts.list) text += (text.empty() ? " " : ", ") + key_text(t.field.name) + " = " + t.text;
  return "{" + text + " }";
}

std::string items_text(Value value) {
  std::string text;
  for (std::size_t i = 0; i < value.count(); ++i) text += (text.empty() ? "" : ", ") + text_of(value.item(i));
  return "[" + text + "]";
}

}  // namespace

std::string text_of(Value value) {
  switch (value.kind()) {
    case Kind::number:
      return number_text(value.as<double>());
    case Kind::whole:
      return std::to_string(value.as<int>());
    case Kind::flag:
      return value.as<bool>() ? "true" : "false";
    case Kind::text:
      return quote(value.as<std::string>());
    case Kind::word:
      return quote(value.word());
    case Kind::vector:
    case Kind::list:
      return items_text(value);
    case Kind::optional:
      return value.count() == 1 ? text_of(value.content()) : std::string();
    case Kind::choice:
      return std::string("{ ") + value.word() + " = " + table_text(value.chosen()) + " }";
    case Kind::options:
      return {};  // written under its own headers
    case Kind::timetable:
      return value.count() == 0 ? std::string() : table_text(value);
    case Kind::key:
      return "[" + text_of(value.time()) + ", " + text_of(value.value()) + "]";
    default:
      return table_text(value);
  }
}

}  // namespace tendril::scene_detail
