#include "methods/der/chain.h"

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

}  // namespace tendril::der
