#include "linear/tridiagonal.h"

#include <Eigen/Core>
#include <experimental/simd>
#include <vector>

#include "linear/block_tridiagonal.h"
#include "linear/bordered.h"
#include "testing/allocation_count.h"
#include "testing/dense_reference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril::tridiagonal_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Pack4 = std::experimental::fixed_size_simd<double, 4>;

struct Chain {
  std::vector<double> diagonal, off;
  MatrixXd dense;
};
Chain random_chain(Random& random, int n, bool ring, double lift) {
  Chain c;
  c.dense = MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    c.diagonal.push_back(random.normal() + lift);
    c.off.push_back(random.normal());
    c.dense(i, i) += c.diagonal.back();
    const int next = (i + 1) % n;
    if (i + 1 == n && !ring) continue;
    c.dense(i, next) += c.off.back();
    c.dense(next, i) += c.off.back();
  }
  return c;
}

SENTENCE("linear", "open and cyclic tridiagonal systems agree with dense ones, solution and inertia") {
  Random random(61);
  for (int trial = 0; trial < 100; ++trial) {
    const bool ring = trial % 2;
    const int n = random.integer(ring ? 2 : 1, 20);
    const Chain c = random_chain(random, n, ring, trial % 3 ? 4 : 0);
    const std::size_t size = std::size_t(n);
    std::vector<double> pivot(size), lower(size), w(size);
    const VectorXd x = VectorXd::Random(n);
    VectorXd y = c.dense * x;
    double negative = 0;
    if (ring) {
      CyclicTridiagonal<double> cyclic{pivot, lower, w};
      negative = cyclic.factor(c.diagonal, c.off).negative;
      cyclic.solve({y.data(), size});
    } else {
      negative = factor_tridiagonal<double>(c.diagonal, c.off, pivot, lower).negative;
      solve_tridiagonal<double>(pivot, lower, {y.data(), size});
    }
    EXPECT_EQ(int(negative), dense_negatives(c.dense));
    EXPECT_LT((y - x).norm(), (trial % 3 ? 1e-10 : 1e-7) * (1 + x.norm()));
  }
}

SENTENCE("linear", "four tridiagonal systems in a pack have the bits of four scalar ones") {
  Random random(62);
  const int n = 15;
  const std::size_t size = n;
  for (const bool ring : {false, true}) {
    std::vector<Pack4> diagonal(size), off(size), x(size), pivot(size), lower(size), w(size);
    std::vector<Chain> chains;
    std::vector<std::vector<double>> right(4, std::vector<double>(size));
    for (int k = 0; k < 4; ++k) {
      chains.push_back(random_chain(random, n, ring, k));
      for (std::size_t i = 0; i < size; ++i) {
        right[std::size_t(k)][i] = random.normal();
        diagonal[i][k] = chains.back().diagonal[i];
        off[i][k] = chains.back().off[i];
        x[i][k] = right[std::size_t(k)][i];
      }
    }
    Pack4 negative;
    if (ring) {
      CyclicTridiagonal<Pack4> cyclic{pivot, lower, w};
      negative = cyclic.factor(diagonal, off).negative;
      cyclic.solve(x);
    } else {
      negative = factor_tridiagonal<Pack4>(diagonal, off, pivot, lower).negative;
      solve_tridiagonal<Pack4>(pivot, lower, x);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<double> p(size), l(size), v(size);
      CyclicTridiagonal<double> cyclic{p, l, v};
      if (ring) {
        EXPECT_EQ(cyclic.factor(chains[k].diagonal, chains[k].off).negative, negative[k]);
        cyclic.solve(right[k]);
      } else {
        EXPECT_EQ(factor_tridiagonal<double>(chains[k].diagonal, chains[k].off, p, l).negative, negative[k]);
        solve_tridiagonal<double>(p, l, right[k]);
      }
      for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(x[i][k], right[k][i]);
    }
  }
}

