#include "linear/dense.h"

#include <algorithm>
#include <cmath>

#include "tendril/types.h"

namespace tendril {
namespace {
double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double v : values) result = std::max(result, std::abs(v));
  return result;
}
// row(to) -= factor * row(from)
void subtract_row(double* x, int columns, int to, int from, double factor) {
  double* t = x + std::ptrdiff_t(to) * columns;
  const double* f = x + std::ptrdiff_t(from) * columns;
  for (int k = 0; k < columns; ++k) t[k] -= factor * f[k];
}
void swap_rows(double* x, int columns, int i, int j) {
  if (i != j)
    std::swap_ranges(x + std::ptrdiff_t(i) * columns, x + std::ptrdiff_t(i + 1) * columns, x + std::ptrdiff_t(j) * columns);
}
}  // namespace

void DenseLU::resize(int size) {
  TENDRIL_REQUIRE(size >= 0, "the size must not be negative");
  size_ = size;
  a_.assign(std::size_t(size) * std::size_t(size), 0.0);
  swapped_.assign(std::size_t(size), 0);
}

PivotReport DenseLU::factor(double asked) {
  PivotReport report;
  const double scale = largest(a_), accepted = accepted_pivot(asked, size_);
  for (int k = 0; k < size_; ++k) {
    int best = k;
    for (int i = k + 1; i < size_; ++i) best = std::abs(at(i, k)) > std::abs(at(best, k)) ? i : best;
    swapped_[std::size_t(k)] = best;
    swap_rows(a_.data(), size_, k, best);
    report.take(std::abs(at(k, k)), scale, accepted, k);
    if (at(k, k) == 0) continue;
    for (int i = k + 1; i < size_; ++i) {
      const double l = (at(i, k) /= at(k, k));
      for (int j = k + 1; j < size_; ++j) at(i, j) -= l * at(k, j);
    }
  }
  return report;
}

void DenseLU::solve(std::span<double> right, int columns) const {
  TENDRIL_REQUIRE(right.size() == std::size_t(size_) * std::size_t(columns),
                  "the right-hand side must have the matrix's size");
  double* x = right.data();
  // All swaps first: factor() swaps whole rows, with the multipliers already there.
  for (int k = 0; k < size_; ++k) swap_rows(x, columns, k, swapped_[std::size_t(k)]);
  for (int k = 0; k < size_; ++k) {
    for (int i = k + 1; i < size_; ++i) subtract_row(x, columns, i, k, at(i, k));
  }
  for (int k = size_ - 1; k >= 0; --k) {
    for (int j = k + 1; j < size_; ++j) subtract_row(x, columns, k, j, at(k, j));
    for (int c = 0; c < columns; ++c) x[std::ptrdiff_t(k) * columns + c] /= at(k, k);
  }
}

void DenseLDLT::resize(int size) {
  TENDRIL_REQUIRE(size >= 0, "the size must not be negative");
  size_ = size;
  a_.assign(std::size_t(size) * std::size_t(size), 0.0);
  swapped_.assign(std::size_t(size), 0);
  two_.assign(std::size_t(size), 0);
}

void DenseLDLT::swap(int i, int j) {  // rows and columns of the whole square: the multipliers on the left move along
  if (i == j) return;
  swap_rows(a_.data(), size_, i, j);
  for (int r = 0; r < size_; ++r) std::swap(at(r, i), at(r, j));
}

void DenseLDLT::eliminate_one(int k, double scale, double accepted) {
  double& d = at(k, k);
  if (report_.take(d, scale, accepted, k)) {
    const double threshold = accepted * (scale > 0 ? scale : 1.0);
    d = d < 0 ? -threshold : threshold;
  }
  for (int i = k + 1; i < size_; ++i) {
    const double l = at(i, k) / d;
    for (int j = k + 1; j < size_; ++j) at(i, j) -= l * at(k, j);
  }
  for (int i = k + 1; i < size_; ++i) at(i, k) /= d;
}

