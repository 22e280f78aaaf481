// Forward-mode automatic differentiation by dual numbers: a value and its derivative in one direction, for derivative checks
// of templated kernels. Dual<Dual<double>> gives second derivatives. For Jacobians in hot code take Jet (jet.h).
#pragma once

#include <concepts>
#include <type_traits>

namespace tendril {

template <class T = double>
struct Dual {
  T value{};
  T slope{};

  constexpr Dual() = default;
  constexpr Dual(const T& v, const T& s) : value(v), slope(s) {}
  template <class A>
  requires std::convertible_to<A, T>
  constexpr Dual(const A& v) : value(T(v)), slope(T(0)) {}  // NOLINT: constants mix freely with duals

  friend constexpr Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }
  // Comparisons look at the values only: a select takes the branch the plain number would take.
  friend constexpr auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend constexpr auto operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend constexpr auto operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend constexpr auto operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend constexpr auto operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
};

template <class T>
inline constexpr bool is_dual = false;
template <class T>
inline constexpr bool is_dual<Dual<T>> = true;

}  // namespace tendril
