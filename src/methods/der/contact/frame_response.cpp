// The rows of contacts, and how far the material frames give way to them.
#include <algorithm>
#include <cmath>

#include "math/transport.h"
#include "methods/der/contact/contacts.h"

namespace tendril::der {

void Contacts::set_rows(const Chain& c, const BodiesAndJoints* joins, double dt) {
  const std::span<const Touch> touches = watch_.touches();
  rows_.resize(touches.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    // Against obstacles the overlap that may stay is the one that the last step measured.
    set_row(c, joins, touches[i], dt, rows_[i]);
    if (!touches[i].is_between_rods()) bound_by_memory(memory_.now(i), rows_[i]);
  }
}

// Which vertices a contact moves, and which frames it turns: at a node those of the edges on both sides, by half.
void Contacts::set_places(const Chain& c, const Touch& touch, double dt, FramedRows& rows) const {
  const ContactGeometry& geometry = watch_.geometry();
  const auto axis = [&](int edge) {
    const auto& [i, j] = geometry.ends(edge);
    return normalized(c.x.get(c.vertex_of_node[z(j)]) - c.x.get(c.vertex_of_node[z(i)]));
  };
  // Nodes and their inverse masses.
  watch_.set_nodes(touch, rows);
  for (int i = 0; i < 4; ++i) {
    const int v = rows.vertex[i] = c.vertex_of_node[z(rows.node[i])];
    // Mass damping takes its part of every impulse of the step, also of these.
    const double w = c.inverse_mass[z(v)] / (1 + dt * c.mass_damping[z(v)]);
    rows.w[i] = i < 2 || touch.edge_b >= 0 ? w : 0;
  }
  // One frame for a segment against an obstacle; a second one for the other edge of a node, or of the other rod.
  rows.slot[0] = c.slot_of_edge[z(touch.edge_a)];
  rows.axis[0] = rows.axis[1] = axis(touch.edge_a);
  rows.lever[0] = touch.radius_a;
  rows.slot[1] = -1;
  rows.lever[1] = 0;
  const int before = geometry.beside(geometry.ends(touch.edge_a)[0])[0];
  const bool between = touch.edge_b < 0 && touch.key.is_node() && touch.s == 0 && before >= 0;
  if (touch.edge_b < 0 && !between) return;
  const int other = between ? before : touch.edge_b;
  rows.slot[1] = c.slot_of_edge[z(other)];
  rows.axis[1] = axis(other);
  rows.lever[1] = between ? 0.5 * touch.radius_a : touch.radius_b;
  if (between) rows.lever[0] = rows.lever[1];
}

// The rows of one contact, the first tangent along segment a, or along both segments of a node.
void Contacts::set_row(const Chain& c, const BodiesAndJoints* joins, const Touch& touch, double dt, FramedRows& rows) const {
  set_places(c, touch, dt, rows);
  // Basis: normal, first tangent along the rod, second across it.
  rows.body = watch_.body_of(touch.obstacle);
  rows.local = touch.local;
  set_basis(touch, touch.is_between_rods() ? rows.axis[0] : rows.axis[0] + rows.axis[1], rows);
  // Bounds and inverse effective masses, of rod and body together.
  const ContactMotion motion = watch_.motion_of(touch, rows);
  const BodyModel* body = rows.body >= 0 ? &model_.bodies[z(rows.body)] : nullptr;
  tendril::set_rows(touch, motion, body, body ? joins->bodies()[z(rows.body)].pose.orientation : Quat::Identity(), rows);
  if (touch.is_between_rods() && !touch.is_passing()) push_as_before(motion.before, rows);
}

// How far the material frames give way to friction across the rod. Neighbouring contacts turn each other's frames, so each
// counts with all: the sum over a row of the compliance, of which no entry is negative. The sweeps then do not overshoot.
void Contacts::add_frame_compliance(const Chain& c, AngleWork& angles, double dt) {
  weight_.assign(c.kind.size(), 0);
  // Torque on each frame if every contact pushed with one unit of friction.
  for (const FramedRows& rows : rows_) {
    for (int side = 0; side < 2 && rows.friction > 0; ++side)
      if (rows.slot[side] >= 0) weight_[z(rows.slot[side])] += rows.lever[side];
  }
  // How far the frames turn by it, all of them coupled through the twist of the rod.
  angle_compliance(c, angles, weight_, compliance_);
  for (FramedRows& rows : rows_) {
    for (int side = 0; side < 2 && rows.friction > 0; ++side) {
      if (rows.slot[side] < 0) continue;
      // The surface moves across the rod by the lever times that turn; a tangent sees its share of it.
      const V3<double> across = cross(rows.normal, rows.axis[side]);
      const auto s = z(rows.slot[side]);
      for (int k = 1; k < 3; ++k) {
        const double share = dot(across, rows.tangent[k - 1]);
        rows.row[k].frame_compliance += share * share * rows.lever[side] * compliance_[s] / (dt * dt);
      }
    }
  }
}

// The frames were in equilibrium with the torques of the last step. Rolling ones go on with their speed, and with the change
// of it that these torques made.
void Contacts::turn_frames(const Chain& c, AngleWork& angles, double dt) {
  if (!has_friction() || rows_.empty()) return;
  // What turns the frames: their own motion beyond that of the last step's torques,
  weight_.assign(c.kind.size(), 0);
  for (std::size_t e = 0; e < torque_.size(); ++e) {
    const auto s = z(c.slot_of_edge[e]);
    weight_[s] = angles.inertia[s] * (dt * c.roll_change[s] + angles.towards[s] - c.theta[s]) - torque_[e];
  }
  for (std::size_t i = 0; i < c.walls.size(); ++i) {  // walls that turn, and take their neighbours along,
    const Wall &from = walls_before_[i], &to = c.walls[i];
    if (!to.twist) continue;
    const double angle =
        unwrap(signed_angle(parallel_transport_normal(from.target_tangent, to.target_tangent, from.target_d1), to.target_d1,
                            to.target_tangent),
               to.winding - from.winding);
    const auto s = z(to.slot);
    weight_[s - 1] += c.twist_stiffness[s] * angle;
    weight_[s + 1] += c.twist_stiffness[s + 1] * angle;
  }
  // and friction as it is now.
  sum_torques(dt, weight_);
  angle_compliance(c, angles, weight_, turn_);
  // How far the surfaces are carried by it, seen along each contact's tangents.
  for (FramedRows& rows : rows_) {
    for (int k = 1; k < 3; ++k) {
      ContactRow& row = rows.row[k];
      row.frame_slip = 0;
      row.frame_slip_impulse = row.impulse;
      for (int side = 0; side < 2 && rows.friction > 0; ++side) {
        if (rows.slot[side] < 0) continue;
        const auto s = z(rows.slot[side]);
        const double share = dot(cross(rows.normal, rows.axis[side]), rows.tangent[k - 1]);
        row.frame_slip += share * rows.lever[side] * turn_[s];
      }
    }
  }
}

}  // namespace tendril::der
