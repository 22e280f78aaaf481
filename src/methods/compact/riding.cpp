#include "methods/compact/riding.h"

#include "math/rotation.h"
#include "methods/compact/joined.h"

namespace tendril::compact {

Vector12 pair_gradient(const PairGap& gap, const BarrierValue& push) {
  Vector12 g = (gap.weight * push.slope) * gap.at.gradient;
  if (gap.is_faded) g += push.energy * gap.weight_gradient;
  return g;
}

PairEnergy pair_energy(const PairGap& gap, const PairBend& bend, const BarrierValue& push, bool exact) {
  const Vector12& g = gap.at.gradient;
  PairEnergy e;
  e.gradient = pair_gradient(gap, push);
  e.hessian = (gap.weight * push.bend) * g * g.transpose();
  if (!exact) return e;
  e.hessian += (gap.weight * push.slope) * bend.gap;
  if (!gap.is_faded) return e;
  const Matrix12 mixed = g * gap.weight_gradient.transpose();
  e.hessian += push.slope * (mixed + mixed.transpose()) + push.energy * bend.weight;
  return e;
}

namespace {

using OfPoint = Eigen::Matrix<double, 3, 12>;
OfPoint point_on_body(const Vec3& w) {
  OfPoint slopes = OfPoint::Zero();
  slopes.leftCols<3>() = Mat3::Identity();
  slopes.middleCols<3>(6) = -Mat3::Identity();
  slopes.rightCols<3>() = skew(w);
  return slopes;
}

PairEnergy node_on_body(const GapSlopes& at, const PairBend& bend, const BarrierValue& push, const Vec3& w, bool exact) {
  const OfPoint slopes = point_on_body(w);
  const Vec3& n = at.normal;
  const Vector12 g = slopes.transpose() * n;
  PairEnergy e;
  e.gradient = push.slope * g;
  e.hessian = push.bend * g * g.transpose();
  if (!exact) return e;
  Matrix12 h = slopes.transpose() * bend.gap.topLeftCorner<3, 3>() * slopes;
  const Mat3 cross = skew(n);
  h.block<3, 3>(0, 9) -= cross, h.block<3, 3>(9, 0) += cross;
  h.block<3, 3>(6, 9) += cross, h.block<3, 3>(9, 6) -= cross;
  h.block<3, 3>(9, 9) += turned_twice(w, n);
  e.hessian += push.slope * h;
  return e;
}

Matrix12 points_by_body(const std::array<Vec3, 2>& arms) {
  Matrix12 by = Matrix12::Identity();
  for (int i = 0; i < 2; ++i) {
    by.block<3, 3>(6 + 3 * i, 6) = Mat3::Identity();
    by.block<3, 3>(6 + 3 * i, 9) = -skew(arms[static_cast<std::size_t>(i)]);
  }
  return by;
}

}  // namespace

Vector12 gradient_on_body(const NearPairs& near, const NearPair& pair, const PairGap& gap, const BarrierValue& push,
                          std::span<const Vec3> nodes, const Pose& pose) {
  if (pair.kind == NearPair::Kind::node_surface) {
    const OfPoint slopes = point_on_body(nodes[static_cast<std::size_t>(pair.node[0])] - pose.position);
    return push.slope * Vector12(slopes.transpose() * gap.at.normal);
  }
  return points_by_body(near.arms_on(pair, pose)).transpose() * pair_gradient(gap, push);
}

PairEnergy energy_on_body(const NearPairs& near, const NearPair& pair, const PairGap& gap, const PairBend& bend,
                          const BarrierValue& push, std::span<const Vec3> nodes, const Pose& pose, bool exact) {
  if (pair.kind == NearPair::Kind::node_surface)
    return node_on_body(gap.at, bend, push, nodes[static_cast<std::size_t>(pair.node[0])] - pose.position, exact);
  const PairEnergy points = pair_energy(gap, bend, push, exact);
  const auto arms = near.arms_on(pair, pose);
  const Matrix12 by = points_by_body(arms);
  PairEnergy e;
  e.gradient = by.transpose() * points.gradient;
  e.hessian = by.transpose() * points.hessian * by;
  for (int i = 0; i < 2 && exact; ++i)
    e.hessian.block<3, 3>(9, 9) += turned_twice(arms[static_cast<std::size_t>(i)], points.gradient.segment<3>(6 + 3 * i));
  return e;
}

}  // namespace tendril::compact
