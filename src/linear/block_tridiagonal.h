// Block tridiagonal systems with blocks of fixed size B; row i reads
//   lower[i - 1] x[i - 1] + diagonal[i] x[i] + upper[i] x[i + 1] = f[i].
// BlockTridiagonalLU: general, partial pivoting inside the diagonal blocks.
// BlockTridiagonalLDLT: symmetric (upper[i] = lower[i]^T, only lower is given), with the inertia.
// Nothing allocates after resize.
#pragma once

#include <Eigen/Core>
#include <Eigen/StdVector>
#include <algorithm>
#include <span>
#include <vector>

#include "linear/pivots.h"
#include "linear/small_factor.h"
#include "tendril/types.h"

namespace tendril {

template <int B>
using SmallBlock = Eigen::Matrix<double, B, B, Eigen::RowMajor>;

template <int B>
class BlockTridiagonalLU {
 public:
  using Block = SmallBlock<B>;

  void resize(int blocks) {
    TENDRIL_REQUIRE(blocks >= 0, "the number of blocks must not be negative");
    const std::size_t n = std::size_t(blocks), m = n > 0 ? n - 1 : 0;
    diagonal_.assign(n, Block::Zero());
    lower_.assign(m, Block::Zero());
    upper_.assign(m, Block::Zero());
    coupling_.assign(m, Block::Zero());
    factors_.resize(n);
  }
  void set_zero() {
    for (auto* blocks : {&diagonal_, &lower_, &upper_}) std::fill(blocks->begin(), blocks->end(), Block::Zero());
  }
  int blocks() const { return int(diagonal_.size()); }
  Block& diagonal(int i) { return diagonal_[std::size_t(i)]; }
  Block& lower(int i) { return lower_[std::size_t(i)]; }  // row i + 1, column i
  Block& upper(int i) { return upper_[std::size_t(i)]; }  // row i, column i + 1

  // Block elimination: C_i = D_i'^-1 U_i,  D_(i+1)' = D_(i+1) - L_i C_i.
  PivotReport factor(double accepted = 0) {
    report_ = {};
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      Block d = diagonal_[i];
      if (i > 0) d.noalias() -= lower_[i - 1] * coupling_[i - 1];
      report_.add(factors_[i].factor(d, accepted), int(i) * B);
      if (i + 1 < diagonal_.size()) {
        coupling_[i] = upper_[i];
        factors_[i].solve(coupling_[i]);
      }
    }
    return report_;
  }
  const PivotReport& report() const { return report_; }

  void solve(std::span<double> right, int columns = 1) const {
    TENDRIL_REQUIRE(right.size() == diagonal_.size() * B * std::size_t(columns),
                    "the right-hand side must have the matrix's size");
    double* x = right.data();
    using Rows = Eigen::Map<Eigen::Matrix<double, B, Eigen::Dynamic, Eigen::RowMajor>>;
    using Column = Eigen::Map<Eigen::Matrix<double, B, 1>>;
    if (columns == 1) {
      solve_with([x](int i) { return Column(x + std::ptrdiff_t(i) * B); });
    } else {
      solve_with([x, columns](int i) { return Rows(x + std::ptrdiff_t(i) * B * columns, B, columns); });
    }
  }

 private:
  template <class At>
  void solve_with(const At& at) const {
    const int n = blocks();
    for (int i = 0; i < n; ++i) {
      auto xi = at(i);
      if (i > 0) xi.noalias() -= lower_[std::size_t(i - 1)].lazyProduct(at(i - 1));
      factors_[std::size_t(i)].solve(xi);
    }
    for (int i = n - 2; i >= 0; --i) at(i).noalias() -= coupling_[std::size_t(i)].lazyProduct(at(i + 1));
  }

  std::vector<Block, Eigen::aligned_allocator<Block>> diagonal_, lower_, upper_, coupling_;
  std::vector<SmallLU<B>, Eigen::aligned_allocator<SmallLU<B>>> factors_;
  PivotReport report_;
};

template <int B>
class BlockTridiagonalLDLT {
 public:
  using Block = SmallBlock<B>;

  void resize(int blocks) {
    TENDRIL_REQUIRE(blocks >= 0, "the number of blocks must not be negative");
    const std::size_t n = std::size_t(blocks), m = n > 0 ? n - 1 : 0;
    diagonal_.assign(n, Block::Zero());
    lower_.assign(m, Block::Zero());
    coupling_.assign(m, Block::Zero());
    factors_.resize(n);
  }
  void set_zero() {
    for (auto* blocks : {&diagonal_, &lower_}) std::fill(blocks->begin(), blocks->end(), Block::Zero());
  }
  int blocks() const { return int(diagonal_.size()); }
  Block& diagonal(int i) { return diagonal_[std::size_t(i)]; }  // its lower half is read
  Block& lower(int i) { return lower_[std::size_t(i)]; }        // row i + 1, column i

