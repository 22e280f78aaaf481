// docs/scene.schema.json (draft 2020-12), written from the descriptions, so that editors complete and check scenes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "scene/title_of.h"
#include "scene/traits.h"
#include "scene/units.h"
#include "scene/write_value.h"
#include "tendril/simulate.h"

namespace tendril {
namespace {
using namespace scene_detail;
using Json = nlohmann::ordered_json;

void add_range(Json& json, const Range& r) {
  if (std::isfinite(r.low)) json[r.low_open ? "exclusiveMinimum" : "minimum"] = r.low;
  if (std::isfinite(r.high)) json[r.high_open ? "exclusiveMaximum" : "maximum"] = r.high;
}

std::string with_unit(const std::string& sentence, const std::string& unit) {
  return unit.empty() ? sentence : sentence + " [" + unit + "]";
}

// A number, or where it has a unit a text like "5 mm"; range and pattern each hold for their own type only.
// The `value` of a timetable's key has the unit of the field whose timetable it is.
Json number_schema(const Field& f) {
  const bool in_key = std::string_view(f.name) == "value" && !*f.unit;
  if (!in_key && !is_readable_unit(f.unit)) return {{"type", "number"}};
  Json json = {{"type", {"number", "string"}}, {"pattern", unit_pattern}};
  if (!in_key) json["examples"] = {unit_example(f.unit)};
  return json;
}

class Schema {
 public:
  explicit Schema(std::span<const MethodInfo> methods) : methods_(methods) {}
  template <class T>
  Json of(const Field& f);
  template <class T>
  Json reference();  // to the definition of a struct, made when first met
  Json definitions = Json::object();

 private:
  std::span<const MethodInfo> methods_;
  template <class... T>
  Json choice(std::variant<T...>*) {
    using Names = Choices<std::variant<T...>>;
    Json json = {{"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}, {"additionalProperties", false}};
    std::size_t i = 0;
    ((json["properties"][Names::list[i].name] = reference<T>(),
      json["properties"][Names::list[i].name]["description"] = Names::list[i].sentence, ++i),
     ...);
    return json;
  }
};

// The object schema of one struct.
class ObjectSchema : public Describer<ObjectSchema> {
 public:
  explicit ObjectSchema(Schema& schema) : schema_(schema) { json = {{"type", "object"}, {"additionalProperties", false}}; }
  void title(const char* title, const char* sentence) { json["title"] = title, json["description"] = sentence; }
  template <class T>
  void field(const Field& f, T& value) {
    Json property = schema_.of<T>(f);
    property["description"] = with_unit(f.sentence, f.unit);
    if (!f.required) add_default(property, value);
    json["properties"][f.name] = std::move(property);
    if (f.required) json["required"].push_back(f.name);
  }
  template <class T>
  void plain(const Field& f, T&) {
    const Json title = json["title"];
    json = schema_.of<T>(f);
    json["title"] = title;
    json["description"] = with_unit(f.sentence, f.unit);
  }
  template <class T>
  void named(const Field& f, std::vector<T>&) {
    json["properties"][f.name] = {
        {"type", "object"}, {"description", f.sentence}, {"additionalProperties", schema_.reference<T>()}};
  }
  Json json;

 private:
  template <class T>
  static void add_default(Json& property, const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      if (std::isfinite(value)) property["default"] = value;
    } else if constexpr (std::is_same_v<T, bool>)
      property["default"] = value;
    else if constexpr (std::is_enum_v<T>)
      property["default"] = word(value);
    else if constexpr (is_vector<T>)
      property["default"] = std::vector<double>(value.begin(), value.end());
    else if constexpr (std::is_same_v<T, std::string>) {
      if (!value.empty()) property["default"] = value;
    }
  }
  Schema& schema_;
};

Json options_schema(std::span<const MethodInfo> methods) {
  Json all = {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
  for (const MethodInfo& m : methods) {
    Json table = {
        {"type", "object"}, {"description", m.title}, {"additionalProperties", false}, {"properties", Json::object()}};
    for (const OptionInfo& o : m.options) {
      Json json;
      if (std::holds_alternative<bool>(o.fallback))
        json["type"] = "boolean";
      else if (std::holds_alternative<double>(o.fallback))
        json["type"] = "number", add_range(json, {o.low, o.high});
      else if (o.choices.empty())
        json["type"] = "string";
      else
        json["enum"] = o.choices;
      json["description"] = with_unit(o.sentence, o.unit);
      std::visit([&json](const auto& v) { json["default"] = v; }, o.fallback);
      table["properties"][o.name] = std::move(json);
    }
    all["properties"][m.name] = std::move(table);
  }
  return all;
}

template <class T>
Json Schema::of(const Field& f) {
  Json json;
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int>) {
    json = std::is_same_v<T, int> ? Json{{"type", "integer"}} : number_schema(f);
    add_range(json, f.range);
  } else if constexpr (std::is_same_v<T, bool>)
    json["type"] = "boolean";
  else if constexpr (std::is_same_v<T, std::string>)
    json["type"] = "string";
  else if constexpr (std::is_enum_v<T>)
    json["enum"] = names_of<Words<T>>();
  else if constexpr (is_vector<T>) {
    const int size = T::SizeAtCompileTime;
    json = {{"type", "array"}, {"items", number_schema(f)}, {"minItems", size}, {"maxItems", size}};
  } else if constexpr (is_optional<T>) {
    json = of<typename T::value_type>(f);
    if (f.word_for_none) json = {{"anyOf", {json, {{"const", f.word_for_none}}}}, {"default", f.word_for_none}};
  } else if constexpr (is_list<T>)
    json = {{"type", "array"}, {"items", of<typename T::value_type>(f)}};
  else if constexpr (is_variant<T>)
    json = choice(static_cast<T*>(nullptr));
  else if constexpr (is_options<T>)
    json = options_schema(methods_);
  else if constexpr (is_key<T>) {  // a table, or the pair [time, value]
    Json pair = {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}};
    pair["prefixItems"] = {of<double>(describe_detail::make_field("time", "", unit("s"))),
                           of<decltype(T::value)>(describe_detail::make_field("value", ""))};
    json["anyOf"] = {reference<T>(), std::move(pair)};
  } else
    json = reference<T>();
  return json;
}

template <class T>
Json Schema::reference() {
  std::string name = title_of<T>().text;
  std::replace(name.begin(), name.end(), ' ', '_');
  if (!definitions.contains(name)) {
    definitions[name] = nullptr;  // keeps its place before what it contains
    T fresh{};
    ObjectSchema object(*this);
    describe(object, fresh);
    definitions[name] = std::move(object.json);
  }
  return {{"$ref", "#/$defs/" + name}};
}

}  // namespace

std::string scene_json_schema(std::span<const MethodInfo> methods) {
  Schema schema(methods);
  Scene fresh;
  ObjectSchema object(schema);
  describe(object, fresh);
  Json json = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
  json.update(object.json);
  json["title"] = "tendril scene";
  json["$defs"] = std::move(schema.definitions);
  return json.dump(2) + "\n";
}

}  // namespace tendril
