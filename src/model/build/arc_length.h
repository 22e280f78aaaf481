// Arc length of a parametric curve and its inverse, by quadrature.
#pragma once

#include <functional>
#include <vector>

namespace tendril {

// S(t) = integral of speed from 0 to t, on [0, end]. Panels are halved until ten-point Gauss quadrature of a panel and of
// its two halves agree to rounding, so S is good to about 1e-13 relative; the inverse is a Newton iteration kept inside its
// panel. Same input, same bits: no randomness, no dependence on the order of the questions.
class ArcLength {
 public:
  using Speed = std::function<double(double)>;
  ArcLength(Speed speed, double end, int first_panels);
  double total() const { return length_.back(); }
  double parameter(double arc_length) const;  // t with S(t) = arc_length, clamped to [0, end]

 private:
  double gauss(double a, double b) const;
  void add_panels(double a, double b, double whole, int depth);

  Speed speed_;
  double scale_ = 0;            // a first estimate of the length
  std::vector<double> start_;   // panel borders: parameter ...
  std::vector<double> length_;  // ... and arc length
};

}  // namespace tendril
