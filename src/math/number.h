// What every number type T of a templated kernel offers besides + - * /: T is double, a SIMD pack or a Dual of either.
// The functions live in tendril::math and are called qualified (math::sqrt(x)), so that argument-dependent lookup cannot
// pick a library's version with other bits for packs.
#pragma once

#include <cmath>
#include <type_traits>

#include "math/dual.h"

namespace tendril {

// mask ? a : b, lane by lane. Both sides are always computed: there is no branch on data in a kernel.
template <class Mask, class T>
constexpr T select(const Mask& mask, const T& a, const std::type_identity_t<T>& b) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return mask ? a : b;
  } else if constexpr (is_dual<T>) {
    return T(select(mask, a.value, b.value), select(mask, a.slope, b.slope));
  } else {
    T result = b;
    where(mask, result) = a;  // std::experimental::where, found through its arguments
    return result;
  }
}

namespace math {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double two_pi = 2 * pi;

// sqrt is correctly rounded by IEEE 754, so scalar and pack agree.
template <class T>
constexpr T sqrt(const T& x) {
  if constexpr (is_dual<T>) {
    const auto root = math::sqrt(x.value);
    return T(root, x.slope / (root + root));
  } else {
    using std::sqrt;
    return sqrt(x);
  }
}

template <class T>
constexpr T abs(const T& x) {
  return select(x < T(0), T(-x), x);
}
template <class T>
constexpr T min(const T& a, const T& b) {
  return select(b < a, b, a);
}
template <class T>
constexpr T max(const T& a, const T& b) {
  return select(a < b, b, a);
}
template <class T>
constexpr T clamp(const T& x, const std::type_identity_t<T>& low, const std::type_identity_t<T>& high) {
  return math::min(math::max(x, low), high);
}

// Nearest integer, ties to even, for |x| < 2^51: adding 1.5 * 2^52 leaves no room for fraction bits.
template <class T>
constexpr T round_nearest(const T& x) {
  if constexpr (is_dual<T>) {
    using Value = std::remove_cvref_t<decltype(x.value)>;
    return T(math::round_nearest(x.value), Value(0));
  } else {
    const T magic(6755399441055744.0);
    return (x + magic) - magic;
  }
}

}  // namespace math
}  // namespace tendril