template <int B>
void check_blocks(Random& random, int n) {
  using Block = SmallBlock<B>;
  BlockTridiagonalLU<B> general;
  BlockTridiagonalLDLT<B> symmetric;
  general.resize(n);
  symmetric.resize(n);
  MatrixXd g = MatrixXd::Zero(n * B, n * B), s = g;
  const auto noise = [&random] {
    Block block;
    for (int i = 0; i < B * B; ++i) block.data()[i] = random.normal();
    return block;
  };
  for (int i = 0; i < n; ++i) {
    g.block<B, B>(i * B, i * B) = general.diagonal(i) = noise();
    const Block d = noise();
    s.block<B, B>(i * B, i * B) = symmetric.diagonal(i) = d + d.transpose();
    if (i + 1 == n) continue;
    g.block<B, B>((i + 1) * B, i * B) = general.lower(i) = noise();
    g.block<B, B>(i * B, (i + 1) * B) = general.upper(i) = noise();
    s.block<B, B>((i + 1) * B, i * B) = symmetric.lower(i) = noise();
    s.block<B, B>(i * B, (i + 1) * B) = symmetric.lower(i).transpose();
  }
  const VectorXd x = VectorXd::Random(n * B);
  VectorXd y = g * x, z = s * x;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> many(n * B, 3), many_s(n * B, 3);
  for (int k = 0; k < 3; ++k) many.col(k) = (k + 1) * y, many_s.col(k) = (k + 1) * z;
  const AllocationCount count;
  const bool good = general.factor().good();
  general.solve({y.data(), std::size_t(n * B)});
  general.solve({many.data(), std::size_t(many.size())}, 3);
  const PivotReport report = symmetric.factor();
  symmetric.solve({z.data(), std::size_t(n * B)});
  symmetric.solve({many_s.data(), std::size_t(many_s.size())}, 3);
  const long seen = count.count();
  EXPECT_EQ(seen, 0);
  EXPECT_TRUE(good);
  EXPECT_LT((y - x).norm(), 1e-13 / std::min(1.0, general.report().smallest * general.report().smallest) * x.norm()) << B;
  EXPECT_LT((many.col(2) - 3 * y).norm(), 1e-9 * x.norm());
  EXPECT_EQ(report.negative, dense_negatives(s));
  EXPECT_LT((z - x).norm(), 1e-13 / std::min(1.0, report.smallest * report.smallest) * x.norm()) << B;
  EXPECT_LT((many_s.col(2) - 3 * z).norm(), 1e-8 / report.smallest * x.norm());
}

SENTENCE("linear", "block tridiagonal systems agree with dense ones and allocate nothing") {
  Random random(63);
  for (const int n : {1, 2, 9}) {
    check_blocks<1>(random, n);
    check_blocks<3>(random, n);
    check_blocks<6>(random, n);
  }
}

SENTENCE("linear", "singular blocks are reported") {
  BlockTridiagonalLU<3> general;
  BlockTridiagonalLDLT<3> symmetric;
  general.resize(2);
  symmetric.resize(2);
  for (int i = 0; i < 2; ++i) general.diagonal(i).setIdentity(), symmetric.diagonal(i).setIdentity();
  EXPECT_TRUE(general.factor().good());
  EXPECT_TRUE(symmetric.factor().positive_definite());
  general.diagonal(1)(2, 2) = symmetric.diagonal(1)(2, 2) = 0;
  EXPECT_FALSE(general.factor().good());
  EXPECT_EQ(symmetric.factor().tiny, 1);
}

SENTENCE("linear", "a ring of blocks is an open chain with its last block as border") {
  Random random(64);
  constexpr int B = 3;
  const int n = 8, inner = (n - 1) * B;
  BlockTridiagonalLDLT<B> open;
  BorderedLDLT ring;
  open.resize(n - 1);
  ring.resize(inner, B);
  MatrixXd dense = MatrixXd::Zero(n * B, n * B);
  for (int i = 0; i < n; ++i) {
    const Mat3 d = Mat3::Random(), c = Mat3::Random();
    const int next = (i + 1) % n;
    dense.block<B, B>(i * B, i * B) = d + d.transpose() + 2 * Mat3::Identity();
    dense.block<B, B>(next * B, i * B) = c;
    dense.block<B, B>(i * B, next * B) = c.transpose();
  }
  for (int i = 0; i + 1 < n; ++i) open.diagonal(i) = dense.block<B, B>(i * B, i * B);
  for (int i = 0; i + 2 < n; ++i) open.lower(i) = dense.block<B, B>((i + 1) * B, i * B);
  for (int k = 0; k < B; ++k) {
    for (int i = 0; i < inner; ++i) ring.column(i, k) = dense(i, inner + k);
    for (int m = 0; m <= k; ++m) ring.add_corner(k, m, dense(inner + k, inner + m));
  }
  const int negative = open.factor().negative;
  EXPECT_EQ(negative + ring.factor(open).negative, dense_negatives(dense));
  const VectorXd x = VectorXd::Random(n * B);
  VectorXd y = dense * x;
  ring.solve(open, {y.data(), std::size_t(y.size())});
  EXPECT_LT((y - x).norm(), 1e-10);
}

}  // namespace
}  // namespace tendril::tridiagonal_test
