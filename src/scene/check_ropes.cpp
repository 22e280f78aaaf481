// Ropes that run: winches and reevings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/complaints.h"
#include "scene/describe_scene.h"
#include "scene/write_value.h"

namespace tendril {
namespace {
using scene_detail::number_text;
using scene_detail::quote;

class RopeChecker : public Complaints {
 public:
  using Complaints::Complaints;
  void check_winch(const Winch& winch, const std::string& path);
  void check_reeving(const Reeving& reeving, const std::string& path);
  void check_pairs();

 private:
  const Rod* rod_of(const std::string& name) const {
    for (const Rod& rod : scene_.rods)
      if (rod.name == name || (name.empty() && scene_.rods.size() == 1)) return &rod;
    return nullptr;
  }
  bool is_same_rod(const std::string& a, const std::string& b) const { return rod_of(a) && rod_of(a) == rod_of(b); }
  bool is_held(const Winch& winch) const;
  bool is_reeved(const std::string& rod) const {
    return std::ranges::any_of(scene_.reevings, [&](const Reeving& r) { return is_same_rod(r.rod, rod); });
  }
};

// A rod's end is held where a clamp or a joint stands; the points of a reeving hold theirs.
bool RopeChecker::is_held(const Winch& winch) const {
  const double at = winch.end == RodEnd::start ? 0 : 1;
  if (is_reeved(winch.rod)) return true;
  for (const Clamp& clamp : scene_.clamps)
    if (is_same_rod(clamp.rod, winch.rod) && clamp.at == at && std::ranges::count(clamp.hold, Hold::position) > 0)
      return true;
  return std::ranges::any_of(scene_.joints, [&](const Joint& joint) {
    const auto here = [&](const JointPlace& p) {
      return p.body.empty() && !p.world && is_same_rod(p.rod, winch.rod) && p.at == at;
    };
    return here(joint.a) || here(joint.b);
  });
}

void RopeChecker::check_winch(const Winch& winch, const std::string& path) {
  check_timetable(winch.speed, path + ".speed");
  check_timetable(winch.force, path + ".force");
  const Rod* rod = rod_of(winch.rod);
  if (rod != nullptr && is_ring(rod->rest)) error(path + ".rod", "is a ring, which has no end", "must be an open rod");
  if (rod != nullptr && !is_held(winch))
    error(path,
          fmt::format("nothing holds the {} of rod {}", winch.end == RodEnd::start ? "start" : "end", quote(rod->name)),
          "rope leaves the drum where a clamp or a joint holds this end",
          fmt::format("add a [[clamp]] at = {} with hold = [\"position\"], or a [[joint]] there",
                      winch.end == RodEnd::start ? 0 : 1));
  // That it exists is checked with all names.
  if (const auto led = std::ranges::find(scene_.winches, winch.follows, &Winch::name);
      !winch.follows.empty() && led != scene_.winches.end() && (&*led == &winch || !led->follows.empty()))
    error(path + ".follows", &*led == &winch ? "is the winch itself" : "names a winch that follows another itself", {},
          "name a winch that follows none");
  if (!winch.speed.keys.empty() && !winch.force.keys.empty())
    error(path + ".force", "speed and force are both given", "must be one of them", "remove one");
  for (std::size_t k = 0; k < winch.speed.keys.size(); ++k)
    if (std::abs(winch.speed.keys[k].value) > winch.top_speed)
      error(fmt::format("{}.speed.keys[{}]", path, k), fmt::format("got {} m/s", number_text(winch.speed.keys[k].value)),
            fmt::format("must be at most top_speed, {} m/s", number_text(winch.top_speed)), "raise top_speed");
  if (scene_.time.mode != Mode::dynamics) return;
  const PaidOut paid = paid_out(winch.speed, scene_.time.duration);
  if (paid.most > winch.stored * (1 + 1e-9) + 1e-12)
    error(path + ".stored",
          fmt::format("{} m of rope, but speed pays out {}", number_text(winch.stored), number_text(paid.most)), {},
          "store more rope, or pay out less");
}

void RopeChecker::check_reeving(const Reeving& reeving, const std::string& path) {
  const Rod* rod = rod_of(reeving.rod);
  if (rod == nullptr) return;
  const auto* line = std::get_if<PolylineCurve>(&rod->rest);
  if (line == nullptr || line->closed)
    return error(path + ".rod", "does not name a rod whose rest curve is an open polyline",
                 "the rod needs a node at each point through which the rope runs",
                 "give the rod rest.polyline.points: both ends and every sheave");
  if (line->points.size() != reeving.points.size())
    error(path + ".points", fmt::format("{} points, but the rod has {}", reeving.points.size(), line->points.size()),
          "must be one for each point of the rod's polyline, both ends included");
  if (rod->segments && *rod->segments + 1 != static_cast<int>(line->points.size()))
    error(path + ".rod", "has segments of its own", "between its points such a rope is straight",
          "remove `segments` of the rod");
  for (std::size_t k = 1; k < line->points.size(); ++k)
    if (!((line->points[k] - line->points[k - 1]).norm() > 0))
      error(fmt::format("{}.points[{}]", path, k), "lies where the point before it lies", "a fall needs a length");
  if (rod->initial)
    error(path + ".rod", "has an initial curve", "such a rope starts along its rest curve", "remove `initial` of the rod");
  for (const Clamp& clamp : scene_.clamps)
    if (is_same_rod(clamp.rod, reeving.rod))
      error(path + ".rod", "is held by clamp " + quote(clamp.name) + " too", "its points are held by what the reeving names",
            "remove the clamp; a point without `body` is fixed to the world");
}

// One drum at an end, one reeving for a rod.
void RopeChecker::check_pairs() {
  for (std::size_t i = 0; i < scene_.winches.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (is_same_rod(scene_.winches[i].rod, scene_.winches[k].rod) && scene_.winches[i].end == scene_.winches[k].end)
        error(fmt::format("winch[{}]", i), fmt::format("stands where winch {} stands", quote(scene_.winches[k].name)),
              "an end runs onto one drum");
  for (std::size_t i = 0; i < scene_.reevings.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (is_same_rod(scene_.reevings[i].rod, scene_.reevings[k].rod))
        error(fmt::format("reeving[{}].rod", i), "is the rod of reeving " + quote(scene_.reevings[k].name) + " too");
}

}  // namespace

// The trapezoid rule is exact for straight and for eased intervals.
PaidOut paid_out(const Timetable<double>& speed, double duration) {
  PaidOut out;
  double sum = 0, time = 0, now = speed.keys.empty() ? 0 : speed.keys.front().value;
  const auto to = [&](double until, double next) {
    const double until_now = std::min(until, duration);
    if (until_now <= time) return;
    sum += (until_now - time) * (speed.shape == TimetableShape::hold ? now : 0.5 * (now + next));
    time = until_now, now = next;
    out.most = std::max(out.most, sum), out.least = std::min(out.least, sum);
  };
  for (const auto& key : speed.keys) to(key.time, key.value);
  to(duration, now);
  return out;
}

Problems check_ropes(const Scene& scene) {
  RopeChecker checker(scene);
  for (std::size_t i = 0; i < scene.winches.size(); ++i) checker.check_winch(scene.winches[i], fmt::format("winch[{}]", i));
  for (std::size_t i = 0; i < scene.reevings.size(); ++i)
    checker.check_reeving(scene.reevings[i], fmt::format("reeving[{}]", i));
  checker.check_pairs();
  return std::move(checker.problems);
}

}  // namespace tendril
