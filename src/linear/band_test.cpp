#include <Eigen/Core>
#include <chrono>
#include <cmath>

#include "linear/band_ldlt.h"
#include "linear/band_lu.h"
#include "linear/block_tridiagonal.h"
#include "linear/bordered.h"
#include "linear/cyclic_band.h"
#include "linear/dense.h"
#include "linear/sparse_ldlt.h"
#include "testing/allocation_count.h"
#include "testing/dense_reference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril::band_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Matrix>
std::span<double> span(Matrix& x) {
  return {x.data(), std::size_t(x.size())};
}
VectorXd random_vector(Random& random, int n) {
  VectorXd x(n);
  for (int i = 0; i < n; ++i) x[i] = random.normal();
  return x;
}

// Fills any matrix that has add(i, j, value); ring: with the corners. `lift` is added to the diagonal.
template <class Matrix>
MatrixXd fill(Random& random, Matrix& a, int n, int b, double lift, bool ring) {
  MatrixXd dense = MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      const int distance = ring ? std::min(i - j, n - (i - j)) : i - j;
      if (distance > b) continue;
      const double value = random.normal() + (i == j ? lift : 0.0);
      (i + j) % 2 ? a.add(i, j, value) : a.add(j, i, value);
      dense(i, j) = dense(j, i) = value;
    }
  }
  return dense;
}

SENTENCE("linear", "a band matrix multiplies and solves like a dense one, for every bandwidth") {
  Random random(51);
  for (const int b : {0, 1, 2, 5, 10, 11, 16, 17, 23}) {
    for (const int n : {1, 2, 7, 40}) {
      BandLDLT a(n, b);
      const MatrixXd dense = fill(random, a, n, b, 4.0 * b + 8, false);
      const VectorXd x = random_vector(random, n);
      VectorXd y(n);
      a.multiply({x.data(), std::size_t(n)}, span(y));
      EXPECT_LT((y - dense * x).norm(), 1e-12 * y.norm());
      EXPECT_TRUE(a.factor().positive_definite());
      a.solve(span(y));
      EXPECT_LT((y - x).norm(), 1e-12 * x.norm()) << "b " << b << " n " << n;
      for (const int columns : {1, 3, 8}) {
        RowMatrix many(n, columns);
        for (int k = 0; k < columns; ++k) many.col(k) = random_vector(random, n);
        const RowMatrix wanted = many;
        many = dense * many;
        a.solve(span(many), columns);
        EXPECT_LT((many - wanted).norm(), 1e-12 * wanted.norm());
      }
    }
  }
}

SENTENCE("linear", "negative pivots of a band matrix count its negative eigenvalues, with and without shift") {
  Random random(52);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = random.integer(5, 40), b = random.integer(1, 12);
    BandLDLT a(n, b);
    const MatrixXd dense = fill(random, a, n, b, random.uniform(-3, 3), false);
    EXPECT_EQ(a.factor().negative, dense_negatives(dense));
    EXPECT_EQ(a.factor(2.5).negative, dense_negatives(dense + 2.5 * MatrixXd::Identity(n, n)));
    VectorXd diagonal = random_vector(random, n).cwiseAbs();
    const PivotReport report = a.factor(2.5, span(diagonal));
    const MatrixXd shifted = dense + 2.5 * MatrixXd(diagonal.asDiagonal());
    EXPECT_EQ(report.negative, dense_negatives(shifted));
    VectorXd x = random_vector(random, n), y = shifted * x;
    a.solve(span(y));
    EXPECT_LT((y - x).norm(), 1e-11 / std::min(1.0, report.smallest) * x.norm());
  }
}

SENTENCE("linear", "a singular band matrix is reported and still gives finite values") {
  BandLDLT a(5, 2);
  for (int i = 0; i < 5; ++i) a.add(i, i, i == 0 || i == 4 ? 1 : 2);
  for (int i = 0; i < 4; ++i) a.add(i + 1, i, -1);  // a free chain: constants are in the kernel
  const PivotReport report = a.factor();
  EXPECT_EQ(report.tiny, 1);
  EXPECT_EQ(report.smallest_at, 4);
  EXPECT_LT(report.smallest, 1e-15);
  EXPECT_FALSE(report.good());
  VectorXd x = VectorXd::Ones(5);
  a.solve(span(x));
  EXPECT_TRUE(x.allFinite());
  a.set_zero();
  EXPECT_EQ(a.factor().tiny, 5);
  a.add(2, 2, std::nan(""));
  EXPECT_GE(a.factor().tiny, 1);
}

