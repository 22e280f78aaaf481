#include "linear/null_space.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace tendril {

Eigen::MatrixXd vanishing_combinations(const Eigen::MatrixXd& rows) {
  const Eigen::Index count = rows.cols();
  if (rows.rows() == 0 || count == 0) return Eigen::MatrixXd::Identity(count, count);
  // A square matrix of full size has all singular vectors, whatever the number of rows.
  Eigen::MatrixXd square = rows.rows() > count ? Eigen::MatrixXd(rows.householderQr().matrixQR().topRows(count)) : rows;
  if (rows.rows() > count) square.triangularView<Eigen::StrictlyLower>().setZero();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(square, Eigen::ComputeFullV);
  const double largest = std::max(1e-300, rows.cwiseAbs().maxCoeff());
  Eigen::Index from = 0;  // singular values fall
  while (from < svd.singularValues().size() && svd.singularValues()[from] > 1e-9 * largest) ++from;
  return svd.matrixV().rightCols(count - from);
}

NullSpace find_null_space(const Eigen::MatrixXd& candidates, const Eigen::VectorXd& metric, double tolerance,
                          const MatrixVector& multiply) {
  const Eigen::Index n = candidates.rows();
  const Eigen::VectorXd root = metric.cwiseSqrt();
  // Orthonormal by Gram and Schmidt, twice for the digits; what is left of a dependent candidate is rounding.
  Eigen::MatrixXd basis(n, candidates.cols()), image(n, candidates.cols());
  Eigen::Index k = 0;
  for (Eigen::Index c = 0; c < candidates.cols(); ++c) {
    Eigen::VectorXd x = root.cwiseProduct(candidates.col(c));
    const double before = x.norm();
    for (int twice = 0; twice < 2; ++twice) x -= basis.leftCols(k) * (basis.leftCols(k).transpose() * x);
    if (!(x.norm() > 1e-6 * before)) continue;
    basis.col(k) = x / x.norm();
    const Eigen::VectorXd plain = basis.col(k).cwiseQuotient(root);
    Eigen::VectorXd y(n);
    multiply(std::span<const double>(plain.data(), static_cast<std::size_t>(n)),
             std::span<double>(y.data(), static_cast<std::size_t>(n)));
    image.col(k++) = y.cwiseQuotient(root);
  }
  NullSpace out;
  out.vectors.resize(n, 0);
  if (k == 0) return out;
  // Singular values, not eigenvalues of A^T A: squares would lose half of the digits.
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(image.leftCols(k), Eigen::ComputeThinU | Eigen::ComputeThinV);
  Eigen::Index from = 0;
  while (from < k && svd.singularValues()[from] > tolerance) ++from;
  const Eigen::MatrixXd found = basis.leftCols(k) * svd.matrixV().rightCols(k - from);
  out.vectors = root.cwiseInverse().asDiagonal() * found;
  return out;
}

void set_deflation(BorderedLDLT& border, const NullSpace& null, const Eigen::VectorXd& metric, int first) {
  for (int k = 0; k < null.size(); ++k) {
    for (int i = 0; i < border.inner(); ++i) border.column(i, first + k) = metric[i] * null.vectors(i, k);
    border.add_corner(first + k, first + k, -1.0);
  }
}

}  // namespace tendril
