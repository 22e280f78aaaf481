// Values of a Frame at a material point, and along rods edge by edge: shared by probes and by what is drawn.
#pragma once

#include <span>

#include "measure/measure.h"
#include "model/material_point.h"

namespace tendril {

// Curvature about d1 and d2 and twist [rad/m] at the inner node i, which counts from the rod's first.
Vec3 strain_at_inner(const Frame& frame, const RodSpan& rod, int i, double rod_length);
double tension_of_edge(const Frame& frame, EdgeIndex edge);  // internal force along the tangent [N]

class MeasuredPoint : public MaterialPoint {
 public:
  using MaterialPoint::MaterialPoint;
  Vec3 strain() const;  // curvature about d1 and d2 and twist [rad/m]; a rod of one edge has none
  double tension() const;
  double twist_from_start() const;  // each joint's twist is spread evenly over the half edges on either side [rad]

 private:
  double twist_up_to(double s) const;
};

struct AlongEdge {       // in the middle of an edge
  double curvature = 0;  // size [rad/m]
  double twist = 0;      // [rad/m]
  double tension = 0;    // [N]
  double moment = 0;     // size [N m]
};

// f(EdgeIndex, const AlongEdge&) for every edge of every rod, in order; each joint's strain is computed once. `rod_lengths`:
// of the rods at rest [m].
template <class F>
void for_each_edge(std::span<const double> rod_lengths, const Frame& frame, F&& f) {
  for (std::size_t r = 0; r < frame.rods.size(); ++r) {
    const RodSpan& rod = frame.rods[r];
    const double length = rod_lengths[r];
    // Sizes are averaged, not vectors: the directions turn with a twisted section.
    const auto joint = [&](int i) {
      const Vec3 strain = strain_at_inner(frame, rod, i, length);
      return Vec2(strain.head<2>().norm(), strain.z());
    };
    // The middle of an end edge lies beyond the last joint, on the straight line through the last two.
    const auto beyond = [&](int edge, const Vec2& near, int next_joint, int next_edge) {
      const double half = 0.5 * rest_length_of_edge(frame, rod, edge, length);
      const double gap = rest_length_of_edge(frame, rod, next_edge, length);
      const Vec2 there = gap > 0 ? Vec2(near + half / gap * (near - joint(next_joint))) : near;
      return Vec2(there.x() > 0 ? there.x() : 0.0, there.y());
    };
    Vec2 before = rod.inner > 0 ? joint(0) : Vec2::Zero();
    const Vec2 first = before;
    for (int k = 0; k < rod.edges; ++k) {
      const int after = rod.ring ? k + 1 : k;  // the joint at this edge's end
      const bool last = k + 1 == rod.edges;
      Vec2 strain = before;
      if (rod.ring) {
        const Vec2 next = last ? first : joint(after);
        strain = 0.5 * (before + next);
        before = next;
      } else if (rod.inner > 1) {
        if (k == 0) {
          strain = beyond(0, before, 1, 1);
        } else if (last) {
          strain = beyond(k, before, rod.inner - 2, k - 1);
        } else {
          const Vec2 next = joint(after);
          strain = 0.5 * (before + next);
          before = next;
        }
      }
      const EdgeIndex e(rod.first_edge + k);
      const NodeIndex a(rod.first_node + k), b(rod.first_node + (k + 1 == rod.nodes ? 0 : k + 1));
      f(e, AlongEdge{strain.x(), strain.y(), tension_of_edge(frame, e), 0.5 * (frame.moment[a] + frame.moment[b]).norm()});
    }
  }
}

// f(EdgeIndex, newtons) for every contact of an edge; several contacts of one edge come one by one.
template <class F>
void for_each_contact_force(const Frame& frame, F&& f) {
  for (const ContactPoint& contact : frame.contacts) {
    if (contact.edge_a >= 0) f(EdgeIndex(contact.edge_a), contact.force.norm());
    if (contact.edge_b >= 0) f(EdgeIndex(contact.edge_b), contact.force.norm());
  }
}

}  // namespace tendril
