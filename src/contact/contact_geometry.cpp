#include "contact/contact_geometry.h"

#include <algorithm>

#include "contact/shapes.h"

namespace tendril {

using Size = std::size_t;

ContactGeometry::ContactGeometry(const Model& model)
    : neighbours_(model),
      ends_(static_cast<Size>(model.rest_length.size())),
      beside_(static_cast<Size>(model.material.size()), {-1, -1}),
      margin_(model.contact.margin),
      friction_(model.contact.friction),
      self_(model.contact.self),
      between_rods_(model.contact.between_rods) {
  for (const RodModel& rod : model.rods)
    for (int k = 0; k < rod.span.edges; ++k) {
      const int edge = rod.span.first_edge + k;
      const int first = rod.span.first_node + k, last = k + 1 < rod.span.nodes ? first + 1 : rod.span.first_node;
      ends_[static_cast<Size>(edge)] = {first, last};
      beside_[static_cast<Size>(first)][1] = edge;
      beside_[static_cast<Size>(last)][0] = edge;
    }
  double length = 0, radius = 0;
  for (const Section& s : model.section) radius_.push_back(s.radius()), radius += s.radius();
  for (const double l : model.rest_length) length += l;
  // A longer skin: searches are rarer, lists longer. A search costs about as much as following a dense list twice.
  const double count = std::max(1, edges());
  skin_ = 0.5 * radius / count + 0.1 * length / count;
  for (const ObstacleModel& o : model.obstacles) add_obstacle(o.shape, o.friction);
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
  const std::array<int, 2> pair{edge, obstacle};
  const auto at = std::lower_bound(excluded_.begin(), excluded_.end(), pair);
  if (at == excluded_.end() || *at != pair) excluded_.insert(at, pair);
}

bool ContactGeometry::is_excluded(int edge, int obstacle) const {
  return !excluded_.empty() && std::binary_search(excluded_.begin(), excluded_.end(), std::array<int, 2>{edge, obstacle});
}

bool ContactGeometry::may_touch(int edge_a, int edge_b) const {
  if (!excluded_.empty())
    for (auto at = std::lower_bound(excluded_.begin(), excluded_.end(), std::array<int, 2>{edge_a, -1});
         at != excluded_.end() && (*at)[0] == edge_a; ++at)
      if (is_excluded(edge_b, (*at)[1])) return false;
  const bool same = neighbours_.rod_of(edge_a) == neighbours_.rod_of(edge_b);
  return (same ? self_ : between_rods_) && !neighbours_.are_neighbours(edge_a, edge_b);
}

}  // namespace tendril
