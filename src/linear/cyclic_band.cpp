#include "linear/cyclic_band.h"

#include <algorithm>
#include <cstdlib>

#include "tendril/types.h"

namespace tendril {

void CyclicBandLDLT::resize(int size, int half_bandwidth) {
  TENDRIL_REQUIRE(half_bandwidth >= 0 && size > half_bandwidth, "a ring needs more unknowns than its half bandwidth");
  size_ = size;
  half_ = half_bandwidth;
  band_.resize(size - half_bandwidth, half_bandwidth);
  border_.resize(size - half_bandwidth, half_bandwidth);
}

void CyclicBandLDLT::set_zero() {
  band_.set_zero();
  border_.set_zero();
}

void CyclicBandLDLT::add(int i, int j, double value) {
  const int inner = size_ - half_;
  const int low = std::min(i, j), high = std::max(i, j);
  if (high < inner) {
    band_.add(high, low, value);
  } else if (low < inner) {
    border_.column(low, high - inner) += value;
  } else {
    border_.add_corner(high - inner, low - inner, value);
  }
}

double CyclicBandLDLT::entry(int i, int j) const {
  const int inner = size_ - half_;
  const int low = std::min(i, j), high = std::max(i, j);
  if (high < inner) return high - low <= half_ ? band_.entry(high, low) : 0.0;
  return low < inner ? border_.column(low, high - inner) : border_.corner(high - inner, low - inner);
}

void CyclicBandLDLT::multiply(std::span<const double> x, std::span<double> y) const {
  const int inner = size_ - half_;
  band_.multiply(x.first(std::size_t(inner)), y.first(std::size_t(inner)));
  for (int k = 0; k < half_; ++k) {
    double sum = 0;
    for (int m = 0; m < half_; ++m) sum += border_.corner(k, m) * x[std::size_t(inner + m)];
    for (int i = 0; i < inner; ++i) {
      const double u = border_.column(i, k);
      y[std::size_t(i)] += u * x[std::size_t(inner + k)];
      sum += u * x[std::size_t(i)];
    }
    y[std::size_t(inner + k)] = sum;
  }
}

PivotReport CyclicBandLDLT::factor(double shift, std::span<const double> shift_diagonal, double accepted) {
  TENDRIL_REQUIRE(shift_diagonal.empty() || int(shift_diagonal.size()) == size_,
                  "the shift's diagonal must have the matrix's size");
  const std::size_t inner = std::size_t(size_ - half_);
  report_ = band_.factor(shift, shift_diagonal.empty() ? shift_diagonal : shift_diagonal.first(inner), accepted);
  const auto corner_shift = [&](int k) {
    return shift * (shift_diagonal.empty() ? 1.0 : shift_diagonal[inner + std::size_t(k)]);
  };
  report_.add(border_.factor(band_, corner_shift, accepted), int(inner));
  return report_;
}

void CyclicBandLDLT::solve(std::span<double> x, int columns) const { border_.solve(band_, x, columns); }

}  // namespace tendril
