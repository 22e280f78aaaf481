// Symmetric band matrices and their factorisation L D L^T without pivoting, O(n b^2).
#pragma once

#include <span>
#include <vector>

#include "linear/pivots.h"

namespace tendril {

// Only one half is stored: for each column j the entries (j, j), (j + 1, j), ... (j + b, j), one after the other.
// By symmetry this is also row j of the upper half.
class BandMatrix {
 public:
  BandMatrix() = default;
  BandMatrix(int size, int half_bandwidth) { resize(size, half_bandwidth); }
  void resize(int size, int half_bandwidth);  // also sets zero; the only function that allocates
  void set_zero();

  int size() const { return size_; }
  int half_bandwidth() const { return half_; }
  int stride() const { return half_ + 1; }

  // Adds to (i, j) and, being symmetric, (j, i). Give each pair once, in any order; |i - j| <= half bandwidth.
  void add(int i, int j, double value) { entry(i, j) += value; }
  double& entry(int i, int j) {
    const int low = i < j ? i : j, high = i < j ? j : i;
    return values_[std::size_t(low) * std::size_t(stride()) + std::size_t(high - low)];
  }
  double entry(int i, int j) const { return const_cast<BandMatrix*>(this)->entry(i, j); }
  // Entries (j, j) ... (j + b, j).
  double* column(int j) { return values_.data() + std::size_t(j) * std::size_t(stride()); }
  const double* column(int j) const { return values_.data() + std::size_t(j) * std::size_t(stride()); }

  void multiply(std::span<const double> x, std::span<double> y) const;  // y = A x; x and y different

 private:
  int size_ = 0, half_ = 0;
  std::vector<double> values_;  // size + half bandwidth columns: the factorisation runs over the end without a test
  friend class BandLDLT;
};

class BandLDLT {
 public:
  BandLDLT() = default;
  BandLDLT(int size, int half_bandwidth) { resize(size, half_bandwidth); }
  void resize(int size, int half_bandwidth);  // also sets zero; the only function that allocates
  void set_zero() { matrix_.set_zero(); }

  // The matrix, which factor() keeps.
  int size() const { return matrix_.size(); }
  int half_bandwidth() const { return matrix_.half_bandwidth(); }
  void add(int i, int j, double value) { matrix_.add(i, j, value); }
  double& entry(int i, int j) { return matrix_.entry(i, j); }
  double entry(int i, int j) const { return matrix_.entry(i, j); }
  void multiply(std::span<const double> x, std::span<double> y) const { matrix_.multiply(x, y); }

  // Factors the matrix + shift * D; D is a given diagonal, or the identity where it is empty.
  PivotReport factor(double shift = 0, std::span<const double> shift_diagonal = {}, double accepted = 0);
  const PivotReport& report() const { return report_; }
  void solve(std::span<double> x, int columns = 1) const;
  double pivot(int i) const { return factor_.column(i)[0]; }

 private:
  void solve_one(std::span<double> x) const;

  BandMatrix matrix_;
  BandMatrix factor_;                // column j: pivot d_j, then L(j + 1, j) ... L(j + b, j)
  std::vector<double> row_largest_;  // largest |entry| of each row of the matrix
  PivotReport report_;
};

}  // namespace tendril
