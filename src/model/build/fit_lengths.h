// A polygon with given edge lengths on a curve: so that an inextensible method starts on its constraint.
#pragma once

#include <vector>

#include "model/build/curves.h"

namespace tendril {

struct FittedPolygon {
  bool fine = false;
  std::vector<Vec3> point;         // edges + 1 borders; closed: the last is the first again
  std::vector<double> arc_length;  // where on the curve each of them belongs
};

// Open: walks along the curve and sets each node ON it, one edge length from the last. The polygon cuts corners, so it may
// end a little (O(h^2)) beyond the curve, which goes on straight there.
FittedPolygon walk_along(const ArcLengthCurve& curve, const std::vector<double>& edge_length);

// Open, ending exactly where the curve ends, so that clamps at both ends stand where the scene says: the walk, moved as little
// as possible. A curve as straight as the edges are long leaves no room and gets the walk itself.
FittedPolygon fit_open(const ArcLengthCurve& curve, const std::vector<double>& edge_length);

// Closed: a walk would not close. Nodes at the given fractions of the curve, scaled about their centre to the right total
// length, then moved as little as possible until every edge has its length (exact at once for a circle with equal edges).
FittedPolygon fit_closed(const ArcLengthCurve& curve, const std::vector<double>& fraction,
                         const std::vector<double>& edge_length);

}  // namespace tendril
