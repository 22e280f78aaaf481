// Accurate solutions that the experiments compare with, found independently of any simulator. Each names its case in
// docs/references.md; planar rods of length 1 and bending stiffness 1, clamped at the origin along +x.
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

// Case 2: arc of 45 degrees, radius 100, in the plane of x and y, from the origin along +y towards +x; EI = GJ = 1e7/12;
// dead force in +z at the tip. Case 3: helix of radius 1, pitch 0.6, three turns around -z, from (1, 0, 0); EI = 1, GJ =
// 0.8; dead tip force or weight per length in -z. Both inextensible, clamped at the start. Shooting with tolerance 1e-12.
struct SpatialTip {
  double load = 0;    // at the tip [N]
  double weight = 0;  // per length [N/m]
  double x = 0, y = 0, z = 0;
};
inline constexpr std::array<SpatialTip, 2> bend_45{{
    {300.0, 0, 22.245034742067148, 58.779685391202094, 40.18828383798407},
    {600.0, 0, 15.685078162150877, 47.15129440029654, 53.46859844233096},
}};
inline constexpr SpatialTip bend_45_extensible{300, 0, 22.244780945366, 58.779122489679615,
                                               40.19189167015493};  // EA = 1e7, GA = 5e6
inline constexpr std::array<SpatialTip, 4> hanging_helix{{
    {0.02, -0.0, 0.6474568611225309, -0.04303316776690938, -2.543283518706136},
    {0.05, -0.0, 0.3405739480348634, -0.08406058273551398, -3.351573510903792},
    {-0.0, 0.002, 1.0153379934199658, -0.11955988518213351, -2.2388920142303443},
    {-0.0, 0.005, 1.0411692657028162, -0.24668457513203101, -2.8719094504839324},
}};

}  // namespace tendril::reference