SENTENCE("linear", "a badly scaled but sound band matrix has no tiny pivots") {
  const int n = 40;
  BandLDLT a(n, 1);
  for (int i = 0; i < n; ++i) {
    const double s = i % 2 ? 1e6 : 1e-6;
    a.add(i, i, 2 * s * s);
    if (i > 0) a.add(i, i - 1, 0.9);  // product of the neighbours' scales is 1
  }
  EXPECT_TRUE(a.factor().positive_definite());
}

SENTENCE("linear", "a ring band matrix solves and multiplies like a dense one and has its inertia") {
  Random random(53);
  for (int trial = 0; trial < 60; ++trial) {
    const int b = random.integer(0, 12), n = random.integer(b + 1, 50);
    CyclicBandLDLT ring(n, b);
    const MatrixXd dense = fill(random, ring, n, b, random.uniform(-3, 6), true);
    const VectorXd x = random_vector(random, n);
    VectorXd y(n);
    ring.multiply({x.data(), std::size_t(n)}, span(y));
    EXPECT_LT((y - dense * x).norm(), 1e-12 * (1 + y.norm()));
    EXPECT_EQ(ring.entry(0, n - 1), dense(0, n - 1));
    const PivotReport report = ring.factor();
    EXPECT_EQ(report.negative, dense_negatives(dense));
    ring.solve(span(y));
    EXPECT_LT((y - x).norm(), 1e-10 / std::min(1.0, report.smallest) * x.norm()) << "b " << b << " n " << n;
    VectorXd diagonal = random_vector(random, n).cwiseAbs();
    EXPECT_EQ(ring.factor(1.5, span(diagonal)).negative, dense_negatives(dense + 1.5 * MatrixXd(diagonal.asDiagonal())));
    RowMatrix many = RowMatrix::Random(n, 3), product = (dense + 1.5 * MatrixXd(diagonal.asDiagonal())) * many;
    ring.solve(span(product), 3);
    EXPECT_LT((product - many).norm(), 1e-10 / std::min(1.0, ring.report().smallest) * many.norm());
  }
}

SENTENCE("linear", "a free ring has one tiny pivot") {
  const int n = 12;
  CyclicBandLDLT ring(n, 2);
  for (int i = 0; i < n; ++i) {
    ring.add(i, i, 2);
    ring.add(i, (i + 1) % n, -1);
  }
  const PivotReport report = ring.factor();
  EXPECT_EQ(report.tiny, 1);
  EXPECT_EQ(report.negative, 0);
  EXPECT_GE(report.smallest_at, n - 2);
  EXPECT_EQ(ring.factor(-0.01).negative, 1);
}

SENTENCE("linear", "bordered systems, general and symmetric, agree with dense ones") {
  Random random(54);
  for (const int k : {0, 1, 3, 7}) {
    const int n = 20, b = 3;
    BandLDLT inner(n, b);
    const MatrixXd band = fill(random, inner, n, b, 5, false);
    const int inner_negative = inner.factor().negative;

    BorderedLU general;
    BorderedLDLT symmetric;
    general.resize(n, k);
    symmetric.resize(n, k);
    MatrixXd whole(n + k, n + k), even(n + k, n + k);
    whole.setZero(), even.setZero();
    whole.topLeftCorner(n, n) = even.topLeftCorner(n, n) = band;
    for (int m = 0; m < k; ++m) {
      for (int i = 0; i < n; ++i) {
        whole(i, n + m) = general.column(i, m) = random.normal();
        whole(n + m, i) = general.row(i, m) = random.normal();
        even(i, n + m) = even(n + m, i) = symmetric.column(i, m) = random.normal();
      }
      for (int j = 0; j < k; ++j) whole(n + m, n + j) = general.corner(m, j) = random.normal();
      for (int j = 0; j < m; ++j) {  // the diagonal of the corner stays zero, as for constraints
        even(n + m, n + j) = even(n + j, n + m) = random.normal();
        symmetric.add_corner(m, j, even(n + m, n + j));
      }
    }
    const VectorXd x = random_vector(random, n + k);
    VectorXd y = whole * x, z = even * x;
    EXPECT_TRUE(general.factor(inner).good());
    general.solve(inner, span(y));
    EXPECT_LT((y - x).norm(), 1e-11 * x.norm());
    const PivotReport schur = symmetric.factor(inner);
    EXPECT_EQ(inner_negative + schur.negative, dense_negatives(even));
    symmetric.solve(inner, span(z));
    EXPECT_LT((z - x).norm(), 1e-11 * x.norm());
  }
}

