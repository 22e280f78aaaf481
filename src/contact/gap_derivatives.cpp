#include "contact/gap_derivatives.h"

#include <cmath>

#include "contact/shapes.h"

namespace tendril {
namespace {

// Of the distance d to a point, a line or a plane: P projects on the directions in which it is measured, n = grad d.
// In the middle of what is round there is none: flat, rather than numbers that are not finite.
Mat3 round_hessian(const Mat3& P, const Vec3& n, double d) {
  return d > 0 ? Mat3((P - n * n.transpose()) / d) : Mat3(Mat3::Zero());
}
Mat3 across_axis() { return Vec3(1, 1, 0).asDiagonal(); }

Mat3 hessian_of(const shape::HalfSpace&, const Vec3&, const Nearest&) { return Mat3::Zero(); }
Mat3 hessian_of(const shape::Sphere& s, const Vec3&, const Nearest& at) {
  return round_hessian(Mat3::Identity(), at.normal, at.distance + s.radius);
}
Mat3 hessian_of(const shape::Capsule& s, const Vec3& p, const Nearest& at) {
  const bool beside = std::abs(p.z()) < s.half_length;  // nearest to the axis, else to its end
  return round_hessian(beside ? across_axis() : Mat3(Mat3::Identity()), at.normal, at.distance + s.radius);
}
// A surface of revolution: the curvature in the plane through the axis, and (d phi/d rho)/rho around it.
Mat3 hessian_of(const shape::Cylinder& s, const Vec3& p, const Nearest& at) {
  const double rho = math::hypot(p.x(), p.y());
  if (rho == 0) return Mat3::Zero();  // over the middle of an end
  const Vec3 side(p.x() / rho, p.y() / rho, 0), around(-side.y(), side.x(), 0);
  Mat3 hessian = (at.normal.dot(side) / rho) * around * around.transpose();
  const bool rim = rho > s.radius && std::abs(p.z()) > s.half_length;
  if (rim) hessian += round_hessian(Mat3::Identity() - around * around.transpose(), at.normal, at.distance);
  return hessian;
}
Mat3 hessian_of(const shape::Box& s, const Vec3& p, const Nearest& at) {
  Vec3 measured = Vec3::Zero();  // outside of a face: that direction; of an edge: two; of a corner: three
  for (int k = 0; k < 3; ++k) measured[k] = std::abs(p[k]) > s.half[k] ? 1 : 0;
  if (measured.sum() < 2) return Mat3::Zero();
  return round_hessian(measured.asDiagonal(), at.normal, at.distance);
}

struct Nearby {  // of a point or a segment, in the obstacle's axes
  double s = 0;
  DistanceAtPoint at;
};

Nearby near_part(const MeshGeometry& mesh, std::uint32_t part, TouchPlace place, const Vec3& p0, const Vec3& p1) {
  const int i = MeshPart::number(part);
  double s = place == TouchPlace::second_node ? 1 : 0;
  // Between nodes only sides and vertices touch.
  if (place == TouchPlace::between && MeshPart::is_side(part)) {
    const MeshGeometry::Side& side = mesh.side(i);
    s = closest_points(to_small(p0), to_small(p1), to_small(mesh.vertex(side.from)), to_small(mesh.vertex(side.to))).s;
  } else if (place == TouchPlace::between && MeshPart::is_vertex(part)) {
    s = closest_place(to_small(mesh.vertex(i)), to_small(p0), to_small(Vec3(p1 - p0)));
  }
  return {s, distance_to_part(mesh, part, p0 + s * (p1 - p0))};
}

Nearby near_shape(const RigidShape& rigid, TouchPlace place, const Vec3& p0, const Vec3& p1) {
  if (place != TouchPlace::between)
    return {place == TouchPlace::second_node ? 1.0 : 0.0, distance_at(rigid, place == TouchPlace::second_node ? p1 : p0)};
  const double s = std::visit(
      [&](const auto& shape) -> double {
        if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, shape::Mesh>)
          return 0;
        else
          return nearest_along(shape, p0, Vec3(p1 - p0)).s;
      },
      rigid);
  return {s, distance_at(rigid, p0 + s * (p1 - p0))};
}

}  // namespace

DistanceAtPoint distance_at(const RigidShape& rigid, const Vec3& p) {
  return std::visit(
      [&](const auto& shape) -> DistanceAtPoint {
        if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, shape::Mesh>) {
          TENDRIL_REQUIRE(false, "a mesh is asked for one of its parts");
          return {};
        } else {
          const Nearest at = nearest(shape, p);
          return {at, hessian_of(shape, p, at)};
        }
      },
      rigid);
}

