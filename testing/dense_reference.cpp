#include "testing/dense_reference.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace tendril {

Eigen::MatrixXd dense_solution(const Eigen::MatrixXd& a, const Eigen::MatrixXd& right) { return a.fullPivLu().solve(right); }

Eigen::MatrixXd dense_inverse(const Eigen::MatrixXd& a) { return a.fullPivLu().inverse(); }

Eigen::VectorXd dense_eigenvalues(const Eigen::MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

int dense_negatives(const Eigen::MatrixXd& a) { return static_cast<int>((dense_eigenvalues(a).array() < 0).count()); }

}  // namespace tendril
