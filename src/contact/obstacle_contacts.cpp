// Rods against obstacles, in the obstacle's own axes.
#include <algorithm>
#include <cmath>

#include "contact/contact_search.h"
#include "contact/shapes.h"

namespace tendril {

using Size = std::size_t;

void ContactSearch::meet_obstacles() {
  const auto& list = work_.at_obstacles_;
  Size at = 0;
  for (int o = 0; o < static_cast<int>(geometry_.obstacles().size()); ++o) {
    work_.group_.clear();
    if (geometry_.obstacles()[static_cast<Size>(o)].is_half_space())
      for (int e = 0; e < geometry_.edges(); ++e) work_.group_.push_back(e);
    for (; at < list.size() && list[at].first == o; ++at) work_.group_.push_back(list[at].second);
    if (!work_.group_.empty()) meet_obstacle(o);
    for (const int e : work_.group_) work_.note_[static_cast<Size>(e)] = {};
  }
}

void ContactSearch::meet_obstacle(int obstacle) {
  const Pose &from = before_.obstacles[static_cast<Size>(obstacle)], &to = after_.obstacles[static_cast<Size>(obstacle)];
  const Frames frames{from.orientation.toRotationMatrix(), to.orientation.toRotationMatrix(), from.position, to.position};
  const ObstacleGeometry& o = geometry_.obstacles()[static_cast<Size>(obstacle)];
  std::visit(
      [&](const auto& s) {
        if constexpr (std::is_same_v<std::decay_t<decltype(s)>, shape::Mesh>)
          meet_mesh(obstacle, *o.mesh, frames);
        else
          meet_convex(obstacle, s, frames);
      },
      o.shape);
}

ContactSearch::Moving ContactSearch::seen_from(const Frames& f, int edge) const {
  const Moving m = moving(edge);
  return {{f.before.transpose() * (m.from.p0 - f.from), f.before.transpose() * (m.from.p1 - f.from)},
          {f.after.transpose() * (m.to.p0 - f.to), f.after.transpose() * (m.to.p1 - f.to)}};
}

Touch ContactSearch::contact_with(int obstacle, int edge, double s, std::uint32_t part, const Vec3& local,
                                  const Vec3& normal, const Frames& frames) const {
  Touch c;
  c.key = ContactKey::edge_on_obstacle(geometry_.edge_number(edge), obstacle, part);
  c.edge_a = edge, c.obstacle = obstacle;
  c.s = s;
  c.local = local;
  c.normal = frames.after * normal;
  c.radius_a = geometry_.radius(edge);
  c.friction = geometry_.obstacles()[static_cast<Size>(obstacle)].friction;
  c.gap = normal.dot(seen_from(frames, edge).to.at(s) - local) - c.radius_a;
  return c;
}

// A node is reported as the end of the segment that begins there, or else of the one that ends there.
bool ContactSearch::add_node(int obstacle, int node, std::uint32_t part, const Vec3& local, const Nearest& at,
                             const Frames& frames) {
  const auto& [previous, next] = geometry_.beside(node);
  const int edge = next >= 0 ? next : previous;
  double radius = 0;
  for (const int e : {previous, next})
    if (e >= 0) radius = std::max(radius, geometry_.radius(e));
  // Too far, or a segment next to the node has this contact already.
  if (at.distance - radius > geometry_.margin()) return false;
  for (const int e : {previous, next}) {
    if (e < 0) continue;
    const Note& note = work_.note_[static_cast<Size>(e)];
    for (int k = note.first; k < note.first + note.count; ++k) {
      const Touch& c = out_[static_cast<Size>(k)];
      const double from_node = e == next ? c.s : 1 - c.s;
      if (c.key.part == part && from_node < 0.25) return false;
    }
  }
  Touch c = contact_with(obstacle, edge, edge == next ? 0 : 1, part, local, at.normal, frames);
  c.key = ContactKey::node_on_obstacle(geometry_.node_number(node), obstacle, part);
  c.radius_a = radius;
  c.gap = at.distance - radius;
  out_.push_back(c);
  return true;
}

// Every node of the near segments once, unless one of its segments passes through: then that contact replaces the node's.
template <class NodeContacts>
void ContactSearch::meet_nodes(const NodeContacts& node_contacts) {
  for (const int edge : work_.group_) {
    if (work_.note_[static_cast<Size>(edge)].mark != Note::near) continue;
    for (const int node : geometry_.ends(edge)) {
      bool told = false;
      for (const int other : geometry_.beside(node)) {
        if (other < 0 || other == edge) continue;
        const Note& note = work_.note_[static_cast<Size>(other)];
        told = told || note.mark == Note::passing || (note.mark == Note::near && other < edge);
      }
      if (!told) node_contacts(node, edge);
    }
  }
}

template <class Shape>
void ContactSearch::meet_convex(int obstacle, const Shape& shape, const Frames& frames) {
  constexpr bool has_other_side = !std::is_same_v<Shape, shape::HalfSpace>;
  const auto along = [&shape](const Segment& s) { return nearest_along(shape, s.p0, Vec3(s.p1 - s.p0)); };
  const auto surface = [](const Vec3& p, const Nearest& at) { return Vec3(p - at.distance * at.normal); };
  for (const int edge : work_.group_) {
    Note& note = work_.note_[static_cast<Size>(edge)];
    // Too far away to meet it in this motion.
    const Moving m = seen_from(frames, edge);
    const double motion = m.farthest(), radius = geometry_.radius(edge);
    const SegmentNearest first = along(m.from);
    const double d0 = first.at.distance;
    if (d0 - motion > radius + geometry_.margin()) continue;
    // Passing through: reported with the normal of the instant before.
    note.first = static_cast<int>(out_.size());
    const double limit = std::min(passing_core * radius, 0.5 * d0);
    if (has_other_side && d0 > 0 && d0 - motion <= limit) {
      struct Look {
        double distance, approach;
      };
      const double time = time_of_impact(
          [&](double t) {
            const SegmentNearest now = t == 0 ? first : along(m.at(t));
            return Look{now.at.distance, m.approach(now.at.normal)};
          },
          limit);
      if (time < 1) {
        const SegmentNearest now = along(m.at(time));
        out_.push_back(contact_with(obstacle, edge, now.s, 0, surface(m.at(time).at(now.s), now.at), now.at.normal, frames));
        out_.back().time = time;
        note.mark = Note::passing, note.count = 1;
        continue;
      }
    }
    // Nearest between its nodes at the end of the motion; ends are left to the nodes.
    note.mark = Note::near;
    const SegmentNearest last = motion > 0 ? along(m.to) : first;
    if (last.s > 0 && last.s < 1 && last.at.distance - radius <= geometry_.margin()) {
      out_.push_back(contact_with(obstacle, edge, last.s, 0, surface(m.to.at(last.s), last.at), last.at.normal, frames));
      note.count = 1;
    }
  }
  // The nodes of all segments that are near.
  meet_nodes([&](int node, int edge) {
    const Segment s = seen_from(frames, edge).to;
    const Vec3& p = geometry_.ends(edge)[0] == node ? s.p0 : s.p1;
    const Nearest at = nearest(shape, p);
    add_node(obstacle, node, 0, surface(p, at), at, frames);
  });
}

void ContactSearch::meet_mesh(int obstacle, const MeshGeometry& mesh, const Frames& frames) {
  for (const int edge : work_.group_) {
    Note& note = work_.note_[static_cast<Size>(edge)];
    const Moving m = seen_from(frames, edge);
    note.first = static_cast<int>(out_.size());
    note.mark = Note::near;
    if (passes_mesh(obstacle, mesh, frames, edge, m))
      note.mark = Note::passing;
    else
      meet_mesh_between_nodes(obstacle, mesh, frames, edge, m.to);
    note.count = static_cast<int>(out_.size()) - note.first;
  }
  meet_nodes([&](int node, int edge) { meet_mesh_at_node(obstacle, mesh, frames, node, edge); });
}

}  // namespace tendril
