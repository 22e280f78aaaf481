// What leaves the method: frames and saved states.
#include <algorithm>
#include <cmath>

#include "methods/strands/strands.h"
#include "model/check_drive.h"
#include "model/framing.h"

namespace tendril::strands {
namespace {

// Just before a node, from the balance of the segment before it.
State just_before(const Strand& strand, const std::vector<State>& states, int node) {
  State at = states[z(node)];
  if (node == strand.last()) return at;
  const Segment& s = strand.segments[z(node - 1)];
  const State& near = states[z(node - 1)];
  const V f = s.world_force + 0.5 * (into_world(near.q, s.material_force) + into_world(at.q, s.material_force));
  const V force = into_world(near.q, near.x.n) - s.h * f, arm = at.r - near.r;
  const V moment = into_world(near.q, near.x.m) - cross(arm, force) - (0.5 * s.h) * cross(arm, f);
  at.x = {into_material(at.q, moment), into_material(at.q, force)};
  return at;
}

}  // namespace

void Strands::write(Frame& frame) const {
  take_shape(*model_, frame);
  frame.own_energy = {};
  for (int rod = 0; rod < static_cast<int>(lines_.size()); ++rod) write_rod(rod, frame);
  frame.report = report_;
  write_reactions(frame.reactions);
  write_drive(*model_, drive_, frame);
}

void Strands::write_rod(int rod, Frame& frame) const {
  const Line& line = lines_[z(rod)];
  const Strand& strand = line.strand;
  const std::vector<State>& states = line.solver.states();
  const RodSpan& span = model_->rods[z(rod)].span;
  int node = 0;
  std::vector<double> turned_by(z(span.edges), 0.0);  // about d3 along each edge
  for (int k = 0; k <= span.edges; ++k) {
    // Nodes.
    const State& at = states[z(node)];
    frame.position[NodeIndex{span.first_node + k}] = to_eigen(at.r);
    frame.velocity[NodeIndex{span.first_node + k}] = Vec3::Zero();
    frame.moment[NodeIndex{span.first_node + k}] = to_eigen(into_world(at.q, at.x.m));
    if (k == span.edges) break;
    // Edges: the frame at the middle of the edge, carried onto the chord; force as the mean of both ends.
    const int parts = line.mesh.parts[z(k)], middle = node + parts / 2;
    const State &far = states[z(node + parts)], &a = states[z(middle)], &b = states[z(parts % 2 == 0 ? middle : middle + 1)];
    const Quaternion half =
        parts % 2 == 0 ? a.q : a.q * to_small(exp_quat(to_eigen(V(0.5 * log_of(Quaternion(conjugate(a.q) * b.q))))));
    const EdgeIndex e{span.first_edge + k};
    frame.orientation[e] = carried_onto(to_eigen(normalized(half)), (to_eigen(far.r - at.r)).normalized());
    frame.spin[e] = Vec3::Zero();
    frame.force[e] = 0.5 * to_eigen(into_world(at.q, at.x.n) + into_world(far.q, far.x.n));
    for (int p = 0; p < parts; ++p, ++node) {
      const Segment& s = strand.segments[z(node)];
      const State &near = states[z(node)], &next = states[z(node + 1)];
      // Parts of the edge: twist and energies by the trapezoid.
      const Strain<double> u0 = strain_at(s, strand.law, near.x), u1 = strain_at(s, strand.law, next.x);
      turned_by[z(k)] += 0.5 * s.h * (u0.u.z + u1.u.z);
      for (int i = 0; i < 3; ++i) {
        const auto W = [&](const Strain<double>& u) {
          return energy_of(strand.law, 1 / s.compliance[i], u.u[i] - s.u_rest[i]);
        };
        (i < 2 ? frame.own_energy.bending : frame.own_energy.twisting) += 0.5 * s.h * (W(u0) + W(u1));
        (i < 2 ? frame.own_energy.shearing : frame.own_energy.stretching) +=
            0.25 * s.h * s.give[i] * (near.x.n[i] * near.x.n[i] + next.x.n[i] * next.x.n[i]);
      }
      const double mass = s.h * model_->section[e].line_mass;
      frame.own_energy.gravity -= mass * drive_.gravity.dot(to_eigen(V(0.5 * (near.r + next.r))));
    }
  }
  for (int k = 1; k < span.edges; ++k) {
    // Twist at inner nodes, unwrapped by the twist along half of both edges.
    const EdgeIndex e{span.first_edge + k};
    frame.twist[InnerNodeIndex{span.first_inner + k - 1}] =
        twist_between(frame.orientation[e - 1], frame.orientation[e], 0.5 * (turned_by[z(k - 1)] + turned_by[z(k)]));
  }
}

void Strands::write_reactions(std::span<Wrench> at_clamps) const {
  for (std::size_t i = 0; i < model_->clamps.size(); ++i) {
    at_clamps[i] = {};
    const ClampModel& clamp = model_->clamps[i];
    if (!late_.holds(i)) continue;
    const Line& line = lines_[z(clamp.rod)];
    const Strand& strand = line.strand;
    const int node = line.mesh.node_of(clamp.node.value - model_->rods[z(clamp.rod)].span.first_node);
    const std::vector<State>& states = line.solver.states();
    // What the clamp does is what jumps at its node, less the loads there.
    State behind = states[z(node)];
    if (node == strand.last()) behind.x = {{0, 0, 0}, {0, 0, 0}};
    cross_node(strand, node, behind);
    V force = -into_world(behind.q, behind.x.n), moment = -into_world(behind.q, behind.x.m);
    if (node > 0) {
      const State before = just_before(strand, states, node);
      force += into_world(before.q, before.x.n), moment += into_world(before.q, before.x.m);
    }
    if (clamp.position) at_clamps[i].force = to_eigen(force);
    if (clamp.direction) at_clamps[i].moment = to_eigen(moment);
  }
}

// ---- saved states ------------------------------------------------------------------------------------------------------
static void visit_state(StateArchive& archive, State& at) { archive(at.r, at.q, at.x.m, at.x.n); }

static void visit_state(StateArchive& archive, SolverState& s) {
  archive(s.states, s.underway, s.end.r, s.end.q, s.end.x.m, s.end.x.n, s.descending, s.last_way);
}

void Strands::visit_line(int rod, StateArchive& archive) {
  Line& line = lines_[z(rod)];
  // Mesh, holds and the solver's states; the rest is built from them.
  if (!archive.reading()) line.solver.get(saved_);
  archive.fixed(line.mesh.parts);
  archive.fixed(line.held);
  archive(saved_);
  if (!archive.reading()) return;
  for (const int parts : line.mesh.parts) TENDRIL_REQUIRE(parts >= 1 && parts <= max_parts, "the state is damaged");
  line.mesh.fill(line.strand);
  TENDRIL_REQUIRE(saved_.states.size() == z(line.strand.nodes()) && saved_.underway.size() == saved_.states.size(),
                  "the state is damaged");
  set_loads(rod);
  set_holds(rod);
  set_hands(rod);
  line.solver.set(line.strand, saved_);
}

void Strands::visit_state(StateArchive& archive) {
  archive(late_, drive_, report_);
  if (archive.reading()) check_loaded(*model_, drive_);
  for (int rod = 0; rod < static_cast<int>(lines_.size()); ++rod) visit_line(rod, archive);
}

}  // namespace tendril::strands
