// A contact as three rows over the nodes it moves: one along its normal, two along its tangents. Pure: numbers in, numbers
// out.
//
//   c_k = sum_i g_i . x_i + offset       normal: the gap; tangents: how far the surfaces slide on each other in this step
//   x_i += w_i h_i p_k                   what an impulse does (p: impulse times dt [kg m], w: inverse mass)
//
// i runs over up to four nodes: the ends of a's segment with shares 1 - s, s, and of b's with -(1 - t), -t; where b is an
// obstacle its shares are zero and its touching point is part of the offset. A body's point is not: it moves with the body.
//   g_i = share_i d,  d the normal or a tangent, at the places and directions of the touch
//   h_i = g_i, but see push_as_before
// Shares and directions stay what they are until contacts are looked for again: g is the exact derivative of c then. It is
// also the exact first derivative of the true gap, whose places and normal move with the nodes (gap_derivatives.h has the
// second).
//
// What a method may do with rows: solve them by sweeps (contact_sweeps.h), make an active set or a matrix of them, or take
// the geometry and leave the rest.
#pragma once

#include <algorithm>
#include <cmath>

#include "contact/segment_distance.h"
#include "contact/touch.h"
#include "math/small.h"
#include "math/transport.h"
#include "model/bodies.h"

namespace tendril {

constexpr double overlap_repair_per_step =
    0.2;  // [1] of an overlap that should not be: given back in one step (Baumgarte stabilisation)
constexpr double unseen_overlap = 0.01;  // [1] of the radius: overlap of a contact that no step before has seen

struct ContactRow {
  V3<double> g[4], h[4];              // per node: gradient, direction of the push
  double offset = 0;                  // of c
  double inverse_effective_mass = 0;  // sum of w g . h, and of a body [1/kg]
  double frame_compliance = 0;        // likewise of what follows the impulse at once, without inertia; 0: nothing does
  double lower_bound = 0;             // normal: c >= this
  double impulse = 0;                 // p [kg m]: force times dt^2
  // of the sweeps
  double impulse_before_sweep = 0;
  double search_direction = 0;    // of the nonsmooth conjugate gradients
  double frame_slip = 0;          // tangents: slip added by what follows at once, under all impulses ...
  double frame_slip_impulse = 0;  // ... of which this was the row's own
};

struct ContactRows {
  int node[4] = {-1, -1, -1, -1};  // flat; of a, of b. Against an obstacle those of a once more, with share 0
  double w[4] = {0, 0, 0, 0};      // inverse masses [1/kg], 0 where b is an obstacle
  double share[4] = {0, 0, 0, 0};
  V3<double> normal{0, 0, 1}, tangent[2];  // right-handed; the first tangent is along a rod
  ContactRow row[3];                       // normal, along, across
  double friction = 0;
  double radius = 0;          // [m] the smaller one
  int body = -1;              // that is touched
  Vec3 local = Vec3::Zero();  // where on it, in its own axes

