#include "linear/lowest_pairs.h"

#include <random>

#include "testing/sentence.h"

namespace tendril {
namespace {

using MatX = Eigen::MatrixXd;

MatX random_matrix(int rows, int columns, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return MatX::NullaryExpr(rows, columns, [&] { return normal(random); });
}

SENTENCE("linear", "the lowest pairs of a stiffness and a mass are those of the dense general solver, and have unit mass") {
  std::mt19937_64 random(11);
  const int n = 30;
  const MatX a = random_matrix(n, n, random), b = random_matrix(n, n, random);
  const MatX K = a * a.transpose() - 2 * MatX::Identity(n, n), M = b * b.transpose();  // some lambda may be negative
  const double shift = 50;
  const LowestPairs pairs = lowest_pairs((K + shift * M).inverse(), M, shift, 8);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> dense(K, M);
  ASSERT_EQ(pairs.value.size(), 8);
  for (int k = 0; k < 8; ++k) {
    EXPECT_NEAR(pairs.value[k], dense.eigenvalues()[k], 1e-8 * (1 + std::abs(dense.eigenvalues()[k]))) << k;
    const Eigen::VectorXd x = pairs.vector.col(k);
    EXPECT_LT((K * x - pairs.value[k] * M * x).norm(), 1e-8 * (K * x).norm() + 1e-8);
    EXPECT_NEAR(x.dot(M * x), 1, 1e-10);
  }
}

SENTENCE("linear", "directions without mass follow, held ones stay: only what can swing has a pair") {
  // Three springs in a row, mass in the middle of the second only, the last unknown held.
  MatX K(3, 3), M = MatX::Zero(3, 3), C = MatX::Zero(3, 3);
  K << 2, -1, 0, -1, 2, -1, 0, -1, 2;
  M(1, 1) = 4;
  C.topLeftCorner<2, 2>() = K.topLeftCorner<2, 2>().inverse();
  const LowestPairs pairs = lowest_pairs(C, M, 0, 5);
  ASSERT_EQ(pairs.value.size(), 1);
  EXPECT_NEAR(pairs.value[0], (2 - 0.5) / 4, 1e-14);
  EXPECT_NEAR(pairs.vector(0, 0) / pairs.vector(1, 0), 0.5, 1e-14);
  EXPECT_EQ(pairs.vector(2, 0), 0);
}

}  // namespace
}  // namespace tendril
