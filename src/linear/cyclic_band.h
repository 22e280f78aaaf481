// Symmetric band matrices that close on themselves: entry (i, j) may differ from zero where the distance from i to j around
// the ring is at most the half bandwidth. The last b unknowns are a border of an open band matrix, which keeps the inertia
// exact (correcting an open factor by its low-rank corners would not give it).
#pragma once

#include <span>

#include "linear/band_ldlt.h"
#include "linear/bordered.h"

namespace tendril {

class CyclicBandLDLT {
 public:
  CyclicBandLDLT() = default;
  CyclicBandLDLT(int size, int half_bandwidth) { resize(size, half_bandwidth); }
  void resize(int size, int half_bandwidth);  // size > half bandwidth; the only function that allocates
  void set_zero();

  int size() const { return size_; }
  int half_bandwidth() const { return half_; }
  // Adds to (i, j) and (j, i). Give each pair once, in any order.
  void add(int i, int j, double value);
  double entry(int i, int j) const;
  void multiply(std::span<const double> x, std::span<double> y) const;

  // Factors the matrix + shift * D (identity where the diagonal is empty); the matrix itself is kept.
  // The report is that of the whole matrix.
  PivotReport factor(double shift = 0, std::span<const double> shift_diagonal = {}, double accepted = 0);
  const PivotReport& report() const { return report_; }
  void solve(std::span<double> x, int columns = 1) const;

 private:
  int size_ = 0, half_ = 0;
  BandLDLT band_;  // the first size - half bandwidth unknowns
  BorderedLDLT border_;
  PivotReport report_;
};

}  // namespace tendril
