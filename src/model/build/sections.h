// Cross sections: from shape and material to stiffness and mass, and their change along a rod.
#pragma once

#include <vector>

#include "model/model.h"

namespace tendril {

// J of a solid rectangle: the torque that turns it is G J times the twist rate [Saint-Venant; ERRATA S9].
double rectangle_torsion_constant(double side1, double side2);

double shear_modulus(const Material& material);

// Stiffness and mass of one section. `material` may be null for a section that is given directly.
Section make_section(const CrossSection& shape, const Material* material);

// The section at a fraction of the rod's length. Between two stations of the same kind the sizes (or the given stiffnesses)
// are interpolated linearly: a linear taper keeps its true cubic and quartic stiffness. Between different kinds the
// stiffnesses, masses and extents are. Outside the stations the nearest one counts. Stations stand in rising order.
Section section_at(const std::vector<Station>& stations, double fraction, const Material* material);

}  // namespace tendril
