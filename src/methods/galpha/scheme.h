// Generalized-alpha in first-order form: every level of motion (pose, velocity) has a rate y' of its own beside its true rate,
//   y_1 = y_0 + dt ((1 - gamma) y'_0 + gamma y'_1)                      [Sobottka 2008, eqs. (16), (17)]
//   (1 - alpha) y'_1 + alpha y'_0 = (1 - beta) ydot_1 + beta ydot_0
// and the equations of motion, the constraints and the loads hold exactly at the ends of steps. Eliminating y' leaves
//   ydot_1 = slope (y_1 - y_0) + of_rate y'_0 + of_true ydot_0.
// Of turns y_1 - y_0 is the rotation vector of the step in the node's own axes.
#pragma once

#include "tendril/types.h"

namespace tendril::galpha {

struct Triple {
  double alpha = 0, beta = 0, gamma = 1;

  // Second order, with the spectral radius rho at infinite frequency.  [ERRATA B4]
  static Triple of_radius(double rho) { return {(3 * rho - 1) / (2 * (1 + rho)), rho / (1 + rho), 1 / (1 + rho)}; }
  // The printed range, and what it lacks.  [ERRATA B19]
  bool stable() const { return alpha <= 0.5 && beta <= 0.5 && gamma >= 0.5 && alpha - beta + gamma >= 0.5 - 1e-12; }
  double order_defect() const { return alpha - beta + gamma - 0.5; }  // 0: second order
};

struct Stage {
  Triple triple;
  double dt = 0;  // 0: an equilibrium, in which nothing has a rate

  static Stage still() { return {}; }
  bool is_still() const { return dt == 0; }
  double slope() const { return is_still() ? 0 : (1 - triple.alpha) / ((1 - triple.beta) * triple.gamma * dt); }
  double of_rate() const {
    const auto& [a, b, g] = triple;
    return (a - (1 - a) * (1 - g) / g) / (1 - b);
  }
  double of_true() const { return -triple.beta / (1 - triple.beta); }
  // y' at the end of the step.
  Vec3 new_rate(const Vec3& change, const Vec3& rate) const {
    return (change / dt - (1 - triple.gamma) * rate) / triple.gamma;
  }
  // y' of a smooth motion belongs to another instant than y: y' = ydot(t + lead dt).
  double lead() const { return triple.alpha - triple.beta; }
};

}  // namespace tendril::galpha
