// One rod as a polygon with frames: its rest shape and its shape at the start.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/build/curves.h"
#include "tendril/frame.h"

namespace tendril {

// Nodes lie ON the curve and an edge's rest length is the distance of its nodes, so the discrete rod is consistent with
// itself: its curvatures and lengths belong to the same polygon. The polygon is shorter than the curve by O(h^2), which a
// second-order method does not feel; nodes moved off the curve to keep the arc length would cost the same order and be
// nowhere exact.
struct RodShape {
  bool ring = false;
  bool rest_closed = false;  // a ring whose rest curve is open was bent round and welded at node 0
  int edges = 0;
  // Borders, edges + 1 entries each; for a ring the last one is node 0 again (or, for an open rest curve, the free end that
  // was welded to it).
  std::vector<double> fraction;  // of the rest curve's length
  std::vector<double> material;  // arc length along the polygon [m]
  std::vector<Vec3> rest_point;
  std::vector<Vec3> point;                  // at the start
  std::vector<Vec3> rest_tangent, tangent;  // of the rest and the starting curve themselves, at the nodes
  // Edges.
  std::vector<double> rest_length;
  std::vector<Quat> rest_frame, frame;
  // Nodes 1 .. edges - 1, and node 0 of a ring: unwrapped twist from the edge before to the edge after.
  std::vector<double> rest_twist, twist;  // edges entries; entry 0 is used by rings only
  std::vector<Quat> rest_node_frame;      // edges + 1: see material_frame_at_node
  double first_half_twist = 0,
         last_half_twist = 0;  // of the rest frames between the end nodes and the middles of the end edges
  double added_rate = 0;       // [rad/m] initial twist on top of the rest shape
  double weld_turn = 0;        // [rad] of a ring: what its frames show at node 0 of the turn before the ends were welded

  double length() const { return material.back(); }
  double dual_length(int node) const {  // between the middles of the two edges at an inner node
    const auto k = static_cast<std::size_t>(node), before = k > 0 ? k - 1 : rest_length.size() - 1;
    return 0.5 * (rest_length[before] + rest_length[k]);
  }
};

// Places rod.rest on the given borders and the start shape with it. Problems: coincident neighbours, folded edges, an
// initial curve of another length. `field`: "rod[0]". `ends_held`: clamps hold both ends, so the start shape ends exactly where
// the initial curve does; otherwise its nodes lie on that curve. `reeved`: its nodes are sheaves, at which it may run right back.
Checked<RodShape> shape_rod(const Rod& rod, const std::vector<double>& borders, const std::string& field,
                            bool ends_held = false, bool reeved = false);

// The material frame at a node at the start: where a wall that holds this node has its directions.
//
// The frames of a discrete rod belong to the middles of edges; a wall stands at the node. Its d3 is the curve's own tangent
// there (not the chord of the next edge, which is off by half an edge's turn: that error of O(h) would make the whole rod
// first order). Its d1 is the neighbouring edge's frame, carried onto that tangent, less the twist of the half edge between:
// natural twist and initial twist. At an inner node both neighbours give an answer, apart by the O(h^3) holonomy of the
// detour; the frame is turned half way between them.
Quat material_frame_at_node(const RodShape& shape, int node);
// The same in the rest shape, for shape_rod (which keeps them all in rest_node_frame).
Quat rest_frame_at_node(const RodShape& shape, int node);

}  // namespace tendril
