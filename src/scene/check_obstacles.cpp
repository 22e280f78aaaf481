// Obstacles, their meshes, and contact.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scene/complaints.h"
#include "scene/describe_scene.h"
#include "scene/write_value.h"

namespace tendril {
namespace {

class ObstacleChecker : public Complaints {
 public:
  using Complaints::Complaints;

  void check_obstacle(const Obstacle& o, const std::string& path) {
    check_timetable(o.move, path + ".move");
    check_timetable(o.turn, path + ".turn");
    if (!scene_.contact.enabled && (!bodies_touch(o) || !scene_.rods.empty()))
      add(Severity::warning, path,
          bodies_touch(o) ? "bodies touch it, rods pass through it: contact of rods is off"
                          : "nothing touches it: contact is off",
          {}, "write [contact] enabled = true");
    const std::string inner = path + ".shape." + Choices<ObstacleShape>::list[o.shape.index()].name;
    if (const auto* c = std::get_if<CylinderShape>(&o.shape); c && c->start == c->end)
      error(inner + ".end", "is the same point as `start`", "the cylinder must have a length");
    if (const auto* b = std::get_if<BoxShape>(&o.shape)) {
      if (!(b->size.minCoeff() > 0))
        error(inner + ".size", "got " + scene_detail::value_text(b->size) + " m", "each side must be > 0");
      if (b->x_axis.normalized().cross(b->y_towards.normalized()).norm() < 1e-6)
        error(inner + ".y_towards", "is parallel to `x_axis`", "must point to a side");
    }
    if (const auto* m = std::get_if<MeshShape>(&o.shape)) check_mesh(*m, inner);
  }

  void check_thickness() {
    if (!scene_.contact.enabled) return;
    for (std::size_t i = 0; i < scene_.rods.size(); ++i) {
      const auto thin = [](const CrossSection& s) {
        const auto* given = std::get_if<StiffnessSection>(&s);
        return given && !(given->radius > 0);
      };
      const Rod& r = scene_.rods[i];
      if ((r.section && thin(*r.section)) ||
          std::ranges::any_of(r.sections, [&](const Station& s) { return thin(s.section); }))
        error(fmt::format("rod[{}].section", i), "has no radius, so nothing can touch it", "must be > 0 with contact",
              "give the stiffness section a radius");
    }
  }

