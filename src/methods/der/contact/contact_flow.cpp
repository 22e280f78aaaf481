// The energy that goes through contacts in a step.
#include "methods/der/contact/contacts.h"

namespace tendril::der {

// Row by row: the impulse p/dt along h works on the nodes with their mean velocities in the step, see energy_flow.h; the surface touched
// gets the opposite. What an impulse gives to one side and not to the other comes from a surface that is driven, or is gone.
void Contacts::add_flow(const Chain& c, const Array3& before, const BodiesAndJoints* joins,
                        std::span<const BodyState> bodies_before, double dt, EnergyFlow& flow) const {
  const std::span<const Touch> touches = watch_.touches();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const FramedRows& rows = rows_[i];
    if (rows.row[0].impulse == 0 && rows.row[1].impulse == 0 && rows.row[2].impulse == 0) continue;
    Vec3 surface = Vec3::Zero();  // its velocity at the contact
    if (rows.body >= 0) {
      for (const BodyState& body : {bodies_before[z(rows.body)], joins->bodies()[z(rows.body)]})
        surface += 0.5 * (body.motion.linear + body.motion.angular.cross(body.pose.orientation * rows.local));
    } else if (!touches[i].is_between_rods()) {
      const ContactMotion motion = watch_.motion_of(touches[i], rows);
      surface = to_eigen((1 / dt) * (motion.surface_after - motion.surface_before));
    }
    for (int k = 0; k < 3; ++k) {
      const ContactRow& row = rows.row[k];
      if (row.impulse == 0) continue;
      double velocity = 0;
      for (int n = 0; n < 4; ++n) {
        const int v = rows.vertex[n];
        if (rows.share[n] != 0) velocity += 0.5 * dot(row.h[n], before.get(v) + c.v.get(v));
      }
      const double given = row.impulse / dt * velocity;
      const double from_surface = row.impulse / dt * surface.dot(to_eigen(rows.direction(k)));
      if (rows.body < 0)
        flow.obstacles += from_surface;
      else if (!model_.bodies[z(rows.body)].moves_freely())
        flow.bodies += from_surface;
      (k == 0 ? flow.impacts : flow.friction) += from_surface - given;
    }
  }
}

}  // namespace tendril::der