SENTENCE("linear", "the dense symmetric factorisation needs no luck with zeros on the diagonal") {
  Random random(55);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = random.integer(1, 12);
    DenseLDLT a;
    a.resize(n);
    MatrixXd dense = MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        if (i == j && trial % 2) continue;
        a.at(i, j) = a.at(j, i) = dense(i, j) = dense(j, i) = random.normal();
      }
    }
    const PivotReport report = a.factor();
    const double smallest = dense_eigenvalues(dense).cwiseAbs().minCoeff();
    if (smallest < 1e-10) {
      EXPECT_GE(report.tiny, 1);
      continue;
    }
    EXPECT_EQ(report.negative, dense_negatives(dense));
    RowMatrix x = RowMatrix::Random(n, 2), y = dense * x;
    a.solve(span(y), 2);
    EXPECT_LT((y - x).norm(), 1e-12 / smallest * x.norm() + 1e-12);
  }
}

SENTENCE("linear", "factoring and solving band, ring and border systems allocate nothing") {
  Random random(56);
  const int n = 300, b = 11;
  BandLDLT a(n, b);
  fill(random, a, n, b, 30, false);
  CyclicBandLDLT ring(n, b);
  fill(random, ring, n, b, 30, true);
  BorderedLU general;
  general.resize(n, 2);
  general.column(3, 0) = general.row(3, 0) = general.column(9, 1) = general.row(9, 1) = 1;
  VectorXd x = random_vector(random, n + 2);
  RowMatrix many = RowMatrix::Random(n, 4);
  const AllocationCount count;
  bool good = a.factor(0.5).good();
  a.solve({x.data(), std::size_t(n)});
  a.solve(span(many), 4);
  good = ring.factor().good() && good;
  ring.solve({x.data(), std::size_t(n)});
  good = general.factor(a).good() && good;
  general.solve(a, span(x));
  const long seen = count.count();
  EXPECT_EQ(seen, 0);
  EXPECT_TRUE(good);
}

