// Planar elastica of varying bending stiffness under a dead tip force, by shooting: an accurate answer for rods without a
// closed one.
#pragma once

#include <array>
#include <cmath>
#include <functional>

namespace tendril::elastica {

struct Tip {
  double x = 0, y = 0, angle = 0;
};

// Length 1, clamped at the origin along +x, force P in +y at the tip. With m the moment, the action of s+ on s-:
//   x' = cos th,  y' = sin th,  th' = m / EI(s),  m' = -P cos th,  m(1) = 0
// Runge-Kutta of fourth order; the error of 4000 steps is rounding.
inline std::array<double, 4> shoot(double P, double root_moment, const std::function<double(double)>& EI) {
  constexpr int steps = 4000;
  constexpr double h = 1.0 / steps;
  using State = std::array<double, 4>;  // x, y, th, m
  const auto rate = [&](double s, const State& a) -> State {
    return {std::cos(a[2]), std::sin(a[2]), a[3] / EI(s), -P * std::cos(a[2])};
  };
  const auto moved = [](State a, const State& d, double by) {
    for (std::size_t i = 0; i < 4; ++i) a[i] += by * d[i];
    return a;
  };
  State a{0, 0, 0, root_moment};
  for (int k = 0; k < steps; ++k) {
    const double s = k * h;
    const State k1 = rate(s, a), k2 = rate(s + h / 2, moved(a, k1, h / 2)), k3 = rate(s + h / 2, moved(a, k2, h / 2)),
                k4 = rate(s + h, moved(a, k3, h));
    for (std::size_t i = 0; i < 4; ++i) a[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return a;
}

// The moment left at the tip rises with the moment at the wall, and the answer lies between no moment and that of the
// straight rod.
inline Tip solve_tip_load(double P, const std::function<double(double)>& EI) {
  double low = 0, high = P;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (shoot(P, middle, EI)[3] < 0 ? low : high) = middle;
  }
  const auto end = shoot(P, 0.5 * (low + high), EI);
  return {end[0], end[1], end[2]};
}

}  // namespace tendril::elastica
