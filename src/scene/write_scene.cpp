// Scene -> TOML that reads back equal. Values that equal their defaults are left out.
#include "scene/write_value.h"
#include "tendril/simulate.h"

namespace tendril {
namespace scene_detail {
namespace {

// The top level has headers: [time], [material.rubber], [[rod]], [options.der]; everything below is on one line each.
class SceneWriter : public Describer {
 public:
  std::string text_;

 protected:
  void field(const Field& f, Value value) override {
    if (value.kind() == Kind::list) {
      for (std::size_t i = 0; i < value.count(); ++i) section("[[" + std::string(f.name) + "]]", value.item(i));
    } else if (value.kind() == Kind::options) {
      for (const auto& [method, table] : value.as<OptionTables>()) options(method, table);
    } else if (value.kind() == Kind::text) {
      if (!value.as<std::string>().empty()) text_ += std::string(f.name) + " = " + text_of(value) + "\n";
    } else {
      if (!worth_writing(value).list.empty()) section("[" + std::string(f.name) + "]", value);
    }
  }
  void named(const Field& f, Value items) override {
    for (std::size_t i = 0; i < items.count(); ++i)
      section("[" + std::string(f.name) + "." + key_text(items.item(i).name()) + "]", items.item(i));
  }
  void plain(const Field&, Value) override {}

 private:
  void section(const std::string& header, Value item) {
    text_ += "\n" + header + "\n";
    if (item.kind() == Kind::choice)
      text_ += std::string(item.word()) + " = " + text_of(item.chosen()) + "\n";
    else
      for (const FieldText& t : worth_writing(item).list) text_ += key_text(t.field.name) + " = " + t.text + "\n";
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
  scene_detail::described_scene(const_cast<Scene&>(scene))
      .describe(writer);  // only reads; a Value is changeable by its nature
  return writer.text_;
}

}  // namespace tendril
