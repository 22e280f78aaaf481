// Gaps of near pairs: values, derivatives, and how far a motion is free.
#include <algorithm>
#include <cmath>

#include "contact/impact.h"
#include "contact/near_pairs.h"
#include "contact/triangle_distance.h"

namespace tendril {
namespace {

using PairKind = NearPair::Kind;
constexpr std::size_t index_of(int i) { return static_cast<std::size_t>(i); }

ClosestPoints<double> nearest_of(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  return closest_points(to_small(a0), to_small(a1), to_small(b0), to_small(b1));
}

// From a point to a triangle: over its face, or from the side or corner that is nearest.
GapDerivatives triangle_gap(const std::array<Vec3, 3>& corners, const Vec3& p, double radius) {
  const TrianglePoint c = closest_on_triangle(corners, p);
  const int k = static_cast<int>(c.feature);
  if (k >= 1 && k <= 3) return pair_gap(p, p, corners[index_of(k - 1)], corners[index_of(k % 3)], radius);
  if (k >= 4) return pair_gap(p, p, corners[index_of(k - 4)], corners[index_of(k - 4)], radius);
  GapDerivatives out;
  const Vec3 apart = p - c.point;
  const double d = apart.norm();
  out.gap = d - radius;
  if (d > 0) out.normal = apart / d;
  out.gradient.head<3>() = out.normal;
  return out;
}

// 1 above, and (2 - c/e) c/e below e, c the squared sine of the angle between the two: with continuous slope.  [Li 2020, eq. (21)]
// Lengths do not change, so that c = 1 - (u . v)^2 / (lengths)^2.
void fade(const Vec3& u, const Vec3& v, double lengths, PairGap& out, PairBend* second) {
  const double along = u.dot(v), c = std::max(0.0, 1 - along * along / lengths), e = NearPairs::parallel_sine_squared;
  out.is_faded = c < e;
  out.weight = 1;
  if (!out.is_faded) return;
  out.weight = (2 - c / e) * (c / e);
  const double slope = 2 * (1 - c / e) / e, bend = -2 / (e * e);
  // d(u . v) by (a0, a1, b0, b1), and its second derivatives, which are +-1 between a and b.
  Vector12 by = Vector12::Zero();
  by.segment<3>(0) = -v, by.segment<3>(3) = v;
  by.segment<3>(6) = -u, by.segment<3>(9) = u;
  const Vector12 dc = (-2 * along / lengths) * by;
  out.weight_gradient = slope * dc;
  if (second == nullptr) return;
  second->weight = bend * dc * dc.transpose() - (2 * slope / lengths) * by * by.transpose();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const double sign = (i == j ? 1 : -1) * (-2 * slope * along / lengths);
      second->weight.block<3, 3>(3 * i, 6 + 3 * j).diagonal().array() += sign;
      second->weight.block<3, 3>(6 + 3 * j, 3 * i).diagonal().array() += sign;
    }
}

}  // namespace

NearPairs::Points NearPairs::points_of(const NearPair& pair, std::span<const Vec3> x,
                                       std::span<const Pose> obstacles) const {
  const auto at = [&x, &pair](std::size_t i) { return x[index_of(pair.node[i])]; };
  Points p;
  p.a0 = at(0);
  p.a1 = pair.node[1] >= 0 ? at(1) : p.a0;
  if (pair.is_between_rods()) {
    p.b0 = at(2), p.b1 = at(3);
    return p;
  }
  const Pose& pose = obstacles[index_of(pair.obstacle)];
  const auto [r0, r1] = arms_on(pair, pose);
  p.b0 = pose.position + r0, p.b1 = pose.position + r1;
  return p;
}

std::array<Vec3, 2> NearPairs::arms_on(const NearPair& pair, const Pose& pose) const {
  const Features& f = features_[index_of(pair.obstacle)];
  if (pair.kind == PairKind::segment_edge)
    return {pose.orientation * f.edges[index_of(pair.part)][0], pose.orientation * f.edges[index_of(pair.part)][1]};
  if (pair.kind != PairKind::segment_point) return {Vec3::Zero(), Vec3::Zero()};
  const Vec3 arm = pose.orientation * f.points[index_of(pair.part)];
  return {arm, arm};
}

double NearPairs::gap(const NearPair& pair, std::span<const Vec3> x, std::span<const Pose> obstacles) const {
  if (pair.kind == PairKind::node_surface || pair.kind == PairKind::node_triangle) {
    const Pose& pose = obstacles[index_of(pair.obstacle)];
    const Vec3 p = pose.orientation.conjugate() * (x[index_of(pair.node[0])] - pose.position);
    const ObstacleGeometry& o = geometry_.obstacles()[index_of(pair.obstacle)];
    if (pair.kind == PairKind::node_triangle)
      return (p - closest_on_triangle(o.mesh->corners(pair.part), p).point).norm() - pair.radii;
    return distance_at(o.shape, p).at.distance - pair.radii;
  }
  const Points p = points_of(pair, x, obstacles);
  return std::sqrt(nearest_of(p.a0, p.a1, p.b0, p.b1).squared) - pair.radii;
}

