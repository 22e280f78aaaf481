// Systems with a few border rows and columns around a matrix that has its own solver:
//   [ A   U ] [x]   [f]          S = D - V^T A^-1 U
//   [ V^T D ] [y] = [g]
// A is given as any class of this room that has been factored (BandLDLT, BlockTridiagonalLU, ...). Nothing allocates after
// resize.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <vector>

#include "linear/dense.h"
#include "linear/pivots.h"

namespace tendril {

namespace bordered_detail {
// y (k x columns) -= V^T x, with V n x k and x n x columns, all row by row.
inline void subtract_transposed(const std::vector<double>& v, int n, int k, const double* x, double* y, int columns) {
  for (int i = 0; i < n; ++i) {
    const double* vi = v.data() + std::ptrdiff_t(i) * k;
    const double* xi = x + std::ptrdiff_t(i) * columns;
    for (int a = 0; a < k; ++a) {
      if (vi[a] == 0) continue;  // borders are mostly empty
      double* ya = y + std::ptrdiff_t(a) * columns;
      for (int c = 0; c < columns; ++c) ya[c] -= vi[a] * xi[c];
    }
  }
}
// x (n x columns) -= W y.
inline void subtract_product(const std::vector<double>& w, int n, int k, double* x, const double* y, int columns) {
  for (int i = 0; i < n; ++i) {
    const double* wi = w.data() + std::ptrdiff_t(i) * k;
    double* xi = x + std::ptrdiff_t(i) * columns;
    for (int a = 0; a < k; ++a) {
      const double* ya = y + std::ptrdiff_t(a) * columns;
      for (int c = 0; c < columns; ++c) xi[c] -= wi[a] * ya[c];
    }
  }
}
}  // namespace bordered_detail

// General borders.
class BorderedLU {
 public:
  void resize(int inner, int border) {
    inner_ = inner, border_ = border;
    u_.assign(std::size_t(inner) * std::size_t(border), 0.0);
    v_ = w_ = u_;
    d_.assign(std::size_t(border) * std::size_t(border), 0.0);
    schur_.resize(border);
  }
  void set_zero() {
    for (auto* part : {&u_, &v_, &d_}) std::fill(part->begin(), part->end(), 0.0);
  }
  int inner() const { return inner_; }
  int border() const { return border_; }
  double& column(int i, int k) { return u_[std::size_t(i) * std::size_t(border_) + std::size_t(k)]; }  // U(i, k)
  double& row(int i, int k) { return v_[std::size_t(i) * std::size_t(border_) + std::size_t(k)]; }     // V(i, k)
  double& corner(int k, int m) { return d_[std::size_t(k) * std::size_t(border_) + std::size_t(m)]; }

  // The report is that of the Schur complement alone.
  template <class Inner>
  PivotReport factor(const Inner& inner, double accepted = 0) {
    if (border_ == 0) return {};
    std::copy(u_.begin(), u_.end(), w_.begin());
    inner.solve(w_, border_);
    std::copy(d_.begin(), d_.end(), &schur_.at(0, 0));
    bordered_detail::subtract_transposed(v_, inner_, border_, w_.data(), &schur_.at(0, 0), border_);
    return schur_.factor(accepted);
  }
  // x: inner + border rows, the border last.
  template <class Inner>
  void solve(const Inner& inner, std::span<double> x, int columns = 1) const {
    const auto first = x.first(std::size_t(inner_) * std::size_t(columns)), last = x.subspan(first.size());
    inner.solve(first, columns);
    if (border_ == 0) return;
    bordered_detail::subtract_transposed(v_, inner_, border_, first.data(), last.data(), columns);
    schur_.solve(last, columns);
    bordered_detail::subtract_product(w_, inner_, border_, first.data(), last.data(), columns);
  }

 private:
  int inner_ = 0, border_ = 0;
  std::vector<double> u_, v_, w_, d_;  // w = A^-1 U
  DenseLU schur_;
};

// Symmetric A and D, V = U. By Haynsworth the inertia of the whole is that of A plus that of S.
class BorderedLDLT {
 public:
  void resize(int inner, int border) {
    inner_ = inner, border_ = border;
    u_.assign(std::size_t(inner) * std::size_t(border), 0.0);
    w_ = u_;
    d_.assign(std::size_t(border) * std::size_t(border), 0.0);
    schur_.resize(border);
  }
  void set_zero() {
    std::fill(u_.begin(), u_.end(), 0.0);
    std::fill(d_.begin(), d_.end(), 0.0);
  }
  int inner() const { return inner_; }
  int border() const { return border_; }
  double& column(int i, int k) { return u_[std::size_t(i) * std::size_t(border_) + std::size_t(k)]; }  // U(i, k)
  double column(int i, int k) const { return u_[std::size_t(i) * std::size_t(border_) + std::size_t(k)]; }
  double corner(int k, int m) const { return d_[std::size_t(k) * std::size_t(border_) + std::size_t(m)]; }
  void add_corner(int k, int m, double value) {  // and (m, k); give each pair once
    d_[std::size_t(k) * std::size_t(border_) + std::size_t(m)] += value;
    if (k != m) d_[std::size_t(m) * std::size_t(border_) + std::size_t(k)] += value;
  }

  // The report is that of the Schur complement alone; negative eigenvalues of the whole = A's + these.
  // corner_shift(k) is added to the diagonal of D.
  template <class Inner, std::invocable<int> Shift>
  PivotReport factor(const Inner& inner, const Shift& corner_shift, double accepted = 0) {
    if (border_ == 0) return {};
    std::copy(u_.begin(), u_.end(), w_.begin());
    inner.solve(w_, border_);
    std::copy(d_.begin(), d_.end(), &schur_.at(0, 0));
    for (int k = 0; k < border_; ++k) schur_.at(k, k) += corner_shift(k);
    bordered_detail::subtract_transposed(u_, inner_, border_, w_.data(), &schur_.at(0, 0), border_);
    for (int k = 0; k < border_; ++k) {  // rounding leaves the halves a little different
      for (int m = 0; m < k; ++m) schur_.at(k, m) = schur_.at(m, k) = 0.5 * (schur_.at(k, m) + schur_.at(m, k));
    }
    return schur_.factor(accepted);
  }
  template <class Inner>
  PivotReport factor(const Inner& inner, double accepted = 0) {
    return factor(
        inner, [](int) { return 0.0; }, accepted);
  }
  // x: inner + border rows, the border last.
  template <class Inner>
  void solve(const Inner& inner, std::span<double> x, int columns = 1) const {
    const auto first = x.first(std::size_t(inner_) * std::size_t(columns)), last = x.subspan(first.size());
    inner.solve(first, columns);
    if (border_ == 0) return;
    bordered_detail::subtract_transposed(u_, inner_, border_, first.data(), last.data(), columns);
    schur_.solve(last, columns);
    bordered_detail::subtract_product(w_, inner_, border_, first.data(), last.data(), columns);
  }

 private:
  int inner_ = 0, border_ = 0;
  std::vector<double> u_, w_, d_;  // w = A^-1 U
  DenseLDLT schur_;
};

}  // namespace tendril
