// What every factorisation of this room reports, and the smallest pivot it may be asked to accept.
//
// One shape everywhere: a class holds a matrix and its factor; `PivotReport factor(..., double accepted = 0)` factors what
// was written, `solve(x, columns)` solves in place for `columns` right-hand sides that stand side by side, row by row
// (entry (i, k) at i * columns + k).
//   accepted   a pivot is tiny when |pivot| <= accepted * scale; 0: the bound that rounding sets for the class. Smaller
//              bounds let through systems whose masses differ by 1e15 and more; the caller then answers for the digits.
//   scale      band, ring, block LDLT: largest entry of the row in the matrix; dense LDLT and all LU: largest entry of the
//              matrix (block LU: of the reduced diagonal block); sparse and tridiagonal: the row's own diagonal entry
#pragma once

#include <cmath>
#include <limits>

namespace tendril {

// What the pivots say. By Sylvester's law the number of negative pivots is the number of negative eigenvalues, as long
// as no pivot is tiny. LU factorisations exchange rows and leave `negative` 0.
struct [[nodiscard]] PivotReport {
  int negative = 0;
  int tiny = 0;             // LDLT: replaced by the bound, keeping the sign; sparse: the unknown is left 0
  double smallest = 1e300;  // smallest |pivot| / scale
  int smallest_at = -1;     // row of it
  bool good() const { return tiny == 0; }
  bool positive_definite() const { return tiny == 0 && negative == 0; }

  // Counts a pivot; true when it is tiny.
  bool take(double pivot, double scale, double accepted, int row) {
    // Compared without a division, which would cost as much as the elimination of a narrow band itself.
    const double size = std::abs(pivot);
    if (!(size >= smallest * scale)) {  // also true for NaN
      smallest = scale > 0 ? size / scale : 0.0;
      smallest_at = row;
    }
    const bool is_tiny = !(scale > 0 && size > accepted * scale);
    tiny += is_tiny ? 1 : 0;
    negative += pivot < 0 ? 1 : 0;
    return is_tiny;
  }
  // Adds the report of a part whose rows begin at first_row.
  void add(const PivotReport& part, int first_row) {
    negative += part.negative;
    tiny += part.tiny;
    if (!(part.smallest >= smallest)) {
      smallest = part.smallest;
      smallest_at = first_row + part.smallest_at;
    }
  }
};

// The bound that holds: what was asked for, or `factor` roundings.
inline double accepted_pivot(double asked, double factor) {
  return asked > 0 ? asked : factor * std::numeric_limits<double>::epsilon();
}

}  // namespace tendril
