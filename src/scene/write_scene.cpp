// Scene -> TOML that reads back equal. Values that equal their defaults are left out.
#include <fmt/format.h>

#include <cmath>

#include "scene/write_value.h"
#include "tendril/simulate.h"

namespace tendril {
namespace scene_detail {

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

namespace {

// The top level has headers: [time], [material.rubber], [[rod]], [options.der]; everything below is on one line each.
class SceneWriter : public Describer<SceneWriter> {
 public:
  template <class T>
  void field(const Field& f, T& value) {
    if constexpr (is_list<T>) {
      for (const auto& item : value) section("[[" + std::string(f.name) + "]]", item);
    } else if constexpr (is_options<T>) {
      for (const auto& [method, table] : value) options(method, table);
    } else if constexpr (is_leaf<T>) {
      if (!value.empty()) text_ += std::string(f.name) + " = " + value_text(value) + "\n";
    } else {
      if (!(value == T{})) section("[" + std::string(f.name) + "]", value);
    }
  }
  template <class T>
  void named(const Field& f, std::vector<T>& items) {
    for (const T& item : items) section("[" + std::string(f.name) + "." + key_text(item.name) + "]", item);
  }
  template <class T>
  void plain(const Field&, T&) {}

  std::string text_;

 private:
  template <class T>
  void section(const std::string& header, const T& item) {
    text_ += "\n" + header + "\n";
    if constexpr (is_variant<T>) {
      const char* key = Choices<T>::list[item.index()].name;
      text_ += std::string(key) + " = " + std::visit([](const auto& v) { return struct_text(v); }, item) + "\n";
    } else {
      for (const FieldText& t : worth_writing(item).list) text_ += key_text(t.field.name) + " = " + t.text + "\n";
    }
  }
  void options(const std::string& method, const OptionTable& table) {
    text_ += "\n[options." + key_text(method) + "]\n";
    for (const auto& [name, value] : table) text_ += key_text(name) + " = " + option_text(value) + "\n";
  }
};

}  // namespace
}  // namespace scene_detail

std::string write_scene(const Scene& scene) {
  scene_detail::SceneWriter writer;
  describe(writer, const_cast<Scene&>(scene));  // SceneWriter only reads; descriptions exist for changeable values only
  return writer.text_;
}

}  // namespace tendril