void NearPairs::evaluate(const NearPair& pair, std::span<const Vec3> x, std::span<const Pose> obstacles, PairGap& out,
                         PairBend* bend) const {
  out.weight = 1, out.is_faded = false;
  const auto take = [&](const GapDerivatives& gap) {
    out.at = gap;
    if (bend != nullptr) bend->gap = gap.hessian;
  };
  if (pair.kind == PairKind::node_surface) {
    const Vec3& p = x[index_of(pair.node[0])];
    return take(obstacle_gap(geometry_.obstacles()[index_of(pair.obstacle)], 0, obstacles[index_of(pair.obstacle)],
                             TouchPlace::first_node, p, p, pair.radii));
  }
  if (pair.kind == PairKind::node_triangle) {
    const Pose& pose = obstacles[index_of(pair.obstacle)];
    auto corners = geometry_.obstacles()[index_of(pair.obstacle)].mesh->corners(pair.part);
    for (Vec3& c : corners) c = pose.position + pose.orientation * c;
    return take(triangle_gap(corners, x[index_of(pair.node[0])], pair.radii));
  }
  const Points p = points_of(pair, x, obstacles);
  if (bend != nullptr)
    take(pair_gap(p.a0, p.a1, p.b0, p.b1, pair.radii));
  else
    out.at = pair_slopes(p.a0, p.a1, p.b0, p.b1, pair.radii);
  if (pair.parallel > 0) fade(p.a1 - p.a0, p.b1 - p.b0, pair.parallel, out, bend);
}

double NearPairs::free_fraction(const NearPair& pair, const ContactPositions& before, const ContactPositions& after,
                                double keep) const {
  const auto motion = [&](std::size_t i) {
    return Vec3(after.nodes[index_of(pair.node[i])] - before.nodes[index_of(pair.node[i])]);
  };
  struct Look {
    double distance, approach;
  };
  const auto fraction = [](double time) { return time < 1 ? time : 1.0; };
  if (pair.is_between_rods()) {
    const Points from = points_of(pair, before.nodes, before.obstacles);
    const Vec3 m0 = motion(0), m1 = pair.node[1] >= 0 ? motion(1) : m0, n0 = motion(2), n1 = motion(3);
    const auto look = [&](double t) {
      const auto c = nearest_of(from.a0 + t * m0, from.a1 + t * m1, from.b0 + t * n0, from.b1 + t * n1);
      const double d = std::sqrt(c.squared);
      const Vec3 n = to_eigen(c.apart) / d;
      return Look{d - pair.radii, std::max(-n.dot(m0), -n.dot(m1)) + std::max(n.dot(n0), n.dot(n1))};
    };
    const double gap = look(0).distance;
    return fraction(time_of_impact(look, keep * gap));
  }
  // In the obstacle's axes.
  const Pose &from = before.obstacles[index_of(pair.obstacle)], &to = after.obstacles[index_of(pair.obstacle)];
  const auto seen = [](const Pose& pose, const Vec3& x) { return Vec3(pose.orientation.conjugate() * (x - pose.position)); };
  const std::size_t second = pair.node[1] >= 0 ? 1 : 0;
  const auto node = [&](const ContactPositions& p, std::size_t i) { return p.nodes[index_of(pair.node[i])]; };
  const Vec3 a0 = seen(from, node(before, 0)), a1 = seen(from, node(before, second));
  const Vec3 m0 = seen(to, node(after, 0)) - a0, m1 = seen(to, node(after, second)) - a1;
  const ObstacleGeometry& o = geometry_.obstacles()[index_of(pair.obstacle)];
  const Features& f = features_[index_of(pair.obstacle)];
  const auto look = [&](double t) {
    const Vec3 p = a0 + t * m0, q = a1 + t * m1;
    double d = 0;
    Vec3 n = Vec3::UnitZ();
    if (pair.kind == PairKind::node_surface) {
      const Nearest at = distance_at(o.shape, p).at;
      d = at.distance, n = at.normal;
    } else if (pair.kind == PairKind::node_triangle) {
      const Vec3 apart = p - closest_on_triangle(o.mesh->corners(pair.part), p).point;
      d = apart.norm(), n = apart / d;
    } else {
      const bool edge = pair.kind == PairKind::segment_edge;
      const Vec3 b0 = edge ? f.edges[index_of(pair.part)][0] : f.points[index_of(pair.part)];
      const Vec3 b1 = edge ? f.edges[index_of(pair.part)][1] : b0;
      const auto c = nearest_of(p, q, b0, b1);
      d = std::sqrt(c.squared), n = to_eigen(c.apart) / d;
    }
    return Look{d - pair.radii, std::max(-n.dot(m0), -n.dot(m1))};
  };
  const double gap = look(0).distance;
  return fraction(time_of_impact(look, keep * gap));
}

}  // namespace tendril
