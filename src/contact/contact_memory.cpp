#include "contact/contact_memory.h"

namespace tendril {

namespace {
bool is_told(std::span<const Touch> touches, const ContactKey& key) {
  const auto at =
      std::lower_bound(touches.begin(), touches.end(), key, [](const Touch& t, const ContactKey& k) { return t.key < k; });
  return at != touches.end() && at->key == key;
}
}  // namespace

// Features next to the rod feature of `t`: a segment's neighbours and its nodes, a node's segments and their far nodes.
// Against a rod, the other segment's neighbours as well. Against a mesh, the same obstacle, whatever its part: a face after
// a face.
const ContactMemory::Record* ContactMemory::gone_neighbour(const ContactGeometry& geometry, const Touch& t,
                                                           std::span<const Touch> touches) const {
  std::uint32_t beside_a[5] = {t.key.a}, beside_b[3] = {t.key.b};
  int count_a = 1, count_b = 1;
  const auto neighbour = [&](int edge, int end) {
    return geometry.beside(geometry.ends(edge)[static_cast<std::size_t>(end)])[static_cast<std::size_t>(end)];
  };
  const bool is_node = t.key.a % 2 == 1;
  if (is_node) {
    for (const int e : geometry.beside(static_cast<int>(t.key.a / 2)))
      if (e >= 0) beside_a[count_a++] = ContactKey::edge_feature(e);
  } else {
    for (const int end : {0, 1}) {
      if (const int e = neighbour(t.edge_a, end); e >= 0) beside_a[count_a++] = ContactKey::edge_feature(e);
      if (t.obstacle >= 0)
        beside_a[count_a++] = ContactKey::node_feature(geometry.ends(t.edge_a)[static_cast<std::size_t>(end)]);
      if (t.edge_b >= 0)
        if (const int e = neighbour(t.edge_b, end); e >= 0) beside_b[count_b++] = static_cast<std::uint32_t>(e);
    }
  }
  for (int i = 0; i < count_a; ++i)
    for (int j = 0; j < count_b; ++j) {
      // All parts of a mesh, in the order of their keys.
      const ContactKey first{beside_a[i], beside_b[j], 0};
      auto at = std::lower_bound(kept_.begin(), kept_.end(), first,
                                 [](const Record& r, const ContactKey& k) { return r.key < k; });
      for (; at != kept_.end() && at->key.a == first.a && at->key.b == first.b; ++at)
        if (!is_told(touches, at->key) && at->entry.normal.dot(t.normal) > 0.5) return &*at;
    }
  return nullptr;
}

}  // namespace tendril
