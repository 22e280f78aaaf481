// Statics and quasistatics: equilibria along a path, in increments small enough for Newton's method to follow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "run/inside.h"

namespace tendril {
namespace {
constexpr int most_halvings = 8;
constexpr double most_move = 0.05;                  // of the rod's length, per increment
constexpr double most_turn = std::numbers::pi / 8;  // a sixteenth of a turn
constexpr double first_load_increment = 0.25;
constexpr int samples = 8;  // of a path, within one increment
}  // namespace

// Either the load factor runs at a fixed time, or time runs at load factor 1.
struct Simulation::Inside::Along {
  bool in_time = false;
  double time = 0;  // when the load factor runs
  double time_at(double x) const { return in_time ? x : time; }
  double factor_at(double x) const { return in_time ? 1.0 : x; }
};

// The increment, shortened so that no clamp moves or turns further than Newton's method likes. `before_` and `after_` keep
// their storage.
double Simulation::Inside::limited(const Along& along, double from, double increment) {
  for (int tries = 0; tries < 30; ++tries) {
    double worst = 0;  // what the clamps travel, over what they may
    std::vector<double> moved(model->targets.size()), turned(model->targets.size());
    evaluate(*model, live, along.time_at(from), along.factor_at(from), before_);
    for (int k = 1; k <= samples; ++k) {
      const double x = from + increment * k / samples;
      evaluate(*model, live, along.time_at(x), along.factor_at(x), after_);
      for (std::size_t i = 0; i < moved.size(); ++i) {
        const TargetNow &a = before_.targets[i], &b = after_.targets[i];
        if (!a.active || !b.active) continue;
        moved[i] += (b.pose.position - a.pose.position).norm();
        turned[i] += std::max(std::abs(b.turn - a.turn), a.pose.orientation.angularDistance(b.pose.orientation));
        const double length = model->rods[static_cast<std::size_t>(model->targets[i].rod)].length;
        worst = std::max({worst, moved[i] / (most_move * length), turned[i] / most_turn});
      }
      std::swap(before_, after_);
    }
    if (worst <= 1.001) break;
    increment /= std::min(worst, 16.0);
  }
  return increment;
}

// From where place stands to `target`; stops early only when it has to give up.
StepReport Simulation::Inside::follow(const Along& along, double target) {
  double& x = along.in_time ? place.time : place.load_factor;
  int halvings = 0;
  StepReport report = place.last;
  const double tiny = 1e-12 * std::max(1.0, std::abs(target));
  while (x < target) {
    double increment = limited(along, x, std::min(place.increment, target - x));
    const double next = target - (x + increment) < tiny ? target : x + increment;
    increment = next - x;
    keep();
    report = method->relax(along.time_at(next), along.factor_at(next), live);
    if (report.outcome == Outcome::fine) {
      note(report);
      x = next;
      place.increment = 2 * increment;
      halvings = 0;
      if (!along.in_time && scene.time.mode == Mode::statics) return report;  // each one is recorded
      continue;
    }
    if (++halvings > most_halvings)
      return give_up(report, fmt::format("the increment of {} was halved {} times, to {:.3g}",
                                         along.in_time ? "time [s]" : "loads and paths", most_halvings, increment));
    come_back();
    ++retries;
    place.increment = 0.5 * increment;
  }
  return report;
}

// One accepted increment. The frames' times spread the ramp over the duration, so that it can be replayed.
StepReport Simulation::Inside::advance_statics() {
  if (place.increment == 0) place.increment = first_load_increment;
  const Along ramp{.in_time = false, .time = scene.time.duration};
  StepReport report = follow(ramp, 1.0);
  if (failed) return report;
  place.time = place.load_factor >= 1 ? scene.time.duration : place.load_factor * scene.time.duration;
  if (arrive()) return report;
  report.cause = Cause::not_finite;
  return give_up(report, "the equilibrium itself is not finite");
}

StepReport Simulation::Inside::advance_quasistatic(double limit) {
  StepReport report = place.last;
  if (!place.settled) {  // gravity and loads of time 0 grow first, then time runs
    if (place.increment == 0) place.increment = first_load_increment;
    report = follow({.in_time = false, .time = 0}, 1.0);
    if (failed) return report;
    place.settled = true;
    place.increment = 1 / scene.time.frames_per_second;
  } else {
    const double target = std::min(frame_time(place.next_frame), limit);
    report = follow({.in_time = true}, target);
    if (failed) return report;
    place.off_grid = true;
    if (place.time != frame_time(place.next_frame)) return report;
  }
  if (arrive()) return report;
  report.cause = Cause::not_finite;
  return give_up(report, "the equilibrium itself is not finite");
}

}  // namespace tendril
