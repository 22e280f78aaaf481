// Time, timetables, clamps, joints, loads and probes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scene/complaints.h"
#include "scene/describe_scene.h"
#include "scene/write_value.h"

namespace tendril {
namespace {
using scene_detail::number_text;
using scene_detail::quote;
using scene_detail::word;

class DriveChecker : public Complaints {
 public:
  using Complaints::Complaints;
  void check_time();
  void check_clamp(std::size_t i);
  void check_coupling(const Coupling& coupling, const std::string& path);
  void check_joint(const Joint& joint, const std::string& path);
  void check_load(const Load& load, const std::string& path);
  void check_probe(const Probe& probe, const std::string& path);
  void check_body_probe(const Probe& probe, const std::string& path);
  void check_ignored();
};

void DriveChecker::check_time() {
  const Time& t = scene_.time;
  const double frames = t.duration * t.frames_per_second;
  if (std::isfinite(frames) && frames > max_frames)
    error("time.frames_per_second",
          fmt::format("{} s at {} per second are {:.4g} frames", number_text(t.duration), number_text(t.frames_per_second),
                      frames),
          fmt::format("must be at most {:.0f}", max_frames), "record fewer frames per second");
}

void DriveChecker::check_clamp(std::size_t i) {
  const Clamp& c = scene_.clamps[i];
  const std::string path = "clamp[" + std::to_string(i) + "]";
  if (c.hold.empty()) error(path + ".hold", "is empty", "must name at least one of: position, direction, twist");
  std::set<Hold> seen;
  for (std::size_t a = 0; a < c.hold.size(); ++a)
    if (!seen.insert(c.hold[a]).second)
      error(fmt::format("{}.hold[{}]", path, a), "got " + quote(word(c.hold[a])) + " twice", {}, "remove one of the two");
  const auto holds = [&c](Hold h) { return std::find(c.hold.begin(), c.hold.end(), h) != c.hold.end(); };
  if (!c.move.keys.empty() && !holds(Hold::position))
    error(path + ".move", "moves a point that is not held", {}, "add \"position\" to hold");
  if (!c.turn.keys.empty() && !holds(Hold::direction) && !holds(Hold::twist))
    error(path + ".turn", "turns a point whose direction and twist are free", {}, "add \"direction\" or \"twist\" to hold");
  if (c.direction && !holds(Hold::direction))
    error(path + ".direction", "is given, but the direction is not held", {}, "add \"direction\" to hold");
  if (!(c.from < c.until))
    error(path + ".until", fmt::format("got {} s, from is {} s", number_text(c.until), number_text(c.from)),
          "must be later than `from`");
  check_timetable(c.move, path + ".move");
  check_timetable(c.turn, path + ".turn");
}

void DriveChecker::check_coupling(const Coupling& c, const std::string& path) {
  const bool turns = c.angular_stiffness > 0 || c.angular_damping > 0;
  if (c.stiffness == 0 && c.damping == 0 && !turns)
    error(path, "has no stiffness and no damping", "at least one must be > 0", "give stiffness in N/m");
  if (!c.turn.keys.empty() && !turns)
    error(path + ".turn", "turns, but nothing passes the turn on", {}, "give angular_stiffness in N m/rad");
  if (!(c.from < c.until))
    error(path + ".until", fmt::format("got {} s, from is {} s", number_text(c.until), number_text(c.from)),
          "must be later than `from`");
  if (scene_.time.mode != Mode::dynamics && c.stiffness == 0 && c.angular_stiffness == 0)
    add(Severity::warning, path + ".damping", "has no effect on an equilibrium");
  check_timetable(c.move, path + ".move");
  check_timetable(c.turn, path + ".turn");
}

void DriveChecker::check_joint(const Joint& joint, const std::string& path) {
  if (joint.a == joint.b) error(path + ".b", "is the same place as a", "a joint must join two places");
}

void DriveChecker::check_load(const Load& load, const std::string& path) {
  const std::string inner = path + "." + Choices<Load>::list[load.index()].name;
  const auto point = [&](const PointLoad& p) { check_timetable(p.factor, inner + ".factor"); };
  if (const auto* f = std::get_if<ForceLoad>(&load)) point(*f);
  if (const auto* m = std::get_if<MomentLoad>(&load)) point(*m);
  if (const auto* w = std::get_if<WindLoad>(&load)) check_timetable(w->factor, inner + ".factor");
  if (const auto* d = std::get_if<DistributedLoad>(&load)) {
    check_timetable(d->factor, inner + ".factor");
    if (!(d->from < d->to))
      error(inner, fmt::format("runs from {} to {}", number_text(d->from), number_text(d->to)),
            "`from` must be smaller than `to`");
  }
  if (const auto* d = std::get_if<DragLoad>(&load); d && d->normal == 0 && d->tangential == 0)
    error(inner, "has no resistance", "normal or tangential must be > 0");
}

void DriveChecker::check_probe(const Probe& probe, const std::string& path) {
  // A reaction belongs to a clamp or coupling; some quantities to a body; all others to a rod.
  const bool reaction = probe.quantity == Quantity::reaction_force || probe.quantity == Quantity::reaction_moment;
  const std::string quantity = quote(word(probe.quantity));
  if (reaction && probe.clamp.empty() && probe.coupling.empty())
    error(path + ".clamp", "is missing", {}, "name the clamp or coupling whose " + quantity + " is meant");
  if (reaction && !probe.clamp.empty() && !probe.coupling.empty())
    error(path + ".coupling", "is given together with a clamp", quantity + " belongs to one of them", "remove one");
  if (!probe.body.empty()) return check_body_probe(probe, path);
  if (!reaction && probe.rod.empty()) error(path + ".rod", "is missing", {}, "name the rod whose " + quantity + " is meant");
  if (reaction && !probe.rod.empty())
    error(path + ".rod", "is given", quantity + " belongs to a clamp or coupling", "remove it");
  if (probe.quantity == Quantity::angular_velocity) error(path + ".body", "is missing", quantity + " belongs to a body");
  if (!reaction && !probe.clamp.empty()) error(path + ".clamp", "is given", quantity + " belongs to a rod", "remove it");
  if (!reaction && !probe.coupling.empty())
    error(path + ".coupling", "is given", quantity + " belongs to a rod", "remove it");
  for (const Coupling& c : scene_.couplings)
    if (c.name == probe.coupling && probe.quantity == Quantity::reaction_moment && c.angular_stiffness == 0 &&
        c.angular_damping == 0)
      error(path + ".quantity", "coupling " + quote(c.name) + " has no moment", {}, "give it angular_stiffness");
}

void DriveChecker::check_body_probe(const Probe& probe, const std::string& path) {
  using Q = Quantity;
  constexpr Q known[] = {Q::position, Q::velocity, Q::orientation, Q::angular_velocity, Q::kinetic_energy};
  if (!probe.rod.empty() || !probe.clamp.empty())
    error(path + ".body", "is given together with a rod or a clamp", "a probe looks at one thing", "remove one");
  if (std::find(std::begin(known), std::end(known), probe.quantity) == std::end(known))
    error(path + ".quantity", "a body has no " + std::string(word(probe.quantity)),
          "must be one of: position, velocity, orientation, angular_velocity, kinetic_energy");
}

// Rods that are held in place by a clamp or a spring, or joined to what is: to the world, to bodies that are led, to each other.
std::set<std::string> held_rods(const Scene& scene) {
  std::set<std::string> rods, bodies;
  for (const Clamp& clamp : scene.clamps)
    if (std::ranges::count(clamp.hold, Hold::position) > 0) rods.insert(clamp.rod);
  for (const Coupling& c : scene.couplings)
    if (c.stiffness > 0) rods.insert(c.rod);
  for (const RigidBody& body : scene.bodies)
    if (body.kind != BodyKind::dynamic) bodies.insert(body.name);
  const auto is_held = [&](const JointPlace& p) { return p.world || rods.contains(p.rod) || bodies.contains(p.body); };
  const auto hold = [&](const JointPlace& p) {
    if (!p.rod.empty()) return rods.insert(p.rod).second;
    return !p.body.empty() && bodies.insert(p.body).second;
  };
  for (bool more = true; more;) {  // along chains of joints, until nothing changes
    more = false;
    for (const Joint& joint : scene.joints) {
      if (is_held(joint.a)) more = hold(joint.b) || more;
      if (is_held(joint.b)) more = hold(joint.a) || more;
    }
  }
  return rods;
}

// Warns of what has no effect on an equilibrium, rather than silently ignoring it.
void DriveChecker::check_ignored() {
  if (scene_.time.mode == Mode::dynamics) return;
  const std::string why = "has no effect on an equilibrium";
  for (std::size_t i = 0; i < scene_.rods.size(); ++i) {
    // Motion and damping of rods, drag, wind.
    const Rod& r = scene_.rods[i];
    const std::string path = "rod[" + std::to_string(i) + "]";
    if (!r.velocity.isZero(0)) add(Severity::warning, path + ".velocity", why);
    if (!r.angular_velocity.isZero(0)) add(Severity::warning, path + ".angular_velocity", why);
    if (!(r.damping == Damping{})) add(Severity::warning, path + ".damping", why);
  }
  for (std::size_t i = 0; i < scene_.loads.size(); ++i) {
    const std::string path = "load[" + std::to_string(i) + "]";
    if (std::holds_alternative<DragLoad>(scene_.loads[i])) add(Severity::warning, path + ".drag", why);
    if (std::holds_alternative<WindLoad>(scene_.loads[i]))
      error(path + ".wind", "is not part of an equilibrium", "needs time.mode = \"dynamics\"",
            "run the motion with damping until it rests");
  }
  const std::set<std::string> held = held_rods(scene_);
  for (std::size_t i = 0; i < scene_.rods.size(); ++i) {
    // A rod that nothing holds may drift away.
    if (!held.contains(scene_.rods[i].name))
      add(Severity::warning, "rod[" + std::to_string(i) + "]",
          "nothing holds this rod in place, so it may have no equilibrium, or many");
  }
}

}  // namespace

Problems check_drive(const Scene& scene) {
  DriveChecker checker(scene);
  const auto at = [](const char* list, std::size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; };
  checker.check_time();
  for (std::size_t i = 0; i < scene.clamps.size(); ++i) checker.check_clamp(i);
  for (std::size_t i = 0; i < scene.couplings.size(); ++i) checker.check_coupling(scene.couplings[i], at("coupling", i));
  for (std::size_t i = 0; i < scene.joints.size(); ++i) checker.check_joint(scene.joints[i], at("joint", i));
  for (std::size_t i = 0; i < scene.loads.size(); ++i) checker.check_load(scene.loads[i], at("load", i));
  for (std::size_t i = 0; i < scene.probes.size(); ++i) checker.check_probe(scene.probes[i], at("probe", i));
  checker.check_ignored();
  return std::move(checker.problems);
}

}  // namespace tendril
