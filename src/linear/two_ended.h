// A symmetric tridiagonal system solved once, from both ends towards the middle: the two chains of divisions, each of which waits
// for the one before it, run side by side, so that it takes little more than half the time of a one-sided sweep.
#pragma once

namespace tendril {

// off[i] couples i - 1 and i (off[0] is not read). `diagonal` and `right` are overwritten; the solution is left in `right`.
// No pivoting: for positive definite matrices.
inline void solve_tridiagonal_two_ended(double* diagonal, const double* off, double* right, int n) {
  double* const d = diagonal;
  double* const r = right;
  const double* const o = off;
  const int middle = n / 2, above = n - 1 - middle;  // rows below the middle: `middle` of them; above: `above` <= middle
  int i = 1;
  for (; i < above; ++i) {
    const int p = i, q = n - 1 - i;
    const double fp = o[p] / d[p - 1], fq = o[q + 1] / d[q + 1];
    d[p] -= fp * o[p];
    r[p] -= fp * r[p - 1];
    d[q] -= fq * o[q + 1];
    r[q] -= fq * r[q + 1];
  }
  for (; i < middle; ++i) {
    const double f = o[i] / d[i - 1];
    d[i] -= f * o[i];
    r[i] -= f * r[i - 1];
  }
  if (middle > 0) {
    const double f = o[middle] / d[middle - 1];
    d[middle] -= f * o[middle];
    r[middle] -= f * r[middle - 1];
  }
  if (above > 0) {
    const double f = o[middle + 1] / d[middle + 1];
    d[middle] -= f * o[middle + 1];
    r[middle] -= f * r[middle + 1];
  }
  // These divisions do not wait for each other.
  for (int k = 0; k < n; ++k) {
    d[k] = 1 / d[k];
    r[k] *= d[k];
  }
  int p = middle - 1, q = middle + 1;
  for (; p >= 0 && q < n; --p, ++q) {
    r[p] -= (o[p + 1] * d[p]) * r[p + 1];
    r[q] -= (o[q] * d[q]) * r[q - 1];
  }
  for (; p >= 0; --p) r[p] -= (o[p + 1] * d[p]) * r[p + 1];
}

}  // namespace tendril
