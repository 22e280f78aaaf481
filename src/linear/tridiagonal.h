// Symmetric tridiagonal systems, open and cyclic, over any number type: with a SIMD pack, one system in each lane.
// No pivoting, no allocation: all arrays come from the caller. Pivots that are exactly zero give infinities; the count of
// negative pivots (a number of the same type, one count per lane) is the number of negative eigenvalues.
//   off[i] couples i and i + 1; in a ring off[n - 1] couples n - 1 and 0.
#pragma once

#include <cstddef>
#include <span>

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
}  // namespace tridiagonal_detail

// A = L D L^T: pivot (n) and lower (at least n - 1). Returns the number of negative pivots.
template <class T>
T factor_tridiagonal(std::span<const T> diagonal, std::span<const T> off, std::span<T> pivot, std::span<T> lower) {
  const std::size_t n = diagonal.size();
  TENDRIL_REQUIRE(n > 0 && off.size() + 1 >= n && pivot.size() >= n && lower.size() + 1 >= n, "arrays are too short");
  T d = diagonal[0];
  pivot[0] = d;
  T negative = tridiagonal_detail::one_if_negative(d);
  for (std::size_t i = 1; i < n; ++i) {
    const T l = off[i - 1] / d;
    lower[i - 1] = l;
    d = diagonal[i] - l * off[i - 1];
    pivot[i] = d;
    negative += tridiagonal_detail::one_if_negative(d);
  }
  return negative;
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

  // Returns the number of negative pivots of the whole matrix.
  T factor(std::span<const T> diagonal, std::span<const T> off) {
    const std::size_t n = diagonal.size(), m = n - 1;
    TENDRIL_REQUIRE(n >= 2 && off.size() == n && pivot.size() >= n && lower.size() >= n && w.size() >= n,
                    "a ring needs two unknowns, n couplings and work arrays of n");
    const T negative = factor_tridiagonal<T>(diagonal.first(m), off.first(m - 1), pivot.first(m), lower.first(m));
    for (std::size_t i = 0; i < m; ++i) w[i] = T(0);
    w[0] += off[n - 1];
    w[m - 1] += off[m - 1];
    const T first = w[0], last = m > 1 ? w[m - 1] : T(0);
    solve_tridiagonal<T>(pivot.first(m), lower.first(m), w.first(m));
    schur = diagonal[m] - (first * w[0] + last * w[m - 1]);
    first_ = first;
    last_ = last;
    return negative + tridiagonal_detail::one_if_negative(schur);
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
