#include "run/check_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bodies/body_extents.h"
#include "bodies/model_world.h"
#include "bodies/ode_setup.h"
#include "contact/body_obstacles.h"
#include "contact/find_contacts.h"
#include "model/drive.h"
#include "model/obstacles.h"

namespace tendril {
namespace {

using Size = std::size_t;
constexpr Size max_told = 10;

struct Overlap {
  int edge_a = -1, edge_b = -1;
  double depth = 0;
  int count = 0;
};

int rod_of(const Model& model, int edge) {
  for (Size r = 0; r < model.rods.size(); ++r)
    if (edge < model.rods[r].span.first_edge + model.rods[r].span.edges) return static_cast<int>(r);
  return -1;
}

// A rope that runs through sheaves touches nothing; `number`: of a rod, or beyond them of an obstacle.
bool is_reeved(const Model& model, int number) {
  return number >= 0 && number < static_cast<int>(model.rods.size()) && model.rods[static_cast<Size>(number)].reeved;
}

// A centerline that is deeper in a mesh than its own radius, or goes through its surface: what contacts do not see.
double depth_in_mesh(const MeshGeometry& mesh, const Pose& pose, const Vec3& p0, const Vec3& p1, double radius) {
  const Vec3 a = pose.orientation.inverse() * (p0 - pose.position), b = pose.orientation.inverse() * (p1 - pose.position);
  double depth = std::max(-mesh.nearest(a).distance, -mesh.nearest(b).distance) + radius;
  Bounds box;
  box.include(a), box.include(b);
  mesh.for_each_triangle_in(box, [&](int triangle) {
    if (closest_on_triangle(mesh.corners(triangle), a, b).squared == 0) depth = std::max(depth, radius);
  });
  return depth;
}

std::string name_of_obstacle(const Model& model, const std::vector<int>& body_of, Size obstacle) {
  if (obstacle < model.obstacles.size()) return fmt::format("obstacle `{}`", model.obstacles[obstacle].name);
  return fmt::format("body `{}`", model.bodies[static_cast<Size>(body_of[obstacle - model.obstacles.size()])].name);
}

using Overlaps = std::map<std::pair<int, int>, Overlap>;  // (rod, rod) or (rod, rods + obstacle)

void note(Overlaps& overlaps, int rod, int other, int edge_a, int edge_b, double depth) {
  Overlap& o = overlaps[{rod, other}];
  ++o.count;
  if (depth > o.depth) o = {edge_a, edge_b, depth, o.count};
}

Overlaps find_overlaps(const Model& model, const ContactGeometry& geometry, const ContactPositions& start,
                       std::span<const Touch> touches) {
  Overlaps overlaps;
  const int rods = static_cast<int>(model.rods.size());
  for (const Touch& t : touches) {
    const double thinner = t.edge_b >= 0 ? std::min(t.radius_a, t.radius_b) : t.radius_a;
    if (-t.gap <= worth_telling * thinner) continue;
    const int other = t.edge_b >= 0 ? rod_of(model, t.edge_b) : rods + t.obstacle;
    if (is_reeved(model, rod_of(model, t.edge_a)) || is_reeved(model, other)) continue;
    note(overlaps, rod_of(model, t.edge_a), other, t.edge_a, t.edge_b, -t.gap);
  }
  for (Size o = 0; o < geometry.obstacles().size(); ++o) {
    const ObstacleGeometry& obstacle = geometry.obstacles()[o];
    for (int e = 0; obstacle.mesh && e < geometry.edges(); ++e) {
      const auto& [i, j] = geometry.ends(e);
      const double depth = depth_in_mesh(*obstacle.mesh, start.obstacles[o], start.nodes[static_cast<Size>(i)],
                                         start.nodes[static_cast<Size>(j)], geometry.radius(e));
      if (depth > worth_telling * geometry.radius(e))
        note(overlaps, rod_of(model, e), rods + static_cast<int>(o), e, -1, depth);
    }
  }
  return overlaps;
}

// Bodies in each other and in obstacles that they touch; a body in the ground is told where grounds are placed.
void check_bodies(const Model& model, const Drive& drive, Problems& problems) {
  if (std::none_of(model.bodies.begin(), model.bodies.end(), [](const BodyModel& b) { return b.moves_freely(); })) return;
  ModelCollisions collisions(model);
  std::vector<BodyContact> found;
  collisions.find(drive.bodies, drive.obstacles, found);
  const auto shape_of = [&](int i) {
    const int o = collisions.obstacle_of(i);
    return o < 0 ? model.bodies[static_cast<Size>(i)].shape : body_shape(model.obstacles[static_cast<Size>(o)].shape);
  };
  std::map<std::pair<int, int>, double> depths;  // of each pair the deepest place
  for (const BodyContact& c : found) {
    if (c.b < 0 || -c.gap <= worth_telling * std::min(thinnest_of(*shape_of(c.a)), thinnest_of(*shape_of(c.b)))) continue;
    double& depth = depths[{c.a, c.b}];
    depth = std::max(depth, -c.gap);
  }
  Size told = 0;
  for (const auto& [who, depth] : depths) {
    if (++told > max_told) {
      problems.push_back({Severity::error, "", "body", "and more bodies start inside something", "", ""});
      break;
    }
    const int o = collisions.obstacle_of(who.second);
    const std::string other = o < 0 ? "body `" + model.bodies[static_cast<Size>(who.second)].name + "`"
                                    : "obstacle `" + model.obstacles[static_cast<Size>(o)].name + "`";
    problems.push_back(
        {Severity::error, "", fmt::format("body[{}].position", who.first),
         fmt::format("body `{}` starts {:.3g} m deep in {}", model.bodies[static_cast<Size>(who.first)].name, depth, other),
         "nothing may overlap at the start", "start them apart, join them, or set collides = false"});
  }
}

}  // namespace

Problems check_overlap(const Model& model) {
  Problems problems;
  Drive drive;
  evaluate(model, Live{}, 0, 1, drive);
  try {
    check_bodies(model, drive, problems);
  } catch (const OdeFailure&) {  // sizes that the library cannot work with: the first step says so
  }
  if (!model.contact.enabled) return problems;
  // Rods, obstacles and bodies as they are at time 0.
  ContactGeometry geometry(model);
  const std::vector<int> body_of = add_bodies(model, geometry);
  std::vector<Vec3> nodes(model.initial.position.begin(), model.initial.position.end());
  std::vector<Pose> poses;
  for (const ObstacleNow& o : drive.obstacles) poses.push_back(o.pose);
  for (const int b : body_of) poses.push_back(drive.bodies[static_cast<Size>(b)].pose);
  // The same positions before and after: no motion, so what is found touches or overlaps now.
  const ContactPositions start{nodes, poses};
  ContactWorkspace workspace;
  std::vector<Touch> touches;
  const Found found = find_contacts(geometry, start, start, workspace, touches);
  if (found == Found::too_many)
    problems.push_back({Severity::error, "", "rod", "the rods start in one heap: too many segments touch", "",
                        "start them further apart, or give them a smaller radius"});
  if (found == Found::not_finite)
    problems.push_back({Severity::error, "", "rod", "a position at the start is not finite", "", ""});
  if (found != Found::fine) return problems;
  // One message for each pair of things, with its deepest place; not more than a few.
  const int rods = static_cast<int>(model.rods.size());
  Size told = 0;
  for (const auto& [who, o] : find_overlaps(model, geometry, start, touches)) {
    if (++told > max_told) {
      problems.push_back({Severity::error, "", "rod", "and more rods start inside something", "", ""});
      break;
    }
    // Users count segments from the start of their rod.
    const RodModel& a = model.rods[static_cast<Size>(who.first)];
    const int in_a = o.edge_a - a.span.first_edge;
    std::string what;
    if (who.second >= rods)
      what = fmt::format("segment {} starts {:.3g} m deep in {}", in_a, o.depth,
                         name_of_obstacle(model, body_of, static_cast<Size>(who.second - rods)));
    else
      what = fmt::format(
          "segment {} starts {:.3g} m deep in segment {} of {}", in_a, o.depth,
          o.edge_b - model.rods[static_cast<Size>(who.second)].span.first_edge,
          who.second == who.first ? "the same rod" : "rod `" + model.rods[static_cast<Size>(who.second)].name + "`");
    if (o.count > 1) what += fmt::format(" ({} such places)", o.count);
    problems.push_back(
        {Severity::error, "", fmt::format("rod[{}]", who.first), std::move(what), "nothing may overlap at the start",
         who.second == who.first ? "start it apart, use a thinner section, or a longer contact.neighbour_length"
                                 : "start them apart, or use a thinner section"});
  }
  return problems;
}

}  // namespace tendril
