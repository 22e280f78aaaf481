#include "methods/der/chain/chain.h"

#include "math/rotation.h"

namespace tendril::der {

Beside edges_beside(const Chain& c, int node) {
  Beside beside;
  const int first = c.vertex_of_node[z(node)];
  const auto look = [&](int vertex) {  // each twin may have an edge on either side
    if (c.kind[z(vertex - 1)] == SlotKind::edge) beside.before = vertex - 1;
    if (c.kind[z(vertex)] == SlotKind::edge) beside.after = vertex;
  };
  look(first);
  for (const Twin& twin : c.twins) {
    if (twin.first == first) look(twin.second);
  }
  return beside;
}

void let_roll(Chain& c, const ChainRod& rod, const Model& model, const Frame& pose) {
  c.has_rolling = true;
  for (int s = rod.first; s < rod.first + rod.slots; ++s) {
    if (c.kind[z(s)] != SlotKind::edge) continue;
    const EdgeIndex edge{c.edge[z(s)]};
    const Section& section = model.section[edge];
    const double a = section.extent1, b = section.extent2;  // as for an ellipse, where it is not given
    const double polar =
        section.rotary_given ? section.rotary1 + section.rotary2 : 0.25 * (a * a + b * b) * c.line_mass[z(s)];
    c.roll[z(s)] = pose.spin[edge].dot(director(pose.orientation[edge], 2));
    c.roll_inertia[z(s)] = polar * c.rest_length[z(s)];
  }
}

// Between frames that are held, a naturally straight isotropic rod has one twist moment.  [Bergou 2008, eq. (5); ERRATA
// D5]
void find_regions(Chain& c, const ChainRod& rod) {
  if (rod.general) return;
  const int r = static_cast<int>(&rod - c.rods.data());
  // Slots at which the frame is held, in order.
  std::vector<int> held;
  for (const Wall& wall : c.walls_of_rod(r)) {
    if (wall.twist) held.push_back(wall.slot);
  }
  const auto add = [&](int from, int to, int from2, int to2, bool closes) {
    TwistRegion region{r, from, to, from2, to2, closes, 0, 0};
    for (const auto& [begin, end] : {std::pair(from, to), std::pair(from2, to2)}) {
      for (int s = begin + 1; s <= end; ++s) {
        region.compliance += 1 / c.twist_stiffness[z(s)];
        region.rest += c.rest_twist[z(s)];
      }
    }
    c.regions.push_back(region);
    c.rods[z(r)].twisted = c.has_twisted = true;
  };
  // From held slot to held slot; around a ring also from the last over the closing joint to the first.
  for (std::size_t i = 0; i + 1 < held.size(); ++i) add(held[i], held[i + 1], 0, 0, false);
  if (rod.ring && held.empty()) add(rod.first, rod.wrap, 0, 0, true);
  if (rod.ring && !held.empty()) add(held.back(), rod.wrap, rod.first, held.front(), true);
}

}  // namespace tendril::der
