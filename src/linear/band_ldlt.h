// Symmetric band matrices and their factorisation L D L^T without pivoting, O(n b^2).
#pragma once

#include <span>
#include <vector>

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

// What the pivots say. By Sylvester's law the number of negative pivots is the number of negative eigenvalues, as long
// as no pivot is tiny.
struct PivotReport {
  int negative = 0;
  int tiny = 0;             // pivots lost in rounding; they are replaced by the threshold, keeping their sign
  double smallest = 1e300;  // smallest |pivot| / largest entry of its row in the matrix
  int smallest_at = -1;     // row of it
  bool good() const { return tiny == 0; }
  bool positive_definite() const { return tiny == 0 && negative == 0; }
};

class BandLDLT {
 public:
  void resize(int size, int half_bandwidth);  // the only function that allocates (factor calls it when the shape changes)

  // Factors A + shift * D; D is a given diagonal, or the identity where it is empty.
  PivotReport factor(const BandMatrix& a, double shift = 0, std::span<const double> shift_diagonal = {});
  const PivotReport& report() const { return report_; }
  int size() const { return factor_.size(); }

  void solve(std::span<double> x) const;
  // Several right-hand sides side by side: x is size x columns, row by row (entry (i, k) at i * columns + k).
  void solve(double* x, int columns) const;
  double pivot(int i) const { return factor_.column(i)[0]; }

 private:
  BandMatrix factor_;                // column j: pivot d_j, then L(j + 1, j) ... L(j + b, j)
  std::vector<double> row_largest_;  // largest |entry| of each row of the matrix
  PivotReport report_;
};

}  // namespace tendril
