// The cable of the paper's experiments: 10 m, a square section of 0.01 m^2, rubber, nylon, steel.  [Servin 2008, sec. VII-A]
#pragma once

#include "validation/cable/rope.h"

namespace tendril::rope {

struct Material {
  const char* name;
  double young;  // [Pa]
};
inline constexpr Material servin_materials[] = {{"rubber", 2e7}, {"nylon", 2e9}, {"steel", 2e11}};
inline constexpr int servin_segments[] = {3, 6, 12, 24};
inline constexpr double servin_length = 10, servin_area = 0.01, servin_poisson = 0.3;

// Torsion by the constant of a square, 0.140577 a^4.  [ERRATA S9]
inline StiffnessSection servin_section(double young, double line_mass) {
  const double bending = young * servin_area * servin_area / 12,
               torsion = young / (2 * (1 + servin_poisson)) * 0.140577 * servin_area * servin_area;
  return {.EA = young * servin_area,
          .EI1 = bending,
          .EI2 = bending,
          .GJ = torsion,
          .mass_per_length = line_mass,
          .radius = 0.05};
}

}  // namespace tendril::rope
