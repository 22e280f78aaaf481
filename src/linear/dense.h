// Small dense systems of a size known at run time (borders, joints): no allocation after resize.
#pragma once

#include <span>
#include <vector>

#include "linear/band_ldlt.h"

namespace tendril {

// General: P A = L U with partial pivoting.
class DenseLU {
 public:
  void resize(int size);
  int size() const { return size_; }
  double& at(int i, int j) { return a_[std::size_t(i) * std::size_t(size_) + std::size_t(j)]; }
  double at(int i, int j) const { return a_[std::size_t(i) * std::size_t(size_) + std::size_t(j)]; }
  // Factors what was written through at(), in place. False when singular to rounding.
  bool factor();
  void solve(double* x, int columns = 1) const;  // size x columns, row by row

 private:
  int size_ = 0;
  std::vector<double> a_;
  std::vector<int> swapped_;
};

// Symmetric, indefinite too: P A P^T = L D L^T, D of 1x1 and 2x2 blocks, complete pivoting (Bunch-Parlett), so that the
// inertia is right for any matrix.
class DenseLDLT {
 public:
  void resize(int size);
  int size() const { return size_; }
  double& at(int i, int j) { return a_[std::size_t(i) * std::size_t(size_) + std::size_t(j)]; }  // fill both halves
  double at(int i, int j) const { return a_[std::size_t(i) * std::size_t(size_) + std::size_t(j)]; }
  PivotReport factor();
  const PivotReport& report() const { return report_; }
  void solve(double* x, int columns = 1) const;  // size x columns, row by row

 private:
  void swap(int i, int j);
  void eliminate_one(int k, double scale);
  void eliminate_two(int k, double scale);

  int size_ = 0;
  std::vector<double> a_;     // L below the diagonal blocks, D in them
  std::vector<int> swapped_;  // row k was swapped with this one
  std::vector<char> two_;     // a 2x2 block begins here
  PivotReport report_;
};

}  // namespace tendril
