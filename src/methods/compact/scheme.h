// Time schemes as minimisations. Every one of them finds the points y of the next level by
//   minimise  c/2 |y - y^|^2_M + V(y),     v = gamma (y - y_),   a = c (y - y^)
// with another predictor from the levels before: y^ for accelerations, y_ for velocities.  [ERRATA Z23]
//   euler   backward Euler, the paper's: first order, damps
//   bdf2    second-order backward differences, coefficients for changing steps
//   trbdf2  the trapezoid rule over (2 - sqrt 2) of the step, then backward differences: least damped, two solves
#pragma once

#include <cmath>
#include <cstdint>

namespace tendril::compact {

enum class Scheme : std::uint8_t { bdf2, euler, trbdf2 };

// What is kept of a point or a strain: the last level and the one before.
struct Weights {
  double y = 0, y_before = 0, v = 0, v_before = 0, a = 0;
};
struct Stage {
  double h = 0;                     // [s] from the last level to this one
  double c = 0, gamma = 0;          // [1/s^2], [1/s]; both 0: an equilibrium
  Weights hat, bar;                 // of y^ and y_
  bool keeps_acceleration = false;  // a later stage asks for it
  bool still() const { return gamma == 0; }
};

inline Stage euler_stage(double h) {
  Stage s;
  s.h = h, s.c = 1 / (h * h), s.gamma = 1 / h;
  s.hat.y = 1, s.hat.v = h;
  s.bar.y = 1;
  return s;
}
// y' = (a0 y + a1 y_n + a2 y_(n-1))/h, r the ratio of this step to the one before.
inline Stage bdf2_stage(double h, double h_before) {
  const double r = h / h_before, a0 = (1 + 2 * r) / (1 + r), a1 = -(1 + r), a2 = r * r / (1 + r);
  Stage s;
  s.h = h, s.c = a0 * a0 / (h * h), s.gamma = a0 / h;
  s.bar.y = s.hat.y = -a1 / a0, s.bar.y_before = s.hat.y_before = -a2 / a0;
  s.hat.v = -h * a1 / (a0 * a0), s.hat.v_before = -h * a2 / (a0 * a0);
  return s;
}
inline Stage trapezoid_stage(double h) {
  Stage s;
  s.h = h, s.c = 4 / (h * h), s.gamma = 2 / h;
  s.hat.y = 1, s.hat.v = h, s.hat.a = 0.25 * h * h;
  s.bar.y = 1, s.bar.v = 0.5 * h;
  return s;
}
inline const double trapezoid_part = 2 - std::sqrt(2.0);

}  // namespace tendril::compact
