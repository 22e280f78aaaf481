// One search for contacts: broad phase, then narrow phase. Callers include find_contacts.h.
#pragma once

#include <algorithm>
#include <cstddef>

#include "contact/find_contacts.h"
#include "contact/impact.h"

namespace tendril {

class ContactSearch {
 public:
  ContactSearch(const ContactGeometry& geometry, const ContactPositions& before, const ContactPositions& after,
                ContactWorkspace& workspace, std::vector<Touch>& out)
      : geometry_(geometry), before_(before), after_(after), work_(workspace), out_(out) {}
  Found run();

 private:
  using Note = ContactWorkspace::EdgeNote;
  struct Segment {
    Vec3 p0, p1;
    Vec3 at(double s) const { return p0 + s * (p1 - p0); }
  };
  struct Moving {  // a segment from before to after
    Segment from, to;
    Segment at(double time) const { return {from.p0 + time * (to.p0 - from.p0), from.p1 + time * (to.p1 - from.p1)}; }
    double farthest() const { return std::sqrt(std::max((to.p0 - from.p0).squaredNorm(), (to.p1 - from.p1).squaredNorm())); }
    // Largest speed of its points against the direction n.
    double approach(const Vec3& n) const { return std::max(n.dot(from.p0 - to.p0), n.dot(from.p1 - to.p1)); }
  };
  struct Frames {  // of an obstacle
    Mat3 before, after;
    Vec3 from, to;
  };

  // ---- find_contacts.cpp
  bool measure();  // boxes and motions; false: not finite
  Bounds bounds_of_obstacle(int obstacle) const;
  bool pairs_are_known() const;
  bool search_pairs();
  void meet_all_segments();
  void meet_some_segments(std::size_t from, std::size_t to, std::vector<Touch>& out) const;  // a range of the pairs
  void meet_segments(int a, int b, const ClosestPoints<double>& first, std::vector<Touch>& out) const;  // first: before
  void add_pair(int a, int b, const ClosestPoints<double>& c, double time, std::vector<Touch>& out) const;
  // f(chunk, from, to) for fixed ranges of 0 .. count - 1, side by side where there are workers.
  template <class F>
  void in_chunks(std::size_t count, std::size_t size, const F& f) const {
    const int chunks = static_cast<int>((count + size - 1) / size);
    const auto one = [&](int k) {
      const std::size_t from = static_cast<std::size_t>(k) * size;
      f(static_cast<std::size_t>(k), from, std::min(count, from + size));
    };
    if (work_.workers_) return work_.workers_->for_each_chunk(chunks, one);
    for (int k = 0; k < chunks; ++k) one(k);
  }
  void remove_twins();
  // ---- obstacle_contacts.cpp
  void meet_obstacles();
  void meet_obstacle(int obstacle);
  template <class Shape>
  void meet_convex(int obstacle, const Shape& shape, const Frames& frames);
  template <class NodeContacts>
  void meet_nodes(const NodeContacts& node_contacts);
  Touch contact_with(int obstacle, int edge, double s, std::uint32_t part, const Vec3& local, const Vec3& normal,
                     const Frames& frames) const;
  bool add_node(int obstacle, int node, std::uint32_t part, const Vec3& local, const Nearest& at, const Frames& frames);
  Moving seen_from(const Frames& frames, int edge) const;
  // ---- mesh_contacts.cpp
  void meet_mesh(int obstacle, const MeshGeometry& mesh, const Frames& frames);
  bool passes_mesh(int obstacle, const MeshGeometry& mesh, const Frames& frames, int edge, const Moving& m);
  void meet_mesh_between_nodes(int obstacle, const MeshGeometry& mesh, const Frames& frames, int edge, const Segment& s);
  void meet_mesh_at_node(int obstacle, const MeshGeometry& mesh, const Frames& frames, int node, int edge);

  Moving moving(int edge) const {
    const auto& [i, j] = geometry_.ends(edge);
    return {{node(before_, i), node(before_, j)}, {node(after_, i), node(after_, j)}};
  }
  static const Vec3& node(const ContactPositions& p, int i) { return p.nodes[static_cast<std::size_t>(i)]; }

  const ContactGeometry& geometry_;
  const ContactPositions &before_, &after_;
  ContactWorkspace& work_;
  std::vector<Touch>& out_;
};

}  // namespace tendril
