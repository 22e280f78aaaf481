// The step that a motion asks for. Nothing limits stability; what limits it is accuracy.
#include <algorithm>
#include <cmath>

#include "math/number.h"
#include "methods/compact/compact.h"
#include "model/rates.h"

namespace tendril::compact {

namespace {
double largest_of(const Timetable<double>& factor) {
  double most = factor.keys.empty() ? 1 : 0;
  for (const auto& key : factor.keys) most = std::max(most, std::abs(key.value));
  return most;
}

// [N] The largest force that ever acts on a rod, weight apart.
double largest_load(const Model& model, int rod) {
  double most = 0;
  for (const NodeLoad& load : model.node_loads)
    if (load.rod == rod && !load.is_moment) most = std::max(most, largest_of(load.factor) * load.value.norm());
  for (const LineLoad& load : model.line_loads)
    if (load.rod == rod) most = std::max(most, largest_of(load.factor) * load.force.norm() * (load.to - load.from));
  return most;
}

// [rad] How far clamps turn it up, and moments, as GJ would carry them.
double most_wound(const Model& model, int rod, double torsion) {
  double most = 0;
  for (const ClampModel& clamp : model.clamps)
    if (clamp.rod == rod && clamp.twist && !clamp.turn.keys.empty()) most += math::two_pi * largest_of(clamp.turn);
  for (const NodeLoad& load : model.node_loads)
    if (load.rod == rod && load.is_moment) most += largest_of(load.factor) * load.value.norm() / torsion;
  return most;
}

// [rad/s] Of a clamp on its way to and fro: its largest speed over half of how far it goes, and three times that. A path of many keys is
// as quick as one of few.
double path_rate(const Model& model, int rod) {
  double quickest = 0;
  for (const ClampModel& clamp : model.clamps) {
    const auto& keys = clamp.move.keys;
    if (clamp.rod != rod || !clamp.position || keys.size() < 2) continue;
    double speed = 0;
    Vec3 low = keys[0].value, high = low;
    for (std::size_t k = 1; k < keys.size(); ++k) {
      low = low.cwiseMin(keys[k].value), high = high.cwiseMax(keys[k].value);
      const double time = keys[k].time - keys[k - 1].time;
      if (time > 0) speed = std::max(speed, (keys[k].value - keys[k - 1].value).norm() / time);
    }
    const double range = (high - low).norm();
    if (range > 0) quickest = std::max(quickest, 2 * speed / range);
  }
  return 3 * quickest;
}

// [rad/s] What loads and clamps make of a rod: under a force F it moves like a string, of which this is the third mode; wound up by a torque
// M it gives way in waves as long as 2 pi EI/M, of which this is the third mode, too, but not quicker than a segment can bend.
double driven_rate(const Model& model, const RodModel& rod) {
  const int number = static_cast<int>(&rod - model.rods.data());
  double EI = 0, GJ = 0, mass = 0, segment = HUGE_VAL;
  for (int k = 0; k < rod.span.edges; ++k) {
    const EdgeIndex e(rod.span.first_edge + k);
    const Section& s = model.section[e];
    EI = std::max({EI, s.EI1, s.EI2}), GJ = std::max(GJ, s.GJ), mass = std::max(mass, s.line_mass);
    segment = std::min(segment, model.rest_length[e]);
  }
  if (!(mass > 0)) return 0;
  const double string =
      std::max(path_rate(model, number), 1.5 * math::two_pi * std::sqrt(largest_load(model, number) / mass) / rod.length);
  const double wound = GJ > 0 ? most_wound(model, number, GJ / rod.length) : 0;
  if (!(wound > 0)) return string;
  const double wave = std::sqrt(EI / mass), length = std::min(rod.length, math::two_pi * EI / (GJ * wound / rod.length));
  return std::max(string, std::min(61.7 * wave / (length * length), 4 * wave / (segment * segment)));
}

// Whether a rod hangs still, straight down from where it is held for ever, and nothing is there to touch: then weight bends it only as far as
// other things move it.
bool hangs_still(const Model& model, const RodModel& rod) {
  const int number = static_cast<int>(&rod - model.rods.data());
  if (model.contact.enabled || !model.changing_gravity.empty() || !model.joints.empty() || rod.span.ring) return false;
  const auto holds = [&](const ClampModel& clamp) {
    return clamp.rod == number && clamp.position && clamp.from <= 0 && clamp.until >= model.end_time &&
           clamp.move.keys.empty();
  };
  const auto at_start = std::find_if(model.clamps.begin(), model.clamps.end(), holds);
  if (at_start == model.clamps.end() || model.gravity.isZero(0)) return false;
  const Vec3 down = model.gravity.normalized();
  for (const ClampModel& clamp : model.clamps)
    if (clamp.rod == number && clamp.node.value != at_start->node.value) return false;
  for (int k = 0; k < rod.span.edges; ++k) {
    const NodeIndex i(rod.span.first_node + k);
    const Vec3 along = (model.initial.position[i + 1] - model.initial.position[i]).normalized();
    const double away = i.value < at_start->node.value ? -1 : 1;
    if (away * along.dot(down) < 0.999 || !model.initial.velocity[i].isZero(0)) return false;
  }
  return true;
}

// Of a ring that mode counts which bulges to three sides, [(n^2 - 1) n/sqrt(n^2 + 1)] (2 pi/L)^2 sqrt(EI/m) with n = 3: it is stiffer than a rod of
// its length.
double ring_rate(const Model& model, const RodModel& rod) {
  double fastest = 0;
  for (int k = 0; k < rod.span.edges; ++k) {
    const Section& s = model.section[EdgeIndex(rod.span.first_edge + k)];
    fastest = std::max(fastest, std::max(s.EI1, s.EI2) / s.line_mass);
  }
  return 299.6 * std::sqrt(fastest) / (rod.length * rod.length);
}

// Its first bending modes over the whole length, and the pendulum of a segment.
double hanging_rate(const Model& model, const RodModel& rod) {
  double EI = 0, mass = HUGE_VAL, segment = HUGE_VAL;
  for (int k = 0; k < rod.span.edges; ++k) {
    const EdgeIndex e(rod.span.first_edge + k);
    const Section& s = model.section[e];
    EI = std::max({EI, s.EI1, s.EI2}), mass = std::min(mass, s.line_mass);
    segment = std::min(segment, model.rest_length[e]);
  }
  return std::max(61.7 * std::sqrt(EI / mass) / (rod.length * rod.length), std::sqrt(model.gravity.norm() / segment));
}
}  // namespace

// Accuracy: bending waves, and what loads and clamps make of the rod.
StepAdvice advise(const Model& model, const Options& options) {
  const double per_step = options.word("scheme") == "trbdf2" ? 0.2 : 0.1;  // [rad] of the third mode
  StepAdvice advice;
  advice.advised = HUGE_VAL;
  for (const RodModel& rod : model.rods) {
    double bends = bending_rate(model, rod, 1);
    if (hangs_still(model, rod)) bends = hanging_rate(model, rod);
    if (rod.span.ring) bends = std::max(bends, ring_rate(model, rod));
    const double driven = driven_rate(model, rod), rate = std::max(bends, driven);
    if (per_step / rate >= advice.advised) continue;
    advice.advised = per_step / rate;
    advice.reason = (driven > bends ? "accuracy of the motion by the loads and clamps on rod "
                                    : "accuracy of the bending waves of rod ") +
                    rod.name;
  }
  return advice;
}

}  // namespace tendril::compact
