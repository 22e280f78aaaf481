#include "contact/body_obstacles.h"

#include "contact/shapes.h"
#include "model/bodies.h"

namespace tendril {
namespace {

// Nodes joined to a body, directly or through other rods that are joined in the same place.
std::vector<int> nodes_joined_to(const Model& model, const std::vector<int>& place, int body) {
  std::vector<bool> joined(place.size(), false);
  for (const JointModel& joint : model.joints) {
    if (joint.rod_a >= 0 && joint.body_b == body)
      joined[static_cast<std::size_t>(place[static_cast<std::size_t>(joint.node_a.value)])] = true;
    if (joint.rod_b >= 0 && joint.body_a == body)
      joined[static_cast<std::size_t>(place[static_cast<std::size_t>(joint.node_b.value)])] = true;
  }
  std::vector<int> nodes;
  for (std::size_t n = 0; n < place.size(); ++n)
    if (joined[static_cast<std::size_t>(place[n])]) nodes.push_back(static_cast<int>(n));
  return nodes;
}

double depth_at_start(const Model& model, const ContactGeometry& geometry, const RigidShape& rigid, const Pose& pose,
                      int edge) {
  const auto& [i, j] = geometry.ends(edge);
  const Quat back = pose.orientation.conjugate();
  const Vec3 p = back * (model.initial.position[NodeIndex(i)] - pose.position);
  const Vec3 q = back * (model.initial.position[NodeIndex(j)] - pose.position);
  return std::visit(
      [&](const auto& s) -> double {
        if constexpr (std::is_same_v<std::decay_t<decltype(s)>, shape::Mesh>)
          return 0;  // bodies are no meshes
        else
          return geometry.radius(edge) - nearest_along(s, p, Vec3(q - p)).at.distance;
      },
      rigid);
}

// From the node of a joint along the rod in one direction (0: backwards, 1: forwards).
void exclude_from(const Model& model, ContactGeometry& geometry, int obstacle, const RigidShape& shape, const Pose& pose,
                  int node, int direction) {
  bool inside = true;
  double gone = 0;  // since the rod left the body
  const auto side = static_cast<std::size_t>(direction);
  int left = geometry.edges();  // a ring has no end
  for (int edge = geometry.beside(node)[side]; edge >= 0 && left-- > 0; edge = geometry.beside(node)[side]) {
    inside = inside && depth_at_start(model, geometry, shape, pose, edge) > worth_telling * geometry.radius(edge);
    if (!inside && gone > 0 && gone >= geometry.neighbour_length(edge)) return;
    geometry.exclude(edge, obstacle);
    if (!inside) gone += model.rest_length[EdgeIndex(edge)];
    node = geometry.ends(edge)[side];
  }
}

}  // namespace

std::vector<int> add_bodies(const Model& model, ContactGeometry& geometry) {
  std::vector<int> body_of;
  const std::vector<int> place = joined_nodes(model);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyModel& body = model.bodies[b];
    if (!body.shape || !body.collides) continue;
    const RigidShape shape = rigid_shape(*body.shape);
    const int obstacle = geometry.add_obstacle(shape, body.friction);
    body_of.push_back(static_cast<int>(b));
    for (const int node : nodes_joined_to(model, place, static_cast<int>(b)))
      for (const int direction : {0, 1}) exclude_from(model, geometry, obstacle, shape, body.start.pose, node, direction);
  }
  return body_of;
}

}  // namespace tendril
