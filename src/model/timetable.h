// A timetable at an instant: the value and how fast it changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tendril/scene.h"

namespace tendril {

template <class T>
struct ValueAndRate {
  T value, rate;
};

// hold: steps at the keys, rate zero. linear: straight between keys. smooth: each interval eases in and out (cubic 3u^2 -
// 2u^3, zero rate at the keys), so the value is C1. Before the first and after the last key the value stays. An empty
// timetable has the value `empty`. At a key the interval that begins there counts.
template <class T>
ValueAndRate<T> at_time(const Timetable<T>& table, double time, const T& empty, const T& zero) {
  const auto& keys = table.keys;
  if (keys.empty()) return {empty, zero};
  const auto after =
      std::upper_bound(keys.begin(), keys.end(), time, [](double t, const auto& key) { return t < key.time; });
  if (after == keys.begin()) return {keys.front().value, zero};
  if (after == keys.end()) return {keys.back().value, zero};
  const auto& a = *(after - 1);
  const auto& b = *after;
  const double interval = b.time - a.time;  // > 0, because time is in [a.time, b.time)
  const double u = (time - a.time) / interval;
  const T change = b.value - a.value;
  switch (table.shape) {
    case TimetableShape::hold:
      break;
    case TimetableShape::linear:
      return {T(a.value + u * change), T(change / interval)};
    case TimetableShape::smooth:
      return {T(a.value + (u * u * (3 - 2 * u)) * change), T((6 * u * (1 - u) / interval) * change)};
  }
  return {a.value, zero};
}

// The largest rate there is; the middle of an eased interval is 3/2 as fast as its mean. Jumps have none.
inline double largest_rate(const Timetable<double>& table) {
  double largest = 0;
  for (std::size_t k = 0; k + 1 < table.keys.size() && table.shape != TimetableShape::hold; ++k) {
    const auto &a = table.keys[k], &b = table.keys[k + 1];
    if (!(b.time > a.time)) continue;
    const double mean = (b.value - a.value) / (b.time - a.time);
    largest = std::max(largest, (table.shape == TimetableShape::smooth ? 1.5 : 1.0) * std::max(mean, -mean));
  }
  return largest;
}

// Instants that show everything a timetable does: its keys and `between` instants inside every interval.
template <class T>
void add_instants(const Timetable<T>& table, int between, std::vector<double>& instants) {
  for (std::size_t k = 0; k < table.keys.size(); ++k) {
    instants.push_back(table.keys[k].time);
    if (k + 1 == table.keys.size()) break;
    const double interval = table.keys[k + 1].time - table.keys[k].time;
    for (int j = 1; j <= between; ++j) instants.push_back(table.keys[k].time + interval * j / (between + 1));
  }
}

}  // namespace tendril
