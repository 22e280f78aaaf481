// Bodies of a scene with mass and inertia worked out.
#pragma once

#include "model/model.h"

namespace tendril {

int find_body(const Scene& scene, const std::string& name);  // -1: none
RigidShape rigid_shape(const BodyShape& shape);              // in the body's own axes
double volume_of(const BodyShape& shape);                    // [m^3]
Vec3 inertia_of(const BodyShape& shape, double mass);        // about its own axes [kg m^2]
// Inertia in world axes and its inverse as the body's kind allows: what nothing can turn or move has none.
Mat3 world_inertia(const BodyModel& body, const Quat& orientation);
Mat3 inverse_inertia(const BodyModel& body, const Quat& orientation);
Mat3 inverse_mass(const BodyModel& body);
double kinetic_energy(const BodyModel& body, const BodyState& state);  // [J]
Vec3 spin_momentum(const BodyModel& body, const BodyState& state);     // about its centre, world axes [kg m^2/s]
// The angular velocity that belongs to an angular momentum about its centre; of a body that turns freely.
Vec3 spin_of_momentum(const BodyModel& body, const Quat& orientation, const Vec3& momentum);
void place_bodies(const Scene& scene, Model& model, Problems& problems);

}  // namespace tendril
