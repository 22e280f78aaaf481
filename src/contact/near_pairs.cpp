#include "contact/near_pairs.h"

#include <algorithm>
#include <cmath>

#include "contact/impact.h"
#include "math/elementary.h"

namespace tendril {
namespace {

using Kind = NearPair::Kind;
constexpr std::size_t sized(int i) { return static_cast<std::size_t>(i); }

Bounds turned(const Bounds& box, const Pose& pose) {  // into the axes of the pose
  const Mat3 r = pose.orientation.toRotationMatrix().transpose();
  const Vec3 centre = r * (box.centre() - pose.position), half = r.cwiseAbs() * (0.5 * (box.high - box.low));
  return {centre - half, centre + half};
}

}  // namespace

NearPairs::NearPairs(const Model& model, const ContactGeometry& geometry) : geometry_(geometry) {
  for (const ObstacleGeometry& o : geometry.obstacles()) features_.push_back(features_of(o));
  for (int e = 0; e < geometry.edges(); ++e)
    length_.push_back(model.rest_length[EdgeIndex(e)] * model.rest_length[EdgeIndex(e)]);
}

NearPairs::Features NearPairs::features_of(const ObstacleGeometry& obstacle) const {
  Features f;
  const auto edge = [&f](const Vec3& from, const Vec3& to, double radius) {
    f.edges.push_back({from, to});
    f.edge_radius.push_back(radius);
  };
  if (obstacle.mesh) {
    const MeshGeometry& mesh = *obstacle.mesh;
    for (int i = 0; i < mesh.sides(); ++i) edge(mesh.vertex(mesh.side(i).from), mesh.vertex(mesh.side(i).to), 0);
    return f;
  }
  f.has_surface = true;
  if (const auto* s = std::get_if<shape::Sphere>(&obstacle.shape)) {
    f.points.push_back(Vec3::Zero());
    f.point_radius = s->radius;
    f.has_surface = false;  // the segments say it all
  } else if (const auto* c = std::get_if<shape::Capsule>(&obstacle.shape)) {
    const Vec3 end(0, 0, c->half_length);
    edge(-end, end, c->radius);
    f.points = {-end, end};
    f.point_radius = c->radius;
  } else if (const auto* y = std::get_if<shape::Cylinder>(&obstacle.shape)) {
    const Vec3 end(0, 0, y->half_length - y->radius);
    if (end.z() > 0) edge(-end, end, y->radius);
    for (const double z : {-y->half_length, y->half_length})
      for (int k = 0; k < rim_sides; ++k) {
        const auto corner = [&](int i) {
          const auto [sine, cosine] = math::sincos(math::two_pi * i / rim_sides);
          return Vec3(y->radius * cosine, y->radius * sine, z);
        };
        edge(corner(k), corner(k + 1), 0);
      }
  } else if (const auto* b = std::get_if<shape::Box>(&obstacle.shape)) {
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < 4; ++k) {
        Vec3 from = b->half, to;
        from[(axis + 1) % 3] *= k & 1 ? 1 : -1, from[(axis + 2) % 3] *= k & 2 ? 1 : -1;
        to = from, to[axis] = -to[axis];
        edge(from, to, 0);
      }
  }
  return f;
}

double NearPairs::node_radius(int node) const {
  double radius = 0;
  for (const int e : geometry_.beside(node))
    if (e >= 0) radius = std::max(radius, geometry_.radius(e));
  return radius;
}

Found NearPairs::list(std::span<const Bounds> boxes, std::span<const Pose> from, std::span<const Pose> to, double reach) {
  const int edges = geometry_.edges(), obstacles = static_cast<int>(geometry_.obstacles().size());
  pairs_.clear(), searched_.clear();
  for (int e = 0; e < edges; ++e) {
    if (!boxes[sized(e)].is_finite()) return Found::not_finite;
    searched_.push_back(boxes[sized(e)].padded(geometry_.radius(e) + 0.5 * reach));
  }
  const auto wanted = [&](int a, int b) { return geometry_.may_touch(a, b); };
  if (!grid_.find(searched_, wanted, 1000 + 200 * sized(edges), boxes_)) return Found::too_many;
  for (const auto& [a, b] : boxes_) add_rods(a, b);
  for (int o = 0; o < obstacles; ++o) {
    // Where it is while it moves: one that turns may be anywhere in the ball it sweeps.
    const ObstacleGeometry& shape = geometry_.obstacles()[sized(o)];
    Bounds all;
    for (const auto& poses : {from, to}) {
      const Pose& pose = poses[sized(o)];
      all.include(Bounds{pose.position, pose.position}.padded(shape.reach));
    }
    for (int e = 0; e < edges; ++e) {
      if (geometry_.is_excluded(e, o)) continue;
      if (shape.is_half_space() || overlap(all, searched_[sized(e)].padded(0.5 * reach)))
        add_obstacle(e, o, searched_[sized(e)].padded(0.5 * reach), from, to, reach);
    }
  }
  remove_doubles();
  return Found::fine;
}

void NearPairs::add_rods(int a, int b) {
  const auto& [a0, a1] = geometry_.ends(a);
  const auto& [b0, b1] = geometry_.ends(b);
  NearPair p;
  p.kind = Kind::segments;
  p.node = {a0, a1, b0, b1};
  p.edge_a = a, p.edge_b = b;
  p.radius_a = geometry_.radius(a), p.radii = p.radius_a + geometry_.radius(b);
  p.friction = geometry_.friction();
  p.parallel = length_squared(a) * length_squared(b);
  p.key = ContactKey::between_edges(geometry_.edge_number(a), geometry_.edge_number(b));
  pairs_.push_back(p);
  add_node_segment(a0, a, b), add_node_segment(a1, a, b);
  add_node_segment(b0, b, a), add_node_segment(b1, b, a);
}

