// sin, cos, atan2, exp, hypot without branches, the same algorithm for every number type: a lane of a pack has the bits of
// the scalar, and results do not depend on the C library or on its use of fused multiply-add.
//   sin, cos   error below 1 ulp for |x| <= 1e6 (three-part Cody-Waite reduction, polynomials of fdlibm); next to a
//              multiple of pi/2 the absolute error is below 1e-30. Useless beyond 1.6e6, NaN for infinities.
//   atan2      error below 2 ulp (rational function of Cephes). atan2(0, 0) = 0. The sign of a zero is not looked at:
//              atan2(-0.0, -1) = +pi. Infinities give NaN.
//   exp        error below 2 ulp (rational function of Cephes); 0 and infinity beyond the range.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "math/number.h"

namespace tendril::math {

template <class T>
struct SinCos {
  T sin, cos;
};

namespace detail {

// x = k pi/2 + (high + low), |high| <= pi/4; quadrant = k reduced to -2..2.
template <class T>
struct Reduced {
  T high, low, quadrant;
};
template <class T>
constexpr Reduced<T> reduce_half_pi(const T& x) {
  // pi/2 in two pieces of 33 bits, so that k times a piece is exact for k < 2^20, and a remainder. [fdlibm, e_rem_pio2.c]
  const T piece1(1.57079632673412561417e+00), piece2(6.07710050630396597660e-11), rest(2.02226624879595063154e-21);
  const T k = round_nearest(T(x * T(6.36619772367581382433e-01)));
  const T first = x - k * piece1;
  const T w2 = k * piece2;
  const T second = first - w2;
  const T w = k * rest - ((first - second) - w2);
  const T high = second - w;
  return {high, (second - high) - w, k - T(4) * round_nearest(T(k * T(0.25)))};
}

// sin and cos of x + y for |x| <= pi/4 and a small tail y. [fdlibm, k_sin.c and k_cos.c]
template <class T>
constexpr T kernel_sin(const T& x, const T& y) {
  const T z = x * x;
  const T r =
      T(8.33333333332248946124e-03) +
      z * (T(-1.98412698298579493134e-04) +
           z * (T(2.75573137070700676789e-06) + z * (T(-2.50507602534068634195e-08) + z * T(1.58969099521155010221e-10))));
  const T v = z * x;
  return x - ((z * (T(0.5) * y - v * r) - y) - v * T(-1.66666666666666324348e-01));
}
template <class T>
constexpr T kernel_cos(const T& x, const T& y) {
  const T z = x * x;
  const T r = z * (T(4.16666666666666019037e-02) +
                   z * (T(-1.38888888888741095749e-03) +
                        z * (T(2.48015872894767294178e-05) +
                             z * (T(-2.75573143513906633035e-07) +
                                  z * (T(2.08757232129817482790e-09) + z * T(-1.13596475577881948265e-11))))));
  const T half = T(0.5) * z;
  const T w = T(1) - half;
  return w + (((T(1) - w) - half) + (z * r - x * y));
}

// 2^k for an integer -1022 <= k <= 1023 held in a double: the magic sum leaves k in the low bits.
inline double power_of_two(double k) {
  const auto bits = std::bit_cast<std::uint64_t>(k + 6755399441055744.0);
  return std::bit_cast<double>((bits + 1023) << 52);
}
template <class T>
T scale_of(const T& k) {
  if constexpr (std::is_same_v<T, double>) {
    return power_of_two(k);
  } else {
    return T([&k](auto lane) { return power_of_two(k[lane]); });
  }
}

}  // namespace detail

template <class T>
constexpr SinCos<T> sincos(const T& x) {
  if constexpr (is_dual<T>) {
    const auto [s, c] = math::sincos(x.value);
    return {T(s, c * x.slope), T(c, -(s * x.slope))};
  } else {
    const auto [high, low, quadrant] = detail::reduce_half_pi(x);
    const T s = detail::kernel_sin(high, low);
    const T c = detail::kernel_cos(high, low);
    const T size = math::abs(quadrant);
    const auto swapped = size == T(1);
    const T both = select(size == T(2), T(-1), T(1));  // half a turn turns both signs
    const T sin_sign = select(quadrant == T(-1), T(-1), both);
    const T cos_sign = select(quadrant == T(1), T(-1), both);
    return {sin_sign * select(swapped, c, s), cos_sign * select(swapped, s, c)};
  }
}
template <class T>
constexpr T sin(const T& x) {
  return math::sincos(x).sin;
}
template <class T>
constexpr T cos(const T& x) {
  return math::sincos(x).cos;
}

// The angle of the point (x, y), in (-pi, pi].
template <class T>
constexpr T atan2(const T& y, const T& x) {
  if constexpr (is_dual<T>) {
    const auto squared = x.value * x.value + y.value * y.value;
    return T(math::atan2(y.value, x.value), (x.value * y.slope - y.value * x.slope) / squared);
  } else {
    const T ax = math::abs(x), ay = math::abs(y);
    const T small = math::min(ax, ay), large = math::max(ax, ay);
    // First octant; above pi/8: atan(s/l) = pi/4 + atan((s - l)/(s + l)), one division for both cases.
    const auto upper = small > T(0.41421356237309504880) * large;
    const T numerator = select(upper, small - large, small);
    const T denominator = select(upper, small + large, large);
    const T q = numerator / select(denominator == T(0), T(1), denominator);
    const T z = q * q;
    const T p =
        (((T(-8.750608600031904122785e-1) * z - T(1.615753718733365076637e1)) * z - T(7.500855792314704667340e1)) * z -
         T(1.228866684490136173410e2)) *
            z -
        T(6.485021904942025371773e1);
    const T d =
        ((((z + T(2.485846490142306297962e1)) * z + T(1.650270098316988542046e2)) * z + T(4.328810604912902668951e2)) * z +
         T(4.853903996359136964868e2)) *
            z +
        T(1.945506571482613964425e2);
    const T correction = q * (z * p / d);
    // |angle| = turns * pi + sign * atan(q), turns a multiple of 1/4; pi in a 50 bit piece and a rest, so that
    // turns * pi_high is exact.
    const T octant = select(upper, T(0.25), T(0));
    const auto steep = ay > ax;
    const auto behind = x < T(0);
    const T turns1 = select(steep, T(0.5) - octant, octant);
    const T sign1 = select(steep, T(-1), T(1));
    const T turns = select(behind, T(1) - turns1, turns1);
    const T sign = select(behind, T(-sign1), sign1);
    const T pi_high(0x1.921fb54442d18p+1), pi_low(1.2246467991473531772e-16);
    const T size = turns * pi_high + (sign * q + (sign * correction + turns * pi_low));
    return select(y < T(0), T(-size), size);
  }
}

template <class T>
constexpr T exp(const T& x) {
  if constexpr (is_dual<T>) {
    const auto e = math::exp(x.value);
    return T(e, e * x.slope);
  } else {
    const T bounded = select(x > T(710), T(710), select(x < T(-746), T(-746), x));  // NaN passes
    const T k = round_nearest(T(bounded * T(1.4426950408889634073599)));
    const T r = (bounded - k * T(6.93145751953125e-1)) - k * T(1.42860682030941723212e-6);
    const T z = r * r;
    const T p = r * ((T(1.26177193074810590878e-4) * z + T(3.02994407707441961300e-2)) * z + T(9.99999999999999999910e-1));
    const T q = ((T(3.00198505138664455042e-6) * z + T(2.52448340349684104192e-3)) * z + T(2.27265548208155028766e-1)) * z +
                T(2.00000000000000000005e0);
    const T fraction = p / (q - p);
    // In two factors, because 2^k itself may overflow or be subnormal.
    const T half = round_nearest(T(k * T(0.5)));
    return ((T(1) + (fraction + fraction)) * detail::scale_of(half)) * detail::scale_of(T(k - half));
  }
}

// sqrt(x^2 + y^2). Not scaled: for numbers whose squares neither overflow nor vanish.
template <class T>
constexpr T hypot(const T& x, const T& y) {
  using std::sqrt;
  return sqrt(x * x + y * y);
}
// The angle in [0, pi] whose cosine is x; beyond -1 and 1 the nearest one.
inline double acos(double x) {
  const double c = x < -1 ? -1.0 : x > 1 ? 1.0 : x;
  return math::atan2(std::sqrt((1 - c) * (1 + c)), c);
}
inline double tanh(double x) {
  const double e = math::exp(-2 * (x < 0 ? -x : x)), t = (1 - e) / (1 + e);
  return x < 0 ? -t : t;
}
inline double cube(double x) { return x * x * x; }

}  // namespace tendril::math
