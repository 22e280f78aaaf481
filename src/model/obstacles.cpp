#include "model/obstacles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "math/elementary.h"
#include "math/rotation.h"
#include "math/transport.h"

namespace tendril {

namespace {

// The frame whose z axis is `along`; its other axes do not matter.
Quat frame_along(const Vec3& along) {
  const Vec3 z = along.normalized(), x = any_perpendicular(z);
  return quat_from_frame(x, z.cross(x), z);
}

struct InOwnAxes {
  RigidShape shape;
  Pose pose;
};
struct Place {
  InOwnAxes operator()(const HalfSpaceShape& s) const { return {shape::HalfSpace{}, {s.point, frame_along(s.normal)}}; }
  InOwnAxes operator()(const SphereShape& s) const { return {shape::Sphere{s.radius}, {s.center, Quat::Identity()}}; }
  template <class Round>
  static InOwnAxes along(const Vec3& start, const Vec3& end, double radius) {
    const Vec3 axis = end - start;
    const double length = axis.norm();
    return {Round{0.5 * length, radius}, {0.5 * (start + end), length > 0 ? frame_along(axis) : Quat::Identity()}};
  }
  InOwnAxes operator()(const CapsuleShape& s) const { return along<shape::Capsule>(s.start, s.end, s.radius); }
  InOwnAxes operator()(const CylinderShape& s) const { return along<shape::Cylinder>(s.start, s.end, s.radius); }
  InOwnAxes operator()(const BoxShape& s) const {
    const Vec3 x = s.x_axis.normalized(), z = x.cross(s.y_towards).normalized();
    return {shape::Box{0.5 * s.size}, {s.center, quat_from_frame(x, z.cross(x), z)}};
  }
  // About the middle of its bounding box, so that numbers stay small and `pivot` has a sensible default.
  InOwnAxes operator()(const MeshShape& s) const {
    shape::Mesh mesh;
    Vec3 low = Vec3::Constant(forever), high = Vec3::Constant(-forever);
    for (const Vec3& v : s.vertices) low = low.cwiseMin(s.scale * v), high = high.cwiseMax(s.scale * v);
    const Vec3 middle = 0.5 * (low + high);
    for (const Vec3& v : s.vertices) mesh.vertices.push_back(s.scale * v - middle);
    for (std::size_t k = 0; k + 2 < s.triangles.size(); k += 3)
      mesh.triangles.push_back({s.triangles[k], s.triangles[k + 1], s.triangles[k + 2]});
    return {std::move(mesh), {s.position + middle, Quat::Identity()}};
  }
};

}  // namespace

namespace {
struct AsBody {
  std::optional<BodyShape> operator()(const shape::HalfSpace&) const { return std::nullopt; }
  std::optional<BodyShape> operator()(const shape::Sphere& s) const { return SphereBody{s.radius}; }
  std::optional<BodyShape> operator()(const shape::Capsule& s) const { return CapsuleBody{s.radius, 2 * s.half_length}; }
  std::optional<BodyShape> operator()(const shape::Cylinder& s) const { return CylinderBody{s.radius, 2 * s.half_length}; }
  std::optional<BodyShape> operator()(const shape::Box& s) const { return BoxBody{2 * s.half}; }
  std::optional<BodyShape> operator()(const shape::Mesh&) const { return std::nullopt; }
};
// How far a body reaches from its centre against the unit vector n, in its own axes.
struct ReachAlong {
  Vec3 n;
  double operator()(const BoxBody& b) const { return 0.5 * n.cwiseAbs().dot(b.size); }
  double operator()(const SphereBody& s) const { return s.radius; }
  double operator()(const CylinderBody& c) const {
    return 0.5 * c.length * std::abs(n.z()) + c.radius * math::hypot(n.x(), n.y());
  }
  double operator()(const CapsuleBody& c) const { return 0.5 * c.length * std::abs(n.z()) + c.radius; }
};
}  // namespace

std::optional<BodyShape> body_shape(const RigidShape& rigid) { return std::visit(AsBody{}, rigid); }

namespace {
// A body that starts in the ground would be thrown out of it.
void check_start_above(const Model& model, const ObstacleModel& o, const GroundPlane& ground, Problems& problems) {
  constexpr double worth_telling = 0.01;  // of how far it reaches
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyModel& body = model.bodies[b];
    if (!body.shape || !body.collides || !body.moves_freely()) continue;
    const Pose& pose = body.start.pose;
    const double reach = std::visit(ReachAlong{pose.orientation.conjugate() * ground.normal}, *body.shape);
    const double depth = reach - ground.normal.dot(pose.position - ground.point);
    if (depth <= worth_telling * reach) continue;
    problems.push_back({Severity::error, "", "body[" + std::to_string(b) + "].position",
                        fmt::format("body `{}` starts {:.3g} m deep in obstacle `{}`", body.name, depth, o.name),
                        "nothing may overlap at the start", "start it higher"});
  }
}

void place_grounds(Model& model, Problems& problems) {
  const bool wanted = std::any_of(model.bodies.begin(), model.bodies.end(),
                                  [](const BodyModel& b) { return b.moves_freely() && b.collides; });
  if (!wanted) return;
  for (std::size_t i = 0; i < model.obstacles.size(); ++i) {
    const ObstacleModel& o = model.obstacles[i];
    // Half-spaces that stand still become grounds; what the library of bodies cannot touch is warned of.
    const bool flat = std::holds_alternative<shape::HalfSpace>(o.shape);
    if (flat && !o.moves()) {
      model.grounds.push_back({o.start.position, o.start.orientation * Vec3::UnitZ(), o.friction, 1});
      check_start_above(model, o, model.grounds.back(), problems);
    } else if (!body_shape(o.shape)) {
      problems.push_back(
          {Severity::warning, "", "obstacle[" + std::to_string(i) + "]",
           std::string("bodies pass through this obstacle, ") + (flat ? "a half-space that moves" : "a mesh"),
           "bodies touch half-spaces that stand still, spheres, capsules, cylinders and boxes; rods touch all",
           "use boxes and other plain shapes where bodies come near"});
    }
  }
}
}  // namespace

void place_obstacles(const Scene& scene, Model& model, Problems& problems) {
  const Contact& c = scene.contact;
  // Margin by the thinnest rod, unless the scene gives one.
  double smallest = forever;
  for (const Section& s : model.section) smallest = std::min(smallest, s.radius());
  model.contact = {c.enabled, c.self, c.between_rods, c.friction, c.neighbour_length, c.margin.value_or(0.1 * smallest)};
  for (const Obstacle& o : scene.obstacles) {
    // A shape in its own axes and its pose, moved and turned about a pivot.
    InOwnAxes placed = std::visit(Place{}, o.shape);
    ObstacleModel obstacle;
    obstacle.name = o.name;
    obstacle.shape = std::move(placed.shape);
    obstacle.start = placed.pose;
    obstacle.axis = o.axis.normalized();
    obstacle.pivot = o.pivot.value_or(placed.pose.position);
    obstacle.move = o.move, obstacle.turn = o.turn;
    obstacle.friction = o.friction.value_or(c.friction);
    model.obstacles.push_back(std::move(obstacle));
  }
  place_grounds(model, problems);
}

}  // namespace tendril
