// Can the scene's method do what the scene asks? If not, say which methods can. Also a method's options.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "scene/check_scene.h"
#include "scene/describe_scene.h"
#include "scene/suggest.h"
#include "scene/write_value.h"

namespace tendril {
namespace {
using scene_detail::option_text;
using scene_detail::quote;

std::vector<std::string> names(std::span<const MethodEntry> methods) {
  std::vector<std::string> list;
  for (const MethodEntry& m : methods) list.push_back(m.info.name);
  return list;
}

struct Demand {
  std::string field;    // that asks for it
  std::string lack;     // "has no inertia"
  std::string because;  // "the mode is \"dynamics\""
  std::function<bool(const Capability&)> met;
};

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

// How the rod gives way.
void add_elastic_demands(const Rod& rod, const std::string& path, const std::string& who, std::vector<Demand>& demands) {
  if (rod.stretch != Give::none)
    demands.push_back({path + ".stretch", "has no rods that stretch", who + "stretches", [](auto& c) { return c.stretch; }});
  if (rod.shear != Give::none)
    demands.push_back({path + ".shear", "has no rods that shear", who + "shears", [](auto& c) { return c.shear; }});
  if (rod.stiffening_strain)
    demands.push_back({path + ".stiffening_strain", "knows linear moments only", who + "stiffens with its strain",
                       [](auto& c) { return c.stiffening; }});
}

void add_rod_demands(const Rod& rod, const std::string& path, std::vector<Demand>& demands) {
  const std::string who = "rod `" + rod.name + "` ";
  if (is_ring(rod.rest))
    demands.push_back({path + ".rest", "knows no rings", who + "is closed", [](auto& c) { return c.ring; }});
  else if (!is_straight(rod.rest))
    demands.push_back({path + ".rest", "knows straight rest shapes only", who + "is curved at rest",
                       [](auto& c) { return c.rest_curvature; }});
  if (rod.section && is_anisotropic(*rod.section))
    demands.push_back({path + ".section", "needs equal bending stiffness in both directions",
                       who + "has a section that is not round", [](auto& c) { return c.anisotropic; }});
  for (std::size_t i = 0; i < rod.sections.size(); ++i)
    if (is_anisotropic(rod.sections[i].section))
      demands.push_back({fmt::format("{}.sections[{}].section", path, i), "needs equal bending stiffness in both directions",
                         who + "has a section that is not round", [](auto& c) { return c.anisotropic; }});
  if (!(rod.damping == Damping{}))
    demands.push_back({path + ".damping", "has no damping", who + "is damped", [](auto& c) { return c.damping; }});
  add_elastic_demands(rod, path, who, demands);
  if (!rod.velocities.empty())
    demands.push_back(
        {path + ".velocities", "has no inertia", who + "starts with velocities", [](auto& c) { return c.inertia; }});
  if (!rod.velocity.isZero(0) || !rod.angular_velocity.isZero(0))
    demands.push_back(
        {path + ".velocity", "has no inertia", who + "starts with a velocity", [](auto& c) { return c.inertia; }});
  const auto* p = std::get_if<PolylineCurve>(&rod.rest);
  const int own = p ? static_cast<int>(std::min(p->points.size(), std::size_t{1} << 30)) - (p->closed ? 0 : 1) : 50;
  const int edges = rod.segments.value_or(own);
  demands.push_back({path + ".segments", "needs more segments", fmt::format("{}has {}", who, edges),
                     [edges](auto& c) { return edges >= c.fewest_edges; }});
}

void add_clamp_demands(const std::set<std::string>& rings, const Clamp& clamp, const std::string& path,
                       std::vector<Demand>& demands) {
  const bool inside = rings.count(clamp.rod) || (clamp.at > 0 && clamp.at < 1);
  const std::string who = "clamp `" + clamp.name + "` ";
  if (inside)
    demands.push_back(
        {path + ".at", "holds rods at their ends only", who + "stands inside", [](auto& c) { return c.hold_inside; }});
  if (clamp.slide)
    demands.push_back(
        {path + ".slide", "has no clamps that slide", who + "slides", [](auto& c) { return c.sliding_clamps; }});
  for (const Hold h : clamp.hold) {
    const std::string what = scene_detail::word(h);
    demands.push_back(
        {path + ".hold", "cannot hold the " + what, who + "asks for it", [h](auto& c) {
           return h == Hold::position ? c.hold_position : h == Hold::direction ? c.hold_direction : c.hold_twist;
         }});
  }
}

void add_coupling_demands(const Coupling& c, const std::string& path, std::vector<Demand>& demands) {
  const std::string who = "coupling `" + c.name + "` ";
  demands.push_back({path, "has no couplings", who + "pulls a rod", [](auto& can) { return can.coupling; }});
  if (c.angular_stiffness > 0 || c.angular_damping > 0)
    demands.push_back({path + (c.angular_stiffness > 0 ? ".angular_stiffness" : ".angular_damping"),
                       "has couplings that pull, none that turn", who + "turns a rod",
                       [](auto& can) { return can.angular_coupling; }});
}

void add_load_demands(const Load& load, const std::string& path, std::vector<Demand>& demands) {
  const auto follower = [&](Axes axes, const char* key) {
    if (axes == Axes::material)
      demands.push_back({path + "." + key + ".axes", "has no loads that turn with the rod",
                         "the load is given in material axes", [](auto& c) { return c.follower_loads; }});
  };
  if (const auto* f = std::get_if<ForceLoad>(&load)) follower(f->axes, "force");
  if (const auto* m = std::get_if<MomentLoad>(&load)) follower(m->axes, "moment");
  if (const auto* d = std::get_if<DistributedLoad>(&load)) {
    follower(d->axes, "distributed");
    if (!d->moment.isZero(0))
      demands.push_back({path + ".distributed.moment", "has no moments per length", "the load gives one",
                         [](auto& c) { return c.line_moments; }});
  }
  if (std::holds_alternative<DragLoad>(load))
    demands.push_back({path, "has no drag", "the scene has it", [](auto& c) { return c.drag; }});
  if (std::holds_alternative<WindLoad>(load))
    demands.push_back({path, "has no wind", "the scene has it", [](auto& c) { return c.drag; }});
}

std::vector<Demand> demands_of(const Scene& scene) {
  std::vector<Demand> demands;
  const std::string mode = std::string("the mode is \"") + scene_detail::word(scene.time.mode) + "\"";
  if (scene.time.mode == Mode::dynamics)
    demands.push_back({"time.mode", "has no inertia", mode, [](auto& c) { return c.inertia; }});
  else
    demands.push_back({"time.mode", "finds no equilibria", mode, [](auto& c) { return c.statics; }});
  for (std::size_t i = 0; i < scene.rods.size(); ++i) add_rod_demands(scene.rods[i], fmt::format("rod[{}]", i), demands);
  std::set<std::string> rings;
  for (const Rod& rod : scene.rods)
    if (is_ring(rod.rest)) rings.insert(rod.name);
  for (std::size_t i = 0; i < scene.clamps.size(); ++i)
    add_clamp_demands(rings, scene.clamps[i], fmt::format("clamp[{}]", i), demands);
  for (std::size_t i = 0; i < scene.couplings.size(); ++i)
    add_coupling_demands(scene.couplings[i], fmt::format("coupling[{}]", i), demands);
  for (std::size_t i = 0; i < scene.joints.size(); ++i)
    demands.push_back({fmt::format("joint[{}]", i), "has no joints", "the scene has joint `" + scene.joints[i].name + "`",
                       [](auto& c) { return c.joints; }});
  for (std::size_t i = 0; i < scene.joints.size(); ++i)
    if (scene.joints[i].from > 0 || scene.joints[i].until != forever)
      demands.push_back({fmt::format("joint[{}].{}", i, scene.joints[i].from > 0 ? "from" : "until"),
                         "has no joints that come and go", "joint `" + scene.joints[i].name + "` does",
                         [](auto& c) { return c.switched_joints; }});
  if (scene.contact.enabled)
    demands.push_back(
        {"contact.enabled", "has no contact", "the scene asks for it", [](auto& c) { return c.contact != Support::none; }});
  if (scene.time.mode != Mode::dynamics && scene.contact.enabled)
    demands.push_back({"time.mode", "finds no equilibria with contact", mode + " and the scene asks for contact",
                       [](auto& c) { return c.contact == Support::full; }});
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    demands.push_back({fmt::format("body[{}]", i), "has no bodies", "the scene has body `" + scene.bodies[i].name + "`",
                       [](auto& c) { return c.bodies != Support::none; }});
  if (scene.time.mode != Mode::dynamics && !(scene.joints.empty() && scene.bodies.empty()))
    demands.push_back({"time.mode", "finds no equilibria of rods with joints or bodies", mode + " and the scene has them",
                       [](auto& c) { return c.bodies == Support::full; }});
  for (std::size_t i = 0; i < scene.loads.size(); ++i) add_load_demands(scene.loads[i], fmt::format("load[{}]", i), demands);
  return demands;
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

void check_method_options(const Scene& scene, const MethodEntry& method, const OptionTable& table, Problems& problems) {
  std::vector<std::string> known;
  for (const OptionInfo& info : method.info.options) known.push_back(info.name);
  for (const auto& [name, value] : table) {
    const std::string field = "options." + method.info.name + "." + name;
    const auto info = std::find_if(method.info.options.begin(), method.info.options.end(),
                                   [&](const OptionInfo& o) { return o.name == name; });
    if (const char* place = moved_option(name); place != nullptr && info == method.info.options.end()) {
      problems.push_back({Severity::error, locate(scene, field), field, "is no option any more", {}, place});
      continue;
    }
    if (info == method.info.options.end()) {
      const std::string none = "method `" + method.info.name + "` has no options";
      problems.push_back(
          {Severity::error, locate(scene, field), field, "unknown option", {}, known.empty() ? none : suggest(name, known)});
      continue;
    }
    const std::string allowed = wrong_option(*info, value);
    if (allowed.empty()) continue;
    const auto* text = std::get_if<std::string>(&value);
    const std::string unit = !info->unit.empty() && !text ? " " + info->unit : "";
    problems.push_back({Severity::error, locate(scene, field), field, "got " + option_text(value) + unit, allowed,
                        text && !info->choices.empty() ? suggest(*text, info->choices) : std::string()});
  }
}

}  // namespace

Problems check_options(const Scene& scene, std::span<const MethodEntry> methods) {
  Problems problems;
  for (const auto& [name, table] : scene.options) {
    const auto method =
        std::find_if(methods.begin(), methods.end(), [&n = name](const MethodEntry& m) { return m.info.name == n; });
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

Problems check_capability(const Scene& scene, std::span<const MethodEntry> methods) {
  const auto method =
      std::find_if(methods.begin(), methods.end(), [&](const MethodEntry& m) { return m.info.name == scene.method; });
  if (method == methods.end())
    return {{Severity::error,
             locate(scene, "method"),
             "method",
             "no method is called " + quote(scene.method),
             {},
             suggest(scene.method, names(methods))}};
  const std::vector<Demand> demands = demands_of(scene);
  // Methods that meet every demand, so that changing to one of them does not lead to the next refusal.
  std::vector<std::string> able;
  for (const MethodEntry& m : methods)
    if (std::all_of(demands.begin(), demands.end(), [&](const Demand& d) { return d.met(m.info.can); }))
      able.push_back(m.info.name);
  Problems problems;
  for (const Demand& d : demands) {
    if (d.met(method->info.can)) continue;
    std::vector<std::string> can;
    for (const MethodEntry& m : methods)
      if (d.met(m.info.can)) can.push_back(m.info.name);
    std::string remedy = !able.empty() ? "methods that can: " + join(able)
                         : can.empty() ? "no method can"
                                       : "methods that can do this, but not all of the scene: " + join(can);
    problems.push_back({Severity::error,
                        locate(scene, d.field),
                        d.field,
                        "method `" + scene.method + "` " + d.lack + ", but " + d.because,
                        {},
                        std::move(remedy)});
  }
  return problems;
}

}  // namespace tendril
