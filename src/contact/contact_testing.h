// Models made by hand, and brute force, for the tests of this room.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "contact/find_contacts.h"
#include "contact/impact.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

namespace tendril::contact_testing {

struct Line {
  std::vector<Vec3> points;
  double radius = 0.01;
  bool ring = false;
};
inline Model model_of(const std::vector<Line>& lines, double margin = 0.001) {
  Model model;
  for (const Line& line : lines) {
    const int count = static_cast<int>(line.points.size());
    RodSpan span;
    span.first_node = model.material.size(), span.nodes = count;
    span.first_edge = model.rest_length.size(), span.edges = line.ring ? count : count - 1;
    span.ring = line.ring;
    double s = 0;
    for (int k = 0; k < count; ++k) {
      const Vec3 &p = line.points[static_cast<std::size_t>(k)], &q = line.points[static_cast<std::size_t>((k + 1) % count)];
      model.material.push_back(s);
      model.initial.position.push_back(p);
      if (k == count - 1 && !line.ring) break;
      model.rest_length.push_back((q - p).norm());
      s += (q - p).norm();
      Section section;
      section.extent1 = section.extent2 = line.radius;
      model.section.push_back(section);
    }
    model.rods.push_back({"rod" + std::to_string(model.rods.size() + 1), span, s, {}});
  }
  model.initial.rods.clear();
  for (const RodModel& rod : model.rods) model.initial.rods.push_back(rod.span);
  model.contact.enabled = true;
  model.contact.margin = margin;
  return model;
}
inline void add_obstacle(Model& model, RigidShape shape, Pose pose = {}) {
  ObstacleModel o;
  o.name = "obstacle" + std::to_string(model.obstacles.size() + 1);
  o.shape = std::move(shape);
  o.start = pose;
  model.obstacles.push_back(std::move(o));
}
inline shape::Mesh box_mesh(const Vec3& half) {
  shape::Mesh mesh;
  for (int k = 0; k < 8; ++k)
    mesh.vertices.emplace_back(k & 1 ? half.x() : -half.x(), k & 2 ? half.y() : -half.y(), k & 4 ? half.z() : -half.z());
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// Positions of a model that moves.
struct World {
  explicit World(const Model& m) : model(m), geometry(m) {
    nodes.assign(m.initial.position.begin(), m.initial.position.end());
    for (const ObstacleModel& o : m.obstacles) poses.push_back(o.start);
  }
  Model model;
  ContactGeometry geometry;
  std::vector<Vec3> nodes;
  std::vector<Pose> poses;
  ContactWorkspace workspace;
  std::vector<Touch> touches;

  ContactPositions now() const { return {nodes, poses}; }
  // To new positions; the world stays where it is.
  const std::vector<Touch>& find(const std::vector<Vec3>& to, const std::vector<Pose>& poses_to) {
    EXPECT_EQ(find_contacts(geometry, now(), {to, poses_to}, workspace, touches), Found::fine);
    return touches;
  }
  const std::vector<Touch>& find(const std::vector<Vec3>& to) { return find(to, poses); }
  const std::vector<Touch>& find() { return find(nodes, poses); }
  std::vector<Vec3> moved(const Vec3& by) const {
    std::vector<Vec3> to = nodes;
    for (Vec3& p : to) p += by;
    return to;
  }
};

inline std::vector<Vec3> straight(const Vec3& from, const Vec3& to, int edges) {
  std::vector<Vec3> points;
  for (int k = 0; k <= edges; ++k) points.push_back(from + (to - from) * (double(k) / edges));
  return points;
}

inline ClosestPoints<double> closest(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  return closest_points(to_small(a0), to_small(a1), to_small(b0), to_small(b1));
}

}  // namespace tendril::contact_testing