// Known by the node and the segment, whichever of the node's edges it was found with.
void NearPairs::add_node_segment(int node, int edge, int segment) {
  NearPair p;
  p.kind = Kind::node_segment;
  p.node = {node, -1, geometry_.ends(segment)[0], geometry_.ends(segment)[1]};
  const auto& [previous, next] = geometry_.beside(node);
  p.edge_a = next >= 0 ? next : previous, p.edge_b = segment;
  std::ignore = edge;
  p.radius_a = node_radius(node), p.radii = p.radius_a + geometry_.radius(segment);
  p.friction = geometry_.friction();
  p.key = ContactKey::between_edges(0, geometry_.edge_number(segment)).with_node(geometry_.node_number(node));
  pairs_.push_back(p);
}

void NearPairs::add_at_obstacle(Kind kind, int edge, int obstacle, int part, std::span<const int> nodes, double radius) {
  NearPair p;
  p.kind = kind;
  std::copy(nodes.begin(), nodes.end(), p.node.begin());
  p.edge_a = edge, p.obstacle = obstacle, p.part = part;
  p.radius_a = radius, p.radii = radius;
  p.friction = geometry_.obstacles()[sized(obstacle)].friction;
  // Parts of one kind have numbers of one remainder, so that keys differ.
  const Features& f = features_[sized(obstacle)];
  const auto number = 2 * static_cast<std::uint32_t>(part) + (kind == Kind::segment_point ? 1u : 0u);
  if (nodes.size() == 1) {
    p.key = ContactKey::node_on_obstacle(geometry_.node_number(nodes[0]), obstacle, number);
  } else {
    p.key = ContactKey::edge_on_obstacle(geometry_.edge_number(edge), obstacle, number);
    if (kind == Kind::segment_point) p.radii += f.point_radius;
    if (kind == Kind::segment_edge) {
      const auto& [from, to] = f.edges[sized(part)];
      p.radii += f.edge_radius[sized(part)];
      p.parallel = length_squared(edge) * (to - from).squaredNorm();
    }
  }
  pairs_.push_back(p);
}

// `box`: where the segment's surface may be, with the reach.
void NearPairs::add_obstacle(int edge, int obstacle, const Bounds& box, std::span<const Pose> from, std::span<const Pose> to,
                             double reach) {
  const Features& f = features_[sized(obstacle)];
  const ObstacleGeometry& shape = geometry_.obstacles()[sized(obstacle)];
  // Seen from the obstacle; what turns is seen anywhere between.
  Bounds seen = turned(box, from[sized(obstacle)]);
  const Bounds later = turned(box, to[sized(obstacle)]);
  const bool moves = from[sized(obstacle)].position != to[sized(obstacle)].position ||
                     from[sized(obstacle)].orientation.coeffs() != to[sized(obstacle)].orientation.coeffs();
  if (moves) {
    const double apart = std::max((later.low - seen.low).norm(), (later.high - seen.high).norm());
    seen.include(later);
    seen = seen.padded(0.5 * apart);
  }
  const auto& ends = geometry_.ends(edge);
  for (const int node : ends) {
    const auto& [previous, next] = geometry_.beside(node);
    const int own = next >= 0 ? next : previous;
    // Nodes go with the first of their edges that is listed; doubles are removed later.
    if (f.has_surface) add_at_obstacle(Kind::node_surface, own, obstacle, 0, std::span(&node, 1), node_radius(node));
  }
  if (shape.is_half_space()) return;
  if (shape.mesh) {
    found_.clear();
    const auto& mesh = *shape.mesh;
    mesh.for_each_triangle_in(seen, [&](int triangle) {
      for (const int node : ends) {
        const auto& [previous, next] = geometry_.beside(node);
        add_at_obstacle(Kind::node_triangle, next >= 0 ? next : previous, obstacle, triangle, std::span(&node, 1),
                        node_radius(node));
      }
      for (const int side : mesh.sides_of(triangle))
        if (mesh.is_ridge(mesh.side(side))) found_.push_back(side);
    });
    for (const int side : found_) add_at_obstacle(Kind::segment_edge, edge, obstacle, side, ends, geometry_.radius(edge));
    return;
  }
  const Bounds around = seen.padded(reach);
  for (std::size_t k = 0; k < f.edges.size(); ++k) {
    Bounds b;
    b.include(f.edges[k][0]), b.include(f.edges[k][1]);
    if (overlap(around, b.padded(f.edge_radius[k])))
      add_at_obstacle(Kind::segment_edge, edge, obstacle, static_cast<int>(k), ends, geometry_.radius(edge));
  }
  for (std::size_t k = 0; k < f.points.size(); ++k)
    if (overlap(around, Bounds{f.points[k], f.points[k]}.padded(f.point_radius)))
      add_at_obstacle(Kind::segment_point, edge, obstacle, static_cast<int>(k), ends, geometry_.radius(edge));
}

void NearPairs::remove_doubles() {
  std::sort(pairs_.begin(), pairs_.end(), [](const NearPair& p, const NearPair& q) { return p.key < q.key; });
  pairs_.erase(
      std::unique(pairs_.begin(), pairs_.end(), [](const NearPair& p, const NearPair& q) { return p.key == q.key; }),
      pairs_.end());
}

}  // namespace tendril