void DenseLDLT::eliminate_two(int k, double scale) {
  // The pivoting rule gives a block with negative determinant: one eigenvalue of each sign.
  const double p = at(k, k), q = at(k + 1, k), r = at(k + 1, k + 1), determinant = p * r - q * q;
  const double size = scale > 0 ? std::abs(q) / scale : 0.0;
  if (!(size >= report_.smallest)) {
    report_.smallest = size;
    report_.smallest_at = k;
  }
  ++report_.negative;
  for (int i = k + 2; i < size_; ++i) {
    const double u = at(i, k), v = at(i, k + 1);
    const double l0 = (u * r - v * q) / determinant, l1 = (v * p - u * q) / determinant;
    for (int j = k + 2; j < size_; ++j) at(i, j) -= l0 * at(k, j) + l1 * at(k + 1, j);
    at(i, k) = l0;
    at(i, k + 1) = l1;
  }
}

PivotReport DenseLDLT::factor(double asked) {
  report_ = {};
  const double scale = largest(a_), accepted = accepted_pivot(asked, size_);
  constexpr double alpha = 0.6403882032022076;  // (1 + sqrt(17)) / 8, bounds the growth
  std::fill(two_.begin(), two_.end(), char(0));
  for (int k = 0; k < size_;) {
    int diagonal = k, row = k, column = k;  // largest on and off the diagonal of what is left
    for (int i = k; i < size_; ++i) {
      if (std::abs(at(i, i)) > std::abs(at(diagonal, diagonal))) diagonal = i;
      for (int j = k; j < i; ++j) {
        if (row == column || std::abs(at(i, j)) > std::abs(at(row, column))) row = i, column = j;
      }
    }
    const double on = std::abs(at(diagonal, diagonal)), off = row == column ? 0.0 : std::abs(at(row, column));
    // The block of two only for a coupling above rounding: a zero remainder goes one by one and is counted as tiny.
    if (!(off > accepted * scale) || on >= alpha * off) {
      swapped_[std::size_t(k)] = diagonal;
      swap(k, diagonal);
      eliminate_one(k, scale, accepted);
      k += 1;
    } else {
      two_[std::size_t(k)] = 1;
      swapped_[std::size_t(k)] = column;  // column < row, so the second swap is not disturbed unless row == k: excluded
      swap(k, column);
      swapped_[std::size_t(k + 1)] = row;
      swap(k + 1, row);
      eliminate_two(k, scale);
      k += 2;
    }
  }
  return report_;
}

void DenseLDLT::solve(std::span<double> right, int columns) const {
  TENDRIL_REQUIRE(right.size() == std::size_t(size_) * std::size_t(columns),
                  "the right-hand side must have the matrix's size");
  double* x = right.data();
  for (int k = 0; k < size_; ++k) swap_rows(x, columns, k, swapped_[std::size_t(k)]);
  const auto value = [&](int row, int c) -> double& { return x[std::ptrdiff_t(row) * columns + c]; };
  for (int k = 0; k < size_; k += two_[std::size_t(k)] ? 2 : 1) {  // L, then D
    const int width = two_[std::size_t(k)] ? 2 : 1;
    for (int i = k + width; i < size_; ++i) {
      for (int w = 0; w < width; ++w) subtract_row(x, columns, i, k + w, at(i, k + w));
    }
    if (width == 1) {
      for (int c = 0; c < columns; ++c) value(k, c) /= at(k, k);
    } else {
      const double p = at(k, k), q = at(k + 1, k), r = at(k + 1, k + 1), determinant = p * r - q * q;
      for (int c = 0; c < columns; ++c) {
        const double u = value(k, c), v = value(k + 1, c);
        value(k, c) = (u * r - v * q) / determinant;
        value(k + 1, c) = (v * p - u * q) / determinant;
      }
    }
  }
  for (int k = size_ - 1; k >= 0; --k) {  // L^T
    const bool second = k > 0 && two_[std::size_t(k - 1)];
    const int begin = two_[std::size_t(k)] ? k + 2 : k + 1;
    for (int i = begin; i < size_; ++i) subtract_row(x, columns, k, i, at(i, k));
    if (second) {
      for (int i = k + 1; i < size_; ++i) subtract_row(x, columns, k - 1, i, at(i, k - 1));
      --k;
    }
  }
  for (int k = size_ - 1; k >= 0; --k) swap_rows(x, columns, k, swapped_[std::size_t(k)]);
}

}  // namespace tendril
