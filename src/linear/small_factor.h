// Factorisations of small dense matrices of fixed size, in plain loops: quick to compile, no allocation.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace tendril {

// P A = L U with partial pivoting.
template <int B>
struct SmallLU {
  using Block = Eigen::Matrix<double, B, B, Eigen::RowMajor>;
  Block lu;
  std::array<int, B> swapped;
  double smallest = 0;  // smallest |pivot| / largest entry of A

  bool factor(const Block& a) {
    lu = a;
    const double largest = a.cwiseAbs().maxCoeff();
    smallest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < B; ++k) {
      int best = k;
      for (int i = k + 1; i < B; ++i) best = std::abs(lu(i, k)) > std::abs(lu(best, k)) ? i : best;
      swapped[std::size_t(k)] = best;
      if (best != k) lu.row(k).swap(lu.row(best));
      const double pivot = std::abs(lu(k, k));
      smallest = std::min(smallest, largest > 0 ? pivot / largest : 0.0);
      if (!(pivot > 0)) continue;  // singular: said by `smallest`
      const double inverse = 1.0 / lu(k, k);
      for (int i = k + 1; i < B; ++i) {
        const double l = (lu(i, k) *= inverse);
        for (int j = k + 1; j < B; ++j) lu(i, j) -= l * lu(k, j);
      }
    }
    return smallest > B * std::numeric_limits<double>::epsilon();
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
  Eigen::Matrix<double, B, 1> d;
  int negative = 0, tiny = 0;
  double smallest = 0;

  bool factor(const Block& a, const Eigen::Matrix<double, B, 1>& row_scale) {
    l = a;
    negative = tiny = 0;
    smallest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < B; ++k) {
      double pivot = l(k, k);
      const double scale = row_scale[k] > 0 ? row_scale[k] : 1.0;
      smallest = std::min(smallest, std::abs(pivot) / scale);
      const double threshold = 4 * B * std::numeric_limits<double>::epsilon() * scale;
      if (!(std::abs(pivot) > threshold)) {
        ++tiny;
        pivot = pivot < 0 ? -threshold : threshold;
      }
      negative += pivot < 0;
      d[k] = pivot;
      const double inverse = 1.0 / pivot;
      for (int i = k + 1; i < B; ++i) {
        const double factor_i = l(i, k) * inverse;
        for (int j = k + 1; j <= i; ++j) l(i, j) -= factor_i * l(j, k);
      }
      for (int i = k + 1; i < B; ++i) l(i, k) *= inverse;
    }
    return tiny == 0;
  }
  template <class X>
  void solve(X& x) const {
    for (int k = 0; k < B; ++k) {
      for (int i = k + 1; i < B; ++i) x.row(i) -= l(i, k) * x.row(k);
    }
    for (int k = B - 1; k >= 0; --k) {
      x.row(k) /= d[k];
      for (int i = k + 1; i < B; ++i) x.row(k) -= l(i, k) * x.row(i);
    }
  }
};

}  // namespace tendril
