#include "view/description.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numbers>

#include "model/bodies.h"
#include "run/open.h"
#include "tendril/view.h"
#include "view/values.h"

namespace tendril::view {
namespace {

using Json = nlohmann::ordered_json;

Json numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

const char* word(Mode mode) {
  switch (mode) {
    case Mode::dynamics:
      return "dynamics";
    case Mode::statics:
      return "statics";
    case Mode::quasistatic:
      return "quasistatic";
  }
  return "";
}

Json section_of(const Model& model, const RodSpan& rod) {
  std::vector<double> a, b;
  bool round = true, equal = true;
  for (int k = 0; k < rod.edges; ++k) {
    const Section& s = model.section[EdgeIndex(rod.first_edge + k)];
    a.push_back(s.extent1), b.push_back(s.extent2);
    round = round && s.shape == Section::Shape::round;
    equal = equal && s.extent1 == s.extent2;
  }
  for (std::vector<double>* sizes : {&a, &b})
    if (std::all_of(sizes->begin(), sizes->end(), [sizes](double v) { return v == sizes->front(); })) sizes->resize(1);
  return {{"kind", !round ? "rectangle" : equal ? "circle" : "ellipse"}, {"a", a}, {"b", b}};
}

Json rods_of(const Model& model) {
  Json out = Json::array();
  for (const RodModel& rod : model.rods) {
    Json material = Json::array();
    for (int k = 0; k < rod.span.nodes; ++k) material.push_back(model.material[NodeIndex(rod.span.first_node + k)]);
    out.push_back({{"name", rod.name},
                   {"ring", rod.span.ring},
                   {"nodes", rod.span.nodes},
                   {"edges", rod.span.edges},
                   {"length", rod.length},
                   {"section", section_of(model, rod.span)},
                   {"material", std::move(material)}});
  }
  return out;
}

Json clamps_of(const Model& model) {
  Json out = Json::array();
  for (const ClampModel& t : model.clamps) {
    Json hold = Json::array();
    if (t.position) hold.push_back("position");
    if (t.direction) hold.push_back("direction");
    if (t.twist) hold.push_back("twist");
    Json clamp = {{"name", t.name}, {"rod", t.rod}, {"material", t.material}, {"hold", std::move(hold)}};
    if (t.from > 0) clamp["from"] = t.from;
    if (t.until < forever) clamp["until"] = t.until;
    out.push_back(std::move(clamp));
  }
  return out;
}

Json values_of(const Model& model) {
  Json out = Json::array();
  for (const ValueName& v : value_names(model)) out.push_back({{"name", v.name}, {"unit", v.unit}, {"group", v.group}});
  return out;
}

// What the path of a clamp, coupling or body has been given by hand so far; none: zero.
PathInput path_now(const Simulation& simulation, const std::string& thing, const std::string& name) {
  const Model& model = model_of(simulation);
  const auto named = [&name](const auto& list, int index) {
    return index >= 0 && list[static_cast<std::size_t>(index)].name == name;
  };
  for (const PathInput& path : simulation.live().paths) {
    if (thing == "clamp" && named(model.clamps, path.clamp)) return path;
    if (thing == "coupling" && named(model.couplings, path.coupling)) return path;
    if (thing == "body" && named(model.bodies, path.body)) return path;
  }
  return {};
}

// "clamp.left.turn": kind of thing, its name, what changes. A name may have dots in it.
struct InputName {
  std::string thing, name, what;
};
InputName parts_of(const std::string& input) {
  const std::size_t first = input.find('.'), last = input.rfind('.');
  if (first == std::string::npos) return {"", "", input};
  if (first == last) return {input.substr(0, first), "", input.substr(first + 1)};
  return {input.substr(0, first), input.substr(first + 1, last - first - 1), input.substr(last + 1)};
}

double winch_now(const Simulation& simulation, int winch) {
  for (const WinchOrder& order : simulation.live().winches)
    if (order.winch == winch) return order.speed;
  return 0;
}
double joint_now(const Simulation& simulation, const std::string& name) {
  const std::vector<Joint>& joints = simulation.scene().joints;
  const auto at = std::find_if(joints.begin(), joints.end(), [&](const Joint& j) { return j.name == name; });
  for (const JointSwitch& s : simulation.live().joints)
    if (s.joint == at - joints.begin()) return s.on;
  return at == joints.end() || at->from <= 0;  // as at the start
}

Json input_of(const Simulation& simulation, const std::string& input, double size) {
  // What a page needs to show a control: label, kind, unit, range, present value.
  const InputName part = parts_of(input);
  const std::string label = part.name.empty() ? part.what : part.what + " " + part.name;
  const auto described = [&](const char* kind, const char* unit, double low, double high, Json value) {
    return Json{{"name", input}, {"label", label},           {"kind", kind}, {"unit", unit}, {"low", low},
                {"high", high},  {"value", std::move(value)}};
  };
  if (input == "gravity") return described("number", "times", 0, 2, simulation.live().gravity_scale);
  const PathInput path = path_now(simulation, part.thing, part.name);
  if (part.what == "turn") return described("number", "turns", -10, 10, path.turn / (2 * std::numbers::pi));
  if (part.what == "move") {
    Json move = described("vector", "m", -size, size, numbers(path.move));
    for (const RigidBody& body : simulation.scene().bodies)
      if (part.thing == "body" && part.name == body.name && body.low && body.high)
        move["low"] = numbers(*body.low), move["high"] = numbers(*body.high);
    return move;
  }
  if (part.thing == "winch") {
    for (std::size_t i = 0; i < simulation.scene().winches.size(); ++i)
      if (const Winch& winch = simulation.scene().winches[i]; winch.name == part.name)
        return described("number", "m/s", -winch.top_speed, winch.top_speed, winch_now(simulation, static_cast<int>(i)));
  }
  if (part.thing == "joint") return described("switch", "", 0, 1, joint_now(simulation, part.name));
  return described("number", part.what == "speed" ? "m/s" : part.what == "length" ? "m" : "", -size, size, 0.0);
}

Json inputs_of(const Simulation& simulation, double size) {
  Json out = Json::array();
  for (const std::string& input : simulation.input_names()) out.push_back(input_of(simulation, input, size));
  return out;
}

Json methods_of(const Scene& scene) {
  Json out = Json::array();
  // All methods, with the reasons why one cannot take this scene.
  const Checked<Derived> derived = derive(scene);
  if (!derived) return out;
  for (const MethodDerived& method : derived->methods) {
    Json problems = Json::array();
    for (Problem problem : method.problems) {
      problem.where.clear();  // a file of the program's own machine says nothing to whoever looks
      problems.push_back(to_text(problem));
    }
    out.push_back({{"name", method.method}, {"problems", std::move(problems)}});
  }
  return out;
}

Json couplings_of(const Model& model) {
  Json out = Json::array();
  for (const CouplingModel& c : model.couplings) out.push_back({{"name", c.name}, {"rod", c.rod}, {"material", c.material}});
  return out;
}

struct ShapeJson {
  Json operator()(const shape::HalfSpace&) const { return {{"plane", {{"normal", {0, 0, 1}}}}}; }
  Json operator()(const shape::Sphere& s) const { return {{"sphere", {{"radius", s.radius}}}}; }
  Json operator()(const shape::Capsule& s) const {
    return {{"capsule", {{"radius", s.radius}, {"length", 2 * s.half_length}}}};
  }
  Json operator()(const shape::Cylinder& s) const {
    return {{"cylinder", {{"radius", s.radius}, {"length", 2 * s.half_length}}}};
  }
  Json operator()(const shape::Box& s) const { return {{"box", {{"size", numbers(2 * s.half)}}}}; }
  Json operator()(const shape::Mesh& s) const {
    Json vertices = Json::array(), triangles = Json::array();
    for (const Vec3& v : s.vertices)
      for (const double x : {v.x(), v.y(), v.z()}) vertices.push_back(static_cast<float>(x));
    for (const std::array<int, 3>& t : s.triangles)
      for (const int i : t) triangles.push_back(i);
    return {{"mesh", {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}}}};
  }
};

Json bodies_of(const Model& model, const Box& box) {
  Json out = Json::array();
  for (const BodyModel& b : model.bodies)
    out.push_back({{"name", b.name}, {"shape", std::visit(ShapeJson{}, rigid_shape(drawn_shape(b, box)))}});
  return out;
}

Json obstacles_of(const Model& model) {
  Json out = Json::array();
  for (std::size_t i = 0; i < model.obstacles.size(); ++i) {
    const ObstacleModel& o = model.obstacles[i];
    // Where it starts; frames say where those that move are.
    const Vec3& p = o.start.position;
    const Quat& q = o.start.orientation;
    out.push_back({{"name", o.name},
                   {"shape", std::visit(ShapeJson{}, o.shape)},
                   {"moves", o.moves()},
                   {"pose", {p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w()}}});
  }
  return out;
}

struct DescriptionParts {  // what differs between a simulation and a saved run
  double step = 0;
  Json methods, inputs;
  double stable_step = 0;  // 0: not limited, or not known
};

double scene_size(const Model& model) {
  const Box box = box_at_start(model);
  return std::max((box.high - box.low).maxCoeff(), 1e-9);
}

std::string describe(const Scene& scene, const Model& model, DescriptionParts told, const std::string& name,
                     std::uint32_t generation) {
  const Box box = box_at_start(model);
  Json out;
  out["generation"] = generation;
  out["name"] = name;
  out["title"] = scene.title.empty() ? name : scene.title;
  out["about"] = scene.about;
  out["method"] = scene.method;
  out["mode"] = word(scene.time.mode);
  out["methods"] = std::move(told.methods);
  out["step"] = told.step;
  if (told.stable_step > 0) out["stable_step"] = told.stable_step;
  out["duration"] = scene.time.duration;
  out["frames_per_second"] = scene.time.frames_per_second;
  // Positions of frames are relative to the origin, so that 32-bit floats are precise enough.
  out["origin"] = numbers(box.middle());
  out["low"] = numbers(box.low);
  out["high"] = numbers(box.high);
  out["gravity"] = numbers(model.gravity);
  // What is in the scene, in the order in which frames list it.
  out["rods"] = rods_of(model);
  out["clamps"] = clamps_of(model);
  out["couplings"] = couplings_of(model);
  out["inputs"] = std::move(told.inputs);
  out["values"] = values_of(model);
  out["bodies"] = bodies_of(model, box);
  out["obstacles"] = obstacles_of(model);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);  // a name that is not UTF-8 is no reason to fail
}

}  // namespace