 private:
  // Bodies that move and have a shape touch what they can meet, whatever [contact] says; meshes and moving half-spaces they cannot.
  bool bodies_touch(const Obstacle& o) const {
    const bool flat = std::holds_alternative<HalfSpaceShape>(o.shape), moves = !o.move.keys.empty() || !o.turn.keys.empty();
    if (std::holds_alternative<MeshShape>(o.shape) || (flat && moves)) return false;
    return std::ranges::any_of(scene_.bodies, [](const RigidBody& b) {
      return b.shape && (b.kind == BodyKind::dynamic || b.kind == BodyKind::guided);
    });
  }
  void check_mesh(const MeshShape& mesh, const std::string& path);
  bool check_triangles(const MeshShape& mesh, const std::string& path);
  void check_closed(const MeshShape& mesh, const std::string& path);
};

constexpr int max_mesh_complaints = 5;  // of one mesh

void ObstacleChecker::check_mesh(const MeshShape& mesh, const std::string& path) {
  if (!mesh.file.empty())  // the reader replaces the file by what it holds
    return error(path + ".file", "has not been read", {}, "a scene made in code gives vertices and triangles themselves");
  if (mesh.triangles.empty() || mesh.triangles.size() % 3 != 0)
    return error(path + ".triangles", fmt::format("has {} vertex numbers", mesh.triangles.size()),
                 "must be three for each triangle");
  if (static_cast<double>(mesh.triangles.size()) > 3 * max_triangles)
    return error(path + ".triangles", fmt::format("has {} triangles", mesh.triangles.size() / 3),
                 fmt::format("must be at most {:.0f}", max_triangles), "simplify the mesh");
  if (check_triangles(mesh, path)) check_closed(mesh, path);
}

bool ObstacleChecker::check_triangles(const MeshShape& mesh, const std::string& path) {
  int found = 0;
  for (std::size_t k = 0; k < mesh.triangles.size() && found < max_mesh_complaints; k += 3) {
    const auto field = [&](std::size_t i) { return fmt::format("{}.triangles[{}]", path, i); };
    const auto is_vertex = [&](int v) { return v >= 0 && static_cast<std::size_t>(v) < mesh.vertices.size(); };
    bool good = true;
    for (std::size_t i = k; i < k + 3; ++i)
      if (!is_vertex(mesh.triangles[i])) {
        error(field(i), fmt::format("got {}", mesh.triangles[i]),
              fmt::format("there are {} vertices", mesh.vertices.size()));
        good = false, ++found;
      }
    if (!good) continue;
    const auto corner = [&](std::size_t i) { return mesh.vertices[static_cast<std::size_t>(mesh.triangles[k + i])]; };
    const Vec3 u = corner(1) - corner(0), v = corner(2) - corner(0), w = corner(2) - corner(1);
    const double longest = std::max({u.norm(), v.norm(), w.norm()});
    // Height over the longest side. NaN and infinity fail here as well.
    if (!(u.cross(v).norm() > 1e-10 * longest * longest) || !std::isfinite(longest)) {
      error(field(k), fmt::format("triangle {} has no area", k / 3), "its corners must not lie on a line",
            "remove it, or simplify the mesh");
      ++found;
    }
  }
  return found == 0;
}

// Every side of a triangle must be the side of exactly one other one, run through in the opposite direction.
void ObstacleChecker::check_closed(const MeshShape& mesh, const std::string& path) {
  // All sides with their direction, sorted, so that each can be counted by binary search.
  std::vector<std::pair<int, int>> sides;
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
    const std::size_t next = k % 3 == 2 ? k - 2 : k + 1;
    sides.emplace_back(mesh.triangles[k], mesh.triangles[next]);
  }
  std::sort(sides.begin(), sides.end());
  const auto count = [&](int a, int b) {
    const auto [low, high] = std::equal_range(sides.begin(), sides.end(), std::pair(a, b));
    return high - low;
  };
  // Count what is wrong, and remember the first of each kind for the message.
  int open = 0, tangled = 0;
  std::string first_open, first_tangled;
  const auto side_text = [&](int a, int b) {
    return fmt::format("from vertex {} at {} to vertex {} at {}", a,
                       scene_detail::value_text(mesh.vertices[static_cast<std::size_t>(a)]), b,
                       scene_detail::value_text(mesh.vertices[static_cast<std::size_t>(b)]));
  };
  for (const auto& [a, b] : sides) {
    // The same side twice in one direction: three triangles at a side, or two of opposite sense. No side in return: a hole.
    if (count(a, b) > 1 || count(b, a) > 1) {
      if (tangled++ == 0) first_tangled = side_text(a, b);
    } else if (count(b, a) == 0) {
      if (open++ == 0) first_open = side_text(a, b);
    }
  }
  if (open > 0)
    error(path, fmt::format("the mesh has holes: {} open sides, the first {}", open, first_open),
          "must be closed: every side belongs to two triangles", "fill the holes");
  if (tangled > 0)
    error(path,
          fmt::format("{} sides belong to more than two triangles or to two of opposite sense, the first {}", tangled,
                      first_tangled),
          "every side belongs to two triangles of the same sense", "separate the parts, or turn faces to one sense");
}

}  // namespace

Problems check_obstacles(const Scene& scene) {
  ObstacleChecker checker(scene);
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i)
    checker.check_obstacle(scene.obstacles[i], "obstacle[" + std::to_string(i) + "]");
  checker.check_thickness();
  return std::move(checker.problems);
}

}  // namespace tendril
