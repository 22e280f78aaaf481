// Material frames at nodes, for methods whose unknowns stand there: at rest and at the start.
#pragma once

#include <vector>

#include "math/small.h"
#include "model/model.h"

namespace tendril {

// The one screw that carries the rest frame of an edge's first node to that of its second, positions included: it turns by w while it goes
// along t, both in the first frame's axes. Its length |t| is the arc's, not the chord's, and where the rest strain is constant it is exact.
struct RestScrew {
  V3<double> w, t;
};
RestScrew rest_screw(const Model& model, int rod, int edge);  // edge counted from the rod's first

// Half of the unwrapped twist across a node at the start; at the ends, of the nearest inner node.
double start_half_twist(const Model& model, int rod, int node);

// A rod that starts at rest starts exactly so. Otherwise nodes take the frame half way between their edges, walls their own.
std::vector<Quat> start_node_frames(const Model& model, int rod);

}  // namespace tendril
