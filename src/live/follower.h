// A value that follows its target without jerks: a critically damped oscillator, solved exactly over each interval, so that
// it is smooth and stable for any interval and any target. A mouse that reports 60 times a second and a slider that jumps
// both become motions with a velocity.
#pragma once

#include <algorithm>
#include <cmath>

#include "tendril/types.h"

namespace tendril {

struct Follower {
  Vec3 value = Vec3::Zero(), rate = Vec3::Zero(), target = Vec3::Zero();

  explicit Follower(const Vec3& start = Vec3::Zero()) : value(start), target(start) {}

  // `lag`: time constant [s]. Far from the target it moves at `max_rate`: the pull is that of a target at most so far away.
  void advance(double dt, double lag, double max_rate) {
    Vec3 away = value - target;
    const double reach = 2 * max_rate * lag, distance = away.norm();
    if (distance > reach) away *= reach / distance;
    const Vec3 goal = value - away, slope = rate + away / lag;
    const double fade = std::exp(-dt / lag);
    const Vec3 way = goal + (away + slope * dt) * fade - value;
    value += shortened(way, max_rate * dt);
    rate = shortened((rate - slope * (dt / lag)) * fade, max_rate);
    const double close = 1e-9 * (1 + target.norm());
    if ((value - target).norm() < close && rate.norm() * lag < close) value = target, rate.setZero();
  }
  // A drive: `max_rate` at most, which changes by no more than `acceleration` a second; it brakes in time and stops at its target.
  void drive(double dt, double max_rate, double acceleration) {
    const Vec3 away = target - value;
    const double distance = away.norm(), change = acceleration * dt;
    if (distance <= 0.5 * change * dt && rate.norm() <= change) {
      value = target, rate.setZero();
      return;
    }
    // The speed from which it can still stop when this interval is over.
    const double brake = std::sqrt(0.25 * change * change + 2 * acceleration * distance) - 0.5 * change;
    const Vec3 wanted = away * (std::min({max_rate, brake, distance / dt}) / std::max(distance, 1e-300));
    rate += shortened(wanted - rate, change);
    value += dt * rate;
  }
  bool at_rest() const { return value == target && rate.isZero(0); }

 private:
  static Vec3 shortened(const Vec3& v, double most) {
    const double length = v.norm();
    return length > most ? Vec3(v * (most / length)) : v;
  }
};

}  // namespace tendril
