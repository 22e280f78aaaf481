// Directions of no stiffness, found among candidates, and the inertia of a matrix that has such directions.
//
// A singular matrix has pivots that are rounding of either sign, so Sylvester's count is worthless where a body may move for
// nothing. Which motions those are is known beforehand (it turns, swings, slides as a whole): each is tested, and what passes
// is stiffened by a border,
//   [ A        S N ]        A + S N N^T S  has the inertia of the whole less one negative eigenvalue for each column of N
//   [ N^T S   -1   ]        (Haynsworth), whatever sign the tiny pivots of A have.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>

#include "linear/bordered.h"

namespace tendril {

struct NullSpace {
  Eigen::MatrixXd vectors;  // columns, orthonormal in the metric
  int size() const { return static_cast<int>(vectors.cols()); }
};

// Combinations of columns, as columns of coefficients, for which all rows vanish (to 1e-9 of the largest entry).
Eigen::MatrixXd vanishing_combinations(const Eigen::MatrixXd& rows);

using MatrixVector = std::function<void(std::span<const double> x, std::span<double> y)>;  // y = A x

// Combinations x of the candidates with |A x| <= tolerance |x|, both in the metric: |x|^2 = x.S x, |A x|^2 = A x.S^-1 A x.
NullSpace find_null_space(const Eigen::MatrixXd& candidates, const Eigen::VectorXd& metric, double tolerance,
                          const MatrixVector& multiply);

// The border that stiffens a null space; `first`: where its columns begin in a border that has others before them.
void set_deflation(BorderedLDLT& border, const NullSpace& null, const Eigen::VectorXd& metric, int first = 0);

}  // namespace tendril
