// docs/scene.schema.json (draft 2020-12), written from the descriptions, so that editors complete and check scenes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "scene/title_of.h"
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
  Json of(const Field& f, const Type& type);
  Json reference(const Type& type);  // to the definition of a struct, made when first met
  Json definitions = Json::object();

 private:
  std::span<const MethodInfo> methods_;
  Json choice(const Type& type) {
    Json json = {{"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}, {"additionalProperties", false}};
    for (std::size_t i = 0; i < type.alternatives.size(); ++i) {
      Json& property = json["properties"][type.words[i].name];
      property = reference(*type.alternatives[i]);
      property["description"] = type.words[i].sentence;
    }
    return json;
  }
};

// The object schema of one struct.
class ObjectSchema : public Describer {
 public:
  explicit ObjectSchema(Schema& schema) : schema_(schema) { json = {{"type", "object"}, {"additionalProperties", false}}; }
  Json json;

 protected:
  void title(const char* title, const char* sentence) override { json["title"] = title, json["description"] = sentence; }
  void field(const Field& f, Value value) override {
    Json property = schema_.of(f, value.type());
    property["description"] = with_unit(f.sentence, f.unit);
    if (!f.required) add_default(property, value);
    json["properties"][f.name] = std::move(property);
    if (f.required) json["required"].push_back(f.name);
  }
  void plain(const Field& f, Value value) override {
    const Json title = json["title"];
    json = schema_.of(f, value.type());
    json["title"] = title;
    json["description"] = with_unit(f.sentence, f.unit);
  }
  void named(const Field& f, Value items) override {
    json["properties"][f.name] = {
        {"type", "object"}, {"description", f.sentence}, {"additionalProperties", schema_.reference(*items.type().item)}};
  }

 private:
  static void add_default(Json& property, Value value) {
    if (value.kind() == Kind::number) {
      if (std::isfinite(value.as<double>())) property["default"] = value.as<double>();
    } else if (value.kind() == Kind::flag) {
      property["default"] = value.as<bool>();
    } else if (value.kind() == Kind::word) {
      property["default"] = value.word();
    } else if (value.kind() == Kind::vector) {
      for (std::size_t i = 0; i < value.count(); ++i) property["default"].push_back(value.item(i).as<double>());
    } else if (value.kind() == Kind::text) {
      if (!value.as<std::string>().empty()) property["default"] = value.as<std::string>();
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

Json Schema::of(const Field& f, const Type& type) {
  Json json;
  switch (type.kind) {
    case Kind::number:
    case Kind::whole:
      json = type.kind == Kind::whole ? Json{{"type", "integer"}} : number_schema(f);
      add_range(json, f.range);
      break;
    case Kind::flag:
      json["type"] = "boolean";
      break;
    case Kind::text:
      json["type"] = "string";
      break;
    case Kind::word:
      json["enum"] = names_of(type.words);
      break;
    case Kind::vector: {
      const std::size_t size = type.count(nullptr);
      json = {{"type", "array"}, {"items", number_schema(f)}, {"minItems", size}, {"maxItems", size}};
      break;
    }
    case Kind::optional:
      json = of(f, *type.item);
      if (f.word_for_none) json = {{"anyOf", {json, {{"const", f.word_for_none}}}}, {"default", f.word_for_none}};
      break;
    case Kind::list:
      json = {{"type", "array"}, {"items", of(f, *type.item)}};
      break;
    case Kind::choice:
      json = choice(type);
      break;
    case Kind::options:
      json = options_schema(methods_);
      break;
    case Kind::key: {  // a table, or the pair [time, value]
      Json pair = {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}};
      pair["prefixItems"] = {of(describe_detail::make_field("time", "", unit("s")), type_of<double>),
                             of(describe_detail::make_field("value", ""), *type.item)};
      json["anyOf"] = {reference(type), std::move(pair)};
      break;
    }
    default:
      json = reference(type);
  }
  return json;
}

Json Schema::reference(const Type& type) {
  std::string name = title_of(type).text;
  std::replace(name.begin(), name.end(), ' ', '_');
  if (!definitions.contains(name)) {
    definitions[name] = nullptr;  // keeps its place before what it contains
    ObjectSchema object(*this);
    type.describe(object, type.fresh());
    definitions[name] = std::move(object.json);
  }
  return {{"$ref", "#/$defs/" + name}};
}

}  // namespace

std::string scene_json_schema(std::span<const MethodInfo> methods) {
  Schema schema(methods);
  Scene fresh;
  ObjectSchema object(schema);
  described_scene(fresh).describe(object);
  Json json = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
  json.update(object.json);
  json["title"] = "tendril scene";
  json["$defs"] = std::move(schema.definitions);
  return json.dump(2) + "\n";
}

}  // namespace tendril
