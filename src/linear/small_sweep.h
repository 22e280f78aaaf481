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

// The same for a place, an angle and the multiplier of a length, (x, phi, lambda), with the pivots that are right for nearly all of
// them: lambda together with the coordinate that it holds most, then the other three, which are positive. Without a search and without
// scales, a fifth of the time. False, and nothing is changed, where it is not so.
inline bool invert_with_length(double* d, double accepted, PivotReport& report) {
  const auto at = [d](int i, int j) -> double& { return d[5 * i + j]; };
  int held = std::abs(at(0, 4)) >= std::abs(at(1, 4)) ? 0 : 1;
  if (std::abs(at(2, 4)) > std::abs(at(held, 4))) held = 2;
  const double a = at(held, held), c = at(held, 4), e = at(4, 4), determinant = a * e - c * c;
  if (!(a >= 0 && e <= 0 && determinant < 0)) return false;  // else it might cancel
  const double over = 1 / determinant, i00 = e * over, i01 = -c * over, i11 = a * over;
  const int left[3] = {held == 0 ? 1 : 0, held == 2 ? 1 : 2, 3};
  double t[3][2], s[3][3];  // rows over the pivot; what is left
  for (int i = 0; i < 3; ++i) {
    const double r0 = at(left[i], held), r1 = at(left[i], 4);
    t[i][0] = r0 * i00 + r1 * i01, t[i][1] = r0 * i01 + r1 * i11;
    for (int j = 0; j <= i; ++j) s[i][j] = at(left[i], left[j]) - t[i][0] * at(left[j], held) - t[i][1] * at(left[j], 4);
  }
  constexpr double least = 1e-12;  // of the diagonal
  const double p0 = s[0][0];
  if (!(p0 > least * std::abs(at(left[0], left[0])))) return false;
  const double q0 = 1 / p0, l10 = s[1][0] * q0, l20 = s[2][0] * q0, p1 = s[1][1] - l10 * s[1][0];
  if (!(p1 > least * std::abs(at(left[1], left[1])))) return false;
  const double q1 = 1 / p1, u21 = s[2][1] - l20 * s[1][0], l21 = u21 * q1, p2 = s[2][2] - l20 * s[2][0] - l21 * u21;
  if (!(p2 > least * std::abs(at(3, 3)))) return false;
  const double q2 = 1 / p2, m20 = l10 * l21 - l20, w1 = l21 * q2, w0 = m20 * q2;
  std::ignore = report.take(-std::abs(c), std::abs(c), accepted, held);
  for (const auto& [pivot, row] : {std::pair(p0, left[0]), std::pair(p1, left[1]), std::pair(p2, 3)})
    std::ignore = report.take(pivot, std::abs(at(row, row)), accepted, row);
  const double v[3][3] = {
      {q0 + l10 * l10 * q1 + m20 * w0, -l10 * q1 - l21 * w0, w0}, {-l10 * q1 - l21 * w0, q1 + l21 * w1, -w1}, {w0, -w1, q2}};
  double u[3][2];  // - v t
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 2; ++k) u[i][k] = -(v[i][0] * t[0][k] + v[i][1] * t[1][k] + v[i][2] * t[2][k]);
  const int own[2] = {held, 4};
  const double pivot[2][2] = {{i00, i01}, {i01, i11}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) at(left[i], left[j]) = v[i][j];
    for (int k = 0; k < 2; ++k) at(left[i], own[k]) = at(own[k], left[i]) = u[i][k];
  }
  for (int k = 0; k < 2; ++k)
    for (int m = 0; m < 2; ++m)
      at(own[k], own[m]) = pivot[k][m] - (t[0][k] * u[0][m] + t[1][k] * u[1][m] + t[2][k] * u[2][m]);
  return true;
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
