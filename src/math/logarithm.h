// The natural logarithm of a positive number with the same bits on every machine: the C library's differs with the processor.
#pragma once

#include <cmath>

namespace tendril::math {

// x = m 2^k, m between 1/sqrt 2 and sqrt 2;  ln m = 2 artanh((m - 1)/(m + 1)), whose series ends below rounding.
inline double log(double x) {
  constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
  int k = 0;
  double m = std::frexp(x, &k);
  if (m < 0.70710678118654752) m *= 2, --k;
  const double s = (m - 1) / (m + 1), q = s * s;
  double sum = 0;
  for (int n = 11; n >= 1; --n) sum = q * (1.0 / (2 * n + 1) + sum);
  return k * ln2_high + (2 * s + (2 * s * sum + k * ln2_low));
}

}  // namespace tendril::math
