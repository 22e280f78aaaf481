// Statics and quasistatics: equilibria along a path, in increments small enough for Newton's method to follow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "parallel/stop.h"
#include "run/follow_inputs.h"
#include "run/inside.h"

namespace tendril {
namespace {
constexpr double max_move = 0.05;                  // of the rod's length, per increment
constexpr double max_turn = std::numbers::pi / 8;  // a sixteenth of a turn
constexpr double first_load_increment = 0.25;
constexpr int samples = 8;                // of a path, within one increment
constexpr int max_input_increments = 64;  // in one advance: a live view stays responsive
constexpr double max_increments = 1e5;    // to one recorded equilibrium: nobody waits for more
constexpr int max_failures = 200;         // likewise, of increments that had to be halved
}  // namespace

// Either the load factor runs at a fixed time, or time runs at load factor 1.
struct Simulation::Inside::Along {
  bool in_time = false;
  double time = 0;  // when the load factor runs
  double time_at(double x) const { return in_time ? x : time; }
  double factor_at(double x) const { return in_time ? 1.0 : x; }
};

namespace {

// How far everything that holds, pulls or pushes the rods moves in one increment, over what is allowed: clamps, couplings,
// hands (on rods and on bodies), driven bodies and, where there is contact, obstacles.
class Travel {
 public:
  Travel(const Model& model, const Live& live)
      : model_(model),
        clamps_(model.clamps.size()),
        grips_(model.couplings.size() + live.hands.items.size()),
        bodies_(model.bodies.size()),
        obstacles_(model.contact.enabled ? model.obstacles.size() : 0) {}

  void add(const Drive& a, const Drive& b) {
    for (std::size_t i = 0; i < clamps_.size(); ++i) {
      // Clamps: the turn about their axis is counted too, which an orientation shows only up to half a turn.
      const ClampNow &from = a.clamps[i], &to = b.clamps[i];
      if (!from.active || !to.active) continue;
      const double angle =
          std::max(std::abs(to.turn - from.turn), from.pose.orientation.angularDistance(to.pose.orientation));
      count(clamps_[i], (to.pose.position - from.pose.position).norm(), angle, length_of(model_, model_.clamps[i].rod));
    }
    for (std::size_t i = 0; i < std::min(a.grips.size(), b.grips.size()); ++i) {
      // Hands and couplings; the turn of a coupling counts as that of a clamp, where its spring feels it.
      const Grip &from = a.grips[i], &to = b.grips[i];
      if (from.coupling != to.coupling || from.hand != to.hand) break;  // one of them began or ended
      const double angle = from.angular_stiffness > 0 ? std::abs(to.turn - from.turn) : 0;
      count(grips_[i], (to.pose.position - from.pose.position).norm(), angle, length_of(model_, from.rod));
    }
    // Driven bodies and obstacles.
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      count(bodies_[i], (b.bodies[i].pose.position - a.bodies[i].pose.position).norm(),
            std::abs(b.body_turn[i] - a.body_turn[i]), length_of(model_, -1));
    for (std::size_t i = 0; i < obstacles_.size(); ++i) count(obstacles_[i], a.obstacles[i].pose, b.obstacles[i].pose);
  }
  double worst() const { return worst_; }

 private:
  struct Way {
    double moved = 0, turned = 0;  // [m], [rad]
  };
  void count(Way& way, double moved, double turned, double length) {
    way.moved += moved;
    way.turned += turned;
    worst_ = std::max({worst_, way.moved / (max_move * length), way.turned / max_turn});
  }
  void count(Way& way, const Pose& a, const Pose& b) {
    count(way, (b.position - a.position).norm(), a.orientation.angularDistance(b.orientation), length_of(model_, -1));
  }

