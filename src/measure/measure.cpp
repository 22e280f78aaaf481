#include "measure/measure.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "model/bodies.h"
#include "model/grips.h"
#include "model/material_point.h"

namespace tendril {

JointEdges edges_at_inner(const RodSpan& rod, int inner) {
  if (!rod.ring) return {EdgeIndex(rod.first_edge + inner), EdgeIndex(rod.first_edge + inner + 1)};
  const int before = inner == 0 ? rod.edges - 1 : inner - 1;
  return {EdgeIndex(rod.first_edge + before), EdgeIndex(rod.first_edge + inner)};
}

JointStrain joint_strain(const Quat& a, const Quat& b, double unwrapped_twist) {
  // With Z the turn by half of the twist about d3, a^-1 b = Z exp(bend) Z has the quaternion
  //   w = cos(bend/2) cos(twist/2),  (x, y) = sin(bend/2) axis,  z = cos(bend/2) sin(twist/2):
  // the sign that fits the unwrapped twist decides between q and -q.
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
void add_end_half(const Model& model, const RestValues& rest, const Law& law, const Frame& frame, NodeIndex node,
                  EdgeIndex edge, Energy& energy) {
  const Section& section = model.section[rest.section[edge]];
  const Vec3 m = frame.orientation[edge].conjugate() * frame.moment[node];
  const double half = 0.5 * rest.length[edge];
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
  // Rest values on the model's own nodes, and as densities, for frames with other nodes.
  rest_.strain.assign(m.rest_twist.size());
  density_.assign(m.rest_twist.size(), Vec3::Zero());
  rest_.twist = m.rest_twist;
  rest_.length = m.rest_length;
  rest_.section.assign(m.rest_length.size());
  for (int e = 0; e < m.rest_length.size(); ++e) rest_.section[EdgeIndex(e)] = EdgeIndex(e);
  for (const RodModel& rod : m.rods)
    for (int i = 0; i < rod.span.inner; ++i) {
      const JointEdges e = edges_at_inner(rod.span, i);
      const InnerNodeIndex j(rod.span.first_inner + i);
      rest_.strain[j] = joint_strain(m.rest_frame[e.before], m.rest_frame[e.after], m.rest_twist[j]);
      density_[j] = Vec3(rest_.strain[j].bend1, rest_.strain[j].bend2, m.rest_twist[j]) /
                    (0.5 * (m.rest_length[e.before] + m.rest_length[e.after]));
    }
  set_masses(m.initial.rods, rest_);
}

void Meter::set_masses(const std::vector<RodSpan>& rods, RestValues& rest) const {
  int nodes = 0;
  for (const RodSpan& rod : rods) nodes += rod.nodes;
  rest.mass.assign(nodes, 0);
  for (const RodSpan& rod : rods)
    for (int k = 0; k < rod.edges; ++k) {
      const EdgeIndex e(rod.first_edge + k);
      // Lumped masses: half of each edge to its two nodes.
      const double half = 0.5 * model_->section[rest.section[e]].line_mass * rest.length[e];
      rest.mass[NodeIndex(rod.first_node + k)] += half;
      rest.mass[edge_end(rod, k)] += half;
    }
}

const RestValues& Meter::rest_of(const Frame& frame) const {
  const Model& m = *model_;
  if (frame.material == m.material) return rest_;
  // Nodes have moved along the rod: rest values are taken where they are now.
  other_.length.resize(frame.orientation.size());
  other_.section.resize(frame.orientation.size());
  other_.strain.resize(frame.twist.size());
  other_.twist.resize(frame.twist.size());
  for (std::size_t r = 0; r < frame.rods.size(); ++r) {
    const RodSpan& rod = frame.rods[r];
    const RodModel& model = m.rods[r];
    // Edges have the section that the model has at their middle.
    for (int k = 0; k < rod.edges; ++k) {
      const EdgeIndex e(rod.first_edge + k);
      other_.length[e] = rest_length_of_edge(frame, rod, k, model.length);
      const double middle = frame.material[NodeIndex(rod.first_node + k)] + 0.5 * other_.length[e];
      other_.section[e] = point_on_nodes(model.span, m.material, model.length, middle).edge;
    }
    // Inner nodes have the rest strain of their half edges.
    for (int i = 0; i < rod.inner; ++i) {
      const JointEdges e = edges_at_inner(rod, i);
      const InnerNodeIndex j(rod.first_inner + i);
      Vec3 strain = Vec3::Zero();
      const double s = frame.material[NodeIndex(rod.first_node + (rod.ring ? i : i + 1))];
      if (model.span.inner > 0 && s >= 0 && s <= model.length) {  // beyond the ends rope from a drum is straight at rest
        const Between at = MaterialPoint(m, m.initial, static_cast<int>(r), s).on_inner();
        strain = (0.5 * (other_.length[e.before] + other_.length[e.after])) *
                 ((1 - at.share) * density_[InnerNodeIndex(model.span.first_inner + at.a)] +
                  at.share * density_[InnerNodeIndex(model.span.first_inner + at.b)]);
      }
      other_.strain[j] = {strain.x(), strain.y()};
      other_.twist[j] = strain.z();
    }
  }
  set_masses(frame.rods, other_);
  return other_;
}

Energy Meter::energy_of_rod(const Frame& frame, const RestValues& rest, int rod_number) const {
  const Model& m = *model_;
  const RodModel& from = m.rods[static_cast<std::size_t>(rod_number)];
  const RodSpan& rod = frame.rods[static_cast<std::size_t>(rod_number)];
  Energy energy;
  // A rope that runs through points stretches; what it bends at sheaves is no strain of its own, and its mass is the sheaves'.
  for (int i = 0; i < rod.inner && !from.reeved; ++i) {
    const JointEdges e = edges_at_inner(rod, i);
    const InnerNodeIndex j(rod.first_inner + i);
    const JointStrain now = joint_strain(frame.orientation[e.before], frame.orientation[e.after], frame.twist[j]);
    const Section &a = m.section[rest.section[e.before]], &b = m.section[rest.section[e.after]];
    const double la = 0.5 * rest.length[e.before], lb = 0.5 * rest.length[e.after];
    // Two half edges in a row under one moment: their compliances add.
    const auto stored = [la, lb, &from](double strain, double stiff_a, double stiff_b) {
      if (!(stiff_a > 0 && stiff_b > 0)) return 0.0;
      const double compliance = la / stiff_a + lb / stiff_b;
      if (from.law.is_linear()) return 0.5 * strain * strain / compliance;
      return energy_of(from.law, (la + lb) / compliance, strain / (la + lb)) * (la + lb);
    };
    energy.bending +=
        stored(now.bend1 - rest.strain[j].bend1, a.EI1, b.EI1) + stored(now.bend2 - rest.strain[j].bend2, a.EI2, b.EI2);
    energy.twisting += stored(frame.twist[j] - rest.twist[j], a.GJ, b.GJ);
  }
  // The half edges at both ends of an open rod.
  if (!rod.ring && rod.edges > 0 && !from.reeved) {
    add_end_half(m, rest, from.law, frame, NodeIndex(rod.first_node), EdgeIndex(rod.first_edge), energy);
    add_end_half(m, rest, from.law, frame, NodeIndex(rod.first_node + rod.nodes - 1),
                 EdgeIndex(rod.first_edge + rod.edges - 1), energy);
  }
  for (int k = 0; k < rod.edges; ++k) {
    const EdgeIndex e(rod.first_edge + k);
    // Stretching and shear of the edges, then motion and height of the nodes.
    double stretch = edge_vector(frame, rod, k).norm() / rest.length[e] - 1;
    if (from.reeved) stretch = std::max(0.0, stretch);  // a fall that is shorter than its rope is slack
    const Section& section = m.section[rest.section[e]];
    energy.stretching += 0.5 * section.EA * stretch * stretch * rest.length[e];  // EA = 0: not given
    if (from.shears) energy.shearing += shearing_energy(section, rest.length[e], frame, e);
  }
  for (int k = 0; k < rod.nodes && !from.reeved; ++k) {
    const NodeIndex n(rod.first_node + k);
    energy.kinetic += 0.5 * rest.mass[n] * frame.velocity[n].squaredNorm();
    energy.gravity -= rest.mass[n] * frame.gravity.dot(frame.position[n]);
  }
  return energy;
}

Energy Meter::energy(const Frame& frame, const RestValues& rest) const {
  Energy sum;
  for (int r = 0; r < static_cast<int>(frame.rods.size()); ++r) {
    const Energy one = energy_of_rod(frame, rest, r);
    sum.kinetic += one.kinetic, sum.bending += one.bending, sum.twisting += one.twisting;
    sum.stretching += one.stretching, sum.gravity += one.gravity, sum.contact += one.contact;
    sum.shearing += one.shearing;
  }
  for (std::size_t i = 0; i < frame.bodies.size(); ++i) {
    sum.kinetic += kinetic_energy(model_->bodies[i], frame.bodies[i]);
    sum.gravity -= model_->bodies[i].mass * frame.gravity.dot(frame.bodies[i].pose.position);
  }
  return sum;
}

void Meter::measure(const Frame& frame, Measures& out) const {
  const Model& m = *model_;
  const RestValues& rest = rest_of(frame);
  out.energy = energy(frame, rest);
  out.length_error = out.penetration = 0;
  out.momentum.setZero(), out.angular_momentum.setZero();
  for (const RodSpan& rod : frame.rods) {
    for (int k = 0; k < rod.edges; ++k) {
      const EdgeIndex e(rod.first_edge + k);
      // Worst change of length.
      const double error = std::abs(edge_vector(frame, rod, k).norm() / rest.length[e] - 1);
      if (!(error <= out.length_error)) out.length_error = error;  // a NaN stays
    }
  }
  for (int i = 0; i < rest.mass.size(); ++i) {
    const NodeIndex n(i);
    // Momentum and angular momentum about the origin: nodes, then bodies with their spin.
    const Vec3 p = rest.mass[n] * frame.velocity[n];
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
    // Deepest overlap, over the radius.
    double radius = 0;
    if (c.edge_a >= 0) radius = std::max(radius, m.section[rest.section[EdgeIndex(c.edge_a)]].radius());
    if (c.edge_b >= 0) radius = std::max(radius, m.section[rest.section[EdgeIndex(c.edge_b)]].radius());
    if (c.gap < 0 && radius > 0) out.penetration = std::max(out.penetration, -c.gap / radius);
  }
  // Probes; names and storage are set up once.
  if (out.probes.size() != m.probes.size()) {
    out.probes.assign(m.probes.size(), {});
    for (std::size_t i = 0; i < m.probes.size(); ++i) out.probes[i].name = m.probes[i].name;
  }
  for (std::size_t i = 0; i < m.probes.size(); ++i) measure_probe(frame, rest, m.probes[i], out.probes[i].value);
}

Measures measure(std::shared_ptr<const Model> model, const Frame& frame) {
  Measures out;
  Meter(std::move(model)).measure(frame, out);
  return out;
}

}  // namespace tendril
