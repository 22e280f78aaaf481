#include "validation/der/end_rotation.h"

#include <numeric>
#include <vector>

#include "math/link.h"
#include "math/transport.h"

namespace tendril {
namespace {

Vec3 column(const Quat& q, int k) { return q.toRotationMatrix().col(k); }

// Principal value: a wall's joint is half a segment long.
double twist(const Quat& a, const Quat& b) {
  return discrete_twist(to_small(column(a, 2)), to_small(column(a, 0)), to_small(column(b, 2)), to_small(column(b, 0)));
}

// Signed area of the triangle on the unit sphere.  [van Oosterom & Strackee 1983]
double triangle_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  return 2 * std::atan2(a.dot(b.cross(c)), 1 + a.dot(b) + b.dot(c) + c.dot(a));
}

}  // namespace

double wall_to_wall_twist(const Frame& frame, const Quat& first, const Quat& last) {
  double sum = twist(first, frame.orientation[EdgeIndex{0}]) +
               twist(frame.orientation[EdgeIndex{frame.orientation.size() - 1}], last);
  for (int i = 0; i < frame.twist.size(); ++i) sum += frame.twist[InnerNodeIndex{i}];
  return sum;
}

double end_rotation(const Frame& frame, const Quat& first, const Quat& last, const Vec3& axis) {
  double sum = wall_to_wall_twist(frame, first, last);
  Vec3 before = column(first, 2);
  for (int e = 0; e < frame.orientation.size(); ++e) {
    const Vec3 t = column(frame.orientation[EdgeIndex{e}], 2);
    sum += triangle_area(axis, before, t);
    before = t;
  }
  return sum + triangle_area(axis, before, column(last, 2));
}

double writhe_continued(const Frame& frame, const Vec3& axis) { return writhe_continued(frame, axis, axis); }

double writhe_continued(const Frame& frame, const Vec3& first, const Vec3& last) {
  const int nodes = frame.position.size();
  const double far = 1e6 * (frame.material[NodeIndex{nodes - 1}] - frame.material[NodeIndex{0}]);
  std::vector<Vec3> corners;
  corners.push_back(frame.position[NodeIndex{0}] - far * first);
  for (int i = 0; i < nodes; ++i) corners.push_back(frame.position[NodeIndex{i}]);
  corners.push_back(frame.position[NodeIndex{nodes - 1}] + far * last);
  return writhe_open(corners);
}

}  // namespace tendril
