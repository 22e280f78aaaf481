#include "linear/sparse_ldlt.h"

#include <Eigen/Core>
#include <random>

#include "testing/allocation_count.h"
#include "testing/sentence.h"

namespace tendril::sparse_ldlt_test {

namespace {

struct Random {
  std::mt19937_64 engine{7};
  double operator()() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
};

// Fills pattern and a dense copy with the same symmetric, diagonally dominant matrix.
Eigen::MatrixXd fill(SparseLDLT& sparse, int n, const std::vector<std::pair<int, int>>& pairs) {
  Random random;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
  sparse.set_pattern(n, pairs);
  sparse.set_zero();
  for (const auto& [i, j] : pairs) {
    const double x = random();
    dense(i, j) += x, dense(j, i) += x;
    sparse.entries()[static_cast<std::size_t>(sparse.place(j, i))] += x;
  }
  for (int i = 0; i < n; ++i) {
    const double d = 1 + dense.row(i).cwiseAbs().sum();
    dense(i, i) = d;
    sparse.entries()[static_cast<std::size_t>(sparse.place(i, i))] = d;
  }
  return dense;
}

}  // namespace

SENTENCE("linear",
         "a sparse system with a fixed pattern gives what a dense one gives, and allocates nothing once it is set") {
  Random random;
  for (const int n : {1, 2, 7, 40}) {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j)
        if (random() > 0.7) pairs.emplace_back(i, j);
    SparseLDLT sparse;
    const Eigen::MatrixXd dense = fill(sparse, n, pairs);
    Eigen::VectorXd b(n), x;
    for (int i = 0; i < n; ++i) b[i] = random();
    x = b;
    const AllocationCount allocations;
    EXPECT_EQ(sparse.factor().tiny, 0);
    sparse.solve({x.data(), static_cast<std::size_t>(x.size())});
    EXPECT_EQ(allocations.count(), 0);
    EXPECT_LT((dense * x - b).norm(), 1e-12 * b.norm()) << n;
  }
}

SENTENCE("linear", "chains and trees of any numbering fill in little") {
  std::mt19937_64 engine(3);
  for (const bool tree : {false, true}) {
    const int n = 500;
    std::vector<int> name(n);
    for (int i = 0; i < n; ++i) name[static_cast<std::size_t>(i)] = i;
    std::shuffle(name.begin(), name.end(), engine);
    std::vector<std::pair<int, int>> pairs;
    for (int i = 1; i < n; ++i)
      pairs.emplace_back(name[static_cast<std::size_t>(i)], name[static_cast<std::size_t>(tree ? (i - 1) / 3 : i - 1)]);
    SparseLDLT sparse;
    const Eigen::MatrixXd dense = fill(sparse, n, pairs);
    EXPECT_LT(sparse.fill(), 1.2 * n);  // n - 1 without any fill
    Eigen::VectorXd x = Eigen::VectorXd::Ones(n);
    EXPECT_TRUE(sparse.factor().positive_definite());
    sparse.solve({x.data(), static_cast<std::size_t>(x.size())});
    EXPECT_LT((dense * x - Eigen::VectorXd::Ones(n)).norm(), 1e-11);
  }
}

SENTENCE("linear", "a row that repeats another is left out of a sparse system, and the others are solved") {
  SparseLDLT sparse;
  const std::vector<std::pair<int, int>> pairs{{0, 1}, {1, 2}, {0, 2}};
  sparse.set_pattern(3, pairs);
  Eigen::Matrix3d a;  // J J^T of rows (1,0), (1,1), (1,0)
  a << 1, 1, 1, 1, 2, 1, 1, 1, 1;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) sparse.entries()[static_cast<std::size_t>(sparse.place(i, j))] = a(i, j);
  EXPECT_EQ(sparse.factor().tiny, 1);
  Eigen::Vector3d x(3, 5, 3);  // consistent
  const Eigen::Vector3d b = x;
  sparse.solve({x.data(), static_cast<std::size_t>(x.size())});
  EXPECT_LT((a * x - b).norm(), 1e-14);
}

}  // namespace tendril::sparse_ldlt_test
