// General band matrices, P A = L U with partial pivoting, O(n b^2): for systems whose rows couple neighbours only and that
// are not symmetric, such as boundary value problems cut into pieces.
#pragma once

#include <span>
#include <vector>

#include "linear/pivots.h"

namespace tendril {

class BandLU {
 public:
  void resize(int size, int below, int above);  // diagonals below and above the main one; the only function that allocates
  void set_zero();
  int size() const { return size_; }
  double& at(int i, int j) { return a_[std::size_t(i) * std::size_t(width_) + std::size_t(j - i + below_)]; }
  bool inside(int i, int j) const { return j - i >= -below_ && j - i <= above_; }
  // Factors what was written through at(), in place; stops at the first tiny pivot.
  PivotReport factor(double accepted = 0);
  void solve(std::span<double> x, int columns = 1) const;

 private:
  int size_ = 0, below_ = 0, above_ = 0, width_ = 0;
  std::vector<double> a_;  // row i: columns i - below .. i + above + below (pivoting fills in)
  std::vector<int> swapped_;
};

}  // namespace tendril
