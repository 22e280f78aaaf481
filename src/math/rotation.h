// Rotations. A rotation vector w turns by |w| about w; R = exp([w]x).
//   left  Jacobian J:  exp(w + dw) = exp(J dw) exp(w)     spin in world axes
//   right Jacobian J:  exp(w + dw) = exp(w) exp(J dw)     spin in body axes;  right(w) = left(w)^T = left(-w)
#pragma once

#include "math/elementary.h"
#include "math/small.h"

namespace tendril {

// The coefficients of the rotation formulas as functions of the squared angle s = theta^2, for any number type.
// Power series below s = 1, closed forms above: the closed forms with cancellation lose a factor 6/s to 12/s there.
template <class T>
struct ExpCoefficients {
  T cosine;  // cos theta
  T a;       // sin theta / theta                      R   = 1 + a [w] + b [w]^2
  T b;       // (1 - cos theta) / theta^2              left Jacobian = 1 + b [w] + c [w]^2
  T c;       // (theta - sin theta) / theta^3
};
namespace detail {
// sum over k < terms of (-s)^k n! / (2k + n)!: the series of a (n = 1), 2 b (n = 2), 6 c (n = 3).
template <int terms, class T>
constexpr T factorial_series(const T& s, int n) {
  T sum(1);
  for (int k = terms - 1; k >= 1; --k) sum = T(1) - s * (1.0 / ((2 * k + n - 1) * (2 * k + n))) * sum;
  return sum;
}
}  // namespace detail
template <class T>
constexpr ExpCoefficients<T> exp_coefficients(const T& s) {
  const auto small = s < T(1);
  const T safe = select(small, T(1), s);  // the closed forms never see a division by zero
  const T theta = math::sqrt(safe);
  const auto [sine, cosine] = math::sincos(theta);
  const T half_sine = math::sin(T(T(0.5) * theta));
  const T small_s = select(small, s, T(0));
  const T a = select(small, detail::factorial_series<10>(small_s, 1), sine / theta);
  const T b = select(small, T(0.5) * detail::factorial_series<10>(small_s, 2), T(2) * half_sine * half_sine / safe);
  const T c = select(small, (1.0 / 6) * detail::factorial_series<10>(small_s, 3), (theta - sine) / (safe * theta));
  return {select(small, T(1) - s * b, cosine), a, b, c};
}
// Derivatives of a, b, c with respect to s:  a' = (cos - a)/2s,  b' = (a - 2b)/2s,  c' = (b - 3c)/2s.
template <class T>
struct ExpCoefficientSlopes {
  T a, b, c;
};
namespace detail {
// Terms k (-1)^k / (2k + n)! of the differentiated series of a, b, c (n = 1, 2, 3), for k = 1..11.
struct SlopeSeries {
  double term[3][11] = {};
  constexpr SlopeSeries() {
    double factorial = 1;  // (2k)!
    for (int k = 1; k <= 11; ++k) {
      factorial *= (2.0 * k - 1) * (2.0 * k);
      const double top = (k % 2 == 0 ? 1.0 : -1.0) * k;
      term[0][k - 1] = top / (factorial * (2 * k + 1));
      term[1][k - 1] = top / (factorial * (2 * k + 1) * (2 * k + 2));
      term[2][k - 1] = top / (factorial * (2 * k + 1) * (2 * k + 2) * (2 * k + 3));
    }
  }
};
inline constexpr SlopeSeries slope_series{};
}  // namespace detail
template <class T>
constexpr ExpCoefficientSlopes<T> exp_coefficient_slopes(const T& s) {
  const auto small = s < T(1);
  const T small_s = select(small, s, T(0));
  T a(0), b(0), c(0);
  for (int k = 10; k >= 0; --k) {
    a = a * small_s + T(detail::slope_series.term[0][k]);
    b = b * small_s + T(detail::slope_series.term[1][k]);
    c = c * small_s + T(detail::slope_series.term[2][k]);
  }
  const ExpCoefficients<T> e = exp_coefficients(s);
  const T half_inverse = T(0.5) / select(small, T(1), s);
  return {select(small, a, (e.cosine - e.a) * half_inverse), select(small, b, (e.a - T(2) * e.b) * half_inverse),
          select(small, c, (e.b - T(3) * e.c) * half_inverse)};
}
// d in  left Jacobian^-1 = 1 - [w]/2 + d [w]^2:   d = (1 - a / 2b) / s = sum |B_2k| s^(k-1) / (2k)!.
// Good for theta well below 2 pi, where the inverse does not exist.
template <class T>
constexpr T log_coefficient(const T& s) {
  // |B_2k| / (2k)! for k = 1..12
  constexpr double series[12] = {8.3333333333333333e-02, 1.3888888888888889e-03, 3.3068783068783069e-05,
                                 8.2671957671957672e-07, 2.0876756987868099e-08, 5.2841901386874932e-10,
                                 1.3382536530684679e-11, 3.3896802963225829e-13, 8.5860620562778446e-15,
                                 2.1748686985580619e-16, 5.5090028283602295e-18, 1.3954464685812523e-19};
  const auto small = s < T(1);
  const T small_s = select(small, s, T(0));
  T sum(0);
  for (int k = 11; k >= 0; --k) sum = sum * small_s + T(series[k]);
  const T safe = select(small, T(1), s);
  const T half = T(0.5) * math::sqrt(safe);
  const auto [sine, cosine] = math::sincos(half);
  return select(small, sum, (T(1) - half * cosine / sine) / safe);
}

// For kernels over any number type.
template <class T>
constexpr M3<T> rotation_of(const V3<T>& w) {
  const auto e = exp_coefficients(squared_norm(w));
  return e.cosine * identity3<T>() + e.a * skew(w) + e.b * outer(w, w);
}
template <class T>
constexpr M3<T> left_jacobian(const V3<T>& w) {
  const auto e = exp_coefficients(squared_norm(w));
  return e.a * identity3<T>() + e.b * skew(w) + e.c * outer(w, w);  // 1 + b [w] + c [w]^2, [w]^2 = w w^T - s
}
template <class T>
constexpr M3<T> left_jacobian_inverse(const V3<T>& w) {
  const T s = squared_norm(w);
  const T d = log_coefficient(s);
  return (T(1) - d * s) * identity3<T>() - T(0.5) * skew(w) + d * outer(w, w);
}

// The same for Eigen types.
Mat3 skew(const Vec3& w);
Mat3 exp_matrix(const Vec3& w);
Quat exp_quat(const Vec3& w);
// The rotation vector with |w| <= pi. Near a half turn the axis stays accurate; at exactly a half turn both signs are right
// and the one of the quaternion is kept.
Vec3 log_rotation(const Quat& q);  // q need not be normalised; q and -q give the same
Vec3 log_rotation(const Mat3& rotation);
Mat3 left_jacobian(const Vec3& w);
Mat3 right_jacobian(const Vec3& w);
Mat3 left_jacobian_inverse(const Vec3& w);   // d log: world spin to rate of w
Mat3 right_jacobian_inverse(const Vec3& w);  // d log: body spin to rate of w
// d (exp(w) v) / d w = -[R v] left_jacobian(w)
Mat3 derivative_of_rotated(const Vec3& w, const Vec3& v);

// Frames: the columns of the matrix are d1, d2, d3.
Quat quat_from_frame(const Vec3& d1, const Vec3& d2, const Vec3& d3);
inline Vec3 director(const Quat& q, int index) { return q.toRotationMatrix().col(index); }  // 0, 1, 2 for d1, d2, d3

}  // namespace tendril
