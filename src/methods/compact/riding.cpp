#include "methods/compact/riding.h"

#include "math/rotation.h"
#include "methods/compact/joined.h"

namespace tendril::compact {

PairEnergy pair_energy(const PairGap& gap, const BarrierValue& push, bool exact) {
  const Vector12& g = gap.at.gradient;
  PairEnergy e;
  e.gradient = (gap.weight * push.slope) * g;
  if (gap.is_faded) e.gradient += push.energy * gap.weight_gradient;
  e.hessian = (gap.weight * push.bend) * g * g.transpose();
  if (!exact) return e;
  e.hessian += (gap.weight * push.slope) * gap.at.hessian;
  if (!gap.is_faded) return e;
  const Matrix12 mixed = g * gap.weight_gradient.transpose();
  e.hessian += push.slope * (mixed + mixed.transpose()) + push.energy * gap.weight_hessian;
  return e;
}

namespace {

PairEnergy node_on_body(const GapDerivatives& at, const BarrierValue& push, const Vec3& w, bool exact) {
  Eigen::Matrix<double, 3, 12> slopes = Eigen::Matrix<double, 3, 12>::Zero();
  slopes.leftCols<3>() = Mat3::Identity();
  slopes.middleCols<3>(6) = -Mat3::Identity();
  slopes.rightCols<3>() = skew(w);
  const Vec3& n = at.normal;
  const Vector12 g = slopes.transpose() * n;
  PairEnergy e;
  e.gradient = push.slope * g;
  e.hessian = push.bend * g * g.transpose();
  if (!exact) return e;
  Matrix12 h = slopes.transpose() * at.hessian.topLeftCorner<3, 3>() * slopes;
  const Mat3 cross = skew(n);
  h.block<3, 3>(0, 9) -= cross, h.block<3, 3>(9, 0) += cross;
  h.block<3, 3>(6, 9) += cross, h.block<3, 3>(9, 6) -= cross;
  h.block<3, 3>(9, 9) += turned_twice(w, n);
  e.hessian += push.slope * h;
  return e;
}

}  // namespace

PairEnergy energy_on_body(const NearPairs& near, const NearPair& pair, const PairGap& gap, const BarrierValue& push,
                          std::span<const Vec3> nodes, const Pose& pose, bool exact) {
  if (pair.kind == NearPair::Kind::node_surface)
    return node_on_body(gap.at, push, nodes[static_cast<std::size_t>(pair.node[0])] - pose.position, exact);
  const PairEnergy points = pair_energy(gap, push, exact);
  const auto arms = near.arms_on(pair, pose);
  Matrix12 by = Matrix12::Identity();
  PairEnergy e;
  for (int i = 0; i < 2; ++i) {
    by.block<3, 3>(6 + 3 * i, 6) = Mat3::Identity();
    by.block<3, 3>(6 + 3 * i, 9) = -skew(arms[static_cast<std::size_t>(i)]);
  }
  e.gradient = by.transpose() * points.gradient;
  e.hessian = by.transpose() * points.hessian * by;
  for (int i = 0; i < 2 && exact; ++i)
    e.hessian.block<3, 3>(9, 9) += turned_twice(arms[static_cast<std::size_t>(i)], points.gradient.segment<3>(6 + 3 * i));
  return e;
}

}  // namespace tendril::compact
