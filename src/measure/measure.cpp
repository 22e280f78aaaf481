#include "measure/measure.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "model/bodies.h"

namespace tendril {

JointEdges edges_at_inner(const RodSpan& rod, int inner) {
  if (!rod.ring) return {EdgeIndex(rod.first_edge + inner), EdgeIndex(rod.first_edge + inner + 1)};
  const int before = inner == 0 ? rod.edges - 1 : inner - 1;
  return {EdgeIndex(rod.first_edge + before), EdgeIndex(rod.first_edge + inner)};
}

JointStrain joint_strain(const Quat& a, const Quat& b, double unwrapped_twist) {
  // With Z the turn by half of the twist about d3, a^-1 b = Z exp(bend) Z has the quaternion
  //   w = cos(bend/2) cos(twist/2),  (x, y) = sin(bend/2) axis,  z = cos(bend/2) sin(twist/2):
  // the sign that fits the unwrapped twist tells q from -q.
  const Quat q = a.conjugate() * b;
  const double along = q.w() * math::cos(0.5 * unwrapped_twist) + q.z() * math::sin(0.5 * unwrapped_twist);
  const double sign = along < 0 ? -1.0 : 1.0;
  const double sine = math::hypot(q.x(), q.y()), cosine = math::hypot(q.w(), q.z());
  const double scale = sine < 1e-12 ? 2.0 : 2 * math::atan2(sine, cosine) / sine;
  return {sign * scale * q.x(), sign * scale * q.y()};
}

namespace {

NodeIndex edge_end(const RodSpan& rod, int edge) {  // `edge` counts from the rod's first
  return NodeIndex(rod.first_node + (edge + 1 == rod.nodes ? 0 : edge + 1));
}
Vec3 edge_vector(const Frame& frame, const RodSpan& rod, int edge) {
  return frame.position[edge_end(rod, edge)] - frame.position[NodeIndex(rod.first_node + edge)];
}

// Energy of the half edge between the end of an open rod and the middle of its last edge, from the moment there: the joint
// to a wall that stands at the node [ERRATA cross-method 7]; a free end has no moment and so no energy.
void add_end_half(const Model& model, const Law& law, const Frame& frame, NodeIndex node, EdgeIndex edge, Energy& energy) {
  const Section& section = model.section[edge];
  const Vec3 m = frame.orientation[edge].conjugate() * frame.moment[node];
  const double half = 0.5 * model.rest_length[edge];
  const auto stored = [half, &law](double moment, double stiffness) {
    if (!(stiffness > 0)) return 0.0;
    if (law.is_linear()) return 0.5 * moment * moment / stiffness * half;
    return energy_of(law, stiffness, strain_of(law, 1 / stiffness, moment).value) * half;
  };
  energy.bending += stored(m.x(), section.EI1) + stored(m.y(), section.EI2);
  energy.twisting += stored(m.z(), section.GJ);
}

// From the force across the edge: frames have d3 along the edge and do not show how far the section leans.
double shearing_energy(const Section& section, double length, const Frame& frame, EdgeIndex edge) {
  const Vec3 n = frame.orientation[edge].conjugate() * frame.force[edge];
  return 0.5 * length * (n.x() * n.x() / section.GA1 + n.y() * n.y() / section.GA2);
}

}  // namespace

Meter::Meter(std::shared_ptr<const Model> model) : model_(std::move(model)) {
  const Model& m = *model_;
  rest_.assign(m.rest_twist.size());
  node_mass_.assign(m.material.size());
  for (const RodModel& rod : m.rods) {
    for (int i = 0; i < rod.span.inner; ++i) {
      const JointEdges e = edges_at_inner(rod.span, i);
      const InnerNodeIndex j(rod.span.first_inner + i);
      rest_[j] = joint_strain(m.rest_frame[e.before], m.rest_frame[e.after], m.rest_twist[j]);
    }
    for (int k = 0; k < rod.span.edges; ++k) {
      const EdgeIndex e(rod.span.first_edge + k);
      const double half = 0.5 * m.section[e].line_mass * m.rest_length[e];
      node_mass_[NodeIndex(rod.span.first_node + k)] += half;
      node_mass_[edge_end(rod.span, k)] += half;
    }
  }
}

Energy Meter::energy_of_rod(const Frame& frame, int rod_number, double gravity_scale) const {
  const Model& m = *model_;
  const RodModel& from = m.rods[static_cast<std::size_t>(rod_number)];
  const RodSpan& rod = frame.rods[static_cast<std::size_t>(rod_number)];
  Energy energy;
  for (int i = 0; i < rod.inner; ++i) {
    const JointEdges e = edges_at_inner(rod, i);
    const InnerNodeIndex j(rod.first_inner + i);
    const JointStrain now = joint_strain(frame.orientation[e.before], frame.orientation[e.after], frame.twist[j]);
    const Section &a = m.section[e.before], &b = m.section[e.after];
    const double la = 0.5 * m.rest_length[e.before], lb = 0.5 * m.rest_length[e.after];
    // Two half edges in a row under one moment: their compliances add.
    const auto stored = [la, lb, &from](double strain, double stiff_a, double stiff_b) {
      if (!(stiff_a > 0 && stiff_b > 0)) return 0.0;
      const double compliance = la / stiff_a + lb / stiff_b;
      if (from.law.is_linear()) return 0.5 * strain * strain / compliance;
      return energy_of(from.law, (la + lb) / compliance, strain / (la + lb)) * (la + lb);
    };
    energy.bending += stored(now.bend1 - rest_[j].bend1, a.EI1, b.EI1) + stored(now.bend2 - rest_[j].bend2, a.EI2, b.EI2);
    energy.twisting += stored(frame.twist[j] - m.rest_twist[j], a.GJ, b.GJ);
  }
  if (!rod.ring && rod.edges > 0) {
    add_end_half(m, from.law, frame, NodeIndex(rod.first_node), EdgeIndex(rod.first_edge), energy);
    add_end_half(m, from.law, frame, NodeIndex(rod.first_node + rod.nodes - 1), EdgeIndex(rod.first_edge + rod.edges - 1),
                 energy);
  }
  for (int k = 0; k < rod.edges; ++k) {
    const EdgeIndex e(rod.first_edge + k);
    const double stretch = edge_vector(frame, rod, k).norm() / m.rest_length[e] - 1;
    energy.stretching += 0.5 * m.section[e].EA * stretch * stretch * m.rest_length[e];  // EA = 0: not given
    if (from.shears) energy.shearing += shearing_energy(m.section[e], m.rest_length[e], frame, e);
  }
  for (int k = 0; k < rod.nodes; ++k) {
    const NodeIndex n(rod.first_node + k);
    energy.kinetic += 0.5 * node_mass_[n] * frame.velocity[n].squaredNorm();
    energy.gravity -= gravity_scale * node_mass_[n] * m.gravity.dot(frame.position[n]);
  }
  return energy;
}

Energy Meter::energy(const Frame& frame, double gravity_scale) const {
  Energy sum;
  for (int r = 0; r < static_cast<int>(frame.rods.size()); ++r) {
    const Energy one = energy_of_rod(frame, r, gravity_scale);
    sum.kinetic += one.kinetic, sum.bending += one.bending, sum.twisting += one.twisting;
    sum.stretching += one.stretching, sum.gravity += one.gravity, sum.contact += one.contact;
    sum.shearing += one.shearing;
  }
  for (std::size_t i = 0; i < frame.bodies.size(); ++i) {
    sum.kinetic += kinetic_energy(model_->bodies[i], frame.bodies[i]);
    sum.gravity -= gravity_scale * model_->bodies[i].mass * model_->gravity.dot(frame.bodies[i].pose.position);
  }
  return sum;
}

void Meter::measure(const Frame& frame, std::span<const Wrench> reactions, double gravity_scale, Measures& out,
                    std::span<const Grip> grips) const {
  const Model& m = *model_;
  // Rest values belong to the model's nodes; a method that adds or removes nodes needs a Meter that samples the rest curve.
  TENDRIL_REQUIRE(frame.position.size() == m.material.size(), "the frame has other nodes than the model");
  out.energy = energy(frame, gravity_scale);
  out.length_error = out.penetration = 0;
  out.momentum.setZero(), out.angular_momentum.setZero();
  for (const RodSpan& rod : frame.rods) {
    for (int k = 0; k < rod.edges; ++k) {
      const EdgeIndex e(rod.first_edge + k);
      const double error = std::abs(edge_vector(frame, rod, k).norm() / m.rest_length[e] - 1);
      if (!(error <= out.length_error)) out.length_error = error;  // a NaN stays
    }
  }
  for (int i = 0; i < node_mass_.size(); ++i) {
    const NodeIndex n(i);
    const Vec3 p = node_mass_[n] * frame.velocity[n];
    out.momentum += p;
    out.angular_momentum += frame.position[n].cross(p);
  }
  for (std::size_t i = 0; i < frame.bodies.size(); ++i) {
    const BodyState& now = frame.bodies[i];
    const Vec3 p = m.bodies[i].mass * now.motion.linear;
    out.momentum += p;
    out.angular_momentum += now.pose.position.cross(p) + spin_momentum(m.bodies[i], now);
  }
  for (const ContactPoint& c : frame.contacts) {
    double radius = 0;
    if (c.edge_a >= 0) radius = std::max(radius, m.section[EdgeIndex(c.edge_a)].radius());
    if (c.edge_b >= 0) radius = std::max(radius, m.section[EdgeIndex(c.edge_b)].radius());
    if (c.gap < 0 && radius > 0) out.penetration = std::max(out.penetration, -c.gap / radius);
  }
  if (out.probes.size() != m.probes.size()) {
    out.probes.assign(m.probes.size(), {});
    for (std::size_t i = 0; i < m.probes.size(); ++i) out.probes[i].name = m.probes[i].name;
  }
  for (std::size_t i = 0; i < m.probes.size(); ++i)
    measure_probe(frame, reactions, grips, gravity_scale, m.probes[i], out.probes[i].value);
}

Measures measure(std::shared_ptr<const Model> model, const Frame& frame, std::span<const Wrench> reactions,
                 double gravity_scale) {
  Measures out;
  Meter(std::move(model)).measure(frame, reactions, gravity_scale, out);
  return out;
}

}  // namespace tendril
