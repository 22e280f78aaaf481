#include "linear/conjugate_gradients.h"

#include <Eigen/Core>

#include "linear/chain_preconditioner.h"
#include "testing/allocation_count.h"
#include "testing/dense_reference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril::conjugate_gradients_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr ChainPreconditioning preconditionings[] = {ChainPreconditioning::hybrid, ChainPreconditioning::block_diagonal,
                                                     ChainPreconditioning::diagonal};

// A helical chain with masses, as one step of a rod sees it.
void fill_helix(ChainLDLT& a, int links, double stiffness, double push) {
  a.resize(links);
  const double l = 1.0 / links;
  for (int i = 0; i < links; ++i) {
    auto& link = a.link(i);
    const Eigen::Vector3d d(std::cos(0.3 * i), std::sin(0.3 * i), 0.4);
    link.node = l * Eigen::Matrix3d::Identity();
    link.turn = (1e-3 * l - push * l) * Eigen::Matrix3d::Identity();
    link.joint = stiffness / l * (Eigen::Matrix3d::Identity() + 0.5 * d * d.transpose());
    link.arm = l * d.normalized(), link.half = 0.1 * stiffness * d;
  }
  a.root() = 0.5 * l * Eigen::Matrix3d::Identity();
}
std::span<double> whole(VectorXd& x) { return {x.data(), std::size_t(x.size())}; }
std::span<const double> whole(const VectorXd& x) { return {x.data(), std::size_t(x.size())}; }

// P, column by column, from its inverse.
MatrixXd matrix_of(const ChainPreconditioner& p, int size) {
  MatrixXd inverse(size, size);
  for (int j = 0; j < size; ++j) {
    const VectorXd unit = VectorXd::Unit(size, j);
    VectorXd column(size);
    p.apply(whole(unit), whole(column));
    inverse.col(j) = column;
  }
  return dense_inverse(inverse);
}
MatrixXd matrix_of(const ChainLDLT& a) {
  MatrixXd m(a.size(), a.size());
  for (int j = 0; j < a.size(); ++j) {
    const VectorXd unit = VectorXd::Unit(a.size(), j);
    VectorXd column(a.size());
    a.multiply(whole(unit), whole(column));
    m.col(j) = column;
  }
  return m;
}

SENTENCE("linear", "conjugate gradients solve a chain's system as the exact solver does, with every preconditioner") {
  ChainLDLT a;
  ConjugateGradients gradients;
  ChainPreconditioner p;
  for (const bool held : {false, true}) {
    fill_helix(a, 30, 0.3, 0);
    a.hold_root(held);
    gradients.resize(a.size()), p.resize(30);
    VectorXd exact = VectorXd::LinSpaced(a.size(), -1, 1.5);
    if (held) exact.head<3>().setZero();
    const VectorXd right = exact;
    std::ignore = a.factor();
    a.solve(whole(exact));
    for (const ChainPreconditioning kind : preconditionings) {
      EXPECT_EQ(p.build(a, kind), 0);
      VectorXd x = right;
      const AllocationCount allocations;
      const GradientsReport report = gradients.solve(
          whole(x), [&](auto in, auto out) { a.multiply(in, out); }, [&](auto r, auto z) { p.apply(r, z); }, 1e-13, false,
          3000);
      EXPECT_EQ(allocations.count(), 0);
      EXPECT_TRUE(report.converged);
      EXPECT_LT((x - exact).norm(), 1e-9 * exact.norm()) << int(kind) << " " << report.iterations;
    }
  }
}

SENTENCE("linear", "the hybrid preconditioner is the block diagonal of what places carry and all of what turns carry") {
  ChainLDLT a;
  fill_helix(a, 8, 0.3, 0);
  ChainPreconditioner p;
  p.resize(8);
  const MatrixXd full = matrix_of(a);
  // What turns carry alone: the same chain without masses.
  ChainLDLT massless;
  fill_helix(massless, 8, 0.3, 0);
  massless.root().setZero();
  for (int i = 0; i < 8; ++i) massless.link(i).node.setZero();
  const MatrixXd turns = matrix_of(massless), places = full - turns;
  MatrixXd wanted = turns, blocks = MatrixXd::Zero(27, 27), diagonal = full.diagonal().asDiagonal();
  for (int i = 0; i < 9; ++i) {
    wanted.block<3, 3>(3 * i, 3 * i) += places.block<3, 3>(3 * i, 3 * i);
    blocks.block<3, 3>(3 * i, 3 * i) = full.block<3, 3>(3 * i, 3 * i);
  }
  const MatrixXd of_kind[] = {wanted, blocks, diagonal};
  for (std::size_t k = 0; k < 3; ++k) {
    std::ignore = p.build(a, preconditionings[k]);
    EXPECT_LT((matrix_of(p, 27) - of_kind[k]).norm(), 1e-12 * full.norm()) << k;
  }
}

SENTENCE("linear", "preconditioners are positive definite, with alpha where blocks are not") {
  ChainLDLT a;
  ChainPreconditioner p;
  for (const double push : {0.0, 1.0, 100.0}) {
    fill_helix(a, 20, 0.3, push);
    p.resize(20);
    for (const ChainPreconditioning kind : preconditionings) {
      const double alpha = p.build(a, kind);
      EXPECT_TRUE(push > 0 || alpha == 0);
      EXPECT_TRUE(push < 100 || kind != ChainPreconditioning::hybrid ||
                  alpha > 0);  // diagonal blocks alone may stay positive
      const MatrixXd m = matrix_of(p, a.size());
      EXPECT_GT(dense_eigenvalues(0.5 * (m + m.transpose()))[0], 0);
    }
  }
}

SENTENCE("linear", "conjugate gradients say when a matrix is not positive") {
  ChainLDLT a;
  fill_helix(a, 20, 0.3, 100);
  ConjugateGradients gradients;
  gradients.resize(a.size());
  VectorXd x = VectorXd::Ones(a.size());
  const GradientsReport report = gradients.solve(
      whole(x), [&](auto in, auto out) { a.multiply(in, out); },
      [](auto r, auto z) { std::copy(r.begin(), r.end(), z.begin()); }, 1e-10, false, 1000);
  EXPECT_TRUE(report.indefinite);
  EXPECT_FALSE(report.converged);
}

}  // namespace
}  // namespace tendril::conjugate_gradients_test
