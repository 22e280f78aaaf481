// Ropes that are too short for what they should do, and joints that say what another joint or a clamp says already: their rows would repeat each other, and no solver could tell which of them
// carries the load.
#include <algorithm>

#include "methods/cable/cable.h"
#include "model/join_plan.h"

namespace tendril::cable {
namespace {

// One side of a joint: a node of a rod, a body that moves, or what is led.
struct Side {
  int node = -1, body = -1;
  bool operator==(const Side&) const = default;
  bool is_led() const { return node < 0 && body < 0; }
};
Side side_of(const Model& model, int rod, NodeIndex node, int body) {
  if (rod >= 0) return {node.value, -1};
  return {-1, body >= 0 && model.bodies[z(body)].moves_freely() ? body : -1};
}
bool at_once(double from_a, double until_a, double from_b, double until_b) {
  return std::max(from_a, from_b) < std::min(until_a, until_b);
}

}  // namespace

void check_points_held_once(const Model& model, Problems& problems) {
  const auto sides = [&](const JointModel& j) {
    return std::pair(side_of(model, j.rod_a, j.node_a, j.body_a), side_of(model, j.rod_b, j.node_b, j.body_b));
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointModel& one = model.joints[i];
    const auto [a, b] = sides(one);
    const std::string field = "joint[" + std::to_string(i) + "]";
    for (std::size_t k = 0; k < i; ++k) {
      const JointModel& other = model.joints[k];
      const auto [c, d] = sides(other);
      const bool same = (a == c && b == d) || (a == d && b == c);
      if (!same || (one.point - other.point).norm() > 1e-9 || !at_once(one.from, one.until, other.from, other.until))
        continue;
      problems.push_back({Severity::error, "", field, "holds the same point as joint " + other.name, "",
                          "remove one of them: two joints that say the same repeat their rows"});
    }
    for (const ClampModel& clamp : model.clamps) {
      const bool here = (b.is_led() && a.node == clamp.node.value) || (a.is_led() && b.node == clamp.node.value);
      if (!here || !clamp.position || !at_once(one.from, one.until, clamp.from, clamp.until)) continue;
      problems.push_back({Severity::error, "", field, "holds a point that clamp " + clamp.name + " holds already", "",
                          "remove one of them: clamp and joint repeat their rows"});
    }
  }
}

namespace {
void refuse(Problems& problems, std::string field, std::string what, std::string allowed, std::string remedy) {
  problems.push_back({Severity::error, "", std::move(field), std::move(what), std::move(allowed), std::move(remedy)});
}
std::string metres(double length) { return three_digits(length) + " m"; }
bool is_held_at(const ClampModel& clamp, int rod) { return clamp.rod == rod && clamp.position && clamp.from <= 0; }

// Where both ends are held and stay, a rope that does not stretch cannot become shorter than they are apart.
double least_length(const Model& model, const WinchModel& winch) {
  const RodModel& rod = model.rods[z(winch.rod)];
  double least = winch.shortest;
  for (const ClampModel& a : model.clamps)
    for (const ClampModel& b : model.clamps) {
      if (rod.stretches || rod.reeved || !is_held_at(a, winch.rod) || !is_held_at(b, winch.rod)) continue;
      if (a.node.value >= b.node.value || !a.move.keys.empty() || !b.move.keys.empty()) continue;
      if (a.material == 0 && b.material >= rod.length * (1 - 1e-9))
        least = std::max(least, (a.start.position - b.start.position).norm());
    }
  return least;
}

// A timetable that reels in more than there is. What is asked for while it runs stops there.
void check_reeling(const Model& model, std::size_t index, Problems& problems) {
  const WinchModel& winch = model.winches[index];
  if (winch.follows >= 0 || winch.by_force() || winch.max_force != forever) return;
  for (const WinchModel& other : model.winches)  // the other end may pay out meanwhile
    if (&other != &winch && other.rod == winch.rod) return;
  double out = model.rods[z(winch.rod)].length;
  for (const ReevingModel& r : model.reevings)
    if (r.rod == winch.rod) out += r.slack;
  const double in = -paid_out(winch.speed, model.end_time).least, least = least_length(model, winch);
  if (!(in > std::max(0.0, out - least) * (1 + 1e-9) + 1e-12)) return;
  const bool apart = least > winch.shortest;
  refuse(problems, "winch[" + std::to_string(index) + "].speed",
         "reels in " + metres(in) + " of " + metres(out) + ", of which " + metres(least) + " must stay out" +
             (apart ? ": its clamps are so far apart" : " (`shortest`)"),
         "at most " + metres(std::max(0.0, out - least)),
         apart ? "reel in less, or let the rod stretch (stretch = \"elastic\"), or give the winch a max_force"
               : "reel in less, or lower `shortest`");
}

// The rope of a reeving is as long as its falls and `slack`.
void check_slack(const Model& model, std::size_t index, Problems& problems) {
  constexpr double most_strain = 0.1;
  const ReevingModel& reeving = model.reevings[index];
  const RodModel& rod = model.rods[z(reeving.rod)];
  const double length = rod.length + reeving.slack, strain = -reeving.slack / length;
  const std::string field = "reeving[" + std::to_string(index) + "]";
  if (!(length > 0) || (reeving.slack < 0 && !rod.stretches) || strain > most_strain)
    refuse(problems, field + ".slack",
           "leaves " + metres(length) + " of rope for falls of " + metres(rod.length) +
               ": it is shorter than its points are apart",
           rod.stretches ? "may start stretched by at most a tenth" : "must be at least 0 for a rope that does not stretch",
           rod.stretches ? "take less off" : "raise slack, or let the rod stretch (stretch = \"elastic\")");
  for (std::size_t k = 0; k + 1 < reeving.points.size(); ++k) {
    const double fall = model.rest_length[EdgeIndex(rod.span.first_edge + static_cast<int>(k))];
    const auto radius = [&](std::size_t p) {
      return p > 0 && p + 1 < reeving.points.size() ? reeving.points[p].radius : 0.0;
    };
    const double sheave = std::max(radius(k), radius(k + 1));
    if (sheave < fall) continue;
    refuse(problems, field + ".points[" + std::to_string(k) + "]",
           "the fall after it is " + metres(fall) + " long, and a sheave at its ends has a radius of " + metres(sheave),
           "falls must be longer than the radius of their sheaves", "take smaller sheaves, or move the points apart");
  }
}

// A load across a rope that does not stretch and is exactly as long as its clamps are apart: no force carries it.
void check_straight(const Model& model, Problems& problems) {
  for (std::size_t i = 0; i < model.clamps.size(); ++i)
    for (std::size_t k = 0; k < model.clamps.size(); ++k) {
      const ClampModel &a = model.clamps[i], &b = model.clamps[k];
      if (a.rod != b.rod || a.node.value >= b.node.value || !is_held_at(a, b.rod) || !is_held_at(b, a.rod)) continue;
      const RodModel& rod = model.rods[z(a.rod)];
      const Vec3 apart = b.start.position - a.start.position;
      if (rod.stretches || rod.span.ring || apart.norm() < (1 - 1e-9) * (b.material - a.material)) continue;
      if (a.slides || b.slides || model.gravity.cross(apart).norm() <= 1e-9 * model.gravity.norm() * apart.norm()) continue;
      const bool wound =
          std::any_of(model.winches.begin(), model.winches.end(), [&](const WinchModel& w) { return w.rod == a.rod; });
      if (wound) continue;
      refuse(problems, "clamp[" + std::to_string(k) + "]",
             "the rod starts exactly straight between clamps " + a.name + " and " + b.name + ", and does not stretch",
             "no finite tension carries its weight across",
             "bring the clamps together a little, or let the rod stretch (stretch = \"elastic\")");
    }
}
}  // namespace

void check_rope_lengths(const Model& model, Problems& problems) {
  for (std::size_t w = 0; w < model.winches.size(); ++w) check_reeling(model, w, problems);
  for (std::size_t r = 0; r < model.reevings.size(); ++r) check_slack(model, r, problems);
  check_straight(model, problems);
}

}  // namespace tendril::cable
