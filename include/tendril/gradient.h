// How the probes of an equilibrium change with numbers of its scene: derivatives, by one more solution with the matrix at hand for each
// number. For methods that offer it (`compact`) and scenes with time.mode = "statics".
#pragma once

#include <string>
#include <vector>

#include "tendril/simulate.h"

namespace tendril {

struct FieldGradient {
  std::string field;                   // "material.steel.young_modulus", "rod[0].rest.straight.end[2]"
  double value = 0;                    // in the scene
  std::vector<ProbeValue> derivative;  // of every probe, per unit of the field
};
struct Gradient {
  std::vector<ProbeValue> probes;  // in the equilibrium
  std::vector<FieldGradient> fields;
};
// Fields as in set_field, each one number: loads, moduli, stiffnesses, radii, lengths and radii of curves. Problems name the field: no
// number there, a method that cannot, an equilibrium that was not found or is no minimum.
Checked<Gradient> differentiate(const Scene& scene, const std::vector<std::string>& fields);

}  // namespace tendril
