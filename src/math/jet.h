// A value and its derivatives in up to eight directions (forward-mode automatic differentiation), for exact tangents of
// templated kernels: the value is one number, the derivatives are packs. It offers what kernels over V3<T> need. For one
// direction, or for second derivatives in tests, take Dual (dual.h).
#pragma once

#include <cmath>

#include "math/pack.h"

namespace tendril {

struct Jet {
  static constexpr int directions = 2 * pack_size;
  double value = 0;
  Pack low = Pack(0.0), high = Pack(0.0);  // derivatives in directions 0..3 and 4..7

  Jet() = default;
  Jet(double v) : value(v) {}  // NOLINT: constants mix freely with jets
  Jet(double v, const Pack& l, const Pack& h) : value(v), low(l), high(h) {}
  static Jet variable(double v, int direction) {
    Jet result(v);
    (direction < pack_size ? result.low : result.high)[direction % pack_size] = 1;
    return result;
  }
  double slope(int direction) const { return (direction < pack_size ? low : high)[direction % pack_size]; }

  friend Jet operator+(const Jet& a, const Jet& b) { return {a.value + b.value, a.low + b.low, a.high + b.high}; }
  friend Jet operator-(const Jet& a, const Jet& b) { return {a.value - b.value, a.low - b.low, a.high - b.high}; }
  friend Jet operator-(const Jet& a) { return {-a.value, -a.low, -a.high}; }
  friend Jet operator*(const Jet& a, const Jet& b) {
    const Pack x(a.value), y(b.value);
    return {a.value * b.value, a.low * y + x * b.low, a.high * y + x * b.high};
  }
  friend Jet operator*(double a, const Jet& b) { return {a * b.value, Pack(a) * b.low, Pack(a) * b.high}; }
  friend Jet operator*(const Jet& a, double b) { return b * a; }
  friend Jet operator/(const Jet& a, const Jet& b) {
    const double inverse = 1 / b.value, quotient = a.value * inverse;
    const Pack i(inverse), q(quotient);
    return {quotient, (a.low - q * b.low) * i, (a.high - q * b.high) * i};
  }
  Jet& operator+=(const Jet& b) { return *this = *this + b; }
  Jet& operator-=(const Jet& b) { return *this = *this - b; }
};

// Constants times vectors of jets, without multiplying by the constant's zeros.
inline V3<Jet> operator*(double a, const V3<Jet>& b) { return {a * b.x, a * b.y, a * b.z}; }

// f(x) where f and its derivative at x.value are known.
inline Jet chain(const Jet& x, double f, double derivative) {
  const Pack d(derivative);
  return {f, d * x.low, d * x.high};
}
inline double chain(double, double f, double) { return f; }
inline double value_of(double x) { return x; }
inline double value_of(const Jet& x) { return x.value; }
template <class T>
V3<double> value_of(const V3<T>& v) {
  return {value_of(v.x), value_of(v.y), value_of(v.z)};
}
template <class T>
Q<double> value_of(const Q<T>& q) {
  return {value_of(q.w), value_of(q.x), value_of(q.y), value_of(q.z)};
}

}  // namespace tendril
