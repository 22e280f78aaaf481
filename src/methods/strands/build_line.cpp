// From the model to a strand: rest strains, stiffness, and where it lies at the start.
#include <algorithm>
#include <cmath>

#include "methods/strands/strands.h"
#include "model/framing.h"
#include "model/node_frames.h"

namespace tendril::strands {

// Rest strain of this method: the rest screw of each edge.
void Strands::build_line(int rod) {
  Line& line = lines_[z(rod)];
  const RodModel& from = model_->rods[z(rod)];
  const RodSpan& span = from.span;
  line.along.assign(1, 0.0);
  for (int k = 0; k < span.edges; ++k) {
    const EdgeIndex e{span.first_edge + k};
    const Section& section = model_->section[e];
    // The rest screw of the edge, from node frame to node frame.
    Segment s;
    const RestScrew screw = rest_screw(*model_, rod, k);
    // Strains are the screw over its length; compliances from the section.
    s.h = norm(screw.t);
    s.v_rest = (1 / s.h) * screw.t;
    s.u_rest = (1 / s.h) * screw.w;
    s.compliance = {1 / section.EI1, 1 / section.EI2, 1 / section.GJ};
    if (from.shears) s.give.x = 1 / section.GA1, s.give.y = 1 / section.GA2;
    if (from.stretches) s.give.z = 1 / section.EA;
    line.mesh.edges.push_back(s);
    line.along.push_back(line.along.back() + s.h);
  }
  line.strand.order = settings_.order;
  line.strand.law = from.law;
  line.held.assign(model_->clamps.size(), 0);
}

std::vector<State> Strands::initial_states(int rod) const {
  const RodSpan& span = model_->rods[z(rod)].span;
  const std::vector<Quat> frames = start_node_frames(*model_, rod);
  std::vector<State> states(z(span.nodes));
  for (int k = 0; k < span.nodes; ++k) {
    State& at = states[z(k)];
    at.r = to_small(model_->initial.position[NodeIndex{span.first_node + k}]);
    at.q = to_small(frames[z(k)]);
    at.x = {{0, 0, 0}, {0, 0, 0}};
  }
  return states;
}

// Between two nodes the strand bends evenly and twists by the unwrapped twist of the start, however many turns that is.
// Stress follows from the strain.
std::vector<State> Strands::spread(int rod, const std::vector<State>& at_edges) {
  Line& line = lines_[z(rod)];
  std::vector<State> states;
  line.mesh.parts.clear();
  for (std::size_t e = 0; e < line.mesh.edges.size(); ++e) {
    const State &a = at_edges[e], &b = at_edges[e + 1];
    const int k = static_cast<int>(e);
    // Split the turn from node to node into bending and twist; the twist is unwrapped by that of the start.
    const Quaternion relative = conjugate(a.q) * b.q;
    const double wrapped = 2 * math::atan2(relative.z, relative.w);
    const double twist = unwrap(wrapped, start_half_twist(*model_, rod, k) + start_half_twist(*model_, rod, k + 1));
    const V bend = log_of(Quaternion(relative * to_small(exp_quat(Vec3(0, 0, -wrapped)))));
    // As many parts as keep each below the largest turn.
    const int parts = std::clamp(static_cast<int>(std::ceil((std::abs(twist) + norm(bend)) / max_turn)), 1, max_parts);
    line.mesh.parts.push_back(parts);
    for (int p = 0; p < parts; ++p) {
      // Equal shares of bending and of twist.
      const double t = static_cast<double>(p) / parts;
      State at = a;
      at.r = (1 - t) * a.r + t * b.r;
      at.q = normalized(a.q * to_small(exp_quat(to_eigen(t * bend))) * to_small(exp_quat(Vec3(0, 0, t * twist))));
      states.push_back(at);
    }
  }
  states.push_back(at_edges.back());
  // The segments of these parts, and the moment that belongs to each turn by the law.
  line.mesh.fill(line.strand);
  const Strand& strand = line.strand;
  for (int j = 0; j < strand.last(); ++j) {
    const Segment& s = strand.segments[z(j)];
    const V w = log_of(Quaternion(conjugate(states[z(j)].q) * states[z(j + 1)].q));
    for (int i = 0; i < 3; ++i)
      states[z(j)].x.m[i] = moment_of(strand.law, 1 / s.compliance[i], w[i] / s.h - s.u_rest[i]).value;
  }
  states.back().x = states[z(strand.last() - 1)].x;
  return states;
}

}  // namespace tendril::strands
