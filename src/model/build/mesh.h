// Where the nodes of a rod stand, as fractions of its length.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/build/curves.h"

namespace tendril {

inline constexpr double same_place = 1e-9;  // fractions of length closer than this are the same place
inline constexpr int default_segments = 50;

struct MeshRequest {
  std::optional<int> segments;  // none: default_segments, or the points of a polyline
  bool ring = false;
  std::vector<double> marks;                     // places that must be nodes: clamps, couplings, point loads, joints
  std::vector<Refinement> refine;                // their ends become nodes too
  std::vector<ArcLengthCurve::Vertex> vertices;  // of a polyline
};

// Edge borders: segments + 1 fractions from 0 to 1; a ring's last border is its node 0 again.
// Between two marks all segments are equal. Each interval starts with one segment, every further one goes to the interval
// whose (weighted) segments are longest, so the total is exactly `segments`. Corners of a polyline are marks when there are
// segments enough, otherwise it is resampled without regard to them.
Checked<std::vector<double>> place_nodes(const MeshRequest& request, const std::string& rod_field);

// The node nearest to a fraction; of a ring, fraction 1 is node 0.
int nearest_node(const std::vector<double>& borders, double fraction, bool ring);

}  // namespace tendril
