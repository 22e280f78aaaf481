#include "methods/der/lengths/span_paths.h"

namespace tendril::der {
namespace {

class Walker {
 public:
  Walker(const Chain& chain, const JoinedNodes& joined, double slack) : c_(chain), joined_(joined), slack_(slack) {
    rod_of_.assign(c_.kind.size() + 1, nullptr);
    for (const ChainRod& rod : c_.rods)
      for (int v = rod.first; v <= rod.first + rod.slots; ++v) rod_of_[z(v)] = &rod;
  }

  // Every way that begins in this rod; of its two directions the one that ends behind its start.
  void add_from(const ChainRod& rod, std::vector<SpanPath>& out) const {
    for (int v = rod.first; v <= rod.first + rod.slots; ++v) {
      if (!held(v)) continue;
      for (const int direction : {1, -1}) {
        SpanPath path;
        if (walk(v, direction, path) && path.rest > 0 && path.vertex.back() > v) out.push_back(std::move(path));
      }
    }
  }

 private:
  int joined_to(int v) const {
    return joined_.joined_to.empty() || c_.node[z(v)] < 0 ? JoinedNodes::free : joined_.joined_to[z(c_.node[z(v)])];
  }
  bool held(int v) const {
    return c_.held[z(v)] || (!joined_.led.empty() && c_.node[z(v)] >= 0 && joined_.led[z(c_.node[z(v)])]);
  }
  bool stands_at_wall(int v) const {
    const ChainRod& rod = *rod_of_[z(v)];
    return (v < rod.first + rod.slots && c_.kind[z(v)] == SlotKind::wall) ||
           (v > rod.first && c_.kind[z(v - 1)] == SlotKind::wall);
  }

  // False: it comes to a free end, to a branch, to a ring or to something that stretches.
  bool walk(int v, int direction, SpanPath& path) const {
    path.vertex.push_back(v);
    const int start = v;
    while (path.vertex.size() <= c_.kind.size()) {
      const ChainRod* rod = rod_of_[z(v)];
      if (rod->ring) return false;
      if (v == (direction > 0 ? rod->first + rod->slots : rod->first)) {
        // The end of the rod: on to the rod that is joined to it.
        const int other = joined_to(v);
        if (other < 0) return false;
        v = c_.vertex_of_node[z(other)];
        rod = rod_of_[z(v)];
        const bool at_first = c_.node[z(v)] == c_.node[z(rod->first)];
        if (!at_first && c_.node[z(v)] != c_.node[z(rod->first + rod->slots)]) return false;
        direction = at_first ? 1 : -1;
        v = at_first ? rod->first : rod->first + rod->slots;
        path.edge.push_back(-1);
        path.slack = slack_;
      } else {
        const int slot = direction > 0 ? v : v - 1;
        v += direction;
        const bool edge = c_.kind[z(slot)] == SlotKind::edge;
        if (edge && c_.constrained[z(slot)] == 0) return false;
        if (edge) path.rest += c_.rest_length[z(slot)];
        path.edge.push_back(edge ? slot : -1);
      }
      path.vertex.push_back(v);
      if (held(v)) {
        path.clamped = stands_at_wall(start) || stands_at_wall(v);
        if (!c_.held[z(start)] || !c_.held[z(v)]) path.slack = slack_;
        return true;
      }
      const bool inside = c_.node[z(v)] != c_.node[z(rod->first)] && c_.node[z(v)] != c_.node[z(rod->first + rod->slots)];
      if (joined_to(v) == JoinedNodes::branch || (inside && joined_to(v) != JoinedNodes::free)) return false;
    }
    return false;  // round and round
  }

  const Chain& c_;
  const JoinedNodes& joined_;
  const double slack_;
  std::vector<const ChainRod*> rod_of_;  // per vertex
};

}  // namespace

std::vector<SpanPath> paths_of(const Chain& chain, const ChainRod& rod) {
  std::vector<SpanPath> paths;
  const JoinedNodes none;
  Walker(chain, none, 0).add_from(rod, paths);
  return paths;
}

std::vector<SpanPath> paths_of(const Chain& chain, const JoinedNodes& joined, double slack_of_joints) {
  std::vector<SpanPath> paths;
  const Walker walker(chain, joined, slack_of_joints);
  for (const ChainRod& rod : chain.rods) walker.add_from(rod, paths);
  return paths;
}

}  // namespace tendril::der