  // With D_i' = l_i d_i l_i^T:  Y_i = l_i^-1 L_i^T,  D_(i+1)' = D_(i+1) - Y_i^T d_i^-1 Y_i, of which the lower half is needed; the same
  // pivots as a scalar L D L^T without pivoting.
  PivotReport factor(double accepted = 0) {
    report_ = {};
    Block scaled = Block::Zero();
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      Block d = diagonal_[i];
      if (i > 0) subtract_lower(coupling_[i - 1], scaled, d);
      report_.add(factors_[i].factor(d, row_scale(i), accepted), int(i) * B);
      if (i + 1 == diagonal_.size()) break;
      Block& y = coupling_[i];
      y = lower_[i].transpose();
      factors_[i].solve_lower(y);
      for (int k = 0; k < B; ++k) scaled.row(k) = y.row(k) * factors_[i].inverse_d[k];
    }
    return report_;
  }
  const PivotReport& report() const { return report_; }

  void solve(std::span<double> right, int columns = 1) const {
    TENDRIL_REQUIRE(right.size() == diagonal_.size() * B * std::size_t(columns),
                    "the right-hand side must have the matrix's size");
    double* x = right.data();
    using Rows = Eigen::Map<Eigen::Matrix<double, B, Eigen::Dynamic, Eigen::RowMajor>>;
    using Column = Eigen::Map<Eigen::Matrix<double, B, 1>>;
    if (columns == 1) {
      solve_with([x](int i) { return Column(x + std::ptrdiff_t(i) * B); });
    } else {
      solve_with([x, columns](int i) { return Rows(x + std::ptrdiff_t(i) * B * columns, B, columns); });
    }
  }

 private:
  // d -= y^T scaled, its lower half and what rows of two make of it.
  static void subtract_lower(const Block& y, const Block& scaled, Block& d) {
    for (int k = 0; k < B; ++k)
      for (int r = 0; r < B; ++r)
        for (int c = 0; c <= (r | 1) && c < B; ++c) d(r, c) -= y(k, r) * scaled(k, c);
  }
  // Largest |entry| of each row of the matrix, against which a pivot is tiny.
  Eigen::Matrix<double, B, 1> row_scale(std::size_t i) const {
    Eigen::Matrix<double, B, 1> scale;
    for (int r = 0; r < B; ++r) {
      scale[r] = std::max(diagonal_[i].row(r).head(r + 1).cwiseAbs().maxCoeff(),
                          diagonal_[i].col(r).tail(B - r).cwiseAbs().maxCoeff());
      if (i > 0) scale[r] = std::max(scale[r], lower_[i - 1].row(r).cwiseAbs().maxCoeff());
      if (i < lower_.size()) scale[r] = std::max(scale[r], lower_[i].col(r).cwiseAbs().maxCoeff());
    }
    return scale;
  }
  template <class At>
  void solve_with(const At& at) const {
    const int n = blocks();
    // Down: u_i = l_i^-1 (f_i - Y_(i-1)^T d^-1 u_(i-1)), kept as d^-1 u. Up: x_i = l_i^-T (d^-1 u_i - d^-1 Y_i x_(i+1)).
    for (int i = 0; i < n; ++i) {
      auto xi = at(i);
      if (i > 0) xi.noalias() -= coupling_[std::size_t(i - 1)].transpose().lazyProduct(at(i - 1));
      factors_[std::size_t(i)].solve_lower(xi);
      for (int k = 0; k < B; ++k) xi.row(k) *= factors_[std::size_t(i)].inverse_d[k];
    }
    for (int i = n - 1; i >= 0; --i) {
      auto xi = at(i);
      if (i + 1 < n)
        for (int k = 0; k < B; ++k)
          xi.row(k) -= factors_[std::size_t(i)].inverse_d[k] * coupling_[std::size_t(i)].row(k).lazyProduct(at(i + 1));
      factors_[std::size_t(i)].solve_upper(xi);
    }
  }

  std::vector<Block, Eigen::aligned_allocator<Block>> diagonal_, lower_, coupling_;
  std::vector<SmallLDLT<B>, Eigen::aligned_allocator<SmallLDLT<B>>> factors_;
  PivotReport report_;
};

}  // namespace tendril
