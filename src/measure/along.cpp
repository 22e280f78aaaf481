#include "measure/along.h"

#include <algorithm>
#include <cmath>

namespace tendril {
Vec3 strain_at_inner(const Frame& frame, const RodSpan& rod, int i, double rod_length) {
  const JointEdges e = edges_at_inner(rod, i);
  const double twist = frame.twist[InnerNodeIndex(rod.first_inner + i)];
  const JointStrain strain = joint_strain(frame.orientation[e.before], frame.orientation[e.after], twist);
  const double length = 0.5 * (rest_length_of_edge(frame, rod, e.before.value - rod.first_edge, rod_length) +
                               rest_length_of_edge(frame, rod, e.after.value - rod.first_edge, rod_length));
  return Vec3(strain.bend1, strain.bend2, twist) / length;
}

double tension_of_edge(const Frame& frame, EdgeIndex edge) {
  return frame.force[edge].dot(frame.orientation[edge] * Vec3::UnitZ());
}

Vec3 MeasuredPoint::strain() const {
  if (span_.inner == 0) return Vec3::Zero();
  const Between p = on_inner();
  return (1 - p.share) * strain_at_inner(frame_, span_, p.a, length_) +
         p.share * strain_at_inner(frame_, span_, p.b, length_);
}

double MeasuredPoint::tension() const {
  const Between p = on_edges();
  return (1 - p.share) * tension_of_edge(frame_, EdgeIndex(span_.first_edge + p.a)) +
         p.share * tension_of_edge(frame_, EdgeIndex(span_.first_edge + p.b));
}

double MeasuredPoint::twist_from_start() const { return twist_up_to(s_) - twist_up_to(node_s(0)); }

double MeasuredPoint::twist_up_to(double s) const {
  double sum = 0;
  for (int i = 0; i < span_.inner; ++i) {
    const JointEdges e = edges_at_inner(span_, i);
    const double before = 0.5 * rest_length_of_edge(frame_, span_, e.before.value - span_.first_edge, length_);
    const double after = 0.5 * rest_length_of_edge(frame_, span_, e.after.value - span_.first_edge, length_);
    const double start = node_s(span_.ring ? i : i + 1) - before;
    // The half edges at the ends of an open rod have no joint of their own: they go on with the rate of the nearest.
    const double least = !span_.ring && i == 0 ? -forever : 0.0, most = !span_.ring && i + 1 == span_.inner ? forever : 1.0;
    sum += frame_.twist[InnerNodeIndex(span_.first_inner + i)] * std::clamp((s - start) / (before + after), least, most);
  }
  return sum;
}

}  // namespace tendril
