// Accurate solutions that the experiments compare with, found independently of any simulator. Each names its case in the
// project's collection of reference solutions; planar rods of length 1 and bending stiffness 1, clamped at the origin along
// +x.
#pragma once

#include <array>
#include <cmath>

#include "math/number.h"

namespace tendril::reference {

struct Tip {
  double load = 0;  // dimensionless
  double x = 0, y = 0, angle = 0;
  double root_curvature = 0;
};

// Case 1a: dead force P L^2/EI = load in +y at the tip. Elliptic integrals, 25 digits. The moment at the wall is P x.
inline constexpr std::array<Tip, 5> tip_load{{
    {0.5, 0.9840810375291625, 0.1621435756583696, 0.24453364713321832, 0.5 * 0.9840810375291625},
    {1, 0.9435667637166231, 0.30172077379981355, 0.461351949711879, 0.9435667637166231},
    {2, 0.8393582791748327, 0.49345748039671183, 0.7817498315565431, 2 * 0.8393582791748327},
    {5, 0.6123716392755701, 0.7137915236119128, 1.215368117611681, 5 * 0.6123716392755701},
    {10, 0.4450044022462487, 0.8106090248802964, 1.4302855388038576, 10 * 0.4450044022462487},
}};

// Case 1b: weight w L^3/EI = load in -y. Shooting with tolerance 1e-12; the branch that grows from zero gravity.
inline constexpr std::array<Tip, 4> self_weight{{
    {1, 0.9912463953466374, -0.12347140198335518, -0.16511556050248785, -0.49693339993071334},
    {5, 0.8466571799542789, -0.49590504462236706, -0.6970047775365859, -2.2268925538120796},
    {10, 0.6563537612386315, -0.7001997155142887, -1.0526431171970692, -3.742191110871412},
    {50, 0.24501475632059108, -0.9079171234772707, -1.5264531504268293, -9.528468520582145},
}};

// Case 1c: a tip moment bends the rod into the part `load` of a whole circle. Closed form.
inline Tip tip_moment(double load) {
  const double angle = 2 * math::pi * load;
  return {load, std::sin(angle) / angle, (1 - std::cos(angle)) / angle, angle, angle};
}
inline constexpr std::array<double, 4> tip_moment_parts{0.25, 0.5, 0.75, 1.0};

}  // namespace tendril::reference
