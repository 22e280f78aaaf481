#include "model/material_point.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"

namespace tendril {
namespace {

// `coordinate(i)` rises with i = 0 .. count - 1; `period` > 0 for a ring.
template <class Coordinate>
Between between(double s, int count, double period, const Coordinate& coordinate) {
  if (count <= 1) return {};
  if (period > 0) {
    s = s - period * std::floor((s - coordinate(0)) / period);
    if (s >= coordinate(count - 1)) {
      const double gap = coordinate(0) + period - coordinate(count - 1);
      return {count - 1, 0, (s - coordinate(count - 1)) / gap};
    }
  }
  int low = 0, high = count - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (coordinate(middle) <= s ? low : high) = middle;
  }
  const double gap = coordinate(high) - coordinate(low);
  return {low, high, gap > 0 ? (s - coordinate(low)) / gap : 0.0};
}

}  // namespace

double rest_length_of_edge(const Frame& frame, const RodSpan& rod, int k, double rod_length) {
  const double start = frame.material[NodeIndex(rod.first_node + k)];
  if (k + 1 == rod.nodes) return frame.material[NodeIndex(rod.first_node)] + rod_length - start;  // the last of a ring
  return frame.material[NodeIndex(rod.first_node + k + 1)] - start;
}

MaterialRange material_range(const Model& model, int rod) {
  MaterialRange range{0, model.rods[static_cast<std::size_t>(rod)].length};
  for (const WinchModel& winch : model.winches) {
    if (winch.rod != rod) continue;
    if (winch.end == RodEnd::start)
      range.from -= winch.stored;
    else
      range.to += winch.stored;
  }
  return range;
}

MaterialPoint::MaterialPoint(const Frame& frame, int rod, double rod_length, double s)
    : frame_(frame),
      span_(frame.rods[static_cast<std::size_t>(rod)]),
      s_(s),
      length_(rod_length),
      period_(span_.ring ? length_ : 0.0) {}

MaterialPoint::MaterialPoint(const Model& model, const Frame& frame, int rod, double s)
    : MaterialPoint(frame, rod, model.rods[static_cast<std::size_t>(rod)].length, s) {}

Between MaterialPoint::on_nodes() const {
  Between p = between(s_, span_.nodes, period_, [this](int i) { return node_s(i); });
  if (!span_.ring) p.share = std::clamp(p.share, 0.0, 1.0);
  return p;
}
Between MaterialPoint::on_edges() const {
  return between(s_, span_.edges, period_, [this](int i) { return edge_s(i); });
}
Between MaterialPoint::on_inner() const {
  return between(s_, span_.inner, period_, [this](int i) { return node_s(span_.ring ? i : i + 1); });
}

Vec3 MaterialPoint::at_nodes(const OnNodes<Vec3>& v) const {
  const Between p = on_nodes();
  return (1 - p.share) * v[NodeIndex(span_.first_node + p.a)] + p.share * v[NodeIndex(span_.first_node + p.b)];
}
Vec3 MaterialPoint::at_edges(const OnEdges<Vec3>& v) const {
  const Between p = on_edges();
  return (1 - p.share) * v[EdgeIndex(span_.first_edge + p.a)] + p.share * v[EdgeIndex(span_.first_edge + p.b)];
}

Quat MaterialPoint::orientation() const {
  const Between p = on_edges();
  const Quat a = frame_.orientation[EdgeIndex(span_.first_edge + p.a)];
  const Quat b = frame_.orientation[EdgeIndex(span_.first_edge + p.b)];
  Quat step = a.conjugate() * b;
  if (step.w() < 0) step.coeffs() = -step.coeffs();
  const double sine = step.vec().norm();
  const double half = math::atan2(sine, step.w());
  if (sine < 1e-15) return a;
  const double turned = half * p.share;
  Quat part;
  part.w() = math::cos(turned);
  part.vec() = step.vec() * (math::sin(turned) / sine);
  return (a * part).normalized();
}

}  // namespace tendril
