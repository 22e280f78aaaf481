#include "serve/messages.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tendril/method.h"

namespace tendril {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t longest_name = 200;

// The fields of one message. Whatever is missing, of another type or never asked for makes the message malformed.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}
  bool has(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) return false;
    asked_.insert(key);
    return !found->is_null();
  }
  const Json& at(const char* key) {
    asked_.insert(key);
    const auto found = object_.find(key);
    if (found == object_.end()) return bad_ = true, nothing_;
    return *found;
  }
  double number(const char* key) { return number(at(key)); }
  double number(const Json& value) {
    const double x = value.is_number() ? value.get<double>() : std::nan("");
    if (!std::isfinite(x)) bad_ = true;
    return x;
  }
  int whole(const char* key, int low, int high) {
    const double x = number(key);
    if (bad_ || x != std::floor(x) || x < low || x > high) return bad_ = true, low;
    return static_cast<int>(x);
  }
  std::string text(const char* key) {
    const Json& value = at(key);
    if (!value.is_string() || value.get_ref<const std::string&>().size() > longest_name) return bad_ = true, std::string();
    return value.get<std::string>();
  }
  bool yes(const char* key) {
    const Json& value = at(key);
    if (!value.is_boolean()) return bad_ = true, false;
    return value.get<bool>();
  }
  Vec3 vector(const char* key) { return vector(at(key)); }
  Vec3 vector(const Json& value) {
    Vec3 out = Vec3::Zero();
    if (!value.is_array() || value.size() != 3) return bad_ = true, out;
    for (int i = 0; i < 3; ++i) out[i] = number(value[static_cast<std::size_t>(i)]);
    return out;
  }
  void wrong() { bad_ = true; }
  bool fine() const { return !bad_ && object_.size() == asked_.size(); }

 private:
  const Json& object_;
  const Json nothing_;
  std::set<std::string> asked_;
  bool bad_ = false;
};

constexpr int max_hand_number = 8;

Order read_open(Fields& f) {
  OpenScene open;
  open.scene = f.text("scene");
  if (f.has("method")) open.method = f.text("method");
  if (f.has("step")) {
    const Json& step = f.at("step");
    open.step = step.is_string() && step == "auto" ? 0 : f.number(step);
    if (step.is_number() && !(*open.step > 0)) f.wrong();
  }
  return open;
}

Order read_grab(Fields& f) {
  Grab grab;
  grab.hand = f.whole("hand", 1, max_hand_number);
  grab.position = f.vector("position");
  if (f.has("body")) {
    grab.body = f.whole("body", 0, 1 << 20);
  } else {
    grab.rod = f.whole("rod", 0, 1 << 20);
    grab.material = f.number("material");
  }
  return grab;
}

Order read_input(Fields& f) {
  SetInput input;
  input.name = f.text("name");
  const Json& value = f.at("value");
  if (value.is_array())
    input.value = f.vector(value);
  else
    input.value = f.number(value);
  return input;
}

std::optional<Order> read_order(const std::string& what, Fields& f) {
  if (what == "open") return read_open(f);
  if (what == "play") return Play{};
  if (what == "pause") return Pause{};
  if (what == "step") return SingleStep{};
  if (what == "restart") return Restart{};
  if (what == "close") return CloseScene{};
  if (what == "speed") return SetSpeed{f.number("value")};
  if (what == "input") return read_input(f);
  if (what == "grab") return read_grab(f);
  if (what == "move") return MoveHand{f.whole("hand", 1, max_hand_number), f.vector("position")};
  if (what == "release") return ReleaseHand{f.whole("hand", 1, max_hand_number)};
  if (what == "record") return Record{f.yes("on")};
  return std::nullopt;
}

// Names of files may hold bytes that are not UTF-8.
template <class J>
std::string dump(const J& json) {
  return json.dump(-1, ' ', false, J::error_handler_t::replace);
}

OrderedJson text_or_null(const std::string& text) { return text.empty() ? OrderedJson(nullptr) : OrderedJson(text); }

}  // namespace

std::optional<Order> read_message(std::string_view text) {
  // Strict: an object with exactly the fields of its order, of the right kinds.
  if (text.size() > max_message_bytes) return std::nullopt;
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  Fields fields(json);
  const std::string what = fields.text("do");
  std::optional<Order> order = read_order(what, fields);
  if (!fields.fine()) return std::nullopt;
  return order;
}

std::string welcome_message(const std::vector<SceneOffer>& offers) {
  OrderedJson out = {{"say", "welcome"}, {"version", TENDRIL_VERSION}};
  out["scenes"] = OrderedJson::array();
  for (const SceneOffer& s : offers)
    out["scenes"].push_back({{"name", s.name}, {"title", s.title}, {"about", s.about}, {"method", s.method}});
  out["methods"] = OrderedJson::array();
  for (const MethodInfo& m : all_method_infos())
    out["methods"].push_back({{"name", m.name}, {"title", m.title}, {"summary", m.summary}});
  return dump(out);
}

std::string scene_message(const std::string& description) {
  const auto inside = description.find_first_not_of(" \n", 1);
  const bool empty = inside == std::string::npos || description[inside] == '}';
  return R"({"say":"scene")" + std::string(empty ? "" : ",") + description.substr(1);
}

std::string gallery_message() { return R"({"say":"gallery"})"; }

std::string refusal_message(const Refusal& refusal) {
  return dump(OrderedJson{{"say", "problems"}, {"scene", refusal.scene}, {"problems", refusal.problems}});
}

std::string status_message(const SessionStatus& s, std::size_t clients, std::uint64_t dropped) {
  // Inputs as they are set, numbers or vectors.
  OrderedJson inputs = OrderedJson::object();
  for (const auto& [name, value] : s.inputs) {
    if (const double* number = std::get_if<double>(&value))
      inputs[name] = *number;
    else
      inputs[name] = {std::get<Vec3>(value).x(), std::get<Vec3>(value).y(), std::get<Vec3>(value).z()};
  }
  OrderedJson out = {{"say", "status"}, {"generation", s.generation}, {"paused", s.paused}, {"finished", s.finished}};
  out["failed"] = s.failed, out["message"] = s.message, out["speed"] = s.speed, out["achieved"] = s.achieved;
  out["slow"] = s.slow;
  out["suspect"] = text_or_null(s.suspect), out["retries"] = s.retries;
  out["energy_error"] = std::isfinite(s.energy_error) ? OrderedJson(s.energy_error) : OrderedJson(nullptr);
  out["recording"] = text_or_null(s.recording), out["recorded"] = text_or_null(s.recorded);
  out["inputs"] = std::move(inputs), out["clients"] = clients, out["dropped"] = dropped;
  return dump(out);
}

}  // namespace tendril
