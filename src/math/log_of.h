// The logarithm of a rotation as a kernel over double and Jet.
#pragma once

#include <type_traits>

#include "math/jet.h"
#include "math/rotation.h"

namespace tendril {

// The rotation vector of the unit quaternion q, |w| <= pi, and for jets its exact tangent.
template <class T>
V3<T> log_of(const Q<T>& q) {
  const Q<double> q0 = value_of(q);
  const V3<double> w = to_small(log_rotation(to_eigen(q0)));
  if constexpr (std::is_same_v<T, double>) {
    return w;
  } else {
    const V3<T> spin = 2.0 * vector_part(conjugate(constant<T>(q0)) * q);
    const M3<double> inverse = transpose(left_jacobian_inverse(w));  // right Jacobian
    const auto times = [&](const V3<double>& row) { return row.x * spin.x + row.y * spin.y + row.z * spin.z; };
    V3<T> result{times(inverse.r0), times(inverse.r1), times(inverse.r2)};
    result.x.value = w.x, result.y.value = w.y, result.z.value = w.z;
    return result;
  }
}

}  // namespace tendril
