// Constitutive laws of a rod's section: moment from strain and strain from moment, each with its tangent, component by
// component in material axes. e = strain - rest strain.
#pragma once

#include <cmath>

namespace tendril {

// linear (reference == 0):  m = K e
// stiffening:               m = K e sqrt(1 + (e/k)^2),  k = `reference`: K is the stiffness at rest, and beyond k it grows
//                           with the strain. Both directions are algebraic and hold for any strain and any moment.
struct Law {
  double reference = 0;  // k [rad/m]; 0: linear
  bool is_linear() const { return reference == 0; }
};
struct LawValue {
  double value = 0, tangent = 0;
};

inline LawValue moment_of(const Law& law, double stiffness, double strain) {
  if (law.is_linear()) return {stiffness * strain, stiffness};
  const double z = (strain / law.reference) * (strain / law.reference), root = std::sqrt(1 + z);
  return {stiffness * strain * root, stiffness * (1 + 2 * z) / root};
}
inline LawValue strain_of(const Law& law, double compliance, double moment) {
  const double linear = compliance * moment;
  if (law.is_linear()) return {linear, compliance};
  // e^2 = k^2/2 (sqrt(1 + 4 x^2/k^2) - 1), x = m/K, written without cancellation
  const double x = linear / law.reference, root = std::sqrt(1 + 4 * x * x);
  const double strain = linear * std::sqrt(2 / (1 + root));
  const double z = (strain / law.reference) * (strain / law.reference);
  return {strain, compliance * std::sqrt(1 + z) / (1 + 2 * z)};
}
inline double energy_of(const Law& law, double stiffness, double strain) {  // per length
  if (law.is_linear()) return 0.5 * stiffness * strain * strain;
  const double k = law.reference, z = (strain / k) * (strain / k), root = std::sqrt(1 + z);
  // K k^2/3 ((1 + z)^(3/2) - 1), without cancellation
  return stiffness * k * k / 3 * z * ((1 + z) + root + 1) / (root + 1);
}

}  // namespace tendril
