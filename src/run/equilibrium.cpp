// Statics and quasistatics: equilibria along a path, in increments small enough for Newton's method to follow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "run/follow_inputs.h"
#include "run/inside.h"

namespace tendril {
namespace {
constexpr double most_move = 0.05;                  // of the rod's length, per increment
constexpr double most_turn = std::numbers::pi / 8;  // a sixteenth of a turn
constexpr double first_load_increment = 0.25;
constexpr int samples = 8;                 // of a path, within one increment
constexpr int most_input_increments = 64;  // in one advance: a live view stays responsive
}  // namespace

// Either the load factor runs at a fixed time, or time runs at load factor 1.
struct Simulation::Inside::Along {
  bool in_time = false;
  double time = 0;  // when the load factor runs
  double time_at(double x) const { return in_time ? x : time; }
  double factor_at(double x) const { return in_time ? 1.0 : x; }
};

// The increment, shortened so that no clamp moves or turns and no coupling moves further than Newton's method likes.
// `before_` and `after_` keep their storage.
double Simulation::Inside::limited(const Along& along, double from, double increment) {
  for (int tries = 0; tries < 30; ++tries) {
    double worst = 0;  // what the clamps travel, over what they may
    std::vector<double> moved(model->clamps.size()), turned(model->clamps.size());
    std::vector<double> pulled(model->couplings.size() + followed.hands.items.size());
    evaluate(*model, followed, along.time_at(from), along.factor_at(from), before_);
    for (int k = 1; k <= samples; ++k) {
      const double x = from + increment * k / samples;
      evaluate(*model, followed, along.time_at(x), along.factor_at(x), after_);
      for (std::size_t i = 0; i < moved.size(); ++i) {
        const ClampNow &a = before_.clamps[i], &b = after_.clamps[i];
        if (!a.active || !b.active) continue;
        moved[i] += (b.pose.position - a.pose.position).norm();
        turned[i] += std::max(std::abs(b.turn - a.turn), a.pose.orientation.angularDistance(b.pose.orientation));
        const double length = model->rods[static_cast<std::size_t>(model->clamps[i].rod)].length;
        worst = std::max({worst, moved[i] / (most_move * length), turned[i] / most_turn});
      }
      for (std::size_t i = 0; i < std::min(before_.grips.size(), after_.grips.size()); ++i) {
        const Grip &a = before_.grips[i], &b = after_.grips[i];
        if (a.coupling != b.coupling || a.hand != b.hand) break;  // one of them began or ended
        const double length = model->rods[static_cast<std::size_t>(a.rod)].length;
        pulled[i] += (b.pose.position - a.pose.position).norm();
        worst = std::max(worst, pulled[i] / (most_move * length));
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
    report = method->relax(along.time_at(next), along.factor_at(next), followed);
    if (report.outcome == Outcome::fine) {
      note(report);
      x = next;
      place.increment = 2 * increment;
      halvings = 0;
      if (!along.in_time && scene.time.mode == Mode::statics) return report;  // each one is recorded
      continue;
    }
    if (++halvings > max_halvings)
      return give_up(report, fmt::format("the increment of {} was halved {} times, to {:.3g}",
                                         along.in_time ? "time [s]" : "loads and paths", max_halvings, increment));
    come_back();
    ++retries;
    place.increment = 0.5 * increment;
  }
  return report;
}

// An input that cannot be followed is no reason to end: the rod stays where it is until the next input.
StepReport Simulation::Inside::stay(StepReport report) {
  come_back();
  stuck = true;
  message = fmt::format(
      "no equilibrium was found on the way to the inputs given at t = {:.6g} s; the rod stays where it was", place.time);
  report.outcome = Outcome::not_converged;
  return report;
}

// On the straight way between two sets of inputs, at the time and load factor of the moment.
StepReport Simulation::Inside::follow_to(const Live& from, const Live& to, int& increments_left) {
  const double time = scene.time.mode == Mode::statics ? scene.time.duration : place.time;
  const double limit = 1 / std::max(1.0, increments_between(*model, from, to, most_move, most_turn, first_load_increment));
  double x = 0, increment = limit;
  int halvings = 0;
  Live next;
  StepReport report = place.last;
  followed = from;
  for (; x < 1 && increments_left > 0; --increments_left) {
    const double target = 1 - (x + increment) < 1e-9 ? 1 : x + increment;
    blend(from, to, target, next);
    keep();
    report = method->relax(time, place.load_factor, next);
    if (report.outcome == Outcome::fine) {
      note(report);
      x = target;
      followed = next;
      increment = std::min(2 * increment, limit);
      halvings = 0;
      continue;
    }
    if (++halvings > max_halvings) return stay(report);
    come_back();
    ++retries;
    increment /= 2;
  }
  return report;
}

StepReport Simulation::Inside::follow_inputs(int most_increments) {
  StepReport report = place.last;
  Live from, to;
  if (stuck || same_inputs(followed, live)) return report;
  if (let_go(followed, live, to)) {
    from = followed;
    report = follow_to(from, to, most_increments);
    if (stuck || most_increments <= 0) return report;
  }
  refresh();
  take_hold(*model, frame, followed, live, from);
  return follow_to(from, live, most_increments);
}

// One accepted increment. The frames' times spread the ramp over the duration, so that it can be replayed. After the ramp,
// in a live view, time counts frames: an equilibrium has none of its own.
StepReport Simulation::Inside::advance_statics() {
  StepReport report = place.last;
  if (place.load_factor < 1) {
    if (place.increment == 0) {
      place.increment = first_load_increment;
      followed.gravity_scale = live.gravity_scale;  // grows with the load factor anyway
    }
    report = follow({.in_time = false, .time = scene.time.duration}, 1.0);
    if (failed) return report;
    place.time = place.load_factor >= 1 ? scene.time.duration : place.load_factor * scene.time.duration;
    if (place.load_factor >= 1) report = follow_inputs(std::numeric_limits<int>::max());
  } else {
    const bool unchanged = stuck || same_inputs(followed, live);
    report = follow_inputs(most_input_increments);
    if (unchanged) note(report);
    place.time = frame_time(place.next_frame);
  }
  if (arrive()) return report;
  report.cause = Cause::not_finite;
  return give_up(report, "the equilibrium itself is not finite");
}

StepReport Simulation::Inside::advance_quasistatic(double limit) {
  StepReport report = place.last;
  if (!place.settled) {  // gravity and loads of time 0 grow first, then inputs are followed, then time runs
    if (place.increment == 0) {
      place.increment = first_load_increment;
      followed.gravity_scale = live.gravity_scale;
    }
    report = follow({.in_time = false, .time = 0}, 1.0);
    if (failed) return report;
    place.settled = true;
    place.increment = 1 / scene.time.frames_per_second;
    report = follow_inputs(std::numeric_limits<int>::max());
  } else {
    const StepReport inputs = follow_inputs(most_input_increments);
    const double target = std::min(frame_time(place.next_frame), limit);
    report = follow({.in_time = true}, target);
    if (failed) return report;
    if (inputs.outcome != Outcome::fine) report = inputs;
    place.off_grid = true;
    if (place.time != frame_time(place.next_frame)) return report;
  }
  if (arrive()) return report;
  report.cause = Cause::not_finite;
  return give_up(report, "the equilibrium itself is not finite");
}

}  // namespace tendril