DistanceAtPoint distance_to_part(const MeshGeometry& mesh, std::uint32_t part, const Vec3& p) {
  const int i = MeshPart::number(part);
  if (MeshPart::is_face(part)) {
    const Vec3& n = mesh.normal(i);
    return {{n.dot(p - mesh.corners(i)[0]), n}, Mat3::Zero()};
  }
  // From a line, or from a point. Inside, the direction out is the opposite one: distance and curvature change their sign.
  const bool side = MeshPart::is_side(part);
  const Vec3& from = mesh.vertex(side ? mesh.side(i).from : i);
  const Vec3 along = side ? Vec3((mesh.vertex(mesh.side(i).to) - from).normalized()) : Vec3(Vec3::Zero());
  const Vec3 apart = (p - from) - along.dot(p - from) * along;
  const double d = apart.norm();
  const Vec3 outward =
      side ? Vec3(mesh.normal(mesh.side(i).triangle[0]) + mesh.normal(mesh.side(i).triangle[1])) : mesh.outward_at_vertex(i);
  const double sign = apart.dot(outward) < 0 ? -1 : 1;
  const Vec3 n = d > 0 ? Vec3(sign * apart / d) : Vec3(outward.normalized());
  return {{sign * d, n}, sign * round_hessian(Mat3::Identity() - along * along.transpose(), n, d)};
}

GapDerivatives pair_gap(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double radii) {
  const DistanceDerivatives d = distance_derivatives(a0, a1, b0, b1);
  GapDerivatives out;
  out.gap = d.distance - radii;
  out.s = d.at.s, out.t = d.at.t;
  if (d.distance > 0) out.normal = to_eigen(d.at.apart) / d.distance;
  out.gradient = d.gradient;
  out.hessian = d.hessian;
  return out;
}

GapSlopes pair_slopes(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double radii) {
  const auto at = closest_points(to_small(a0), to_small(a1), to_small(b0), to_small(b1));
  const double d = math::sqrt(at.squared);
  GapSlopes out;
  out.gap = d - radii;
  out.s = at.s, out.t = at.t;
  if (!(d > 0)) return out;
  out.normal = to_eigen(at.apart) / d;
  const double share[4] = {1 - at.s, at.s, -(1 - at.t), -at.t};
  for (int i = 0; i < 4; ++i) out.gradient.segment<3>(3 * i) = share[i] * out.normal;
  return out;
}

GapDerivatives obstacle_gap(const ObstacleGeometry& obstacle, std::uint32_t part, const Pose& pose, TouchPlace place,
                            const Vec3& x0, const Vec3& x1, double radius) {
  // In the obstacle's own axes: the place, the distance there and its derivatives; back to world axes.
  const Mat3 turn = pose.orientation.toRotationMatrix();
  const Vec3 p0 = turn.transpose() * (x0 - pose.position), p1 = turn.transpose() * (x1 - pose.position);
  const Nearby near =
      obstacle.mesh ? near_part(*obstacle.mesh, part, place, p0, p1) : near_shape(obstacle.shape, place, p0, p1);
  const Vec3 n = turn * near.at.at.normal, u = x1 - x0;
  const Mat3 H = turn * near.at.hessian * turn.transpose();
  GapDerivatives out;
  out.gap = near.at.at.distance - radius;
  out.s = near.s;
  out.normal = n;
  // At a fixed place.
  const double share[2] = {1 - near.s, near.s};
  for (int i = 0; i < 2; ++i) {
    out.gradient.segment<3>(3 * i) = share[i] * n;
    for (int j = 0; j < 2; ++j) out.hessian.block<3, 3>(3 * i, 3 * j) = share[i] * share[j] * H;
  }
  // The place slides along the segment.
  const Vec3 Hu = H * u;
  const double stiffness = u.dot(Hu);  // < 0 inside of a mesh's side or vertex, where the place is that of the largest phi
  if (place == TouchPlace::between && near.s > 0 && near.s < 1 && std::abs(stiffness) > 1e-12 * u.squaredNorm() * H.norm()) {
    Eigen::Matrix<double, 6, 1> c;
    c.head<3>() = share[0] * Hu - n;
    c.tail<3>() = share[1] * Hu + n;
    out.hessian.topLeftCorner<6, 6>() -= c * c.transpose() / stiffness;
  }
  // The obstacle's surface point moves with it, against the normal: - n . (dx + dphi x lever).
  const Vec3 lever = (1 - near.s) * x0 + near.s * x1 - near.at.at.distance * n - pose.position;
  out.by_displacement = -n;
  out.by_turn = -lever.cross(n);
  return out;
}

GapDerivatives gap_derivatives(const ContactGeometry& geometry, const Touch& touch, const Vec3 (&x)[4],
                               const Pose& obstacle) {
  if (touch.is_between_rods()) return pair_gap(x[0], x[1], x[2], x[3], touch.radius_a + touch.radius_b);
  const TouchPlace place = touch.key.is_edge() ? TouchPlace::between
                           : touch.s == 0      ? TouchPlace::first_node
                                               : TouchPlace::second_node;
  return obstacle_gap(geometry.obstacles()[static_cast<std::size_t>(touch.obstacle)], touch.key.part, obstacle, place, x[0],
                      x[1], touch.radius_a);
}

}  // namespace tendril
