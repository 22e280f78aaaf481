#include "linear/sparse_ldlt.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "tendril/types.h"

namespace tendril {

namespace {
std::size_t z(int i) { return static_cast<std::size_t>(i); }  // linear algebra stands alone

std::vector<int> minimum_degree(int size, std::span<const std::pair<int, int>> pairs) {
  // Fill-reducing order of elimination (approximate minimum degree); Eigen wants the whole pattern.
  std::vector<Eigen::Triplet<double>> triplets;
  for (int i = 0; i < size; ++i) triplets.emplace_back(i, i, 1.0);
  for (const auto& [i, j] : pairs) {
    triplets.emplace_back(i, j, 1.0);
    triplets.emplace_back(j, i, 1.0);
  }
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(matrix, permutation);
  return {permutation.indices().data(), permutation.indices().data() + size};
}
}  // namespace

void SparseLDLT::set_pattern(int size, std::span<const std::pair<int, int>> pairs) {
  size_ = size;
  order_ = size > 0 ? minimum_degree(size, pairs) : std::vector<int>();
  // Upper half of the permuted matrix by columns, rows sorted, diagonal last.
  rank_.assign(z(size), 0);
  for (int k = 0; k < size; ++k) rank_[z(order_[z(k)])] = k;
  std::vector<std::vector<int>> columns(z(size));
  for (const auto& [i, j] : pairs) {
    const int a = rank_[z(i)], b = rank_[z(j)];
    if (a != b) columns[z(std::max(a, b))].push_back(std::min(a, b));
  }
  column_start_.assign(1, 0);
  row_.clear();
  for (int k = 0; k < size; ++k) {
    auto& column = columns[z(k)];
    column.push_back(k);
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    row_.insert(row_.end(), column.begin(), column.end());
    column_start_.push_back(static_cast<int>(row_.size()));
  }
  entry_.assign(row_.size(), 0.0);
  // Row k of L: every column that can be reached from the entries of column k along the elimination tree.  [Davis 2005]
  std::vector<int> parent(z(size), -1), seen(z(size), -1), count(z(size), 0);
  pattern_start_.assign(1, 0);
  pattern_.clear();
  for (int k = 0; k < size; ++k) {
    seen[z(k)] = k;
    std::vector<int> reach;
    for (int p = column_start_[z(k)]; p < column_start_[z(k) + 1]; ++p) {
      for (int i = row_[z(p)]; i >= 0 && i < k && seen[z(i)] != k; i = parent[z(i)]) {
        if (parent[z(i)] < 0) parent[z(i)] = k;
        reach.push_back(i);
        seen[z(i)] = k;
      }
    }
    std::sort(reach.begin(), reach.end());
    for (const int i : reach) ++count[z(i)];
    pattern_.insert(pattern_.end(), reach.begin(), reach.end());
    pattern_start_.push_back(static_cast<int>(pattern_.size()));
  }
  // The same pattern by columns of L, for elimination and solving.
  below_start_.assign(1, 0);
  for (int k = 0; k < size; ++k) below_start_.push_back(below_start_.back() + count[z(k)]);
  below_.assign(pattern_.size(), 0);
  filled_.assign(z(size), 0);
  for (int k = 0; k < size; ++k) {
    for (int p = pattern_start_[z(k)]; p < pattern_start_[z(k) + 1]; ++p) {
      const int i = pattern_[z(p)];
      below_[z(below_start_[z(i)] + filled_[z(i)]++)] = k;
    }
  }
  value_.assign(pattern_.size(), 0.0);
  pivot_.assign(z(size), 0.0);
  work_.assign(z(size), 0.0);
}

int SparseLDLT::place(int i, int j) const {
  const int a = rank_[z(i)], b = rank_[z(j)], column = std::max(a, b), row = std::min(a, b);
  const auto first = row_.begin() + column_start_[z(column)], last = row_.begin() + column_start_[z(column) + 1];
  const auto found = std::lower_bound(first, last, row);
  TENDRIL_REQUIRE(found != last && *found == row, "the entry is not in the pattern");
  return static_cast<int>(found - row_.begin());
}

void SparseLDLT::set_zero() { std::fill(entry_.begin(), entry_.end(), 0.0); }

// Up-looking: row k of L solves L D l = a, column by column of what is there already.
PivotReport SparseLDLT::factor(double accepted) {
  PivotReport report;
  const double tiny = accepted > 0 ? accepted : 1e-12;
  double* y = work_.data();
  std::fill(filled_.begin(), filled_.end(), 0);
  for (int k = 0; k < size_; ++k) {
    // Scatter column k into y.
    const int diagonal = column_start_[z(k) + 1] - 1;
    for (int p = column_start_[z(k)]; p < diagonal; ++p) y[row_[z(p)]] = entry_[z(p)];
    const double own = entry_[z(diagonal)];
    double d = own;
    for (int p = pattern_start_[z(k)]; p < pattern_start_[z(k) + 1]; ++p) {
      const int i = pattern_[z(p)];
      // Entry (k, i) of L, and what it takes off the entries after it.
      const double yi = y[i];
      y[i] = 0;
      const int start = below_start_[z(i)], end = start + filled_[z(i)]++;
      for (int q = start; q < end; ++q) y[below_[z(q)]] -= value_[z(q)] * yi;
      const double l = yi * pivot_[z(i)];
      d -= l * yi;
      value_[z(end)] = l;
    }
    y[k] = 0;
    // A pivot that is small compared with its own diagonal: the row repeats others and is left out.
    const bool good = d > tiny * own || d < -tiny * own || d != d;  // NaN goes on, to be seen
    report.tiny += good ? 0 : 1;
    report.negative += d < 0 ? 1 : 0;
    if (std::abs(d) < report.smallest * std::abs(own)) {
      report.smallest = std::abs(d) / std::abs(own);
      report.smallest_at = order_[z(k)];
    }
    pivot_[z(k)] = good ? 1 / d : 0;
  }
  return report;
}

void SparseLDLT::solve(std::span<double> right, int columns) const {
  TENDRIL_REQUIRE(right.size() == z(size_) * z(columns), "the right-hand side must have the matrix's size");
  double* y = work_.data();
  for (int c = 0; c < columns; ++c) {
    const auto x = [&](int i) -> double& { return right[z(i) * z(columns) + z(c)]; };
    for (int k = 0; k < size_; ++k) y[k] = x(order_[z(k)]);
    for (int k = 0; k < size_; ++k) {  // L
      const double yk = y[k];
      for (int q = below_start_[z(k)]; q < below_start_[z(k) + 1]; ++q) y[below_[z(q)]] -= value_[z(q)] * yk;
    }
    for (int k = size_ - 1; k >= 0; --k) {  // D L^T
      double sum = y[k] * pivot_[z(k)];
      for (int q = below_start_[z(k)]; q < below_start_[z(k) + 1]; ++q) sum -= value_[z(q)] * y[below_[z(q)]];
      y[k] = pivot_[z(k)] == 0 ? 0 : sum;
    }
    for (int k = 0; k < size_; ++k) x(order_[z(k)]) = y[k], y[k] = 0;
  }
}

}  // namespace tendril
