// The rows of contacts, and how far the material frames give way to them.
#include <algorithm>
#include <cmath>

#include "math/transport.h"
#include "methods/der/contact/contacts.h"
#include "model/bodies.h"

namespace tendril::der {
void Contacts::set_rows(const Chain& c, const BodiesAndJoints* joins, double dt) {
  rows_.resize(touches_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    set_row(c, joins, touches_[i], dt, rows_[i]);
    if (touches_[i].edge_b >= 0) continue;
    // The overlap as it was measured: along the present normal a place that slides over something round seems to come out of
    // it. Of what was not known there is little: rods that start a little inside something.
    const ContactMemoryEntry& memory = memory_.now(i);
    double& least = rows_[i].row[0].least;
    least = memory.age > 0 ? (1 - repair) * std::min(0.0, memory.gap) : std::max(least, -most_unknown * rows_[i].radius);
  }
}

// Which vertices a contact moves, and which frames it turns: at a node those of the edges on both sides, by half.
void Contacts::set_places(const Chain& c, const Touch& touch, double dt, ContactRows& rows) const {
  const auto vertex = [&](int edge, int end) { return c.vertex_of_node[z(geometry_.ends(edge)[z(end)])]; };
  const auto axis = [&](int edge) { return normalized(c.x.get(vertex(edge, 1)) - c.x.get(vertex(edge, 0))); };
  const int edge[2] = {touch.edge_a, touch.edge_b >= 0 ? touch.edge_b : touch.edge_a};
  for (int i = 0; i < 4; ++i) {
    const int v = rows.vertex[i] = vertex(edge[i / 2], i % 2);
    // Mass damping takes its part of every impulse of the step, also of these.
    const double w = c.inverse_mass[z(v)] / (1 + dt * c.mass_damping[z(v)]);
    rows.w[i] = i < 2 || touch.edge_b >= 0 ? w : 0;
  }
  rows.slot[0] = c.slot_of_edge[z(touch.edge_a)];
  rows.axis[0] = rows.axis[1] = axis(touch.edge_a);
  rows.lever[0] = touch.radius_a;
  rows.slot[1] = -1;
  rows.lever[1] = 0;
  const int before = geometry_.beside(geometry_.ends(touch.edge_a)[0])[0];
  const bool between = touch.edge_b < 0 && touch.key.a % 2 == 1 && touch.s == 0 && before >= 0;
  if (touch.edge_b < 0 && !between) return;
  const int other = between ? before : touch.edge_b;
  rows.slot[1] = c.slot_of_edge[z(other)];
  rows.axis[1] = axis(other);
  rows.lever[1] = between ? 0.5 * touch.radius_a : touch.radius_b;
  if (between) rows.lever[0] = rows.lever[1];
}

// The rows of one contact, the first tangent along segment a. The b side has the opposite sign; an obstacle's
// point moves as it moves, a body's as it is moved.
void Contacts::set_row(const Chain& c, const BodiesAndJoints* joins, const Touch& touch, double dt,
                       ContactRows& rows) const {
  set_places(c, touch, dt, rows);
  rows.normal = to_small(touch.normal);
  rows.friction = touch.friction;
  rows.radius = touch.edge_b >= 0 ? std::min(touch.radius_a, touch.radius_b) : touch.radius_a;
  rows.body = touch.obstacle >= obstacles_ ? body_of_[z(touch.obstacle - obstacles_)] : -1;
  rows.local = touch.local;
  const V3<double> n = rows.normal;
  V3<double> along = touch.edge_b >= 0 ? rows.axis[0] : rows.axis[0] + rows.axis[1];
  along = along - dot(along, n) * n;
  const double size = norm(along);
  along = size > 1e-6 ? (1 / size) * along : any_perpendicular(n);
  rows.tangent[0] = along;
  rows.tangent[1] = cross(n, along);

  // Where the surfaces of obstacles and bodies are, before and after.
  V3<double> place{0, 0, 0}, place_before{0, 0, 0};
  if (touch.obstacle >= 0) {
    place = to_small(carried(places_after_[z(touch.obstacle)], touch.local));
    place_before = to_small(carried(places_before_[z(touch.obstacle)], touch.local));
  }
  const double share_b = touch.edge_b >= 0 ? 1 : 0;
  const double share[4] = {1 - touch.s, touch.s, share_b * (touch.t - 1), -share_b * touch.t};
  for (int k = 0; k < 3; ++k) {
    ContactRow& row = rows.row[k];
    const V3<double> d = k == 0 ? n : rows.tangent[k - 1];
    row = {};
    for (int i = 0; i < 4; ++i) row.g[i] = row.h[i] = share[i] * d;
    double before = 0;
    for (int i = 0; i < 4; ++i) {
      row.mobility += rows.w[i] * squared_norm(row.g[i]);
      before += dot(row.g[i], to_small(before_[z(c.node[z(rows.vertex[i])])]));
    }
    if (rows.body >= 0) {
      const BodyModel& body = model_.bodies[z(rows.body)];
      const BodyState& now = joins->bodies()[z(rows.body)];
      const Vec3 push = to_eigen(d), turn = (now.pose.orientation * touch.local).cross(push);
      row.mobility += push.dot(inverse_mass(body) * push) + turn.dot(inverse_inertia(body, now.pose.orientation) * turn);
    }
    if (k == 0) {
      row.offset = -(touch.radius_a + touch.radius_b) - (rows.body >= 0 ? 0 : dot(n, place));
      const double gap_before = before - (touch.radius_a + touch.radius_b) - dot(n, place_before);
      row.least = std::min(0.0, (1 - repair) * gap_before);
    } else {
      row.offset = -before + dot(d, place_before) - (rows.body >= 0 ? 0 : dot(d, place));
    }
  }
  if (touch.edge_b >= 0 && !touch.is_passing()) set_push(c, rows);
}

// Rod against rod: the overlap before the step, and the push along the gradient of the gap there, unless the pair has turned
// by more than a right angle or so.
void Contacts::set_push(const Chain& c, ContactRows& rows) const {
  const auto x = [&](int i) { return to_small(before_[z(c.node[z(rows.vertex[i])])]); };
  const ClosestPoints<double> at = closest_points(x(0), x(1), x(2), x(3));
  const V3<double> apart = (1 - at.s) * x(0) + at.s * x(1) - (1 - at.t) * x(2) - at.t * x(3);
  const V3<double> n = (1 / std::sqrt(at.squared)) * apart;
  const double share[4] = {1 - at.s, at.s, at.t - 1, -at.t};
  ContactRow& row = rows.row[0];
  row.least = std::min(0.0, (1 - repair) * (std::sqrt(at.squared) + row.offset));  // along the normal after it would be less
  double mobility = 0;
  for (int i = 0; i < 4; ++i) mobility += rows.w[i] * share[i] * dot(row.g[i], n);
  if (!(mobility > 0.25 * row.mobility)) return;
  row.mobility = mobility;
  for (int i = 0; i < 4; ++i) row.h[i] = share[i] * n;
}

// How far the material frames give way to friction across the rod. Neighbouring contacts turn each other's frames, so each
// counts with all: the sum over a row of the compliance, of which no entry is negative. The sweeps then do not overshoot.
void Contacts::add_frame_mobility(const Chain& c, AngleWork& angles, double dt) {
  weight_.assign(c.kind.size(), 0);
  for (const ContactRows& rows : rows_) {
    for (int side = 0; side < 2 && rows.friction > 0; ++side)
      if (rows.slot[side] >= 0) weight_[z(rows.slot[side])] += rows.lever[side];
  }
  angle_compliance(c, angles, weight_, compliance_);
  for (ContactRows& rows : rows_) {
    for (int side = 0; side < 2 && rows.friction > 0; ++side) {
      if (rows.slot[side] < 0) continue;
      const V3<double> across = cross(rows.normal, rows.axis[side]);
      const auto s = z(rows.slot[side]);
      for (int k = 1; k < 3; ++k) {
        const double share = dot(across, rows.tangent[k - 1]);
        rows.row[k].frame += share * share * rows.lever[side] * compliance_[s] / (dt * dt);
      }
    }
  }
}

// The frames were in equilibrium with the torques of the last step. Rolling ones go on with their speed, and with the change
// of it that these torques made.
void Contacts::turn_frames(const Chain& c, AngleWork& angles, double dt) {
  if (!has_friction_ || rows_.empty()) return;
  weight_.assign(c.kind.size(), 0);
  for (std::size_t e = 0; e < torque_.size(); ++e) {
    const auto s = z(c.slot_of_edge[e]);
    weight_[s] = angles.inertia[s] * (dt * c.roll_change[s] + angles.towards[s] - c.theta[s]) - torque_[e];
  }
  for (std::size_t i = 0; i < c.walls.size(); ++i) {  // held frames turn, and take their neighbours along
    const Wall &from = walls_before_[i], &to = c.walls[i];
    if (!to.twist) continue;
    const double angle = signed_angle(parallel_transport_normal(from.target_tangent, to.target_tangent, from.target_d1),
                                      to.target_d1, to.target_tangent);
    const auto s = z(to.slot);
    weight_[s - 1] += c.twist_stiffness[s] * angle;
    weight_[s + 1] += c.twist_stiffness[s + 1] * angle;
  }
  sum_torques(dt, weight_);
  angle_compliance(c, angles, weight_, turn_);
  for (ContactRows& rows : rows_) {
    for (int k = 1; k < 3; ++k) {
      ContactRow& row = rows.row[k];
      row.turned = 0;
      row.counted = row.impulse;
      for (int side = 0; side < 2 && rows.friction > 0; ++side) {
        if (rows.slot[side] < 0) continue;
        const auto s = z(rows.slot[side]);
        const double share = dot(cross(rows.normal, rows.axis[side]), rows.tangent[k - 1]);
        row.turned += share * rows.lever[side] * turn_[s];
      }
    }
  }
}

}  // namespace tendril::der
