#include "contact/contact_memory.h"

namespace tendril {

namespace {
bool is_reported(std::span<const Touch> touches, const ContactKey& key) {
  const auto at =
      std::lower_bound(touches.begin(), touches.end(), key, [](const Touch& t, const ContactKey& k) { return t.key < k; });
  return at != touches.end() && at->key == key;
}
}  // namespace

// Neighbours of the rod feature of `t`: an edge's neighbours and its nodes, a node's edges. Against a rod, the other edge's
// neighbours as well. Against a mesh, the same obstacle, whatever its part: a face after a face.
const ContactMemory::Record* ContactMemory::gone_neighbour(const ContactGeometry& geometry, const Touch& t,
                                                           std::span<const Touch> touches) const {
  // What else the contact may have been called in the step before: its own rod feature or a neighbour ...
  ContactKey beside_a[5] = {t.key};
  int other_edge[3] = {-1};  // -1: the same
  int count_a = 1, count_b = 1;
  const auto end_of = [&](int edge, int end) { return geometry.ends(edge)[static_cast<std::size_t>(end)]; };
  const auto neighbour = [&](int edge, int end) {
    return geometry.beside(end_of(edge, end))[static_cast<std::size_t>(end)];
  };
  if (t.key.is_node()) {
    const int node = end_of(t.edge_a, t.s == 0 ? 0 : 1);
    for (const int e : geometry.beside(node))
      if (e >= 0) beside_a[count_a++] = t.key.with_edge(geometry.edge_number(e));
  } else {
    for (const int end : {0, 1}) {
      if (const int e = neighbour(t.edge_a, end); e >= 0) beside_a[count_a++] = t.key.with_edge(geometry.edge_number(e));
      if (t.obstacle >= 0) beside_a[count_a++] = t.key.with_node(geometry.node_number(end_of(t.edge_a, end)));
      // ... and, between rods, the other edge or a neighbour of that.
      if (t.edge_b >= 0)
        if (const int e = neighbour(t.edge_b, end); e >= 0) other_edge[count_b++] = geometry.edge_number(e);
    }
  }
  for (int i = 0; i < count_a; ++i)
    for (int j = 0; j < count_b; ++j) {
      // All parts of a mesh, in the order of their keys. One that is still reported goes on as itself.
      ContactKey first = j == 0 ? beside_a[i] : beside_a[i].with_other_edge(other_edge[j]);
      first.part = 0;
      auto at = std::lower_bound(kept_.begin(), kept_.end(), first,
                                 [](const Record& r, const ContactKey& k) { return r.key < k; });
      for (; at != kept_.end() && at->key.a == first.a && at->key.b == first.b; ++at)
        if (!is_reported(touches, at->key) && at->entry.normal.dot(t.normal) > 0.5) return &*at;
    }
  return nullptr;
}

}  // namespace tendril
