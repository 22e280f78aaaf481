// Block tridiagonal systems with blocks of fixed size B; row i reads
//   lower[i - 1] x[i - 1] + diagonal[i] x[i] + upper[i] x[i + 1] = f[i].
// BlockTridiagonalLU: general, partial pivoting inside the diagonal blocks.
// BlockTridiagonalLDLT: symmetric (upper[i] = lower[i]^T, only lower is given), with the inertia.
// Nothing allocates after resize.
#pragma once

#include <Eigen/Core>
#include <Eigen/StdVector>
#include <algorithm>
#include <cmath>
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

  // With D_i' = l_i d_i l_i^T:  Y_i = l_i^-1 L_i^T,  D_(i+1)' = D_(i+1) - Y_i^T d_i^-1 Y_i; the same pivots as a scalar L D L^T without
  // pivoting.
  PivotReport factor(double accepted = 0) { return factor_with(nullptr, accepted); }
  // Factors and solves for one right side, which goes down together with the matrix, in a column that the rows have left.
  PivotReport factor_and_solve(std::span<double> right, double accepted = 0) {
    TENDRIL_REQUIRE(right.size() == diagonal_.size() * B, "the right-hand side must have the matrix's size");
    const PivotReport report = factor_with(right.data(), accepted);
    solve_up([x = right.data()](int i) { return Eigen::Map<Eigen::Matrix<double, B, 1>>(x + std::ptrdiff_t(i) * B); });
    return report;
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
  // Rows are whole packs of four, with at least one column left for a right side. Packs are written out because compilers find others.
  using Four = double __attribute__((vector_size(32)));
  static constexpr int packs = (B + 4) / 4;
  struct Wide {
    Four row[B][packs];
    double* at(int r) { return reinterpret_cast<double*>(row[r]); }  // NOLINT: a pack is its numbers
  };

  // The whole of a symmetric block, of which the lower half is given.
  static void load_symmetric(const Block& from, Wide& to) {
    for (int r = 0; r < B; ++r) {
      for (int c = 0; c <= r; ++c) to.at(r)[c] = to.at(c)[r] = from(r, c);
      for (int c = B; c < 4 * packs; ++c) to.at(r)[c] = 0;
    }
  }
  static void load_transposed(const Block& from, Wide& to) {
    for (int r = 0; r < B; ++r) {
      for (int c = 0; c < B; ++c) to.at(r)[c] = from(c, r);
      for (int c = B; c < 4 * packs; ++c) to.at(r)[c] = 0;
    }
  }
  // scale[c] becomes the largest |entry| of its column.
  static void note_columns(const Wide& rows, Four (&scale)[packs]) {
    for (int r = 0; r < B; ++r)
      for (int p = 0; p < packs; ++p) {
        const Four& x = rows.row[r][p];
        const Four size = x < 0 ? -x : x;
        scale[p] = size > scale[p] ? size : scale[p];
      }
  }

  // long: one block after another, in the order of the elimination.
  PivotReport factor_with(double* right, double asked) {
    report_ = {};
    const double accepted = accepted_pivot(asked, 4 * B);
    Wide d, y = {}, scaled = {};
    Four scale[packs] = {}, before[packs] = {};  // largest |entry| of rows: a pivot is tiny against it
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      const bool last = i + 1 == diagonal_.size();
      load_symmetric(diagonal_[i], d);
      for (int p = 0; p < packs; ++p) scale[p] = before[p], before[p] = Four{};
      note_columns(d, scale);
      if (right)
        for (int r = 0; r < B; ++r) d.at(r)[B] = right[i * B + std::size_t(r)];
      if (i > 0) {
        for (int r = 0; r < B; ++r) {
          for (int k = 0; k < B; ++k) {
            const double share = scaled.at(k)[r];
            for (int p = 0; p < packs; ++p) d.row[r][p] -= share * y.row[k][p];
          }
        }
      }
      if (!last) {
        for (int r = 0; r < B; ++r)
          for (int c = 0; c < B; ++c) scale[c / 4][c % 4] = std::max(scale[c / 4][c % 4], std::abs(lower_[i](r, c)));
        load_transposed(lower_[i], y);
        note_columns(y, before);
      }
      eliminate(d, y, scale, accepted, i);
      if (right)
        for (int r = 0; r < B; ++r)
          y.at(r)[B] = d.at(r)[B], right[i * B + std::size_t(r)] = d.at(r)[B] * factors_[i].inverse_d[r];
      if (last) break;
      for (int k = 0; k < B; ++k) {
        for (int p = 0; p < packs; ++p) scaled.row[k][p] = y.row[k][p] * factors_[i].inverse_d[k];
        for (int c = 0; c < B; ++c) coupling_[i](k, c) = y.at(k)[c];
      }
    }
    return report_;
  }
  // d = l d l^T by rows of the upper half, and y = l^-1 y with it.
  void eliminate(Wide& d, Wide& y, const Four (&scale)[packs], double accepted, std::size_t i) {
    SmallLDLT<B>& factor = factors_[i];
    for (int k = 0; k < B; ++k) {
      const double size = scale[k / 4][k % 4];
      double pivot = d.at(k)[k];
      if (report_.take(pivot, size, accepted, int(i) * B + k)) {
        const double threshold = accepted * (size > 0 ? size : 1.0);
        pivot = pivot < 0 ? -threshold : threshold;
      }
      const double inverse = 1.0 / pivot;
      factor.d[k] = pivot, factor.inverse_d[k] = inverse;
      Four share[packs];
      for (int p = 0; p < packs; ++p) share[p] = d.row[k][p] * inverse;
      for (int r = k + 1; r < B; ++r) {
        const double upper = d.at(k)[r], l = upper * inverse;
        factor.l(r, k) = l;
        for (int p = 0; p < packs; ++p) d.row[r][p] -= share[p] * upper, y.row[r][p] -= l * y.row[k][p];
      }
    }
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
    solve_up(at);
  }
  template <class At>
  void solve_up(const At& at) const {
    const int n = blocks();
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
