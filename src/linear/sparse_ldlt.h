// Symmetric sparse systems whose pattern never changes: A = L D L^T with an order of elimination that keeps L sparse, found
// once. Chains and trees fill in nothing, so they cost O(n). Nothing allocates after set_pattern.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "linear/pivots.h"

namespace tendril {

class SparseLDLT {
 public:
  // Off-diagonal pairs (i, j) in any order, repeated or not; the diagonal is always there.
  void set_pattern(int size, std::span<const std::pair<int, int>> pairs);
  int size() const { return size_; }
  int fill() const { return static_cast<int>(value_.size()); }  // entries of L

  // Where entry (i, j) = (j, i) is kept; the pair must be in the pattern.
  int place(int i, int j) const;
  std::vector<double>& entries() { return entry_; }  // to be set or added to before factor()
  void set_zero();

  // Rows whose pivot is not larger than `accepted` (0: 1e-12) times their own diagonal depend on the rows before them: they
  // are the report's tiny ones, and their unknown is left 0. A NaN is not tiny: it goes on, to be seen.
  PivotReport factor(double accepted = 0);
  void solve(std::span<double> x, int columns = 1) const;

 private:
  int size_ = 0;
  std::vector<int> order_, rank_;        // order_[k]: unknown that is eliminated k-th
  std::vector<int> column_start_, row_;  // upper half of the permuted matrix, column by column, diagonal last
  std::vector<double> entry_;
  std::vector<int> pattern_start_, pattern_;  // row k of L: its columns, rising
  std::vector<int> below_start_, below_;      // column k of L: its rows, rising
  std::vector<double> value_, pivot_;         // along below_; 1 / pivot
  std::vector<int> filled_;                   // entries of each column of L that are known so far
  mutable std::vector<double> work_;          // one row, or a right-hand side
};

}  // namespace tendril
