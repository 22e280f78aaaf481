// The gap of a contact as a function of node positions, with first and second derivatives: places of contact and normal move
// along with the nodes. For methods that take Newton steps; sweeps need the first only, which stands in the rows.
//
//   edge, edge       distance of two segments - radii. Ends of segments are the cases point-segment and point-point: closest points
//                    at an end stay there, those between slide (segment_distance.h)
//   node, obstacle   phi(x) - radius, phi the signed distance to the obstacle
//   edge, obstacle   least phi along the segment - radius; the place of it slides:
//                    gradient  W^T n,   Hessian  W^T H W - c c^T / (u . H u),   c = W^T H u + (dW/ds)^T n
//                    W = [(1-s) 1, s 1], n = grad phi, H = Hess phi, u = x1 - x0. Where u . H u = 0 (flat, or over a kink) the
//                    place stays.
// The Hessian jumps where a nearest point goes from a face to an edge or a corner. Slip has constant directions within a solve:
// its first derivative is the row's g (contact_rows.h), its second is zero.
#pragma once

#include "contact/contact_geometry.h"
#include "contact/segment_distance.h"
#include "contact/touch.h"

namespace tendril {

struct GapSlopes {
  double gap = 0;
  double s = 0, t = 0;                   // places, as they are at these positions
  Vec3 normal = Vec3::UnitZ();           // from b to a
  Vector12 gradient = Vector12::Zero();  // by the nodes (a0, a1, b0, b1); against an obstacle those of b are zero
  // Against an obstacle or body, by its own motion: by a displacement, and by a small turn about its origin (world axes).
  Vec3 by_displacement = Vec3::Zero(), by_turn = Vec3::Zero();
};
struct GapDerivatives : GapSlopes {
  Matrix12 hessian = Matrix12::Zero();
};

GapDerivatives pair_gap(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double radii);
// The same without the Hessian, which is most of the work: what a line search asks for.
GapSlopes pair_slopes(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double radii);
// place: 0 or 1 for a node, which stays there; else the segment's nearest place is taken. `part`: of a mesh, which face, side or
// vertex (ContactKey::part); ignored for other shapes.
enum class TouchPlace : std::uint8_t { first_node, second_node, between };
GapDerivatives obstacle_gap(const ObstacleGeometry& obstacle, std::uint32_t part, const Pose& pose, TouchPlace place,
                            const Vec3& x0, const Vec3& x1, double radius);
// Of a contact that was found; x: its nodes in the order of ContactRows. Not for what is passing.
GapDerivatives gap_derivatives(const ContactGeometry& geometry, const Touch& touch, const Vec3 (&x)[4],
                               const Pose& obstacle);

// Signed distance to a shape in its own axes with first and second derivative by the point.
struct DistanceAtPoint {
  Nearest at;                   // value and gradient
  Mat3 hessian = Mat3::Zero();  // the curvature of the surface at this distance
};
DistanceAtPoint distance_at(const RigidShape& shape, const Vec3& p);  // not of meshes
DistanceAtPoint distance_to_part(const MeshGeometry& mesh, std::uint32_t part, const Vec3& p);

}  // namespace tendril
