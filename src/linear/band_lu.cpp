#include "linear/band_lu.h"

#include <algorithm>
#include <cmath>

#include "tendril/types.h"

namespace tendril {

void BandLU::resize(int size, int below, int above) {
  size_ = size, below_ = below, above_ = above;
  width_ = 2 * below + above + 1;
  a_.assign(std::size_t(size) * std::size_t(width_), 0.0);
  swapped_.assign(std::size_t(size), 0);
}

void BandLU::set_zero() { std::fill(a_.begin(), a_.end(), 0.0); }

PivotReport BandLU::factor(double asked) {
  PivotReport report;
  // Pivots are measured by the largest entry.
  double largest = 0;
  for (const double v : a_) largest = std::max(largest, std::abs(v));
  const double accepted = accepted_pivot(asked, 4e-3);
  if (!(largest > 0) || !std::isfinite(largest)) {
    report.take(0, largest, accepted, 0);
    return report;
  }
  for (int k = 0; k < size_; ++k) {
    const int last_row = std::min(size_ - 1, k + below_), last_column = std::min(size_ - 1, k + above_ + below_);
    // Partial pivoting within the band; exchanged rows may reach `below` further to the right.
    int best = k;
    for (int i = k + 1; i <= last_row; ++i)
      if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
    swapped_[std::size_t(k)] = best;
    if (best != k)
      for (int j = k; j <= last_column; ++j) std::swap(at(k, j), at(best, j));
    const double pivot = at(k, k);
    if (report.take(std::abs(pivot), largest, accepted, k)) break;
    // Eliminate below the pivot; multipliers stay in place.
    const double inverse = 1 / pivot;
    const double* from = &at(k, k);
    for (int i = k + 1; i <= last_row; ++i) {
      double* row = &at(i, k);
      const double l = (row[0] *= inverse);
      if (l == 0) continue;
      for (int j = 1; j <= last_column - k; ++j) row[j] -= l * from[j];
    }
  }
  return report;
}

// Row exchanges are applied while going forward: factor() exchanges only what lies right of the pivot's column.
void BandLU::solve(std::span<double> right, int columns) const {
  TENDRIL_REQUIRE(right.size() == std::size_t(size_) * std::size_t(columns),
                  "the right-hand side must have the matrix's size");
  auto& self = const_cast<BandLU&>(*this);
  for (int c = 0; c < columns; ++c) {
    const auto x = [&](int i) -> double& { return right[std::size_t(i) * std::size_t(columns) + std::size_t(c)]; };
    for (int k = 0; k < size_; ++k) {
      std::swap(x(k), x(swapped_[std::size_t(k)]));
      for (int i = k + 1; i <= std::min(size_ - 1, k + below_); ++i) x(i) -= self.at(i, k) * x(k);
    }
    for (int k = size_ - 1; k >= 0; --k) {
      for (int j = k + 1; j <= std::min(size_ - 1, k + above_ + below_); ++j) x(k) -= self.at(k, j) * x(j);
      x(k) /= self.at(k, k);
    }
  }
}

}  // namespace tendril
