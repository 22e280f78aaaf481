// A material point of a rod in a Frame: found by its arc length in the rest rod among the frame's own nodes and edges, whatever
// nodes the Model has. Who asks where a point of a rod is, asks here.
#pragma once

#include "model/model.h"
#include "tendril/frame.h"

namespace tendril {

// Arc length in the rest rod of edge k, which counts from the rod's first; by the frame's own nodes.
double rest_length_of_edge(const Frame& frame, const RodSpan& rod, int k, double rod_length);

// Material coordinates that a rod can ever have: beyond its ends lies what is stored on the drums there.
struct MaterialRange {
  double from = 0, to = 0;  // [m]
};
MaterialRange material_range(const Model& model, int rod);

// A place between two samples: value = (1 - share) a + share b. The share may leave [0, 1] by half a segment: values that
// sit on edges or inner nodes are carried on to the end of the rod in a straight line, which keeps them second order there.
struct Between {
  int a = 0, b = 0;  // counted from the rod's first
  double share = 0;
};

class MaterialPoint {  // of one rod of a frame; `s`: arc length in the rest rod [m]; around a ring it goes on
 public:
  MaterialPoint(const Frame& frame, int rod, double rod_length, double s);
  MaterialPoint(const Model& model, const Frame& frame, int rod, double s);
  Between on_nodes() const;  // beyond the ends of an open rod: the end
  Between on_edges() const;
  Between on_inner() const;
  Vec3 at_nodes(const OnNodes<Vec3>& v) const;
  Vec3 at_edges(const OnEdges<Vec3>& v) const;
  Quat orientation() const;

 protected:
  double node_s(int i) const { return frame_.material[NodeIndex(span_.first_node + i)]; }
  double edge_s(int k) const { return node_s(k) + 0.5 * rest_length_of_edge(frame_, span_, k, length_); }
  const Frame& frame_;
  const RodSpan span_;
  double s_, length_, period_;
};

}  // namespace tendril
