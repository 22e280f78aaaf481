#include "linear/band_lu.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tendril {

void BandLU::resize(int size, int below, int above) {
  size_ = size, below_ = below, above_ = above;
  width_ = 2 * below + above + 1;
  a_.assign(std::size_t(size) * std::size_t(width_), 0.0);
  swapped_.assign(std::size_t(size), 0);
}

void BandLU::set_zero() { std::fill(a_.begin(), a_.end(), 0.0); }

bool BandLU::factor() {
  double largest = 0;
  for (const double v : a_) largest = std::max(largest, std::abs(v));
  const double least = 4 * std::numeric_limits<double>::epsilon() * largest;
  bool good = largest > 0 && std::isfinite(largest);
  for (int k = 0; k < size_ && good; ++k) {
    const int last_row = std::min(size_ - 1, k + below_), last_column = std::min(size_ - 1, k + above_ + below_);
    int best = k;
    for (int i = k + 1; i <= last_row; ++i)
      if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
    swapped_[std::size_t(k)] = best;
    if (best != k)
      for (int j = k; j <= last_column; ++j) std::swap(at(k, j), at(best, j));
    const double pivot = at(k, k);
    if (!(std::abs(pivot) > least * 1e-3)) {
      good = false;
      break;
    }
    const double inverse = 1 / pivot;
    const double* from = &at(k, k);
    for (int i = k + 1; i <= last_row; ++i) {
      double* row = &at(i, k);
      const double l = (row[0] *= inverse);
      if (l == 0) continue;
      for (int j = 1; j <= last_column - k; ++j) row[j] -= l * from[j];
    }
  }
  return good;
}

// Row exchanges are applied while going forward: factor() exchanges only what lies right of the pivot's column.
void BandLU::solve(double* x) const {
  auto& self = const_cast<BandLU&>(*this);
  for (int k = 0; k < size_; ++k) {
    std::swap(x[k], x[swapped_[std::size_t(k)]]);
    for (int i = k + 1; i <= std::min(size_ - 1, k + below_); ++i) x[i] -= self.at(i, k) * x[k];
  }
  for (int k = size_ - 1; k >= 0; --k) {
    for (int j = k + 1; j <= std::min(size_ - 1, k + above_ + below_); ++j) x[k] -= self.at(k, j) * x[j];
    x[k] /= self.at(k, k);
  }
}

}  // namespace tendril
