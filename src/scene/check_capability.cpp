// Can the scene's method do what the scene asks? If not, say which methods can. Also a method's options.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "scene/check_scene.h"
#include "scene/describe_scene.h"
#include "scene/suggest.h"
#include "scene/write_value.h"

namespace tendril {
namespace {
using scene_detail::option_text;
using scene_detail::quote;

std::vector<std::string> names(std::span<const MethodInfo> methods) {
  std::vector<std::string> list;
  for (const MethodInfo& m : methods) list.push_back(m.name);
  return list;
}

// What a scene asks a method for.
struct Demand {
  std::string field;    // that asks for it
  Feature feature;      // or, where there are edges, as many segments as the method needs
  std::string because;  // "the mode is \"dynamics\""
  std::optional<int> edges = {};
};

// The features that count: those of the scene's mode; of a method without that mode all, so that the mode alone is refused.
bool meets(const Capability& can, const Demand& demand, Mode mode) {
  if (demand.edges) return *demand.edges >= can.fewest_edges;
  const FeatureSet& here = mode == Mode::dynamics ? can.motion : can.equilibrium;
  if (demand.feature == Feature::inertia || demand.feature == Feature::equilibria) return can.any(demand.feature);
  return here.empty() ? can.any(demand.feature) : here.has(demand.feature);
}

bool is_limp_in_twist(const CrossSection& section) {
  const auto* s = std::get_if<StiffnessSection>(&section);
  return s != nullptr && s->GJ == 0;
}
bool is_limp_in_bending(const CrossSection& section) {
  const auto* s = std::get_if<StiffnessSection>(&section);
  return s != nullptr && (s->EI1 == 0 || s->EI2 == 0);
}

bool is_anisotropic(const CrossSection& section) {
  if (const auto* e = std::get_if<EllipseSection>(&section)) return e->a != e->b;
  if (const auto* r = std::get_if<RectangleSection>(&section)) return r->width != r->height;
  if (const auto* s = std::get_if<StiffnessSection>(&section)) return s->EI1 != s->EI2;
  return false;
}

bool is_straight(const Curve& curve) {
  if (std::holds_alternative<StraightCurve>(curve)) return true;
  if (const auto* b = std::get_if<BentCurve>(&curve)) return b->curvature.isZero(0);
  const auto* p = std::get_if<PolylineCurve>(&curve);
  if (!p || p->closed || p->points.size() < 2) return false;
  const Vec3 line = (p->points.back() - p->points.front()).normalized();
  return std::all_of(p->points.begin(), p->points.end(), [&](const Vec3& x) {
    return (x - p->points.front()).cross(line).norm() <= 1e-9 * (p->points.back() - p->points.front()).norm();
  });
}

void add_section_demands(const CrossSection& section, const std::string& path, const std::string& who,
                         std::vector<Demand>& demands) {
  if (is_anisotropic(section)) demands.push_back({path, Feature::anisotropic, who + "has a section that is not round"});
  if (is_limp_in_twist(section)) demands.push_back({path + ".stiffness.GJ", Feature::limp_twist, who + "has none"});
  if (is_limp_in_bending(section)) demands.push_back({path + ".stiffness.EI1", Feature::limp_bend, who + "has none"});
}

// How the rod gives way.
void add_elastic_demands(const Rod& rod, const std::string& path, const std::string& who, std::vector<Demand>& demands) {
  if (rod.stretch != Give::none) demands.push_back({path + ".stretch", Feature::stretch, who + "stretches"});
  if (rod.shear != Give::none) demands.push_back({path + ".shear", Feature::shear, who + "shears"});
  if (rod.stiffening_strain)
    demands.push_back({path + ".stiffening_strain", Feature::stiffening, who + "stiffens with its strain"});
}

void add_rod_demands(const Rod& rod, const std::string& path, std::vector<Demand>& demands) {
  const std::string who = "rod `" + rod.name + "` ";
  // Shape at rest.
  if (is_ring(rod.rest))
    demands.push_back({path + ".rest", Feature::ring, who + "is closed"});
  else if (!is_straight(rod.rest))
    demands.push_back({path + ".rest", Feature::rest_curvature, who + "is curved at rest"});
  // Sections, damping, elasticity.
  if (rod.section) add_section_demands(*rod.section, path + ".section", who, demands);
  for (std::size_t i = 0; i < rod.sections.size(); ++i)
    add_section_demands(rod.sections[i].section, fmt::format("{}.sections[{}].section", path, i), who, demands);
  if (!(rod.damping == Damping{})) demands.push_back({path + ".damping", Feature::damping, who + "is damped"});
  add_elastic_demands(rod, path, who, demands);
  // Motion at the start, and number of segments; without one, that of the polyline or the default.
  if (!rod.velocities.empty()) demands.push_back({path + ".velocities", Feature::inertia, who + "starts with velocities"});
  if (!rod.velocity.isZero(0) || !rod.angular_velocity.isZero(0))
    demands.push_back({path + ".velocity", Feature::inertia, who + "starts with a velocity"});
  const auto* p = std::get_if<PolylineCurve>(&rod.rest);
  const int own = p ? static_cast<int>(std::min(p->points.size(), std::size_t{1} << 30)) - (p->closed ? 0 : 1) : 50;
  const int edges = rod.segments.value_or(own);
  demands.push_back({path + ".segments", Feature::count, fmt::format("{}has {}", who, edges), edges});
}

void add_clamp_demands(const std::set<std::string>& rings, const Clamp& clamp, const std::string& path,
                       std::vector<Demand>& demands) {
  // Where it stands, whether it slides, what it holds.
  const bool inside = rings.count(clamp.rod) || (clamp.at > 0 && clamp.at < 1);
  const std::string who = "clamp `" + clamp.name + "` ";
  const auto holds = [&clamp](Hold h) { return std::find(clamp.hold.begin(), clamp.hold.end(), h) != clamp.hold.end(); };
  if (inside) demands.push_back({path + ".at", Feature::hold_inside, who + "stands inside"});
  if (clamp.slide) demands.push_back({path + ".slide", Feature::sliding_clamps, who + "slides"});
  for (const Hold h : clamp.hold) {
    const Feature feature = h == Hold::position    ? Feature::hold_position
                            : h == Hold::direction ? Feature::hold_direction
                                                   : Feature::hold_twist;
    demands.push_back({path + ".hold", feature, who + "asks for it"});
  }
  if (holds(Hold::twist) && !holds(Hold::direction))
    demands.push_back({path + ".hold", Feature::hold_twist_alone, who + "holds the twist alone"});
}

void add_coupling_demands(const Coupling& c, const std::string& path, std::vector<Demand>& demands) {
  const std::string who = "coupling `" + c.name + "` ";
  demands.push_back({path, Feature::couplings, who + "pulls a rod"});
  if (c.angular_stiffness > 0 || c.angular_damping > 0)
    demands.push_back({path + (c.angular_stiffness > 0 ? ".angular_stiffness" : ".angular_damping"),
                       Feature::turning_couplings, who + "turns a rod"});
}

void add_load_demands(const Load& load, const std::string& path, std::vector<Demand>& demands) {
  const auto follower = [&](Axes axes, const char* key) {
    if (axes == Axes::material)
      demands.push_back({path + "." + key + ".axes", Feature::follower_loads, "the load is given in material axes"});
  };
  if (const auto* f = std::get_if<ForceLoad>(&load)) follower(f->axes, "force");
  if (const auto* m = std::get_if<MomentLoad>(&load)) follower(m->axes, "moment");
  if (const auto* d = std::get_if<DistributedLoad>(&load)) {
    follower(d->axes, "distributed");
    if (!d->moment.isZero(0)) demands.push_back({path + ".distributed.moment", Feature::line_moments, "the load gives one"});
  }
  if (std::holds_alternative<DragLoad>(load) || std::holds_alternative<WindLoad>(load))
    demands.push_back({path, Feature::drag, "the scene has it"});
}

std::vector<Demand> demands_of(const Scene& scene) {
  std::vector<Demand> demands;
  const auto numbered = [](const char* list, std::size_t i) { return fmt::format("{}[{}]", list, i); };
  // The mode, then everything in the scene that not every method can do.
  demands.push_back({"time.mode", scene.time.mode == Mode::dynamics ? Feature::inertia : Feature::equilibria,
                     std::string("the mode is \"") + scene_detail::word(scene.time.mode) + "\""});
  for (std::size_t i = 0; i < scene.rods.size(); ++i) add_rod_demands(scene.rods[i], numbered("rod", i), demands);
  std::set<std::string> rings;
  for (const Rod& rod : scene.rods)
    if (is_ring(rod.rest)) rings.insert(rod.name);
  for (std::size_t i = 0; i < scene.clamps.size(); ++i)
    add_clamp_demands(rings, scene.clamps[i], numbered("clamp", i), demands);
  for (std::size_t i = 0; i < scene.couplings.size(); ++i)
    add_coupling_demands(scene.couplings[i], numbered("coupling", i), demands);
  for (std::size_t i = 0; i < scene.joints.size(); ++i)
    demands.push_back({numbered("joint", i), Feature::joints, "the scene has joint `" + scene.joints[i].name + "`"});
  for (std::size_t i = 0; i < scene.joints.size(); ++i)
    if (const Joint& j = scene.joints[i]; j.from > 0 || j.until != forever || j.reach)
      demands.push_back({numbered("joint", i) + (j.from > 0 ? ".from"
                                                 : j.reach  ? ".reach"
                                                            : ".until"),
                         Feature::switched_joints, "joint `" + scene.joints[i].name + "` does"});
  for (std::size_t i = 0; i < scene.joints.size(); ++i)
    if (scene.joints[i].kind == JointKind::slider)
      demands.push_back(
          {numbered("joint", i) + ".kind", Feature::slider_joints, "joint `" + scene.joints[i].name + "` slides"});
  for (std::size_t i = 0; i < scene.winches.size(); ++i)
    demands.push_back({numbered("winch", i), Feature::winch, "the scene has winch `" + scene.winches[i].name + "`"});
  for (std::size_t i = 0; i < scene.reevings.size(); ++i)
    demands.push_back({numbered("reeving", i), Feature::reeving, "the scene has reeving `" + scene.reevings[i].name + "`"});
  if (scene.contact.enabled) demands.push_back({"contact.enabled", Feature::contact, "the scene asks for it"});
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    demands.push_back({numbered("body", i), Feature::bodies, "the scene has body `" + scene.bodies[i].name + "`"});
  for (std::size_t i = 0; i < scene.loads.size(); ++i) add_load_demands(scene.loads[i], numbered("load", i), demands);
  return demands;
}

// What the method lacks: the table's words, or, when it has the feature in the other mode only, that.
std::string lack_of(const Capability& can, const Demand& demand, Mode mode) {
  if (demand.edges) return fmt::format("needs at least {} segments", can.fewest_edges);
  const FeatureInfo& info = info_of(demand.feature);
  if (!can.any(demand.feature)) return info.lack;
  return mode == Mode::dynamics ? fmt::format("has {} in equilibria only", info.noun)
                                : fmt::format("finds no equilibria with {}", info.noun);
}

std::string wrong_option(const OptionInfo& info, const OptionValue& value) {  // what is allowed, when `value` is not
  if (info.fallback.index() != value.index()) {
    const char* kinds[] = {"true or false", "a number", "a word in quotes"};
    const std::string kind = std::string("must be ") + kinds[info.fallback.index()];
    return info.unit.empty() ? kind : kind + " in " + info.unit;
  }
  if (const auto* number = std::get_if<double>(&value)) {
    const Range range{info.low, info.high};
    if (!std::isfinite(*number)) return "must be a finite number";
    if (!range.contains(*number)) return to_text(range);
  }
  if (const auto* text = std::get_if<std::string>(&value); text && !info.choices.empty())
    if (std::find(info.choices.begin(), info.choices.end(), *text) == info.choices.end())
      return "must be one of: " + join(info.choices);
  return {};
}

// Options of earlier versions that are properties of the rod now: the same rod for every method.
const char* moved_option(const std::string& name) {
  if (name == "extensible") return "write stretch = \"elastic\" in the [[rod]] instead";
  if (name == "shear_ratio")
    return "write shear = \"elastic\" in the [[rod]] instead; GA1 and GA2 follow from its section or are given there";
  if (name == "law" || name == "stiffening_strain") return "write stiffening_strain = ... in the [[rod]] instead";
  return nullptr;
}

void check_method_options(const Scene& scene, const MethodInfo& method, const OptionTable& table, Problems& problems) {
  std::vector<std::string> known;
  for (const OptionInfo& info : method.options) known.push_back(info.name);
  for (const auto& [name, value] : table) {
    const std::string field = "options." + method.name + "." + name;
    // Known, known from earlier versions, or unknown.
    const auto info =
        std::find_if(method.options.begin(), method.options.end(), [&](const OptionInfo& o) { return o.name == name; });
    if (const char* place = moved_option(name); place != nullptr && info == method.options.end()) {
      problems.push_back({Severity::error, locate(scene, field), field, "is no option any more", {}, place});
      continue;
    }
    if (info == method.options.end()) {
      const std::string none = "method `" + method.name + "` has no options";
      problems.push_back(
          {Severity::error, locate(scene, field), field, "unknown option", {}, known.empty() ? none : suggest(name, known)});
      continue;
    }
    // Known: of the right type and in range?
    const std::string allowed = wrong_option(*info, value);
    if (allowed.empty()) continue;
    const auto* text = std::get_if<std::string>(&value);
    const std::string unit = !info->unit.empty() && !text ? " " + info->unit : "";
    problems.push_back({Severity::error, locate(scene, field), field, "got " + option_text(value) + unit, allowed,
                        text && !info->choices.empty() ? did_you_mean(*text, info->choices) : std::string()});
  }
}

}  // namespace

Problems check_options(const Scene& scene, std::span<const MethodInfo> methods) {
  Problems problems;
  for (const auto& [name, table] : scene.options) {
    const auto method =
        std::find_if(methods.begin(), methods.end(), [&n = name](const MethodInfo& m) { return m.name == n; });
    const std::string field = "options." + name;
    if (method != methods.end())
      check_method_options(scene, *method, table, problems);
    else
      problems.push_back({Severity::error,
                          locate(scene, field),
                          field,
                          "no method is called " + quote(name),
                          {},
                          suggest(name, names(methods))});
  }
  return problems;
}

Problems check_capability(const Scene& scene, std::span<const MethodInfo> methods) {
  const auto method =
      std::find_if(methods.begin(), methods.end(), [&](const MethodInfo& m) { return m.name == scene.method; });
  if (method == methods.end())
    return {{Severity::error,
             locate(scene, "method"),
             "method",
             "no method is called " + quote(scene.method),
             {},
             suggest(scene.method, names(methods))}};
  const Mode mode = scene.time.mode;
  const std::vector<Demand> demands = demands_of(scene);
  // Methods that meet every demand, so that changing to one of them does not lead to the next refusal.
  std::vector<std::string> able;
  for (const MethodInfo& m : methods)
    if (std::all_of(demands.begin(), demands.end(), [&](const Demand& d) { return meets(m.can, d, mode); }))
      able.push_back(m.name);
  Problems problems;
  for (const Demand& d : demands) {
    if (meets(method->can, d, mode)) continue;
    // For each lack the best advice: methods that can all, or this, or this in the other mode.
    std::vector<std::string> can;
    for (const MethodInfo& m : methods)
      if (meets(m.can, d, mode)) can.push_back(m.name);
    std::vector<std::string> otherwise;  // in the other mode
    for (const MethodInfo& m : methods)
      if (!d.edges && m.can.any(d.feature)) otherwise.push_back(m.name);
    std::string remedy = !able.empty()            ? "methods that can: " + join(able)
                         : !can.empty()           ? "methods that can do this, but not all of the scene: " + join(can)
                         : otherwise.empty()      ? "no method can"
                         : mode == Mode::dynamics ? "methods that can, in equilibria only: " + join(otherwise)
                                                  : "methods that can, in motion only: " + join(otherwise);
    problems.push_back({Severity::error,
                        locate(scene, d.field),
                        d.field,
                        "method `" + scene.method + "` " + lack_of(method->can, d, mode) + ", but " + d.because,
                        {},
                        std::move(remedy)});
  }
  return problems;
}

}  // namespace tendril
