#include "model/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "model/timetable.h"

namespace tendril {

namespace {

using Size = std::size_t;

Vec3 place_of(const ClampModel& clamp, double time) {
  return clamp.start.position + at_time<Vec3>(clamp.move, time, Vec3::Zero(), Vec3::Zero()).value;
}

// Along the rod, the short way round a ring.
double rod_between(const Model& model, const ClampModel& a, const ClampModel& b) {
  const RodModel& rod = model.rods[static_cast<Size>(a.rod)];
  const double along = std::abs(model.material[a.node] - model.material[b.node]);
  return rod.span.ring ? std::min(along, rod.length - along) : along;
}

// Both hold a place of one rod that does not stretch.
bool hold_apart(const Model& model, const ClampModel& a, const ClampModel& b) {
  return a.rod == b.rod && a.position && b.position && a.node != b.node && !model.rods[static_cast<Size>(a.rod)].stretches;
}

// Clamps that take hold later hold the rod where it is then.
bool is_late(const ClampModel& a, const ClampModel& b) { return a.from > 0 || b.from > 0; }

// Least distance of two points at an instant, by their paths; of late ones, which are nowhere further apart than the rod between them is long
// when both have taken hold, what their paths part them by beyond that.
double least_apart(const ClampModel& a, const ClampModel& b, double time, double length) {
  const Vec3 apart = place_of(a, time) - place_of(b, time);
  if (!is_late(a, b)) return apart.norm();
  const double both = std::max({a.from, b.from, 0.0});
  return (apart - (place_of(a, both) - place_of(b, both))).norm() - length;
}

// Keys of both timetables, instants between them, and the borders of the time in which both hold.
std::vector<double> common_instants(const Model& model, const ClampModel& a, const ClampModel& b) {
  const double from = std::max({a.from, b.from, 0.0}), until = std::min({a.until, b.until, model.end_time});
  std::vector<double> all = {from, until};
  add_instants(a.move, 16, all);
  add_instants(b.move, 16, all);
  std::vector<double> instants;
  for (const double t : all)
    if (t >= from && t <= until) instants.push_back(t);
  std::sort(instants.begin(), instants.end());
  return instants;
}

}  // namespace

Problems check_reach(const Model& model) {
  Problems problems;
  const int count = static_cast<int>(model.clamps.size());
  // Every pair where there are few; neighbours in the list where there are many (a comb of clamps), to keep the cost linear.
  const int farthest = count <= 64 ? count : 2;
  for (int i = 0; i < count; ++i)
    for (int j = std::max(0, i - farthest); j < i; ++j) {
      const ClampModel &a = model.clamps[static_cast<Size>(j)], &b = model.clamps[static_cast<Size>(i)];
      if (!hold_apart(model, a, b)) continue;
      const double length = rod_between(model, a, b);
      double worst = 0, when = 0;
      for (const double t : common_instants(model, a, b)) {
        const double distance = least_apart(a, b, t, length);
        if (distance > worst * (1 + 1e-12)) worst = distance, when = t;
      }
      if (worst <= length * (1 + 1e-9)) continue;
      const auto moves = [](const ClampModel& t) { return !t.move.keys.empty(); };
      const int blamed = moves(b) || !moves(a) ? i : j;
      problems.push_back(
          {Severity::error, "", fmt::format("clamp[{}].move", blamed),
           fmt::format("the clamps are {}{:.6g} m apart at t = {:.6g} s but the rod between them is {:.6g} m long",
                       is_late(a, b) ? "at least " : "", worst, when, length),
           "a rod that does not stretch cannot reach",
           "move them less far, or let the rod stretch (stretch = \"elastic\")"});
    }
  return problems;
}

Problems check_slack(const Model& model, bool in_motion) {
  Problems problems;
  const bool loaded = !model.gravity.isZero(0) || !model.changing_gravity.empty() || !model.node_loads.empty() ||
                      !model.line_loads.empty() || !model.winds.empty();
  if (in_motion && !loaded) return problems;
  for (Size i = 0; i < model.clamps.size() && i < 64; ++i)
    for (Size j = 0; j < i; ++j) {
      const ClampModel &a = model.clamps[j], &b = model.clamps[i];
      if (!hold_apart(model, a, b) || a.slides || b.slides || is_late(a, b)) continue;
      const double distance = (place_of(a, model.end_time) - place_of(b, model.end_time)).norm();
      const double before = (place_of(a, 0) - place_of(b, 0)).norm();
      if (distance < (1 - 1e-9) * rod_between(model, a, b)) continue;
      if (in_motion && before < (1 - 1e-9) * rod_between(model, a, b)) continue;
      problems.push_back({Severity::warning, "", fmt::format("clamp[{}]", i),
                          fmt::format("the rod is pulled quite straight between clamps {} and {}", a.name, b.name),
                          "as long as its clamps are apart it cannot bend or sag unless it stretches: no finite tension "
                          "carries a load across it",
                          "bring the clamps together a little, or let the rod stretch (stretch = \"elastic\")"});
    }
  return problems;
}

Problems check_noise(const Model& model) {
  Problems problems;
  const auto disturbed = [&model](const RodSpan& span) {
    for (int k = 0; k < span.edges; ++k) {
      const NodeIndex i{span.first_node + k};
      const double length = (model.initial.position[i + 1] - model.initial.position[i]).norm();
      if (std::abs(length / model.rest_length[EdgeIndex{span.first_edge + k}] - 1) >= 1e-9) return true;
    }
    return false;
  };
  for (const ClampModel& a : model.clamps) {
    for (const ClampModel& b : model.clamps) {
      if (!hold_apart(model, a, b) || !(a.node < b.node) || is_late(a, b) || a.slides || b.slides) continue;
      const RodModel& rod = model.rods[static_cast<Size>(a.rod)];
      if (rod.span.ring || (a.start.position - b.start.position).norm() < (1 - 1e-9) * rod_between(model, a, b)) continue;
      if (!disturbed(rod.span)) continue;
      problems.push_back({Severity::error, "", fmt::format("rod[{}].initial_noise", a.rod),
                          "the clamps " + a.name + " and " + b.name + " hold the rod exactly straight",
                          "so initial_noise has no room to act",
                          "leave initial_noise out, bring the clamps together, or let the rod stretch"});
      return problems;
    }
  }
  return problems;
}

Problems check_rigid_segments(const Model& model) {
  Problems problems;
  for (Size i = 0; i < model.clamps.size(); ++i)
    for (Size j = 0; j < model.clamps.size(); ++j) {
      const ClampModel &a = model.clamps[j], &b = model.clamps[i];
      if (!hold_apart(model, a, b) || b.node.value != a.node.value + 1 || a.slides || b.slides) continue;
      if (is_late(a, b)) continue;  // how the segment will lie then is not known
      const double length = rod_between(model, a, b);
      for (const double t : common_instants(model, a, b)) {
        const Vec3 apart = place_of(a, t) - place_of(b, t);
        if (std::abs(apart.norm() - length) <= 1e-6 * length) continue;
        problems.push_back(
            {Severity::error, "", fmt::format("clamp[{}].move", i),
             fmt::format("the clamps {} and {} hold both ends of one segment, which is {:.6g} m long, {:.6g} m "
                         "apart at t = {:.6g} s",
                         a.name, b.name, length, apart.norm(), t),
             "segments are rigid", "move both alike, or take more segments, so that there are some between"});
        break;
      }
    }
  return problems;
}

Problems check_start(const Model& model) {
  Problems problems;
  for (Size i = 0; i < model.clamps.size(); ++i) {
    const ClampModel& clamp = model.clamps[i];
    const double away = (place_of(clamp, 0) - clamp.start.position).norm();
    if (!clamp.position || clamp.from > 0 || away <= 1e-6 * model.rods[static_cast<Size>(clamp.rod)].length) continue;
    problems.push_back({Severity::error, "", fmt::format("clamp[{}].move", i),
                        fmt::format("the clamp starts {:.6g} m away from the rod", away), "must be 0 at t = 0",
                        "start the path at zero, or start the rod there (rod.initial)"});
  }
  return problems;
}

Problems check_fold(const Model& model, double from, double to) {
  constexpr double degrees = 180 / 3.141592653589793;
  Problems problems;
  for (Size i = 0; i < model.clamps.size(); ++i) {
    const ClampModel& clamp = model.clamps[i];
    const RodSpan& span = model.rods[static_cast<Size>(clamp.rod)].span;
    if (!clamp.direction || clamp.from > 0) continue;
    const Vec3 direction = clamp.start.orientation * Vec3::UnitZ();
    const int k = clamp.node.value - span.first_node;
    for (int edge : {k - 1, k}) {
      if (span.ring) edge = (edge + span.edges) % span.edges;
      if (edge < 0 || edge >= span.edges) continue;
      const Vec3 along = model.initial.orientation[EdgeIndex(span.first_edge + edge)] * Vec3::UnitZ();
      const double turn = degrees * std::acos(std::clamp(direction.dot(along), -1.0, 1.0));
      if (turn <= from || turn > to) continue;
      problems.push_back({Severity::error, "", fmt::format("clamp[{}].direction", i),
                          fmt::format("points against the rod: {:.4g} degrees from the segment beside it", turn),
                          fmt::format("must be at most {:g} degrees", from),
                          "turn the direction round, or start the rod elsewhere (rod.initial)"});
      break;
    }
  }
  return problems;
}

Problems check_speed(const Model& model, double step) {
  Problems problems;
  for (Size i = 0; i < model.clamps.size(); ++i) {
    const ClampModel& clamp = model.clamps[i];
    const double length = model.rods[static_cast<Size>(clamp.rod)].length;
    std::vector<double> instants;
    add_instants(clamp.move, 7, instants);  // the middle of every interval among them: there a smooth path is fastest
    double worst = 0, when = 0;
    for (const double t : instants)
      for (const double start : {t - step, t - 0.5 * step, t}) {
        const double moved = (place_of(clamp, start + step) - place_of(clamp, start)).norm();
        if (moved > worst) worst = moved, when = start;
      }
    if (worst > length)
      problems.push_back(
          {Severity::error, "", fmt::format("clamp[{}].move", i),
           fmt::format("moves {:.6g} m within one step of {:.3g} s at t = {:.6g} s", worst, step, std::max(when, 0.0)),
           fmt::format("must be less than the rod's length, {:.6g} m", length),
           "give the path more time, or use a shorter step"});
  }
  return problems;
}

}  // namespace tendril
