#include "contact/contact_geometry.h"

#include <algorithm>
#include <utility>

#include "contact/shapes.h"

namespace tendril {

using Size = std::size_t;

ContactGeometry::ContactGeometry(const Model& model)
    : neighbours_(model),
      margin_(model.contact.margin),
      friction_(model.contact.friction),
      self_(model.contact.self),
      between_rods_(model.contact.between_rods) {
  std::vector<RodSpan> rods;
  for (const RodModel& rod : model.rods) rods.push_back(rod.span);
  set_mesh(model, rods, model.material);
  for (const ObstacleModel& o : model.obstacles) add_obstacle(o.shape, o.friction);
}

void ContactGeometry::rebuild(const Model& model, const Frame& frame) {
  TENDRIL_REQUIRE(frame.rods.size() == model.rods.size(), "a frame of this model: one span for each rod");
  set_mesh(model, frame.rods, frame.material);
  ++revision_;
}

void ContactGeometry::set_mesh(const Model& model, std::span<const RodSpan> rods, const OnNodes<double>& material) {
  // Room for the edges of this mesh.
  Size edge_count = 0;
  for (const RodSpan& rod : rods) edge_count += static_cast<Size>(rod.edges);
  ends_.assign(edge_count, {-1, -1});
  beside_.assign(static_cast<Size>(material.size()), {-1, -1});
  radius_.assign(edge_count, 0);
  model_edge_.assign(edge_count, -1);
  neighbours_.clear_edges(edge_count);
  double length = 0, radius = 0;
  for (Size r = 0; r < rods.size(); ++r) {
    const RodSpan &rod = rods[r], &coarse = model.rods[r].span;
    for (int k = 0; k < rod.edges; ++k) {
      // Who borders whom.
      const Size edge = static_cast<Size>(rod.first_edge + k);
      const int first = rod.first_node + k, last = k + 1 < rod.nodes ? first + 1 : rod.first_node;
      ends_[edge] = {first, last};
      beside_[static_cast<Size>(first)][1] = static_cast<int>(edge);
      beside_[static_cast<Size>(last)][0] = static_cast<int>(edge);
      // The section is that of the model's edge at the same place.
      const double start = material[NodeIndex(first)];
      const double end = k + 1 < rod.nodes ? material[NodeIndex(last)] : model.rods[r].length;
      const auto from = model.material.begin() + coarse.first_node;
      const auto after = std::upper_bound(from, from + coarse.nodes, 0.5 * (start + end));
      const int place = std::clamp(static_cast<int>(after - from) - 1, 0, coarse.edges - 1);
      model_edge_[edge] = coarse.first_edge + place;
      radius_[edge] = model.section[EdgeIndex(model_edge_[edge])].radius();
      neighbours_.set_edge(static_cast<int>(edge), static_cast<int>(r), start, end, radius_[edge]);
      radius += radius_[edge];
    }
  }
  for (const double l : model.rest_length) length += l;
  // A longer skin: searches are rarer, lists longer. A search costs about as much as following a dense list twice.
  const double count = std::max(1, edges());
  skin_ = 0.5 * radius / count + 0.1 * length / count;
  set_numbers(model, rods, material);
}

void ContactGeometry::set_numbers(const Model& model, std::span<const RodSpan> rods, const OnNodes<double>& material) {
  // The numbers of the mesh before; the first mesh has none, and its edges are numbered along the rods.
  const std::vector<Begin> before = std::exchange(begins_, {});
  edge_number_.assign(ends_.size(), -1);
  node_number_.assign(beside_.size(), -1);
  const int model_edges = model.rest_length.size(), model_nodes = model.material.size();
  int first_spare = 0;  // of a rod, among the spare numbers of all rods
  auto old = before.begin();
  for (Size r = 0; r < rods.size(); ++r) {
    // A rod's numbers are those of its edges in the model, then its share of the spare ones, which follow those of all rods: so a
    // mesh that never changes has its flat numbers, whatever max_edges says. A node has the number of the edge that begins there.
    const RodSpan &rod = rods[r], &own = model.rods[r].span;
    const int range = std::max(model.rods[r].max_edges, own.edges);
    TENDRIL_REQUIRE(rod.edges <= range, "the rod has more edges than its max_edges");
    const auto edge_number_at = [&](int i) {
      return i < own.edges ? own.first_edge + i : model_edges + first_spare + i - own.edges;
    };
    const auto node_number_at = [&](int i) {
      return i < own.edges ? own.first_node + i : model_nodes + first_spare + i - own.edges;
    };
    // Edges that begin where an edge began before: both lists run along the rod.
    std::vector<int> index(static_cast<Size>(rod.edges), -1);  // within the range, per edge
    std::vector<bool> taken(static_cast<Size>(range), false);
    for (int k = 0; k < rod.edges; ++k) {
      const double start = material[NodeIndex(rod.first_node + k)];
      while (old != before.end() && old->rod == static_cast<int>(r) && old->material < start) ++old;
      if (old == before.end() || old->rod != static_cast<int>(r) || old->material != start) continue;
      index[static_cast<Size>(k)] = old->index;
      taken[static_cast<Size>(old->index)] = true;
    }
    while (old != before.end() && old->rod == static_cast<int>(r)) ++old;
    // New edges get the lowest numbers that are free.
    Size free = 0;
    for (int k = 0; k < rod.edges; ++k) {
      int& i = index[static_cast<Size>(k)];
      if (i < 0) {
        while (taken[free]) ++free;
        taken[free] = true;
        i = static_cast<int>(free);
      }
      edge_number_[static_cast<Size>(rod.first_edge + k)] = edge_number_at(i);
      node_number_[static_cast<Size>(rod.first_node + k)] = node_number_at(i);
      begins_.push_back({static_cast<int>(r), material[NodeIndex(rod.first_node + k)], i});
    }
    if (!rod.ring) node_number_[static_cast<Size>(rod.first_node + rod.nodes - 1)] = own.first_node + own.nodes - 1;
    first_spare += range - own.edges;
  }
}

int ContactGeometry::add_obstacle(const RigidShape& rigid, double friction) {
  ObstacleGeometry o;
  o.friction = friction;
  std::visit(
      [&](const auto& s) {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, shape::Mesh>) {
          o.shape = shape::Mesh{};
          o.mesh = std::make_shared<const MeshGeometry>(s);
          for (const Vec3& v : s.vertices) o.reach = std::max(o.reach, v.norm());
        } else {
          o.shape = s;
        }
        if constexpr (!std::is_same_v<S, shape::HalfSpace>) {
          o.bounds = bounds_of(s);
          if (!o.mesh) o.reach = o.bounds.high.cwiseMax(-o.bounds.low).norm();
        }
      },
      rigid);
  obstacles_.push_back(std::move(o));
  return static_cast<int>(obstacles_.size()) - 1;
}

void ContactGeometry::exclude(int edge, int obstacle) {
  const std::array<int, 2> pair{model_edge(edge), obstacle};
  const auto at = std::lower_bound(excluded_.begin(), excluded_.end(), pair);
  if (at == excluded_.end() || *at != pair) excluded_.insert(at, pair);
}

bool ContactGeometry::is_excluded(int edge, int obstacle) const {
  return !excluded_.empty() &&
         std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{model_edge(edge), obstacle});
}

bool ContactGeometry::may_touch(int edge_a, int edge_b) const {
  if (!excluded_.empty())
    for (auto at = std::lower_bound(excluded_.begin(), excluded_.end(), std::array<int, 2>{model_edge(edge_a), -1});
         at != excluded_.end() && (*at)[0] == model_edge(edge_a); ++at)
      if (is_excluded(edge_b, (*at)[1])) return false;
  const bool same = neighbours_.rod_of(edge_a) == neighbours_.rod_of(edge_b);
  return (same ? self_ : between_rods_) && !neighbours_.are_neighbours(edge_a, edge_b);
}

}  // namespace tendril
