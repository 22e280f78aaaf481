// Factorisations of small dense matrices of fixed size, in plain loops: quick to compile, no allocation.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <utility>

#include "linear/pivots.h"

namespace tendril {

// P A = L U with partial pivoting.
template <int B>
struct SmallLU {
  using Block = Eigen::Matrix<double, B, B, Eigen::RowMajor>;
  Block lu;
  std::array<int, B> swapped;

  PivotReport factor(const Block& a, double asked = 0) {
    PivotReport report;
    lu = a;
    const double largest = a.cwiseAbs().maxCoeff(), accepted = accepted_pivot(asked, B);
    for (int k = 0; k < B; ++k) {
      int best = k;
      for (int i = k + 1; i < B; ++i) best = std::abs(lu(i, k)) > std::abs(lu(best, k)) ? i : best;
      swapped[std::size_t(k)] = best;
      if (best != k) lu.row(k).swap(lu.row(best));
      const double pivot = std::abs(lu(k, k));
      report.take(pivot, largest, accepted, k);
      if (!(pivot > 0)) continue;  // singular: said by the report
      const double inverse = 1.0 / lu(k, k);
      for (int i = k + 1; i < B; ++i) {
        const double l = (lu(i, k) *= inverse);
        for (int j = k + 1; j < B; ++j) lu(i, j) -= l * lu(k, j);
      }
    }
    return report;
  }
  // x: B rows of any (row-major or vector) Eigen type.
  template <class X>
  void solve(X& x) const {
    for (int k = 0; k < B; ++k) {  // all swaps first: factor() swaps whole rows, multipliers too
      if (swapped[std::size_t(k)] != k) x.row(k).swap(x.row(swapped[std::size_t(k)]));
    }
    for (int k = 0; k < B; ++k) {
      for (int i = k + 1; i < B; ++i) x.row(i) -= lu(i, k) * x.row(k);
    }
    for (int k = B - 1; k >= 0; --k) {
      for (int j = k + 1; j < B; ++j) x.row(k) -= lu(k, j) * x.row(j);
      x.row(k) /= lu(k, k);
    }
  }
};

// A = L D L^T without pivoting, for symmetric A (the lower half is read).
template <int B>
struct SmallLDLT {
  using Block = Eigen::Matrix<double, B, B, Eigen::RowMajor>;
  Block l;  // below the diagonal
  Eigen::Matrix<double, B, 1> d, inverse_d;

  PivotReport factor(const Block& a, const Eigen::Matrix<double, B, 1>& row_scale, double asked = 0) {
    PivotReport report;
    l = a;
    const double accepted = accepted_pivot(asked, 4 * B);
    for (int k = 0; k < B; ++k) {
      double pivot = l(k, k);
      if (report.take(pivot, row_scale[k], accepted, k)) {
        const double threshold = accepted * (row_scale[k] > 0 ? row_scale[k] : 1.0);
        pivot = pivot < 0 ? -threshold : threshold;
      }
      const double inverse = 1.0 / pivot;
      d[k] = pivot, inverse_d[k] = inverse;
      for (int i = k + 1; i < B; ++i) {
        const double factor_i = l(i, k) * inverse;
        for (int j = k + 1; j <= i; ++j) l(i, j) -= factor_i * l(j, k);
      }
      for (int i = k + 1; i < B; ++i) l(i, k) *= inverse;
    }
    return report;
  }
  template <class X>
  void solve(X& x) const {
    solve_lower(x);
    for (int k = 0; k < B; ++k) x.row(k) *= inverse_d[k];
    solve_upper(x);
  }
  template <class X>
  void solve_lower(X& x) const {  // L^-1 x
    for (int k = 0; k < B; ++k) {
      for (int i = k + 1; i < B; ++i) x.row(i) -= l(i, k) * x.row(k);
    }
  }
  template <class X>
  void solve_upper(X& x) const {  // L^-T x
    for (int k = B - 1; k >= 0; --k) {
      for (int i = k + 1; i < B; ++i) x.row(k) -= l(i, k) * x.row(i);
    }
  }
};

}  // namespace tendril
