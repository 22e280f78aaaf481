#include "linear/chain_preconditioner.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace tendril {
namespace {

Eigen::Matrix3d skew_of(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

}  // namespace

// B^T N B = -[a]x N [a]x, N the sum of what all nodes from here to the tip carry.
void ChainPreconditioner::gather(const ChainLDLT& chain) {
  const int n = chain.links();
  Eigen::Matrix3d beyond = Eigen::Matrix3d::Zero();
  for (int i = n - 1; i >= 0; --i) {
    const ChainLink<double>& link = chain.link(i);
    beyond += link.node;
    const Eigen::Matrix3d arm = skew_of(link.arm);
    Eigen::Matrix3d& b = block_[std::size_t(i) + 1];
    b = link.turn - arm * beyond * arm;
    if (i > 0) b += link.joint;
    if (i + 1 < n) b += chain.link(i + 1).joint;
  }
  block_[0] = root_held_ ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : Eigen::Matrix3d(beyond + chain.root());
  if (kind_ != ChainPreconditioning::hybrid) return;
  blocks_.lower(0).setZero();
  for (int i = 1; i < n; ++i) blocks_.lower(i) = -(chain.link(i).joint + skew_of(chain.link(i).half));
}

bool ChainPreconditioner::factor(double alpha) {
  bool positive = true;
  for (std::size_t i = 0; i < block_.size(); ++i) {
    Eigen::Matrix3d b = block_[i];
    b.diagonal().array() += i == 0 ? 0 : alpha;
    if (kind_ == ChainPreconditioning::hybrid) {
      blocks_.diagonal(static_cast<int>(i)) = b;
      continue;
    }
    const double minor = b(0, 0) * b(1, 1) - b(0, 1) * b(1, 0), whole = b.determinant();
    if (kind_ == ChainPreconditioning::block_diagonal) {
      positive = positive && b(0, 0) > 0 && minor > 0 && whole > 0;
      inverse_[i] = b.inverse();
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      positive = positive && b(k, k) > 0;
      diagonal_[3 * i + std::size_t(k)] = 1 / b(k, k);
    }
  }
  return kind_ == ChainPreconditioning::hybrid ? blocks_.factor(1e-300).positive_definite() : positive;
}

double ChainPreconditioner::build(const ChainLDLT& chain, ChainPreconditioning kind) {
  kind_ = kind;
  root_held_ = chain.root_held();
  gather(chain);
  if (factor(0)) return 0;
  double largest = 0;
  for (std::size_t i = 1; i < block_.size(); ++i) largest = std::max(largest, block_[i].cwiseAbs().maxCoeff());
  for (double alpha = 1e-6 * largest; alpha < 1e3 * largest; alpha *= 10)
    if (factor(alpha)) return alpha;
  return std::nan("");  // numbers that are none
}

void ChainPreconditioner::apply(std::span<const double> r, std::span<double> z) const {
  using Block = Eigen::Map<Eigen::Vector3d>;
  using Given = Eigen::Map<const Eigen::Vector3d>;
  if (kind_ == ChainPreconditioning::diagonal) {
    for (std::size_t i = 0; i < r.size(); ++i) z[i] = diagonal_[i] * r[i];
  } else if (kind_ == ChainPreconditioning::block_diagonal) {
    for (std::size_t i = 0; i < block_.size(); ++i)
      Block(z.data() + 3 * i).noalias() = inverse_[i] * Given(r.data() + 3 * i);
  } else {
    std::copy(r.begin(), r.end(), z.begin());
    blocks_.solve(z);
  }
}

}  // namespace tendril
