// Symmetric tridiagonal systems, open and cyclic, over any number type: with a SIMD pack, one system in each lane.
// No pivoting, no allocation: all arrays come from the caller. Tiny pivots are counted, not replaced; pivots that are
// exactly zero give infinities. With packs each lane has its own counts.
//   off[i] couples i and i + 1; in a ring off[n - 1] couples n - 1 and 0.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "linear/pivots.h"
#include "tendril/types.h"

namespace tendril {

namespace tridiagonal_detail {
// 1 where x < 0, else 0, per lane; works for bool comparisons and for SIMD masks.
template <class T>
T one_if_negative(const T& x) {
  const auto mask = x < T(0);
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(mask)>, bool>) {
    return mask ? T(1) : T(0);
  } else {
    T result(0);
    where(mask, result) = T(1);
    return result;
  }
}
template <class T>
T size_of(const T& x) {
  return x * (T(1) - T(2) * one_if_negative(x));
}
// PivotReport of all lanes: counts are numbers of the same type.
template <class T>
struct LanePivots {
  T negative{0}, tiny{0};
  void take(const T& pivot, const T& scale, double accepted, int) {
    negative += one_if_negative(pivot);
    tiny += T(1) - one_if_negative(T(accepted) * scale - size_of(pivot));
  }
};
}  // namespace tridiagonal_detail

template <class T>
using TridiagonalPivots = std::conditional_t<std::is_same_v<T, double>, PivotReport, tridiagonal_detail::LanePivots<T>>;

// A = L D L^T: pivot (n) and lower (at least n - 1).
template <class T>
TridiagonalPivots<T> factor_tridiagonal(std::span<const T> diagonal, std::span<const T> off, std::span<T> pivot,
                                        std::span<T> lower, double asked = 0) {
  const std::size_t n = diagonal.size();
  TENDRIL_REQUIRE(n > 0 && off.size() + 1 >= n && pivot.size() >= n && lower.size() + 1 >= n, "arrays are too short");
  T d = diagonal[0];
  pivot[0] = d;
  const double accepted = accepted_pivot(asked, 2);
  TridiagonalPivots<T> report;
  report.take(d, tridiagonal_detail::size_of(d), accepted, 0);
  for (std::size_t i = 1; i < n; ++i) {
    const T l = off[i - 1] / d;
    lower[i - 1] = l;
    d = diagonal[i] - l * off[i - 1];
    pivot[i] = d;
    report.take(d, tridiagonal_detail::size_of(diagonal[i]), accepted, int(i));
  }
  return report;
}
template <class T>
void solve_tridiagonal(std::span<const T> pivot, std::span<const T> lower, std::span<T> x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1; i < n; ++i) x[i] -= lower[i - 1] * x[i - 1];
  x[n - 1] /= pivot[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) x[i] = x[i] / pivot[i] - lower[i] * x[i + 1];
}

// The ring: the last unknown is the border of an open system of n - 1 (bordering keeps the inertia exact, which
// Sherman-Morrison does not). n >= 2; off has n entries.
//   [A u; u^T d]:  w = A^-1 u,  s = d - u . w
template <class T>
struct CyclicTridiagonal {
  std::span<T> pivot, lower, w;  // work arrays of n each; the factor lives in them
  T schur{};

  // The report is that of the whole matrix.
  TridiagonalPivots<T> factor(std::span<const T> diagonal, std::span<const T> off, double asked = 0) {
    const std::size_t n = diagonal.size(), m = n - 1;
    TENDRIL_REQUIRE(n >= 2 && off.size() == n && pivot.size() >= n && lower.size() >= n && w.size() >= n,
                    "a ring needs two unknowns, n couplings and work arrays of n");
    auto report = factor_tridiagonal<T>(diagonal.first(m), off.first(m - 1), pivot.first(m), lower.first(m), asked);
    for (std::size_t i = 0; i < m; ++i) w[i] = T(0);
    w[0] += off[n - 1];
    w[m - 1] += off[m - 1];
    const T first = w[0], last = m > 1 ? w[m - 1] : T(0);
    solve_tridiagonal<T>(pivot.first(m), lower.first(m), w.first(m));
    schur = diagonal[m] - (first * w[0] + last * w[m - 1]);
    first_ = first;
    last_ = last;
    report.take(schur, tridiagonal_detail::size_of(diagonal[m]), accepted_pivot(asked, 2), int(m));
    return report;
  }
  void solve(std::span<T> x) const {
    const std::size_t m = x.size() - 1;
    solve_tridiagonal<T>(pivot.first(m), lower.first(m), x.first(m));
    const T y = (x[m] - (first_ * x[0] + last_ * x[m - 1])) / schur;
    for (std::size_t i = 0; i < m; ++i) x[i] -= y * w[i];
    x[m] = y;
  }

  T first_{}, last_{};  // the border column's entries that are not zero
};

}  // namespace tendril
