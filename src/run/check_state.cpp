// A checkpoint is a file, and may have been changed by anybody: what is read is judged before it is used. Numbers that can be
// anything without harm (energies, residuals, counters of reports) are left alone; a wild position is found by the next step.
#include <cmath>

#include "run/inside.h"

namespace tendril {
namespace {

void insist(bool sensible) {
  if (!sensible) StateArchive::fail("the state is damaged: it holds numbers that cannot be");
}
bool is_finite(std::initializer_list<double> values) {
  for (const double v : values)
    if (!std::isfinite(v)) return false;
  return true;
}
template <class List>
bool among(int number, const List& list) {  // -1: none
  return number >= -1 && number < static_cast<int>(list.size());
}

void check_live(const Live& live, const Model& model) {
  insist(std::isfinite(live.gravity_scale));
  for (const Hand& hand : live.hands) {
    insist(hand.id >= 1 && hand.id <= 8 && among(hand.rod, model.rods) && among(hand.body, model.bodies));
    insist(is_finite({hand.material, hand.stiffness, hand.damping, hand.angular_stiffness, hand.angular_damping}) &&
           hand.stiffness >= 0 && hand.damping >= 0 && hand.angular_stiffness >= 0 && hand.angular_damping >= 0);
    insist(hand.point.allFinite() && hand.pose.position.allFinite() && hand.pose.orientation.coeffs().allFinite() &&
           hand.motion.linear.allFinite() && hand.motion.angular.allFinite());
  }
  for (const PathInput& path : live.paths) {
    insist(among(path.clamp, model.clamps) && among(path.coupling, model.couplings) && among(path.body, model.bodies));
    insist(path.move.allFinite() && path.move_rate.allFinite() && is_finite({path.turn, path.turn_rate}));
  }
}

// Where in time, and how far in the present stretch of equal steps.
void check_place(const Place& place, double frame_interval, double step_size) {
  constexpr double slack = 1e-6;
  constexpr std::int64_t most = std::int64_t{1} << 52;
  insist(is_finite({place.time, place.from, place.to, place.nominal, place.load_factor, place.increment}));
  insist(place.time >= 0 && place.load_factor >= 0 && place.load_factor <= 1 && place.increment >= 0);
  for (const std::int64_t count : {place.step, place.recorded, place.next_frame, place.delivered, place.substeps, place.at})
    insist(count >= 0 && count <= most);
  insist(place.delivered <= place.recorded && place.level >= 0 && place.level <= max_halvings);
  insist(place.part >= 0 && place.part < std::int64_t{1} << place.level && place.at <= place.substeps);
  // The next recording time is the first one after the present; nothing lies far behind it.
  const double next = static_cast<double>(place.next_frame) * frame_interval;
  insist(place.next_frame == 0 || std::abs(next - place.time) <= (1 + slack) * frame_interval + slack * place.time);
  if (place.substeps == 0) return;
  // Steps of a stretch add up to it, are not shorter than they would be made, and the present time is one of them.
  const double length = place.to - place.from, steps = static_cast<double>(place.substeps);
  insist(length > 0 && length <= (1 + slack) * frame_interval + slack * place.time);
  insist(std::abs(steps * place.nominal - length) <= slack * length + slack * place.time && place.nominal > 0);
  insist(step_size <= 0 || steps <= 2 + length / step_size);
  insist(place.time >= place.from - slack * place.to && place.time <= place.to + slack * place.to);
}

}  // namespace

void Simulation::Inside::check_loaded() {
  const double frame_interval = 1 / scene.time.frames_per_second;
  check_place(place, frame_interval, scene.time.mode == Mode::dynamics ? step_size : 0);
  for (const Live* one : {&wanted, &live, &followed}) check_live(*one, *model);
  insist(advances >= 0 && taken >= 0 && retries >= 0);
  // What a retry comes back to is read only when a step fails: it is tried now, and the present state set again.
  if (kept_state.empty()) {
    keep_due = true;
    return;
  }
  check_place(kept, frame_interval, scene.time.mode == Mode::dynamics ? step_size : 0);
  StateWriter present;
  method->visit_state(present);
  StateReader before(kept_state);
  method->visit_state(before);
  insist(before.at_end());
  StateReader again(present.buffer());
  method->visit_state(again);
}

}  // namespace tendril
