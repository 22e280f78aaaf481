// One rod of the pose formulation: what does not change, and where it is.
#pragma once

#include <vector>

#include "math/index.h"
#include "methods/galpha/segment.h"
#include "model/model.h"
#include "tendril/state.h"

namespace tendril::galpha {

struct RodConstants {
  int number = 0;
  RodSpan span;
  Law law;
  Damping damping;
  std::vector<SegmentRest> segments;
  std::vector<double> mass;              // by node [kg]
  std::vector<Vec3> inertia;             // by node, about its own axes [kg m^2]
  std::vector<double> half_length;       // by edge: what of it belongs to each of its nodes [m]
  double length = 0, EI = 0, total = 0;  // [m], largest [N m^2], [kg]
  bool gives = false;                    // stretches or shears
  bool plain_loads = true;               // none that depends on place, velocity or frame, hands and couplings apart
  int nodes() const { return span.nodes; }
  int edges() const { return span.edges; }
  NodeIndex node(int i) const { return NodeIndex(span.first_node + i); }
  EdgeIndex edge(int j) const { return EdgeIndex(span.first_edge + j); }
};
RodConstants constants_of(const Model& model, int rod);

// A level of motion: value at the end of the last step (elsewhere), true rate, the scheme's rate.
struct Level {
  std::vector<Vec3> dot, rate;
  void resize(int count) { dot.assign(z(count), Vec3::Zero()), rate = dot; }
  void visit_state(StateArchive& archive) { archive.fixed(dot), archive.fixed(rate); }
};

struct RodState {
  std::vector<Vec3> r, n;   // places of nodes, forces of segments
  std::vector<Quat> q;      // frames of nodes
  Level place, turn;        // velocity; angular velocity in the node's own axes
  Level velocity, spin;     // accelerations
  std::vector<Vec3> w;      // of rods with internal damping: turns of segments,
  Level strain;             // and their rates
  double dt = 0, lead = 0;  // of the last step, and how far its rates are ahead [s]; dt 0: none yet, or something jumped
  void visit_state(StateArchive& archive) {
    archive.fixed(r), archive.fixed(n), archive.fixed(q);
    archive(place, turn, velocity, spin);
    archive.fixed(w), archive(strain, dt, lead);
  }
  Vec3 spin_of(int i) const { return q[z(i)] * turn.dot[z(i)]; }  // angular velocity in the world
};
RodState start_of(const Model& model, const RodConstants& rod);

}  // namespace tendril::galpha
