#include "measure/energy_balance.h"

#include <algorithm>
#include <cmath>

namespace tendril {
namespace {
constexpr double negligible = 1e-6;         // of weight times length, of EI / length
constexpr double of_what_is_stored = 1e-3;  // of the elastic energy at the start: it may be stored and never move
}  // namespace

double energy_floor(const Model& model) {
  double gravity = model.gravity.norm(), sum = 0;
  for (const ChangingGravity& g : model.changing_gravity) gravity = std::max(gravity, g.acceleration.norm());
  for (const RodModel& rod : model.rods) {
    double stiffness = 0;
    for (int k = 0; k < rod.span.edges; ++k) {
      const Section& section = model.section[EdgeIndex(rod.span.first_edge + k)];
      stiffness = std::max({stiffness, section.EI1, section.EI2});
    }
    sum += mass_of(model, rod) * gravity * rod.length + stiffness / rod.length;
  }
  return negligible * sum;
}

void EnergyBalance::begin(const Frame& first, double floor) {
  *this = {};
  begun_ = true;
  first_ = first.own_energy;
  floor_ = std::max(floor, of_what_is_stored * first_.elastic());
}

double EnergyBalance::joules(const Frame& frame) const {
  return (frame.own_energy.total() - first_.total()) - (frame.flow.work() - frame.flow.dissipated());
}

double EnergyBalance::scale(const Frame& frame) const {
  const Energy& e = frame.own_energy;
  double largest = std::max({floor_, scale_, e.kinetic, std::abs(e.elastic() - first_.elastic())});
  // Heights have no zero of their own, and where gravity changes its own work goes with that zero: neither counts.
  largest = std::max(largest, std::abs(e.gravity - first_.gravity - frame.flow.gravity));
  EnergyFlow flow = frame.flow;
  flow.gravity = 0;
  for_each_component(flow, [&largest](const char*, double part) { largest = std::max(largest, std::abs(part)); });
  return largest;
}

double EnergyBalance::error(const Frame& frame) const {
  const double all = scale(frame);
  return all > 0 ? joules(frame) / all : 0;  // no scale: nothing has mass, stiffness or weight
}

double EnergyBalance::worst(const Frame& frame) const {
  const double all = scale(frame), now = joules(frame), before = most_ > -least_ ? most_ : least_;
  return all > 0 ? (std::abs(now) >= std::abs(before) ? now : before) / all : 0;
}

double EnergyBalance::gain(const Frame& frame) const {
  const double all = scale(frame);
  return all > 0 ? std::max(most_, joules(frame)) / all : 0;
}

void EnergyBalance::note(const Frame& frame) {
  scale_ = scale(frame);
  const double now = joules(frame);
  most_ = std::max(most_, now), least_ = std::min(least_, now);
}

}  // namespace tendril
