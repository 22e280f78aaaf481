// Boxes along the axes.
#pragma once

#include <limits>

#include "tendril/types.h"

namespace tendril {

struct Bounds {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());

  void include(const Vec3& p) { low = low.cwiseMin(p), high = high.cwiseMax(p); }
  void include(const Bounds& b) { low = low.cwiseMin(b.low), high = high.cwiseMax(b.high); }
  Bounds padded(double by) const {
    Bounds b;
    b.low = low.array() - by, b.high = high.array() + by;
    return b;
  }
  Vec3 centre() const { return 0.5 * (low + high); }
  double extent() const { return (high - low).maxCoeff(); }
  bool is_finite() const { return low.allFinite() && high.allFinite(); }
};
inline bool overlap(const Bounds& a, const Bounds& b) {
  return a.low.x() <= b.high.x() && b.low.x() <= a.high.x() && a.low.y() <= b.high.y() && b.low.y() <= a.high.y() &&
         a.low.z() <= b.high.z() && b.low.z() <= a.high.z();
}
inline bool contains(const Bounds& outer, const Bounds& inner) {
  return (outer.low.array() <= inner.low.array()).all() && (inner.high.array() <= outer.high.array()).all();
}

}  // namespace tendril