  const Model& model_;
  std::vector<Way> clamps_, grips_, bodies_, obstacles_;
  double worst_ = 0;
};

}  // namespace

// The increment, shortened so that nothing that drives the rods goes further than Newton's method can follow.
// `before_` and `after_` keep their storage.
double Simulation::Inside::limited(const Along& along, double from, double increment) {
  for (int tries = 0; tries < 30; ++tries) {
    // Sampled within the increment: a path that goes forth and back moves far without ending far.
    Travel travel(*model, followed);
    evaluate(*model, followed, along.time_at(from), along.factor_at(from), before_);
    for (int k = 1; k <= samples; ++k) {
      const double x = from + increment * k / samples;
      evaluate(*model, followed, along.time_at(x), along.factor_at(x), after_);
      travel.add(before_, after_);
      std::swap(before_, after_);
    }
    // Too far: shorter in proportion, and measured again, because paths need not be even.
    if (travel.worst() <= 1.001) break;
    increment /= std::min(travel.worst(), 16.0);
  }
  return increment;
}

// From where place stands to `target`; stops early only when it has to give up, or is asked to.
StepReport Simulation::Inside::follow(const Along& along, double target) {
  // Continuation (incremental loading): x is the parameter, time or load factor.
  double& x = along.in_time ? place.time : place.load_factor;
  int halvings = 0, failures = 0;
  StepReport report = place.last;
  const double tiny = 1e-12 * std::max(1.0, std::abs(target));
  // Paths so long, measured by the rods, that nobody would see the end: told at once instead of tried.
  if (const double way = target - x; way > max_increments * limited(along, x, std::max(way, 0.0))) {
    keep();
    report.cause = Cause::clamp_out_of_reach;
    return give_up(report,
                   fmt::format("what holds or pushes the rods goes so far, measured by their lengths, that more than {:g} "
                               "equilibria would be needed on the way to the next recorded one",
                               max_increments));
  }
  while (x < target) {
    // The last increment ends exactly on the target.
    // Never so short that x would not move: a loop without end.
    double increment = limited(along, x, std::min(std::max(place.increment, tiny), target - x));
    if (x + increment <= x) increment = std::min(tiny, target - x);
    const double next = target - (x + increment) < tiny ? target : x + increment;
    increment = next - x;
    keep();
    if (asked_to_stop()) return interrupted = true, report;
    report = method->relax(along.time_at(next), along.factor_at(next), followed);
    if (report.outcome == Outcome::fine) {
      note(report);
      count_work(along.time_at(next), along.factor_at(next), followed);
      x = next;
      // Found: go on, and try twice the increment next.
      place.increment = 2 * increment;
      halvings = 0;
      if (!along.in_time && scene.time.mode == Mode::statics) return report;  // each one is recorded
      continue;
    }
    // Not found: back to the last equilibrium, with half the increment.
    if (asked_to_stop()) return interrupted = true, report;
    if (++halvings > max_halvings || ++failures > max_failures)
      return give_up(report, fmt::format("the increment of {} was halved {} times, to {:.3g}",
                                         along.in_time ? "time [s]" : "loads and paths",
                                         halvings > max_halvings ? max_halvings : max_failures, increment));
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

// Continuation along the straight line between two sets of inputs, at the present time and load factor.
StepReport Simulation::Inside::follow_to(const Live& from, const Live& to, int& increments_left) {
  const double time = scene.time.mode == Mode::statics ? scene.time.duration : place.time;
  // x: how far from `from` (0) to `to` (1). The increment starts with, and never exceeds, what Newton's method can follow.
  const double limit = 1 / std::max(1.0, increments_between(*model, from, to, max_move, max_turn, first_load_increment));
  double x = 0, increment = limit;
  int halvings = 0;
  Live next;
  StepReport report = place.last;
  followed = from;
  for (; x < 1 && increments_left > 0; --increments_left) {
    const double target = 1 - (x + increment) < 1e-9 ? 1 : x + increment;
    // An equilibrium with inputs in between.
    blend(from, to, target, next);
    keep();
    report = method->relax(time, place.load_factor, next);
    if (report.outcome != Outcome::fine && asked_to_stop()) return interrupted = true, report;
    if (report.outcome == Outcome::fine) {
      note(report);
      count_work(time, place.load_factor, next);
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

StepReport Simulation::Inside::follow_inputs(int max_increments) {
  StepReport report = place.last;
  Live from, to;
  // Nothing new, or the last inputs could not be followed.
  if (stuck || same_inputs(followed, live)) return report;
  // First the hands that are gone let go slowly; then new ones take hold where their points are, and all inputs move.
  if (let_go(followed, live, to)) {
    from = followed;
    report = follow_to(from, to, max_increments);
    if (stuck || interrupted || max_increments <= 0) return report;
  }
  refresh();
  take_hold(*model, frame, followed, live, from);
  return follow_to(from, live, max_increments);
}

// One accepted increment. The frames' times spread the ramp over the duration, so that it can be replayed. After the ramp,
// in a live view, time counts frames: an equilibrium has none of its own.
StepReport Simulation::Inside::advance_statics() {
  StepReport report = place.last;
  // The ramp: loads and paths grow from 0 to 1, then live inputs are followed.
  if (place.load_factor < 1) {
    if (place.increment == 0) {
      place.increment = first_load_increment;
      followed.gravity_scale = live.gravity_scale;  // grows with the load factor anyway
    }
    report = follow({.in_time = false, .time = scene.time.duration}, 1.0);
    if (failed || interrupted) return report;
    place.time = place.load_factor >= 1 ? scene.time.duration : place.load_factor * scene.time.duration;
    if (place.load_factor >= 1) report = follow_inputs(std::numeric_limits<int>::max());
    if (interrupted) return report;
  } else {
    // After the ramp: only live inputs can change the equilibrium.
    const bool unchanged = stuck || same_inputs(followed, live);
    report = follow_inputs(max_input_increments);
    if (interrupted) return report;
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
    if (failed || interrupted) return report;
    place.settled = true;
    place.increment = 1 / scene.time.frames_per_second;
    report = follow_inputs(std::numeric_limits<int>::max());
    if (interrupted) return report;
  } else {
    // Live inputs first, at the present time; then time runs to the next frame or to where the caller wants to stop.
    const StepReport inputs = follow_inputs(max_input_increments);
    if (interrupted) return inputs;
    const double target = std::min(frame_time(place.next_frame), limit);
    report = follow({.in_time = true}, target);
    if (failed || interrupted) return report;
    if (inputs.outcome != Outcome::fine) report = inputs;
    place.off_grid = true;
    if (place.time != frame_time(place.next_frame)) return report;
  }
  if (arrive()) return report;
  report.cause = Cause::not_finite;
  return give_up(report, "the equilibrium itself is not finite");
}

// An advance that was asked to stop is as if it had never begun, inputs included: the run goes on from there with the same bits.
StepReport Simulation::Inside::advance_equilibrium(double limit) {
  interrupted = false;
  undo.clear();
  visit_state(undo);
  const std::size_t logged = log.size(), at = script_at;
  take_inputs();
  StepReport report = scene.time.mode == Mode::statics ? advance_statics() : advance_quasistatic(limit);
  if (!interrupted) return report;
  std::vector<LoggedInput> before = std::move(log);
  before.resize(logged);
  StateReader reader(undo.buffer());
  visit_state(reader);
  log = std::move(before), script_at = at;
  report.outcome = Outcome::not_converged;
  return report;
}

}  // namespace tendril
