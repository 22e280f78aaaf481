#include "linear/band_ldlt.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tendril/types.h"

namespace tendril {

void BandMatrix::resize(int size, int half_bandwidth) {
  TENDRIL_REQUIRE(size >= 0 && half_bandwidth >= 0, "size and half bandwidth must not be negative");
  size_ = size;
  half_ = half_bandwidth;
  values_.assign(std::size_t(size + half_bandwidth) * std::size_t(half_bandwidth + 1), 0.0);
}

void BandMatrix::set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }

void BandMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  std::fill(y.begin(), y.end(), 0.0);
  for (int j = 0; j < size_; ++j) {
    // Each stored entry counts twice, below and above the diagonal.
    const double* a = column(j);
    const int reach = std::min(half_, size_ - 1 - j);
    double sum = a[0] * x[j];
    for (int i = 1; i <= reach; ++i) {
      y[j + i] += a[i] * x[j];
      sum += a[i] * x[j + i];
    }
    y[j] += sum;
  }
}

void BandLDLT::resize(int size, int half_bandwidth) {
  matrix_.resize(size, half_bandwidth);
  factor_.resize(size, half_bandwidth);
  row_largest_.assign(std::size_t(size), 0.0);
}

namespace {

// Right-looking elimination of one column: the remaining square loses l l^T / d. Row by row of the stored half, which is
// contiguous: for i = 1..b, column j + i loses l_i * (c_i .. c_b). A fixed b lets the compiler unroll and use vectors.
// The left-looking form was rejected: its inner loops are dot products, which may not be reordered.
template <int fixed>
inline void eliminate(double* c, int half, double inverse) {
  const int b = fixed > 0 ? fixed : half;
  const int stride = b + 1;
  double copy[fixed + 1];  // so that the compiler sees that reading and writing do not overlap
  const double* from = c;
  if constexpr (fixed > 0) {
    for (int i = 0; i <= fixed; ++i) copy[i] = c[i];
    from = copy;
  }
  double* target = c + stride;
  for (int i = 1; i <= b; ++i, target += stride) {
    const double l = from[i] * inverse;
    for (int m = 0; m <= b - i; ++m) target[m] -= l * from[i + m];
  }
  for (int i = 1; i <= b; ++i) c[i] *= inverse;
}

// Fills in the report while eliminating. The columns past the end are there, hold zeros and stay so.
template <int fixed>
PivotReport eliminate_all(BandMatrix& a, const std::vector<double>& row_largest, double asked) {
  PivotReport report;
  const int n = a.size(), b = a.half_bandwidth();
  const double accepted = accepted_pivot(asked, b + 1);
  for (int j = 0; j < n; ++j) {
    double* c = a.column(j);
    double d = c[0];
    const double scale = row_largest[std::size_t(j)];
    // A pivot too small is replaced by a small one of the same sign; the report says so.
    if (report.take(d, scale, accepted, j)) {
      const double threshold = accepted * (scale > 0 ? scale : 1.0);
      d = d < 0 ? -threshold : threshold;
      c[0] = d;
    }
    eliminate<fixed>(c, b, 1.0 / d);
  }
  return report;
}

using Eliminate = PivotReport (*)(BandMatrix&, const std::vector<double>&, double);
template <int... b>
Eliminate choose(int half, std::integer_sequence<int, b...>) {
  static constexpr Eliminate table[] = {&eliminate_all<b>...};  // [0] is the general one
  return half < int(sizeof...(b)) ? table[half] : table[0];
}

}  // namespace

PivotReport BandLDLT::factor(double shift, std::span<const double> shift_diagonal, double accepted) {
  const int n = size(), b = half_bandwidth();
  TENDRIL_REQUIRE(shift_diagonal.empty() || int(shift_diagonal.size()) == n,
                  "the shift's diagonal must have the matrix's size");
  // The factor begins as a copy of the shifted matrix; its rows' largest entries are what pivots are measured by.
  std::copy(matrix_.values_.begin(), matrix_.values_.end(), factor_.values_.begin());
  std::fill(row_largest_.begin(), row_largest_.end(), 0.0);
  for (int j = 0; j < n; ++j) {
    double* c = factor_.column(j);
    if (shift != 0) c[0] += shift * (shift_diagonal.empty() ? 1.0 : shift_diagonal[std::size_t(j)]);
    double* largest = row_largest_.data() + j;
    double mine = largest[0];
    const int reach = std::min(b, n - 1 - j);
    for (int i = 0; i <= reach; ++i) {
      const double size = std::abs(c[i]);
      mine = std::max(mine, size);
      largest[i] = std::max(largest[i], size);
    }
    largest[0] = mine;
  }
  report_ = choose(b, std::make_integer_sequence<int, 17>())(factor_, row_largest_, accepted);
  return report_;
}

void BandLDLT::solve_one(std::span<double> x) const {
  const int n = size(), b = half_bandwidth();
  for (int j = 0; j < n; ++j) {  // L
    const double* c = factor_.column(j);
    const double value = x[std::size_t(j)];
    const int reach = std::min(b, n - 1 - j);
    double* next = x.data() + j;
    for (int i = 1; i <= reach; ++i) next[i] -= c[i] * value;
  }
  for (int j = n - 1; j >= 0; --j) {  // D L^T; four sums in a fixed order, so that the processor need not wait for each
    const double* c = factor_.column(j);
    double* next = x.data() + j;
    const int reach = std::min(b, n - 1 - j);
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 1;
    for (; i + 3 <= reach; i += 4) {
      s0 += c[i] * next[i];
      s1 += c[i + 1] * next[i + 1];
      s2 += c[i + 2] * next[i + 2];
      s3 += c[i + 3] * next[i + 3];
    }
    for (; i <= reach; ++i) s0 += c[i] * next[i];
    next[0] = next[0] / c[0] - ((s0 + s1) + (s2 + s3));
  }
}

void BandLDLT::solve(std::span<double> right, int columns) const {
  const int n = size(), b = half_bandwidth();
  TENDRIL_REQUIRE(right.size() == std::size_t(n) * std::size_t(columns), "the right-hand side must have the matrix's size");
  if (columns == 1) return solve_one(right);
  // Many right-hand sides: row by row, all columns at once; first L, then D L^T.
  double* x = right.data();
  const std::size_t width = std::size_t(columns);
  for (int j = 0; j < n; ++j) {
    const double* c = factor_.column(j);
    const double* from = x + std::size_t(j) * width;
    const int reach = std::min(b, n - 1 - j);
    for (int i = 1; i <= reach; ++i) {
      double* to = x + std::size_t(j + i) * width;
      for (std::size_t k = 0; k < width; ++k) to[k] -= c[i] * from[k];
    }
  }
  for (int j = n - 1; j >= 0; --j) {
    const double* c = factor_.column(j);
    double* to = x + std::size_t(j) * width;
    const int reach = std::min(b, n - 1 - j);
    for (std::size_t k = 0; k < width; ++k) to[k] /= c[0];
    for (int i = 1; i <= reach; ++i) {
      const double* from = x + std::size_t(j + i) * width;
      for (std::size_t k = 0; k < width; ++k) to[k] -= c[i] * from[k];
    }
  }
}

}  // namespace tendril
