// From the model to a rod: rest turns, masses, and where it is at the start.
#include <algorithm>

#include "methods/galpha/rod.h"
#include "model/loads.h"
#include "model/node_frames.h"

namespace tendril::galpha {

RodConstants constants_of(const Model& model, int number) {
  const RodModel& from = model.rods[z(number)];
  RodConstants rod;
  rod.number = number, rod.span = from.span, rod.law = from.law, rod.damping = from.damping;
  rod.length = from.length;
  rod.gives = from.stretches || from.shears;
  rod.mass.assign(z(rod.nodes()), 0.0);
  rod.inertia.assign(z(rod.nodes()), Vec3::Zero());
  for (int k = 0; k < rod.edges(); ++k) {
    const EdgeIndex e = rod.edge(k);
    const Section& section = model.section[e];
    const RestScrew screw = rest_screw(model, number, k);
    SegmentRest s;
    s.h = norm(screw.t);
    s.w_rest = to_eigen(screw.w);
    const Quat middle = model.rest_node_frame[rod.node(k)] * exp_quat(Vec3(0.5 * s.w_rest));
    s.rho = middle.conjugate() * (model.rest_position[rod.node(k + 1)] - model.rest_position[rod.node(k)]);
    s.stiffness = Vec3(section.EI1, section.EI2, section.GJ);
    if (from.shears) s.give.x() = s.h / section.GA1, s.give.y() = s.h / section.GA2;
    if (from.stretches) s.give.z() = s.h / section.EA;
    s.damping = from.damping.internal;
    rod.segments.push_back(s);
    // Lumped: half of each edge to its two nodes, with its rotary inertia.
    const double half = 0.5 * model.rest_length[e];
    rod.half_length.push_back(half);
    for (const int i : {k, k + 1}) {
      rod.mass[z(i)] += half * section.line_mass;
      rod.inertia[z(i)] += half * Vec3(section.rotary1, section.rotary2, section.rotary1 + section.rotary2);
    }
    rod.EI = std::max({rod.EI, section.EI1, section.EI2});
    rod.total += 2 * half * section.line_mass;
  }
  const auto here = [number](const auto& load) { return load.rod < 0 || load.rod == number; };
  rod.plain_loads = !depends_on_frame(model, number) && std::none_of(model.drags.begin(), model.drags.end(), here) &&
                    std::none_of(model.winds.begin(), model.winds.end(), here);
  return rod;
}

RodState start_of(const Model& model, const RodConstants& rod) {
  RodState s;
  s.q = start_node_frames(model, rod.number);
  for (Level* level : {&s.place, &s.turn, &s.velocity, &s.spin}) level->resize(rod.nodes());
  for (int i = 0; i < rod.nodes(); ++i) {
    s.r.push_back(model.initial.position[rod.node(i)]);
    s.place.dot[z(i)] = model.initial.velocity[rod.node(i)];
    // Edges have spins at the start; nodes have the mean of theirs.
    const Vec3 mean = 0.5 * (model.initial.spin[rod.edge(std::max(0, i - 1))] +
                             model.initial.spin[rod.edge(std::min(i, rod.edges() - 1))]);
    s.turn.dot[z(i)] = s.q[z(i)].conjugate() * mean;
  }
  s.n.assign(z(rod.edges()), Vec3::Zero());
  const int damped = rod.damping.internal > 0 ? rod.edges() : 0;
  s.strain.resize(damped);
  for (int j = 0; j < damped; ++j) s.w.push_back(turn_between(s.q[z(j)], s.q[z(j + 1)]));
  return s;
}

}  // namespace tendril::galpha
