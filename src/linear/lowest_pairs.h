// The lowest pairs of  K x = lambda M x,  M symmetric and not negative, from C = (K + shift M)^-1: symmetric, and zero in what is held.
//   L^T C L y = y/(lambda + shift),  M = L L^T,   x = (lambda + shift) C L y,   x^T M x = 1
// Low lambda are the large eigenvalues, which are found to rounding whatever the highest are. M may be singular: directions without mass follow.
#pragma once

#include <Eigen/Dense>

namespace tendril {

struct LowestPairs {
  Eigen::VectorXd value;   // rising
  Eigen::MatrixXd vector;  // columns
};
// At most `count`; fewer where mass can move in fewer ways. By Eigen's dense solver: O(n^3).
LowestPairs lowest_pairs(const Eigen::MatrixXd& compliance, const Eigen::MatrixXd& mass, double shift, int count);

}  // namespace tendril