  const V3<double>& direction(int k) const { return k == 0 ? normal : tangent[k - 1]; }
  V3<double> tangential_impulse() const { return row[1].impulse * tangent[0] + row[2].impulse * tangent[1]; }
};

inline Vec3 point_on(const Pose& pose, const Vec3& local) { return pose.position + pose.orientation * local; }

// Where the nodes and the touching point of an obstacle or body are before and after the step.
struct ContactMotion {
  V3<double> before[4];
  V3<double> surface_before{0, 0, 0}, surface_after{0, 0, 0};
};

// Places of the touch: shares, normal, and tangents of which the first is as near to `along` as can be.
inline void set_basis(const Touch& touch, V3<double> along, ContactRows& rows) {
  const double share_b = touch.edge_b >= 0 ? 1 : 0;
  const double share[4] = {1 - touch.s, touch.s, share_b * (touch.t - 1), -share_b * touch.t};
  std::copy_n(share, 4, rows.share);
  rows.normal = to_small(touch.normal);
  const V3<double> n = rows.normal;
  along = along - dot(along, n) * n;
  const double size = norm(along);
  along = size > 1e-6 ? (1 / size) * along : any_perpendicular(n);
  rows.tangent[0] = along;
  rows.tangent[1] = cross(n, along);
  rows.friction = touch.friction;
  rows.radius = touch.edge_b >= 0 ? std::min(touch.radius_a, touch.radius_b) : touch.radius_a;
}

// A body's part of the inverse effective mass: it gives way along d, and turns by the moment about its centre.
inline double body_mobility(const BodyModel& body, const Quat& orientation, const Vec3& local, const Vec3& d) {
  const Vec3 turn = (orientation * local).cross(d);
  return d.dot(inverse_mass(body) * d) + turn.dot(inverse_inertia(body, orientation) * turn);
}

// The three rows, without impulses. Basis, masses, body and local are set; `body` and `orientation` of the body, if there is
// one.
inline void set_rows(const Touch& touch, const ContactMotion& motion, const BodyModel* body, const Quat& orientation,
                     ContactRows& rows) {
  const double radii = touch.radius_a + touch.radius_b;
  for (int k = 0; k < 3; ++k) {
    ContactRow& row = rows.row[k];
    const V3<double> d = rows.direction(k);
    row = {};
    for (int i = 0; i < 4; ++i) row.g[i] = row.h[i] = rows.share[i] * d;
    double before = 0;  // sum g . x at the start of the step
    for (int i = 0; i < 4; ++i) {
      row.inverse_effective_mass += rows.w[i] * squared_norm(row.g[i]);
      before += dot(row.g[i], motion.before[i]);
    }
    if (body != nullptr) row.inverse_effective_mass += body_mobility(*body, orientation, rows.local, to_eigen(d));
    const double surface = body != nullptr ? 0 : dot(d, motion.surface_after);
    if (k == 0) {
      row.offset = -radii - surface;
      const double gap_before = before - radii - dot(d, motion.surface_before);
      row.lower_bound = std::min(0.0, (1 - overlap_repair_per_step) * gap_before);
    } else {
      row.offset = -before + dot(d, motion.surface_before) - surface;
    }
  }
}

// Rod against rod: the overlap before the step, and the push along the gradient of the gap there, unless the pair has turned
// by more than a right angle or so. A push along the gradient after the step would give a compressed contact energy:
// sideways motion grows at the rate dt N/(m d), N the force, d the distance.
inline void push_as_before(const V3<double> (&before)[4], ContactRows& rows) {
  const ClosestPoints<double> at = closest_points(before[0], before[1], before[2], before[3]);
  const V3<double> apart = (1 - at.s) * before[0] + at.s * before[1] - (1 - at.t) * before[2] - at.t * before[3];
  const V3<double> n = (1 / std::sqrt(at.squared)) * apart;
  const double share[4] = {1 - at.s, at.s, at.t - 1, -at.t};
  ContactRow& row = rows.row[0];
  // The overlap along the normal after the step would be less.
  row.lower_bound = std::min(0.0, (1 - overlap_repair_per_step) * (std::sqrt(at.squared) + row.offset));
  double inverse_mass = 0;
  for (int i = 0; i < 4; ++i) inverse_mass += rows.w[i] * share[i] * dot(row.g[i], n);
  if (!(inverse_mass > 0.25 * row.inverse_effective_mass)) return;
  row.inverse_effective_mass = inverse_mass;
  for (int i = 0; i < 4; ++i) row.h[i] = share[i] * n;
}

// c of row k, where node i of the contact is at position(i); `body`: the pose of the body, if it touches one.
template <class PositionOf>
double row_value(const ContactRows& rows, int k, const PositionOf& position, const Pose* body) {
  const ContactRow& row = rows.row[k];
  double sum = row.offset;
  for (int i = 0; i < 4; ++i) sum += dot(row.g[i], position(i));
  if (body != nullptr) sum -= to_eigen(rows.direction(k)).dot(point_on(*body, rows.local));
  return sum;
}

}  // namespace tendril
