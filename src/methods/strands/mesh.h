// The edges of a rod, each cut into parts for the sweeps: one part where that is enough, more where the strand turns or its
// strain changes quickly. A part of an edge with constant rest strain is a shorter edge with the same strain, so cutting
// never changes the rest shape. [Pai 2002, end of sec. 3: adaptive step sizes]
#pragma once

#include "methods/strands/strand.h"

namespace tendril::strands {

struct Mesh {
  std::vector<Segment> edges;  // whole, with their loads
  std::vector<int> parts;      // of each edge

  int node_of(int edge_node) const;  // the strand's node at the beginning of an edge (or the end of the last)
  void fill(Strand& strand) const;   // segments; what else the strand holds is left alone
};

constexpr int max_parts = 64;
constexpr double max_turn = 1.0;  // [rad] of one part

// The error that each segment of a solved strand makes: its screw against the one of a higher order, in radians and parts of
// the whole length. For order 4 the two middle stages of Runge-Kutta, which are one order less: an estimate on the safe
// side.
std::vector<double> local_errors(const Strand& strand, const std::vector<State>& states);

// The parts each edge should have so that every segment's error stays below its share of `tolerance` (0: no limit) and no
// segment turns by more than max_turn.
std::vector<int> wanted_parts(const Mesh& mesh, const Strand& strand, const std::vector<State>& states, double tolerance);

// The same shape on another mesh.
std::vector<State> moved_to(const Mesh& from, const Mesh& to, const std::vector<State>& states);

}  // namespace tendril::strands
