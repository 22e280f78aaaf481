#include "linear/lowest_pairs.h"

#include <algorithm>
#include <limits>

namespace tendril {

LowestPairs lowest_pairs(const Eigen::MatrixXd& compliance, const Eigen::MatrixXd& mass, double shift, int count) {
  // M = P^T L D L^T P; what rounding leaves of D where there is no mass is none.
  const Eigen::LDLT<Eigen::MatrixXd> factor(mass);
  const Eigen::VectorXd diagonal = factor.vectorD();
  const double least = 1e-14 * std::max(0.0, diagonal.maxCoeff());
  Eigen::MatrixXd root = factor.matrixL();
  for (Eigen::Index i = 0; i < root.cols(); ++i) root.col(i) *= diagonal[i] > least ? std::sqrt(diagonal[i]) : 0.0;
  root = factor.transpositionsP().transpose() * root;
  const Eigen::MatrixXd reach = compliance * root;
  const Eigen::MatrixXd square = root.transpose() * reach;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(0.5 * (square + square.transpose()));
  // Rising eigenvalues: the lowest pairs are the last. What is held, or has no mass, has eigenvalues of rounding.
  const Eigen::VectorXd& all = solver.eigenvalues();
  const double none = 1e3 * std::numeric_limits<double>::epsilon() * std::max(0.0, all.tail<1>()[0]);
  LowestPairs pairs;
  int kept = 0;
  while (kept < std::min<int>(count, static_cast<int>(all.size())) && all[all.size() - 1 - kept] > none) ++kept;
  pairs.value.resize(kept);
  pairs.vector.resize(mass.rows(), kept);
  for (int k = 0; k < kept; ++k) {
    const Eigen::Index at = all.size() - 1 - k;
    pairs.value[k] = 1 / all[at] - shift;
    pairs.vector.col(k) = reach * solver.eigenvectors().col(at) / all[at];
  }
  return pairs;
}

}  // namespace tendril
