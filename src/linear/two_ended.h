// A tridiagonal system solved once, from both ends towards the middle: the two chains of divisions, each of which waits
// for the one before it, run side by side, so that it takes little more than half the time of a one-sided sweep.
#pragma once

namespace tendril {

// Row i:  lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = right[i]; lower[0] and upper[n-1] are not used.
// `diagonal` and `right` are overwritten; the solution is left in `right`. A symmetric matrix whose off[i] couples i - 1 and
// i is given as lower = off, upper = off + 1. No pivoting: for matrices that are positive definite, or nearly so.
inline void solve_tridiagonal_two_ended(double* diagonal, const double* lower, const double* upper, double* right, int n) {
  double* const d = diagonal;
  double* const r = right;
  const double* const l = lower;
  const double* const u = upper;
  const int middle = n / 2, above = n - 1 - middle;  // rows below the middle: `middle` of them; above: `above` <= middle
  int i = 1;
  for (; i < above; ++i) {
    const int p = i, q = n - 1 - i;
    const double fp = l[p] / d[p - 1], fq = u[q] / d[q + 1];
    d[p] -= fp * u[p - 1];
    r[p] -= fp * r[p - 1];
    d[q] -= fq * l[q + 1];
    r[q] -= fq * r[q + 1];
  }
  for (; i < middle; ++i) {
    const double f = l[i] / d[i - 1];
    d[i] -= f * u[i - 1];
    r[i] -= f * r[i - 1];
  }
  if (middle > 0) {
    const double f = l[middle] / d[middle - 1];
    d[middle] -= f * u[middle - 1];
    r[middle] -= f * r[middle - 1];
  }
  if (above > 0) {
    const double f = u[middle] / d[middle + 1];
    d[middle] -= f * l[middle + 1];
    r[middle] -= f * r[middle + 1];
  }
  // These divisions do not wait for each other.
  for (int k = 0; k < n; ++k) {
    d[k] = 1 / d[k];
    r[k] *= d[k];
  }
  int p = middle - 1, q = middle + 1;
  for (; p >= 0 && q < n; --p, ++q) {
    r[p] -= (u[p] * d[p]) * r[p + 1];
    r[q] -= (l[q] * d[q]) * r[q - 1];
  }
  for (; p >= 0; --p) r[p] -= (u[p] * d[p]) * r[p + 1];
}

}  // namespace tendril