// Masses of 1 and 1e15 tied in a row: J M^-1 J^T has a second pivot of 1e-15 of its row, below what rounding allows by
// default for wide bands. Powers of two, so that the exact answer is known to the last bit.
SENTENCE("linear", "mass ratios of 1e15 are refused by default and solved where smaller pivots are asked for") {
  const double light = 1, heavy = std::ldexp(1.0, -50);  // inverse masses
  const double a = light + heavy, b = -light, c = light + heavy, small = 1e-17;
  const MatrixXd dense = (MatrixXd(2, 2) << a, b, b, c).finished();
  const VectorXd x = (VectorXd(2) << 3, 5).finished();
  const auto expect = [&](const char* name, const PivotReport& strict, const PivotReport& loose, const VectorXd& y) {
    EXPECT_EQ(strict.tiny, 1) << name;
    EXPECT_TRUE(loose.good()) << name << ' ' << loose.smallest;
    EXPECT_LT((dense * y - dense * x).norm(), 1e-14) << name;  // the residual: the error is 1e15 times larger
    EXPECT_TRUE(y.allFinite());
  };
  const int wide = 11;  // 12 roundings are more than 1e-15
  {
    BandLDLT band(2, wide);
    CyclicBandLDLT ring(20, wide - 2);
    band.add(0, 0, a), band.add(1, 0, b), band.add(1, 1, c);
    const PivotReport strict = band.factor(), loose = band.factor(0, {}, small);
    VectorXd y = dense * x;
    band.solve(span(y));
    expect("band", strict, loose, y);
    for (int i = 0; i < 20; ++i) ring.add(i, i, i < 2 ? a : 1);
    ring.add(1, 0, b);
    EXPECT_EQ(ring.factor().tiny, 1);
    EXPECT_TRUE(ring.factor(0, {}, small).good());
  }
  {
    SparseLDLT sparse;
    const std::vector<std::pair<int, int>> pairs{{0, 1}};
    sparse.set_pattern(2, pairs);
    const auto put = [&](int i, int j, double v) { sparse.entries()[std::size_t(sparse.place(i, j))] = v; };
    put(0, 0, a), put(0, 1, b), put(1, 1, c);
    const PivotReport strict = sparse.factor(), loose = sparse.factor(small);
    VectorXd y = dense * x;
    sparse.solve(span(y));
    expect("sparse", strict, loose, y);
  }
  {
    const auto fill_block = [&](auto& blocks) {
      blocks.resize(1);
      blocks.diagonal(0).setIdentity();
      blocks.diagonal(0).template topLeftCorner<2, 2>() = dense;
    };
    BlockTridiagonalLDLT<6> symmetric;
    BlockTridiagonalLU<12> general;
    fill_block(symmetric), fill_block(general);
    VectorXd y = VectorXd::Zero(6), z = VectorXd::Zero(12);
    y.head(2) = z.head(2) = dense * x;
    const PivotReport strict = symmetric.factor(), loose = symmetric.factor(small);
    symmetric.solve(span(y));
    expect("block LDLT", strict, loose, y.head(2));
    const PivotReport strict_lu = general.factor(), loose_lu = general.factor(small);
    general.solve(span(z));
    expect("block LU", strict_lu, loose_lu, z.head(2));
  }
  const auto try_dense = [&](const char* name, auto& matrix) {
    const auto put = [&] {
      for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j) matrix.at(i, j) = i < 2 && j < 2 ? dense(i, j) : i == j ? 1 : 0;
    };
    matrix.resize(12);
    put();
    const PivotReport strict = matrix.factor();
    put();
    const PivotReport loose = matrix.factor(small);
    VectorXd y = VectorXd::Zero(12);
    y.head(2) = dense * x;
    matrix.solve(span(y));
    expect(name, strict, loose, y.head(2));
  };
  DenseLU lu;
  DenseLDLT ldlt;
  try_dense("dense LU", lu);
  try_dense("dense LDLT", ldlt);
}

SENTENCE("linear", "every solver takes several right-hand sides side by side, row by row, and refuses a wrong size") {
  const int n = 5;
  BandLU band;
  SparseLDLT sparse;
  DenseLU dense;
  const std::vector<std::pair<int, int>> pairs{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  band.resize(n, 1, 1), sparse.set_pattern(n, pairs), dense.resize(n);
  RowMatrix a = RowMatrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    a(i, i) = 4 + i;
    if (i > 0) a(i, i - 1) = a(i - 1, i) = -1;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      dense.at(i, j) = a(i, j);
      if (band.inside(i, j)) band.at(i, j) = a(i, j);
      if (j <= i && i - j <= 1) sparse.entries()[std::size_t(sparse.place(i, j))] = a(i, j);
    }
  }
  ASSERT_TRUE(band.factor().good() && dense.factor().good() && sparse.factor().positive_definite());
  const RowMatrix x = RowMatrix::Random(n, 3);
  const auto solves = [&](const char* name, const auto& solver) {
    RowMatrix y = a * x;
    solver.solve(span(y), 3);
    EXPECT_LT((y - x).norm(), 1e-13) << name;
    EXPECT_THROW(solver.solve(span(y), 2), Misuse) << name;
  };
  solves("band", band);
  solves("sparse", sparse);
  solves("dense", dense);
}

}  // namespace
}  // namespace tendril::band_test
