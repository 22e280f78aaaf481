// From the model to a strand: rest strains, stiffness, and where it lies at the start.
#include <algorithm>
#include <cmath>

#include "methods/strands/strands.h"
#include "model/framing.h"

namespace tendril::strands {
namespace {

// The screw that takes one pose to the other: (w, t) with turn = exp(w), shift = J(w) t.
void screw_between(const Pose& a, const Pose& b, V& w, V& t) {
  const Vec3 turn = log_rotation(Quat(a.orientation.conjugate() * b.orientation));
  const Vec3 shift = a.orientation.conjugate() * (b.position - a.position);
  w = to_small(turn);
  t = to_small(Vec3(left_jacobian_inverse(turn) * shift));
}

// Half of the unwrapped twist across a node at the start; at the ends, of the nearest inner node.
double start_half_twist(const Model& model, int rod, int node) {
  const RodSpan& span = model.rods[z(rod)].span;
  if (span.inner == 0) return 0;
  return 0.5 * model.initial.twist[InnerNodeIndex{span.first_inner + std::clamp(node - 1, 0, span.inner - 1)}];
}

}  // namespace

// Rest strain of this method: the one screw that carries the rest frame of a node to that of the next, positions included.
// Its length is the arc's, not the chord's, and where the rest strain is constant it is exact.
void Strands::build_line(int rod) {
  Line& line = lines_[z(rod)];
  const RodModel& from = model_->rods[z(rod)];
  const RodSpan& span = from.span;
  line.along.assign(1, 0.0);
  for (int k = 0; k < span.edges; ++k) {
    const NodeIndex i{span.first_node + k};
    const EdgeIndex e{span.first_edge + k};
    const Section& section = model_->section[e];
    // The rest screw of the edge, from node frame to node frame.
    Segment s;
    V w, t;
    screw_between({model_->rest_position[i], model_->rest_node_frame[i]},
                  {model_->rest_position[i + 1], model_->rest_node_frame[i + 1]}, w, t);
    // A screw knows its turn up to whole turns; the unwrapped rest twist of the nodes says how many there are.
    const double twist = dot(w, t) / norm(t);  // about the direction of travel; any number of turns
    const double before = k > 0 ? model_->rest_twist[InnerNodeIndex{span.first_inner + k - 1}] : HUGE_VAL;
    const double after = k + 1 < span.edges ? model_->rest_twist[InnerNodeIndex{span.first_inner + k}] : HUGE_VAL;
    const double near =
        before == HUGE_VAL ? (after == HUGE_VAL ? twist : after) : (after == HUGE_VAL ? before : 0.5 * (before + after));
    const double turns = math::round_nearest((near - twist) / math::two_pi);
    if (turns != 0 && norm(w) > 0) {  // a section that turns by more than half a turn in one edge
      const double angle = norm(w), sign = twist < 0 ? -1.0 : 1.0;
      const V wound = ((angle + sign * turns * math::two_pi) / angle) * w;
      const Vec3 shift = left_jacobian(to_eigen(w)) * to_eigen(t);
      t = to_small(Vec3(left_jacobian_inverse(to_eigen(wound)) * shift));
      w = wound;
    }
    // Strains are the screw over its length; compliances from the section.
    s.h = norm(t);
    s.v_rest = (1 / s.h) * t;
    s.u_rest = (1 / s.h) * w;
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

// A rod that starts at rest starts exactly so. Otherwise nodes take the frame half way between their edges, walls their own.
std::vector<State> Strands::initial_states(int rod) const {
  const RodSpan& span = model_->rods[z(rod)].span;
  const Frame& start = model_->initial;
  std::vector<State> states(z(span.nodes));
  // Largest distance from the rest shape, in position and in orientation.
  double away = 0;
  for (int k = 0; k < span.nodes; ++k) {
    const NodeIndex i{span.first_node + k};
    away = std::max(away, (start.position[i] - model_->rest_position[i]).norm());
  }
  for (int k = 0; k < span.edges; ++k) {
    const EdgeIndex e{span.first_edge + k};
    away = std::max(away, model_->rods[z(rod)].length * start.orientation[e].angularDistance(model_->rest_frame[e]));
  }
  const bool at_rest = away < 1e-9 * model_->rods[z(rod)].length;
  for (int k = 0; k < span.nodes; ++k) {
    const NodeIndex i{span.first_node + k};
    State& at = states[z(k)];
    at.r = to_small(start.position[i]);
    at.x = {{0, 0, 0}, {0, 0, 0}};
    const EdgeIndex before{span.first_edge + std::max(0, k - 1)}, after{span.first_edge + std::min(k, span.edges - 1)};
    const Vec3 tangent = (director(start.orientation[before], 2) + director(start.orientation[after], 2)).normalized();
    const double half = k == 0 ? -start_half_twist(*model_, rod, 0) : start_half_twist(*model_, rod, k);
    at.q = to_small(at_rest ? model_->rest_node_frame[i] : turned(carried_onto(start.orientation[before], tangent), half));
  }
  for (const ClampModel& clamp : model_->clamps) {
    if (clamp.rod != rod || !clamp.direction || at_rest) continue;
    states[z(clamp.node.value - span.first_node)].q = to_small(clamp.start.orientation);
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
