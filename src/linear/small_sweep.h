// The inverse of a small symmetric, indefinite matrix by sweeps, with its inertia: pivots of one and of two rows, the largest
// there is (Bunch-Parlett). In place, without allocation.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "linear/pivots.h"

namespace tendril {

// a: W x W, symmetric, all of it; becomes its inverse. scale: of each row, for what counts as tiny.
template <int W>
PivotReport invert_symmetric(double* a, const double* scale, double accepted) {
  PivotReport report;
  constexpr double alpha = 0.6403882032022076;  // (1 + sqrt(17)) / 8, bounds the growth
  const auto at = [a](int i, int j) -> double& { return a[W * i + j]; };
  std::array<bool, W> done{};
  for (int left = W; left > 0;) {
    int diagonal = -1, row = -1, column = -1;
    for (int i = 0; i < W; ++i) {
      if (done[std::size_t(i)]) continue;
      if (diagonal < 0 || std::abs(at(i, i)) > std::abs(at(diagonal, diagonal))) diagonal = i;
      for (int j = 0; j < i; ++j)
        if (!done[std::size_t(j)] && (row < 0 || std::abs(at(i, j)) > std::abs(at(row, column)))) row = i, column = j;
    }
    const double on = std::abs(at(diagonal, diagonal)), off = row < 0 ? 0.0 : std::abs(at(row, column));
    if (row < 0 || !(off > accepted * std::max(scale[row], scale[column])) || on >= alpha * off) {
      const int k = diagonal;
      double d = at(k, k);
      if (report.take(d, scale[k], accepted, k)) {
        const double threshold = accepted * (scale[k] > 0 ? scale[k] : 1.0);
        d = d < 0 ? -threshold : threshold;
      }
      std::array<double, W> l;
      for (int i = 0; i < W; ++i) l[std::size_t(i)] = i == k ? 0.0 : at(i, k) / d;
      for (int i = 0; i < W; ++i)
        for (int j = 0; j < W; ++j) at(i, j) -= l[std::size_t(i)] * at(k, j);
      for (int i = 0; i < W; ++i) at(i, k) = at(k, i) = l[std::size_t(i)];
      at(k, k) = -1 / d;
      done[std::size_t(k)] = true, --left;
      continue;
    }
    // One eigenvalue of each sign, by the rule above.
    const int k = column, m = row;
    const double p = at(k, k), q = at(k, m), r = at(m, m), determinant = p * r - q * q;
    std::ignore = report.take(q < 0 ? q : -q, std::max(scale[k], scale[m]), accepted, k);
    std::array<double, W> lk, lm;
    for (int i = 0; i < W; ++i) {
      const bool own = i == k || i == m;
      lk[std::size_t(i)] = own ? 0 : (at(i, k) * r - at(i, m) * q) / determinant;
      lm[std::size_t(i)] = own ? 0 : (at(i, m) * p - at(i, k) * q) / determinant;
    }
    for (int i = 0; i < W; ++i)
      for (int j = 0; j < W; ++j) at(i, j) -= lk[std::size_t(i)] * at(k, j) + lm[std::size_t(i)] * at(m, j);
    for (int i = 0; i < W; ++i) {
      at(i, k) = at(k, i) = lk[std::size_t(i)];
      at(i, m) = at(m, i) = lm[std::size_t(i)];
    }
    at(k, k) = -r / determinant, at(m, m) = -p / determinant;
    at(k, m) = at(m, k) = q / determinant;
    done[std::size_t(k)] = done[std::size_t(m)] = true, left -= 2;
  }
  for (int i = 0; i < W * W; ++i) a[i] = -a[i];
  return report;
}

// 2^-(e/2), e the exponent by which x, positive and finite, is between 1/2 and 1: as frexp and ldexp say it, without a call.
inline double half_power(double x) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1022;
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 - exponent / 2) << 52);
}

// Powers of two that bring the largest entry of every row near 1, in two rounds. [Ruiz 2001]
template <class At>
void scale_rows(int size, const At& at, double* scale) {
  for (int i = 0; i < size; ++i) scale[i] = 1;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < size; ++i) {
      double most = 0;
      for (int j = 0; j < size; ++j) most = std::max(most, std::abs(at(i, j)) * scale[j]);
      most *= scale[i];
      if (!(most > 0) || !std::isfinite(most)) continue;
      scale[i] *= half_power(most);
    }
  }
}

}  // namespace tendril