std::string description_json(const Simulation& simulation, const std::string& name, std::uint32_t generation) {
  const double size = scene_size(model_of(simulation));
  return describe(
      simulation.scene(), model_of(simulation),
      {simulation.step_size(), methods_of(simulation.scene()), inputs_of(simulation, size), simulation.stable_step()}, name,
      generation);
}

std::string description_json(const Scene& scene, const Model& model, double step, const std::string& name,
                             std::uint32_t generation) {
  const Json own = Json::array({Json{{"name", scene.method}, {"problems", Json::array()}}});
  return describe(scene, model, {step, own, Json::array(), 0}, name, generation);
}

namespace {

FrameFacts facts_of(const Json& d) {
  FrameFacts facts;
  for (int i = 0; i < 3; ++i) facts.origin[i] = d.at("origin").at(static_cast<std::size_t>(i)).get<double>();
  for (const Json& rod : d.at("rods")) {
    facts.rod_lengths.push_back(rod.at("length").get<double>());
    for (const Json& s : rod.at("material")) facts.material.push_back(s.get<double>());
  }
  for (const Json& obstacle : d.at("obstacles")) facts.moves.push_back(obstacle.at("moves").get<bool>() ? 1 : 0);
  facts.values = d.at("values").size();
  return facts;
}

}  // namespace

StoredDescription read_description(const std::string& stored, const std::string& name, std::uint32_t generation) {
  try {
    // Name and number are those of the page that shows it, not of the recording.
    Json d = Json::parse(stored);
    FrameFacts facts = facts_of(d);
    d["generation"] = generation;
    d["name"] = name;
    if (d.at("title").get<std::string>().empty()) d["title"] = name;
    return {d.dump(-1, ' ', false, Json::error_handler_t::replace), std::move(facts)};
  } catch (const Json::exception& error) {
    throw Misuse(std::string("its description cannot be read: ") + error.what());
  }
}

}  // namespace tendril::view

namespace tendril {

std::string describe_for_views(const Simulation& simulation) {
  return view::description_json(simulation.scene(), model_of(simulation), simulation.step_size(), "", 0);
}

}  // namespace tendril
